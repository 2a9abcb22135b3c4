((list_lit . (sym_lit) @_call . (sym_lit name: (_) @name)) @definition.function
 (#any-of? @_call "defn" "defn-" "defmacro" "defmulti" "defmethod" "deftest" "definline"))
((list_lit . (sym_lit) @_call . (sym_lit name: (_) @name)) @definition.constant
 (#any-of? @_call "def" "defonce" "defparameter"))
((list_lit . (sym_lit) @_call . (sym_lit name: (_) @name)) @definition.record
 (#any-of? @_call "defrecord" "deftype"))
((list_lit . (sym_lit) @_call . (sym_lit name: (_) @name)) @definition.protocol
 (#any-of? @_call "defprotocol" "definterface")
 (#set! whole))
((list_lit
   .
   (sym_lit) @_call
   .
   (sym_lit)
   (list_lit . (sym_lit name: (_) @name)) @definition.method)
 (#any-of? @_call "defprotocol" "definterface"))
((list_lit . (sym_lit) @_call . (sym_lit name: (_) @name)) @definition.namespace
 (#eq? @_call "ns")
 (#set! opens))
((list_lit . (sym_lit) . (sym_lit name: (_)) . (str_lit) @doc) @definition.function)

; Tests of Speclj and clojure.test
((list_lit . (sym_lit) @_call . (str_lit) @name) @definition.describe
 (#any-of? @_call "describe" "context" "testing"))
((list_lit . (sym_lit) @_call . (str_lit) @name) @definition.test
 (#eq? @_call "it"))
