//! How many values may live, where the code asks that itself before it makes one: its check stays with its own words, and the store
//! is given the same bound.

use tree_sitter::Node;

use super::absent::leaves;
use super::work::Work;
use super::{initial, of_class, reach};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::{Kind, Touch};
use crate::render::Refused;
use crate::render::typescript::pure::is_pure;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, span, statement};
use crate::render::typescript::scripts::{Code, declaration, is_declared};

/// A condition under which nothing more is made.
#[derive(Clone, Copy)]
struct Check<'t> {
    /// The comparison.
    compares: Node<'t>,
    /// What the count is compared with.
    limit: Node<'t>,
    /// That many are still let in.
    inclusive: bool,
    /// The `if` that leaves.
    branch: Node<'t>,
}

/// How a count of the values is written around a mention of the container: `games.size`, `Object.keys(games).length`.
pub fn count<'t>(script: &Script, container: Node<'t>) -> Option<Node<'t>> {
    let parent = container.parent()?;
    if parent.kind() == "member_expression" {
        let size = parent.child_by_field_name("property").is_some_and(|name| script.of(name) == "size");
        return (size && parent.child_by_field_name("object") == Some(container)).then_some(parent);
    }
    let call = parent.parent().filter(|call| parent.kind() == "arguments" && call.kind() == "call_expression")?;
    let callee = script.of(call.child_by_field_name("function")?);
    let listed = matches!(callee, "Object.keys" | "Object.values" | "Object.entries") && children(parent).len() == 1;
    let length = call.parent().filter(|member| member.kind() == "member_expression" && listed)?;
    let named = length.child_by_field_name("property").is_some_and(|name| script.of(name) == "length");
    (named && length.child_by_field_name("object") == Some(call)).then_some(length)
}

/// Takes the bound over that the code keeps itself.
pub fn take_over(work: &mut Work<'_>) -> Result<(), Refused> {
    let (handle, scripts) = (work.handle, work.scripts);
    for site in &handle.loose {
        let (script, node) = scripts.expression(site)?;
        let Some(count) = count(script, node) else { continue };
        let own = check(script, count).map(|check| (script, check));
        let found = own.or_else(|| told(work, script, count));
        let Some((script, check)) = found.filter(|(script, check)| makes(work, script, check.branch)) else { continue };
        let Some((bound, reach)) = bound(work, script, check) else { continue };
        match reach {
            Reach::Known => {}
            Reach::Below(declaration) => move_up(work, script, declaration),
            Reach::Imported(name) => reach::bring(work, scripts.of(&handle.store.made)?, script, name)?,
        }
        work.limit = Some(bound);
        return Ok(());
    }
    Ok(())
}

/// Whether a branch does nothing but keep a bound that the store can be given: `if (games.size >= MAX_GAMES) throw …`.
pub fn is_check(work: &Work<'_>, script: &Script, branch: Node<'_>) -> bool {
    branch.kind() == "if_statement" && is_exit(branch) && checks(work, script, branch).next().is_some()
}

/// Whether a branch does nothing but leave.
pub fn is_exit(branch: Node<'_>) -> bool {
    branch.child_by_field_name("consequence").is_some_and(leaves) && branch.child_by_field_name("alternative").is_none()
}

/// Whether a condition is such a bound.
pub fn is_bound(work: &Work<'_>, script: &Script, condition: Node<'_>) -> bool {
    checks(work, script, condition).any(|compares| compares == condition)
}

/// Comparisons within a stretch that keep a bound.
fn checks<'t>(work: &'t Work<'_>, script: &'t Script, within: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let inside = move |site: &&Site| site.path == script.path && span(within).contains(site.span);
    work.handle.loose.iter().filter(inside).filter_map(|site| {
        let check = check(script, count(script, script.node(site.span)?)?)?;
        bound(work, script, check).map(|_| check.compares)
    })
}

/// The check that a count is part of.
fn check<'t>(script: &Script, count: Node<'t>) -> Option<Check<'t>> {
    let inner = around(count);
    let compares = inner.parent().filter(|parent| parent.kind() == "binary_expression")?;
    let operator = script.of(compares.child_by_field_name("operator")?);
    let (left, right) = (compares.child_by_field_name("left")?, compares.child_by_field_name("right")?);
    let (limit, inclusive) = match operator {
        ">=" | "===" | "==" if left == inner => (bare(right), false),
        ">" if left == inner => (bare(right), true),
        "<=" | "===" | "==" if right == inner => (bare(left), false),
        "<" if right == inner => (bare(left), true),
        _ => return None,
    };
    let branch = statement(compares);
    let asked = branch.child_by_field_name("condition").is_some_and(|found| span(found).contains(span(compares)));
    let leaves = branch.child_by_field_name("consequence").is_some_and(leaves);
    (branch.kind() == "if_statement" && asked && leaves && required(script, branch, compares)).then_some(Check {
        compares,
        limit,
        inclusive,
        branch,
    })
}

