(binary_operator
  lhs: [(identifier) (string)] @name
  rhs: (function_definition) @definition.function) @outer
(program
  (binary_operator
    lhs: [(identifier) (string)] @name
    operator: ["<-" "=" "<<-"]) @definition.constant)
((call
   function: (identifier) @_call
   arguments: (arguments . (argument value: (string) @name))) @definition.class
 (#any-of? @_call "setClass" "setRefClass"))
((call
   function: (identifier) @_call
   arguments: (arguments . (argument value: (string) @name))) @definition.method
 (#any-of? @_call "setMethod" "setGeneric"))
((call function: (identifier) @_call) @import
 (#any-of? @_call "library" "require" "source"))
