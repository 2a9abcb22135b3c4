(function_definition name: (_) @name) @definition.function
(program (variable_assignment name: (_) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (_) @name)) @definition.variable)
(program (declaration_command (variable_name) @name) @definition.variable)
