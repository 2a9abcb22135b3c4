(class_statement (simple_name) @name) @definition.class
(function_statement (function_name) @name) @definition.function
(class_method_definition (simple_name) @name) @definition.method
(class_property_definition (variable) @name) @definition.property
(enum_statement (simple_name) @name) @definition.enum

