(module_definition name: (_) @name) @definition.module
(function_definition (signature (call_expression . (_) @name))) @definition.function
(function_definition (signature (typed_expression (call_expression . (_) @name)))) @definition.function
(function_definition (signature (where_expression (call_expression . (_) @name)))) @definition.function
(function_definition (signature (where_expression (typed_expression (call_expression . (_) @name))))) @definition.function
(function_definition (signature . (identifier) @name)) @definition.function
(macro_definition (signature (call_expression . (_) @name))) @definition.macro
(struct_definition (type_head (identifier) @name)) @definition.struct
(struct_definition (type_head (binary_expression . (identifier) @name))) @definition.struct
(struct_definition (type_head (parametrized_type_expression . (identifier) @name))) @definition.struct
(struct_definition (type_head (binary_expression . (parametrized_type_expression . (identifier) @name)))) @definition.struct
(abstract_definition (type_head (identifier) @name)) @definition.type
(abstract_definition (type_head (binary_expression . (identifier) @name))) @definition.type
(abstract_definition (type_head (parametrized_type_expression . (identifier) @name))) @definition.type
(primitive_definition (type_head (identifier) @name)) @definition.type
(primitive_definition (type_head (binary_expression . (identifier) @name))) @definition.type
(assignment . (call_expression . (_) @name)) @definition.function
(assignment . (typed_expression (call_expression . (_) @name))) @definition.function
(assignment . (where_expression (call_expression . (_) @name))) @definition.function
(const_statement (assignment . (identifier) @name)) @definition.constant
(source_file (assignment . (identifier) @name) @definition.constant)
(module_definition (block (assignment . (identifier) @name) @definition.constant))
(using_statement) @import
(import_statement) @import
(export_statement) @import
(public_statement) @import
(string_literal) @doc

((macrocall_expression
   (macro_identifier (identifier) @_call)
   (macro_argument_list . (string_literal) @name)) @definition.describe
 (#any-of? @_call "testset" "testitem"))
((macrocall_expression
   (macro_identifier (identifier) @_call)
   (macro_argument_list . [(identifier) @name (typed_expression . (identifier) @name)])) @definition.enum
 (#eq? @_call "enum"))
