//! Node kinds and fields of the two grammars (with and without JSX) as small integers: the lowering asks for a node's kind for
//! every node of every file, and comparing names there would cost more than the rest.

use std::sync::LazyLock;

use tree_sitter::Language;

macro_rules! kinds {
    (named { $($named:ident = $named_text:literal,)* } tokens { $($token:ident = $token_text:literal,)* }) => {
        /// The kind of a node.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum K {
            $($named,)*
            $($token,)*
            /// A named node without a rule of its own.
            OtherNamed,
            /// A token without a meaning of its own.
            OtherToken,
            /// What the parser skipped or could not place.
            Error,
        }

        impl K {
            fn of(name: &str, named: bool) -> Self {
                match (name, named) {
                    $(($named_text, true) => Self::$named,)*
                    $(($token_text, false) => Self::$token,)*
                    ("ERROR", _) => Self::Error,
                    (_, true) => Self::OtherNamed,
                    (_, false) => Self::OtherToken,
                }
            }
        }
    };
}

kinds! {
    named {
        AbstractClassDeclaration = "abstract_class_declaration",
        AbstractMethodSignature = "abstract_method_signature",
        AccessibilityModifier = "accessibility_modifier",
        AmbientDeclaration = "ambient_declaration",
        Arguments = "arguments",
        Array = "array",
        ArrayPattern = "array_pattern",
        ArrayType = "array_type",
        ArrowFunction = "arrow_function",
        AsExpression = "as_expression",
        AssignmentExpression = "assignment_expression",
        AssignmentPattern = "assignment_pattern",
        AugmentedAssignment = "augmented_assignment_expression",
        Await = "await_expression",
        Binary = "binary_expression",
        Break = "break_statement",
        Call = "call_expression",
        CallSignature = "call_signature",
        CatchClause = "catch_clause",
        Class = "class",
        ClassBody = "class_body",
        ClassDeclaration = "class_declaration",
        ClassHeritage = "class_heritage",
        ClassStaticBlock = "class_static_block",
        Comment = "comment",
        ComputedPropertyName = "computed_property_name",
        Continue = "continue_statement",
        Debugger = "debugger_statement",
        Decorator = "decorator",
        Do = "do_statement",
        ElseClause = "else_clause",
        Empty = "empty_statement",
        EnumAssignment = "enum_assignment",
        EnumDeclaration = "enum_declaration",
        EscapeSequence = "escape_sequence",
        ExportClause = "export_clause",
        ExportSpecifier = "export_specifier",
        ExportStatement = "export_statement",
        ExpressionStatement = "expression_statement",
        ExtendsClause = "extends_clause",
        ExtendsTypeClause = "extends_type_clause",
        False = "false",
        FinallyClause = "finally_clause",
        For = "for_statement",
        ForIn = "for_in_statement",
        FormalParameters = "formal_parameters",
        FunctionDeclaration = "function_declaration",
        FunctionExpression = "function_expression",
        FunctionSignature = "function_signature",
        FunctionType = "function_type",
        GeneratorFunction = "generator_function",
        GeneratorFunctionDeclaration = "generator_function_declaration",
        GenericType = "generic_type",
        HashBang = "hash_bang_line",
        HtmlComment = "html_comment",
        Identifier = "identifier",
        If = "if_statement",
        ImplementsClause = "implements_clause",
        Import = "import",
        ImportAlias = "import_alias",
        ImportClause = "import_clause",
        ImportRequireClause = "import_require_clause",
        ImportSpecifier = "import_specifier",
        ImportStatement = "import_statement",
        IndexSignature = "index_signature",
        Instantiation = "instantiation_expression",
        InterfaceDeclaration = "interface_declaration",
        InternalModule = "internal_module",
        IntersectionType = "intersection_type",
        JsxClosing = "jsx_closing_element",
        JsxText = "jsx_text",
        Labeled = "labeled_statement",
        LexicalDeclaration = "lexical_declaration",
        LiteralType = "literal_type",
        MappedTypeClause = "mapped_type_clause",
        Member = "member_expression",
        MetaProperty = "meta_property",
        MethodDefinition = "method_definition",
        MethodSignature = "method_signature",
        Module = "module",
        NamedImports = "named_imports",
        NamespaceExport = "namespace_export",
        NamespaceImport = "namespace_import",
        NestedIdentifier = "nested_identifier",
        NestedTypeIdentifier = "nested_type_identifier",
        New = "new_expression",
        NonNull = "non_null_expression",
        Null = "null",
        Number = "number",
        Object = "object",
        ObjectAssignmentPattern = "object_assignment_pattern",
        ObjectPattern = "object_pattern",
        ObjectType = "object_type",
        OptionalParameter = "optional_parameter",
        OptionalType = "optional_type",
        Pair = "pair",
        PairPattern = "pair_pattern",
        Parenthesized = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PredefinedType = "predefined_type",
        PrivateIdentifier = "private_property_identifier",
        Program = "program",
        PropertyIdentifier = "property_identifier",
        PropertySignature = "property_signature",
        PublicField = "public_field_definition",
        ReadonlyType = "readonly_type",
        Regex = "regex",
        RequiredParameter = "required_parameter",
        RestPattern = "rest_pattern",
        RestType = "rest_type",
        Return = "return_statement",
        Satisfies = "satisfies_expression",
        Sequence = "sequence_expression",
        Shorthand = "shorthand_property_identifier",
        ShorthandPattern = "shorthand_property_identifier_pattern",
        SpreadElement = "spread_element",
        StatementBlock = "statement_block",
        StatementIdentifier = "statement_identifier",
        String = "string",
        StringFragment = "string_fragment",
        Subscript = "subscript_expression",
        Super = "super",
        Switch = "switch_statement",
        SwitchBody = "switch_body",
        SwitchCase = "switch_case",
        SwitchDefault = "switch_default",
        TemplateString = "template_string",
        TemplateSubstitution = "template_substitution",
        Ternary = "ternary_expression",
        This = "this",
        ThisType = "this_type",
        Throw = "throw_statement",
        True = "true",
        Try = "try_statement",
        TupleType = "tuple_type",
        TypeAlias = "type_alias_declaration",
        TypeAnnotation = "type_annotation",
        TypeArguments = "type_arguments",
        TypeAssertion = "type_assertion",
        TypeIdentifier = "type_identifier",
        TypeParameter = "type_parameter",
        TypeParameters = "type_parameters",
        TypeQuery = "type_query",
        Unary = "unary_expression",
        Undefined = "undefined",
        UnionType = "union_type",
        Update = "update_expression",
        VariableDeclaration = "variable_declaration",
        VariableDeclarator = "variable_declarator",
        While = "while_statement",
        With = "with_statement",
        Yield = "yield_expression",
    }
    tokens {
        CommaToken = ",",
        ConstToken = "const",
        DefaultToken = "default",
        EqualsToken = "=",
        GetToken = "get",
        ReadonlyToken = "readonly",
        SetToken = "set",
        StarToken = "*",
        StaticToken = "static",
        TypeToken = "type",
        TypeofToken = "typeof",
        UsingToken = "using",
    }
}

