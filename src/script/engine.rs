//! The engine's thread: one QuickJS runtime, its jobs, promises, timers and events.

use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::mpsc::Receiver;

use rquickjs::context::EvalOptions;
use rquickjs::promise::PromiseState;
use rquickjs::{Context, Ctx, Function, IntoJs, Module, Object, Promise, Runtime, Value};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::convert::{self, Place};
use super::error::ScriptError;
use super::life::Life;
use super::limits::{Limit, Limits};
use super::log::SharedLog;
use super::native;
use super::operation::PageId;
use super::rejections::Rejections;
use super::session::{Incoming, Job, Outcome, Outgoing, Task};
use super::source::Form;
use super::state::{State, Woken};
use super::strip_types::strip_types;

/// Parts of the prelude, in the order in which they build on each other.
const PRELUDE: [(&str, &str); 7] = [
    ("playguard:bounds", include_str!("prelude/bounds.js")),
    ("playguard:core", include_str!("prelude/core.js")),
    ("playguard:web", include_str!("prelude/web.js")),
    ("playguard:locator", include_str!("prelude/locator.js")),
    ("playguard:network", include_str!("prelude/network.js")),
    ("playguard:page", include_str!("prelude/page.js")),
    ("playguard:start", include_str!("prelude/start.js")),
];

/// Name of a run's code in stack traces.
const CODE: &str = "script";

/// What an engine starts with.
pub(super) struct Setup {
    pub(super) limits: Limits,
    pub(super) page: PageId,
    pub(super) life: Life,
    pub(super) incoming: Receiver<Incoming>,
    pub(super) outgoing: UnboundedSender<Outgoing>,
    pub(super) log: SharedLog,
}

/// The thread's body.
pub(super) fn run(setup: Setup) {
    let life = setup.life.clone();
    // A panic drops the job's sender, and with that whoever waits learns that the session ended.
    if std::panic::catch_unwind(AssertUnwindSafe(|| serve(setup))).is_err() {
        tracing::error!("the script engine panicked");
    }
    life.end();
}

fn serve(setup: Setup) {
    let limits = setup.limits;
    let state = Rc::new(State::new(
        limits.clone(),
        setup.life,
        setup.incoming,
        setup.outgoing,
        setup.log,
    ));
    let (runtime, context) = match prepare(&limits) {
        Ok(pair) => pair,
        Err(error) => return refuse(&state, &error),
    };
    let clock = state.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || clock.must_stop())));
    let rejections = Rejections::default();
    rejections.watch(&runtime);
    context.with(|ctx| {
        match Engine::new(&ctx, state.clone(), rejections.clone(), setup.page) {
            Ok(mut engine) => engine.serve(),
            Err(error) => {
                let reason = convert::exception(&ctx, ctx.catch(), &Place::default(), &limits);
                refuse(&state, &format!("{error}: {reason}"));
            }
        }
        rejections.clear();
    });
    runtime.set_host_promise_rejection_tracker(None);
}

fn prepare(limits: &Limits) -> Result<(Runtime, Context), String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    runtime.set_memory_limit(limits.memory);
    runtime.set_max_stack_size(limits.stack.min(Limits::MAX_STACK));
    let context = Context::full(&runtime).map_err(|error| error.to_string())?;
    Ok((runtime, context))
}

/// Answers every job with the reason why there is no engine.
fn refuse(state: &State, reason: &str) {
    while let Ok(message) = state.next(None) {
        match message {
            Incoming::Job(job) => {
                // Whoever asked may be gone.
                let _ = job.done.send(Err(ScriptError::Engine(reason.to_owned())));
            }
            Incoming::Stop => return,
            Incoming::Reply { .. } | Incoming::Event { .. } => {}
        }
    }
}

struct Engine<'js> {
    ctx: Ctx<'js>,
    state: Rc<State>,
    rejections: Rejections,
    hooks: Hooks<'js>,
    active: Option<Active<'js>>,
    place: Place,
    over: bool,
}

