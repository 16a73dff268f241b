//! Snapshots from Chrome's accessibility tree alone, in the same format: for
//! browsers without DOM snapshots, and for those who want exactly what assistive
//! technology is told. Roles, names and values are Chrome's.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::ax::{AxNode, AxTree, AxValue, facts};
use super::build::short_url;
use super::refs::{Minting, RefBook};
use super::roles::Role;
use super::tree::{AriaId, AriaNode, AriaTree, Child, ElementKey, Invalid, States, Toggle};
use crate::dom::{js_number, normalize_white_space};

/// Accessibility trees of a page's frames.
#[derive(Debug, Default)]
pub struct AxPage {
    /// Id of the main frame.
    pub main_frame: Arc<str>,
    /// By frame id; frames that could not be read are left out.
    pub frames: HashMap<Arc<str>, AxFrame>,
}

/// What was read of one frame.
#[derive(Debug, Default)]
pub struct AxFrame {
    /// The reply of `Accessibility.getFullAXTree` for the frame.
    pub tree: AxTree,
    /// Identity of the document (its loader id): refs start over when it changes.
    pub document_id: Arc<str>,
    /// Child frames by the backend id of the IFRAME that shows them.
    pub children: HashMap<i64, Arc<str>>,
}

/// What of the usual options makes sense here.
#[derive(Debug, Clone, Default)]
pub struct AxSnapshotOptions {
    /// Nodes at this depth print without nodes below; 0 or less: no limit.
    pub depth: i64,
    /// Frame and backend id of the element to start from.
    pub target: Option<(Arc<str>, i64)>,
    /// Print facts beyond upstream's marks.
    pub extras: bool,
}

/// Builds the tree. Ignored nodes give way to their children, nameless generics
/// with nothing to hold apart as well; refs come from `refs` as usual.
pub fn ax_snapshot(page: &AxPage, refs: &mut RefBook, options: &AxSnapshotOptions) -> AriaTree {
    let mut tree = AriaTree::default();
    let (first, target) = match &options.target {
        Some((frame, backend)) => (Arc::clone(frame), Some(*backend)),
        None => (Arc::clone(&page.main_frame), None),
    };
    let mut queue: VecDeque<(Arc<str>, Option<AriaId>, i64)> = VecDeque::new();
    queue.push_back((first, None, 0));
    let mut shown: HashSet<Arc<str>> = HashSet::new();
    while let Some((frame_id, owner, depth)) = queue.pop_front() {
        let Some(frame) = page.frames.get(&frame_id) else {
            continue;
        };
        if !shown.insert(Arc::clone(&frame_id)) {
            continue;
        }
        let mut reading = Reading {
            frame,
            frame_id: &frame_id,
            options,
            minting: refs.open(&frame_id, &frame.document_id),
            tree: &mut tree,
            by_id: frame
                .tree
                .nodes
                .iter()
                .enumerate()
                .map(|(i, n)| (n.id.as_str(), i))
                .collect(),
            by_backend: match options.extras {
                true => first_of_each(&frame.tree),
                false => HashMap::new(),
            },
            visited: vec![false; frame.tree.nodes.len()],
            frames: Vec::new(),
        };
        let children = reading.run(target.filter(|_| owner.is_none()), depth);
        let frames = reading.frames;
        match owner {
            None => tree.roots = children,
            Some(owner) => tree.node_mut(owner).children = children,
        }
        queue.extend(
            frames
                .into_iter()
                .map(|(id, owner, depth)| (id, Some(owner), depth)),
        );
    }
    tree
}

struct Reading<'a> {
    frame: &'a AxFrame,
    frame_id: &'a Arc<str>,
    options: &'a AxSnapshotOptions,
    minting: Minting<'a>,
    tree: &'a mut AriaTree,
    by_id: HashMap<&'a str, usize>,
    /// The first node of each element; only filled when facts are told.
    by_backend: HashMap<i64, usize>,
    visited: Vec<bool>,
    /// Frames to put in: which, where, and the depth of their top nodes.
    frames: Vec<(Arc<str>, AriaId, i64)>,
}

