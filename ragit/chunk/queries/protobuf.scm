(message (message_name) @name) @definition.message
(service (service_name) @name) @definition.service
(rpc (rpc_name) @name) @definition.rpc
(enum (enum_name) @name) @definition.enum
(extend (full_ident) @name) @definition.extend
(syntax) @import
(edition) @import
(package) @import
(import) @import
(option) @import

