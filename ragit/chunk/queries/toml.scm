(table . [(dotted_key) (bare_key) (quoted_key)] @name) @definition.table
(table_array_element . [(dotted_key) (bare_key) (quoted_key)] @name) @definition.table
(pair . [(dotted_key) (bare_key) (quoted_key)] @name) @definition.key
