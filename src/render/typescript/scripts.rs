//! The files that an edit leads through, parsed once each, and names followed from where they are used to what they stand for.

use std::cell::OnceCell;

use tree_sitter::Node;

use super::script::{Script, bare, children};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::render::{Files, Refused};
use crate::workspace::paths;

/// How many names may lead to one another.
const HOPS: usize = 8;

/// What may stand for a file name.
const EXTENSIONS: [&str; 8] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// Files, parsed where somebody asks for them.
pub struct Scripts<'f> {
    files: &'f dyn Files,
    first: OnceCell<Box<Link>>,
}

struct Link {
    script: Script,
    next: OnceCell<Box<Link>>,
}

/// A place of the syntax.
#[derive(Clone, Copy)]
pub struct Code<'s> {
    /// Its file.
    pub script: &'s Script,
    /// The node.
    pub node: Node<'s>,
}

impl<'f> Scripts<'f> {
    /// None of the files is read yet.
    pub fn new(files: &'f dyn Files) -> Self {
        Self { files, first: OnceCell::new() }
    }

    /// The files as they are read.
    pub fn files(&self) -> &'f dyn Files {
        self.files
    }

    /// A file.
    pub fn open(&self, path: &str) -> Result<&Script, Refused> {
        let mut slot = &self.first;
        while let Some(link) = slot.get() {
            if link.script.path == path {
                return Ok(&link.script);
            }
            slot = &link.next;
        }
        let script = Script::open(self.files, path)?;
        Ok(&slot.get_or_init(|| Box::new(Link { script, next: OnceCell::new() })).script)
    }

    /// A file that is to be made, and begins as another one.
    pub fn draft(&self, like: &Script, path: &str) -> &Script {
        let mut slot = &self.first;
        while let Some(link) = slot.get() {
            if link.script.path == path {
                return &link.script;
            }
            slot = &link.next;
        }
        &slot.get_or_init(|| Box::new(Link { script: like.draft(path), next: OnceCell::new() })).script
    }

    /// The node at a site.
    pub fn at(&self, site: &Site) -> Result<Code<'_>, Refused> {
        let script = self.open(&site.path)?;
        let node = script.node(site.span).ok_or_else(|| Refused {
            at: site.clone(),
            why: "the code is not what the scan saw".to_owned(),
            todo: "run again".to_owned(),
            also: Vec::new(),
        })?;
        Ok(Code { script, node })
    }

    /// The file of a place.
    pub fn of(&self, site: &Site) -> Result<&Script, Refused> {
        self.open(&site.path)
    }

    /// A file by its path, if it can be read.
    pub fn by_path(&self, path: &str) -> Option<&Script> {
        self.open(path).ok()
    }

    /// The expression at a place.
    pub fn expression(&self, site: &Site) -> Result<(&Script, Node<'_>), Refused> {
        let Code { script, node } = self.at(site)?;
        let inner = (node.kind() == "expression_statement").then(|| children(node).first().copied()).flatten();
        Ok((script, inner.unwrap_or(node)))
    }

    /// The files that somebody has asked for.
    pub fn all(&self) -> impl Iterator<Item = &Script> {
        std::iter::successors(self.first.get(), |link| link.next.get()).map(|link| &link.script)
    }

    /// What an expression stands for, followed through constants, imports, properties of literals and `bind`.
    pub fn value<'s>(&'s self, code: Code<'s>) -> Option<Code<'s>> {
        self.follow(code, HOPS)
    }

    fn follow<'s>(&'s self, code: Code<'s>, hops: usize) -> Option<Code<'s>> {
        let hops = hops.checked_sub(1)?;
        let Code { script, node } = code.bare();
        match node.kind() {
            "identifier" | "shorthand_property_identifier" => {
                self.declared(Code { script, node }, script.of(node), hops)
            }
            "member_expression" => {
                let object = node.child_by_field_name("object")?;
                let name = script.of(node.child_by_field_name("property")?);
                if object.kind() == "this" {
                    return member(code, name).and_then(|found| self.follow(found, hops));
                }
                let object = self.follow(Code { script, node: object }, hops)?;
                if object.node.kind() == "new_expression" {
                    let class = object.to(object.node.child_by_field_name("constructor")?);
                    let class = self.follow(class, hops).filter(|class| class.node.kind() == "class_declaration")?;
                    let found = member_of(class.to(class.node.child_by_field_name("body")?), name)?;
                    return self.follow(found, hops);
                }
                let value = property(object, name)?;
                self.follow(value, hops)
            }
            "call_expression" => {
                let function = node.child_by_field_name("function")?;
                let bound = function.kind() == "member_expression"
                    && function.child_by_field_name("property").is_some_and(|name| script.of(name) == "bind");
                if !bound {
                    return Some(Code { script, node });
                }
                self.follow(Code { script, node: function.child_by_field_name("object")? }, hops)
            }
            _ => Some(Code { script, node }),
        }
    }

    /// What a name stands for where it is used: a function, a class, or a constant's value. Nothing where it may change.
    fn declared<'s>(&'s self, from: Code<'s>, name: &str, hops: usize) -> Option<Code<'s>> {
        let script = from.script;
        let found = declaration(from, name)?;
        let node = found.node;
        match node.kind() {
            "variable_declarator" => {
                let constant = node.parent().is_some_and(|list| script.of(list).starts_with("const"));
                if node.child_by_field_name("name")?.kind() != "identifier" || !constant {
                    return None;
                }
                self.follow(Code { script, node: node.child_by_field_name("value")? }, hops)
            }
            "import_specifier" => {
                let exported = script.of(node.child_by_field_name("name")?);
                let file = self.imported(script, node)?;
                self.exported(file, exported, hops)
            }
            "function_declaration" | "generator_function_declaration" | "class_declaration" => Some(found),
            "identifier" if node.parent().is_some_and(|clause| clause.kind() == "import_clause") => {
                self.exported_by_default(self.imported(script, node)?, hops)
            }
            _ => None,
        }
    }

    /// What a file exports by default.
    fn exported_by_default<'s>(&'s self, script: &'s Script, hops: usize) -> Option<Code<'s>> {
        let statements = children(script.tree.root_node()).into_iter();
        let value = statements
            .filter(|node| node.kind() == "export_statement")
            .find_map(|node| node.child_by_field_name("value"))?;
        self.follow(Code { script, node: value }, hops)
    }

    /// The file that an import takes a name from.
    pub fn imported<'s>(&'s self, script: &Script, specifier: Node<'_>) -> Option<&'s Script> {
        let statement = std::iter::successors(Some(specifier), Node::parent)
            .find(|node| matches!(node.kind(), "import_statement" | "export_statement"))?;
        let source = script.of(statement.child_by_field_name("source")?).trim_matches(['\'', '"', '`']);
        self.open(&self.resolve(&script.path, source)?).ok()
    }

    /// Where a name at the top of a file comes from: the file that declares it, or the package, and its name there.
    pub fn source(&self, script: &Script, name: &str) -> Option<(String, String)> {
        self.sourced(script, name, HOPS)
    }

    fn sourced(&self, script: &Script, name: &str, hops: usize) -> Option<(String, String)> {
        let hops = hops.checked_sub(1)?;
        let found = declaration(Code { script, node: script.tree.root_node() }, name)?.node;
        if found.kind() != "import_specifier" {
            let statement =
                std::iter::successors(Some(found), Node::parent).find(|node| node.kind() == "import_statement");
            return statement.is_none().then(|| (script.path.clone(), name.to_owned()));
        }
        let exported = script.of(found.child_by_field_name("name")?);
        let statement =
            std::iter::successors(Some(found), Node::parent).find(|node| node.kind() == "import_statement")?;
        let source = script.of(statement.child_by_field_name("source")?).trim_matches(['\'', '"', '`']);
        match self.resolve(&script.path, source) {
            Some(path) => self.sourced(self.open(&path).ok()?, exported, hops),
            None => Some((source.to_owned(), exported.to_owned())),
        }
    }

    /// The file that a relative specifier means.
    pub fn resolve(&self, from: &str, specifier: &str) -> Option<String> {
        if !specifier.starts_with('.') {
            return None;
        }
        let path = paths::join(paths::parent(from), specifier)?;
        let stem = [".js", ".mjs", ".cjs", ".jsx"].iter().find_map(|end| path.strip_suffix(end));
        let mut tried: Vec<String> = vec![path.clone()];
        if let Some(stem) = stem {
            tried.extend(EXTENSIONS.iter().map(|extension| format!("{stem}.{extension}")));
        }
        tried.extend(EXTENSIONS.iter().map(|extension| format!("{path}.{extension}")));
        tried.extend(EXTENSIONS.iter().map(|extension| format!("{path}/index.{extension}")));
        let known = |path: &String| EXTENSIONS.iter().any(|end| path.ends_with(&format!(".{end}")));
        tried.into_iter().find(|path| known(path) && self.files.exists(path))
    }

    fn exported<'s>(&'s self, script: &'s Script, name: &str, hops: usize) -> Option<Code<'s>> {
        let hops = hops.checked_sub(1)?;
        let root = script.tree.root_node();
        for statement in children(root).into_iter().filter(|node| node.kind() == "export_statement") {
            for clause in children(statement).into_iter().filter(|node| node.kind() == "export_clause") {
                for specifier in children(clause) {
                    let local = specifier.child_by_field_name("name")?;
                    let outer = specifier.child_by_field_name("alias").unwrap_or(local);
                    if script.of(outer) != name {
                        continue;
                    }
                    return match self.imported(script, specifier) {
                        Some(file) => self.exported(file, script.of(local), hops),
                        None => self.declared(Code { script, node: local }, script.of(local), hops),
                    };
                }
            }
        }
        self.declared(Code { script, node: root }, name, hops)
    }
}

