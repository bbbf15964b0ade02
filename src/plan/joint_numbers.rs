//! The numbers of joints and bodies in their lanes, which may differ between robots with the same joints.

use crate::model::{Body, DofDynamics, Model, Refresh};
use crate::plan::joints::{BodyStep, HingeRows, JointRows, JointsLayout, StepKind};
use crate::plan::rows::Row;
use crate::spatial::{Inertia, Transform, vector as v3};
use gradyn_derivatives::WIDTH;
use nalgebra::{Matrix3, Vector3};

/// `a` four times, then `b` four times.
pub(crate) fn fours(a: f64, b: f64) -> Row {
    Row([a, a, a, a, b, b, b, b])
}

/// The numbers that a robot of the same joints may have other ones of: inertias, placements, armature, damping and
/// friction.
impl Refresh for JointsLayout {
    fn refresh(&mut self, model: &Model) {
        for (i, body) in model.bodies.iter().enumerate() {
            let parent_axes = body.parent.map(|p| self.bodies[p].axes);
            self.bodies[i].placement = body.placement;
            let BodyStep { lane, axes, kind, .. } = &mut self.bodies[i];
            place(kind, body, axes, parent_axes);
            let in_lane: Inertia<f64> = Transform::from_rotation(*axes).inv_act(body.inertia);
            let (group, k) = (&mut self.groups[*lane / WIDTH], *lane % WIDTH);
            group.mass.0[k] = in_lane.mass;
            for (row, x) in group.com.iter_mut().zip(in_lane.com.iter()) {
                row.0[k] = *x;
            }
            for (row, x) in group.rotational.iter_mut().zip(rows_of(in_lane.rotational)) {
                row.0[k] = x;
            }
        }
        for (root, translation) in &mut self.roots {
            *translation = model.bodies[*root].placement.translation;
        }
        self.dofs.clone_from(&model.dofs);
        joint_rows(&model.dofs, &self.dof, &mut self.joints, &mut self.more_joints);
        if let Some(lanes) = &mut self.without_base_lanes {
            lanes.refresh(model);
        }
        if let Some(states_layout) = &mut self.states_layout {
            states_layout.refresh(model);
            if let Some(bodies_layout) = &mut self.bodies_layout {
                bodies_layout.refresh(model, states_layout);
            }
        }
    }
}

impl JointRows {
    pub(crate) const NONE: Self = Self {
        some: false,
        rub: false,
        multiplier: Row::ONE,
        armature: Row::ZERO,
        damping: Row::ZERO,
        friction: Row::ZERO,
    };
}

/// The entries of each degree of freedom in lanes of it, and the rest. Entries of one degree of freedom stand side by
/// side.
fn joint_rows(entries: &[DofDynamics], dof: &[Option<usize>], rows: &mut [JointRows], rest: &mut Vec<DofDynamics>) {
    rows.fill(JointRows::NONE);
    rest.clear();
    for of_one in entries.chunk_by(|a, b| a.index == b.index) {
        let mut lanes = (0..dof.len()).filter(|lane| dof[*lane] == Some(of_one[0].index));
        for entry in of_one {
            let Some(lane) = lanes.next() else {
                rest.push(*entry);
                continue;
            };
            let (row, k) = (&mut rows[lane / WIDTH], lane % WIDTH);
            row.some = true;
            row.rub |= entry.friction != 0.0;
            row.multiplier.0[k] = entry.multiplier;
            row.armature.0[k] = entry.armature;
            row.damping.0[k] = entry.damping;
            row.friction.0[k] = entry.friction;
        }
    }
}

/// In the order of [`load_symmetric`](super::rows::load_symmetric).
fn rows_of(x: crate::spatial::Symmetric3<f64>) -> [f64; 6] {
    [x.xx, x.xy, x.xz, x.yy, x.yz, x.zz]
}

pub(crate) const NONE: [Row; 3] = [Row::ZERO; 3];

/// Where the body's joint is mounted, from axes of the parent's lane to those of the body's.
fn place(kind: &mut StepKind, body: &Body, own: &Matrix3<f64>, parent_axes: Option<Matrix3<f64>>) {
    let to_parent_axes = parent_axes.map_or_else(Matrix3::identity, |axes| axes.transpose());
    // x_pb in axes of the parent's lane.
    let placement = Transform::from_rotation(to_parent_axes) * body.placement;
    match kind {
        StepKind::Hinge { rows, .. } => {
            let g = v3::product(&placement.rotation, own);
            let p = if body.parent.is_some() { placement.translation } else { Vector3::zeros() };
            let row = |f: fn(f64, f64, f64, f64) -> [f64; 4]| {
                std::array::from_fn(|k| {
                    let [a, b, c, d] = f(g[(k, 0)], g[(k, 1)], g[(k, 2)], p[k]);
                    (fours(a, b), fours(c, d))
                })
            };
            // (c G₀ + s G₁, c G₁ − s G₀, G₂, p)
            let first = |rows: [(Row, Row); 3]| rows.map(|pair| pair.0);
            let second = |rows: [(Row, Row); 3]| rows.map(|pair| pair.1);
            **rows = HingeRows {
                cos: first(row(|g0, g1, _, _| [g0, g1, 0.0, 0.0])),
                sin: first(row(|g0, g1, _, _| [g1, -g0, 0.0, 0.0])),
                rest: second(row(|_, _, g2, p| [0.0, 0.0, g2, p])),
            };
        }
        StepKind::Other { placement: Some(kept), .. } => **kept = placement,
        StepKind::Other { placement: none, .. } if placement != Transform::identity() => {
            *none = Some(Box::new(placement))
        }
        StepKind::Other { .. } => {}
    }
}
