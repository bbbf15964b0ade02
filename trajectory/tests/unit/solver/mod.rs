//! Parts of solvers by themselves.

#![expect(clippy::float_cmp, reason = "numbers that are copied, or exact products and sums, are the same to the bit")]

mod blockers;
mod condense;
mod cycle;
mod domain;
mod evaluator;
mod filter;
mod inertia;
mod optimality;
mod report;
mod state;
mod support;
mod trial;
mod warm;

use crate::quadratic::{Dims, Quadratic};
use crate::residual::{Control, FrameTranslation, StateError};
use crate::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use crate::{Cost, PathConstraint, Phase, Problem, ProblemBuilder};
use gradyn::UrdfOptions;
use nalgebra::{DMatrix, DVector};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The arm's bent pose.
pub(crate) const ARM: [f64; 7] = [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8];

/// The arm's hand to places at the end, within limits of its motors, in so many steps.
pub(crate) fn arm(steps: usize, places: &[(&str, [f64; 3])]) -> Problem {
    let model = testing::robot("panda", &UrdfOptions::new());
    let hand = model.find_frame("panda_link8").expect("a hand");
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let most = [87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0];
    let reach = Phase::new("reach", steps, 0.02, step)
        .cost(Cost::new("state", StateError::at(&model, &ARM, &[0.0; 7])).weight(0.1))
        .cost(Cost::new("torque", Control::zero()).weight(1e-3))
        .control_bounds(&most.map(|x| -x), &most);
    let builder = Problem::builder(&model).start(&ARM, &[0.0; 7]).phase(reach);
    let with = |builder: ProblemBuilder, (name, at): &(&str, [f64; 3])| {
        builder.last_constraint(PathConstraint::equal(*name, FrameTranslation::new(hand, (*at).into())))
    };
    places.iter().fold(builder, with).build().expect("a problem")
}

/// The arm with every kind of constraint in each node: motors with two bounds, one and none; the hand between two
/// bounds, below one and above one; the elbow at a place; the norm of all torques in a cone.
pub(crate) fn limited(steps: usize) -> Problem {
    let model = testing::robot("panda", &UrdfOptions::new());
    let translation = |name: &str, at: [f64; 3]| {
        FrameTranslation::new(model.find_frame(name).expect("is a frame of the arm"), at.into())
    };
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let (hand, none) = (translation("panda_link8", [0.4, 0.2, 0.5]), f64::INFINITY);
    let reach = Phase::new("reach", steps, 0.02, step)
        .cost(Cost::new("state", StateError::at(&model, &ARM, &[0.0; 7])).weight(0.1))
        .cost(Cost::new("torque", Control::zero()).weight(1e-3))
        .control_bounds(&[-87.0, -none, -87.0, -none, -12.0, -12.0, -12.0], &[87.0, 87.0, none, none, 12.0, 12.0, 12.0])
        .constraint(PathConstraint::within("hand", hand, &[-0.9, -none, -0.8], &[0.9, 0.7, none]))
        .constraint(PathConstraint::equal("elbow", translation("panda_link4", [0.0, 0.1, 0.6])))
        .constraint(PathConstraint::norm_at_most("torque", Control::zero(), 50.0));
    Problem::builder(&model).start(&ARM, &[0.0; 7]).phase(reach).build().expect("a problem")
}

/// Random numbers that are the same each time.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }
    pub(crate) fn number(&mut self, least: f64, most: f64) -> f64 {
        self.0.random_range(least..most)
    }
    pub(crate) fn vector(&mut self, n: usize) -> DVector<f64> {
        DVector::from_fn(n, |_, _| self.number(-1.0, 1.0))
    }
    pub(crate) fn matrix(&mut self, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| self.number(-1.0, 1.0))
    }
    /// A last node with a positive definite cost, equalities and rows.
    pub(crate) fn node(&mut self, dims: Dims) -> Quadratic {
        let (mut node, Dims { ndx, nu, n_eq, n_in, .. }) = (Quadratic::new(dims, true), dims);
        let half = self.matrix(ndx + nu, ndx + nu);
        let hessian = &half * half.transpose() + DMatrix::identity(ndx + nu, ndx + nu);
        node.lxx.copy_from(&hessian.view((0, 0), (ndx, ndx)));
        node.lxu.copy_from(&hessian.view((0, ndx), (ndx, nu)));
        node.luu.copy_from(&hessian.view((ndx, ndx), (nu, nu)));
        (node.lx, node.lu) = (self.vector(ndx), self.vector(nu));
        (node.eq, node.eq_x, node.eq_u) = (self.vector(n_eq), self.matrix(n_eq, ndx), self.matrix(n_eq, nu));
        (node.ineq, node.ineq_x, node.ineq_u) = (self.vector(n_in), self.matrix(n_in, ndx), self.matrix(n_in, nu));
        node
    }
}

/// The Hessian and the gradient of a node's cost, by states and controls together.
pub(crate) fn joined(node: &Quadratic) -> (DMatrix<f64>, DVector<f64>) {
    let (ndx, nu) = (node.lx.len(), node.lu.len());
    let mut hessian = DMatrix::zeros(ndx + nu, ndx + nu);
    hessian.view_mut((0, 0), (ndx, ndx)).copy_from(&node.lxx);
    hessian.view_mut((0, ndx), (ndx, nu)).copy_from(&node.lxu);
    hessian.view_mut((ndx, 0), (nu, ndx)).copy_from(&node.lxu.transpose());
    hessian.view_mut((ndx, ndx), (nu, nu)).copy_from(&node.luu);
    (hessian, DVector::from_iterator(ndx + nu, node.lx.iter().chain(node.lu.iter()).copied()))
}

/// A matrix by states and one by controls, side by side.
pub(crate) fn beside(by_x: &DMatrix<f64>, by_u: &DMatrix<f64>) -> DMatrix<f64> {
    let mut both = DMatrix::zeros(by_x.nrows(), by_x.ncols() + by_u.ncols());
    both.columns_mut(0, by_x.ncols()).copy_from(by_x);
    both.columns_mut(by_x.ncols(), by_u.ncols()).copy_from(by_u);
    both
}

/// The direction of least quadratic cost, by states and by controls.
pub(crate) fn least(node: &Quadratic) -> [DVector<f64>; 2] {
    let (hessian, gradient) = joined(node);
    let all = -hessian.lu().solve(&gradient).expect("is regular");
    [all.rows(0, node.lx.len()).into(), all.rows(node.lx.len(), node.lu.len()).into()]
}
