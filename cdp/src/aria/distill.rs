//! Tidying a raw tree: joins text, drops noise, unwraps generics, and empties
//! names that only repeat what is printed below them.

use std::borrow::Cow;
use std::sync::Arc;

use super::build::{Draft, DraftNode, Piece};
use super::roles::Role;
use crate::dom::normalize_white_space;

/// Distils in place. `limit` is the depth option: 0 for none; below zero no name
/// counts as printed elsewhere.
pub(crate) fn distill(draft: &mut Draft<'_>, limit: i64) {
    let mut distiller = Distiller {
        pending: vec![false; draft.has_ref.len()],
        has_ref: &draft.has_ref,
        nodes: &mut draft.nodes,
        limit,
    };
    distiller.run();
}

struct Distiller<'a, 'd> {
    nodes: &'a mut Vec<DraftNode<'d>>,
    has_ref: &'a [bool],
    /// Elements that supplied a name and have not been seen below it so far.
    pending: Vec<bool>,
    limit: i64,
}

/// A node whose children are being distilled.
struct Open<'d> {
    node: u32,
    /// Children still to come, in reverse.
    waiting: Vec<Piece<'d>>,
    done: Vec<Piece<'d>>,
    /// Depth of the node; the fragment has -1.
    depth: i64,
    /// It or an ancestor can be clicked as a whole.
    clickable: bool,
    click_root: bool,
}

/// What becomes of a node.
enum Fate<'d> {
    Stays,
    Goes,
    Becomes(Piece<'d>),
}

impl<'d> Distiller<'_, 'd> {
    fn run(&mut self) {
        let mut stack = vec![self.enter(0, -1, false)];
        while let Some(open) = stack.last_mut() {
            match open.waiting.pop() {
                Some(Piece::Node(child)) => {
                    let (depth, clickable) = (open.depth + 1, open.clickable);
                    let child = self.enter(child, depth, clickable);
                    stack.push(child);
                }
                Some(text) => open.done.push(text),
                None => {
                    let Some(open) = stack.pop() else { break };
                    let node = open.node;
                    let parent = stack.last().map(|parent| parent.node);
                    let fate = self.exit(open, parent);
                    let Some(parent) = stack.last_mut() else {
                        break;
                    };
                    match fate {
                        Fate::Stays => parent.done.push(Piece::Node(node)),
                        Fate::Goes => {}
                        Fate::Becomes(piece) => parent.done.push(piece),
                    }
                }
            }
        }
    }

    fn enter(&mut self, index: u32, depth: i64, clickable: bool) -> Open<'d> {
        let node = &mut self.nodes[index as usize];
        let mut waiting = std::mem::take(&mut node.children);
        let node = &self.nodes[index as usize];
        if let (Some((element, _)), true) = (node.element, node.reference.is_some()) {
            for &contributor in &node.contributors {
                self.pending[contributor.index()] = true;
            }
            let leaf = node.is(Role::Generic)
                && waiting.iter().all(|piece| matches!(piece, Piece::Text(_)));
            let cut_off = self.limit != 0 && depth > self.limit;
            if !leaf && !cut_off {
                self.pending[element.index()] = false;
            }
        }
        waiting.reverse();
        let clicks = node.reference.is_some() && node.pointer;
        Open {
            node: index,
            waiting,
            done: Vec::new(),
            depth,
            clickable: clickable || clicks,
            click_root: clicks && !clickable,
        }
    }

    fn exit(&mut self, open: Open<'d>, parent: Option<u32>) -> Fate<'d> {
        let index = open.node as usize;
        let mut children = merge_text(open.done, &self.nodes[index].name);
        let Some((element, role)) = self.nodes[index].element else {
            self.nodes[index].children = children;
            return Fate::Stays;
        };
        if role == Role::Img
            && self.nodes[index].name.is_empty()
            && children.is_empty()
            && !open.click_root
        {
            return Fate::Goes;
        }
        if self.nodes[index].reference.is_some() {
            self.drop_redundant_name(index);
        }
        if role != Role::Generic {
            self.nodes[index].children = children;
            return Fate::Stays;
        }
        if !self.has_props(index)
            && let [Piece::Node(child)] = children.as_slice()
            && self.is_bare_text(*child as usize)
        {
            children = std::mem::take(&mut self.nodes[*child as usize].children);
        }
        if self.repeats_parent(index, &children, parent) {
            self.pending[element.index()] |= self.has_ref[element.index()];
            return Fate::Goes;
        }
        if self.nodes[index].name.is_empty() {
            match children.as_slice() {
                [] if !open.click_root => return Fate::Goes,
                [Piece::Node(child)] if self.nodes[*child as usize].reference.is_some() => {
                    return Fate::Becomes(Piece::Node(*child));
                }
                _ => {}
            }
        }
        self.nodes[index].children = children;
        Fate::Stays
    }

    /// Everything that made the name is printed below it: the name goes. Else it
    /// stays and vouches for its contributors.
    fn drop_redundant_name(&mut self, index: usize) {
        let contributors = std::mem::take(&mut self.nodes[index].contributors);
        if contributors.iter().any(|node| self.pending[node.index()]) {
            for node in contributors {
                self.pending[node.index()] = false;
            }
        } else if !contributors.is_empty() {
            self.nodes[index].name = Arc::default();
        }
    }

    fn has_props(&self, index: usize) -> bool {
        let node = &self.nodes[index];
        !node.props.is_empty() || node.states.aria_hidden
    }

    /// A generic that is nothing but one piece of text.
    fn is_bare_text(&self, index: usize) -> bool {
        let node = &self.nodes[index];
        node.is(Role::Generic)
            && node.name.is_empty()
            && !node.states.active
            && !self.has_props(index)
            && matches!(node.children.as_slice(), [Piece::Text(_)])
    }

    /// A generic that says what the name of its parent says.
    fn repeats_parent(&self, index: usize, children: &[Piece<'_>], parent: Option<u32>) -> bool {
        let Some(parent) = parent else { return false };
        let node = &self.nodes[index];
        let said = match children {
            [] => &*node.name,
            [Piece::Text(text)] if node.name.is_empty() => text,
            _ => return false,
        };
        !said.is_empty()
            && *said == *self.nodes[parent as usize].name
            && !node.states.active
            && !self.has_props(index)
    }
}

/// Joins neighbouring text and normalises it; drops what is empty, and a lone text
/// that equals `name`.
fn merge_text<'d>(pieces: Vec<Piece<'d>>, name: &str) -> Vec<Piece<'d>> {
    let mut out = Vec::with_capacity(pieces.len());
    let mut run: Option<Cow<'d, str>> = None;
    for piece in pieces {
        match piece {
            Piece::Text(text) => {
                run = Some(match run {
                    None => text,
                    Some(before) => Cow::Owned(before.into_owned() + &text),
                });
            }
            node @ Piece::Node(_) => {
                flush(&mut out, run.take());
                out.push(node);
            }
        }
    }
    flush(&mut out, run);
    if matches!(out.as_slice(), [Piece::Text(text)] if *text == *name) {
        out.clear();
    }
    out
}

fn flush<'d>(out: &mut Vec<Piece<'d>>, run: Option<Cow<'d, str>>) {
    let normal = match run {
        None => return,
        Some(Cow::Borrowed(text)) => normalize_white_space(text),
        Some(Cow::Owned(text)) => Cow::Owned(normalize_white_space(&text).into_owned()),
    };
    if !normal.is_empty() {
        out.push(Piece::Text(normal));
    }
}
