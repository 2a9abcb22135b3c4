(call function: (identifier) @reference.call)
(call function: (attribute attribute: (identifier) @reference.call))
(decorator (identifier) @reference.call)
(decorator (attribute attribute: (identifier) @reference.call))
(class_definition superclasses: (argument_list [
  (identifier) @reference.base
  (attribute attribute: (identifier) @reference.base)
  (subscript value: (identifier) @reference.base)
  (subscript value: (attribute attribute: (identifier) @reference.base))]))
(type (identifier) @reference.type)
(type (attribute attribute: (identifier) @reference.type))
(type (subscript value: (identifier) @reference.type))
(type (subscript value: (attribute attribute: (identifier) @reference.type)))
(type (binary_operator (identifier) @reference.type))
(type (binary_operator (attribute attribute: (identifier) @reference.type)))
(type (generic_type (identifier) @reference.type))
(except_clause (identifier) @reference.type)
(except_clause (as_pattern (identifier) @reference.type))
(except_clause (tuple (identifier) @reference.type))
(except_clause (as_pattern (tuple (identifier) @reference.type)))
(attribute object: (identifier) @reference.attribute)
[(import_statement) (import_from_statement)] @import
(comment) @comment
(string_content) @string