/// Whether the branch is taken only where a comparison holds: nothing but `&&` is around it.
fn required(script: &Script, branch: Node<'_>, compares: Node<'_>) -> bool {
    std::iter::successors(compares.parent(), Node::parent).take_while(|node| *node != branch).all(|node| {
        node.kind() == "parenthesized_expression"
            || node.kind() == "binary_expression"
                && node.child_by_field_name("operator").is_some_and(|sign| script.of(sign) == "&&")
    })
}

/// The expression with what does not change it.
fn around(node: Node<'_>) -> Node<'_> {
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| bare(*parent) == bare(outer)) {
        outer = parent;
    }
    outer
}

/// The check of a function, or a getter, that does nothing but count: `gameCount() >= MAX_GAMES`.
fn told<'w>(work: &Work<'w>, script: &'w Script, count: Node<'w>) -> Option<(&'w Script, Check<'w>)> {
    let function = enclosing_function(count)?;
    let body = function.child_by_field_name("body")?;
    let whole = match body.kind() {
        "statement_block" => match children(body).as_slice() {
            [only] if only.kind() == "return_statement" => children(*only).first().copied().map(bare)?,
            _ => return None,
        },
        _ => bare(body),
    };
    if whole != count {
        return None;
    }
    let name = match function.child_by_field_name("name") {
        Some(name) => name,
        None => function.parent()?.child_by_field_name("name")?,
    };
    let name = script.of(name);
    let mut paths: Vec<&str> = work.handle.carriers.iter().map(|carrier| carrier.function.path.as_str()).collect();
    paths.push(&script.path);
    paths.sort_unstable();
    paths.dedup();
    let files = paths.into_iter().filter_map(|path| work.scripts.by_path(path));
    files.into_iter().find_map(|file| {
        named(file, file.tree.root_node(), name).into_iter().find_map(|used| {
            let mut outer = used;
            for (kind, field) in [("member_expression", "property"), ("call_expression", "function")] {
                let parent = outer.parent().filter(|parent| parent.kind() == kind);
                outer = parent.filter(|parent| parent.child_by_field_name(field) == Some(outer)).unwrap_or(outer);
            }
            Some((file, check(file, outer)?))
        })
    })
}

/// Where a name is written, that of a property as well.
fn named<'t>(script: &Script, within: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut out = Vec::new();
    let mut stack = vec![within];
    while let Some(node) = stack.pop() {
        let kind = matches!(node.kind(), "identifier" | "property_identifier" | "private_property_identifier");
        if kind && script.of(node) == name {
            out.push(node);
        }
        stack.extend(children(node));
    }
    out
}

/// Whether a branch stands where a value is made: in such a function, or in one that such a function calls.
fn makes(work: &Work<'_>, script: &Script, branch: Node<'_>) -> bool {
    let creates = |touch: &&Touch| {
        !touch.companion
            && (touch.kind == Kind::GetOrCreate
                || touch.kind == Kind::Write && (work.handle.lazy || work.creates_at(touch.carrier, touch.at.span)))
    };
    let own = |function: Node<'_>| {
        let carried = work.handle.carriers.iter().enumerate().any(|(index, carrier)| {
            carrier.function.path == script.path
                && carrier.function.span.contains(span(function))
                && work.creates_at(index, span(branch))
        });
        carried
            || work
                .handle
                .touches
                .iter()
                .filter(creates)
                .any(|touch| touch.at.path == script.path && span(function).contains(touch.at.span))
    };
    let name = enclosing_function(branch).and_then(|function| function.child_by_field_name("name"));
    let called = |name: &str| {
        let makers = work.handle.carriers.iter().enumerate().filter(|(index, _)| work.creating[*index]);
        let mut found = makers.filter_map(|(_, carrier)| work.function(carrier).ok());
        let asks = |script: &Script, node: Node<'_>| {
            named(script, node, name).iter().any(|used| {
                used.parent().is_some_and(|parent| matches!(parent.kind(), "call_expression" | "member_expression"))
            })
        };
        found.any(|(file, function)| asks(file, function))
            || work.handle.touches.iter().filter(creates).any(|touch| {
                let place = work.scripts.expression(&touch.at).ok();
                let function = place.and_then(|(file, node)| Some((file, enclosing_function(node)?)));
                function.is_some_and(|(file, function)| asks(file, function))
            })
    };
    enclosing_function(branch).is_some_and(own) || name.is_some_and(|name| called(script.of(name)))
}

