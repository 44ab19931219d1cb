//! Code: expressions, patterns, functions, control flow.

use super::{dump, is, same, ts, tsx};

#[test]
fn names_resolve_by_scope_and_are_hoisted() {
    is(
        "use(); function use() { late; } let late = 1; { let late = 2; late; } late; nowhere;",
        "top: use()
         use: late
         top: late := _
         top: late'2 := _
         top: late'2
         top: late
         top: ~nowhere",
    );
    is(
        "function f(x) { if (x) { var v = 1; const c = 2; } v; c; } try {} catch (e) { e; } e;",
        "f: x
         f: v := _
         f: c := _
         f: v
         f: ~c
         top: e
         top: ~e",
    );
    is(
        "const g = function self() { self; arguments; }; self;",
        "self: self
         self: ~arguments
         top: g := fn(self)
         top: ~self",
    );
}

#[test]
fn a_function_of_a_block_is_seen_in_the_whole_function() {
    is(
        "if (a) { function g() {} g(); } g();",
        "top: ~a
         top: g()
         top: g()",
    );
}

#[test]
fn undefined_is_absent_unless_it_is_a_name() {
    is(
        "undefined; null; void 0; function f(undefined) { return undefined; }",
        "top: absent
         top: absent
         top: _
         f: return undefined",
    );
}

#[test]
fn what_is_transparent_leaves_no_trace() {
    is(
        "(await (a!))?.b; a?.[k]?.(x); (a satisfies T); a as const; a as any; a as unknown as T; <T>a; <any>a;",
        "top: ~a.b
         top: ~a[~k](~x)
         top: ~a
         top: ~a
         top: ~a
         top: (~a as T)
         top: (~a as T)
         top: ~a",
    );
}

#[test]
fn calls_and_constructions() {
    is(
        "f(a, ...b); new X; new a.B(1); tag`a${x}b`; super_; import.meta.url; import('m'); import(m); new (f())();",
        "top: ~f(~a, ...~b)
         top: new ~X()
         top: new ~a.B(_)
         top: ~tag(['a', 'b'], ~x)
         top: ~super_
         top: ?().url
         top: require('m')
         top: ?(~m)
         top: new ~f()()",
    );
}

#[test]
fn operators() {
    is(
        "a ?? b; a || b || c; a && b; c ? a : b; a === b; a instanceof B; k in o; #p in o; !a; typeof a; a * b * c; -1;",
        "top: coalesce(~a, ~b)
         top: coalesce(~a, ~b, ~c)
         top: and(~a ? ~b)
         top: branch(~c ? ~a, ~b)
         top: (~a === ~b)
         top: (~a instanceof ~B)
         top: (~k in ~o)
         top: ('#p' in ~o)
         top: ?(~a)
         top: ?(~a)
         top: ?(~a, ~b, ~c)
         top: ?(_)",
    );
}

#[test]
fn a_sum_is_a_text_once_an_operand_is() {
    is(
        "a + b + c; 'x' + a + b; a + b + 'x' + c; a + (b + 'x'); `p${a}q`; `p`; ``; `a` + b;",
        "top: ?(~a, ~b, ~c)
         top: text('x', ~a, ~b)
         top: text(?(~a, ~b), 'x', ~c)
         top: text(~a, text(~b, 'x'))
         top: text('p', ~a, 'q')
         top: 'p'
         top: ''
         top: text('a', ~b)",
    );
}

#[test]
fn assignments() {
    is(
        "(x as any as T) = v; o.p = v; o[k] ??= v; a ||= v; a &&= v; n += 1; n++; delete o[k]; a = b = c;",
        "top: ~x = ~v
         top: ~o.p = ~v
         top: ~o[~k] ?= ~v
         top: ~a ?= ~v
         top: ~a = ~v
         top: ~n += _
         top: ~n += _
         top: delete ~o[~k]
         top: ~a = ~b = ~c",
    );
}

