((element [(STag (Attribute (Name) @_attribute (AttValue) @name)) (EmptyElemTag (Attribute (Name) @_attribute (AttValue) @name))])
 @definition.element
 (#eq? @_attribute "name"))
((element [(STag (Attribute (Name) @_attribute (AttValue) @name)) (EmptyElemTag (Attribute (Name) @_attribute (AttValue) @name))])
 @definition.element
 (#eq? @_attribute "id"))
(element [(STag (Name) @name) (EmptyElemTag (Name) @name)]) @definition.element
