//! The `DOM.getDocument` reply: who is whose light child, which nodes a shadow
//! root holds, what a slot was given. The snapshot alone cannot tell.

use std::collections::HashMap;

use super::DomError;
use super::json::{Event, NotJson, Reader};
use super::node::ShadowKind;

/// How a node hangs below its parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    Child,
    ShadowRoot(ShadowKind),
    /// Content document, template content, pseudo element and the like: not part
    /// of this document's tree.
    Other,
}

/// One node of the reply.
#[derive(Debug)]
pub(crate) struct TreeNode {
    pub(crate) parent: u32,
    pub(crate) relation: Relation,
    pub(crate) backend_id: i64,
    pub(crate) node_type: i64,
    pub(crate) name: String,
    pub(crate) value: String,
    /// Names and values in turn.
    pub(crate) attributes: Vec<String>,
    /// Backend ids of the nodes that a slot was given.
    pub(crate) assigned: Vec<i64>,
    pub(crate) children: Vec<u32>,
}

/// The reply of `DOM.getDocument {depth: -1, pierce: true}`, all documents of a
/// session in one flat list.
///
/// Call `DOM.enable {includeWhitespace: "all"}` first if the browser takes it;
/// without it white-space-only text is missing from the reply and is taken from
/// the snapshot where that knows it.
#[derive(Debug, Default)]
pub struct DomTree {
    pub(crate) nodes: Vec<TreeNode>,
    by_backend: HashMap<i64, u32>,
}

const NO_PARENT: u32 = u32::MAX;

impl DomTree {
    /// Reads the `result` of a `DOM.getDocument` reply (or its `root` member).
    /// Depth of nesting does not matter.
    ///
    /// # Errors
    /// [`DomError::Malformed`] when the text is not JSON.
    pub fn from_json(json: &str) -> Result<Self, DomError> {
        let mut tree = DomTree::default();
        tree.read(json).map_err(|NotJson(at)| DomError::Malformed {
            what: "DOM.getDocument",
            reason: format!("not JSON from byte {at} on"),
        })?;
        for index in 0..tree.nodes.len() {
            let (parent, backend) = (tree.nodes[index].parent, tree.nodes[index].backend_id);
            // Nodes are pushed one by one, and a Vec of them cannot reach 2^32.
            let id = index as u32;
            if parent != NO_PARENT {
                tree.nodes[parent as usize].children.push(id);
            }
            tree.by_backend.entry(backend).or_insert(id);
        }
        Ok(tree)
    }

    /// Number of nodes, of all kinds.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True when the reply held no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn by_backend(&self, id: i64) -> Option<u32> {
        self.by_backend.get(&id).copied()
    }

    fn read(&mut self, json: &str) -> Result<(), NotJson> {
        let mut reader = Reader::new(json);
        // Open node objects, innermost last, each with the relation that its
        // siblings in the same array get.
        let mut open: Vec<(u32, Relation)> = Vec::new();
        let mut relation = Relation::Child;
        while let Some(event) = reader.next()? {
            match event {
                Event::StartObject => {
                    let parent = open.last().map_or(NO_PARENT, |&(id, _)| id);
                    open.push((self.push(parent, relation), relation));
                    relation = Relation::Child;
                }
                Event::EndObject => {
                    relation = open.pop().map_or(Relation::Child, |(_, relation)| relation);
                }
                Event::Key(key) => {
                    let Some(&(id, _)) = open.last() else {
                        continue;
                    };
                    if let Some(next) = self.member(id, &key, &mut reader)? {
                        relation = next;
                    }
                }
                _ => {}
            }
        }
        self.unwrap_root();
        Ok(())
    }

    fn push(&mut self, parent: u32, relation: Relation) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(TreeNode {
            parent,
            relation,
            backend_id: 0,
            node_type: 0,
            name: String::new(),
            value: String::new(),
            attributes: Vec::new(),
            assigned: Vec::new(),
            children: Vec::new(),
        });
        id
    }

    /// Reads or skips one member; gives the relation when nodes follow in it.
    fn member(
        &mut self,
        id: u32,
        key: &str,
        reader: &mut Reader<'_>,
    ) -> Result<Option<Relation>, NotJson> {
        let node = &mut self.nodes[id as usize];
        match key {
            "children" => return Ok(Some(Relation::Child)),
            // The kind stands inside the root itself; corrected when all is read.
            "shadowRoots" => return Ok(Some(Relation::ShadowRoot(ShadowKind::UserAgent))),
            "contentDocument" => return Ok(Some(Relation::Other)),
            "root" => return Ok(Some(Relation::Child)),
            "backendNodeId" => node.backend_id = integer(reader)?,
            "nodeType" => node.node_type = integer(reader)?,
            "nodeName" => node.name = text(reader)?,
            "nodeValue" => node.value = text(reader)?,
            "shadowRootType" => {
                let kind = ShadowKind::from_wire(&text(reader)?);
                if matches!(node.relation, Relation::ShadowRoot(_)) {
                    node.relation = Relation::ShadowRoot(kind);
                }
            }
            "attributes" => node.attributes = texts(reader)?,
            "distributedNodes" => {
                let before = reader.depth();
                while let Some(event) = reader.next()? {
                    if event == Event::Key("backendNodeId".into()) {
                        node.assigned.push(integer(reader)?);
                    }
                    if reader.depth() <= before {
                        break;
                    }
                }
            }
            _ => reader.skip_value()?,
        }
        Ok(None)
    }

    /// A reply read with its `{"root": …}` wrapper has the wrapper as first node;
    /// makes the real root independent of it.
    fn unwrap_root(&mut self) {
        if self
            .nodes
            .first()
            .is_some_and(|n| n.node_type == 0 && n.backend_id == 0)
        {
            for node in &mut self.nodes {
                if node.parent == 0 {
                    node.parent = NO_PARENT;
                }
            }
        }
    }
}