#[test]
fn a_sequence_is_its_last_value() {
    is(
        "x = (a(), b);",
        "top: ~a()
         top: ~x = ~b",
    );
}

#[test]
fn patterns_of_declarations() {
    is(
        "const { a, b: c = 1, 'd-e': f, [k]: g, h: { i }, ...r } = v;",
        "top: a := ~v.a
         top: c := default(~v.b, _)
         top: f := ~v['d-e']
         top: g := ~v[~k]
         top: i := ~v.h.i
         top: r := {...~v}",
    );
    is(
        "const [p, , q = 2, ...s] = v;",
        "top: p := ~v.0
         top: q := default(~v.2, _)
         top: s := ?(~v)",
    );
}

#[test]
fn patterns_of_assignments() {
    is(
        "let a, b; [a, b] = [b, a]; ({ a, b: o.p, c: b = 1 } = v);",
        "top: a = [b, a].0
         top: b = [b, a].1
         top: a = ~v.a
         top: ~o.p = ~v.b
         top: b = default(~v.c, _)",
    );
}

#[test]
fn loops_yield_elements() {
    is(
        "for (const [id, e] of map) { id; } for (const k in o) {} for (x of y) {} for await (const z of s) z;",
        "top: id := item(~map).0
         top: e := item(~map).1
         top: id
         top: k := key(~o)
         top: ~x = item(~y)
         top: z := item(~s)
         top: z",
    );
    is(
        "for (let i = 0, n = 3; i < n; i++) f(i); i; for (;;) {} while (a) b; do c; while (d);",
        "top: i := _
         top: n := _
         top: (i < n)
         top: ~f(i)
         top: i += _
         top: ~i
         top: ~a
         top: ~b
         top: ~c
         top: ~d",
    );
}

#[test]
fn parameters() {
    let module = ts("function f(this: X, { a }, b = a, [c]: T = d, ...rest) { rest; }");
    same(
        &dump::code(&module),
        "f: a := #0.a
         f: b := default(b, a)
         f: #2 := default(#2, ~d)
         f: c := #2.0
         f: rest",
    );
    let function = &module.functions[1];
    let flags: Vec<(bool, bool)> = function.params.iter().map(|param| (param.rest, param.optional)).collect();
    assert_eq!(flags, [(false, false), (false, true), (false, true), (true, false)]);
}

#[test]
fn functions_return_throw_and_yield() {
    let module = ts(
        "const f = async (x) => x; const o = { m() { return 1; }, get g() { return 2; }, set g(v) {}, k: () => {} };
         function* y() { yield 1; yield* f(); return; } function t() { throw new E(); }",
    );
    same(
        &dump::code(&module),
        "f: return x
         top: f := fn(f)
         m: return _
         g: return _
         top: o := {m: fn(m), g: fn(g), g: fn(g), k: fn(k)}
         y: yield _
         y: yield item(f())
         y: return
         t: throw new ~E()",
    );
    let kinds: Vec<String> = module.functions[1..]
        .iter()
        .map(|function| {
            format!(
                "{} {:?} returns {} throws {}",
                function.name.map_or("", |name| name.text()),
                function.kind,
                function.returns.len(),
                function.throws.len()
            )
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "f Anonymous returns 1 throws 0",
            "m Method returns 1 throws 0",
            "g Getter returns 1 throws 0",
            "g Setter returns 0 throws 0",
            "k Anonymous returns 0 throws 0",
            "y Named returns 0 throws 0",
            "t Named returns 0 throws 1",
        ]
    );
}

#[test]
fn functions_are_named_by_what_they_are_assigned_to() {
    let module = ts("o.handler = () => {}; transport.onclose = function () {}; let x; x = () => {}; f(() => {});");
    let names: Vec<Option<&str>> =
        module.functions[1..].iter().map(|function| function.name.map(|name| name.text())).collect();
    assert_eq!(names, [Some("handler"), Some("onclose"), Some("x"), None]);
    assert_eq!(module.functions[1].name_span.start, 2);
}

