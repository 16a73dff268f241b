use super::*;
use serde_json::json;

fn keyboard() -> Keyboard {
    Keyboard::new(Platform::Other)
}

/// One line an event: kind, key, code, key code, modifiers, text.
fn told(events: &[KeyEvent]) -> Vec<String> {
    events
        .iter()
        .map(|event| {
            format!(
                "{:?} {} {} {} {} {}",
                event.kind,
                event.key,
                event.code,
                event.windows_virtual_key_code,
                event.modifiers.bits(),
                event.text.unwrap_or("-").escape_debug()
            )
        })
        .collect()
}

#[test]
fn a_letter() {
    let events = keyboard().plan_press("a").unwrap();
    assert_eq!(
        serde_json::to_value(&events).unwrap(),
        json!([
            {"type": "keyDown", "modifiers": 0, "windowsVirtualKeyCode": 65, "code": "KeyA", "key": "a", "text": "a",
             "unmodifiedText": "a", "location": 0, "isKeypad": false, "autoRepeat": false},
            {"type": "keyUp", "modifiers": 0, "windowsVirtualKeyCode": 65, "code": "KeyA", "key": "a",
             "location": 0, "isKeypad": false, "autoRepeat": false},
        ])
    );
}

#[test]
fn modifiers_are_held_in_order_and_released_in_reverse() {
    let mut keyboard = keyboard();
    assert_eq!(
        told(&keyboard.plan_press("Control+Shift+a").unwrap()),
        [
            "RawKeyDown Control ControlLeft 17 2 -",
            "RawKeyDown Shift ShiftLeft 16 10 -",
            "RawKeyDown a KeyA 65 10 -",
            "KeyUp a KeyA 65 10 -",
            "KeyUp Shift ShiftLeft 16 2 -",
            "KeyUp Control ControlLeft 17 0 -",
        ]
    );
    assert_eq!(keyboard.modifiers(), Modifiers::NONE);
}

#[test]
fn a_lone_shift_changes_codes_and_leaves_values() {
    let key = |shortcut| told(&keyboard().plan_press(shortcut).unwrap())[1].clone();
    assert_eq!(key("Shift+KeyA"), "KeyDown A KeyA 65 8 A");
    assert_eq!(key("Shift+Digit1"), "KeyDown ! Digit1 49 8 !");
    assert_eq!(key("Shift+A"), "KeyDown A KeyA 65 8 A");
    assert_eq!(key("Shift+a"), "KeyDown a KeyA 65 8 a");
    assert_eq!(key("Shift+Numpad7"), "KeyDown 7 Numpad7 103 8 7");
    assert_eq!(
        told(&keyboard().plan_press("A").unwrap())[0],
        "KeyDown A KeyA 65 0 A"
    );
}

#[test]
fn other_modifiers_take_the_text() {
    let key = |shortcut| told(&keyboard().plan_press(shortcut).unwrap())[1].clone();
    for (shortcut, expected) in [
        ("Control+a", "RawKeyDown a KeyA 65 2 -"),
        ("ControlOrMeta+a", "RawKeyDown a KeyA 65 2 -"),
        ("Alt+F4", "RawKeyDown F4 F4 115 1 -"),
        ("Meta+a", "RawKeyDown a KeyA 65 4 -"),
        ("Control++", "RawKeyDown + Equal 187 2 -"),
        ("Control+Enter", "RawKeyDown Enter Enter 13 2 -"),
    ] {
        assert_eq!(key(shortcut), expected);
    }
}

#[test]
fn keys_that_act() {
    let press = |key| told(&keyboard().plan_press(key).unwrap())[0].clone();
    assert_eq!(press("Enter"), "KeyDown Enter Enter 13 0 \\r");
    assert_eq!(press("\n"), "KeyDown Enter Enter 13 0 \\r");
    assert_eq!(press("ArrowLeft"), "RawKeyDown ArrowLeft ArrowLeft 37 0 -");
    assert_eq!(press("F5"), "RawKeyDown F5 F5 116 0 -");
    let enter = keyboard().plan_press("NumpadEnter").unwrap();
    assert!(enter[0].is_keypad && enter[0].location == 3);
}

