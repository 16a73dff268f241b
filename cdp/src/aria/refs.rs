//! Refs: handed out per document, kept while role and name stay, never reused.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::tree::Ref;

/// The refs of one page (tab), over all its frames and documents.
///
/// Frame numbers follow upstream: every frame that attaches takes the next one,
/// the main frame starts as 0 and takes a new one with each document after the
/// first. Feed it the attach and commit events in the order of their arrival; a
/// frame that it first meets in a capture is numbered then.
#[derive(Debug, Default)]
pub struct RefBook {
    /// Numbers go on when a frame gets a new document, so that no old ref can ever name one of its
    /// elements. Upstream lets them start over.
    pub never_again: bool,
    next_sequence: u32,
    frames: HashMap<Arc<str>, FrameRefs>,
}

#[derive(Debug, Default)]
struct FrameRefs {
    sequence: u32,
    document_id: Option<Arc<str>>,
    /// Last number given out in this document.
    last: u32,
    /// What each element was when it got its number.
    given: HashMap<i64, Given>,
    /// Numbers in the last snapshot of this frame.
    current: HashMap<u32, i64>,
}

#[derive(Debug)]
struct Given {
    role: Cow<'static, str>,
    name: Arc<str>,
    number: u32,
}

/// Where a ref points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefTarget {
    /// The frame.
    pub frame_id: Arc<str>,
    /// The element's id in the DevTools protocol.
    pub backend_node_id: i64,
}

impl RefBook {
    /// A book for a page whose main frame has this id and number 0.
    pub fn new(main_frame: &str) -> Self {
        let mut book = RefBook::default();
        book.frame_attached(main_frame);
        book
    }

    /// A frame appeared: it takes the next number. Repeated reports of the same
    /// frame (as from a second session when it changes process) change nothing.
    pub fn frame_attached(&mut self, frame_id: &str) {
        if !self.frames.contains_key(frame_id) {
            let sequence = self.take_sequence();
            self.frames.insert(
                Arc::from(frame_id),
                FrameRefs {
                    sequence,
                    ..Default::default()
                },
            );
        }
    }

    /// A frame is gone for good; its refs do not resolve any more.
    pub fn frame_detached(&mut self, frame_id: &str) {
        self.frames.remove(frame_id);
    }

    /// The main frame has a new document (not for same-document navigation). It
    /// takes a new number, unless what it showed before was only the initial
    /// empty document: `previous_url` empty or `about:blank`.
    pub fn main_frame_committed(&mut self, frame_id: &str, previous_url: &str) {
        self.frame_attached(frame_id);
        if previous_url.is_empty() || previous_url == "about:blank" {
            return;
        }
        let sequence = self.take_sequence();
        let fresh = FrameRefs {
            sequence,
            ..FrameRefs::default()
        };
        self.frames.insert(Arc::from(frame_id), fresh);
    }

    /// Number of a frame, if it is known.
    pub fn sequence(&self, frame_id: &str) -> Option<u32> {
        self.frames.get(frame_id).map(|frame| frame.sequence)
    }

    /// The frame with this number.
    pub fn frame_by_sequence(&self, sequence: u32) -> Option<&Arc<str>> {
        self.frames
            .iter()
            .find(|(_, frame)| frame.sequence == sequence)
            .map(|(id, _)| id)
    }

    /// The element that a ref names in the last snapshot taken of its frame.
    /// None for refs that were never given out, left the snapshot, or were cut
    /// off by a later snapshot of only a part of the frame.
    pub fn resolve(&self, text: &str) -> Option<RefTarget> {
        let reference = Ref::parse(text)?;
        let frame_id = self.frame_by_sequence(reference.frame)?;
        let backend_node_id = *self.frames.get(frame_id)?.current.get(&reference.element)?;
        Some(RefTarget {
            frame_id: Arc::clone(frame_id),
            backend_node_id,
        })
    }

    /// The ref that an element has in the last snapshot of its frame.
    pub fn reference_of(&self, frame_id: &str, backend_node_id: i64) -> Option<Ref> {
        let frame = self.frames.get(frame_id)?;
        let number = frame.given.get(&backend_node_id)?.number;
        let current = frame.current.get(&number) == Some(&backend_node_id);
        current.then_some(Ref {
            frame: frame.sequence,
            element: number,
        })
    }

    /// Starts a snapshot of one frame: its table empties, and when the document
    /// is another one than last time, numbers start over.
    pub(crate) fn open(&mut self, frame_id: &str, document_id: &str) -> Minting<'_> {
        self.frame_attached(frame_id);
        let frame = self.frames.entry(Arc::from(frame_id)).or_default();
        if frame.document_id.as_deref() != Some(document_id) {
            frame.document_id = Some(Arc::from(document_id));
            if !self.never_again {
                frame.last = 0;
            }
            frame.given.clear();
        }
        frame.current.clear();
        Minting { frame }
    }

    fn take_sequence(&mut self) -> u32 {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        sequence
    }
}

