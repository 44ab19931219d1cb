//! State that is made beside the server and handed to what registers its tools: from its making along every parameter that takes it.

use rustc_hash::FxHashSet;

use super::captured::is_data;
use super::carriers::Problem;
use super::objects::{ends_session, is_own_object};
use crate::classify::answer::Holds;
use crate::classify::stores::Found;
use crate::model::facts::{ExprKind, Span, SymbolId, SymbolKind};
use crate::model::flow::{Edge, value::ObjId, value::Value};
use crate::model::program::{At, ExprRef, FuncRef, SymbolRef};
use crate::plan::{Site, endings, site};
use crate::rules::detect::{Context, Spot};

/// How state that is handed on is made, and all that handed it on.
#[derive(Clone, Debug)]
pub struct Handed {
    /// The expression that makes it.
    pub made: Site,
    /// Its name at the declaration of the variable that it is made for.
    pub variable: Option<Site>,
    /// Its names at the parameters that take it, or in their patterns.
    pub parameters: Vec<Site>,
    /// Where it is an argument.
    pub arguments: Vec<Site>,
    /// Where it is an entry of an object literal: a session's record, or options.
    pub kept: Vec<Site>,
    /// The tables whose records have it.
    pub tables: Vec<Site>,
    /// Names that take it out of a record again.
    pub taken: Vec<Site>,
    /// Where it is used as the process ends.
    pub last: Vec<Site>,
}

impl Handed {
    /// Uses that go with it.
    pub fn sites(&self) -> impl Iterator<Item = &Site> {
        self.arguments.iter().chain(&self.kept).chain(&self.last)
    }

    /// Whether one of its names is declared at a place.
    pub fn declares(&self, path: &str, span: Span) -> bool {
        self.parameters.iter().chain(&self.taken).any(|site| site.path == path && site.span == span)
    }
}

/// What was found of it.
pub(super) struct Way {
    pub(super) handed: Handed,
    /// Uses by what the functions with the parameters register, each with that function.
    pub(super) captured: Vec<(FuncRef, ExprRef)>,
    /// Uses where the session ends.
    pub(super) ends: Vec<ExprRef>,
    /// It is an object of a class, and not plain data.
    pub(super) object: bool,
}

const KEEP: &str = "make it in the function that registers the tools, and run again";

/// Follows state that functions are handed which register tools. `None` where it stays in the function that makes it.
pub(super) fn of(context: &Context<'_, '_>, found: &Found) -> Option<Result<Way, Problem>> {
    let flow = &context.analysis.flow;
    let symbol = found.holder.symbol?;
    match flow.program.symbol(symbol).kind {
        SymbolKind::Parameter => Some(Tracer::new(context, found, symbol).and_then(Tracer::traced)),
        SymbolKind::Variable { mutable: false } => {
            let tracer = Tracer::new(context, found, symbol).ok()?;
            let parameter = |other: &SymbolRef| flow.program.symbol(*other).kind == SymbolKind::Parameter;
            tracer.symbols.iter().any(parameter).then(|| tracer.traced())
        }
        _ => None,
    }
}

struct Tracer<'c, 'a, 'p> {
    context: &'c Context<'a, 'p>,
    found: &'c Found,
    /// The state.
    id: ObjId,
    /// What has it where no tool is called, methods of its own class left out.
    symbols: FxHashSet<SymbolRef>,
    endings: Vec<Site>,
    made: Vec<ExprRef>,
    way: Way,
}

impl<'c, 'a, 'p> Tracer<'c, 'a, 'p> {
    fn new(context: &'c Context<'a, 'p>, found: &'c Found, symbol: SymbolRef) -> Result<Self, Problem> {
        let flow = &context.analysis.flow;
        let at = site(context, Spot { module: found.holder.module, span: found.holder.span });
        let stop = |why: &str| Problem { at: at.clone(), why: why.to_owned(), todo: KEEP.to_owned() };
        if found.with_auth || found.with_transport {
            return Err(Problem {
                todo: "keep the state in a variable of its own first".to_owned(),
                ..stop("it holds more than state: a transport, or credentials and identities")
            });
        }
        let [Value::Object(id)] = flow.values(flow.symbol_node(symbol)) else {
            return Err(stop("it is handed in where the server is built, and what it is can't be told"));
        };
        let object = is_own_object(context, *id);
        if !object && !is_data(context, &Value::Object(*id), super::captured::DEPTH) {
            return Err(stop("it is handed in where the server is built, and is more than plain data or one object"));
        }
        let handed = Handed {
            made: at.clone(),
            variable: None,
            parameters: Vec::new(),
            arguments: Vec::new(),
            kept: Vec::new(),
            tables: Vec::new(),
            taken: Vec::new(),
            last: Vec::new(),
        };
        let way = Way { handed, captured: Vec::new(), ends: Vec::new(), object };
        let mut out = Self {
            context,
            found,
            id: *id,
            symbols: FxHashSet::default(),
            endings: endings::of(context),
            made: Vec::new(),
            way,
        };
        out.symbols = out.holders();
        Ok(out)
    }

