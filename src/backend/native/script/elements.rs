//! What scripts do with the elements that a selector finds.

use std::time::Duration;

use playguard_cdp::action::{self, Manner};
use playguard_cdp::connection::Deadline;
use playguard_cdp::input::keyboard::Modifiers;
use playguard_cdp::input::mouse::Click;
use playguard_cdp::input::shortcut::Platform;
use playguard_cdp::locator::{self, Selector};
use playguard_cdp::page::{
    CaptureOptions, CaptureRules, Control, Element, Modal, Page, Question, ScriptError, Target,
};
use serde_json::{Value, json};

use super::fault::{deadline, fault, pause};
use super::keys::button;
use super::pages::{called_with, data, done, thrown};
use super::{Host, not_here};
use crate::call::SnapshotContent;
use crate::reply::snapshot_text;
use crate::script::{
    ActionOptions, ElementState, Function, InputFile, LocatorAction, OptionChoice, ScriptFault,
};

/// How long a page that does not change is left alone before it is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// More elements than this are not handed to a function.
const MAX_ELEMENTS: usize = 10_000;

/// A selector's elements, and until when to wait for them.
struct Sought<'p> {
    page: &'p Page,
    selector: Selector,
    deadline: Deadline,
}

impl Host {
    pub(super) async fn element_action(
        &self,
        page: &Page,
        selector: &str,
        action: LocatorAction,
        options: ActionOptions,
    ) -> Result<Value, ScriptFault> {
        let sought = Sought {
            page,
            selector: self.parsed(selector, options.strict == Some(false))?,
            deadline: deadline(options.timeout),
        };
        if options.trial || options.position.is_some() {
            return Err(not_here(
                "the options trial and position",
                "act on the element itself, or use page.mouse",
            ));
        }
        match action {
            LocatorAction::Click => sought.click(1, &options).await,
            LocatorAction::Dblclick => sought.click(2, &options).await,
            LocatorAction::Tap => Err(not_here("tap", "use click")),
            LocatorAction::Hover => {
                let target = sought.target().await?;
                let hovered = action::hover(page, &target, sought.manner()).await;
                hovered.map_err(fault).map(done)
            }
            LocatorAction::Fill { text } => sought.fill(&text).await,
            LocatorAction::Clear => sought.fill("").await,
            LocatorAction::PressSequentially { text } => sought.type_into(&text, &options).await,
            LocatorAction::Press { key } => {
                let target = sought.target().await?;
                let pressed = action::press_on(page, &target, &key, sought.manner()).await;
                pressed.map_err(fault).map(done)
            }
            LocatorAction::Check => sought.check(true).await,
            LocatorAction::Uncheck => sought.check(false).await,
            LocatorAction::SelectOption { values } => sought.select(&values).await,
            LocatorAction::SetInputFiles { files } => {
                let target = sought.target().await?;
                let element = page
                    .element(&target, sought.deadline)
                    .await
                    .map_err(fault)?;
                let paths = self.paths_of(files)?;
                let set = page.set_files(&element, &paths, sought.deadline).await;
                set.map_err(fault).map(done)
            }
            LocatorAction::DragTo { target: other } => {
                let from = sought.target().await?;
                let to = Sought {
                    selector: self.parsed(&other, false)?,
                    ..sought
                };
                let target = to.target().await?;
                let dragged = action::drag(page, &from, &target, to.manner()).await;
                dragged.map_err(fault).map(done)
            }
            LocatorAction::DispatchEvent { kind, init } => {
                let source = format!(
                    "(element) => {{ element.dispatchEvent(new ({DISPATCHED})({kind}, {init})) }}",
                    kind = json!(kind),
                    init = init.as_deref().unwrap_or("{}"),
                );
                sought.evaluate(&source).await.map(done)
            }
            LocatorAction::SelectText => sought.ask(Question::SelectText, "").await.map(done),
            LocatorAction::Focus => sought.ask(Question::Focus, "").await.map(done),
            LocatorAction::Blur => sought.ask(Question::Blur, "").await.map(done),
            LocatorAction::ScrollIntoViewIfNeeded => {
                sought.ask(Question::Scroll, "").await.map(done)
            }
            LocatorAction::BoundingBox => sought.ask(Question::Box, "").await,
            LocatorAction::TextContent => sought.ask(Question::TextContent, "").await,
            LocatorAction::InnerText => sought.ask(Question::InnerText, "").await,
            LocatorAction::InnerHTML => sought.ask(Question::InnerHtml, "").await,
            LocatorAction::GetAttribute { name } => sought.ask(Question::Attribute, &name).await,
            LocatorAction::IsEnabled => sought.ask(Question::Enabled, "").await,
            LocatorAction::IsDisabled => {
                let enabled = sought.ask(Question::Enabled, "").await?;
                Ok(json!(enabled != json!(true)))
            }
            LocatorAction::IsEditable => sought.ask(Question::Editable, "").await,
            LocatorAction::InputValue => match sought.control(false).await? {
                Control::Value(value) => Ok(json!(value)),
                other => Err(unfit(other)),
            },
            LocatorAction::IsChecked => match sought.control(true).await? {
                Control::Checked(checked) => Ok(json!(checked)),
                other => Err(unfit(other)),
            },
            LocatorAction::IsVisible => Ok(json!(sought.visible_now().await?)),
            LocatorAction::IsHidden => Ok(json!(!sought.visible_now().await?)),
            LocatorAction::Count => Ok(json!(sought.found().await?.len())),
            LocatorAction::AllTextContents => sought.ask_all(Question::TextContent).await,
            LocatorAction::AllInnerTexts => sought.ask_all(Question::InnerText).await,
            LocatorAction::WaitFor { state } => sought.wait_for(state).await,
            LocatorAction::Screenshot { screenshot } => {
                let target = sought.target().await?;
                let element = action::wait_visible(page, &target, sought.deadline).await;
                let element = element.map_err(fault)?;
                let bytes = self.picture(page, Some(&element), &screenshot).await?;
                Ok(json!({ "base64": bytes }))
            }
            LocatorAction::Evaluate { function } => {
                let source = format!("(element) => {}", called_with(&function, "element"));
                sought.evaluate(&source).await
            }
            LocatorAction::EvaluateAll { function } => sought.evaluate_all(&function).await,
            LocatorAction::AriaSnapshot => {
                let target = sought.target().await?;
                let options = CaptureOptions {
                    target: Some(target),
                    ..CaptureOptions::default()
                };
                let seen = page.snapshot(&options, &CaptureRules::default()).await;
                let tree = seen.map_err(fault)?.tree;
                Ok(json!(snapshot_text(&SnapshotContent::Tree(tree.into()))))
            }
            LocatorAction::Highlight => Err(not_here(
                "highlight",
                "use the tool browser_take_screenshot with a target",
            )),
        }
    }

