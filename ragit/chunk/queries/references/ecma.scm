(call_expression function: (identifier) @reference.call)
(call_expression function: (member_expression property: (property_identifier) @reference.call))
(new_expression constructor: (identifier) @reference.call)
(new_expression constructor: (member_expression property: (property_identifier) @reference.call))
(decorator (identifier) @reference.call)
(decorator (call_expression function: (identifier) @reference.call))
(member_expression object: (identifier) @reference.attribute)
(import_statement) @import
(export_statement source: (_)) @import
(lexical_declaration (variable_declarator value:
  (call_expression function: (identifier) @_require arguments: (arguments . (string) .)))) @require
(variable_declaration (variable_declarator value:
  (call_expression function: (identifier) @_require arguments: (arguments . (string) .)))) @require
(comment) @comment
(string_fragment) @string
