//! Declarations: classes, types, modules.

use super::{dump, is, same, ts};

#[test]
fn fields_are_initialised_in_the_constructor() {
    let module = ts("class Shop<T> extends Base<T> implements Api {
            #items = new Map<string, T>(); static shared = 1; readonly size: number; handle = () => this.size;
            constructor(private readonly db: Db, plain) { super(db); this.size = plain; }
            get total(): number { return this.#items.size; }
            static make() { return new Shop(); } static get one() { return 1; }
            abstract later(): void;
            run(a: string): void; run(a) { [].map(() => this); (function () { this; }); }
            static { Shop.shared; }
        }");
    same(
        &dump::code(&module),
        "top: ~Base
         new Shop: this<Shop>.#items := new ~Map()
         top: Shop.shared := _
         handle: return this<Shop>.size
         new Shop: this<Shop>.handle := fn(handle)
         new Shop: this<Shop>.db := db
         new Shop: super<Shop>(db)
         new Shop: this<Shop>.size = plain
         total: return this<Shop>.#items.size
         make: return new Shop()
         one: return _
         fn8: return this<Shop>
         run: [].map(fn(fn8))
         fn9: this<>
         run: fn(fn9)
         top: Shop.shared",
    );
    let class = &module.classes[0];
    let fields: Vec<String> = class
        .fields
        .iter()
        .map(|field| {
            let ty = field.ty.map_or_else(|| "-".to_owned(), |ty| dump::ty_text(&module, ty));
            format!(
                "{} {ty} static={} readonly={} init={}",
                field.name,
                field.is_static,
                field.readonly,
                field.init.is_some()
            )
        })
        .collect();
    assert_eq!(
        fields,
        [
            "#items - static=false readonly=false init=true",
            "shared - static=true readonly=false init=true",
            "size number static=false readonly=true init=false",
            "handle - static=false readonly=false init=true",
            "db Db static=false readonly=true init=false",
        ]
    );
    let methods: Vec<String> = class
        .methods
        .iter()
        .map(|&id| {
            let function = module.function(id);
            format!("{:?} {:?} static={}", function.name.unwrap(), function.kind, function.is_static)
        })
        .collect();
    assert_eq!(
        methods,
        [
            "\"total\" Getter static=false",
            "\"make\" Method static=true",
            "\"one\" Getter static=true",
            "\"later\" Method static=false",
            "\"run\" Method static=false",
        ]
    );
    assert_eq!(dump::ty_text(&module, class.implements[0]), "Api");
    let made = module.expr_ids().find(|&id| dump::expr(&module, id) == "new ~Map()").unwrap();
    let args: Vec<String> = module.type_args_of(made).iter().map(|&ty| dump::ty_text(&module, ty)).collect();
    assert_eq!(args, ["string", "_"]);
}

#[test]
fn classes_without_a_constructor_have_one() {
    let module = ts("const A = class { x = f(); }; export default class extends A {}");
    same(
        &dump::code(&module),
        "new A: this<A>.x := ~f()
         top: A := class(A)
         top: A
         top: class(class1)",
    );
    assert_eq!(module.classes.len(), 2);
}

#[test]
fn decorators_are_recorded() {
    let module = ts(
        "@Injectable() export class A { @Get('x') m(@Body() b: B) {} @Prop() p; constructor(@Inject(X) private readonly x: X) {} }",
    );
    same(
        &dump::code(&module),
        "top: ~Injectable()
         top: ~Get('x')
         top: ~Body()
         top: ~Prop()
         top: ~Inject(~X)
         new A: this<A>.x := x",
    );
    assert_eq!(module.classes[0].decorators.len(), 1);
    assert_eq!(module.function(module.classes[0].methods[0]).decorators.len(), 1);
}

#[test]
fn enum_values_flow_through_members() {
    is(
        "enum Header { Session = 'mcp-session-id', Other } h[Header.Session];",
        "top: Header.Session := 'mcp-session-id'
         top: ~h[Header.Session]",
    );
}

#[test]
fn namespaces_and_ambient_code() {
    let module = ts("namespace A.B { export const q = 1; q; } declare const x: T; declare function f(a): R; f(x); A;
         declare module 'm' { export const inner: number; } declare global { interface Window {} }
         declare class D { m(x: string): void; y: number } new D().m(x);");
    same(
        &dump::code(&module),
        "top: q := _
         top: q
         top: f(x)
         top: A
         top: new D().m(x)",
    );
    assert_eq!(dump::symbol_type(&module, "x"), "T");
    assert!(module.exports.is_empty());
    assert_eq!(module.classes[0].methods.len(), 1);
}

#[test]
fn overloads_are_one_function() {
    let module = ts(
        "export function f(a: string): void; export function f(a: number): void; export function f(a) { a; }\nf(1);",
    );
    same(
        &dump::code(&module),
        "f: a'3
         top: f(_)",
    );
    same(&dump::exports(&module), "f: f");
    let symbol = module.symbols.iter().find(|symbol| symbol.name == "f").unwrap();
    assert_eq!(format!("{:?}", symbol.kind), "Function(FuncId(3))");
}

#[test]
fn types() {
    for (written, expected) in [
        ("string", "string"),
        ("any", "_"),
        ("Map<string, Basket>", "Map<string, #Basket>"),
        ("http.IncomingMessage", "#http.IncomingMessage"),
        ("Entry[]", "Entry![]"),
        ("readonly Entry[]", "Entry![]"),
        ("Promise<Readonly<Entry>>", "Entry!"),
        ("Entry | undefined | null", "Entry!"),
        ("string | number | Entry", "string | number | Entry!"),
        ("A & B", "A | B"),
        ("'a' | 'b'", "_ | _"),
        ("typeof here", "typeof here"),
        ("ReturnType<typeof make>", "typeof make()"),
        ("Awaited<ReturnType<typeof make>>", "typeof make()"),
        ("InstanceType<typeof Basket>", "#Basket"),
        ("(a: string, b?: Entry) => Promise<Entry>", "(string, Entry!) => Entry!"),
        ("{ a: string; [k: string]: Entry; m(x: A): B }", "{a: string; m: (A) => B; []: Entry!}"),
        ("[string, Entry]", "{0: string; 1: Entry!}"),
        ("{ [K in Keys]?: Entry }", "_"),
        ("T extends U ? X : Y", "_"),
        ("import('m').Thing", "#Thing"),
        ("import('m').Thing[]", "#Thing[]"),
        ("Map<string, import('m').Thing<import(\"n\").A.B>>", "Map<string, #Thing<#A.B>>"),
        ("typeof import('m')", "typeof require('m')"),
        ("Kind", "#Kind!"),
        ("Basket['lines']", "_"),
        ("{ (a: A): B }", "(A) => B"),
    ] {
        let module = ts(&format!(
            "import * as http from 'http'; import {{ Basket }} from './b'; const here = 1; function make() {{}}
             let it: {written};
             interface Entry {{ title: string }} enum Kind {{ A }}"
        ));
        assert_eq!(dump::symbol_type(&module, "it"), expected, "{written}");
    }
}

#[test]
fn type_parameters_shadow() {
    let module = ts(
        "type T = { a: string }; function f<T>(x: T) {} const y: T = 1; interface I<T> { t: T } class C<T> { t: T; }",
    );
    assert_eq!(dump::symbol_type(&module, "x"), "_");
    assert_eq!(dump::symbol_type(&module, "y"), "T!");
    assert_eq!(dump::ty_text(&module, module.type_decls[1].ty), "{t: _}");
    assert_eq!(dump::ty_text(&module, module.classes[0].fields[0].ty.unwrap()), "_");
}

#[test]
fn interfaces_extend_and_merge() {
    let module = ts("interface A extends B, C<D> { x: string } interface A { y: A; m?(): void }");
    assert_eq!(module.type_decls.len(), 1);
    let decl = &module.type_decls[0];
    assert_eq!(dump::ty_text(&module, decl.ty), "{x: string; y: A!; m: () => _}");
    let extends: Vec<String> = decl.extends.iter().map(|&ty| dump::ty_text(&module, ty)).collect();
    assert_eq!(extends, ["B", "C<D>"]);
}

#[test]
fn imports_in_all_spellings() {
    let module = ts(
        "import 'x'; import d, { a, type b as c, default as e } from 'm'; import * as ns from 'n'; import type T from 't';
         import type { U } from 'u'; import eq = require('q'); import json from './j.json' with { type: 'json' };
         import { 'odd name' as odd } from 'o'; d(a, e, ns, eq, odd);",
    );
    same(
        &dump::imports(&module),
        r#"-: Effects from 'x'
           d: Default from 'm'
           a: Named("a") from 'm'
           c: Named("b") from 'm' (type)
           e: Default from 'm'
           ns: Namespace from 'n'
           T: Default from 't' (type)
           U: Named("U") from 'u' (type)
           eq: Namespace from 'q'
           json: Default from './j.json'
           odd: Named("odd name") from 'o'"#,
    );
    same(&dump::code(&module), "top: d(a, e, ns, eq, odd)");
}

#[test]
fn exports_in_all_spellings() {
    let module = ts(
        "export const { a, b: [c] } = v, d = 1; export function f() {} export class K {} export interface I {} export type Y = I;
         export enum E {} export { x, x as y, I as J, type Y as Z }; let x;
         export { p as q, default as r } from 'm'; export * from 'n'; export * as ns from 'o'; export type { U } from 'u';
         export default x; export as namespace G; export type * from 'w';",
    );
    same(
        &dump::exports(&module),
        r#"q: Named("p") from 'm'
           r: Default from 'm'
           *: all from 'n'
           ns: Namespace from 'o'
           U: Named("U") from 'u'
           default: x
           *: all from 'w'
           a: a
           c: c
           d: d
           f: f
           K: K
           I: type I
           Y: type Y
           E: E
           E: type E
           x: x
           y: x
           J: type I
           Z: type Y"#,
    );
    same(&dump::exports(&ts("export default function run() {}")), "default: run");
    same(&dump::exports(&ts("export default async () => 1")), "default: fn(fn1)");
    same(&dump::exports(&ts("export default function () {}")), "default: fn(fn1)");
    same(&dump::exports(&ts("export default abstract class A {}")), "default: A");
    same(&dump::exports(&ts("export default interface I {}")), "default: type I");
    same(&dump::exports(&ts("const a = 1; export = a;")), "=: a");
    same(&dump::exports(&ts("export declare const z: T; export import B = A.C;")), "z: z\nB: B");
}

#[test]
fn commonjs() {
    let module = ts("const x = require('x'); const { McpServer, a: b } = require('sdk'); require('effects');
         module.exports = { x }; module.exports.y = x; exports.z = () => {}; require(name);");
    same(
        &dump::code(&module),
        "top: x := require('x')
         top: McpServer := require('sdk').McpServer
         top: b := require('sdk').a
         top: require('effects')
         top: ~module.exports = {x: x}
         top: ~module.exports.y = x
         top: ~exports.z = fn(z)
         top: ~require(~name)",
    );
    same(
        &dump::exports(&module),
        "=: {x: x}
         y: x
         z: fn(z)",
    );
}

#[test]
fn a_local_require_is_an_ordinary_function() {
    let module =
        ts("const require = createRequire(u); const x = require('x'); function f(module) { module.exports = 1; }");
    same(
        &dump::code(&module),
        "top: require := ~createRequire(~u)
         top: x := require('x')
         f: module.exports = _",
    );
    assert!(module.exports.is_empty());
    let call = module.symbols.iter().find(|s| s.name == "x").unwrap().init.unwrap();
    assert!(matches!(module.kind(call), mcp_migrate::model::facts::ExprKind::Call { .. }));
}

#[test]
fn types_of_imports_do_not_break_the_code_around_them() {
    let module =
        ts("class A { roster: import('./r.js').Roster | null = null; run() { return load<typeof import('./l')>(); } }
         const l = await import('./l'); export type { A };");
    same(
        &dump::code(&module),
        "new A: this<A>.roster := absent
         run: require('./l')
         run: return ~load()
         top: l := require('./l')",
    );
    same(&dump::imports(&module), r#"Roster: Named("Roster") from './r.js' (type)"#);
}