    /// A selector of a script; `first` for those of which the first element is meant.
    fn parsed(&self, text: &str, first: bool) -> Result<Selector, ScriptFault> {
        let attributes = &self.backend()?.config.test_id_attributes;
        let selector = parsed(text)?.with_test_id_attributes(attributes);
        Ok(match first {
            true => selector.first(),
            false => selector,
        })
    }

    /// Gives files to the chooser that a page shows.
    pub(super) async fn give_files(
        &self,
        page: &Page,
        files: Vec<InputFile>,
    ) -> Result<Value, ScriptFault> {
        let paths = self.paths_of(files)?;
        let chooser = page.change(|state| {
            let at = (state.modals.iter()).position(|m| matches!(m, Modal::FileChooser(_)))?;
            match state.modals.remove(at) {
                Modal::FileChooser(chooser) => Some(chooser),
                Modal::Dialog(_) => None,
            }
        });
        let Some(chooser) = chooser else {
            return Err(ScriptFault::error("there is no file chooser any more"));
        };
        let chosen = page.choose_files(&chooser, &paths).await;
        chosen.map_err(fault).map(done)
    }

    /// Paths for a file input; what a script made up itself has no path.
    pub(super) fn paths_of(&self, files: Vec<InputFile>) -> Result<Vec<String>, ScriptFault> {
        let backend = self.backend()?;
        let mut paths = Vec::with_capacity(files.len());
        for file in files {
            let InputFile::Path(name) = file else {
                return Err(not_here(
                    "files made by the script",
                    "write the file first and give its path",
                ));
            };
            let path = backend.files.rules.named(&name);
            let path = path.map_err(|error| ScriptFault::error(error.to_string()))?;
            if !path.is_file() {
                return Err(ScriptFault::error(format!(
                    "ENOENT: no such file, stat '{}'",
                    path.display()
                )));
            }
            paths.push(path.to_string_lossy().into_owned());
        }
        Ok(paths)
    }
}

