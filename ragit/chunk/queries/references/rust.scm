(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (field_identifier) @reference.call))
(call_expression function: (scoped_identifier name: (identifier) @reference.call))
(call_expression function: (generic_function function: (identifier) @reference.call))
(call_expression function: (generic_function
  function: (scoped_identifier name: (identifier) @reference.call)))
(call_expression function: (generic_function
  function: (field_expression field: (field_identifier) @reference.call)))
(macro_invocation macro: (identifier) @reference.call)
(macro_invocation macro: (scoped_identifier name: (identifier) @reference.call))
(struct_expression name: (type_identifier) @reference.call)
(impl_item trait: [
  (type_identifier) @reference.base
  (generic_type type: (type_identifier) @reference.base)
  (scoped_type_identifier name: (type_identifier) @reference.base)])
(trait_bounds (type_identifier) @reference.base)
(type_identifier) @reference.type
(scoped_identifier path: (identifier) @reference.attribute)
(scoped_type_identifier path: (identifier) @reference.attribute)
[(use_declaration) (extern_crate_declaration)] @import
[(line_comment) (block_comment)] @comment
[(string_literal) (raw_string_literal)] @string