/// A node whose children are being read. Pass-through nodes have no `node` and
/// hand theirs to the next one out.
struct Open<'a> {
    node: Option<AriaNode>,
    waiting: Vec<&'a str>,
    done: Vec<Child>,
    /// Depth of the node's children.
    depth: i64,
    /// Text below only repeats the node's value.
    has_value: bool,
    backend_id: Option<i64>,
}

impl<'a> Reading<'a> {
    fn run(&mut self, target: Option<i64>, depth: i64) -> Vec<Child> {
        let frame = self.frame;
        let start = match target {
            Some(backend) => frame
                .tree
                .nodes
                .iter()
                .find(|n| n.backend_id == Some(backend)),
            None => frame.tree.nodes.first(),
        };
        let Some(start) = start else {
            return Vec::new();
        };
        let mut stack = vec![Open {
            node: None,
            waiting: vec![start.id.as_str()],
            done: Vec::new(),
            depth,
            has_value: false,
            backend_id: None,
        }];
        loop {
            let Some(top) = stack.last_mut() else {
                return Vec::new();
            };
            let Some(next) = top.waiting.pop() else {
                let Some(open) = stack.pop() else {
                    return Vec::new();
                };
                let Some(parent) = stack.last_mut() else {
                    return merged(open.done, "");
                };
                self.close(open, &mut parent.done);
                continue;
            };
            let Some(&index) = self.by_id.get(next) else {
                continue;
            };
            if std::mem::replace(&mut self.visited[index], true) {
                continue;
            }
            let node = &frame.tree.nodes[index];
            if let Some(leaf) = leaf(node) {
                let wanted = matches!(leaf, Leaf::Text) && !node.ignored && !top.has_value;
                if wanted && !node.name.is_empty() {
                    top.done.push(Child::Text(Arc::from(node.name.as_str())));
                }
                continue;
            }
            let (depth, has_value) = (top.depth, top.has_value);
            let open = self.open(node, depth, has_value);
            stack.push(open);
        }
    }

    fn open(&mut self, node: &'a AxNode, depth: i64, in_value: bool) -> Open<'a> {
        // Boxes that the browser puts between a control and its text or options.
        let inner = in_value && node.role == "generic" || node.role == "MenuListPopup";
        let skip = node.ignored || inner || matches!(node.role.as_str(), "RootWebArea" | "none");
        let own = (!skip).then(|| self.aria_node(node));
        // Rich text has paragraphs and links below; they tell more than its value.
        let is_rich = node
            .property("editable")
            .is_some_and(|kind| kind.text == "richtext");
        let value = if is_rich { "" } else { node.value.as_str() };
        let mut done = Vec::new();
        if own.is_some() && !value.is_empty() {
            done.push(Child::Text(Arc::from(value)));
        }
        let cut_off = own.is_some() && self.options.depth > 0 && depth >= self.options.depth;
        let children = if cut_off {
            &[]
        } else {
            node.children.as_slice()
        };
        Open {
            depth: depth + i64::from(own.is_some()),
            waiting: children.iter().rev().map(String::as_str).collect(),
            has_value: if own.is_some() {
                !done.is_empty()
            } else {
                in_value
            },
            node: own,
            done,
            backend_id: node.backend_id,
        }
    }

    fn close(&mut self, open: Open<'_>, into: &mut Vec<Child>) {
        let Some(mut node) = open.node else {
            into.extend(open.done);
            return;
        };
        let children = merged(open.done, &node.name);
        let plain = node.role == "generic"
            && node.name.is_empty()
            && node.states == States::default()
            && node.extras.is_empty();
        if plain {
            match children.as_slice() {
                [] => return,
                [Child::Node(only)] => {
                    into.push(Child::Node(*only));
                    return;
                }
                _ => {}
            }
        }
        node.children = children;
        let frame = open.backend_id.and_then(|id| self.frame.children.get(&id));
        let id = self.tree.push(node);
        if let Some(frame) = frame {
            self.frames.push((Arc::clone(frame), id, open.depth));
        }
        into.push(Child::Node(id));
    }

    fn aria_node(&mut self, node: &AxNode) -> AriaNode {
        let role: Cow<'static, str> = match node.role.as_str() {
            "Iframe" | "IframePresentational" => "iframe".into(),
            "image" => "img".into(),
            role => role.to_owned().into(),
        };
        let name: Arc<str> = Arc::from(normalize_white_space(&node.name));
        let mut out = AriaNode {
            states: states(node),
            ..AriaNode::default()
        };
        if let Some(backend) = node.backend_id {
            out.reference = Some(self.minting.mint(backend, role.clone(), &name));
            out.element = Some(ElementKey {
                frame_id: Arc::clone(self.frame_id),
                backend_node_id: backend,
            });
        }
        if let Some(url) = node.property("url").filter(|_| role == "link") {
            out.props
                .push(("url".into(), Arc::from(short_url(&url.text))));
        }
        if self.options.extras {
            let facts = facts(node);
            let error = self.error_message(&facts.error_messages);
            let said = |text: &str| *text == *name;
            facts.tell(Role::from_token(&role), &error, said, &mut out.extras);
        }
        out.role = role;
        out.name = name;
        out
    }

