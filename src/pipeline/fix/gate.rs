//! The syntax gate's judge: the front ends, which know what they did not understand.

mod platform;

use std::cell::RefCell;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::edit::Syntax;
use crate::lower;
use crate::model::facts::{ExprKind, Language};
use crate::workspace::names;

/// Judges texts with the front end of their language.
#[derive(Default)]
pub struct Gate {
    /// The last text that was taken apart: edits of one file come one after the other.
    last: RefCell<Option<(String, Tree)>>,
}

impl Syntax for Gate {
    fn errors(&self, path: &str, text: &str) -> Result<Vec<Range<usize>>, String> {
        let Some(language) = names::language_of(name(path)) else { return Ok(Vec::new()) };
        let module = lower::lower(path, language, text).map_err(|error| error.to_string())?;
        let mut errors: Vec<Range<usize>> =
            module.errors.iter().map(|span| span.start as usize..span.end as usize).collect();
        // The grammar takes types in plain JavaScript too, no engine does.
        let untyped = language == Language::JavaScript && !text.contains("@flow");
        if untyped || is_script(language) && text.contains("await") {
            let tree = lower::typescript::parse(path, text).map_err(|error| error.to_string())?;
            stray_awaits(tree.root_node(), true, &mut errors);
            if untyped {
                types(tree.root_node(), &mut errors);
            }
            errors.sort_by_key(|error| (error.start, error.end));
        }
        Ok(errors)
    }

    fn unbound(&self, path: &str, text: &str) -> Vec<(String, usize)> {
        let Some(language) = names::language_of(name(path)).filter(|language| is_script(*language)) else {
            return Vec::new();
        };
        let Ok(module) = lower::lower(path, language, text) else { return Vec::new() };
        let mut out: Vec<(String, usize)> = Vec::new();
        for expr in &module.exprs {
            let ExprKind::Global(name) = expr.kind else { continue };
            let name = name.text();
            if !platform::offers(name) && !out.iter().any(|(known, _)| known == name) {
                out.push((name.to_owned(), expr.span.start as usize));
            }
        }
        out
    }

    fn statement(&self, path: &str, text: &str, at: Range<usize>) -> Option<Range<usize>> {
        let language = names::language_of(name(path))?;
        if !is_script(language) {
            return None;
        }
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|(known, _)| known != text) {
            *last = Some((text.to_owned(), lower::typescript::parse(path, text).ok()?));
        }
        let (_, tree) = last.as_ref()?;
        let innermost = tree.root_node().descendant_for_byte_range(at.start, at.end)?;
        let around = std::iter::successors(Some(innermost), Node::parent);
        around.filter(|node| is_statement(*node)).map(|node| node.byte_range()).next()
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_script(language: Language) -> bool {
    matches!(language, Language::TypeScript | Language::JavaScript)
}

/// What only TypeScript knows.
fn types(node: Node<'_>, out: &mut Vec<Range<usize>>) {
    const TYPES: &[&str] = &[
        "type_annotation",
        "type_arguments",
        "type_parameters",
        "type_alias_declaration",
        "interface_declaration",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "accessibility_modifier",
    ];
    if TYPES.contains(&node.kind()) {
        out.push(node.byte_range());
        return;
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        types(child, out);
    }
}

/// `await` in a function that is not `async`: the grammar lets it pass, no engine does.
fn stray_awaits(node: Node<'_>, allowed: bool, out: &mut Vec<Range<usize>>) {
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        let own = match child.kind() {
            "await_expression" if !allowed => {
                out.push(child.byte_range());
                continue;
            }
            "function_declaration"
            | "function_expression"
            | "arrow_function"
            | "method_definition"
            | "generator_function"
            | "generator_function_declaration" => is_async(child),
            "class_static_block" => false,
            _ => allowed,
        };
        stray_awaits(child, own, out);
    }
}

fn is_async(function: Node<'_>) -> bool {
    let mut cursor = function.walk();
    function.children(&mut cursor).any(|part| part.kind() == "async")
}

fn is_statement(node: Node<'_>) -> bool {
    node.kind().ends_with("_statement") || node.kind().ends_with("_declaration")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_statement_is_what_an_error_is_near_to() {
        let text = "f(() => {\n  if (a) {\n    b();\n  }\n  c();\n});\nd();\n";
        let gate = Gate::default();
        let of = |word: &str| {
            let start = text.find(word).expect("the word");
            gate.statement("a.ts", text, start..start + 1).map(|range| &text[range])
        };
        assert_eq!(of("b()"), Some("b();"));
        assert_eq!(of("a)"), Some("if (a) {\n    b();\n  }"));
        assert_eq!(of("d()"), Some("d();"));
        assert_eq!(gate.statement("a.md", text, 0..1), None);
    }

    #[test]
    fn an_await_outside_of_async_functions_is_an_error() {
        let gate = Gate::default();
        let of = |text: &str| {
            let errors = gate.errors("a.ts", text).expect("judged");
            errors.into_iter().map(|at| text[at].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of("res.on('close', () => void (await make()).close());"), ["await make()"]);
        assert_eq!(of("class A { m() { return await f(); } static { g(); } }"), ["await f()"]);
        for sound in [
            "await main();",
            "async () => { await f(); for await (const x of y) g(x); };",
            "class A { async m() { return await f(); } async *g() { yield await f(); } }",
            "const o = { async m() { await f(); } }; (async function () { await f(); })();",
        ] {
            assert!(of(sound).is_empty(), "{sound}");
        }
    }

    #[test]
    fn a_name_is_unbound_where_nothing_declares_it() {
        let gate = Gate::default();
        let of = |text: &str| gate.unbound("a.ts", text).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(of("export const size = (): number => inFlight.size;\ndraining = true;"), ["inFlight", "draining"]);
        assert!(
            of("import a, { b as c } from 'x';\nimport * as d from 'y';\nlet e = 1;\nfunction f(g: string, { h, i: [j] } = {} as any) { try { a(c, d, e, g, h, j); } catch (k) { f(k); } }\nfor (const l of []) f(l);\nclass M { n = 1; o() { return new M().n; } }\nenum P { A }\nP.A;\nnamespace Q { export const r = 1; }\nQ.r;")
                .is_empty()
        );
        assert!(
            of("setTimeout(() => console.log(process.pid, new AbortController(), Math.PI, undefined), 1);").is_empty()
        );
    }
}
