; Definitions are calls: the name is an argument, a call, or a call with a guard.
((call
   target: (identifier) @_call
   (arguments . [
     (identifier) @name
     (call target: (identifier) @name)
     (binary_operator left: (call target: (identifier) @name))
     (binary_operator left: (identifier) @name operator: "when")
     (binary_operator operator: _ @name)
     (binary_operator left: (binary_operator operator: _ @name) operator: "when")
     (unary_operator operator: _ @name)
   ])) @definition.function
 (#any-of? @_call "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp")
 (#not-eq? @name "when"))
((call
   target: (identifier) @_call
   (arguments . [
     (identifier) @name
     (call target: (identifier) @name)
     (binary_operator left: (call target: (identifier) @name))
     (binary_operator left: (identifier) @name operator: "when")
     (binary_operator operator: _ @name)
     (binary_operator left: (binary_operator operator: _ @name) operator: "when")
     (unary_operator operator: _ @name)
   ])) @definition.macro
 (#any-of? @_call "defmacro" "defmacrop")
 (#not-eq? @name "when"))
((call target: (identifier) @_call (arguments . (alias) @name)) @definition.module
 (#eq? @_call "defmodule"))
((call target: (identifier) @_call (arguments . (alias) @name)) @definition.protocol
 (#eq? @_call "defprotocol"))
((call target: (identifier) @_call (arguments . (alias) @name)) @definition.implementation
 (#eq? @_call "defimpl"))
((call target: (identifier) @_call (arguments . (string) @name)) @definition.test
 (#any-of? @_call "test" "property"))
((call target: (identifier) @_call (arguments . (string) @name)) @definition.describe
 (#eq? @_call "describe"))
((call
   target: (identifier) @_call
   (do_block
     (unary_operator
       operand: (call target: (identifier) @_attribute (arguments (string) @doc))))) @definition.module
 (#eq? @_call "defmodule")
 (#eq? @_attribute "moduledoc"))

((unary_operator operator: "@" operand: (call target: (identifier) @_attribute)) @doc
 (#any-of? @_attribute "doc" "typedoc"))
(unary_operator operator: "@") @leading
((call target: (identifier) @_call) @import
 (#any-of? @_call "use" "alias" "import" "require"))
