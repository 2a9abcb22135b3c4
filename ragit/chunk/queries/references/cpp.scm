; inherits: c
(call_expression function: (template_function name: (identifier) @reference.call))
(call_expression function: (qualified_identifier name: (identifier) @reference.call))
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @reference.call)))
(call_expression function: (qualified_identifier
  name: (qualified_identifier name: (identifier) @reference.call)))
(new_expression type: (type_identifier) @reference.call)
(base_class_clause (type_identifier) @reference.base)
(base_class_clause (template_type name: (type_identifier) @reference.base))
(base_class_clause (qualified_identifier name: (type_identifier) @reference.base))
(qualified_identifier scope: (namespace_identifier) @reference.attribute)
(using_declaration) @import
