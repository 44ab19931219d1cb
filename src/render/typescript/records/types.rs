//! The type of the records is taken apart like the records.

use tree_sitter::Node;

use super::Work;
use super::writes::name_of;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::scripts::{Code, declaration, mentions};

/// Types that are part of the language.
const CONTAINERS: &[&str] = &["Map", "Record", "Partial", "LRUCache", "TTLCache"];

/// Declares the new table beside the old one, and the type of its values.
pub fn part(work: &mut Work<'_>, declared: Node<'_>) -> Result<(), Refused> {
    let script = work.script;
    let mut swaps = vec![(span(work.name), private(work))];
    if script.typed() {
        values(work, declared, &mut swaps)?;
    }
    swaps.sort_by_key(|(span, _)| span.start);
    let mut text = String::new();
    let mut from = declared.start_byte();
    for (span, new) in &swaps {
        text.push_str(&script.text()[from..span.start as usize]);
        text.push_str(new);
        from = span.end as usize;
    }
    text.push_str(&script.text()[from..declared.end_byte()]);
    let mut at = declared.end_byte();
    let ends = script.text()[at..].starts_with(';');
    at += usize::from(ends);
    let end = if ends { ";" } else { "" };
    let indent = script.indentation(declared);
    work.edits.insert(script, at, format!("{}{indent}{text}{end}", script.style.newline));
    Ok(())
}

fn private(work: &Work<'_>) -> String {
    let mark = if work.script.of(work.name).starts_with('#') { "#" } else { "" };
    format!("{mark}{}", work.records.table)
}

/// What the declaration says of the values.
fn values(work: &mut Work<'_>, declared: Node<'_>, swaps: &mut Vec<(Span, String)>) -> Result<(), Refused> {
    let script = work.script;
    let (mut named, mut written) = (Vec::new(), Vec::new());
    let mut stack = vec![declared];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "type_identifier" if !CONTAINERS.contains(&script.of(node)) => named.push(node),
            "object_type" if children(node).iter().any(|member| member.kind() == "property_signature") => {
                written.push(node);
            }
            _ => stack.extend(children(node)),
        }
    }
    for object in written {
        let (state, rest) = members(work, script, object)?;
        swaps.push((span(object), one_line(script, &state)));
        work.edits.replace(script, span(object), one_line(script, &rest));
    }
    let Some(first) = named.first().copied() else { return Ok(()) };
    let name = script.of(first);
    if named.iter().any(|other| script.of(*other) != name) {
        return Err(script.refuse(first, "which of these types the records have can't be told", "name it once"));
    }
    swaps.extend(named.iter().map(|node| (span(*node), work.records.state.clone())));
    let found = declaration(Code { script, node: first }, name).ok_or_else(|| unknown(script, first))?;
    let home = match found.node.kind() {
        "import_specifier" => {
            let source = source_of(script, found.node).ok_or_else(|| unknown(script, first))?;
            let path = work.scripts.resolve(&script.path, &source).ok_or_else(|| unknown(script, first))?;
            let file = work.scripts.open(&path)?;
            let exported = found.node.child_by_field_name("name").map(|name| script.of(name));
            let code = Code { script: file, node: file.tree.root_node() };
            let own = exported.filter(|exported| *exported == name);
            work.wanted.push((script.path.clone(), source, work.records.state.clone(), true));
            own.and_then(|name| declaration(code, name)).ok_or_else(|| unknown(script, first))?
        }
        _ => found,
    };
    split(work, home, name)?;
    annotations(work, declared, home, name)
}

fn unknown(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(node, "how this type is declared can't be told", "declare it as an interface of this package")
}

