(invocation_expression function: (identifier) @reference.call)
(invocation_expression function: (generic_name (identifier) @reference.call))
(invocation_expression function: (member_access_expression name: (identifier) @reference.call))
(invocation_expression function:
  (member_access_expression name: (generic_name (identifier) @reference.call)))
(object_creation_expression type: [
  (identifier) @reference.call
  (generic_name (identifier) @reference.call)
  (qualified_name name: (identifier) @reference.call)])
(attribute name: (identifier) @reference.call)
(base_list [
  (identifier) @reference.base
  (generic_name (identifier) @reference.base)
  (qualified_name name: (identifier) @reference.base)])
(_ type: [
  (identifier) @reference.type
  (generic_name (identifier) @reference.type)
  (nullable_type type: (identifier) @reference.type)
  (array_type type: (identifier) @reference.type)])
(method_declaration returns: (identifier) @reference.type)
(method_declaration returns: (generic_name (identifier) @reference.type))
(type_argument_list (identifier) @reference.type)
(member_access_expression expression: (identifier) @reference.attribute)
(using_directive) @import
(comment) @comment
[(string_literal_content) (verbatim_string_literal) (raw_string_literal)] @string
