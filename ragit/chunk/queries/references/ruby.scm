(call method: [(identifier) (constant)] @reference.call)
(superclass (constant) @reference.base)
(superclass (scope_resolution name: (constant) @reference.base))
(call method: (identifier) @_include arguments: (argument_list (constant) @reference.type))
(call receiver: (constant) @reference.attribute)
(scope_resolution scope: (constant) @reference.attribute)
(scope_resolution name: (constant) @reference.type)
(call !receiver method: (identifier) @_require arguments: (argument_list . (string) .)) @require
(comment) @comment
[(string_content) (heredoc_content)] @string