impl<'s> Code<'s> {
    /// Without what is transparent around it.
    pub fn bare(self) -> Self {
        Self { script: self.script, node: bare(self.node) }
    }

    /// Another node of the same file.
    pub fn to(self, node: Node<'s>) -> Self {
        Self { script: self.script, node }
    }

    /// The text.
    pub fn text(self) -> &'s str {
        self.script.of(self.node)
    }

    /// A refusal here.
    pub fn refuse(self, why: impl Into<String>, todo: impl Into<String>) -> Refused {
        self.script.refuse(self.node, why, todo)
    }

    /// Whether both are the same piece of code.
    pub fn is(self, other: Self) -> bool {
        self.script.path == other.script.path && self.node == other.node
    }
}

/// The declaration that a name has where it is used, in the file itself: a declarator, a function, a class, an import's specifier,
/// or a pattern that binds it.
pub fn declaration<'s>(from: Code<'s>, name: &str) -> Option<Code<'s>> {
    let mut inner = from.node;
    let mut scope = Some(from.node);
    while let Some(node) = scope {
        let found = match node.kind() {
            "program" | "statement_block" | "switch_case" | "switch_default" => {
                children(node).into_iter().find_map(|statement| declares(from.script, statement, name))
            }
            "arrow_function"
            | "function_expression"
            | "function_declaration"
            | "method_definition"
            | "generator_function"
            | "generator_function_declaration" => node
                .child_by_field_name("parameters")
                .or_else(|| node.child_by_field_name("parameter"))
                .filter(|list| *list != inner)
                .and_then(|list| binds(from.script, list, name)),
            "for_statement" => {
                node.child_by_field_name("initializer").and_then(|first| declares(from.script, first, name))
            }
            "for_in_statement" => node.child_by_field_name("left").and_then(|left| binds(from.script, left, name)),
            "catch_clause" => node.child_by_field_name("parameter").and_then(|left| binds(from.script, left, name)),
            _ => None,
        };
        if let Some(found) = found {
            return Some(from.to(found));
        }
        inner = node;
        scope = node.parent();
    }
    None
}

