(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.type
(assignment left: (identifier) @name) @definition.constant
(function_definition body: (block . (string) @doc)) @definition.function
(class_definition body: (block . (string) @doc)) @definition.class
(decorated_definition) @outer
(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
