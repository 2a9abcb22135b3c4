; inherits: ecma
(class_heritage (identifier) @reference.base)
(class_heritage (member_expression property: (property_identifier) @reference.base))
(jsx_opening_element name: (identifier) @reference.call)
(jsx_self_closing_element name: (identifier) @reference.call)
