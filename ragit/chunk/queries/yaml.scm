(block_mapping_pair key: (_) @name) @definition.key
(block_sequence_item) @definition.item
