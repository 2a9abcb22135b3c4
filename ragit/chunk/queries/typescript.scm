; inherits: ecma
(function_signature name: (identifier) @name) @definition.function
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.namespace

(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @definition.method) @outer
(public_field_definition name: (_) @name) @definition.field
(class_body (method_signature name: (_) @name) @definition.method)
(abstract_method_signature name: (_) @name) @definition.method
(interface_body (method_signature name: (_) @name) @definition.method)
(interface_body (property_signature name: (_) @name) @definition.field)

; Constants of a namespace or an ambient declaration
(internal_module
  body: (statement_block
    [(lexical_declaration (variable_declarator name: (identifier) @name))
     (variable_declaration (variable_declarator name: (identifier) @name))] @definition.constant))
(module
  body: (statement_block
    [(lexical_declaration (variable_declarator name: (identifier) @name))
     (variable_declaration (variable_declarator name: (identifier) @name))] @definition.constant))
(ambient_declaration
  [(lexical_declaration (variable_declarator name: (identifier) @name))
   (variable_declaration (variable_declarator name: (identifier) @name))] @definition.constant)

(ambient_declaration) @outer
(expression_statement (internal_module)) @outer
(import_alias) @import