/// The members of a type that go, and those that stay.
fn members<'t>(work: &Work<'_>, script: &Script, object: Node<'t>) -> Result<(Vec<Node<'t>>, Vec<Node<'t>>), Refused> {
    let (state, rest): (Vec<_>, Vec<_>) = children(object)
        .into_iter()
        .partition(|member| name_of(script, *member).is_some_and(|name| work.records.fields.contains(&name)));
    match state.len() == work.records.fields.len() && state.iter().all(|member| member.kind() == "property_signature") {
        true => Ok((state, rest)),
        false => Err(script.refuse(
            object,
            "this type does not name all fields that tools use",
            "declare them as properties of it",
        )),
    }
}

fn one_line(script: &Script, members: &[Node<'_>]) -> String {
    let texts: Vec<&str> = members.iter().map(|member| script.of(*member)).collect();
    if texts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", texts.join("; ")) }
}

/// Takes the state out of the type, into a new one below it.
fn split(work: &mut Work<'_>, home: Code<'_>, name: &str) -> Result<(), Refused> {
    let (script, node) = (home.script, home.node);
    let body = match node.kind() {
        "interface_declaration" => node.child_by_field_name("body"),
        "type_alias_declaration" => node.child_by_field_name("value").filter(|value| value.kind() == "object_type"),
        _ => None,
    };
    let body = body.ok_or_else(|| unknown(script, node))?;
    if name_is_taken(script, &work.records.state) {
        return Err(script.refuse(node, format!("`{}` is declared already", work.records.state), "rename it"));
    }
    let (state, rest) = members(work, script, body)?;
    let several = script.of(body).contains('\n');
    let newline = script.style.newline;
    let whole = node.parent().filter(|parent| parent.kind() == "export_statement").unwrap_or(node);
    let head = &script.text()[whole.start_byte()..body.start_byte()];
    let own = node.child_by_field_name("name").ok_or_else(|| unknown(script, node))?;
    let (before, after) =
        (&script.text()[whole.start_byte()..own.start_byte()], &script.text()[own.end_byte()..body.start_byte()]);
    if !matches!(after.trim(), "" | "=") || head.contains('<') {
        return Err(script.refuse(node, format!("`{name}` is built from other types"), "declare it on its own"));
    }
    let text = if several {
        let lines: String = state.iter().map(|member| member_text(script, *member)).collect();
        for member in &state {
            work.edits.cut(script, member_span(script, *member));
        }
        format!("{{{newline}{lines}}}")
    } else {
        work.edits.replace(script, span(body), one_line(script, &rest));
        one_line(script, &state)
    };
    let mut at = whole.end_byte();
    let ends = script.text()[at..].starts_with(';');
    at += usize::from(ends);
    let end = if ends || script.of(whole).ends_with(';') { ";" } else { "" };
    let end = if node.kind() == "interface_declaration" { "" } else { end };
    let state = &work.records.state;
    work.edits.insert(script, at, format!("{newline}{newline}{before}{state}{after}{text}{end}"));
    Ok(())
}

fn name_is_taken(script: &Script, name: &str) -> bool {
    declaration(Code { script, node: script.tree.root_node() }, name).is_some()
}

/// The lines of a member, with the comments above it.
fn member_span(script: &Script, member: Node<'_>) -> Span {
    let mut end = member.end_byte();
    if script.text()[end..].starts_with([';', ',']) {
        end += 1;
    }
    let start = script.line_start(script.with_comments(member));
    Span::new(start, script.line_end(end))
}

fn member_text(script: &Script, member: Node<'_>) -> String {
    script.slice(member_span(script, member)).to_owned()
}

/// Puts the new type where state alone is meant; refuses mentions of the old one that mean neither.
fn annotations(work: &mut Work<'_>, declared: Node<'_>, home: Code<'_>, name: &str) -> Result<(), Refused> {
    let records = work.records;
    let mut paths: Vec<&str> = vec![work.script.path.as_str(), home.script.path.as_str()];
    let sites = records.states.iter().chain(&records.rest).chain(&records.answering).chain(&records.turned);
    paths.extend(sites.map(|site| site.path.as_str()));
    paths.sort_unstable();
    paths.dedup();
    for path in paths {
        let script = work.scripts.open(path)?;
        let used = mentions(script, script.tree.root_node(), name);
        let imported = |node: &Node<'_>| node.parent().is_some_and(|parent| parent.kind() == "import_specifier");
        let (imports, used): (Vec<_>, Vec<_>) = used.into_iter().partition(imported);
        // Where state alone is meant, the import names the new type.
        let only_state = script.path != work.script.path
            && !used.is_empty()
            && used.iter().all(|node| node.kind() == "type_identifier" && states(work, script, *node));
        let alone = |import: &Node<'_>| {
            let list = import.parent().and_then(|specifier| specifier.parent());
            list.is_some_and(|list| children(list).len() == 1)
        };
        // Among others it is joined like any import, and what is not used any more goes.
        let renamed = only_state && script.path != home.script.path && imports.first().is_some_and(alone);
        if let ([import], true) = (imports.as_slice(), renamed) {
            let plain = import.parent().is_some_and(|specifier| specifier.child_by_field_name("alias").is_none());
            if !plain {
                return Err(unknown(script, *import));
            }
            let text = records.state.clone();
            let whole =
                std::iter::successors(Some(*import), Node::parent).find(|node| node.kind() == "import_statement");
            let whole = whole.ok_or_else(|| unknown(script, *import))?;
            work.renamed.push((script.path.clone(), span(whole), script.change(span(*import), text.clone())));
            used.iter().for_each(|node| work.edits.replace(script, span(*node), text.clone()));
            continue;
        }
        for used in used {
            let own = script.path == home.script.path && span(home.node).contains(span(used));
            let table = script.path == work.script.path && span(declared).contains(span(used));
            if used.kind() != "type_identifier" || own || table {
                continue;
            }
            if states(work, script, used) {
                work.edits.replace(script, span(used), records.state.clone());
                if script.path != home.script.path {
                    let found = declaration(Code { script, node: used }, name);
                    let source = found.and_then(|found| source_of(script, found.node));
                    let source = source.ok_or_else(|| unknown(script, used))?;
                    work.wanted.push((script.path.clone(), source, records.state.clone(), true));
                }
            } else if !annotates(script, used, &records.rest) {
                return Err(script.refuse(
                    used,
                    format!("`{name}` is used here as well, and which part of it is meant can't be told"),
                    "name the fields that are meant",
                ));
            }
        }
    }
    Ok(())
}