    fn error_message(&self, backends: &[i64]) -> String {
        let nodes = &self.frame.tree.nodes;
        let named = |backend: &i64| Some(nodes.get(*self.by_backend.get(backend)?)?.name.as_str());
        // One message is the rule; a list of thousands would only be told in part.
        backends
            .iter()
            .take(4)
            .filter_map(named)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The first node of each element.
fn first_of_each(tree: &AxTree) -> HashMap<i64, usize> {
    let nodes = tree.nodes.iter().enumerate().rev();
    nodes
        .filter_map(|(index, node)| Some((node.backend_id?, index)))
        .collect()
}

/// Leaves: text, and what repeats it or comes from CSS.
enum Leaf {
    Text,
    Noise,
}

fn leaf(node: &AxNode) -> Option<Leaf> {
    match node.role.as_str() {
        "StaticText" | "LineBreak" => Some(Leaf::Text),
        "InlineTextBox" | "ListMarker" => Some(Leaf::Noise),
        _ => None,
    }
}

/// Joins neighbouring text; a lone text that repeats the name goes.
fn merged(children: Vec<Child>, name: &str) -> Vec<Child> {
    let mut out: Vec<Child> = Vec::with_capacity(children.len());
    let mut run = String::new();
    let flush = |run: &mut String, out: &mut Vec<Child>| {
        let text = normalize_white_space(run);
        if !text.is_empty() {
            out.push(Child::Text(Arc::from(text)));
        }
        run.clear();
    };
    for child in children {
        match child {
            Child::Text(text) => run.push_str(&text),
            node @ Child::Node(_) => {
                flush(&mut run, &mut out);
                out.push(node);
            }
        }
    }
    flush(&mut run, &mut out);
    if matches!(out.as_slice(), [Child::Text(text)] if **text == *name) {
        out.clear();
    }
    out
}

fn states(node: &AxNode) -> States {
    let text = |name: &str| node.property(name).map_or("", |value| value.text.as_str());
    let on = |name: &str| node.property(name).is_some_and(AxValue::is_true);
    let toggle = |name: &str| match text(name) {
        "true" => Some(Toggle::True),
        "mixed" => Some(Toggle::Mixed),
        _ => None,
    };
    States {
        checked: toggle("checked"),
        disabled: on("disabled"),
        expanded: on("expanded"),
        active: on("focused"),
        invalid: match text("invalid") {
            "" | "false" => None,
            "grammar" => Some(Invalid::Grammar),
            "spelling" => Some(Invalid::Spelling),
            _ => Some(Invalid::True),
        },
        // Saturates; levels are small.
        level: js_number(text("level"))
            .filter(|&level| level >= 1.0)
            .map(|level| level as u32),
        pressed: toggle("pressed"),
        selected: on("selected"),
        aria_hidden: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aria::render;

    fn page(json: &str) -> AxPage {
        let frame = AxFrame {
            tree: AxTree::from_json(json).unwrap(),
            document_id: "d".into(),
            children: HashMap::from([(30, Arc::from("C"))]),
        };
        let child = AxFrame {
            tree: AxTree::from_json(
                r#"[{"nodeId":"1","role":{"value":"RootWebArea"},"childIds":["2"]},
                    {"nodeId":"2","role":{"value":"heading"},"name":{"value":"In"},
                     "backendDOMNodeId":3,"properties":[{"name":"level","value":{"value":2}}]}]"#,
            )
            .unwrap(),
            ..AxFrame::default()
        };
        AxPage {
            main_frame: "M".into(),
            frames: HashMap::from([("M".into(), frame), ("C".into(), child)]),
        }
    }

    const MAIN: &str = r#"{"nodes":[
        {"nodeId":"1","role":{"value":"RootWebArea"},"childIds":["2"],"backendDOMNodeId":1},
        {"nodeId":"2","ignored":true,"role":{"value":"none"},"childIds":["3","6","8","30","31"]},
        {"nodeId":"3","role":{"value":"generic"},"backendDOMNodeId":13,"childIds":["4"]},
        {"nodeId":"4","role":{"value":"button"},"name":{"value":"Save"},"backendDOMNodeId":14,
         "childIds":["5"],"properties":[{"name":"focused","value":{"value":true}},
         {"name":"hasPopup","value":{"value":"menu"}}]},
        {"nodeId":"5","role":{"value":"StaticText"},"name":{"value":"Save"},"childIds":["4"]},
        {"nodeId":"6","role":{"value":"textbox"},"name":{"value":"Mail"},"value":{"value":"a@b"},
         "backendDOMNodeId":16,"childIds":["7"]},
        {"nodeId":"7","ignored":true,"role":{"value":"none"},"childIds":["9"]},
        {"nodeId":"9","role":{"value":"StaticText"},"name":{"value":"a@b"}},
        {"nodeId":"8","role":{"value":"link"},"backendDOMNodeId":18,
         "properties":[{"name":"url","value":{"value":"http://x/"}}]},
        {"nodeId":"30","role":{"value":"Iframe"},"backendDOMNodeId":30},
        {"nodeId":"31","role":{"value":"StaticText"},"name":{"value":" tail "}}]}"#;