/// Hands out the refs of one snapshot of one frame.
pub(crate) struct Minting<'b> {
    frame: &'b mut FrameRefs,
}

impl Minting<'_> {
    /// The ref of an element: the old one while role and name are the same.
    pub(crate) fn mint(
        &mut self,
        backend_node_id: i64,
        role: Cow<'static, str>,
        name: &Arc<str>,
    ) -> Ref {
        let frame = &mut *self.frame;
        let known = frame.given.get(&backend_node_id);
        let number = match known {
            Some(given) if given.role == role && given.name == *name => given.number,
            _ => {
                frame.last += 1;
                let given = Given {
                    role,
                    name: Arc::clone(name),
                    number: frame.last,
                };
                frame.given.insert(backend_node_id, given);
                frame.last
            }
        };
        frame.current.insert(number, backend_node_id);
        Ref {
            frame: frame.sequence,
            element: number,
        }
    }

    /// Forgets elements that are long gone, when there are very many: a page that
    /// lives for days must not fill the memory. `alive` tells what the document
    /// still holds.
    pub(crate) fn forget_unless(&mut self, alive: impl Fn(i64) -> bool) {
        const MANY: usize = 200_000;
        if self.frame.given.len() > MANY {
            self.frame.given.retain(|&id, _| alive(id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Arc<str> {
        Arc::from(text)
    }

    fn mint(book: &mut RefBook, frame: &str, document: &str, element: i64, text: &str) -> String {
        book.open(frame, document)
            .mint(element, "button".into(), &name(text))
            .to_string()
    }

    #[test]
    fn a_ref_lasts_as_long_as_role_and_name() {
        let mut book = RefBook::new("M");
        let mut minting = book.open("M", "d1");
        assert_eq!(
            minting.mint(10, "generic".into(), &name("")).to_string(),
            "e1"
        );
        assert_eq!(
            minting.mint(11, "button".into(), &name("A")).to_string(),
            "e2"
        );
        assert_eq!(
            minting.mint(12, "button".into(), &name("B")).to_string(),
            "e3"
        );
        assert_eq!(mint(&mut book, "M", "d1", 11, "A"), "e2");
        assert_eq!(mint(&mut book, "M", "d1", 11, "A2"), "e4");
        assert_eq!(mint(&mut book, "M", "d1", 11, "A"), "e5");
        let mut minting = book.open("M", "d1");
        assert_eq!(
            minting.mint(11, "link".into(), &name("A")).to_string(),
            "e6"
        );
    }

    #[test]
    fn only_the_last_snapshot_of_a_frame_resolves() {
        let mut book = RefBook::new("M");
        let mut minting = book.open("M", "d1");
        minting.mint(10, "generic".into(), &name(""));
        minting.mint(11, "button".into(), &name("A"));
        assert_eq!(book.resolve("e1").unwrap().backend_node_id, 10);
        mint(&mut book, "M", "d1", 11, "A");
        assert_eq!(book.resolve("e1"), None);
        assert_eq!(book.resolve("e2").unwrap().backend_node_id, 11);
        assert_eq!(book.reference_of("M", 11).unwrap().to_string(), "e2");
        assert_eq!(book.reference_of("M", 10), None);
        assert_eq!(book.resolve("f7e1"), None);
        assert_eq!(book.resolve("e02"), None);
    }

    #[test]
    fn frames_are_numbered_as_they_attach() {
        let mut book = RefBook::new("M");
        book.main_frame_committed("M", "about:blank");
        for frame in ["A", "B", "A"] {
            book.frame_attached(frame);
        }
        assert_eq!(mint(&mut book, "M", "d1", 5, "x"), "e1");
        assert_eq!(mint(&mut book, "B", "d2", 5, "x"), "f2e1");
        book.main_frame_committed("M", "http://a/");
        book.frame_detached("A");
        book.frame_attached("C");
        assert_eq!(mint(&mut book, "M", "d3", 5, "x"), "f3e1");
        assert_eq!(mint(&mut book, "C", "d4", 5, "x"), "f4e1");
        assert_eq!(book.resolve("e1"), None);
        assert_eq!(&*book.resolve("f4e1").unwrap().frame_id, "C");
    }

    #[test]
    fn a_new_document_in_a_child_frame_starts_over() {
        let mut book = RefBook::new("M");
        book.frame_attached("A");
        assert_eq!(mint(&mut book, "A", "d1", 5, "x"), "f1e1");
        assert_eq!(mint(&mut book, "A", "d1", 6, "x"), "f1e2");
        assert_eq!(mint(&mut book, "A", "d2", 6, "y"), "f1e1");
    }
}
