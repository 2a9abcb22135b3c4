(call_expression (simple_identifier) @reference.call)
(call_expression (navigation_expression
  suffix: (navigation_suffix suffix: (simple_identifier) @reference.call)))
(inheritance_specifier inherits_from: (user_type (type_identifier) @reference.base))
(user_type (type_identifier) @reference.type)
(navigation_expression target: (simple_identifier) @reference.attribute)
(import_declaration) @import
[(comment) (multiline_comment)] @comment
(line_str_text) @string