    #[test]
    fn prints_chromes_tree_in_the_usual_format() {
        let page = page(MAIN);
        let mut refs = RefBook::new("M");
        let tree = ax_snapshot(&page, &mut refs, &AxSnapshotOptions::default());
        assert_eq!(
            render(&tree),
            "- button \"Save\" [active] [ref=e2]\n- textbox \"Mail\" [ref=e3]: a@b\n\
             - link [ref=e4]:\n  - /url: http://x/\n- iframe [ref=e5]:\n  \
             - heading \"In\" [level=2] [ref=f1e1]\n- text: tail"
        );
        assert_eq!(refs.resolve("e3").unwrap().backend_node_id, 16);
        let options = AxSnapshotOptions {
            target: Some(("M".into(), 14)),
            extras: true,
            ..AxSnapshotOptions::default()
        };
        let tree = ax_snapshot(&page, &mut refs, &options);
        assert_eq!(
            render(&tree),
            "- button \"Save\" [active] [ref=e2] [haspopup=menu]"
        );
        assert_eq!(refs.resolve("e3"), None);
    }

    #[test]
    fn loops_and_depth_do_no_harm() {
        let looped = r#"[{"nodeId":"1","role":{"value":"list"},"childIds":["1","2","nope"]},
            {"nodeId":"2","role":{"value":"listitem"},"childIds":["1"]}]"#;
        let tree = ax_snapshot(
            &page(looped),
            &mut RefBook::new("M"),
            &AxSnapshotOptions::default(),
        );
        assert_eq!(render(&tree), "- list:\n  - listitem");
        let deep: Vec<String> = (0..50_000)
            .map(|i| {
                format!(
                    r#"{{"nodeId":"{i}","role":{{"value":"list"}},"childIds":["{}"]}}"#,
                    i + 1
                )
            })
            .collect();
        let deep = format!("[{}]", deep.join(","));
        let tree = ax_snapshot(
            &page(&deep),
            &mut RefBook::new("M"),
            &AxSnapshotOptions::default(),
        );
        assert_eq!(tree.walk().count(), 50_000);
        let options = AxSnapshotOptions {
            depth: 2,
            ..AxSnapshotOptions::default()
        };
        let tree = ax_snapshot(&page(&deep), &mut RefBook::new("M"), &options);
        assert_eq!(render(&tree), "- list:\n  - list:\n    - list");
    }
}
