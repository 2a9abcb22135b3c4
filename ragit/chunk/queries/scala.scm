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


; Tests of MUnit, ScalaTest and their kin
((call_expression
   function: (call_expression
     function: (identifier) @_call
     arguments: (arguments . (string) @name))) @definition.test
 (#any-of? @_call "test" "it" "property" "scenario"))
((call_expression
   function: (call_expression
     function: (identifier) @_call
     arguments: (arguments . (string) @name))) @definition.describe
 (#any-of? @_call "describe" "feature"))
((infix_expression
   left: [(string) @name (infix_expression right: (string) @name)]
   operator: (identifier) @_in) @definition.test
 (#eq? @_in "in"))
