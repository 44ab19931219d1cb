//! Tools that have a file each: a new one gets a file of its own too, like that of another, and a line in the list that names them.

use tree_sitter::Node;

use super::handler::camel;
use super::lists::{self, Listed};
use super::{listing, schema};
use crate::classify::words::capital;
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{Script, children, span, statement};
use crate::render::typescript::scripts::{Code, Scripts, declaration, mentions};
use crate::render::{Change, Refused};
use crate::workspace::paths;

/// Words of comments that hold for each file of a program, and not for what one declares.
const OF_EACH_FILE: [&str; 6] = ["copyright", "license", "spdx", "eslint", "@ts-", "prettier"];

/// Ends of names that say what is named, and not which.
const ENDS: [&str; 7] = ["ToolDefinition", "Definition", "Tool", "_TOOL", "Schema", "Handler", "Module"];

/// The file of a tool.
pub struct OwnFile<'s> {
    /// The literal that describes the tool.
    entry: Code<'s>,
    /// What names it in the list.
    listed: Listed<'s>,
    /// The import of it there.
    import: Node<'s>,
    /// What it is called there.
    name: &'s str,
}

/// How a file name is made of the name of a tool.
#[derive(Clone)]
struct Form {
    spelled: fn(&str) -> String,
    before: String,
    after: String,
    /// The name has several words, which tells the spelling.
    is_sure: bool,
}

impl Form {
    fn usual() -> Self {
        Self { spelled: kebab, before: String::new(), after: String::new(), is_sure: false }
    }

    /// By a file name and the name of what it exports.
    fn by(stem: &str, name: &str) -> Option<Self> {
        let words = snake(bare_name(name));
        let all: [fn(&str) -> String; 4] = [kebab, snake, camel, pascal];
        all.into_iter().find_map(|spelled| {
            let (before, after) = stem.split_once(&spelled(&words))?;
            let (before, after) = (before.to_owned(), after.to_owned());
            Some(Self { spelled, before, after, is_sure: words.contains('_') })
        })
    }

    fn of(&self, tool: &str) -> String {
        format!("{}{}{}", self.before, (self.spelled)(tool), self.after)
    }
}

impl<'s> OwnFile<'s> {
    /// The file of a tool that a literal describes, where it has one, which is all that the list takes from it.
    pub fn of(scripts: &'s Scripts<'_>, tool: &ToolUse, entry: Code<'s>) -> Option<Self> {
        let listed = lists::of(scripts, tool, entry)?;
        let script = listed.list.script;
        let named = match listed.item.kind() {
            "pair" => listed.item.child_by_field_name("value")?,
            _ => listed.item,
        };
        let name = script.of(named);
        let import = declaration(listed.list, name)?.node;
        let alone = match import.kind() {
            "import_specifier" => {
                import.child_by_field_name("alias").is_none() && children(import.parent()?).len() == 1
            }
            "identifier" => import.parent().is_some_and(|clause| clause.kind() == "import_clause"),
            _ => false,
        };
        let from = scripts.imported(script, import)?;
        (alone && from.path == entry.script.path).then_some(Self { entry, listed, import, name })
    }

