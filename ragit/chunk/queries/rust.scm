(trait_item name: (_) @name) @definition.trait
(impl_item type: (generic_type type: (_) @name)) @definition.impl
(impl_item type: (_) @name) @definition.impl
(mod_item name: (_) @name) @definition.module
(foreign_mod_item) @definition.extern
(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (_) @name) @definition.struct
(enum_item name: (_) @name) @definition.enum
(type_item name: (_) @name) @definition.type
(associated_type name: (_) @name) @definition.type
(union_item name: (_) @name) @definition.union
(macro_definition name: (_) @name) @definition.macro
(const_item name: (_) @name) @definition.constant
(static_item name: (_) @name) @definition.constant
(use_declaration) @import
(extern_crate_declaration) @import
(attribute_item) @leading

; Statics of `lazy_static!` and `thread_local!`
((macro_invocation
   macro: (identifier) @_macro
   (token_tree (identifier) @_ref . (identifier) @name)) @definition.constant
 (#eq? @_macro "lazy_static")
 (#eq? @_ref "ref"))
((macro_invocation
   macro: (identifier) @_macro
   (token_tree "static" . (identifier) @name)) @definition.constant
 (#eq? @_macro "thread_local"))

; Tests and the like that a macro defines: `rgtest!(name, |dir| {...})`
(source_file
  (expression_statement
    (macro_invocation (token_tree . (identifier) @name . "," . "|")) @definition.function) @outer)
(mod_item
  body: (declaration_list
    (macro_invocation (token_tree . (identifier) @name . "," . "|")) @definition.function))