fn integer(reader: &mut Reader<'_>) -> Result<i64, NotJson> {
    match reader.next()? {
        Some(Event::Number(n)) => Ok(n as i64),
        Some(Event::StartArray | Event::StartObject) => Err(NotJson(0)),
        _ => Ok(0),
    }
}

fn text(reader: &mut Reader<'_>) -> Result<String, NotJson> {
    match reader.next()? {
        Some(Event::Text(s)) => Ok(s.into_owned()),
        Some(Event::StartArray | Event::StartObject) => Err(NotJson(0)),
        _ => Ok(String::new()),
    }
}

fn texts(reader: &mut Reader<'_>) -> Result<Vec<String>, NotJson> {
    let before = reader.depth();
    let mut out = Vec::new();
    loop {
        match reader.next()? {
            None => return Err(NotJson(0)),
            Some(Event::Text(s)) => out.push(s.into_owned()),
            Some(_) => {}
        }
        if reader.depth() <= before {
            return Ok(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flattens_the_reply() {
        let json = r##"{"root":{"backendNodeId":2,"nodeType":9,"nodeName":"#document","children":[
            {"backendNodeId":3,"nodeType":1,"nodeName":"X-A","attributes":["id","a"],
             "shadowRoots":[{"backendNodeId":4,"nodeType":11,"nodeName":"#document-fragment",
               "shadowRootType":"open","children":[{"backendNodeId":5,"nodeType":1,"nodeName":"SLOT",
                 "distributedNodes":[{"nodeType":1,"nodeName":"P","backendNodeId":6}]}]}],
             "children":[{"backendNodeId":6,"nodeType":1,"nodeName":"P",
               "assignedSlot":{"backendNodeId":5}}]},
            {"backendNodeId":7,"nodeName":"IFRAME","nodeType":1,
             "contentDocument":{"backendNodeId":8,"nodeType":9}}]}}"##;
        let tree = DomTree::from_json(json).unwrap();
        let node = |backend| &tree.nodes[tree.by_backend(backend).unwrap() as usize];
        assert_eq!(node(2).parent, NO_PARENT);
        assert_eq!(node(2).children.len(), 2);
        assert_eq!(node(3).attributes, ["id", "a"]);
        assert_eq!(node(4).relation, Relation::ShadowRoot(ShadowKind::Open));
        assert_eq!(tree.nodes[node(5).parent as usize].backend_id, 4);
        assert_eq!(node(5).assigned, [6]);
        assert_eq!(node(6).relation, Relation::Child);
        assert_eq!(tree.nodes[node(6).parent as usize].backend_id, 3);
        assert_eq!(node(8).relation, Relation::Other);
    }

    #[test]
    fn broken_text_is_an_error_and_odd_shapes_are_not() {
        assert!(DomTree::from_json("{").is_err());
        assert!(DomTree::from_json("[[[1]]]").unwrap().is_empty());
        assert_eq!(
            DomTree::from_json(r#"{"children":[{"children":3}]}"#)
                .unwrap()
                .len(),
            2
        );
    }
}
