(template_element) @definition.template
(style_element) @definition.style
((script_element (raw_text) @injection.content)
 (#set! injection.language "typescript"))
