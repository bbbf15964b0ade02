//! A model as text: its sizes, and the tree of its joints.

use super::{Frame, Model};
use crate::text::{count, one_line, short};
use std::fmt;

/// So many frames on one body are listed.
const LISTED: usize = 12;

/// Beyond this depth the tree is no longer indented.
const DEEPEST: usize = 30;

/// The tree of a model as text, a line a joint: made by [`Model::tree`].
///
/// ```text
/// world  + panda_link0
/// └ panda_joint1 → panda_link1  2.74 kg
///   └ panda_joint2 → panda_link2  2.74 kg
/// ```
#[derive(Clone, Copy)]
pub struct Tree<'m> {
    model: &'m Model,
    dim: [&'m str; 2],
    listed: Option<&'m dyn Fn(&Frame) -> bool>,
}

impl Model {
    /// The tree as text: `joint → body`, its mass, and the names of frames that have been added to it. Not those that have the name
    /// of a moving joint.
    #[must_use]
    pub fn tree(&self) -> Tree<'_> {
        Tree { model: self, dim: ["", ""], listed: None }
    }

    /// Sizes, moving mass, gravity and friction, in two lines.
    #[must_use]
    pub fn summary(&self) -> String {
        let moving = self.bodies.iter().filter(|body| body.owns_coordinates && !body.v.is_empty());
        let mass: f64 = self.bodies.iter().map(|body| body.inertia.mass).sum();
        let g = self.gravity;
        format!(
            "{}, {}, {}; nq {}, nv {}; {} kg move\ngravity ({}, {}, {}) m/s²; joint friction {}\n",
            count(moving.count(), "moving joint"),
            count(self.bodies.len(), "moving body"),
            count(self.frames.len(), "frame"),
            self.nq,
            self.nv,
            short(mass),
            short(g.x),
            short(g.y),
            short(g.z),
            if self.joint_friction { "on" } else { "off" },
        )
    }
}

/// Name, [`summary`](Model::summary) and [`tree`](Model::tree).
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}", one_line(&self.name), self.summary(), self.tree())
    }
}

impl<'m> Tree<'m> {
    /// Puts these around what is not the name of a joint or of its body: codes of a terminal for pale text, and for plain text.
    #[must_use]
    pub fn dimmed(self, on: &'m str, off: &'m str) -> Self {
        Self { dim: [on, off], ..self }
    }

    /// Lists these of the frames that have been added, and no others.
    #[must_use]
    pub fn listing(self, listed: &'m dyn Fn(&Frame) -> bool) -> Self {
        Self { listed: Some(listed), ..self }
    }

    /// The frames to be listed on each body, and last those on the world.
    fn frames(&self) -> Vec<Vec<&'m str>> {
        let Model { bodies, frames, .. } = self.model;
        let joints: std::collections::HashSet<&str> = bodies.iter().map(|body| body.joint_name.as_str()).collect();
        let mut on = vec![Vec::new(); bodies.len() + 1];
        for frame in frames.iter().skip(bodies.len()) {
            if self.listed.map_or_else(|| !joints.contains(frame.name.as_str()), |listed| listed(frame)) {
                on[frame.body.unwrap_or(bodies.len())].push(frame.name.as_str());
            }
        }
        on
    }

    fn others(&self, names: &[&str]) -> String {
        let [on, off] = self.dim;
        match names {
            [] => String::new(),
            [names @ .., _] if names.len() >= LISTED => {
                let more = names.len() + 1 - LISTED;
                format!("  {on}+ {} and {more} more{off}", one_line(&names[..LISTED].join(", ")))
            }
            names => format!("  {on}+ {}{off}", one_line(&names.join(", "))),
        }
    }
}

impl fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("model", &self.model.name).finish_non_exhaustive()
    }
}

impl fmt::Display for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([on, off], bodies, frames) = (self.dim, &self.model.bodies, self.frames());
        writeln!(f, "world{}", self.others(&frames[bodies.len()]))?;
        // Which bodies are the last children of their parents, seen from the end.
        let mut last = vec![false; bodies.len()];
        let mut has_child = vec![false; bodies.len() + 1];
        for (i, body) in bodies.iter().enumerate().rev() {
            let parent = body.parent.unwrap_or(bodies.len());
            last[i] = !has_child[parent];
            has_child[parent] = true;
        }
        let mut depth = vec![0_usize; bodies.len()];
        for (i, body) in bodies.iter().enumerate() {
            depth[i] = body.parent.map_or(0, |p| depth[p] + 1);
            let mut prefix = vec![if last[i] { "└ " } else { "├ " }];
            let mut above = body.parent;
            while let Some(p) = above.filter(|_| prefix.len() < DEEPEST) {
                prefix.push(if last[p] { "  " } else { "│ " });
                above = bodies[p].parent;
            }
            let deeper = if depth[i] >= DEEPEST { format!("({}) ", depth[i]) } else { String::new() };
            writeln!(
                f,
                "{on}{}{deeper}{off}{} {on}→{off} {}  {} kg{}",
                prefix.iter().rev().copied().collect::<String>(),
                one_line(&body.joint_name),
                one_line(&body.name),
                short(body.inertia.mass),
                self.others(&frames[i]),
            )?;
        }
        Ok(())
    }
}
