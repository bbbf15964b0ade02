//! Which degrees of freedom push on each other.

use super::reach::{movers, on_path};
use crate::dynamics::Constraint;
use crate::model::{BodyId, Model};

/// A group for each degree of freedom: separate trees, but for mimic joints and constraints that
/// couple them.
pub(super) struct Groups {
    of_dof: Vec<usize>,
}

impl Groups {
    pub(super) fn new(model: &Model, constraints: &[Constraint]) -> Self {
        let mut groups = Self { of_dof: (0..model.nv()).collect() };
        let bodies = model.bodies();
        let mut first_of_tree: Vec<Option<usize>> = vec![None; bodies.len()];
        let mut root = Vec::with_capacity(bodies.len());
        for (b, body) in bodies.iter().enumerate() {
            root.push(body.parent().map(BodyId::index).map_or(b, |p| root[p]));
            for dof in body.v_range() {
                let first = *first_of_tree[root[b]].get_or_insert(dof);
                groups.join(dof, first);
            }
        }
        for c in constraints {
            let mut held = held_by(model, c);
            if let Some(first) = held.next() {
                held.for_each(|dof| groups.join(dof, first));
            }
        }
        groups
    }

    pub(super) fn of_dof(&self, dof: usize) -> usize {
        self.of_dof[dof]
    }

    /// The group that carries a body; `None` if nothing does, or there is no such body.
    pub(super) fn of_body(&self, model: &Model, body: BodyId) -> Option<usize> {
        let carries = movers(model, |b| on_path(model, b, model.place_of(body)));
        carries.iter().position(|is_one| *is_one).map(|dof| self.of_dof[dof])
    }

    /// The group that the constraint of each row holds; `None` if nothing carries either side.
    pub(super) fn of_rows(&self, model: &Model, constraints: &[Constraint]) -> Vec<Option<usize>> {
        let of = |c: &Constraint| held_by(model, c).next().map(|dof| self.of_dof[dof]);
        constraints.iter().flat_map(|c| std::iter::repeat_n(of(c), c.rows())).collect()
    }

    fn join(&mut self, a: usize, b: usize) {
        let (from, to) = (self.of_dof[a], self.of_dof[b]);
        if from != to {
            self.of_dof.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
        }
    }
}

/// The degrees of freedom that carry one of its sides.
fn held_by(model: &Model, c: &Constraint) -> impl Iterator<Item = usize> {
    let carries = movers(model, |b| on_path(model, b, c.a.body) || on_path(model, b, c.b.body));
    carries.into_iter().enumerate().filter_map(|(dof, is_one)| is_one.then_some(dof))
}
