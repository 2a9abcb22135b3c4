(block (string_lit (template_literal) @name) . (block_start)) @definition.block
(block . (identifier) @name . (block_start)) @definition.block
(block . (identifier) @name . (identifier)) @definition.block
(attribute (identifier) @name) @definition.attribute
