//! Frames of a file: poses by names, each relative to another, made poses in the world.

use super::element::Place;
use super::error::{SdfError, SdfFault};
use crate::model::source::Owner;
use crate::model::source::text::nearest;
use crate::spatial::Transform;
use std::collections::HashMap;

/// The world's node, and its scope.
pub(super) const WORLD: usize = 0;

/// Names that can be used in one place of a file: of the world, or of a model.
#[derive(Debug)]
pub(super) struct Scope {
    /// What full names begin with.
    pub(super) prefix: String,
    /// The node of `__model__`.
    pub(super) node: usize,
    /// The version of its file.
    pub(super) version: (u32, u32),
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    World,
    /// The link of this number.
    Link(usize),
    Joint,
    Frame,
    Model,
}

/// A reference by name.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) scope: usize,
    pub(super) name: String,
    /// What it is, for messages.
    pub(super) what: &'static str,
}

/// A link, joint, frame or model, with its pose relative to another node.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) owner: Owner,
    pub(super) place: Place,
    pub(super) pose: Transform<f64>,
    /// What the pose is relative to.
    pub(super) relative_to: Target,
    /// What it is fixed to.
    pub(super) attached_to: Target,
    /// Of a model: what stands at its pose, instead of its own frame.
    pub(super) placement: Option<Reference>,
}

/// A node, by number or by name.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Node(usize),
    Name(Reference),
}

/// All nodes.
#[derive(Debug)]
pub(super) struct Frames {
    pub(super) nodes: Vec<Node>,
    pub(super) scopes: Vec<Scope>,
    names: HashMap<String, usize>,
    poses: Vec<Option<Transform<f64>>>,
    links: Vec<Option<usize>>,
}

impl Frames {
    pub(super) fn new(place: Place, version: (u32, u32)) -> Self {
        let node = Node {
            kind: NodeKind::World,
            owner: Owner::Element("world".to_owned(), String::new()),
            place,
            pose: Transform::identity(),
            relative_to: Target::Node(WORLD),
            attached_to: Target::Node(WORLD),
            placement: None,
        };
        let scope = Scope { prefix: String::new(), node: WORLD, version };
        Self { nodes: vec![node], scopes: vec![scope], names: HashMap::new(), poses: Vec::new(), links: Vec::new() }
    }

    /// Adds a node with this name in a scope; without a name it cannot be referred to.
    pub(super) fn add(&mut self, scope: usize, name: Option<&str>, node: Node) -> Result<usize, SdfError> {
        let index = self.nodes.len();
        if let Some(name) = name {
            let full = self.full(scope, name);
            if let Some(first) = self.names.insert(full, index) {
                let first_line = self.nodes.get(first).map_or(1, |first| first.place.line);
                return Err(node.place.fault(SdfFault::Taken { owner: node.owner, first_line }));
            }
        }
        self.nodes.push(node);
        Ok(index)
    }

    /// The same for a joint, which in files before 1.7 may have the name of a link; nothing can refer to it then.
    pub(super) fn add_unless_taken(&mut self, scope: usize, name: &str, node: Node) -> Result<usize, SdfError> {
        let old = self.scopes.get(scope).is_some_and(|scope| scope.version < (1, 7));
        let taken = old && self.names.contains_key(&self.full(scope, name));
        self.add(scope, Some(name).filter(|_| !taken), node)
    }

    /// A name with those of the models around it.
    pub(super) fn full(&self, scope: usize, name: &str) -> String {
        format!("{}{name}", self.scopes.get(scope).map_or("", |scope| scope.prefix.as_str()))
    }

    /// The node that a name stands for.
    pub(super) fn find(&self, reference: &Reference, owner: &Owner, place: &Place) -> Result<usize, SdfError> {
        match reference.name.as_str() {
            "world" | "__root__" => return Ok(WORLD),
            "__model__" => return Ok(self.scopes.get(reference.scope).map_or(WORLD, |scope| scope.node)),
            _ => {}
        }
        let full = self.full(reference.scope, &reference.name);
        self.names.get(&full).copied().ok_or_else(|| {
            let nearest = nearest(&full, self.names.keys().map(String::as_str));
            let (owner, what, name) = (owner.clone(), reference.what, reference.name.clone());
            place.fault(SdfFault::Unknown { owner, what, name, nearest })
        })
    }

