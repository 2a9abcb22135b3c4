(Decl (FnProto function: (_) @name) @definition.function) @outer
(Decl
  (VarDecl
    variable_type_function: (_) @name
    (ErrorUnionExpr (SuffixExpr (ContainerDecl) @definition.struct)) .)) @outer
(Decl (VarDecl variable_type_function: (_) @name)) @definition.constant
(TestDecl (STRINGLITERALSINGLE) @name) @definition.test
(TestDecl (IDENTIFIER) @name) @definition.test
(ContainerField field_member: (_) @name) @definition.field
