(section (section_name (text) @name)) @definition.section

