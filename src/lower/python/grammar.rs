//! The grammar's node kinds and fields as small numbers.

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

            /// Whether the node is a token of punctuation or a keyword.
            pub(super) fn is_token(self) -> bool {
                matches!(self, $(Self::$token |)* Self::OtherToken)
            }
        }
    };
}

kinds! {
    named {
        AliasedImport = "aliased_import",
        ArgumentList = "argument_list",
        AsPattern = "as_pattern",
        AsPatternTarget = "as_pattern_target",
        Assert = "assert_statement",
        Assignment = "assignment",
        Attribute = "attribute",
        AugmentedAssignment = "augmented_assignment",
        Await = "await",
        Binary = "binary_operator",
        Block = "block",
        Boolean = "boolean_operator",
        Break = "break_statement",
        Call = "call",
        CaseClause = "case_clause",
        CasePattern = "case_pattern",
        ClassDefinition = "class_definition",
        ClassPattern = "class_pattern",
        Comment = "comment",
        Comparison = "comparison_operator",
        ConcatenatedString = "concatenated_string",
        Conditional = "conditional_expression",
        Continue = "continue_statement",
        Decorated = "decorated_definition",
        Decorator = "decorator",
        DefaultParameter = "default_parameter",
        Delete = "delete_statement",
        Dictionary = "dictionary",
        DictionaryComprehension = "dictionary_comprehension",
        DictionarySplat = "dictionary_splat",
        DictionarySplatPattern = "dictionary_splat_pattern",
        DictPattern = "dict_pattern",
        DottedName = "dotted_name",
        ElifClause = "elif_clause",
        Ellipsis = "ellipsis",
        ElseClause = "else_clause",
        ExceptClause = "except_clause",
        ExpressionList = "expression_list",
        ExpressionStatement = "expression_statement",
        False = "false",
        FinallyClause = "finally_clause",
        Float = "float",
        For = "for_statement",
        ForInClause = "for_in_clause",
        FormatExpression = "format_expression",
        FunctionDefinition = "function_definition",
        FutureImport = "future_import_statement",
        GeneratorExpression = "generator_expression",
        GenericType = "generic_type",
        Global = "global_statement",
        Identifier = "identifier",
        If = "if_statement",
        IfClause = "if_clause",
        Import = "import_statement",
        ImportFrom = "import_from_statement",
        Integer = "integer",
        Interpolation = "interpolation",
        KeywordArgument = "keyword_argument",
        KeywordPattern = "keyword_pattern",
        KeywordSeparator = "keyword_separator",
        Lambda = "lambda",
        LambdaParameters = "lambda_parameters",
        List = "list",
        ListComprehension = "list_comprehension",
        ListPattern = "list_pattern",
        ListSplat = "list_splat",
        ListSplatPattern = "list_splat_pattern",
        Match = "match_statement",
        MemberType = "member_type",
        Module = "module",
        NamedExpression = "named_expression",
        None = "none",
        Nonlocal = "nonlocal_statement",
        Not = "not_operator",
        Pair = "pair",
        Parameters = "parameters",
        Parenthesized = "parenthesized_expression",
        Pass = "pass_statement",
        PatternList = "pattern_list",
        PositionalSeparator = "positional_separator",
        Raise = "raise_statement",
        RelativeImport = "relative_import",
        Return = "return_statement",
        Set = "set",
        SetComprehension = "set_comprehension",
        Slice = "slice",
        SplatPattern = "splat_pattern",
        String = "string",
        StringEnd = "string_end",
        StringStart = "string_start",
        Subscript = "subscript",
        True = "true",
        Try = "try_statement",
        Tuple = "tuple",
        TuplePattern = "tuple_pattern",
        Type = "type",
        TypeAlias = "type_alias_statement",
        TypedDefaultParameter = "typed_default_parameter",
        TypedParameter = "typed_parameter",
        TypeParameter = "type_parameter",
        Unary = "unary_operator",
        UnionPattern = "union_pattern",
        UnionType = "union_type",
        While = "while_statement",
        WildcardImport = "wildcard_import",
        With = "with_statement",
        WithClause = "with_clause",
        WithItem = "with_item",
        Yield = "yield",
    }
    tokens {
        CommaToken = ",",
        FromToken = "from",
    }
}

macro_rules! fields {
    ($($field:ident = $text:literal),* $(,)?) => {
        /// What a child is to its parent, as far as the lowering asks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum F {
            /// Nothing that is asked for.
            None,
            $($field,)*
        }

        impl F {
            fn of(name: &str) -> Self {
                match name {
                    $($text => Self::$field,)*
                    _ => Self::None,
                }
            }
        }
    };
}

fields! {
    Alias = "alias",
    Alternative = "alternative",
    Argument = "argument",
    Arguments = "arguments",
    Attribute = "attribute",
    Body = "body",
    Condition = "condition",
    Consequence = "consequence",
    Definition = "definition",
    Expression = "expression",
    Function = "function",
    Guard = "guard",
    Key = "key",
    Left = "left",
    ModuleName = "module_name",
    Name = "name",
    Object = "object",
    Operator = "operator",
    Operators = "operators",
    Parameters = "parameters",
    ReturnType = "return_type",
    Right = "right",
    Subject = "subject",
    Subscript = "subscript",
    Superclasses = "superclasses",
    Ty = "type",
    Value = "value",
}

/// The grammar with its tables.
pub(super) struct Grammar {
    pub(super) language: Language,
    kinds: Vec<K>,
    fields: Vec<F>,
}

impl Grammar {
    /// The kind of a node by its id.
    pub(super) fn kind(&self, id: u16) -> K {
        // The id of an ERROR node lies beyond the grammar's own.
        self.kinds.get(usize::from(id)).copied().unwrap_or(K::Error)
    }

    /// The field of a child by its id.
    pub(super) fn field(&self, id: Option<std::num::NonZeroU16>) -> F {
        id.and_then(|id| self.fields.get(usize::from(id.get()))).copied().unwrap_or(F::None)
    }

    pub(super) fn get() -> &'static Self {
        static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
            let language: Language = tree_sitter_python::LANGUAGE.into();
            let kinds = (0..language.node_kind_count() as u16)
                .map(|id| K::of(language.node_kind_for_id(id).unwrap_or_default(), language.node_kind_is_named(id)))
                .collect();
            let fields = (0..=language.field_count() as u16)
                .map(|id| F::of(language.field_name_for_id(id).unwrap_or_default()))
                .collect();
            Grammar { language, kinds, fields }
        });
        &GRAMMAR
    }
}

impl K {
    /// Whether nodes of this kind are statements or declarations.
    pub(super) fn is_statement(self) -> bool {
        matches!(
            self,
            Self::Assert
                | Self::Block
                | Self::Break
                | Self::ClassDefinition
                | Self::Continue
                | Self::Decorated
                | Self::Delete
                | Self::ExpressionStatement
                | Self::For
                | Self::FunctionDefinition
                | Self::FutureImport
                | Self::Global
                | Self::If
                | Self::Import
                | Self::ImportFrom
                | Self::Match
                | Self::Module
                | Self::Nonlocal
                | Self::Pass
                | Self::Raise
                | Self::Return
                | Self::Try
                | Self::TypeAlias
                | Self::While
                | Self::With
        )
    }
}
