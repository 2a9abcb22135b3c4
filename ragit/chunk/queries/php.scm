(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(trait_declaration name: (_) @name) @definition.trait
(enum_declaration name: (_) @name) @definition.enum
((namespace_definition name: (_) @name) @definition.namespace (#set! opens))
(function_definition name: (_) @name) @definition.function
(method_declaration name: (_) @name) @definition.method
(program
  (expression_statement
    (assignment_expression
      left: (variable_name) @name
      right: [(anonymous_function) (arrow_function)] @definition.function)) @outer)
((expression_statement
   (function_call_expression
     function: (name) @_call
     arguments: (arguments . (argument [(string) (encapsed_string)] @name)))) @definition.constant
 (#eq? @_call "define"))
(const_declaration (const_element . (name) @name)) @definition.constant
(property_declaration (property_element name: (_) @name)) @definition.property
(namespace_use_declaration) @import
(php_tag) @import
(declare_statement) @import
(attribute_list) @leading

; Tests of Pest
((expression_statement
   (function_call_expression
     function: (name) @_call
     arguments: (arguments . (argument [(string) (encapsed_string)] @name)))) @definition.describe
 (#eq? @_call "describe"))
((expression_statement
   (function_call_expression
     function: (name) @_call
     arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (_)))) @definition.test
 (#any-of? @_call "it" "test"))
