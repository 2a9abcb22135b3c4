(class_declaration declaration_kind: "class" name: (_) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (_) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (_) @name) @definition.enum
(class_declaration declaration_kind: "extension" name: (_) @name) @definition.extension
(class_declaration declaration_kind: "actor" name: (_) @name) @definition.actor
(protocol_declaration name: (_) @name) @definition.protocol
(function_declaration name: (simple_identifier) @name) @definition.function
(function_declaration name: (custom_operator) @name) @definition.function
(function_declaration
  name: ["==" "!=" "<" ">" "<=" ">=" "===" "!==" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "%=" "~"
         "<<" ">>" "&" "|" "^" "++" "--"] @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.function
(typealias_declaration name: (type_identifier) @name) @definition.type
(property_declaration name: (_ bound_identifier: (_) @name)) @definition.property
(protocol_property_declaration name: (_ bound_identifier: (_) @name)) @definition.property
(subscript_declaration "subscript" @name) @definition.property
(init_declaration "init" @name) @definition.constructor
(deinit_declaration "deinit" @name) @definition.constructor
(macro_declaration (simple_identifier) @name) @definition.macro
(operator_declaration (custom_operator) @name) @definition.operator
(precedence_group_declaration (simple_identifier) @name) @definition.operator
(import_declaration) @import

; Tests of Quick
((call_expression
   (simple_identifier) @_call
   (call_suffix
     (value_arguments . (value_argument value: (line_string_literal text: (_) @name)))
     (lambda_literal))) @definition.describe
 (#any-of? @_call "describe" "context" "fdescribe" "xdescribe" "sharedExamples"))
((call_expression
   (simple_identifier) @_call
   (call_suffix
     (value_arguments . (value_argument value: (line_string_literal text: (_) @name)))
     (lambda_literal))) @definition.test
 (#any-of? @_call "it" "fit" "xit"))
