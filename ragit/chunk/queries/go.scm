(function_declaration name: (_) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (_) @name) @definition.method
((type_declaration (type_spec name: (_) @name)) @definition.type (#set! whole))
(type_spec type: (interface_type (method_elem name: (_) @name) @definition.method))
(type_declaration (type_alias name: (_) @name)) @definition.type
(source_file (const_declaration (const_spec name: (_) @name)) @definition.constant)
((source_file (var_declaration (var_spec name: (_) @name)) @definition.variable)
 (#not-eq? @name "_"))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name))) @definition.variable)
(import_declaration) @import
(package_clause) @import

; Tests of Ginkgo
((call_expression
   function: (identifier) @_call
   arguments: (argument_list . (interpreted_string_literal) @name . (_))) @definition.describe
 (#any-of? @_call
   "Describe" "Context" "When" "DescribeTable" "FDescribe" "PDescribe" "XDescribe" "FContext"))
((call_expression
   function: (identifier) @_call
   arguments: (argument_list . (interpreted_string_literal) @name . (_))) @definition.test
 (#any-of? @_call "It" "Specify" "FIt" "PIt" "XIt"))

; Subtests
((call_expression
   function: (selector_expression field: (field_identifier) @_call)
   arguments: (argument_list . (interpreted_string_literal) @name . (func_literal))) @definition.test
 (#eq? @_call "Run"))