    fn site(&self, at: ExprRef) -> Site {
        site(self.context, self.context.spot(at))
    }

    fn declared(&self, symbol: SymbolRef) -> Site {
        let span = self.context.analysis.flow.program.symbol(symbol).span;
        site(self.context, Spot { module: symbol.module, span })
    }

    fn stop<T>(&self, at: ExprRef, why: &str) -> Result<T, Problem> {
        Err(Problem { at: self.site(at), why: why.to_owned(), todo: KEEP.to_owned() })
    }

    fn is_state(&self, value: &Value) -> bool {
        matches!(value, Value::Object(id) if *id == self.id)
    }

    /// Whether code belongs to the class of the state itself.
    fn is_own(&self, func: FuncRef) -> bool {
        let flow = &self.context.analysis.flow;
        let class = flow.program.function(func).class.map(|id| At { module: func.module, id });
        class.is_some() && class == flow.object(self.id).class
    }

    /// Whether code runs in calls of tools: what it does with the state, it goes on doing.
    fn is_called(&self, func: FuncRef) -> bool {
        self.context.analysis.lives.handler_reach.contains(&func)
    }

    /// The names that have the state. What a pattern takes its own names from is none.
    fn holders(&self) -> FxHashSet<SymbolRef> {
        let flow = &self.context.analysis.flow;
        let mut out = FxHashSet::default();
        for (index, module) in flow.program.modules.iter().enumerate() {
            for id in 0..module.symbols.len() {
                let symbol = At { module: index as u32, id: SymbolId(id as u32) };
                let func = At { module: symbol.module, id: module.symbols[id].func };
                if !self.is_own(func)
                    && !self.is_called(func)
                    && flow.values(flow.symbol_node(symbol)).iter().any(|value| self.is_state(value))
                {
                    out.insert(symbol);
                }
            }
        }
        out
    }

    fn traced(mut self) -> Result<Way, Problem> {
        let flow = &self.context.analysis.flow;
        let mut symbols: Vec<SymbolRef> = self.symbols.iter().copied().collect();
        symbols.sort_unstable();
        for symbol in &symbols {
            self.symbol(*symbol)?;
        }
        let all: Vec<ExprRef> = flow
            .program
            .exprs()
            .filter(|at| {
                !self.is_own(flow.program.func_of(*at)) && flow.at(*at).iter().any(|value| self.is_state(value))
            })
            .collect();
        for at in all {
            self.expression(at)?;
        }
        let [made] = self.made.as_slice() else {
            let at = self.made.first().copied();
            let at = at.map_or_else(|| self.declared_at(), |at| self.site(at));
            let why = "how it is made can't be told: it is made in several places, or in none that is seen";
            return Err(Problem { at, why: why.to_owned(), todo: KEEP.to_owned() });
        };
        self.way.handed.made = self.site(*made);
        self.way.captured.sort_unstable();
        Ok(self.way)
    }

    fn declared_at(&self) -> Site {
        site(self.context, Spot { module: self.found.holder.module, span: self.found.holder.span })
    }

    /// A name that has the state: where it is declared.
    fn symbol(&mut self, symbol: SymbolRef) -> Result<(), Problem> {
        let flow = &self.context.analysis.flow;
        let facts = flow.program.symbol(symbol);
        let declared = self.declared(symbol);
        let stop = |why: &str| Err(Problem { at: declared.clone(), why: why.to_owned(), todo: KEEP.to_owned() });
        if flow.values(flow.symbol_node(symbol)).iter().any(|value| !self.is_state(value) && *value != Value::Absent) {
            return stop("this name may stand for something else as well");
        }
        match facts.kind {
            SymbolKind::Parameter => {
                let func = At { module: symbol.module, id: facts.func };
                let function = flow.program.function(func);
                if function.params.iter().any(|param| param.symbol == symbol.id && param.rest) {
                    return stop("it comes in a list of all arguments");
                }
                let mut callers = flow.callers.get(&func).into_iter().flatten();
                if let Some((_, at, _)) = callers.find(|(.., edge)| *edge != Edge::Call) {
                    return self.stop(*at, "the function that takes it is handed over as a value");
                }
                self.way.handed.parameters.push(declared);
            }
            SymbolKind::Variable { mutable: false } => match facts.init.map(|id| At { module: symbol.module, id }) {
                Some(init) if self.makes(init) => {
                    if self.way.handed.variable.is_some() {
                        return stop("it is made in several places");
                    }
                    self.made.push(bare(self.context, init));
                    self.way.handed.variable = Some(declared);
                }
                _ => self.way.handed.taken.push(declared),
            },
            _ => return stop("this name is assigned anew"),
        }
        Ok(())
    }

