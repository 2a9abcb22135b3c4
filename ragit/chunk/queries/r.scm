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

; Tests of testthat
((call
   function: (identifier) @_call
   arguments: (arguments . (argument value: (string) @name))) @definition.test
 (#any-of? @_call "test_that" "it"))
((call
   function: (identifier) @_call
   arguments: (arguments . (argument value: (string) @name))) @definition.describe
 (#any-of? @_call "describe" "context"))

; Methods of R6 and reference classes
((call
   function: (identifier) @_list
   arguments: (arguments
     (argument name: (_) @name value: (function_definition)) @definition.method))
 (#eq? @_list "list"))
