(function_declaration name: (_) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (_) @name) @definition.method
(type_declaration (type_spec name: (_) @name)) @definition.type
(type_declaration (type_alias name: (_) @name)) @definition.type
(source_file (const_declaration (const_spec name: (_) @name)) @definition.constant)
(source_file (var_declaration (var_spec name: (_) @name)) @definition.variable)
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name))) @definition.variable)
(import_declaration) @import
(package_clause) @import
