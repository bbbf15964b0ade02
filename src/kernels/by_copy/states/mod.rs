//! Eight states side by side (or four, see [`Register::LANES`]), one per lane of the registers, for robots of revolute
//! and prismatic joints on a fixed or a floating base. No joint may mimic another or be given by cosine and sine.
//! Page: `dynamics/rnea.rs`, `dynamics/crba.rs`, `dynamics/rnea_derivatives.rs`. Test:
//! `batch::batches_of_hinges_and_slides_equal_single_states`.
//!
//! The forms for every joint spend most of their time on work that these joints do not need. Here the third axis of
//! each body is that of its joint ([`plan::states`](crate::plan::states)), inertias are moments of mass
//! ([`moments`](crate::spatial::moments)), and there are two modules:
//!
//! - [`rnea`]: inverse dynamics in axes of the bodies, from accelerations of points
//! - [`mass_matrix`], [`derivatives`]: in axes of the body at the root, about its origin, where sums need no
//!   transformations, and `S` of a free body is the unit matrix
//!
//! Every other robot uses the forms for any number type or for eight joints at a time, which these are tested against.

pub(crate) mod derivatives;
pub(crate) mod mass_matrix;
pub(crate) mod rnea;
pub(crate) mod turns;

use crate::plan::StatesLayout;
use derivatives::{DerivativesMemory, derivatives};
use mass_matrix::{MassMatrixMemory, mass_matrix};

use crate::formulas::force_field::ForceField;
use crate::formulas::joint_dynamics::JointDynamics;
use crate::spatial::Force;
use gradyn_derivatives::{Lanes, Real, Register};
use rnea::rnea;
use turns::{Turn, turns};

/// Numbers of eight states.
type Numbers<'a, R> = &'a [Lanes<R>];

/// StatesMemory for eight states of one model.
pub(crate) struct StatesMemory<R: Register> {
    /// By bodies.
    turns: Vec<Turn<R>>,
    motions: Vec<rnea::Body<Lanes<R>>>,
    tau: Vec<Lanes<R>>,
    /// Made when first needed, as the next.
    masses: Option<Box<MassMatrixMemory<Lanes<R>>>>,
    derivatives: Option<Box<DerivativesMemory<Lanes<R>>>>,
}

/// Configuration, velocity and acceleration of eight states, finite and of the right lengths.
pub(crate) type States<'a, R> = (Numbers<'a, R>, Numbers<'a, R>, Numbers<'a, R>);

impl<R: Register> StatesMemory<R> {
    /// The memory, made at the first call.
    #[inline(always)]
    pub(crate) fn of<'m>(memory: &'m mut Option<Self>, layout: &StatesLayout) -> &'m mut Self {
        memory.get_or_insert_with(|| Self::new(layout))
    }

    fn new(layout: &StatesLayout) -> Self {
        let (bodies, zero) = (layout.steps.len(), Lanes::zero());
        Self {
            turns: vec![(zero, zero); bodies],
            motions: vec![rnea::Body::new(); bodies],
            tau: vec![zero; layout.nv],
            masses: None,
            derivatives: None,
        }
    }

    /// Torques of inverse dynamics.
    #[inline(always)]
    pub(crate) fn rnea(
        &mut self,
        field: ForceField<'_>,
        joints: JointDynamics<'_, f64>,
        layout: &StatesLayout,
        (q, v, a): States<'_, R>,
    ) -> Numbers<'_, R> {
        let Self { turns: sin_cos, motions, tau, .. } = self;
        turns::<R>(layout, q, &mut *sin_cos);
        rnea::<R>(layout, field.gravity, sin_cos, motions, q, v, a, &mut *tau);
        joints.add_torques(v, a, tau);
        field.joints.add_torques(q, v, tau);
        tau
    }

    /// The mass matrix.
    #[inline(always)]
    pub(crate) fn mass_matrix(
        &mut self,
        joints: JointDynamics<'_, f64>,
        layout: &StatesLayout,
        q: Numbers<'_, R>,
    ) -> Numbers<'_, R> {
        let Self { turns: sin_cos, masses, .. } = self;
        let memory = &mut **masses.get_or_insert_with(|| Box::new(MassMatrixMemory::new(layout)));
        turns::<R>(layout, q, &mut *sin_cos);
        mass_matrix::<R>(layout, &mut *memory, sin_cos, q);
        joints.add_armature(layout.nv, &mut memory.matrix);
        &memory.matrix
    }

    /// Torques of inverse dynamics, and their derivatives.
    #[inline(always)]
    pub(crate) fn derivatives(
        &mut self,
        field: ForceField<'_>,
        joints: JointDynamics<'_, f64>,
        layout: &StatesLayout,
        (q, v, a): States<'_, R>,
    ) -> &derivatives::Results<Lanes<R>> {
        let Self { turns: sin_cos, derivatives: memory, .. } = self;
        let memory = &mut **memory.get_or_insert_with(|| Box::new(DerivativesMemory::new(layout)));
        turns::<R>(layout, q, &mut *sin_cos);
        derivatives::<R>(layout, field.gravity, &mut *memory, sin_cos, q, v, a);
        let derivatives::Results { tau, dtau_dq, dtau_dv, dtau_da, .. } = &mut memory.results;
        joints.add_derivatives(layout.nv, (v, a), (&mut *tau, &mut *dtau_dv, dtau_da));
        field.joints.add_derivatives((q, v), (tau, dtau_dq, dtau_dv));
        &memory.results
    }
}

/// Six entries of a column and six of a row.
#[inline(always)]
fn put<R: Register>(
    to: &mut [Lanes<R>],
    first: usize,
    (row, nv): (usize, usize),
    column: Force<Lanes<R>>,
    other: Force<Lanes<R>>,
) {
    let (over, under) = (column.to_array(), other.to_array());
    let mut k = 0;
    while k < 6 {
        to[first + k + nv * row] = over[k];
        to[row + nv * (first + k)] = under[k];
        k += 1;
    }
}

/// Six entries of a column.
#[inline(always)]
fn store<R: Register>(to: &mut [Lanes<R>], six: &[Lanes<R>; 6]) {
    let mut k = 0;
    while k < 6 {
        to[k] = six[k];
        k += 1;
    }
}
