(fun_decl clause: (_ name: (_) @name)) @definition.function
(pp_define lhs: (_ name: (_) @name)) @definition.macro
(record_decl name: (_) @name) @definition.record
(type_alias name: (_ name: (_) @name)) @definition.type
(opaque name: (_ name: (_) @name)) @definition.type
(nominal name: (_ name: (_) @name)) @definition.type
(callback fun: (_) @name) @definition.callback
((module_attribute name: (_) @name) @definition.module (#set! opens))
(export_attribute) @import
(import_attribute) @import
(export_type_attribute) @import
(behaviour_attribute) @import
(compile_options_attribute) @import
(pp_include) @import
(pp_include_lib) @import
(spec) @leading
