(statement
  [(create_table (object_reference name: (_) @name))
   (create_view (object_reference name: (_) @name))
   (create_function (object_reference name: (_) @name))
   (create_materialized_view (object_reference name: (_) @name))
   (create_trigger (keyword_trigger) . (object_reference name: (_) @name))
   (create_type (object_reference name: (_) @name))
   (alter_table (object_reference name: (_) @name))
   (create_sequence (object_reference name: (_) @name))
   (insert (object_reference name: (_) @name))]) @definition.statement
(statement (create_index column: (_) @name)) @definition.statement
(statement (create_schema (identifier) @name)) @definition.statement
(statement) @definition.statement