#[test]
fn unknown_keys_change_nothing() {
    let mut keyboard = keyboard();
    let error = keyboard.plan_press("Control+Nope").unwrap_err();
    assert_eq!(error.to_string(), "Unknown key: \"Nope\"");
    assert_eq!(keyboard.modifiers(), Modifiers::NONE);
    assert!(keyboard.plan_down("control").is_err());
}

#[test]
fn a_key_that_is_down_repeats() {
    let mut keyboard = keyboard();
    assert!(!keyboard.plan_down("a").unwrap().auto_repeat);
    assert!(keyboard.plan_down("a").unwrap().auto_repeat);
    keyboard.plan_up("a").unwrap();
    assert!(!keyboard.plan_down("a").unwrap().auto_repeat);
}

#[test]
fn text_is_typed_key_by_key_and_the_rest_inserted() {
    let steps = keyboard().plan_type("aB\né🎉\t1");
    let told: Vec<String> = steps
        .iter()
        .map(|step| match step {
            TypeStep::Key(event) => told(std::slice::from_ref(event)).remove(0),
            TypeStep::Insert { text } => format!("insert {text}"),
        })
        .collect();
    assert_eq!(
        told,
        [
            "KeyDown a KeyA 65 0 a",
            "KeyUp a KeyA 65 0 -",
            "KeyDown B KeyB 66 0 B",
            "KeyUp B KeyB 66 0 -",
            "KeyDown Enter Enter 13 0 \\r",
            "KeyUp Enter Enter 13 0 -",
            "insert é🎉\t",
            "KeyDown 1 Digit1 49 0 1",
            "KeyUp 1 Digit1 49 0 -",
        ]
    );
    assert_eq!(
        serde_json::to_value(&steps[6]).unwrap(),
        json!({"text": "é🎉\t"})
    );
    assert_eq!(
        (steps[0].method(), steps[6].method()),
        ("Input.dispatchKeyEvent", "Input.insertText")
    );
}

#[test]
fn joined_characters_stay_joined_and_line_ends_are_one_enter() {
    let text = "naïve 👩‍👧 𠮷 漢";
    let typed: String = keyboard()
        .plan_type(text)
        .into_iter()
        .filter_map(|step| match step {
            TypeStep::Key(event) => event.text.map(str::to_owned),
            TypeStep::Insert { text } => Some(text),
        })
        .collect();
    assert_eq!(typed, text);
    assert_eq!(keyboard().plan_type("\r\n").len(), 2);
    assert_eq!(keyboard().plan_type("\r\r\n").len(), 4);
}

#[test]
fn modifiers_for_a_click_can_be_restored() {
    let mut keyboard = keyboard();
    keyboard.plan_down("Shift").unwrap();
    let before = keyboard.modifiers();
    let wanted = Modifiers::parse("ControlOrMeta", Platform::Other)
        .unwrap()
        .with(Modifiers::ALT);
    assert_eq!(
        told(&keyboard.plan_modifiers(wanted)),
        [
            "RawKeyDown Alt AltLeft 18 9 -",
            "RawKeyDown Control ControlLeft 17 11 -",
            "KeyUp Shift ShiftLeft 16 3 -",
        ]
    );
    assert_eq!(keyboard.modifiers(), wanted);
    keyboard.plan_modifiers(before);
    assert_eq!(keyboard.modifiers(), before);
    assert!(keyboard.plan_modifiers(before).is_empty());
    assert_eq!(Modifiers::parse("Control Shift", Platform::Other), None);
}

#[test]
fn macos_gets_editing_commands() {
    let mut keyboard = Keyboard::new(Platform::Mac);
    let events = keyboard.plan_press("ControlOrMeta+a").unwrap();
    assert_eq!(events[0].key, "Meta");
    assert_eq!(
        serde_json::to_value(&events[1]).unwrap()["commands"],
        json!(["selectAll"])
    );
    assert!(events[2].commands.is_empty());
    assert_eq!(
        keyboard.plan_press("Backspace").unwrap()[0].commands,
        ["deleteBackward"]
    );
}
