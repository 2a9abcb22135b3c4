; What JavaScript, TypeScript and TSX have in common.

; Functions
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function

(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)] @definition.function)) @outer
(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)] @definition.function)) @outer
(expression_statement
  (assignment_expression
    left: [(identifier) (member_expression)] @name
    right: [(arrow_function) (function_expression) (generator_function)] @definition.function)) @outer
(export_statement
  value: [(arrow_function) (function_expression) (generator_function)] @definition.function)

(function_expression name: (identifier) @name) @definition.function
(generator_function name: (identifier) @name) @definition.function

(method_definition name: (_) @name) @definition.method
(pair
  key: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @definition.method) @outer

; Classes
(class_declaration name: (_) @name) @definition.class
(lexical_declaration
  (variable_declarator name: (identifier) @name value: (class) @definition.class)) @outer
(variable_declaration
  (variable_declarator name: (identifier) @name value: (class) @definition.class)) @outer
(expression_statement
  (assignment_expression
    left: [(identifier) (member_expression)] @name
    right: (class) @definition.class)) @outer
(export_statement value: (class) @definition.class)
(export_statement value: (class name: (_) @name) @definition.class)

; Constants of the module
(program
  [(lexical_declaration (variable_declarator name: (identifier) @name))
   (variable_declaration (variable_declarator name: (identifier) @name))] @definition.constant)
(program
  [(lexical_declaration
     (variable_declarator
       name: (object_pattern (shorthand_property_identifier_pattern) @name)))
   (variable_declaration
     (variable_declarator
       name: (object_pattern (shorthand_property_identifier_pattern) @name)))] @definition.constant)
(export_statement
  [(lexical_declaration (variable_declarator name: (identifier) @name))
   (variable_declaration (variable_declarator name: (identifier) @name))] @definition.constant)

; Tests of Mocha, Jest, Vitest, Jasmine and their kin
(expression_statement
  (call_expression
    function: [
      (identifier) @_call
      (member_expression object: (identifier) @_call)
      (call_expression function: (member_expression object: (identifier) @_call))
      (call_expression function: (identifier) @_call)
    ]
    arguments: (arguments . [(string) (template_string)] @name . (_))) @definition.describe
  (#any-of? @_call "describe" "fdescribe" "xdescribe" "context" "suite")) @outer
(expression_statement
  (call_expression
    function: [
      (identifier) @_call
      (member_expression object: (identifier) @_call)
      (member_expression object: (member_expression object: (identifier) @_call))
      (call_expression function: (member_expression object: (identifier) @_call))
    ]
    arguments: (arguments . [(string) (template_string)] @name . (_))) @definition.test
  (#any-of? @_call "it" "fit" "xit" "test" "xtest" "specify" "bench")) @outer

(expression_statement
  (call_expression
    function: (member_expression
      object: (identifier) @_runner
      property: (property_identifier) @_call)
    arguments: (arguments . (string) @name . (_))) @definition.describe
  (#eq? @_runner "QUnit")
  (#eq? @_call "module")) @outer
(expression_statement
  (call_expression
    function: (member_expression
      object: (identifier) @_runner
      property: (property_identifier) @_call)
    arguments: (arguments . (string) @name . (_))) @definition.test
  (#any-of? @_runner "QUnit" "Deno")
  (#eq? @_call "test")) @outer

(export_statement) @outer
(decorator) @leading
(import_statement) @import
