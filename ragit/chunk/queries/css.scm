(rule_set (selectors) @name) @definition.rule
(at_rule (at_keyword) @name) @definition.rule
(media_statement) @definition.media
(supports_statement) @definition.media
(keyframes_statement (keyframes_name) @name) @definition.keyframes
(import_statement) @import
(charset_statement) @import
(namespace_statement) @import
