(rule (targets) @name) @definition.rule
(rule) @definition.rule
(RECIPEPREFIX_assignment ".RECIPEPREFIX" @name) @definition.variable
(variable_assignment name: (_) @name) @definition.variable
(shell_assignment name: (_) @name) @definition.variable
(define_directive name: (_) @name) @definition.variable
(include_directive) @import

