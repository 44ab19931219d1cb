//! Constructs, by what they lower to.

use mcp_migrate::model::facts::{Imported, SymbolKind};

use super::{dump, is, py};

#[test]
fn an_assignment_anywhere_makes_a_name_local() {
    is(
        "x = 1\ndef f():\n    x\n    x = 2\ndef g():\n    global x\n    x = 3\ndef h():\n    y = 1\n    def inner():\n        nonlocal y\n        y = 2\n",
        "top: x := _
         f: x'2
         f: x'2 := _
         g: x = _
         h: y := _
         inner: y = _",
    );
}

#[test]
fn methods_do_not_see_the_names_of_the_class_body() {
    is(
        "class A:\n    items = []\n    def f(self):\n        return items\n    @classmethod\n    def g(cls):\n        return cls.items\n",
        "top: items := []
         top: class(A).items := items
         f: return ~items
         top: ~classmethod
         g: return A.items",
    );
}

#[test]
fn the_instance_is_this_and_its_fields_are_noted() {
    let module = py(
        "class A:\n    def __init__(self, x: int):\n        self.x = x\n        self._by: dict[str, int] = {}\n    def f(self):\n        self.late = lambda: self.x\n",
    );
    let fields: Vec<&str> = module.classes[0].fields.iter().map(|field| field.name.text()).collect();
    assert_eq!(fields, ["x", "_by", "late"]);
    assert!(dump::code(&module).contains("this<A>.x = x"), "{}", dump::code(&module));
}

#[test]
fn fields_of_records_are_parameters_of_the_constructor() {
    let module = py(
        "from dataclasses import dataclass, field\n@dataclass\nclass A:\n    n: int\n    xs: list[str] = field(default_factory=list)\n",
    );
    let constructor = module.function(module.classes[0].constructor);
    let names: Vec<&str> = constructor.params.iter().map(|param| module.symbol(param.symbol).name.text()).collect();
    assert_eq!(names, ["n", "xs"]);
    assert_eq!(constructor.params.iter().map(|param| param.optional).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn texts_of_every_spelling_are_put_together() {
    is(
        "'a:%s' % x\n'a:%s:%s' % (x, y)\n'a:{}'.format(x)\n'a:' + x\n':'.join(['a', x])\ng = f\"{x}\" 'y'\nb = b'h'\nx = 'a' 'b'\n",
        "top: 'a:%s'
         top: text('a:', x)
         top: 'a:%s:%s'
         top: [x, ~y]
         top: text('a:', x, ~y, ':%s')
         top: 'a:{}'.format
         top: text('a:', x)
         top: text('a:', x)
         top: ':'.join
         top: ['a', x]
         top: text('a', x)
         top: g := text(x, 'y')
         top: b := 'h'
         top: 'a'
         top: 'b'
         top: x := 'ab'",
    );
}

#[test]
fn defaults_and_fallbacks_are_choices() {
    is(
        "a or b or c\nd.get(k, 'x')\ngetattr(o, 'n', None)\ngetattr(o, 'n')\nsetattr(o, 'n', 1)\nx if c else y\na and b\n(n := f())\n",
        "top: coalesce(~a, ~b, ~c)
         top: default(~d.get(~k), 'x')
         top: 'n'
         top: default(~o.n, absent)
         top: 'n'
         top: ~o.n
         top: 'n'
         top: ~o.n = _
         top: branch(~c ? ~x, ~y)
         top: and(~a ? ~b)
         top: n := ~f()",
    );
}

#[test]
fn a_handler_takes_the_place_of_what_failed() {
    is(
        "def f():\n    try:\n        return h['x']\n    except KeyError:\n        return 'none'\n",
        "f: return ~h['x']
         f: ~KeyError
         f: return 'none'
         f: rescue(~h['x'], 'none')",
    );
}

#[test]
fn decorators_are_recorded_and_applied() {
    let module = py("@mcp.tool()\n@wraps\ndef f(): pass\n@property\ndef g(): pass\n");
    let code = dump::code(&module);
    assert!(code.contains("f := ~mcp.tool()(~wraps(fn(f)))"), "{code}");
    assert_eq!(module.functions[1].decorators.len(), 2);
}

#[test]
fn what_is_unpacked_is_read_by_position() {
    is(
        "a, (b, *c) = x\nfor k, v in d.items(): pass\nwith open(p) as f, g() as h: pass\n[i for i in xs if i]\n{k: v for k in xs}\n",
        "top: a := ~x.0
         top: b := ~x.1.0
         top: c := ?(~x.1)
         top: k := iterated(~d.items()).0
         top: v := iterated(~d.items()).1
         top: f := entered(~open(~p))
         top: h := entered(~g())
         top: i := iterated(~xs)
         top: i
         top: [i]
         top: k'2 := iterated(~xs)
         top: {[k'2]: v}",
    );
}

#[test]
fn annotations_are_read_in_every_spelling() {
    let text = "from __future__ import annotations\nfrom typing import Annotated, Optional\nfrom m import C\n\
                a: C\nb: C | None\nc: Optional[C]\nd: 'C'\ne: Annotated[C, 1]\nf: dict[str, list[C]]\ng: 'dict[str, C | None]'\nh: tuple[C, int]\n";
    let module = py(text);
    for (name, ty) in [
        ("a", "#C"),
        ("b", "#C"),
        ("c", "#C"),
        ("d", "#C"),
        ("e", "#C"),
        ("f", "dict<str, list<#C>>"),
        ("g", "dict<str, #C>"),
        ("h", "{0: #C; 1: int}"),
    ] {
        assert_eq!(dump::symbol_type(&module, name), ty, "{name}");
    }
}

#[test]
fn either_of_two_imports_may_be_meant() {
    let module = py("try:\n    from a import X\nexcept ImportError:\n    from b import X\n");
    let symbol = module.symbols.iter().find(|symbol| symbol.name == "X").expect("declared");
    assert_eq!(symbol.kind, SymbolKind::Variable { mutable: true });
    let bound = module.imports.iter().filter(|import| import.symbol.is_some());
    assert_eq!(bound.map(|import| import.source.text()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn imports_name_the_modules_that_they_may_mean() {
    let module = py(
        "import a.b\nfrom . import c\nfrom .d import e as f\nfrom g import *\nif TYPE_CHECKING:\n    from h import i\n",
    );
    let found: Vec<(&str, Option<&str>, bool)> = module
        .imports
        .iter()
        .map(|import| {
            (import.source.text(), import.symbol.map(|symbol| module.symbol(symbol).name.text()), import.type_only)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("a", Some("a"), false),
            ("a.b", None, false),
            (".", Some("c"), false),
            (".c", None, false),
            (".d", Some("f"), false),
            (".d.e", None, false),
            ("g", None, false),
            ("h", Some("i"), true),
            ("h.i", None, true),
        ]
    );
    assert_eq!(module.imports[6].imported, Imported::Effects);
    assert!(module.exports.iter().any(|export| export.name == "*"));
}

#[test]
fn branches_say_what_leaves() {
    let text = "def f(x):\n    if not x:\n        raise ValueError\n    assert x\n    match x:\n        case 'a' | 'b':\n            return 1\n        case _:\n            pass\n";
    let module = py(text);
    let leaves: Vec<bool> = module.branches.iter().map(|branch| branch.then_leaves).collect();
    assert_eq!(leaves, [true, true, true, true]);
    assert_eq!(module.functions[1].throws.len(), 2);
}
