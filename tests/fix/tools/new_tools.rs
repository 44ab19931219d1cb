//! Small programs with a tool that is put beside another.

use mcp_migrate::render::typescript::scripts::Scripts;
use mcp_migrate::render::typescript::tools::{self, Kind, NewTool, Parameter};

use super::cases::Case;
use super::program::{applied, refusal, tool};

/// What becomes of the programs where a create tool goes before a tool, and a destroy tool behind it.
pub fn with_tool(case: &Case) -> String {
    let scripts = Scripts::new(case);
    let beside = tool(case, &scripts);
    let owner = if case.get("owner") == Some("yes") { ", ownerOf({auth})" } else { "" };
    let text = |text: &str| text.to_owned();
    let destroys = case.get("new") == Some("destroy");
    let new = if destroys {
        NewTool {
            name: text("destroy_basket"),
            description: vec![text("Discard a basket.")],
            parameters: vec![Parameter {
                name: text("basket_id"),
                kind: Kind::Handle {
                    description: text("basket_id returned by create_basket"),
                    source: text("create_basket"),
                },
            }],
            body: vec![format!("await baskets.destroy(basket_id{owner});")],
            text: text("Destroyed ${basket_id}"),
            structured: Vec::new(),
            text_alone: false,
            lists: false,
        }
    } else {
        NewTool {
            name: text("create_basket"),
            description: vec![text("Create a basket and return its basket_id."), text("A basket ${baskets.lifetime}.")],
            parameters: match case.get("parameters") {
                Some("none") => Vec::new(),
                _ => vec![Parameter { name: text("currency"), kind: Kind::Text(text("'EUR'")) }],
            },
            body: vec![format!("const basket_id = await baskets.create({{ currency, lines: [] }}{owner});")],
            text: text("Created basket ${basket_id}"),
            structured: vec![text("basket_id")],
            text_alone: false,
            lists: false,
        }
    };
    let ahead = case.get("ahead").map(|needle| {
        let at = case.files[0].1.find(needle).expect("it is there");
        mcp_migrate::model::facts::Span::new(at, at + needle.len())
    });
    match tools::insert(&scripts, &beside, std::slice::from_ref(&beside), !destroys, &new, ahead) {
        Ok(changes) => applied(case, changes),
        Err(refused) => refusal(case, &refused),
    }
}

/// What becomes of the answers of a handler that has created a value by then.
pub fn with_id(case: &Case) -> String {
    let scripts = Scripts::new(case);
    let tool = tool(case, &scripts);
    let handler = scripts.at(&tool.handler).expect("the handler");
    let behind = case.files[0].1.find("create(").expect("it creates a value");
    match tools::append_to_answers(handler.script, handler.node, behind, "basket_id") {
        Ok(changes) => applied(case, changes),
        Err(refused) => refusal(case, &refused),
    }
}