fn declares<'s>(script: &'s Script, statement: Node<'s>, name: &str) -> Option<Node<'s>> {
    match statement.kind() {
        "export_statement" => {
            statement.child_by_field_name("declaration").and_then(|inner| declares(script, inner, name))
        }
        "lexical_declaration" | "variable_declaration" => children(statement).into_iter().find(|declarator| {
            declarator.child_by_field_name("name").is_some_and(|left| binds(script, left, name).is_some())
        }),
        "function_declaration"
        | "generator_function_declaration"
        | "class_declaration"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "type_alias_declaration"
        | "enum_declaration" => {
            statement.child_by_field_name("name").filter(|own| script.of(*own) == name).map(|_| statement)
        }
        "import_statement" => {
            let mut stack = children(statement);
            while let Some(node) = stack.pop() {
                match node.kind() {
                    "import_specifier" => {
                        let local = node.child_by_field_name("alias").or_else(|| node.child_by_field_name("name"));
                        if local.is_some_and(|local| script.of(local) == name) {
                            return Some(node);
                        }
                    }
                    "namespace_import" if children(node).iter().any(|own| script.of(*own) == name) => {
                        return Some(node);
                    }
                    "import_clause" => {
                        if let Some(default) = children(node).into_iter().find(|own| own.kind() == "identifier")
                            && script.of(default) == name
                        {
                            return Some(default);
                        }
                        stack.extend(children(node));
                    }
                    "named_imports" => stack.extend(children(node)),
                    _ => {}
                }
            }
            None
        }
        _ => None,
    }
}

