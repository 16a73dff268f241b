use super::*;
use serde_json::json;

/// Kind, point, button, buttons, click count, pressure.
fn told(event: &MouseEvent) -> String {
    let event = serde_json::to_value(event).unwrap();
    format!(
        "{} {},{} {} {} {} {}",
        event["type"].as_str().unwrap(),
        event["x"],
        event["y"],
        event["button"].as_str().unwrap(),
        event["buttons"],
        event["clickCount"],
        event["force"]
    )
}

fn steps(steps: &[MouseStep]) -> Vec<String> {
    steps
        .iter()
        .map(|step| match step {
            MouseStep::Event(event) => told(event),
            MouseStep::Wait(delay) => format!("wait {}", delay.as_millis()),
        })
        .collect()
}

#[test]
fn parameters_of_the_command() {
    let event = Mouse::default().plan_move(20.0, 80.5, Modifiers::SHIFT);
    assert_eq!(
        serde_json::to_value(event).unwrap(),
        json!({"type": "mouseMoved", "x": 20.0, "y": 80.5, "modifiers": 8, "button": "none", "buttons": 0,
               "clickCount": 0, "force": 0.0, "pointerType": "mouse"})
    );
}

#[test]
fn a_double_click_is_two_pairs() {
    let click = Click {
        count: 2,
        ..Click::default()
    };
    assert_eq!(
        steps(&Mouse::default().plan_click(30.0, 90.0, click, Modifiers::NONE)),
        [
            "mouseMoved 30.0,90.0 none 0 0 0.0",
            "mousePressed 30.0,90.0 left 1 1 0.5",
            "mouseReleased 30.0,90.0 left 0 1 0.0",
            "mousePressed 30.0,90.0 left 1 2 0.5",
            "mouseReleased 30.0,90.0 left 0 2 0.0",
        ]
    );
}

#[test]
fn delays_stand_between_down_and_up_and_between_clicks() {
    let click = Click {
        button: Button::Right,
        count: 2,
        delay: Duration::from_millis(50),
    };
    let told = steps(&Mouse::default().plan_click(1.0, 2.0, click, Modifiers::NONE));
    assert_eq!(
        told[1..4],
        [
            "mousePressed 1.0,2.0 right 2 1 0.5",
            "wait 50",
            "mouseReleased 1.0,2.0 right 0 1 0.0"
        ]
    );
    assert_eq!((told.len(), told[4].as_str()), (8, "wait 50"));
}

#[test]
fn position_and_buttons_are_kept() {
    let mut mouse = Mouse::default();
    mouse.plan_move(30.0, 90.0, Modifiers::NONE);
    assert_eq!(
        told(&mouse.plan_down(Button::Middle, 1, Modifiers::NONE)),
        "mousePressed 30.0,90.0 middle 4 1 0.5"
    );
    assert_eq!(
        told(&mouse.plan_move(40.0, 95.0, Modifiers::NONE)),
        "mouseMoved 40.0,95.0 middle 4 0 0.5"
    );
    assert_eq!(
        told(&mouse.plan_down(Button::Left, 1, Modifiers::NONE)),
        "mousePressed 40.0,95.0 left 5 1 0.5"
    );
    assert_eq!(
        told(&mouse.plan_up(Button::Middle, 1, Modifiers::NONE)),
        "mouseReleased 40.0,95.0 middle 1 1 0.5"
    );
    assert_eq!(
        told(&mouse.plan_up(Button::Left, 1, Modifiers::NONE)),
        "mouseReleased 40.0,95.0 left 0 1 0.0"
    );
    assert_eq!(mouse.position(), (40.0, 95.0));
}

#[test]
fn the_wheel_turns_where_the_mouse_is() {
    let mut mouse = Mouse::default();
    mouse.plan_move(40.0, 95.0, Modifiers::NONE);
    let event = serde_json::to_value(mouse.plan_wheel(3.0, 40.0, Modifiers::CONTROL)).unwrap();
    assert_eq!(
        event,
        json!({"type": "mouseWheel", "x": 40.0, "y": 95.0, "modifiers": 2, "button": "none", "buttons": 0,
               "clickCount": 0, "force": 0.0, "pointerType": "mouse", "deltaX": 3.0, "deltaY": 40.0})
    );
}

#[test]
fn a_drag() {
    let events = Mouse::default().plan_drag((10.0, 60.0), (50.0, 90.0), Modifiers::NONE);
    let told: Vec<String> = events.iter().map(told).collect();
    assert_eq!(
        told,
        [
            "mouseMoved 10.0,60.0 none 0 0 0.0",
            "mousePressed 10.0,60.0 left 1 1 0.5",
            "mouseMoved 50.0,90.0 left 1 0 0.5",
            "mouseReleased 50.0,90.0 left 0 1 0.0",
        ]
    );
}

#[test]
fn absurd_counts_are_bounded() {
    let clicks = |count| {
        Mouse::default()
            .plan_click(
                0.0,
                0.0,
                Click {
                    count,
                    ..Click::default()
                },
                Modifiers::NONE,
            )
            .len()
    };
    assert_eq!((clicks(0), clicks(1), clicks(u32::MAX)), (3, 3, 2001));
}
