((element (start_tag (tag_name) @_tag)) @name @definition.heading
 (#match? @_tag "^[hH][1-6]$"))
(style_element) @definition.style
((element
   [(start_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @name)))
    (self_closing_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @name)))])
 @definition.element
 (#eq? @_attribute "id"))
(element) @definition.element

; Scripts, by their type
((script_element (raw_text) @injection.content)
 (#set! injection.language "javascript"))
((script_element
   (start_tag
     (attribute
       (attribute_name) @_type
       (quoted_attribute_value (attribute_value) @_value)))
   (raw_text) @injection.content)
 (#eq? @_type "type")
 (#not-match? @_value "^(?i:module|(text|application)/(java|ecma|type|babel|jsx).*)$")
 (#set! injection.language "text"))
((script_element
   (start_tag
     (attribute
       (attribute_name) @_type
       (quoted_attribute_value (attribute_value) @_value)))
   (raw_text) @injection.content)
 (#eq? @_type "type")
 (#match? @_value "(?i:json|importmap|speculationrules)")
 (#set! injection.language "json"))
((script_element
   (start_tag
     (attribute
       (attribute_name) @_type
       (quoted_attribute_value (attribute_value) @_value)))
   (raw_text) @injection.content)
 (#eq? @_type "type")
 (#match? @_value "(?i:template|handlebars|html|mustache)")
 (#set! injection.language "html"))