    /// The file of a new tool, as a draft: it begins as that of the other.
    pub fn draft(&self, scripts: &'s Scripts<'_>, tool: &str) -> Option<&'s Script> {
        let path = self.path(tool)?;
        (!scripts.files().exists(&path)).then(|| scripts.draft(self.entry.script, &path))
    }

    /// The path of a new tool's file: named as the others are.
    fn path(&self, tool: &str) -> Option<String> {
        let path = &self.entry.script.path;
        let file = paths::file_name(path);
        let (stem, end) = file.rsplit_once('.')?;
        Some(format!("{}{}.{end}", path.strip_suffix(file)?, self.form(stem)?.of(tool)))
    }

    /// How file names are made of the names of tools. A name of one word says too little: another file does.
    fn form(&self, stem: &str) -> Option<Form> {
        let own = Form::by(stem, self.name);
        if let Some(sure) = own.as_ref().filter(|form| form.is_sure) {
            return Some(sure.clone());
        }
        let script = self.listed.list.script;
        let others = children(script.tree.root_node()).into_iter().filter_map(|node| {
            let source = script.of(node.child_by_field_name("source")?).trim_matches(['\'', '"']);
            let file = source.rsplit('/').next()?;
            let stem = [".js", ".ts", ".mjs"].iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file);
            let mut names = Vec::new();
            let mut stack = children(node);
            while let Some(node) = stack.pop() {
                if node.kind() == "identifier" {
                    names.push(script.of(node));
                }
                stack.extend(children(node));
            }
            names.into_iter().find_map(|name| Form::by(stem, name)).filter(|form| form.is_sure)
        });
        // A folder for each tool has files of one name.
        let folders = matches!(stem, "index" | "tool" | "handler");
        others.into_iter().next().or(own).or_else(|| (!folders).then(Form::usual))
    }

    /// The name of the new constant, spelled like the other.
    pub fn constant(&self, tool: &str) -> String {
        let screams = self.name.chars().all(|char| !char.is_lowercase());
        let plain = match self.name.chars().next() {
            _ if screams => tool.replace('-', "_").to_uppercase(),
            Some(first) if first.is_uppercase() => pascal(tool),
            _ => camel(tool),
        };
        let end = ENDS.iter().find(|end| self.name.ends_with(**end)).copied().unwrap_or_default();
        format!("{plain}{end}")
    }

    /// The import of the new file, and the new tool in the list.
    pub fn place(&self, draft: &Script, tool: &str, before: bool) -> Vec<Change> {
        let script = self.listed.list.script;
        let constant = self.constant(tool);
        let whole = statement(self.import);
        let stem = |path: &'_ str| paths::file_name(path).rsplit_once('.').map_or("", |(stem, _)| stem).to_owned();
        let (own, other) = (stem(&draft.path), stem(&self.entry.script.path));
        let text = script.of(whole);
        let text = match text.rsplit_once(&other) {
            Some((head, tail)) => format!("{}{own}{tail}", head.replacen(self.name, &constant, 1)),
            None => text.replacen(self.name, &constant, 1),
        };
        let at = if before { script.line_start(whole.start_byte()) } else { script.line_end(whole.end_byte()) };
        let import = script.change(Span::new(at, at), format!("{text}{}", script.style.newline));
        let named = match self.listed.item.child_by_field_name("key") {
            Some(_) => format!("{}: {constant}", schema::key(script, tool)),
            None => constant,
        };
        vec![import, listing::element(script, self.listed.item, before, &named)]
    }

    /// What makes the file of the new tool out of that of the other: its literal, its name, and nothing else that is only the other's.
    ///
    /// `schema` is that of the new tool, and the name of the constant that the other keeps its own in.
    pub fn rewrite(
        &self,
        draft: &Script,
        literal: &str,
        tool: &str,
        schema: Option<(&str, &str)>,
    ) -> Result<Vec<Change>, Refused> {
        let constant = self.constant(tool);
        let root = draft.tree.root_node();
        let own = span(self.entry.node);
        let (top, comments): (Vec<Node<'_>>, Vec<Node<'_>>) = {
            let mut cursor = root.walk();
            root.named_children(&mut cursor).partition(|node| node.kind() != "comment")
        };
        let imports = |node: &Node<'_>| node.kind() == "import_statement" || is_required(draft, *node);
        let main = top.iter().copied().find(|node| span(*node).contains(own)).unwrap_or(root);
        let outside = format!(
            "{}{literal}{}",
            &draft.text()[main.start_byte()..own.start as usize],
            &draft.text()[own.end as usize..main.end_byte()]
        );
        let mut kept = vec![main];
        let mut words = outside;
        let mut shapes = Vec::new();
        loop {
            let more = top.iter().copied().find(|node| {
                !kept.contains(node) && !imports(node) && declared(draft, *node).is_some_and(|name| names(&words, name))
            });
            let Some(more) = more else { break };
            let node = more.child_by_field_name("declaration").unwrap_or(more);
            if let Some(change) = schema.and_then(|schema| constant_schema(draft, node, schema)) {
                shapes.push(change);
                kept.push(more);
                continue;
            }
            if !matches!(node.kind(), "type_alias_declaration" | "interface_declaration") {
                return Err(self.entry.script.refuse(
                    self.entry.node,
                    format!(
                        "the file of this tool declares `{}`, which one for a new tool would need as well",
                        declared(draft, more).unwrap_or_default()
                    ),
                    "declare it in a file that both can import, and run again",
                ));
            }
            words += draft.of(more);
            kept.push(more);
        }
        let mut changes = vec![draft.change(own, draft.style.dress(literal))];
        changes.extend(shapes);
        for node in top.iter().copied().filter(|node| !imports(node)) {
            let tells = matches!(node.kind(), "export_statement" | "expression_statement") && node != main;
            let named = mentions(draft, node, self.local());
            if node == main || tells && !named.is_empty() && declared(draft, node).is_none() {
                let outer = named.into_iter().filter(|name| !own.contains(span(*name)));
                changes.extend(outer.map(|name| draft.change(span(name), constant.as_str())));
            } else if !kept.contains(&node) {
                changes.push(draft.change(draft.removal(node), ""));
            }
        }
        for comment in comments {
            let text = draft.of(comment).to_lowercase();
            if !OF_EACH_FILE.iter().any(|word| text.contains(word)) {
                changes.push(draft.change(draft.removal_below_comments(comment), ""));
            }
        }
        Ok(changes)
    }

    /// What the constant is called in its own file.
    fn local(&self) -> &'s str {
        let around = std::iter::successors(self.entry.node.parent(), Node::parent);
        let name = around
            .take_while(|node| node.kind() != "statement_block")
            .find(|node| node.kind() == "variable_declarator")
            .and_then(|own| own.child_by_field_name("name"));
        name.map_or(self.name, |name| self.entry.script.of(name))
    }
}

