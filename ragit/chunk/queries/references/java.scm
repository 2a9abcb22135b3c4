(method_invocation name: (identifier) @reference.call)
(method_reference (identifier) @reference.call .)
(object_creation_expression type: [
  (type_identifier) @reference.call
  (generic_type (type_identifier) @reference.call)
  (scoped_type_identifier (type_identifier) @reference.call .)])
(superclass [
  (type_identifier) @reference.base
  (generic_type . (type_identifier) @reference.base)])
(super_interfaces (type_list [
  (type_identifier) @reference.base
  (generic_type . (type_identifier) @reference.base)]))
(extends_interfaces (type_list [
  (type_identifier) @reference.base
  (generic_type . (type_identifier) @reference.base)]))
(type_identifier) @reference.type
(marker_annotation name: (identifier) @reference.type)
(annotation name: (identifier) @reference.type)
(method_invocation object: (identifier) @reference.attribute)
(field_access object: (identifier) @reference.attribute)
(import_declaration) @import
[(line_comment) (block_comment)] @comment
(string_literal) @string
