(function_def (function_command (argument_list . (argument) @name))) @definition.function
(macro_def (macro_command (argument_list . (argument) @name))) @definition.macro
((normal_command (identifier) @_call (argument_list . (argument) @name)) @definition.variable
 (#match? @_call "^(?i:set|option)$"))
((normal_command (identifier) @_call (argument_list . (argument) @name)) @definition.target
 (#match? @_call "^(?i:add_executable|add_library|add_custom_target|add_test)$"))
((normal_command (identifier) @_call) @import
 (#match? @_call "^(?i:include|find_package|cmake_minimum_required|cmake_policy)$"))
