(contract_declaration name: (_) @name) @definition.contract
(interface_declaration name: (_) @name) @definition.interface
(library_declaration name: (_) @name) @definition.library
(function_definition name: (_) @name) @definition.function
(fallback_receive_definition "receive" @name) @definition.function
(fallback_receive_definition "fallback" @name) @definition.function
(constructor_definition "constructor" @name) @definition.constructor
(modifier_definition name: (_) @name) @definition.modifier
(event_definition name: (_) @name) @definition.event
(error_declaration name: (_) @name) @definition.error
(struct_declaration name: (_) @name) @definition.struct
(enum_declaration name: (_) @name) @definition.enum
(state_variable_declaration name: (_) @name) @definition.field
(constant_variable_declaration name: (_) @name) @definition.constant
(user_defined_type_definition name: (_) @name) @definition.type
(import_directive) @import
(pragma_directive) @import