/// The prelude's entrances.
struct Hooks<'js> {
    /// (call, succeeded, answer as JSON)
    deliver: Function<'js>,
    /// (subscription, value as JSON)
    event: Function<'js>,
    /// (timer)
    fire: Function<'js>,
    /// (thunk, is a function required) → promise
    run_code: Function<'js>,
    /// (promise of the module's evaluation, namespace) → promise
    run_module: Function<'js>,
    /// (function of exports and module) → promise
    run_common: Function<'js>,
    /// (name, arguments as JSON) → promise
    call_method: Function<'js>,
    /// (name) → promise
    is_patched: Function<'js>,
}

struct Active<'js> {
    promise: Promise<'js>,
    done: oneshot::Sender<Result<Outcome, ScriptError>>,
}

impl<'js> Engine<'js> {
    fn new(
        ctx: &Ctx<'js>,
        state: Rc<State>,
        rejections: Rejections,
        page: PageId,
    ) -> rquickjs::Result<Self> {
        let native = native::functions(ctx, &state)?;
        // Numbers of pages are counted up from small ones.
        native.set("page", page as f64)?;
        let kit = Object::new(ctx.clone())?;
        for (name, source) in PRELUDE {
            let part: Function = evaluate(ctx, name, source, true)?;
            part.call::<_, ()>((native.clone(), kit.clone()))?;
        }
        let hooks: Object = kit.get("hooks")?;
        Ok(Self {
            hooks: Hooks {
                deliver: hooks.get("deliver")?,
                event: hooks.get("event")?,
                fire: hooks.get("fire")?,
                run_code: hooks.get("runCode")?,
                run_module: hooks.get("runModule")?,
                run_common: hooks.get("runCommon")?,
                call_method: hooks.get("callMethod")?,
                is_patched: hooks.get("isPatched")?,
            },
            ctx: ctx.clone(),
            state,
            rejections,
            active: None,
            place: Place::default(),
            over: false,
        })
    }

    fn serve(&mut self) {
        loop {
            self.settle();
            if self.over {
                return;
            }
            if let Some(timer) = self.state.due_timer() {
                self.wind_clock();
                let fired = self.hooks.fire.call::<_, ()>((timer,));
                self.swallow(fired);
                continue;
            }
            if self.active.is_some() && !self.state.is_alive() {
                self.finish(Err(ScriptError::Stalled));
                continue;
            }
            let until = [self.state.next_timer(), self.state.deadline()];
            match self.state.next(until.into_iter().flatten().min()) {
                Ok(message) => self.receive(message),
                Err(Woken::Due) => {}
                Err(Woken::Gone) => return,
            }
        }
    }

    fn receive(&mut self, message: Incoming) {
        match message {
            Incoming::Stop => self.over = true,
            Incoming::Job(job) => self.begin(job),
            Incoming::Reply { call, result } => {
                self.wind_clock();
                self.state.answered();
                let (succeeded, json) = match result {
                    Ok(value) => (true, value.to_string()),
                    Err(fault) => {
                        let fault = serde_json::json!([fault.name, fault.message]);
                        (false, fault.to_string())
                    }
                };
                // Numbers of calls are counted up from 1.
                let delivered = self
                    .hooks
                    .deliver
                    .call::<_, ()>((call as f64, succeeded, json));
                self.swallow(delivered);
            }
            Incoming::Event {
                subscription,
                value,
            } => {
                self.wind_clock();
                let json = value.to_string();
                let delivered = self.hooks.event.call::<_, ()>((subscription as f64, json));
                self.swallow(delivered);
            }
        }
    }

    /// The prelude's entrances throw only when something is very wrong (no memory, an interrupt, a
    /// script that broke its own globals).
    fn swallow(&self, result: rquickjs::Result<()>) {
        if result.is_err() {
            let reason = self.ctx.catch();
            if !self.state.must_stop() {
                let error = convert::exception(&self.ctx, reason, &self.place, &self.state.limits);
                self.state.log.add("error", error.to_string());
            }
        }
    }

    /// Callbacks between runs have a time limit of their own.
    fn wind_clock(&self) {
        if self.active.is_none() {
            self.state.start_clock(self.state.limits.callback_time);
        }
    }

