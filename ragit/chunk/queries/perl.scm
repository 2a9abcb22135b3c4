((package_statement name: (_) @name) @definition.package (#set! opens))
((class_statement name: (_) @name) @definition.package (#set! opens))
(role_statement name: (_) @name) @definition.package
(subroutine_declaration_statement name: (_) @name) @definition.function
(method_declaration_statement name: (_) @name) @definition.function
(expression_statement (assignment_expression left: (variable_declaration variable: (_) @name))) @definition.variable
(expression_statement (assignment_expression left: [(scalar) (array) (hash)] @name)) @definition.variable
(phaser_statement phase: _ @name) @definition.phaser
(use_statement) @import
(use_version_statement) @import

; Subtests
((expression_statement
   [(ambiguous_function_call_expression
      function: (function) @_call
      arguments: [(interpolated_string_literal) (string_literal)] @name)
    (ambiguous_function_call_expression
      function: (function) @_call
      arguments: (list_expression . [(interpolated_string_literal) (string_literal)] @name))
    (function_call_expression
      function: (function) @_call
      arguments: (list_expression . [(interpolated_string_literal) (string_literal)] @name))])
 @definition.test
 (#any-of? @_call "subtest" "describe" "it"))

; Constants, and attributes of Moose
((use_statement
   module: (package) @_module
   [(list_expression . (autoquoted_bareword) @name)
    (anonymous_hash_expression (list_expression (autoquoted_bareword) @name))]) @definition.constant
 (#eq? @_module "constant"))
((expression_statement
   (ambiguous_function_call_expression
     function: (function) @_call
     .
     arguments: [(autoquoted_bareword) (string_literal) (interpolated_string_literal)] @name))
 @definition.property
 (#eq? @_call "has"))
