//! Constructs of the language, each with the code it becomes.

use mcp_migrate::model::facts::{Exported, Imported};

use super::{is, rust};

#[test]
fn a_later_variable_shadows_an_earlier() {
    is(
        "fn f(x: A) { let x = g(x); let x = h(x); x }",
        "f: x'2 := ~g(x)
         f: x'3 := ~h(x'2)
         f: return x'3",
    );
}

#[test]
fn the_happy_path_is_the_value() {
    is(
        "async fn f(a: A) -> Result<B, E> { let b = a.get().lock().await.unwrap().clone(); let c = g(&b)?; Ok(Some(c)) }",
        "f: b := a
         f: c := ~g(b)
         f: return c",
    );
}

#[test]
fn errors_leave() {
    is(
        "fn f(a: A) -> R { if a.bad() { return Err(no()); } bail!(\"x\") }",
        "f: a.bad()
         f: throw ~no()
         f: throw 'x'",
    );
    let module = rust(
        "fn f(a: A) -> R { let b = a.key().ok_or_else(|| no())?; match b { Some(c) => Ok(c), None => Err(gone()) } }",
    );
    let leaving = module.branches.iter().filter(|branch| branch.then_leaves).count();
    assert_eq!(leaving, 2, "the missing key and the missing value");
    assert_eq!(module.functions.iter().map(|function| function.throws.len()).sum::<usize>(), 2);
}

#[test]
fn changing_through_a_guard_changes_the_place() {
    is(
        "impl S { fn f(&self) { let mut n = self.count.lock().unwrap(); *n += 1; *self.open.write() = Some(2); } }
         struct S;",
        "f: n := this<S>.count
         f: this<S>.count += _
         f: this<S>.open = _",
    );
    is(
        "impl S { fn f(&self) { let old = std::mem::take(&mut *self.draft.lock().unwrap()); self.n.fetch_add(1, Ordering::Relaxed); } }
         struct S;",
        "f: this<S>.draft = ~Default.default()
         f: old := this<S>.draft
         f: this<S>.n
         f: this<S>.n += _",
    );
}

#[test]
fn a_copy_is_another_place_except_behind_a_lock() {
    is(
        "impl S { fn f(&self) { let c = self.a.clone(); *c.lock().unwrap() = 1; let mut d = self.b.clone(); *d = 2; } }
         struct S;",
        "f: c := this<S>.a
         f: this<S>.a = _
         f: d := this<S>.b
         f: d = _",
    );
}

#[test]
fn an_entry_is_one_call() {
    is(
        "fn f(m: M, k: K) { m.entry(k).or_default().push(1); m.entry(k).or_insert_with(Vec::new); }",
        "f: m.entry(k, ~Default.default()).push(_)
         f: m.entry(k, ~Vec.new())",
    );
}

#[test]
fn structs_are_classes() {
    let module = rust(
        "#[derive(Default)] pub struct A { x: Arc<Mutex<Vec<B>>>, y: u8 }
         struct B(u8);
         enum E { One, Two(B), Three { b: B } }
         impl A { fn new() -> Self { Self { x: Arc::default(), y: 1 } } fn go(&self) {} }
         impl fmt::Display for A { fn fmt(&self, f: &mut F) -> R { write!(f, \"a\") } }",
    );
    let names: Vec<String> = module.classes.iter().map(|class| class.name.unwrap().to_string()).collect();
    assert_eq!(names, ["A", "B", "E"]);
    let methods = |at: usize| -> Vec<String> {
        let methods = module.classes[at].methods.iter().map(|id| module.function(*id));
        methods.map(|m| format!("{}{}", if m.is_static { "::" } else { "" }, m.name.unwrap())).collect()
    };
    assert_eq!(methods(0), ["::default", "::new", "go", "fmt"]);
    assert_eq!(methods(2), ["::One", "::Two", "::Three"]);
    assert_eq!(module.classes[0].fields.len(), 2);
    assert_eq!(module.function(module.classes[1].constructor).params.len(), 1);
}

#[test]
fn tests_are_left_out() {
    let module = rust("fn a() {} #[cfg(test)] mod tests { fn b() {} } #[test] fn c() {} #[cfg(not(test))] fn d() {}");
    let names: Vec<_> = module.functions.iter().filter_map(|function| function.name).collect();
    assert_eq!(names, ["a", "d"]);
}

#[test]
fn uses_become_imports() {
    let module = rust(
        "mod state; mod inline { pub fn h() {} } use state::{Store, deep::{self as d, Thing}};
         use inline::h; use rmcp::{ErrorData, model::*}; use std::mem; fn f() { h(); mem::take(&mut x()); tokio::spawn(g()); }",
    );
    let imports: Vec<String> = module
        .imports
        .iter()
        .map(|import| match import.imported {
            Imported::Named(name) => format!("{}: {name}", import.source),
            _ => import.source.to_string(),
        })
        .collect();
    assert_eq!(
        imports,
        [
            "self::state",
            "self::state: Store",
            "self::state: deep",
            "self::state::deep: Thing",
            "rmcp: ErrorData",
            "std: mem",
            "std::mem: take",
            "tokio: spawn"
        ]
    );
    assert!(
        module
            .exports
            .iter()
            .any(|export| matches!(&export.what, Exported::All { source } if *source == "rmcp::model"))
    );
    assert!(module.exports.iter().any(|export| export.name == "h"));
}

#[test]
fn format_texts_name_variables() {
    is(
        "fn f(id: A) { g(format!(\"session:{id}:{}\", h())); info!(%id, count = 3, \"{{x}} {id:?}\"); }",
        "f: ~g(text('session:', id, ':', ~h()))
         f: ~info!(id, _, '{x} ', id)",
    );
}

#[test]
fn macros_are_looked_through() {
    let module = rust("fn f(s: S) { tokio::select! { x = s.next() => { s.put(x); } _ = other() => {} } }");
    let code = super::dump::code(&module);
    assert!(code.contains("s.next()") && code.contains("s.put("), "{code}");
    let module = rust("lazy_static! { static ref MAP: Mutex<HashMap<String, u8>> = Mutex::new(HashMap::new()); }");
    assert!(module.symbols.iter().any(|symbol| symbol.name == "MAP" && symbol.init.is_some()));
}

#[test]
fn patterns_bind_parts() {
    is(
        "fn f(Parameters(Add { sku, many: (a, _) }): Parameters<Add>) { for (k, v) in sku.iter() { g(k, v); } }",
        "f: sku := #0.sku
         f: a := #0.many.0
         f: k := item(sku).0
         f: v := item(sku).1
         f: ~g(k, v)",
    );
}
