(class_definition name: (_) @name) @definition.class
(mixin_application_class (identifier) @name) @definition.class
(mixin_declaration (identifier) @name) @definition.mixin
(extension_declaration name: (_) @name) @definition.extension
(extension_declaration class: (_) @name !name) @definition.extension
(extension_type_declaration name: (_) @name) @definition.extension
(enum_declaration name: (_) @name) @definition.enum
(type_alias (type_identifier) @name) @definition.type
(function_signature name: (_) @name) @definition.function
(getter_signature name: (_) @name) @definition.getter
(setter_signature name: (_) @name) @definition.setter
; A constructor is called as its class is, or `Class.name`.
(constructor_signature . (identifier) @name . (formal_parameter_list)) @definition.constructor
(constructor_signature (identifier) . (identifier) @name) @definition.constructor
(constant_constructor_signature
  (const_builtin) . (identifier) @name . (formal_parameter_list)) @definition.constructor
(constant_constructor_signature (identifier) . (identifier) @name) @definition.constructor
(factory_constructor_signature . (identifier) @name . (formal_parameter_list)) @definition.constructor
(factory_constructor_signature (identifier) . (identifier) @name) @definition.constructor
(redirecting_factory_constructor_signature (identifier) . (identifier) @name) @definition.constructor
(operator_signature (binary_operator) @operator) @definition.method
(operator_signature ["[]" "[]=" "~"] @operator) @definition.method
(declaration (initialized_identifier_list (initialized_identifier (identifier) @name))) @definition.field
(declaration (static_final_declaration_list (static_final_declaration (identifier) @name))) @definition.field
(static_final_declaration_list (static_final_declaration (identifier) @name)) @definition.constant
(program (initialized_identifier_list (initialized_identifier (identifier) @name)) @definition.constant)
(method_signature) @outer
(declaration) @outer
(import_or_export) @import
(library_name) @import
(part_directive) @import
(part_of_directive) @import
[
  (annotation)
  (const_builtin)
  (final_builtin)
  (type_identifier)
  (type_arguments)
  (nullable_type)
  (inferred_type)
  (void_type)
] @leading
(function_body) @tail

; Tests
((expression_statement
   (identifier) @_call
   (selector (argument_part (arguments . (argument (string_literal) @name))))) @definition.describe
 (#eq? @_call "group"))
((expression_statement
   (identifier) @_call
   (selector (argument_part (arguments . (argument (string_literal) @name))))) @definition.test
 (#any-of? @_call "test" "testWidgets" "blocTest" "goldenTest"))