macro_rules! fields {
    ($($field:ident = $text:literal),* $(,)?) => {
        /// Field ids; a field that a grammar lacks is 0, which no child carries.
        pub(super) struct Fields { $(pub(super) $field: u16,)* }

        impl Fields {
            fn of(language: &Language) -> Self {
                Self { $($field: language.field_id_for_name($text).map_or(0, std::num::NonZeroU16::get),)* }
            }
        }
    };
}

fields! {
    alias = "alias",
    alternative = "alternative",
    argument = "argument",
    arguments = "arguments",
    body = "body",
    condition = "condition",
    consequence = "consequence",
    constructor = "constructor",
    declaration = "declaration",
    finalizer = "finalizer",
    function = "function",
    handler = "handler",
    increment = "increment",
    index = "index",
    initializer = "initializer",
    key = "key",
    kind = "kind",
    left = "left",
    module = "module",
    name = "name",
    object = "object",
    operator = "operator",
    parameter = "parameter",
    parameters = "parameters",
    pattern = "pattern",
    property = "property",
    return_type = "return_type",
    right = "right",
    source = "source",
    ty = "type",
    type_arguments = "type_arguments",
    type_parameters = "type_parameters",
    value = "value",
}

/// One of the two grammars with its tables.
pub(super) struct Grammar {
    pub(super) language: Language,
    kinds: Vec<K>,
    pub(super) f: Fields,
}