/// The change of a constant that holds a schema which its type is taken from.
fn constant_schema(draft: &Script, declaration: Node<'_>, (name, schema): (&str, &str)) -> Option<Change> {
    let declarators = children(declaration);
    let [own] = declarators.as_slice() else { return None };
    let is_it = own.kind() == "variable_declarator" && declared(draft, declaration) == Some(name);
    let value = own.child_by_field_name("value").filter(|_| is_it)?;
    Some(draft.change(span(value), draft.style.dress(schema)))
}

/// The name that a statement at the top declares.
fn declared<'s>(script: &'s Script, node: Node<'s>) -> Option<&'s str> {
    let node = node.child_by_field_name("declaration").unwrap_or(node);
    let own = match node.kind() {
        "lexical_declaration" | "variable_declaration" => children(node).first()?.child_by_field_name("name"),
        _ => node.child_by_field_name("name"),
    };
    own.map(|own| script.of(own))
}

fn is_required(script: &Script, node: Node<'_>) -> bool {
    matches!(node.kind(), "lexical_declaration" | "variable_declaration") && script.of(node).contains("require(")
}

/// Whether a text uses a name.
fn names(text: &str, name: &str) -> bool {
    let is_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$');
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word))
}

/// The name of a constant without what only says that it is a tool.
fn bare_name(name: &str) -> &str {
    ENDS.iter().find_map(|end| name.strip_suffix(end)).filter(|rest| !rest.is_empty()).unwrap_or(name)
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    let mut lower = false;
    for char in name.chars() {
        if char == '-' || char == '_' {
            out.push('_');
            lower = false;
            continue;
        }
        if char.is_uppercase() && lower {
            out.push('_');
        }
        lower = !char.is_uppercase();
        out.extend(char.to_lowercase());
    }
    out
}

fn kebab(name: &str) -> String {
    snake(name).replace('_', "-")
}

fn pascal(name: &str) -> String {
    capital(&camel(name))
}
