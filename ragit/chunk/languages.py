"""The table of languages: one row each; those of settings, queries, markup and documents stand in formats.py.

Adding a language is one row here and one sample under tests/chunk/samples/. Nothing in this file loads a grammar: a
query process reads only names and fingerprints.

Fields of a row are words in a string, so that a row reads as what it says:

* `files`: suffixes (".py"), whole names ("Makefile") and name patterns ("Dockerfile.*"), compared without case.
* `nodes` and `containers`: "kind: node_type node_type; kind: ...". A node becomes a chunk of its own; a container is
  looked into: its head becomes a chunk, and so does every node within it. `chunking.nodeTypes` replaces `nodes`; a
  container that it names becomes one undivided chunk.
* `names`, `wraps`: "node_type=path|path; ...". A path leads from a node to another. Its steps are a field or else the
  type of a child; "-type" is the last child of that type, "type&" each of them, "2" the third named child, "*type" the
  first node of that type anywhere within, "[id]" the value of that attribute; "field+" goes on while it can. `names`
  leads to the name; `wraps` leads to the definition for which the node is only the wrapping (`export`, a decorator).
* `through`: node types that are looked into without being anything themselves (`extern "C"`, `#ifdef`, a class's body).
* `leading`: node types that belong to the definition after them, as comments always do (attributes, signatures).

The remaining fields are told in row.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from ragit.chunk.formats import FORMATS
from ragit.chunk.row import Language

_JS_WRAPS = (
    "expression_statement=assignment_expression/right; lexical_declaration=variable_declarator/value; "
    "variable_declaration=variable_declarator/value; pair=value; export_statement=declaration|value"
)
_JS_NAMES = (
    "lexical_declaration=variable_declarator&/name; variable_declaration=variable_declarator&/name; "
    "expression_statement=assignment_expression/left; pair=key; class_static_block=static"
)
_TS_WRAPS = (
    "expression_statement=assignment_expression/right|internal_module; lexical_declaration=variable_declarator/value; "
    "variable_declaration=variable_declarator/value; pair=value; public_field_definition=value; "
    "export_statement=declaration|value|internal_module|module; "
    "ambient_declaration=declaration|internal_module|module|class_declaration|function_signature|lexical_declaration|"
    "variable_declaration|interface_declaration|enum_declaration|type_alias_declaration|abstract_class_declaration"
)
_TS_NODES = (
    "function: function_declaration generator_function_declaration arrow_function function_expression "
    "generator_function function_signature; method: method_definition method_signature abstract_method_signature; "
    "type: type_alias_declaration; enum: enum_declaration; "
    "constant: lexical_declaration variable_declaration; field: public_field_definition property_signature"
)
_TS_CONTAINERS = (
    "class: class_declaration abstract_class_declaration class; interface: interface_declaration; "
    "namespace: internal_module module"
)
_C_NAMES = (
    "function_definition=declarator+; declaration=declarator+; type_definition=declarator+; "
    "preproc_def=name; preproc_function_def=name; field_declaration=declarator+; function_declarator=declarator+"
)
_C_THROUGH = (
    "preproc_ifdef preproc_if preproc_else preproc_elif preproc_elifdef linkage_specification declaration_list "
    "field_declaration_list enumerator_list"
)

# A grammar takes `class EXPORT Cart {` for a variable of the type EXPORT, and NAMESPACE_BEGIN for the next type's name.
_C_MASKS = (
    r"\b(?:class|struct|union|enum)[ \t]+((?:[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?\s+)+)"
    r"(?=[A-Za-z_]\w*\s*(?:[:{<]|final\b))"
    r"|^[ \t]*([A-Z_]*(?:BEGIN|END|NAMESPACE|Q_OBJECT|Q_GADGET)[A-Z_]*(?:\(\w*\))?)[ \t]*$"
)

_ROWS = (
    Language(
        "typescript",
        ".ts .mts .cts",
        "typescript",
        nodes=_TS_NODES,
        containers=_TS_CONTAINERS,
        through="class_body interface_body object_type statement_block",
        shebangs="ts-node tsx deno bun",
        names=_JS_NAMES,
        wraps=_TS_WRAPS,
        imports="import_statement import_alias",
        leading="decorator",
        qualifiers=".",
        minifies=True,
    ),
    Language(
        "tsx",
        ".tsx",
        "tsx",
        nodes=_TS_NODES,
        containers=_TS_CONTAINERS,
        through="class_body interface_body object_type statement_block",
        names=_JS_NAMES,
        wraps=_TS_WRAPS,
        imports="import_statement import_alias",
        leading="decorator",
        qualifiers=".",
        minifies=True,
    ),
    Language(
        "javascript",
        ".js .jsx .mjs .cjs .es6",
        "javascript",
        nodes="function: function_declaration generator_function_declaration arrow_function function_expression "
        "generator_function; method: method_definition; constant: lexical_declaration variable_declaration; "
        "field: field_definition",
        containers="class: class_declaration class",
        through="class_body statement_block",
        shebangs="node nodejs",
        names=_JS_NAMES + "; field_definition=property",
        wraps=_JS_WRAPS + "; field_definition=value",
        imports="import_statement",
        leading="decorator",
        qualifiers=".",
        minifies=True,
    ),
    Language(
        "python",
        ".py .pyi .pyw .bzl .bazel BUILD WORKSPACE SConstruct SConscript wscript",
        "python",
        nodes="function: function_definition decorated_definition; type: type_alias_statement; constant: assignment",
        containers="class: class_definition",
        names="assignment=left; type_alias_statement=left",
        wraps="decorated_definition=definition",
        through="block if_statement elif_clause else_clause try_statement except_clause finally_clause with_statement",
        imports="import_statement import_from_statement future_import_statement",
        docstring="body/string",
        shebangs="python python2 python3 pypy pypy3",
    ),
    Language(
        "java",
        ".java",
        "java",
        nodes="method: method_declaration annotation_type_element_declaration; "
        "constructor: constructor_declaration compact_constructor_declaration; "
        "field: field_declaration constant_declaration",
        containers="class: class_declaration; interface: interface_declaration; enum: enum_declaration; "
        "record: record_declaration; annotation: annotation_type_declaration; module: module_declaration",
        names="field_declaration=variable_declarator&/name; constant_declaration=variable_declarator&/name; "
        "compact_constructor_declaration=name",
        through="class_body interface_body enum_body enum_body_declarations annotation_type_body",
        imports="import_declaration package_declaration",
    ),
    Language(
        "go",
        ".go",
        "go",
        nodes="function: function_declaration; method: method_declaration; type: type_declaration; "
        "constant: const_declaration; variable: var_declaration",
        names="type_declaration=type_spec&/name|type_alias&/name; const_declaration=const_spec&/name; "
        "var_declaration=var_spec&/name|var_spec_list&/var_spec/name",
        imports="import_declaration package_clause",
        owner="method_declaration=receiver/parameter_declaration/type",
    ),
    Language(
        "c",
        ".c .pc .pgc .idc",
        "c",
        nodes="function: function_definition; struct: struct_specifier; union: union_specifier; "
        "enum: enum_specifier; type: type_definition; macro: preproc_def preproc_function_def; "
        "variable: declaration; declaration: function_declarator",
        names=_C_NAMES,
        wraps="declaration=type|declarator|declarator/declarator",
        through=_C_THROUGH,
        imports="preproc_include",
        masks=_C_MASKS,
    ),
    Language(
        "cpp",
        ".cpp .cc .cxx .c++ .hpp .hh .hxx .h++ .inl .ipp .tpp .cppm .ixx .cu .cuh .ino",
        "cpp",
        nodes="function: function_definition; enum: enum_specifier; type: type_definition alias_declaration "
        "concept_definition; macro: preproc_def preproc_function_def; variable: declaration; "
        "field: field_declaration; declaration: function_declarator",
        containers="class: class_specifier; struct: struct_specifier; union: union_specifier; "
        "namespace: namespace_definition",
        names=_C_NAMES,
        wraps="declaration=type|declarator|declarator/declarator; "
        "template_declaration=function_definition|class_specifier|struct_specifier|union_specifier|alias_declaration|"
        "concept_definition|declaration|friend_declaration|template_declaration; "
        "field_declaration=type|declarator|declarator/declarator; friend_declaration=function_definition; "
        "export_declaration=declaration",
        through=_C_THROUGH,
        imports="preproc_include using_declaration import_declaration module_declaration",
        qualifiers="::",
        masks=_C_MASKS,
    ),
    Language(
        "csharp",
        ".cs .csx",
        "csharp",
        nodes="method: method_declaration operator_declaration conversion_operator_declaration "
        "local_function_statement; constructor: constructor_declaration destructor_declaration; "
        "enum: enum_declaration; delegate: delegate_declaration; "
        "property: property_declaration indexer_declaration event_declaration; "
        "field: field_declaration event_field_declaration",
        containers="class: class_declaration; interface: interface_declaration; struct: struct_declaration; "
        "record: record_declaration; namespace: namespace_declaration file_scoped_namespace_declaration",
        names="field_declaration=variable_declaration/variable_declarator/name; "
        "event_field_declaration=variable_declaration/variable_declarator/name; operator_declaration=operator; "
        "conversion_operator_declaration=type; indexer_declaration=this",
        wraps="global_statement=local_function_statement",
        through="declaration_list preproc_if preproc_else preproc_elif preproc_region",
        imports="using_directive extern_alias_directive",
        opens="file_scoped_namespace_declaration",
        shebangs="dotnet-script csx",
    ),
    Language(
        "rust",
        ".rs",
        "rust",
        nodes="function: function_item function_signature_item; struct: struct_item; enum: enum_item; "
        "type: type_item associated_type; union: union_item; macro: macro_definition; "
        "constant: const_item static_item",
        containers="trait: trait_item; impl: impl_item; module: mod_item; extern: foreign_mod_item",
        names="impl_item=type/type|type",
        through="declaration_list",
        imports="use_declaration extern_crate_declaration",
        leading="attribute_item",
        shebangs="rust-script run-cargo-script",
    ),
    Language(
        "ruby",
        ".rb .rbw .rake .gemspec .ru .podspec .rbi .builder .jbuilder .thor Gemfile Rakefile Guardfile Capfile "
        "Vagrantfile Podfile Fastfile Brewfile Dangerfile Berksfile Thorfile",
        "ruby",
        nodes="method: method singleton_method; constant: assignment",
        containers="class: class; module: module",
        names="assignment=left",
        heads_at="call=method|arguments/0",
        heads="imports: require require_relative load autoload; describe*: describe context; "
        "test: it specify test; task: task",
        sigils=":",
        through="body_statement singleton_class do_block",
        shebangs="ruby jruby rake",
    ),
    Language(
        "kotlin",
        ".kt .kts",
        "kotlin",
        nodes="function: function_declaration; property: property_declaration; type: type_alias; "
        "constructor: secondary_constructor",
        containers="class: class_declaration; object: object_declaration companion_object",
        names="function_declaration=simple_identifier; property_declaration=variable_declaration/simple_identifier; "
        "type_alias=type_identifier; class_declaration=type_identifier; object_declaration=type_identifier; "
        "companion_object=type_identifier|companion; secondary_constructor=constructor",
        kinds="class_declaration=interface|enum",
        through="class_body enum_class_body function_body statements import_list",
        imports="import_header package_header",
        tails="getter setter",
    ),
    Language(
        "swift",
        ".swift",
        "swift",
        nodes="function: function_declaration protocol_function_declaration; type: typealias_declaration; "
        "property: property_declaration protocol_property_declaration subscript_declaration; "
        "constructor: init_declaration deinit_declaration; macro: macro_declaration; "
        "operator: operator_declaration precedence_group_declaration",
        containers="class: class_declaration; protocol: protocol_declaration",
        names="init_declaration=init; deinit_declaration=deinit; subscript_declaration=subscript; "
        "property_declaration=name/bound_identifier|name; protocol_property_declaration=name/bound_identifier|name; "
        "operator_declaration=custom_operator; precedence_group_declaration=simple_identifier; "
        "macro_declaration=simple_identifier",
        kinds="class_declaration=declaration_kind",
        through="class_body enum_class_body protocol_body function_body statements",
        imports="import_declaration",
    ),
    Language(
        "bash",
        ".sh .bash .zsh .ksh .ash .bats .ebuild .eclass .bashrc .bash_profile .bash_aliases .bash_logout .profile "
        ".zshrc .zshenv .zprofile .kshrc PKGBUILD APKBUILD",
        "bash",
        nodes="function: function_definition; variable: variable_assignment declaration_command",
        names="declaration_command=variable_assignment/name|variable_name",
        through="do_group",
        shebangs="sh bash dash zsh ksh ash bats",
    ),
    Language(
        "php",
        ".php .phtml .php3 .php4 .php5 .phps",
        "php",
        nodes="function: function_definition; method: method_declaration; constant: const_declaration; "
        "property: property_declaration",
        containers="class: class_declaration; interface: interface_declaration; trait: trait_declaration; "
        "enum: enum_declaration; namespace: namespace_definition",
        names="const_declaration=const_element/name; property_declaration=property_element/name",
        sigils="$",
        through="declaration_list enum_declaration_list compound_statement if_statement else_clause",
        opens="namespace_definition",
        imports="namespace_use_declaration php_tag declare_statement",
        leading="attribute_list",
        shebangs="php",
    ),
    Language(
        "powershell",
        ".ps1 .psm1 .psd1",
        "powershell",
        nodes="function: function_statement; method: class_method_definition; property: class_property_definition; "
        "enum: enum_statement",
        containers="class: class_statement",
        names="function_statement=function_name; class_method_definition=simple_name; "
        "class_property_definition=variable; enum_statement=simple_name; class_statement=simple_name",
        sigils="$",
        through="statement_list",
        shebangs="pwsh powershell",
    ),
    Language(
        "scala",
        ".scala .sc .sbt .mill",
        "scala",
        nodes="function: function_definition function_declaration; type: type_definition; enum: enum_definition; "
        "value: val_definition val_declaration var_definition var_declaration; given: given_definition",
        containers="class: class_definition; trait: trait_definition; object: object_definition package_object; "
        "extension: extension_definition",
        names="val_definition=pattern; val_declaration=name; var_definition=pattern; var_declaration=name; "
        "extension_definition=parameters",
        through="template_body with_template_body indented_block",
        imports="import_declaration package_clause export_declaration",
        shebangs="scala scala-cli",
    ),
    Language(
        "lua",
        ".lua .rockspec .luacheckrc",
        "lua",
        nodes="function: function_declaration function_definition; variable: variable_declaration assignment_statement",
        names="variable_declaration=assignment_statement/variable_list/name|variable_list/name; "
        "assignment_statement=variable_list/name; function_declaration=name; function_definition=name",
        wraps="variable_declaration=assignment_statement/expression_list/value; "
        "assignment_statement=expression_list/value",
        qualifiers=". :",
        shebangs="lua luajit",
    ),
    Language(
        "elixir",
        ".ex .exs .eex .heex mix.lock",
        "elixir",
        heads_at="call=target|arguments/call/target|arguments/binary_operator/left/call/target|"
        "arguments/binary_operator/left/identifier|arguments/binary_operator/operator|arguments/identifier|"
        "arguments/alias|arguments/string",
        heads="module*: defmodule; protocol*: defprotocol; implementation*: defimpl; "
        "function: def defp defdelegate defguard defguardp defn defnp; macro: defmacro defmacrop; test: test; "
        "describe*: describe; imports: use alias import require",
        through="do_block",
        leading="unary_operator",
        docs="@doc @typedoc",
        docstring="do_block/unary_operator/operand/arguments/string",
        clauses=True,
        shebangs="elixir",
    ),
    Language(
        "erlang",
        ".erl .hrl .escript rebar.config",
        "erlang",
        nodes="function: fun_decl; macro: pp_define; record: record_decl; type: type_alias opaque nominal; "
        "callback: callback; module: module_attribute",
        names="fun_decl=clause/name; pp_define=lhs/name; type_alias=name/name; opaque=name/name; nominal=name/name; "
        "callback=fun; record_decl=name; module_attribute=name",
        imports="export_attribute import_attribute export_type_attribute behaviour_attribute compile_options_attribute "
        "pp_include pp_include_lib",
        leading="spec",
        opens="module_attribute",
        clauses=True,
        shebangs="escript",
    ),
    Language(
        "haskell",
        ".hs .hsc .hs-boot",
        "haskell",
        nodes="function: function bind; type: data_type newtype type_synomym type_family data_family; "
        "pattern: pattern_synonym; foreign: foreign_import",
        containers="class: class; instance: instance; module: header",
        names="function=name|infix/operator|infix/infix_id/variable; bind=name|pattern/variable; header=module; "
        "foreign_import=signature/name; class=name; instance=name; data_type=name; newtype=name; type_synomym=name; "
        "type_family=name; data_family=name; pattern_synonym=*constructor",
        through="imports declarations class_declarations instance_declarations",
        imports="import",
        leading="signature",
        clauses=True,
        shebangs="runhaskell runghc stack",
    ),
    Language(
        "ocaml",
        ".ml .mll .mly",
        "ocaml",
        nodes="function: value_definition external value_specification; type: type_definition; "
        "exception: exception_definition; class: class_definition class_type_definition; method: method_definition",
        containers="module: module_binding module_type_definition",
        names="value_definition=let_binding/value_name; external=value_name; value_specification=value_name; "
        "type_definition=type_binding/name; exception_definition=constructor_declaration/constructor_name; "
        "class_definition=class_binding/class_name; class_type_definition=class_type_binding/class_type_name; "
        "method_definition=method_name; module_binding=module_name; "
        "module_type_definition=module_type_name",
        wraps="module_definition=module_binding",
        through="structure signature functor",
        imports="open_module",
        leading="floating_attribute",
        shebangs="ocaml",
    ),
    Language(
        "ocaml_interface",
        ".mli",
        "ocaml_interface",
        nodes="function: value_specification external; type: type_definition; exception: exception_definition; "
        "class: class_definition class_type_definition; method: method_specification",
        containers="module: module_binding module_type_definition",
        names="external=value_name; value_specification=value_name; type_definition=type_binding/name; "
        "exception_definition=constructor_declaration/constructor_name; class_definition=class_binding/class_name; "
        "class_type_definition=class_type_binding/class_type_name; method_specification=method_name; "
        "module_binding=module_name; module_type_definition=module_type_name",
        wraps="module_definition=module_binding",
        through="signature",
        imports="open_module",
    ),
    Language(
        "zig",
        ".zig .zon",
        "zig",
        nodes="function: FnProto; constant: Decl; test: TestDecl; field: ContainerField",
        containers="struct: ContainerDecl",
        names="Decl=VarDecl/variable_type_function; FnProto=function; "
        "TestDecl=STRINGLITERALSINGLE|IDENTIFIER; ContainerField=field_member|IDENTIFIER; ContainerDecl=IDENTIFIER",
        wraps="Decl=FnProto|VarDecl/-ErrorUnionExpr/SuffixExpr/ContainerDecl",
    ),
    Language(
        "dart",
        ".dart",
        "dart",
        nodes="function: function_signature; method: method_signature; type: type_alias; enum: enum_declaration; "
        "field: declaration; constructor: constructor_signature constant_constructor_signature "
        "factory_constructor_signature; constant: static_final_declaration_list initialized_identifier_list; "
        "getter: getter_signature; setter: setter_signature",
        containers="class: class_definition mixin_application_class; mixin: mixin_declaration; "
        "extension: extension_declaration extension_type_declaration",
        names="method_signature=*identifier; type_alias=type_identifier; mixin_declaration=identifier; "
        "declaration=initialized_identifier_list/*identifier|static_final_declaration_list/*identifier; "
        "constructor_signature=name; constant_constructor_signature=*identifier; "
        "factory_constructor_signature=*identifier; "
        "static_final_declaration_list=*identifier; initialized_identifier_list=*identifier; "
        "function_signature=name; getter_signature=name; setter_signature=name; enum_declaration=name; "
        "class_definition=name; mixin_application_class=*identifier; extension_declaration=name|class; "
        "extension_type_declaration=name",
        wraps="method_signature=function_signature|getter_signature|setter_signature|constructor_signature|"
        "factory_constructor_signature; declaration=constructor_signature|constant_constructor_signature|"
        "function_signature|getter_signature|setter_signature",
        through="class_body extension_body",
        imports="import_or_export library_name part_directive part_of_directive",
        leading="annotation const_builtin final_builtin type_identifier type_arguments nullable_type inferred_type "
        "void_type",
        tails="function_body",
        shebangs="dart",
    ),
    Language(
        "r",
        ".r .rprofile",
        "r",
        nodes="function: function_definition; constant: binary_operator",
        names="binary_operator=identifier|string; function_definition=lhs",
        wraps="binary_operator=rhs",
        heads_at="call=function|arguments/argument/value",
        heads="class: setclass setrefclass; method: setmethod setgeneric; imports: library require source",
        through="if_statement braced_expression",
        shebangs="rscript",
    ),
    Language(
        "julia",
        ".jl",
        "julia",
        nodes="function: function_definition call_expression; macro: macro_definition; struct: struct_definition; "
        "type: abstract_definition primitive_definition; constant: const_statement assignment",
        containers="module: module_definition",
        names="function_definition=signature/*call_expression/0|signature/0; macro_definition=signature/*identifier; "
        "struct_definition=type_head/*identifier; abstract_definition=type_head/*identifier; "
        "primitive_definition=type_head/*identifier; const_statement=assignment/*identifier; "
        "assignment=call_expression/0|where_expression/*call_expression/0|typed_expression/*call_expression/0|"
        "identifier; call_expression=name; module_definition=name",
        wraps="assignment=call_expression",
        through="block",
        imports="using_statement import_statement export_statement public_statement",
        leading="string_literal",
        docs='"',
        qualifiers=".",
        shebangs="julia",
    ),
    Language(
        "perl",
        ".pl .pm .t .plx .psgi .al cpanfile",
        "perl",
        nodes="function: subroutine_declaration_statement method_declaration_statement; "
        "variable: expression_statement; phaser: phaser_statement",
        containers="package: package_statement class_statement role_statement",
        names="expression_statement=assignment_expression/left/variable_declaration/variable|"
        "assignment_expression/left/variable; phaser_statement=phase; "
        "subroutine_declaration_statement=name; method_declaration_statement=name; package_statement=name; "
        "class_statement=name; role_statement=name",
        sigils="$@%",
        through="block",
        imports="use_statement use_version_statement",
        opens="package_statement class_statement",
        shebangs="perl",
    ),
    Language(
        "clojure",
        ".clj .cljs .cljc .edn .bb",
        "clojure",
        heads_at="list_lit=0|1/name|1",
        heads="function: defn defn- defmacro defmulti defmethod deftest definline; "
        "constant: def defonce defparameter; record: defrecord deftype; protocol: defprotocol definterface; "
        "namespace+: ns",
        docstring="str_lit",
        shebangs="bb clojure clj",
    ),
    Language(
        "solidity",
        ".sol",
        "solidity",
        nodes="function: function_definition fallback_receive_definition; constructor: constructor_definition; "
        "modifier: modifier_definition; event: event_definition; error: error_declaration; "
        "struct: struct_declaration; enum: enum_declaration; "
        "field: state_variable_declaration; constant: constant_variable_declaration; "
        "type: user_defined_type_definition",
        containers="contract: contract_declaration; interface: interface_declaration; library: library_declaration",
        names="constructor_definition=constructor; fallback_receive_definition=receive|fallback",
        through="contract_body",
        imports="import_directive pragma_directive",
    ),
    # Names that only the content can settle (see content.py).
    Language("h", ".h", reader="header", also="c cpp"),
    Language(
        "auto",
        also="python bash javascript typescript ruby perl php lua r julia elixir erlang haskell ocaml scala dart "
        "clojure powershell rust csharp make xml",
    ),
)

LANGUAGES: Mapping[str, Language] = {row.name: row for row in (*_ROWS, *FORMATS)}
