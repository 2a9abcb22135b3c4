(function_declaration name: (_) @name) @definition.function
(variable_declaration
  (assignment_statement
    (variable_list name: (_) @name)
    (expression_list value: (function_definition) @definition.function))) @outer
(assignment_statement
  (variable_list name: (_) @name)
  (expression_list value: (function_definition) @definition.function)) @outer
(field name: (_) @name value: (function_definition) @definition.function) @outer
(chunk
  (variable_declaration
    (assignment_statement (variable_list name: (_) @name))) @definition.variable)
(chunk (variable_declaration (variable_list name: (_) @name)) @definition.variable)
(chunk (assignment_statement (variable_list name: (_) @name)) @definition.variable)
((function_call
   name: (identifier) @_call
   arguments: (arguments . (string) @name)) @definition.describe
 (#any-of? @_call "describe" "context"))
((function_call
   name: (identifier) @_call
   arguments: (arguments . (string) @name)) @definition.test
 (#any-of? @_call "it" "test" "specify"))
