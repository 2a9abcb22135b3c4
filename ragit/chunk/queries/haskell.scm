(class name: (_) @name) @definition.class
(instance name: (_) @name) @definition.instance
(header module: (_) @name) @definition.module
(function name: (_) @name) @definition.function
(function (infix operator: (operator) @name)) @definition.function
(function (infix operator: (infix_id (variable) @name))) @definition.function
(bind name: (_) @name) @definition.function
(data_type name: (_) @name) @definition.type
(newtype name: (_) @name) @definition.type
(type_synomym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(foreign_import signature: (_ name: (_) @name)) @definition.foreign
(import) @import
(signature) @leading
(pattern_synonym (equation synonym: (apply function: (constructor) @name))) @definition.pattern
(pattern_synonym
  (equation synonym: (apply function: (apply function: (constructor) @name)))) @definition.pattern
(pattern_synonym (equation synonym: (constructor) @name)) @definition.pattern
(class_declarations (signature name: (_) @name) @definition.method)
