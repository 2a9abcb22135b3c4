(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(struct_declaration name: (_) @name) @definition.struct
(record_declaration name: (_) @name) @definition.record
(namespace_declaration name: (_) @name) @definition.namespace
((file_scoped_namespace_declaration name: (_) @name) @definition.namespace (#set! opens))
(method_declaration name: (_) @name) @definition.method
(operator_declaration operator: _ @operator) @definition.method
(conversion_operator_declaration type: (_) @operator) @definition.method
(local_function_statement name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.constructor
(destructor_declaration name: (_) @name) @definition.constructor
(enum_declaration name: (_) @name) @definition.enum
(delegate_declaration name: (_) @name) @definition.delegate
(property_declaration name: (_) @name) @definition.property
(indexer_declaration "this" @name) @definition.property
(event_declaration name: (_) @name) @definition.property
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @definition.field

(global_statement) @outer
(using_directive) @import
(extern_alias_directive) @import

