"""The table of languages: one row each, and what a file's name says about its language.

Adding a language is one row here and one sample under tests/chunk/samples/. Nothing in this file loads a grammar: a
query process reads only names and fingerprints.

Fields of a row are words in a string, so that a row reads as what it says:

* `files`: suffixes (".py"), whole names ("Makefile") and name patterns ("Dockerfile.*"), compared without case.
* `nodes` and `containers`: "kind: node_type node_type; kind: ...". A node becomes a chunk of its own; a container is
  looked into: its head becomes a chunk, and so does every node within it. `chunking.nodeTypes` replaces `nodes`; a
  container that it names becomes one undivided chunk.
* `names`, `wraps`: "node_type=path|path; ...". A path leads from a node to another by steps, each a field or else the
  type of a child ("declarator+" goes on while it can). `names` leads to the name; `wraps` leads to the definition for
  which the node is only the wrapping (`export`, a decorator, `const f =`).
* `through`: node types that are looked into without being anything themselves (`extern "C"`, `#ifdef`, a class's body).
* `leading`: node types that belong to the definition after them, as comments always do (attributes, signatures).
"""

from __future__ import annotations

from collections.abc import Mapping

from ragit.chunk.row import Language

_JS_WRAPS = (
    "export_statement=declaration|value|class|internal_module|module; "
    "expression_statement=assignment_expression/right|internal_module; "
    "lexical_declaration=variable_declarator/value; variable_declaration=variable_declarator/value; "
    "public_field_definition=value; field_definition=value; pair=value; ambient_declaration=declaration|module"
)
_JS_NAMES = (
    "lexical_declaration=variable_declarator/name; variable_declaration=variable_declarator/name; "
    "expression_statement=assignment_expression/left; pair=key; field_definition=property; "
    "public_field_definition=name; class_static_block=static"
)
_JS_NODES = (
    "function: function_declaration generator_function_declaration arrow_function function_expression "
    "generator_function; method: method_definition; constant: lexical_declaration variable_declaration; "
    "field: field_definition"
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
    "preproc_def=name; preproc_function_def=name; field_declaration=declarator+"
)
_C_THROUGH = (
    "preproc_ifdef preproc_if preproc_else preproc_elif preproc_elifdef linkage_specification declaration_list "
    "field_declaration_list enumerator_list"
)

