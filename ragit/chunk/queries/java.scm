(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(record_declaration name: (_) @name) @definition.record
(annotation_type_declaration name: (_) @name) @definition.annotation
(module_declaration name: (_) @name) @definition.module
(method_declaration name: (_) @name) @definition.method
(annotation_type_element_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.constructor
(compact_constructor_declaration name: (_) @name) @definition.constructor
(field_declaration (variable_declarator name: (_) @name)) @definition.field
(constant_declaration (variable_declarator name: (_) @name)) @definition.field
(import_declaration) @import
(package_declaration) @import

