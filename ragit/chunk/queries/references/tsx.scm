; inherits: ecma
(extends_clause value: (identifier) @reference.base)
(extends_clause value: (member_expression property: (property_identifier) @reference.base))
(implements_clause [
  (type_identifier) @reference.base
  (generic_type . (type_identifier) @reference.base)])
(extends_type_clause [
  (type_identifier) @reference.base
  (generic_type . (type_identifier) @reference.base)])
(type_identifier) @reference.type
(nested_type_identifier module: (identifier) @reference.attribute)
(jsx_opening_element name: (identifier) @reference.call)
(jsx_self_closing_element name: (identifier) @reference.call)