    fn node(&self, target: &Target, of: &Node) -> Result<usize, SdfError> {
        match target {
            Target::Node(node) => Ok(*node),
            Target::Name(reference) => self.find(reference, &of.owner, &of.place),
        }
    }

    /// The link that a node is fixed to, once they are resolved; none for the world.
    pub(super) fn link(&self, node: usize) -> Option<usize> {
        self.links.get(node).copied().flatten()
    }

    /// Finds the links of all nodes.
    fn resolve_links(&mut self) -> Result<(), SdfError> {
        self.links = vec![None; self.nodes.len()];
        let mut known = vec![false; self.nodes.len()];
        let mut begun = known.clone();
        for start in 0..self.nodes.len() {
            let mut chain = Vec::new();
            let mut at = start;
            let link = loop {
                let of = &self.nodes[at];
                match of.kind {
                    NodeKind::World => break None,
                    NodeKind::Link(link) => break Some(link),
                    _ if known[at] => break self.links[at],
                    _ => {}
                }
                if std::mem::replace(&mut begun[at], true) {
                    return Err(self.circle(at, "attached_to"));
                }
                chain.push(at);
                at = self.node(&of.attached_to, of)?;
            };
            chain.push(start);
            for at in chain {
                (self.links[at], known[at]) = (link, true);
            }
        }
        Ok(())
    }

    fn circle(&self, node: usize, what: &'static str) -> SdfError {
        match self.nodes.get(node) {
            Some(of) => of.place.fault(SdfFault::Circle { owner: of.owner.clone(), what }),
            None => Place { file: None, line: 1 }.fault(SdfFault::Circle { owner: Owner::Robot(String::new()), what }),
        }
    }

    /// Computes the poses of all nodes in the world, and the links that they are fixed to.
    pub(super) fn resolve(&mut self) -> Result<(), SdfError> {
        self.poses = vec![None; self.nodes.len()];
        let mut begun = vec![false; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut chain = Vec::new();
            let mut at = start;
            while self.poses[at].is_none() && at != WORLD {
                if std::mem::replace(&mut begun[at], true) {
                    return Err(self.circle(at, "relative_to"));
                }
                chain.push(at);
                let of = &self.nodes[at];
                at = self.node(&of.relative_to, of)?;
            }
            let mut pose = self.poses[at].unwrap_or_else(Transform::identity);
            self.poses[at] = Some(pose);
            for at in chain.into_iter().rev() {
                let of = &self.nodes[at];
                pose = pose * of.pose;
                if let Some(placement) = &of.placement {
                    let placed = self.find(placement, &of.owner, &of.place)?;
                    pose = pose * self.within(placed, at)?.inverse();
                }
                if !pose.translation.iter().chain(pose.rotation.iter()).all(|x| x.is_finite()) {
                    return Err(of.place.fault(SdfFault::Overflow { owner: of.owner.clone(), what: "its pose" }));
                }
                self.poses[at] = Some(pose);
            }
        }
        self.resolve_links()
    }

    /// The pose of a node in a model that holds it.
    fn within(&self, node: usize, model: usize) -> Result<Transform<f64>, SdfError> {
        let mut pose = Transform::identity();
        let mut at = node;
        for _ in 0..=self.nodes.len() {
            if at == model {
                return Ok(pose);
            }
            let Some(of) = self.nodes.get(at).filter(|of| of.kind != NodeKind::World) else { break };
            pose = of.pose * pose;
            at = self.node(&of.relative_to, of)?;
        }
        Err(self.circle(model, "placement_frame"))
    }

    /// The pose of a node in the world, once they are resolved.
    pub(super) fn pose(&self, node: usize) -> Transform<f64> {
        self.poses.get(node).copied().flatten().unwrap_or_else(Transform::identity)
    }
}
