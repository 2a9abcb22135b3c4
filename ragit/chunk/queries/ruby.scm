(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(assignment left: (constant) @name) @definition.constant
(assignment left: (scope_resolution) @name) @definition.constant

((call method: (identifier) @_call) @import
 (#any-of? @_call "require" "require_relative" "load" "autoload"))

; Tests and tasks
((call method: (identifier) @_call arguments: (argument_list . (_) @name)) @definition.describe
 (#any-of? @_call "describe" "context" "feature" "shared_examples" "shared_context"))
((call method: (identifier) @_call arguments: (argument_list . (_) @name)) @definition.test
 (#any-of? @_call "it" "specify" "test" "scenario"))
((call method: (identifier) @_call arguments: (argument_list . (_) @name)) @definition.task
 (#eq? @_call "task"))