_ROWS = (
    Language("text"),
    Language(
        "typescript",
        ".ts .mts .cts",
        "typescript",
        nodes=_TS_NODES,
        containers=_TS_CONTAINERS,
        through="class_body interface_body object_type statement_block",
        shebangs="ts-node tsx deno bun",
        names=_JS_NAMES,
        wraps=_JS_WRAPS,
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
        wraps=_JS_WRAPS,
        imports="import_statement import_alias",
        leading="decorator",
        qualifiers=".",
        minifies=True,
    ),
    Language(
        "javascript",
        ".js .jsx .mjs .cjs .es6",
        "javascript",
        nodes=_JS_NODES,
        containers="class: class_declaration class",
        through="class_body statement_block",
        shebangs="node nodejs",
        names=_JS_NAMES,
        wraps=_JS_WRAPS,
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
        through="block",
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
        names="field_declaration=declarator/name; constant_declaration=declarator/name; "
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
        names="type_declaration=type_spec/name|type_alias/name; const_declaration=const_spec/name; "
        "var_declaration=var_spec/name|var_spec_list/var_spec/name",
        imports="import_declaration package_clause",
        owner="method_declaration=receiver/parameter_declaration/type",
    ),
    Language(
        "c",
        ".c .pc .pgc .idc",
        "c",
        nodes="function: function_definition; struct: struct_specifier; union: union_specifier; "
        "enum: enum_specifier; type: type_definition; macro: preproc_def preproc_function_def; "
        "declaration: declaration",
        names=_C_NAMES,
        wraps="declaration=type",
        through=_C_THROUGH,
        imports="preproc_include",
    ),
    Language(
        "cpp",
        ".cpp .cc .cxx .c++ .hpp .hh .hxx .h++ .inl .ipp .tpp .cppm .ixx .cu .cuh .ino",
        "cpp",
        nodes="function: function_definition; enum: enum_specifier; type: type_definition alias_declaration "
        "concept_definition; macro: preproc_def preproc_function_def; declaration: declaration; "
        "field: field_declaration",
        containers="class: class_specifier; struct: struct_specifier; union: union_specifier; "
        "namespace: namespace_definition",
        names=_C_NAMES,
        wraps="declaration=type; template_declaration=function_definition|class_specifier|struct_specifier|"
        "union_specifier|alias_declaration|concept_definition|declaration|friend_declaration|template_declaration; "
        "field_declaration=type; friend_declaration=function_definition; export_declaration=declaration",
        through=_C_THROUGH,
        imports="preproc_include using_declaration import_declaration module_declaration",
        qualifiers="::",
    ),
    Language("h", ".h", reader="header", also="c cpp"),
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
        containers="class: class; module: module; singleton: singleton_class",
        names="assignment=left; singleton_class=value",
        through="body_statement",
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
        through="class_body enum_class_body function_body statements",
        imports="import_list package_header",
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
        through="declaration_list enum_declaration_list compound_statement",
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
        through="statement_list",
        shebangs="pwsh powershell",
    ),
    Language(
        "sql",
        ".sql .ddl .dml .psql .pgsql",
        "sql",
        nodes="statement: statement",
        names="statement=create_table/object_reference/name|create_view/object_reference/name|"
        "create_function/object_reference/name|create_index/column|create_materialized_view/object_reference/name|"
        "create_trigger/object_reference/name|create_type/object_reference/name|alter_table/object_reference/name|"
        "create_schema/identifier|create_sequence/object_reference/name|insert/object_reference/name",
        unnamed="statement",
        data=True,
    ),
    Language(
        "json",
        ".json .jsonc .json5 .geojson .webmanifest .avsc .map .ipynb composer.lock .babelrc .eslintrc .prettierrc",
        "json",
        nodes="key: pair",
        names="pair=key/string_content|key",
        through="document object array",
        data=True,
        minifies=True,
    ),
    Language(
        "html",
        ".html .htm .xhtml",
        "html",
        nodes="script: script_element; style: style_element; element: element",
        names="element=start_tag/tag_name|self_closing_tag/tag_name",
        unnamed="script_element style_element element",
        data=True,
        minifies=True,
    ),
    Language(
        "css",
        ".css",
        "css",
        nodes="rule: rule_set at_rule; media: media_statement supports_statement; keyframes: keyframes_statement",
        names="rule_set=selectors; keyframes_statement=keyframes_name; at_rule=at_keyword",
        unnamed="at_rule media_statement supports_statement",
        through="block",
        imports="import_statement charset_statement namespace_statement",
        data=True,
        minifies=True,
    ),
    Language(
        "xml",
        ".xml .csproj .vbproj .fsproj .vcxproj .props .targets .nuspec .resx .svg .xsd .xsl .xslt .wsdl .pom .plist "
        ".xaml .axaml .rss .atom .xlf .ui .storyboard .xib .config .iml",
        "xml",
        nodes="element: element",
        names="element=STag/Name|EmptyElemTag/Name",
        through="document content",
        data=True,
        minifies=True,
    ),
    Language(
        "yaml",
        ".yaml .yml .clang-format .clang-tidy CITATION.cff",
        "yaml",
        nodes="key: block_mapping_pair; item: block_sequence_item",
        names="block_mapping_pair=key",
        unnamed="block_sequence_item",
        through="stream document block_node block_mapping block_sequence",
        data=True,
    ),
    Language(
        "toml",
        ".toml Cargo.lock poetry.lock Pipfile uv.lock",
        "toml",
        nodes="table: table table_array_element; key: pair",
        names="table=dotted_key|bare_key|quoted_key; table_array_element=dotted_key|bare_key|quoted_key; "
        "pair=dotted_key|bare_key|quoted_key",
        through="document",
        data=True,
    ),
    Language(
        "ini",
        ".ini .cfg .conf .editorconfig .gitconfig .gitmodules .npmrc .pylintrc .flake8 .desktop .service",
        "ini",
        nodes="section: section",
        names="section=section_name/text",
        through="document",
        data=True,
    ),
    Language(
        "dockerfile",
        "Dockerfile Containerfile Dockerfile.* Containerfile.* .dockerfile .containerfile",
        "dockerfile",
        nodes="stage: from_instruction; instruction: run_instruction cmd_instruction entrypoint_instruction "
        "env_instruction arg_instruction workdir_instruction copy_instruction add_instruction expose_instruction "
        "volume_instruction user_instruction label_instruction healthcheck_instruction shell_instruction "
        "stopsignal_instruction onbuild_instruction maintainer_instruction cross_build_instruction",
        names="from_instruction=as|image_spec; env_instruction=env_pair/name; arg_instruction=name",
        unnamed="from_instruction run_instruction cmd_instruction entrypoint_instruction env_instruction "
        "arg_instruction workdir_instruction copy_instruction add_instruction expose_instruction volume_instruction "
        "user_instruction label_instruction healthcheck_instruction shell_instruction stopsignal_instruction "
        "onbuild_instruction maintainer_instruction cross_build_instruction",
        data=True,
    ),
    Language(
        "markdown",
        ".md .mdx .markdown .mdown .mkd .qmd .rmd",
        "markdown",
        nodes="",
        containers="section: section",
        names="section=atx_heading/heading_content|setext_heading/heading_content",
        unnamed="section",
        data=True,
        join=" > ",
    ),
    Language("latex", ".tex .ltx .sty .cls", reader="latex", join=" > "),
    Language("razor", ".razor .cshtml", reader="razor"),
    Language("sln", ".sln", reader="sln", data=True),
    Language("auto", also="python bash javascript ruby php powershell typescript xml"),
    Language("image", ".png .jpg .jpeg .gif .webp .bmp .tif .tiff .ico .heic .avif", reader="none"),
    Language("pdf", ".pdf", reader="none"),
    Language("docx", ".docx .docm", reader="none"),
    Language("doc", ".doc", reader="none"),
    Language("xlsx", ".xlsx .xlsm", reader="none"),
    Language("xls", ".xls", reader="none"),
    Language("pptx", ".pptx", reader="none"),
    Language("odt", ".odt", reader="none"),
    Language("ods", ".ods", reader="none"),
    Language("epub", ".epub", reader="none"),
)

LANGUAGES: Mapping[str, Language] = {row.name: row for row in _ROWS}