/// The bound as code that can stand where the store is made.
fn bound<'t>(work: &Work<'_>, script: &'t Script, check: Check<'t>) -> Option<(String, Reach<'t>)> {
    let limit = check.limit;
    let text = script.of(limit);
    let number = text.replace('_', "").parse::<u64>().ok();
    if number == Some(0) && !check.inclusive {
        return None;
    }
    let reach = if number.is_some() { Reach::Known } else { reach(work, script, limit)? };
    let bound = match number {
        Some(number) if check.inclusive => (number + 1).to_string(),
        None if check.inclusive => format!("{text} + 1"),
        _ => text.to_owned(),
    };
    let condition = check.branch.child_by_field_name("condition")?;
    if switched_off(script, condition, limit) {
        return Some((format!("{text} > 0 ? {bound} : Infinity"), reach));
    }
    Some((bound, reach))
}

/// Whether a condition asks for the limit as well: `MAX_GAMES > 0 && …` means that nothing is one.
fn switched_off(script: &Script, condition: Node<'_>, limit: Node<'_>) -> bool {
    let text = script.of(limit);
    let mut stack = vec![condition];
    while let Some(node) = stack.pop() {
        let asked = node != limit && script.of(node) == text;
        let alone = node.parent().is_some_and(|parent| {
            let sign = parent.child_by_field_name("operator").map(|sign| script.of(sign));
            sign == Some("&&") || matches!(sign, Some(">" | "!==" | "!=")) && script.of(parent).ends_with(" 0")
        });
        if asked && alone {
            return true;
        }
        stack.extend(children(node));
    }
    false
}

/// How a limit gets to where the store is made.
enum Reach<'t> {
    /// It means the same there.
    Known,
    /// Its declaration has to move up.
    Below(Node<'t>),
    /// From a third file, as where it is compared.
    Imported(Node<'t>),
}

/// How a limit gets to where the store is made, if nothing stands in its way.
fn reach<'t>(work: &Work<'_>, script: &'t Script, limit: Node<'t>) -> Option<Reach<'t>> {
    let made = &work.handle.store.made;
    if of_class::known(work, script, limit).is_some() {
        return Some(Reach::Known);
    }
    let mut root = limit;
    while root.kind() == "member_expression" {
        root = root.child_by_field_name("object")?;
    }
    let declared = declaration(Code { script, node: root }, script.of(root)).filter(|_| root.kind() == "identifier")?;
    let top = std::iter::successors(Some(declared.node), Node::parent)
        .take_while(|node| node.kind() != "program")
        .find(|node| node.parent().is_some_and(|parent| parent.kind() == "program"))?;
    if top.kind() == "import_statement" {
        let here = script.path == made.path;
        return if here { Some(Reach::Known) } else { (root == limit).then_some(Reach::Imported(root)) };
    }
    let list = if top.kind() == "export_statement" { top.child_by_field_name("declaration")? } else { top };
    let constant = list.kind() == "lexical_declaration" && list.child(0).is_some_and(|word| script.of(word) == "const");
    let [declarator] = children(list)[..] else { return None };
    if !constant || script.path != made.path || enclosing_function(declared.node).is_some() {
        return None;
    }
    if top.end_byte() <= made.span.start as usize {
        return Some(Reach::Known);
    }
    let value = declarator.child_by_field_name("value")?;
    let free = initial::names_in(value).into_iter().all(|name| !is_declared(script, script.of(name)));
    (is_pure(script, value) && free).then_some(Reach::Below(top))
}

/// Moves the declaration of a limit above the store.
fn move_up(work: &mut Work<'_>, script: &Script, declaration: Node<'_>) {
    let Some(made) = script.node(work.handle.store.made.span) else { return };
    let Some(top) = std::iter::successors(Some(made), Node::parent)
        .find(|node| node.parent().is_some_and(|parent| parent.kind() == "program"))
    else {
        return;
    };
    let removal = script.removal(declaration);
    let text = script.slice(Span::new(script.with_comments(declaration), declaration.end_byte()));
    let newline = script.style.newline;
    work.edits.cut(script, removal);
    work.edits.insert(script, script.with_comments(top), format!("{text}{newline}"));
}
