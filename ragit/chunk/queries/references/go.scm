(call_expression function: (identifier) @reference.call)
(call_expression function: (selector_expression field: (field_identifier) @reference.call))
(composite_literal type: (type_identifier) @reference.call)
(composite_literal type: (qualified_type name: (type_identifier) @reference.call))
(field_declaration !name type: (type_identifier) @reference.base)
(field_declaration !name type: (qualified_type name: (type_identifier) @reference.base))
(type_identifier) @reference.type
(selector_expression operand: (identifier) @reference.attribute)
(qualified_type package: (package_identifier) @reference.attribute)
(import_spec) @import
(comment) @comment
[(interpreted_string_literal) (raw_string_literal)] @string
