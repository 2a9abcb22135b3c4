(function_call_expression function: (name) @reference.call)
(member_call_expression name: (name) @reference.call)
(nullsafe_member_call_expression name: (name) @reference.call)
(scoped_call_expression name: (name) @reference.call)
(object_creation_expression (name) @reference.call)
(attribute (name) @reference.call)
(base_clause (name) @reference.base)
(class_interface_clause (name) @reference.base)
(use_declaration (name) @reference.base)
(named_type (name) @reference.type)
(scoped_call_expression scope: (name) @reference.attribute)
(class_constant_access_expression . (name) @reference.attribute)
(namespace_use_declaration) @import
(comment) @comment
[(string_content) (heredoc_body) (nowdoc_body)] @string
