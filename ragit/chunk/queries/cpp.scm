; Types. In `typedef struct tag {...} name`, both names are defined.
(type_definition type: (struct_specifier name: (_) @name body: (_)) @definition.struct) @outer
(type_definition type: (union_specifier name: (_) @name body: (_)) @definition.union) @outer
(type_definition type: (enum_specifier name: (_) @name body: (_)) @definition.enum) @outer
(type_definition declarator: (_) @declarator) @definition.type
(declaration type: (class_specifier name: (_) @name body: (_)) @definition.class) @outer
(declaration type: (struct_specifier name: (_) @name body: (_)) @definition.struct) @outer
(declaration type: (union_specifier name: (_) @name body: (_)) @definition.union) @outer
(declaration type: (enum_specifier name: (_) @name body: (_)) @definition.enum) @outer
(field_declaration type: (class_specifier name: (_) @name body: (_)) @definition.class) @outer
(field_declaration type: (struct_specifier name: (_) @name body: (_)) @definition.struct) @outer
(field_declaration type: (union_specifier name: (_) @name body: (_)) @definition.union) @outer
(field_declaration type: (enum_specifier name: (_) @name body: (_)) @definition.enum) @outer
(class_specifier name: (_) @name body: (_)) @definition.class
(struct_specifier name: (_) @name body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.union
(enum_specifier name: (_) @name body: (_)) @definition.enum
(alias_declaration name: (_) @name) @definition.type
(concept_definition name: (_) @name) @definition.type
(namespace_definition name: (_) @name) @definition.namespace

; Constants of an enum without a name
(translation_unit
  (enum_specifier !name body: (enumerator_list (enumerator name: (_) @name))) @definition.constant)

(function_definition declarator: (_) @declarator) @definition.function
(preproc_def name: (_) @name) @definition.macro
(preproc_function_def name: (_) @name) @definition.macro

; Prototypes, variables and members
(declaration declarator: (function_declarator) @declarator) @definition.declaration
(declaration declarator: (pointer_declarator (function_declarator)) @declarator) @definition.declaration
(declaration declarator: (reference_declarator (function_declarator)) @declarator) @definition.declaration
(declaration declarator: (_) @declarator) @definition.variable
(field_declaration declarator: (function_declarator) @declarator) @definition.declaration
(field_declaration declarator: (pointer_declarator (function_declarator)) @declarator) @definition.declaration
(field_declaration declarator: (reference_declarator (function_declarator)) @declarator) @definition.declaration
(field_declaration declarator: (_) @declarator) @definition.field

(template_declaration) @outer
(friend_declaration (function_definition)) @outer
(export_declaration) @outer
(preproc_include) @import
(using_declaration) @import
(import_declaration) @import
(module_declaration) @import