    /// Whether an expression makes it: by `new`, as a literal, or by a call of a function that does nothing else.
    fn makes(&self, at: ExprRef) -> bool {
        let flow = &self.context.analysis.flow;
        let at = bare(self.context, at);
        match flow.program.kind(at) {
            ExprKind::New { .. } | ExprKind::Object(_) | ExprKind::Sequence(_) => true,
            ExprKind::Call { .. } => {
                let callees = flow.callees(at);
                !callees.is_empty() && callees.iter().all(|callee| self.returns_new(*callee))
            }
            _ => false,
        }
    }

    /// Whether all that a function answers is made in its `return`.
    fn returns_new(&self, func: FuncRef) -> bool {
        let flow = &self.context.analysis.flow;
        let returns = &flow.program.function(func).returns;
        !returns.is_empty()
            && returns.iter().all(|id| {
                let at = bare(self.context, At { module: func.module, id: *id });
                matches!(flow.program.kind(at), ExprKind::New { .. } | ExprKind::Object(_) | ExprKind::Sequence(_))
            })
    }

    /// An expression that is the state.
    fn expression(&mut self, at: ExprRef) -> Result<(), Problem> {
        let context = self.context;
        let flow = &context.analysis.flow;
        let facts = flow.program.module(at.module);
        // What tools do with it by names of their own is theirs.
        if self.is_called(flow.program.func_of(at)) {
            if let ExprKind::Symbol(symbol) = facts.kind(at.id) {
                self.by_tools(At { module: at.module, id: *symbol }, at);
            }
            return Ok(());
        }
        let Some(parent) = facts.expr(at.id).parent.map(|id| At { module: at.module, id }) else {
            return match facts.kind(at.id) {
                // A return's own value is told by what it returns.
                ExprKind::Assign { .. } | ExprKind::Symbol(_) | ExprKind::Return(_) => Ok(()),
                _ => self.stop(at, "it is made here for nothing"),
            };
        };
        match (facts.kind(at.id), flow.program.kind(parent)) {
            // Transparent, or told by what is inside.
            (ExprKind::Cast { .. } | ExprKind::Either { .. } | ExprKind::Assign { .. } | ExprKind::This(_), _) => {
                Ok(())
            }
            (_, ExprKind::Assign { target, value, .. }) => {
                let own = |id| matches!(facts.kind(id), ExprKind::Symbol(symbol) if self.symbols.contains(&At { module: at.module, id: *symbol }));
                match own(*target) {
                    true if *target == at.id || *value == at.id => Ok(()),
                    _ => self.stop(at, "it is put into something else here"),
                }
            }
            (_, ExprKind::Either { .. } | ExprKind::Cast { .. }) if self.is_default(parent) => {
                if self.makes(at) && !matches!(facts.kind(at.id), ExprKind::Symbol(_)) {
                    self.made.push(at);
                }
                Ok(())
            }
            (ExprKind::Symbol(symbol), _) => self.used(At { module: at.module, id: *symbol }, at, parent),
            (_, ExprKind::Return(_)) if self.makes(at) && self.answers_new(at) => Ok(()),
            (_, ExprKind::Call { .. }) if self.makes(at) && self.is_handed(at, parent) => {
                self.made.push(at);
                self.way.handed.arguments.push(self.site(at));
                Ok(())
            }
            (_, ExprKind::Object(_)) if self.makes(at) && self.is_option(parent) => {
                self.made.push(at);
                self.way.handed.kept.push(self.site(at));
                Ok(())
            }
            (ExprKind::Member { .. }, _) => self.elsewhere(at),
            _ => self.stop(at, "it is used here in a way that can't be followed"),
        }
    }

    /// Whether something that is made is what its function answers, and that is only called where it is handed on.
    fn answers_new(&self, at: ExprRef) -> bool {
        self.returns_new(self.context.analysis.flow.program.func_of(at))
    }

    /// Whether an expression is what a parameter is without an argument.
    fn is_default(&self, at: ExprRef) -> bool {
        let facts = self.context.analysis.flow.program.module(at.module);
        let parent = facts.expr(at.id).parent;
        parent.is_some_and(|parent| match facts.kind(parent) {
            ExprKind::Assign { target, .. } => matches!(facts.kind(*target), ExprKind::Symbol(symbol)
                if self.symbols.contains(&At { module: at.module, id: *symbol })),
            ExprKind::Cast { .. } => self.is_default(At { module: at.module, id: parent }),
            _ => false,
        })
    }

