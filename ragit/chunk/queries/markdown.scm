(section . (atx_heading heading_content: (_) @name)) @definition.section
(section) @definition.section
; The grammar makes no sections of underlined headings: each holds what follows it.
((setext_heading heading_content: (_) @name) @definition.section
 (#set! opens))