impl Grammar {
    fn new(language: Language) -> Self {
        let kinds = (0..language.node_kind_count() as u16)
            .map(|id| K::of(language.node_kind_for_id(id).unwrap_or_default(), language.node_kind_is_named(id)))
            .collect();
        let f = Fields::of(&language);
        Self { language, kinds, f }
    }

    /// The kind of a node by its id.
    pub(super) fn kind(&self, id: u16) -> K {
        // The id of an ERROR node lies beyond the grammar's own.
        self.kinds.get(usize::from(id)).copied().unwrap_or(K::Error)
    }

    /// The grammar for a path: JSX and type assertions in angle brackets exclude each other, and only plain TypeScript has the latter.
    pub(super) fn for_path(path: &str) -> &'static Self {
        static PLAIN: LazyLock<Grammar> =
            LazyLock::new(|| Grammar::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()));
        static JSX: LazyLock<Grammar> = LazyLock::new(|| Grammar::new(tree_sitter_typescript::LANGUAGE_TSX.into()));
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        if ["ts", "mts", "cts"].iter().any(|plain| extension.eq_ignore_ascii_case(plain)) { &PLAIN } else { &JSX }
    }
}

impl K {
    /// Whether nodes of this kind are statements or declarations.
    pub(super) fn is_statement(self) -> bool {
        matches!(
            self,
            Self::AbstractClassDeclaration
                | Self::AmbientDeclaration
                | Self::Break
                | Self::ClassDeclaration
                | Self::Continue
                | Self::Debugger
                | Self::Do
                | Self::Empty
                | Self::EnumDeclaration
                | Self::ExportStatement
                | Self::ExpressionStatement
                | Self::For
                | Self::ForIn
                | Self::FunctionDeclaration
                | Self::FunctionSignature
                | Self::GeneratorFunctionDeclaration
                | Self::If
                | Self::ImportAlias
                | Self::ImportStatement
                | Self::InterfaceDeclaration
                | Self::InternalModule
                | Self::Labeled
                | Self::LexicalDeclaration
                | Self::Module
                | Self::Program
                | Self::Return
                | Self::StatementBlock
                | Self::Switch
                | Self::Throw
                | Self::Try
                | Self::TypeAlias
                | Self::VariableDeclaration
                | Self::While
                | Self::With
        )
    }

    /// Whether nodes of this kind have no value of their own when met where an expression is looked for.
    pub(super) fn is_silent(self) -> bool {
        matches!(
            self,
            Self::AccessibilityModifier
                | Self::Comment
                | Self::HashBang
                | Self::HtmlComment
                | Self::JsxClosing
                | Self::JsxText
                | Self::StatementIdentifier
                | Self::StringFragment
                | Self::EscapeSequence
                | Self::TypeAnnotation
                | Self::TypeArguments
                | Self::TypeParameters
                | Self::TypeIdentifier
                | Self::PropertyIdentifier
                | Self::PrivateIdentifier
        )
    }

    /// Whether the node is a token of punctuation or a keyword.
    pub(super) fn is_token(self) -> bool {
        matches!(
            self,
            Self::CommaToken
                | Self::ConstToken
                | Self::DefaultToken
                | Self::EqualsToken
                | Self::GetToken
                | Self::ReadonlyToken
                | Self::SetToken
                | Self::StarToken
                | Self::StaticToken
                | Self::TypeToken
                | Self::TypeofToken
                | Self::UsingToken
                | Self::OtherToken
        )
    }
}