    /// A use of a name that has the state.
    fn used(&mut self, symbol: SymbolRef, at: ExprRef, parent: ExprRef) -> Result<(), Problem> {
        let context = self.context;
        let flow = &context.analysis.flow;
        if !self.symbols.contains(&symbol) {
            return self.stop(at, "it is used here in a way that can't be followed");
        }
        match flow.program.kind(parent) {
            ExprKind::Call { .. } if self.is_handed(at, parent) => {
                self.way.handed.arguments.push(self.site(at));
                return Ok(());
            }
            ExprKind::Object(_) if self.is_option(parent) || self.is_record(parent) => {
                self.way.handed.kept.push(self.site(at));
                return Ok(());
            }
            _ => {}
        }
        self.elsewhere(at)
    }

    /// A use by a tool, of a name that the function has which registers it.
    fn by_tools(&mut self, symbol: SymbolRef, at: ExprRef) {
        let program = self.context.analysis.flow.program;
        if self.symbols.contains(&symbol) {
            self.way.captured.push((At { module: symbol.module, id: program.symbol(symbol).func }, at));
        }
    }

    /// A use by no tool.
    fn elsewhere(&mut self, at: ExprRef) -> Result<(), Problem> {
        if ends_session(self.context, at) {
            self.way.ends.push(at);
            return Ok(());
        }
        let own = self.site(at);
        if self.endings.iter().any(|ending| ending.path == own.path && ending.span.contains(own.span)) {
            self.way.handed.last.push(own);
            return Ok(());
        }
        self.stop(at, "it is used here beside its tools")
    }

    /// Whether an expression is an argument of a call that only functions take which have it as a parameter.
    fn is_handed(&self, at: ExprRef, call: ExprRef) -> bool {
        let flow = &self.context.analysis.flow;
        let ExprKind::Call { callee, args } = flow.program.kind(call) else { return false };
        let Some(index) = args.iter().position(|arg| arg.value == at.id) else { return false };
        let plain = *callee != at.id && args[..=index].iter().all(|arg| !arg.spread);
        let callees = flow.callees(call);
        plain
            && !callees.is_empty()
            && callees.iter().all(|callee| {
                let param = flow.program.function(*callee).params.get(index);
                param.is_some_and(|param| {
                    !param.rest && self.symbols.contains(&At { module: callee.module, id: param.symbol })
                })
            })
    }

    /// Whether an object literal is the argument of a call whose functions take the state out of it by a pattern.
    fn is_option(&self, literal: ExprRef) -> bool {
        let flow = &self.context.analysis.flow;
        let facts = flow.program.module(literal.module);
        let Some(parent) = facts.expr(literal.id).parent else { return false };
        let call = At { module: literal.module, id: parent };
        let ExprKind::Call { args, .. } = flow.program.kind(call) else { return false };
        let Some(index) = args.iter().position(|arg| arg.value == literal.id && !arg.spread) else { return false };
        let callees = flow.callees(call);
        !callees.is_empty()
            && args[..index].iter().all(|arg| !arg.spread)
            && callees.iter().all(|callee| {
                let function = flow.program.function(*callee);
                let pattern = function.params.get(index).is_some_and(|param| {
                    let name = flow.program.symbol(At { module: callee.module, id: param.symbol }).name;
                    !param.rest && name.text().starts_with('#')
                });
                let takes = |symbol: &SymbolRef| {
                    let facts = flow.program.symbol(*symbol);
                    symbol.module == callee.module && facts.func == callee.id && facts.kind == SymbolKind::Parameter
                };
                pattern && self.symbols.iter().any(takes)
            })
    }

    /// Whether an object literal is the record of a session, in a table of transports.
    fn is_record(&mut self, literal: ExprRef) -> bool {
        let context = self.context;
        let flow = &context.analysis.flow;
        let own: Vec<ObjId> = flow.objects_at(literal).collect();
        let has = |found: &&Found| {
            found.objects.iter().any(|table| {
                flow.elements(*table).iter().any(|value| matches!(value, Value::Object(id) if own.contains(id)))
            })
        };
        let tables = context.stores().filter(|found| found.with_transport || found.holds == Holds::Transport);
        let tables: Vec<Site> = tables
            .filter(has)
            .map(|found| site(context, Spot { module: found.holder.module, span: found.holder.span }))
            .collect();
        let kept = !tables.is_empty();
        for table in tables {
            if !self.way.handed.tables.contains(&table) {
                self.way.handed.tables.push(table);
            }
        }
        kept
    }
}

/// An expression without casts around it.
fn bare(context: &Context<'_, '_>, at: ExprRef) -> ExprRef {
    match context.analysis.flow.program.kind(at) {
        ExprKind::Cast { value, .. } => bare(context, At { module: at.module, id: *value }),
        _ => at,
    }
}
