(style_element) @definition.style
((element
   [(start_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @name)))
    (self_closing_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @name)))])
 @definition.element
 (#eq? @_attribute "id"))
(element) @definition.element
((script_element (raw_text) @injection.content)
 (#set! injection.language "javascript"))
