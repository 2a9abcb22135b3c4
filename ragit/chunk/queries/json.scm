(pair key: (string (string_content) @name)) @definition.key
(pair key: (_) @name) @definition.key
