//! Handlers that return their answer: the server of the request closes when the answer has been read.

use tree_sitter::Node;

use super::fold::{Fold, any};
use crate::plan::transport::Fact;
use crate::plan::web::Framework;
use crate::render::typescript::entry::{Entry, Generator, Serve};
use crate::render::typescript::script::{bare, children, enclosing_function, span, statement};

/// Names that the emitted code declares.
const DECLARED: &[&str] = &["response", "readable", "writable"];

impl<'w> Fold<'w> {
    /// Closes the servers of answers that are returned.
    pub fn close_returned(&mut self) {
        for unit in 0..self.world.units.len() {
            for answer in self.places(unit, &Fact::Handle) {
                if self.runs(unit, answer)
                    && self.argument(answer, 1).is_none_or(|second| bare(second).kind() == "object")
                {
                    self.close_with_answer(unit, answer);
                }
            }
        }
    }

    fn close_with_answer(&mut self, unit: usize, answer: Node<'w>) -> Option<()> {
        let file = &self.world.units[unit];
        let script = &file.script;
        let function = enclosing_function(answer)?;
        let at = statement(answer);
        let returned =
            at.kind() == "return_statement" && children(at).first().is_some_and(|value| bare(*value) == answer);
        if !returned || self.sessionless_already(unit, function) {
            return None;
        }
        let taken = any(function, &mut |node| node.kind() == "identifier" && DECLARED.contains(&script.of(node)));
        let waits = function.child(0).is_some_and(|first| first.kind() == "async");
        if taken || !waits {
            return None;
        }
        let transport = answer.child_by_field_name("function")?.child_by_field_name("object")?;
        let transport = self.edits[unit].edited(script, transport);
        let server = match self
            .places(unit, &Fact::Connect)
            .into_iter()
            .find(|node| enclosing_function(*node) == Some(function))
        {
            Some(connect) => self.named_server(unit, connect, function)?,
            None => transport.clone(),
        };
        let json = any(function, &mut |node| {
            node.kind() == "pair" && script.of(node).replace(' ', "") == "enableJsonResponse:true"
        });
        let list = answer.child_by_field_name("arguments")?;
        let arguments = self.edits[unit].edited(script, list);
        let options: &[&str] = if json { &["enableJsonResponse: true"] } else { &[] };
        let serve = Serve {
            made: None,
            build: "",
            server: &server,
            closes: &server,
            transport: &transport,
            class: "",
            generator: Generator::LeftOut,
            options,
            method: "connect",
            cast: "",
            arguments: &arguments[1..arguments.len() - 1],
            guarded: false,
        };
        let entry = Entry { style: &script.style, framework: Framework::Web, request: "", response: "", types: None };
        let text = entry.serve(&serve);
        let tail = &text[text.find(if json { "try {" } else { "const response" })?..];
        let indent = self.edits[unit].indentation(script, at).to_owned();
        self.edits[unit].replace(span(at), script.indented(tail, &indent));
        Some(())
    }

    /// The variable that holds the server of a connection; where it has none, it gets one.
    fn named_server(&mut self, unit: usize, connect: Node<'w>, function: Node<'w>) -> Option<String> {
        let script = &self.world.units[unit].script;
        let receiver = connect.child_by_field_name("function")?.child_by_field_name("object")?;
        if bare(receiver).kind() == "identifier" {
            return Some(self.edits[unit].edited(script, bare(receiver)));
        }
        let name = ["server", "mcpServer", "requestServer"]
            .into_iter()
            .find(|name| !any(function, &mut |node| node.kind() == "identifier" && script.of(node) == *name))?;
        let at = statement(connect);
        let made = if receiver.kind() == "parenthesized_expression" { *children(receiver).first()? } else { receiver };
        let end = if script.style.semicolons { ";" } else { "" };
        let indent = self.edits[unit].indentation(script, at).to_owned();
        let made = self.edits[unit].edited(script, made);
        let text = format!("const {name} = {made}{end}{}{indent}", script.style.newline);
        self.edits[unit].insert(at.start_byte(), text);
        self.edits[unit].replace(span(receiver), name);
        Some(name.to_owned())
    }
}
