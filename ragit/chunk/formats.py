"""The rows of the table for settings, queries, markup and documents; languages.py tells how a row is written."""

from __future__ import annotations

from ragit.chunk.row import Language

FORMATS = (
    Language("text"),
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
        ".json .jsonc .json5 .geojson .webmanifest .avsc .map composer.lock .babelrc .eslintrc .prettierrc",
        "json",
        nodes="key: pair",
        names="pair=key/string_content|key",
        through="document object",
        data=True,
        minifies=True,
    ),
    Language(
        "html",
        ".html .htm .xhtml",
        "html",
        nodes="style: style_element; element: element",
        names="element=start_tag/[id]|self_closing_tag/[id]",
        inject="script_element=javascript",
        unnamed="*",
        also="javascript",
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
        names="element=STag/[name]|EmptyElemTag/[name]|STag/[id]|EmptyElemTag/[id]|STag/Name|EmptyElemTag/Name",
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
        through="document block_node block_mapping block_sequence",
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
        opens="from_instruction",
        unnamed="*",
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
    Language(
        "protobuf",
        ".proto",
        "proto",
        nodes="rpc: rpc; enum: enum; extend: extend",
        containers="message: message; service: service",
        names="message=message_name; service=service_name; enum=enum_name; rpc=rpc_name; "
        "extend=message_or_enum_type|full_ident",
        through="message_body",
        imports="syntax edition package import option",
    ),
    Language(
        "graphql",
        ".graphql .gql .graphqls",
        "graphql",
        nodes="type: object_type_definition object_type_extension; interface: interface_type_definition "
        "interface_type_extension; enum: enum_type_definition enum_type_extension; input: "
        "input_object_type_definition input_object_type_extension; union: union_type_definition union_type_extension; "
        "scalar: scalar_type_definition scalar_type_extension; directive: directive_definition; "
        "schema: schema_definition schema_extension; operation: operation_definition; fragment: fragment_definition",
        names="object_type_definition=name; object_type_extension=name|named_type; interface_type_definition=name; "
        "interface_type_extension=name|named_type; enum_type_definition=name; enum_type_extension=name|named_type; "
        "input_object_type_definition=name; input_object_type_extension=name|named_type; union_type_definition=name; "
        "union_type_extension=name|named_type; scalar_type_definition=name; scalar_type_extension=name|named_type; "
        "directive_definition=name; operation_definition=name|operation_type; fragment_definition=fragment_name; "
        "schema_definition=schema; schema_extension=schema",
        through="document definition type_system_definition type_definition type_system_extension type_extension "
        "executable_definition",
        docstring="description",
    ),
    Language(
        "hcl",
        ".hcl .tf .tfvars .nomad .workflow .terraform.lock.hcl",
        "hcl",
        nodes="block: block; attribute: attribute",
        names="block=-string_lit/template_literal|identifier; attribute=identifier",
        through="body",
        data=True,
    ),
    Language(
        "make",
        ".mk .mak .make Makefile GNUmakefile BSDmakefile Kbuild Makefile.*",
        "make",
        nodes="rule: rule; variable: variable_assignment shell_assignment define_directive RECIPEPREFIX_assignment",
        names="rule=targets",
        through="conditional else_directive elsif_directive",
        imports="include_directive",
        unnamed="rule",
        data=True,
        shebangs="make",
    ),
    Language(
        "cmake",
        ".cmake CMakeLists.txt .cmake.in",
        "cmake",
        nodes="function: function_def; macro: macro_def",
        names="function_def=function_command/argument_list/argument; macro_def=macro_command/argument_list/argument",
        heads_at="normal_command=identifier|argument_list/argument",
        heads="variable: set option; target: add_executable add_library add_custom_target add_test; "
        "imports: include find_package cmake_minimum_required cmake_policy",
        through="if_condition body foreach_loop while_loop",
        data=True,
    ),
    Language(
        "nix",
        ".nix flake.lock",
        "nix",
        nodes="binding: binding",
        names="binding=attrpath",
        through="function_expression let_expression attrset_expression rec_attrset_expression "
        "binding_set with_expression parenthesized_expression",
        data=True,
    ),
    Language(
        "scss",
        ".scss",
        "scss",
        nodes="rule: rule_set at_rule; media: media_statement supports_statement; keyframes: keyframes_statement; "
        "mixin: mixin_statement; function: function_statement; placeholder: placeholder; variable: declaration",
        names="rule_set=selectors; keyframes_statement=keyframes_name; at_rule=at_keyword; "
        "declaration=property_name|variable; mixin_statement=name; function_statement=name",
        sigils="$",
        unnamed="at_rule media_statement supports_statement",
        through="block",
        imports="import_statement use_statement forward_statement charset_statement",
        data=True,
    ),
    Language(
        "vue",
        ".vue",
        "vue",
        nodes="template: template_element; style: style_element",
        unnamed="template_element style_element",
        inject="script_element=typescript",
        also="typescript",
        data=True,
    ),
    Language(
        "svelte",
        ".svelte",
        "svelte",
        nodes="style: style_element; element: element; snippet: snippet_statement",
        names="element=start_tag/[id]|self_closing_tag/[id]; snippet_statement=snippet_start_expr/snippet_name",
        unnamed="style_element element",
        inject="script_element=typescript",
        also="typescript",
        data=True,
    ),
    Language("latex", ".tex .ltx .sty .cls", reader="latex", join=" > "),
    Language("restructuredtext", ".rst .rest", reader="rst", join=" > ", data=True),
    Language(
        "asciidoc", ".adoc .asciidoc .asc", reader="asciidoc", join=" > ", data=True, also="text"
    ),
    Language("csv", ".csv .tsv .tab", reader="delimited", data=True),
    Language("razor", ".razor .cshtml", reader="razor"),
    Language("sln", ".sln", reader="sln", data=True),
    Language("image", ".png .jpg .jpeg .gif .webp .bmp .tif .tiff .ico .heic .avif", reader="none"),
    Language("pdf", ".pdf", reader="document", join=" > "),
    Language("docx", ".docx .docm .dotx .dotm", reader="document", join=" > ", also="doc rtf"),
    Language("doc", ".doc", reader="document", join=" > ", also="docx html rtf"),
    Language("xlsx", ".xlsx .xlsm .xltx .xltm", reader="document", join=" > ", also="xls ods"),
    Language("xls", ".xls .xlt", reader="document", join=" > ", also="xlsx ods"),
    Language(
        "pptx", ".pptx .pptm .ppsx .ppsm .potx .potm", reader="document", join=" > ", also="odp"
    ),
    Language("odt", ".odt .ott", reader="document", join=" > ", also="docx"),
    Language("ods", ".ods .ots", reader="document", join=" > ", also="xlsx xls"),
    Language("odp", ".odp .otp", reader="document", join=" > ", also="pptx"),
    Language("epub", ".epub", reader="document", join=" > "),
    Language("rtf", ".rtf", reader="document", join=" > ", also="doc docx odt"),
    Language("notebook", ".ipynb", reader="document", join=" > "),
)