/// The node that binds a name in a pattern or in a list of parameters.
pub fn binds<'s>(script: &'s Script, pattern: Node<'s>, name: &str) -> Option<Node<'s>> {
    match pattern.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => (script.of(pattern) == name).then_some(pattern),
        "pair_pattern" => binds(script, pattern.child_by_field_name("value")?, name),
        "object_assignment_pattern" | "assignment_pattern" => binds(script, pattern.child_by_field_name("left")?, name),
        "required_parameter" | "optional_parameter" => binds(script, pattern.child_by_field_name("pattern")?, name),
        "formal_parameters" | "object_pattern" | "array_pattern" | "rest_pattern" => {
            children(pattern).into_iter().find_map(|inner| binds(script, inner, name))
        }
        "lexical_declaration" | "variable_declarator" => {
            children(pattern).into_iter().find_map(|inner| binds(script, inner, name))
        }
        _ => None,
    }
}

/// Whether a file declares a name at its top.
pub fn is_declared(script: &Script, name: &str) -> bool {
    declaration(Code { script, node: script.tree.root_node() }, name).is_some()
}

/// The value of a property that an object literal writes out, a method included.
pub fn property<'s>(object: Code<'s>, name: &str) -> Option<Code<'s>> {
    if object.node.kind() != "object" {
        return None;
    }
    let entry = entry(object, name)?;
    match entry.kind() {
        "pair" => Some(object.to(entry.child_by_field_name("value")?)),
        _ => Some(object.to(entry)),
    }
}

/// The entry of an object literal with a name.
pub fn entry<'s>(object: Code<'s>, name: &str) -> Option<Node<'s>> {
    children(object.node).into_iter().find(|entry| {
        let key = match entry.kind() {
            "pair" => entry.child_by_field_name("key"),
            "method_definition" => entry.child_by_field_name("name"),
            "shorthand_property_identifier" => Some(*entry),
            _ => None,
        };
        key.is_some_and(|key| object.script.of(key).trim_matches(['\'', '"']) == name)
    })
}

/// What `this.name` is in the class around a place: a method, or a field's value.
fn member<'s>(from: Code<'s>, name: &str) -> Option<Code<'s>> {
    let class = std::iter::successors(from.node.parent(), Node::parent).find(|node| node.kind() == "class_body")?;
    member_of(from.to(class), name)
}

/// A method of a class, or a field's value.
fn member_of<'s>(from: Code<'s>, name: &str) -> Option<Code<'s>> {
    for found in children(from.node) {
        let own = found.child_by_field_name("name").or_else(|| found.child_by_field_name("property"));
        if own.is_none_or(|own| from.script.of(own) != name) {
            continue;
        }
        return match found.kind() {
            "method_definition" => Some(from.to(found)),
            "public_field_definition" | "field_definition" => {
                found.child_by_field_name("value").map(|value| from.to(value))
            }
            _ => None,
        };
    }
    None
}

/// Identifiers with a name within a node, those that name properties left out.
pub fn mentions<'s>(script: &'s Script, within: Node<'s>, name: &str) -> Vec<Node<'s>> {
    let mut out = Vec::new();
    let mut stack = vec![within];
    while let Some(node) = stack.pop() {
        let named = matches!(
            node.kind(),
            "identifier"
                | "type_identifier"
                | "shorthand_property_identifier"
                | "shorthand_property_identifier_pattern"
        );
        if named && script.of(node) == name {
            out.push(node);
        }
        stack.extend(children(node));
    }
    out.sort_by_key(Node::start_byte);
    out
}

/// An empty span.
pub fn before(offset: usize) -> Span {
    Span::new(offset, offset)
}
