//! The functions that the prelude gets from Rust. Scripts never see them.
//!
//! Values cross as JSON text or plain strings, so that nothing here depends on what a script did to
//! its own globals.

use std::rc::Rc;

use rquickjs::function::Opt;
use rquickjs::{Ctx, Exception, Function, Object, Result};
use serde_json::json;

use super::convert::well_formed;
use super::operation::Operation;
use super::state::State;
use super::web;

/// Makes the object of functions.
pub(super) fn functions<'js>(ctx: &Ctx<'js>, state: &Rc<State>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    calls(ctx, state, &native)?;
    timers(ctx, state, &native)?;
    let log = state.log.clone();
    native.set(
        "log",
        Function::new(ctx.clone(), move |level: String, text: String| {
            log.add(&level, text);
        })?,
    )?;
    native.set(
        "random",
        Function::new(ctx.clone(), |ctx: Ctx<'js>, count: usize| {
            web::random(count).ok_or_else(|| Exception::throw_range(&ctx, "too many random bytes"))
        })?,
    )?;
    native.set("parseUrl", Function::new(ctx.clone(), parse_url)?)?;
    native.set("changeUrl", Function::new(ctx.clone(), web::change_url)?)?;
    Ok(native)
}

fn parse_url(input: String, base: Opt<Option<String>>) -> Option<Vec<String>> {
    web::parse_url(&input, base.0.flatten().as_deref())
}

fn calls<'js>(ctx: &Ctx<'js>, state: &Rc<State>, native: &Object<'js>) -> Result<()> {
    let submitting = state.clone();
    native.set(
        "submit",
        Function::new(
            ctx.clone(),
            move |ctx: Ctx<'js>, id: f64, operation: String| -> Result<()> {
                let operation = read(&ctx, &operation)?;
                submitting
                    // The prelude counts from 1; whole numbers of this size are exact.
                    .submit(id as u64, operation)
                    .map_err(|message| Exception::throw_message(&ctx, &prefixed(&message)))
            },
        )?,
    )?;
    let asking = state.clone();
    native.set(
        "ask",
        Function::new(
            ctx.clone(),
            move |ctx: Ctx<'js>, operation: String| -> Result<String> {
                let operation = read(&ctx, &operation)?;
                let answer = match asking.ask(operation) {
                    Ok(value) => json!({ "value": value }),
                    Err(fault) => json!({ "name": fault.name, "message": fault.message }),
                };
                Ok(answer.to_string())
            },
        )?,
    )
}

fn timers<'js>(ctx: &Ctx<'js>, state: &Rc<State>, native: &Object<'js>) -> Result<()> {
    let setting = state.clone();
    native.set(
        "setTimer",
        Function::new(
            ctx.clone(),
            move |ctx: Ctx<'js>, id: u32, milliseconds: f64| -> Result<()> {
                setting
                    .set_timer(id, milliseconds)
                    .map_err(|message| Exception::throw_message(&ctx, &prefixed(&message)))
            },
        )?,
    )?;
    let clearing = state.clone();
    native.set(
        "clearTimer",
        Function::new(ctx.clone(), move |id: u32| clearing.clear_timer(id))?,
    )
}

/// What our own messages look like inside scripts.
fn prefixed(message: &str) -> String {
    format!("PlayGuard: {message}")
}

fn read(ctx: &Ctx<'_>, operation: &str) -> Result<Operation> {
    serde_json::from_str(&well_formed(operation)).map_err(|error| {
        // The place in the JSON text means nothing to whoever wrote the script.
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        Exception::throw_type(ctx, &format!("wrong argument: {reason}"))
    })
}
