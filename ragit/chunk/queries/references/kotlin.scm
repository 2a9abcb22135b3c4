(call_expression (simple_identifier) @reference.call)
(call_expression (navigation_expression (navigation_suffix (simple_identifier) @reference.call)))
(callable_reference (simple_identifier) @reference.call)
(delegation_specifier (user_type (type_identifier) @reference.base))
(delegation_specifier (constructor_invocation (user_type (type_identifier) @reference.base)))
(user_type (type_identifier) @reference.type)
(navigation_expression . (simple_identifier) @reference.attribute)
(import_header) @import
[(line_comment) (multiline_comment)] @comment
(string_content) @string
