(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (identifier) @reference.call))
(call_expression function: (generic_function function: (identifier) @reference.call))
(call_expression function: (generic_function
  function: (field_expression field: (identifier) @reference.call)))
(instance_expression (type_identifier) @reference.call)
(instance_expression (generic_type type: (type_identifier) @reference.call))
(extends_clause type: [
  (type_identifier) @reference.base
  (generic_type type: (type_identifier) @reference.base)])
(type_identifier) @reference.type
(field_expression value: (identifier) @reference.attribute)
(import_declaration) @import
[(comment) (block_comment)] @comment
[(string) (interpolated_string)] @string
