(rule_set (selectors) @name) @definition.rule
(at_rule (at_keyword) @name) @definition.rule
(media_statement) @definition.media
(supports_statement) @definition.media
(keyframes_statement (keyframes_name) @name) @definition.keyframes
(mixin_statement name: (_) @name) @definition.mixin
(function_statement name: (_) @name) @definition.function
(stylesheet (declaration [(property_name) (variable)] @name) @definition.variable)
(import_statement) @import
(use_statement) @import
(forward_statement) @import
(charset_statement) @import
