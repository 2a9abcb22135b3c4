(module_binding (module_name) @name) @definition.module
(module_type_definition (module_type_name) @name) @definition.module
(value_definition (let_binding (value_name) @name)) @definition.function
(value_definition (let_binding pattern: (parenthesized_operator (_) @name))) @definition.function
(external (value_name) @name) @definition.function
(value_specification (value_name) @name) @definition.function
(type_definition (type_binding name: (_) @name)) @definition.type
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.exception
(class_definition (class_binding (class_name) @name)) @definition.class
(class_type_definition (class_type_binding (class_type_name) @name)) @definition.class
(method_definition (method_name) @name) @definition.method

(module_definition) @outer
(open_module) @import
(floating_attribute) @leading