    fn begin(&mut self, job: Job) {
        self.state.start_clock(self.state.limits.time);
        match self.start(job.task) {
            Ok(promise) => {
                self.active = Some(Active {
                    promise,
                    done: job.done,
                });
            }
            Err(error) => {
                let error = self.tripped().unwrap_or(error);
                self.answer(job.done, Err(error));
            }
        }
    }

    fn start(&mut self, task: Task) -> Result<Promise<'js>, ScriptError> {
        match task {
            Task::Code { source, form } => self.start_code(&source, form),
            Task::Module { name, source } => self.start_module(name, &source),
            Task::Method { name, arguments } => {
                let arguments = serde_json::Value::from(arguments).to_string();
                self.caught(self.hooks.call_method.call((name, arguments)))
            }
            Task::IsPatched { name } => self.caught(self.hooks.is_patched.call((name,))),
        }
    }

    fn start_code(&mut self, source: &str, form: Form) -> Result<Promise<'js>, ScriptError> {
        self.check_source(source)?;
        let thunk = self.read(CODE, &form.attempts(source))?;
        let strict = form == Form::Function;
        self.caught(self.hooks.run_code.call((thunk, strict)))
    }

    fn start_module(&mut self, name: String, source: &str) -> Result<Promise<'js>, ScriptError> {
        self.check_source(source)?;
        let stripped = strip_types(source).map_err(|error| {
            ScriptError::Thrown(super::error::Thrown {
                text: format!("SyntaxError: {name}: {}", error.reason),
                line: Some(error.line),
                ..Default::default()
            })
        })?;
        if !stripped.is_module {
            let before = "(function (exports, module) {";
            let wrapped = super::source::Wrapped {
                text: format!("{before}{}\n}})", stripped.text),
                shift: before.len() as u32,
            };
            let function = self.read(&name, &[wrapped])?;
            return self.caught(self.hooks.run_common.call((function,)));
        }
        self.place = Place {
            file: name.clone(),
            shift: 0,
        };
        let module = self.caught(Module::declare(
            self.ctx.clone(),
            name.as_bytes(),
            stripped.text,
        ))?;
        let (module, evaluated) = self.caught(module.eval())?;
        let namespace = self.caught(module.namespace())?;
        self.caught(self.hooks.run_module.call((evaluated, namespace)))
    }

    fn check_source(&self, source: &str) -> Result<(), ScriptError> {
        let max = self.state.limits.source;
        if source.len() <= max {
            return Ok(());
        }
        let limit = Limit::Source(max);
        Err(ScriptError::Limit { limit, line: None })
    }

    /// Reads code in the first form that fits. When none does, the attempt that got furthest knows
    /// best what is wrong.
    fn read(
        &mut self,
        file: &str,
        attempts: &[super::source::Wrapped],
    ) -> Result<Function<'js>, ScriptError> {
        let mut worst: Option<ScriptError> = None;
        for attempt in attempts {
            self.place = Place {
                file: file.to_owned(),
                shift: attempt.shift,
            };
            match self.caught(evaluate(&self.ctx, file, attempt.text.as_str(), false)) {
                Ok(function) => return Ok(function),
                Err(error) => {
                    let further = worst
                        .as_ref()
                        .is_none_or(|worst| reach(&error) > reach(worst));
                    if further {
                        worst = Some(error);
                    }
                }
            }
        }
        // There is always an attempt.
        Err(worst.unwrap_or(ScriptError::Ended))
    }

    fn caught<T>(&self, result: rquickjs::Result<T>) -> Result<T, ScriptError> {
        result.map_err(|error| match error {
            rquickjs::Error::Exception => {
                convert::exception(&self.ctx, self.ctx.catch(), &self.place, &self.state.limits)
            }
            rquickjs::Error::Allocation => ScriptError::Limit {
                limit: Limit::Memory(self.state.limits.memory),
                line: None,
            },
            rquickjs::Error::InvalidString(_) => ScriptError::Thrown(super::error::Thrown {
                text: "SyntaxError: the code contains a NUL character".to_owned(),
                ..Default::default()
            }),
            error => {
                self.ctx.catch();
                ScriptError::Engine(error.to_string())
            }
        })
    }

    /// Runs what promises have to do, then sees what came of it.
    fn settle(&mut self) {
        while !self.state.must_stop() && self.ctx.execute_pending_job() {}
        if self.state.must_stop() {
            return self.stop();
        }
        let settled = match &self.active {
            Some(active) => match active.promise.state() {
                PromiseState::Pending => None,
                PromiseState::Resolved | PromiseState::Rejected => Some(active.promise.clone()),
            },
            None => None,
        };
        if let Some(promise) = settled {
            let result = self.outcome(&promise);
            if self.state.must_stop() {
                return self.stop();
            }
            self.finish(result);
        }
        if let Some(reason) = self.rejections.take(&self.ctx) {
            self.left_alone(reason);
        }
        if self.active.is_none() {
            self.state.stop_clock();
        }
    }

    fn outcome(&self, promise: &Promise<'js>) -> Result<Outcome, ScriptError> {
        let value = self.caught(match promise.result::<Value>() {
            Some(result) => result,
            None => rquickjs::Undefined.into_js(&self.ctx),
        })?;
        let json = convert::result(&self.ctx, value, &self.place, &self.state.limits)?;
        Ok(Outcome {
            json,
            ..Outcome::default()
        })
    }

    /// A callback threw, or a promise was rejected and nobody waits for it: ends the run, as it
    /// does upstream; between runs there is only the log.
    fn left_alone(&mut self, reason: Value<'js>) {
        let mut error = convert::exception(&self.ctx, reason, &self.place, &self.state.limits);
        if self.state.must_stop() {
            return self.stop();
        }
        if let ScriptError::Thrown(thrown) = &mut error {
            thrown.in_callback = true;
        }
        if self.active.is_some() {
            self.finish(Err(error));
        } else {
            self.state.log.add("error", error.to_string());
        }
    }

    fn finish(&mut self, result: Result<Outcome, ScriptError>) {
        if let Some(active) = self.active.take() {
            self.answer(active.done, result);
        }
    }

    fn answer(
        &mut self,
        done: oneshot::Sender<Result<Outcome, ScriptError>>,
        result: Result<Outcome, ScriptError>,
    ) {
        let full = matches!(
            result,
            Err(ScriptError::Limit {
                limit: Limit::Memory(_) | Limit::Time(_),
                ..
            })
        );
        if full {
            self.over = true;
            self.state.abandon_calls();
        }
        let result = result.map(|outcome| Outcome {
            log: self.state.log.take(),
            alive: self.state.is_alive(),
            ..outcome
        });
        self.state.stop_clock();
        // Whoever asked may be gone; then the session ends by itself.
        let _ = done.send(result);
    }

    fn tripped(&self) -> Option<ScriptError> {
        let limit = self.state.tripped()?;
        Some(ScriptError::Limit { limit, line: None })
    }

    /// The clock ran out, or nobody wants the script any more.
    fn stop(&mut self) {
        let error = match self.state.is_cancelled() {
            true => ScriptError::Ended,
            false => self.tripped().unwrap_or(ScriptError::Ended),
        };
        self.over = true;
        self.state.abandon_calls();
        self.finish(Err(error));
    }
}

/// How far into the code a syntax error stands.
fn reach(error: &ScriptError) -> (u32, u32) {
    match error {
        ScriptError::Thrown(thrown) => (
            thrown.line.unwrap_or_default(),
            thrown.column.unwrap_or_default(),
        ),
        _ => (u32::MAX, u32::MAX),
    }
}

fn evaluate<'js>(
    ctx: &Ctx<'js>,
    file: &str,
    source: &str,
    strict: bool,
) -> rquickjs::Result<Function<'js>> {
    let mut options = EvalOptions::default();
    options.strict = strict;
    options.filename = Some(file.to_owned());
    ctx.eval_with_options(source, options)
}
