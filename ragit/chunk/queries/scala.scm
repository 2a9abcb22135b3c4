(class_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.trait
(object_definition name: (_) @name) @definition.object
(package_object name: (_) @name) @definition.object
(extension_definition) @definition.extension
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(type_definition name: (_) @name) @definition.type
(enum_definition name: (_) @name) @definition.enum
(val_definition pattern: (_) @name) @definition.value
(val_declaration name: (_) @name) @definition.value
(var_definition pattern: (_) @name) @definition.value
(var_declaration name: (_) @name) @definition.value
(given_definition name: (_) @name) @definition.given
(import_declaration) @import
(package_clause) @import
(export_declaration) @import