/// Whether a type is what is said of state: of a parameter, a variable, or the answer of a function.
fn states(work: &Work<'_>, script: &Script, used: Node<'_>) -> bool {
    let answers = work.records.answering.iter().filter(|site| site.path == script.path).any(|site| {
        let function = script.around(site.span);
        let ty = function.and_then(|function| function.child_by_field_name("return_type"));
        ty.is_some_and(|ty| span(ty).contains(span(used)))
    });
    answers || annotates(script, used, &work.records.states)
}

/// Whether a type is written at one of these names.
fn annotates(script: &Script, used: Node<'_>, names: &[Site]) -> bool {
    let declares =
        |node: &Node<'_>| matches!(node.kind(), "required_parameter" | "optional_parameter" | "variable_declarator");
    names.iter().filter(|site| site.path == script.path).any(|site| {
        let name = script.around(site.span);
        let around = name.and_then(|name| std::iter::successors(Some(name), Node::parent).find(declares));
        let ty = around.and_then(|around| around.child_by_field_name("type"));
        ty.is_some_and(|ty| span(ty).contains(span(used)))
    })
}

/// The module that an import takes a name from.
pub fn source_of(script: &Script, specifier: Node<'_>) -> Option<String> {
    let statement =
        std::iter::successors(Some(specifier), Node::parent).find(|node| node.kind() == "import_statement")?;
    Some(script.of(statement.child_by_field_name("source")?).trim_matches(['\'', '"']).to_owned())
}
