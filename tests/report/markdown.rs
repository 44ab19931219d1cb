//! The migration report.

use mcp_migrate::classify::answer::{Carrier, Holds, Principal};
use mcp_migrate::report::markdown::{LIMIT, brief, render};
use mcp_migrate::report::places::Base;
use mcp_migrate::report::scan::{Parts, Scan};

use crate::sample;

#[test]
fn the_whole_report() {
    insta::assert_snapshot!(render(&sample::scan(), None, &Base::root()));
}

#[test]
fn nothing_found() {
    let scan = Scan::assemble(Parts::default());
    insta::assert_snapshot!(render(&scan, None, &Base::root()));
    insta::assert_snapshot!(brief(&scan, None, &Base::root()));
}

#[test]
fn stores_of_one_kind_are_one_decision() {
    let mut parts = sample::parts();
    let cart = parts.servers.iter_mut().find(|s| !s.stores.is_empty()).expect("a server");
    for store in &mut cart.stores {
        (store.holds, store.carrier) = (Holds::Guard, Carrier::Manual);
    }
    let text = render(&Scan::assemble(parts), None, &Base::root());
    assert!(text.contains("### 1. `transports`, `baskets`, `tokens`: a guard\n"), "{text}");
    assert!(!text.contains("### 2. "), "{text}");
    assert!(text.contains("Each user is known (`packages/cart/src/auth.ts:9`)"), "{text}");
}

#[test]
fn gateways_have_their_options_with_places() {
    for (principal, words) in [
        (Principal::None, "Nobody is authenticated here yet"),
        (Principal::App, "does not tell callers apart"),
        (Principal::User, "issuer, client and subject"),
    ] {
        let mut parts = sample::parts();
        let cart = parts.servers.iter_mut().find(|s| !s.stores.is_empty()).expect("a server");
        cart.principal = principal;
        cart.stores.retain(|s| s.name == "baskets");
        (cart.stores[0].holds, cart.stores[0].carrier) = (Holds::Upstream, Carrier::Manual);
        let text = render(&Scan::assemble(parts), None, &Base::root());
        assert!(text.contains(words), "{text}");
        assert!(text.contains("Route by a cookie or a header"), "{text}");
        assert!(text.contains("`packages/cart/src/server.ts:8` (read, in tool add_item)"), "{text}");
    }
}

#[test]
fn long_reports_are_shortened_and_short_ones_stay_short() {
    let mut parts = sample::parts();
    let cart = parts.servers.iter_mut().find(|s| !s.stores.is_empty()).expect("a server");
    let template = cart.stores.clone();
    for i in 0..400 {
        for store in &template {
            let mut store = store.clone();
            store.name = format!("{}{i}", store.name);
            store.id = format!("{}{i}", store.id);
            store.at.line += 10 * i;
            cart.stores.push(store);
        }
    }
    let template = parts.servers.clone();
    for i in 0..40 {
        parts.servers.extend(template.iter().cloned().map(|mut server| {
            server.path = format!("{}{i}", server.path);
            server.stores.truncate(3);
            server
        }));
    }
    let scan = Scan::assemble(parts);
    let text = render(&scan, None, &Base::root());
    assert!(text.chars().count() <= LIMIT);
    assert!(text.contains("> Shortened to 65536 characters: "), "{}", &text[text.len() - 500..]);
    let short = brief(&scan, None, &Base::root());
    assert!(short.lines().count() <= 60, "{short}");
    assert!(short.contains("stores more: `mcp-migrate report` lists them."), "{short}");
}

#[test]
fn names_of_the_code_are_not_markup() {
    let mut parts = sample::parts();
    let cart = parts.servers.iter_mut().find(|s| !s.stores.is_empty()).expect("a server");
    cart.stores[0].name = "a`|b".to_owned();
    cart.stores[0].tools = vec!["<img src=x>\n# head".to_owned()];
    parts.findings[0].message = "in tool <b>@team</b> [x](y)".to_owned();
    let text = render(&Scan::assemble(parts), None, &Base::root());
    assert!(text.contains("`` a`\\|b ``"), "{text}");
    assert!(!text.contains("\n# head"), "{text}");
    assert!(text.contains("&lt;b&gt;@\u{2060}team&lt;/b&gt; \\[x\\](y)"), "{text}");
}
