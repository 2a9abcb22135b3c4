; Functions, classes, and the tests of Pester
(class_statement (simple_name) @name) @definition.class
(function_statement (function_name) @name) @definition.function
(class_method_definition (simple_name) @name) @definition.method
(class_property_definition (variable) @name) @definition.property
(enum_statement (simple_name) @name) @definition.enum
((command
   command_name: (command_name) @_command
   command_elements: (command_elements . (command_argument_sep) .
     (array_literal_expression (unary_expression (string_literal (_) @name)))))
 @definition.describe
 (#match? @_command "^(?i:Describe|Context)$"))
((command
   command_name: (command_name) @_command
   command_elements: (command_elements (command_parameter) @_name . (command_argument_sep) .
     (array_literal_expression (unary_expression (string_literal (_) @name)))))
 @definition.describe
 (#match? @_command "^(?i:Describe|Context)$")
 (#match? @_name "^-(?i:name)$"))

((command
   command_name: (command_name) @_command
   command_elements: (command_elements . (command_argument_sep) .
     (array_literal_expression (unary_expression (string_literal (_) @name)))))
 @definition.test
 (#match? @_command "^(?i:It)$"))
((command
   command_name: (command_name) @_command
   command_elements: (command_elements (command_parameter) @_name . (command_argument_sep) .
     (array_literal_expression (unary_expression (string_literal (_) @name)))))
 @definition.test
 (#match? @_command "^(?i:It)$")
 (#match? @_name "^-(?i:name)$"))

((command
   command_name: (command_name) @_command
   command_elements: (command_elements . (command_argument_sep) . (generic_token) @name))
 @definition.function
 (#match? @_command "^(?i:configuration|workflow)$"))