#[test]
fn object_literals() {
    is(
        "f({ a: 1, 'b-c': 2, 3: x, [k]: y, s, ...t, async m() {} });",
        "top: ~f({a: _, b-c: _, 3: ~x, [~k]: ~y, s: ~s, ...~t, m: fn(m)})",
    );
    is("[a, ...b, , c];", "top: [~a, item(~b), ~c]");
}

#[test]
fn texts_are_cooked() {
    is(r#"f('a\'b', "\x41\u{42}");"#, r#"top: ~f('a'b', 'AB')"#);
}

#[test]
fn jsx_is_evaluated_and_no_more() {
    let module = tsx("const view = <Panel title={t} on={() => go(x)}><div>{name}</div>{...xs}</Panel>;");
    let code = dump::code(&module);
    for used in ["~Panel", "~t", "fn(", "~name", "~xs"] {
        assert!(code.contains(used), "{used} in {code}");
    }
    assert!(!code.contains("~div"), "{code}");
}

#[test]
fn branches_know_what_leaves() {
    let text = "function f() { if (!a) throw e; else if (b) { return; } else { c(); } if (d) { x(); } }
        for (;;) { if (g) continue; if (h) { if (i) break; else return; } }";
    same(
        &dump::branches(&ts(text), text),
        "?(~a) => throw e; leaves | if (b) { return; } else { c(); }
         ~b => { return; } leaves | { c(); }
         ~d => { x(); }
         ~g => continue; leaves
         ~h => { if (i) break; else return; } leaves
         ~i => break; leaves | return; leaves",
    );
    let text =
        "while (a) { b(); } for (; c; ) {} x ? y : z; try { if (q) { try { return; } finally { d(); } } } catch {}";
    same(
        &dump::branches(&ts(text), text),
        "~a => { b(); }
         ~c => {}
         ~x => y | z
         ~q => { try { return; } finally { d(); } } leaves",
    );
}

#[test]
fn a_case_compares_and_shares_the_next_body() {
    let text =
        "switch (req.method) { case 'GET': case 'HEAD': read(); break; case 'POST': return write(); default: no(); }";
    same(
        &dump::branches(&ts(text), text),
        "(~req.method === 'GET') => read(); break;
         (~req.method === 'HEAD') => read(); break;
         (~req.method === 'POST') => return write(); leaves",
    );
}

#[test]
fn parents_are_the_enclosing_expressions() {
    let module = ts("const { a, b } = f(x.y);");
    for id in module.expr_ids() {
        let text = dump::expr(&module, id);
        let parent = module.expr(id).parent.map(|id| dump::expr(&module, id));
        let expected = match text.as_str() {
            "~f" | "~x.y" => Some("~f(~x.y)"),
            "~x" => Some("~x.y"),
            // Shared by two reads, owned by the first.
            "~f(~x.y)" => Some("~f(~x.y).a"),
            "a" | "~f(~x.y).a" => Some("a := ~f(~x.y).a"),
            "b" | "~f(~x.y).b" => Some("b := ~f(~x.y).b"),
            _ => None,
        };
        assert_eq!(parent.as_deref(), expected, "{text}");
    }
}

#[test]
fn using_declares() {
    is(
        "using a = f(); await using b = a;",
        "top: a := ~f()
         top: ?()
         top: b := a
         top: ?()",
    );
}

#[test]
fn labels_and_with_are_walked() {
    let module = mcp_migrate::lower::typescript::lower(
        "a.js",
        mcp_migrate::model::facts::Language::JavaScript,
        "outer: for (const a of b) { continue outer; } with (o) { p; }",
    )
    .expect("lowers");
    same(
        &dump::code(&module),
        "top: a := item(~b)
         top: ~o
         top: ~p",
    );
}
