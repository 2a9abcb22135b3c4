; Types. In `typedef struct tag {...} name`, both names are defined.
(type_definition type: (struct_specifier name: (_) @name body: (_)) @definition.struct) @outer
(type_definition type: (union_specifier name: (_) @name body: (_)) @definition.union) @outer
(type_definition type: (enum_specifier name: (_) @name body: (_)) @definition.enum) @outer
(type_definition declarator: (_) @declarator) @definition.type
(declaration type: (struct_specifier name: (_) @name body: (_)) @definition.struct) @outer
(declaration type: (union_specifier name: (_) @name body: (_)) @definition.union) @outer
(declaration type: (enum_specifier name: (_) @name body: (_)) @definition.enum) @outer
((struct_specifier name: (_) @name body: (_)) @definition.struct (#set! whole))
((union_specifier name: (_) @name body: (_)) @definition.union (#set! whole))
(enum_specifier name: (_) @name body: (_)) @definition.enum

; Constants of an enum without a name
(translation_unit
  (enum_specifier !name body: (enumerator_list (enumerator name: (_) @name))) @definition.constant)

(function_definition declarator: (_) @declarator) @definition.function
(preproc_def name: (_) @name) @definition.macro
(preproc_function_def name: (_) @name) @definition.macro

; Prototypes and variables
(declaration declarator: (function_declarator) @declarator) @definition.declaration
(declaration declarator: (pointer_declarator (function_declarator)) @declarator) @definition.declaration
(declaration declarator: (_) @declarator) @definition.variable

(preproc_include) @import