/// The class of an event by its name, as Playwright chooses it.
const DISPATCHED: &str = "((type) =>
    /^(mouse|click|dblclick|contextmenu|auxclick)/.test(type) ? MouseEvent
    : /^key/.test(type) ? KeyboardEvent : /^pointer/.test(type) ? PointerEvent
    : /^drag|^drop$/.test(type) ? DragEvent : /^focus|^blur$/.test(type) ? FocusEvent
    : type === 'wheel' ? WheelEvent : type === 'input' ? InputEvent : Event)";

impl Sought<'_> {
    fn manner(&self) -> Manner<'static> {
        Manner {
            deadline: self.deadline,
            early_refusal: false,
            rest: None,
            glance: None,
        }
    }

    async fn found(&self) -> Result<Vec<playguard_cdp::page::Found>, ScriptFault> {
        let found = self.page.find_all(&self.selector, self.deadline).await;
        found.map_err(fault)
    }

    /// Waits until there is an element, and names it.
    async fn target(&self) -> Result<Target, ScriptFault> {
        loop {
            match self.page.find_all(&self.selector, self.deadline).await {
                Ok(found) if !found.is_empty() => {
                    return Ok(Target::Selector {
                        text: self.selector.to_javascript(),
                        selector: self.selector.clone(),
                    });
                }
                Ok(_) => {}
                Err(error) if error.is_transient() => {}
                Err(error) => return Err(fault(error)),
            }
            self.look_again("").await?;
        }
    }

    /// Waits for a change of the page, as long as there is time.
    async fn look_again(&self, state: &str) -> Result<(), ScriptFault> {
        if self.deadline.passed() {
            return Err(ScriptFault::timeout(format!(
                "Timeout {}ms exceeded.\nCall log:\n  - waiting for {}{state}",
                self.deadline.budget().as_millis(),
                self.selector.to_javascript()
            )));
        }
        let pause = LOOK_AGAIN.min(self.deadline.left());
        match self.page.changed(pause).await {
            // Frames change without their page.
            Ok(()) => tokio::time::sleep(Duration::from_millis(10)).await,
            Err(ScriptError::Cdp(error)) if error.is_closed() => return Err(fault(error)),
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
        Ok(())
    }

    async fn element(&self) -> Result<Element, ScriptFault> {
        let target = self.target().await?;
        let element = self.page.element(&target, self.deadline).await;
        element.map_err(fault)
    }

    async fn click(&self, count: u32, options: &ActionOptions) -> Result<Value, ScriptFault> {
        let target = self.target().await?;
        let held = options
            .modifiers
            .iter()
            .flatten()
            .filter_map(|name| Modifiers::parse(name, Platform::host()))
            .fold(Modifiers::NONE, Modifiers::with);
        let click = Click {
            button: button(options.button),
            count: options.click_count.unwrap_or(count),
            delay: pause(options.delay.unwrap_or_default()),
        };
        if options.force {
            return Err(not_here(
                "the option force",
                "use dispatchEvent('click'), or page.mouse",
            ));
        }
        let clicked = action::click(self.page, &target, click, held, self.manner()).await;
        clicked.map_err(fault).map(done)
    }

    async fn fill(&self, text: &str) -> Result<Value, ScriptFault> {
        let target = self.target().await?;
        let filled = action::fill(self.page, &target, text, self.manner()).await;
        filled.map_err(fault).map(done)
    }

    async fn type_into(&self, text: &str, options: &ActionOptions) -> Result<Value, ScriptFault> {
        let target = self.target().await?;
        let Some(delay) = options.delay.filter(|delay| *delay > 0.0) else {
            let typed = action::type_into(self.page, &target, text, self.manner()).await;
            return typed.map_err(fault).map(done);
        };
        for c in text.chars() {
            let text = c.encode_utf8(&mut [0; 4]).to_owned();
            let typed = action::type_into(self.page, &target, &text, self.manner()).await;
            typed.map_err(fault)?;
            tokio::time::sleep(pause(delay)).await;
        }
        Ok(Value::Null)
    }

    async fn check(&self, checked: bool) -> Result<Value, ScriptFault> {
        let target = self.target().await?;
        let set = action::set_checked(self.page, &target, checked, self.manner()).await;
        set.map_err(fault).map(done)
    }

    async fn select(&self, choices: &[OptionChoice]) -> Result<Value, ScriptFault> {
        let target = self.target().await?;
        let mut wanted = Vec::with_capacity(choices.len());
        for choice in choices {
            let text = choice
                .value_or_label
                .as_ref()
                .or(choice.value.as_ref())
                .or(choice.label.as_ref());
            match (text, choice.index) {
                (Some(text), _) => wanted.push(text.clone()),
                (None, Some(index)) => {
                    let source = format!("(element) => element.options[{index}]?.value ?? null");
                    let answer = self.evaluate(&source).await?;
                    match answer["value"].as_str() {
                        Some(value) => wanted.push(value.to_owned()),
                        None => {
                            let text = format!("there is no option with index {index}");
                            return Err(ScriptFault::error(text));
                        }
                    }
                }
                (None, None) => return Err(ScriptFault::error("an option without value")),
            }
        }
        let selected =
            action::select_options(self.page, &target, &wanted, false, self.manner()).await;
        selected.map_err(fault)?;
        let chosen = "(element) => Array.from(element.selectedOptions, (option) => option.value)";
        let mut answer = self.evaluate(chosen).await?;
        Ok(answer.get_mut("value").map_or(json!([]), Value::take))
    }

    async fn ask(&self, question: Question, name: &str) -> Result<Value, ScriptFault> {
        let element = self.element().await?;
        let answer = self.page.ask(&element, question, name, self.deadline).await;
        element.release(self.page);
        answer.map_err(thrown)
    }

    async fn ask_all(&self, question: Question) -> Result<Value, ScriptFault> {
        let mut answers = Vec::new();
        for element in self.elements().await? {
            let answer = self.page.ask(&element, question, "", self.deadline).await;
            element.release(self.page);
            let text = answer.map_err(thrown)?;
            answers.push(json!(text.as_str().unwrap_or_default()));
        }
        Ok(Value::Array(answers))
    }

    async fn elements(&self) -> Result<Vec<Element>, ScriptFault> {
        let mut elements = Vec::new();
        for found in self.found().await?.iter().take(MAX_ELEMENTS) {
            let node = found.document.backend_node_id(found.node);
            let element = Element::resolve(self.page, &found.frame, node, self.deadline).await;
            elements.extend(element.map_err(fault)?);
        }
        Ok(elements)
    }

    async fn control(&self, checkable: bool) -> Result<Control, ScriptFault> {
        let target = self.target().await?;
        let control = self.page.control(&target, checkable, self.deadline).await;
        control.map_err(fault)
    }

    async fn visible_now(&self) -> Result<bool, ScriptFault> {
        let found = self.found().await?;
        match found.as_slice() {
            [] => Ok(false),
            [only] => Ok(only.document.is_box_visible(only.node)),
            // Says how many there are.
            _ => self.element().await.map(|_| true),
        }
    }

    async fn wait_for(&self, state: ElementState) -> Result<Value, ScriptFault> {
        loop {
            let found = match self.page.find_all(&self.selector, self.deadline).await {
                Ok(found) => found,
                Err(error) if error.is_transient() => Vec::new(),
                Err(error) => return Err(fault(error)),
            };
            let visible = (found.first()).is_some_and(|f| f.document.is_box_visible(f.node));
            let (reached, name) = match state {
                ElementState::Attached => (!found.is_empty(), ""),
                ElementState::Detached => (found.is_empty(), " to be detached"),
                ElementState::Visible => (visible, " to be visible"),
                ElementState::Hidden => (!visible, " to be hidden"),
            };
            if reached {
                return Ok(Value::Null);
            }
            self.look_again(name).await?;
        }
    }

    async fn evaluate(&self, source: &str) -> Result<Value, ScriptFault> {
        let element = self.element().await?;
        let evaluated = self.page.evaluate(source, Some(&element)).await;
        element.release(self.page);
        evaluated.map_err(thrown).and_then(|(value, _)| data(value))
    }

    async fn evaluate_all(&self, function: &Function) -> Result<Value, ScriptFault> {
        let elements = self.elements().await?;
        let source = format!("(elements) => {}", called_with(function, "elements"));
        let work = self.page.evaluate_all(&source, &elements, self.deadline);
        let evaluated = work.await;
        for element in &elements {
            element.release(self.page);
        }
        evaluated.map_err(thrown).and_then(data)
    }
}

fn parsed(text: &str) -> Result<Selector, ScriptFault> {
    match locator::parse_target(text) {
        Ok(locator::Target::Selector(selector)) => Ok(selector),
        // `page.locator('e5')` means elements named so, not a ref.
        Ok(locator::Target::Ref(text)) => {
            Selector::css(&text).map_err(|error| ScriptFault::error(error.to_string()))
        }
        Err(error) => Err(ScriptFault::error(error.to_string())),
    }
}

fn unfit(control: Control) -> ScriptFault {
    ScriptFault::error(match control {
        Control::None(reason) => reason,
        Control::Value(_) | Control::Checked(_) => "the element is of another kind".to_owned(),
    })
}
