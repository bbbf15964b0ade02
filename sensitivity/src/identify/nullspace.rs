//! The inertias of a tree of bodies that torques identify, by recursion instead of by motions.
//!
//! Inertias are pseudo-inertias P, 4×4, motions matrices ξ = [[ω×, v], [0, 0]]. With these `wᵀ I φ = tr(w P φᵀ)`, so
//! what is identifiable of a body are functionals `tr(G P)` of symmetric matrices G. From body to body, with poses E in
//! the parent at neutral coordinates and one joint axis s after the other (a joint of several axes is a chain of joints
//! without mass between them):
//!
//! ```text
//! V = E⁻¹ V_parent E , closed under [s, ·] , + s           (1)  motions that the body can make, and gravity's acceleration
//! U = Eᵀ U_parent E , closed under G ↦ sᵀG + G s           (2)  functionals that must not change while the joints behind move
//! D = sᵀU + U s + A ,   A = {sym(sᵀ v), v ∈ V}             (3)  identifiable functionals
//! U ← U + A
//! ```
//!
//! `M(q)` and gravity's torques are zero for all q exactly if each D is zero on what its body carries, with all joints
//! neutral: composite masses are as good parameters as masses, so the rank is `Σ dim D`. No motion is sampled.
//!
//! Source: P. Wensing, G. Niemeyer, J.-J. Slotine, *A geometric characterization of observability in inertial parameter
//! identification*, arXiv 1711.03896, whose recursion (RPNA) is over null spaces; this is the same over their
//! complements.

use gradyn::joint::{Joint, JointKind};
use gradyn::{Model, Motion};
use nalgebra::{DMatrix, Matrix4, Vector3};

/// A direction of unit length is in a space if its distance from it is less than this. Robot files have ten digits or
/// more, or so few that axes differ by 1e-6.
const WITHIN: f64 = 1e-9;

/// The identifiable combinations of all inertias.
pub(super) struct Told {
    /// One row per identifiable combination, one column per entry of `π` of all bodies; the rows are independent.
    pub(super) rows: DMatrix<f64>,
    /// The number of them that each body adds.
    pub(super) of_bodies: Vec<usize>,
    /// The least ratio of directions that count to those that do not.
    pub(super) gap: f64,
}

/// Lengths of directions of unit length, after the known part is subtracted.
struct Lengths {
    least_kept: f64,
    most_dropped: f64,
}

/// An orthonormal basis of matrices.
#[derive(Clone, Default)]
struct Span(Vec<Matrix4<f64>>);

impl Span {
    /// The basis of these, each of length about one. The longest remainder comes next: otherwise one that is barely out
    /// of the space so far would pass its rounding on to all after it.
    fn of(mut all: Vec<Matrix4<f64>>, lengths: &mut Lengths) -> Self {
        let mut basis: Vec<Matrix4<f64>> = Vec::new();
        loop {
            let longest = all.iter().enumerate().max_by(|a, b| a.1.norm().total_cmp(&b.1.norm()));
            let Some((at, length)) = longest.map(|(at, x)| (at, x.norm())) else { return Self(basis) };
            if length <= WITHIN {
                lengths.most_dropped = lengths.most_dropped.max(length);
                return Self(basis);
            }
            lengths.least_kept = lengths.least_kept.min(length);
            let mut next = all.swap_remove(at) / length;
            // Once more, to remove the rounding of the others.
            for known in &basis {
                next -= known * known.dot(&next);
            }
            next /= next.norm();
            all.iter_mut().for_each(|x| *x -= next * next.dot(x));
            basis.push(next);
        }
    }

    fn with(&self, others: impl Iterator<Item = Matrix4<f64>>, lengths: &mut Lengths) -> Self {
        Self::of(self.0.iter().copied().chain(others).collect(), lengths)
    }

    /// The smallest space that contains this one and is invariant under the map.
    fn closed(self, map: impl Fn(&Matrix4<f64>) -> Matrix4<f64>, lengths: &mut Lengths) -> Self {
        let mut closed = self;
        loop {
            let wider = closed.with(closed.0.iter().map(&map), lengths);
            if wider.0.len() <= closed.0.len() {
                return closed;
            }
            closed = wider;
        }
    }
}

/// The spaces of a body after its joint.
struct Passed {
    motions: Span,
    functionals: Span,
    /// Rows that the body's mass contributes to, by number.
    rows: Vec<(usize, Matrix4<f64>)>,
}

impl Passed {
    /// The same as seen from a body at a pose, before its joint.
    fn carried(&self, pose: &Matrix4<f64>, lengths: &mut Lengths) -> Self {
        let (back, down) = (inverse(pose), |g: &Matrix4<f64>| pose.transpose() * g * pose);
        Self {
            motions: Span::of(self.motions.0.iter().map(|x| back * x * pose).collect(), lengths),
            functionals: Span::of(self.functionals.0.iter().map(down).collect(), lengths),
            rows: self.rows.iter().map(|(row, g)| (*row, down(g))).collect(),
        }
    }

    /// (1) to (3): D.
    fn moved(&mut self, axes: &[Matrix4<f64>], lengths: &mut Lengths) -> Span {
        let mut told = Vec::new();
        for s in axes {
            let moved = |g: &Matrix4<f64>| s.transpose() * g + g * s;
            let v = std::mem::take(&mut self.motions).closed(|x| s * x - x * s, lengths);
            let u = std::mem::take(&mut self.functionals).closed(moved, lengths);
            let v = v.with(std::iter::once(*s), lengths);
            let of = |v: &Matrix4<f64>| {
                let g = s.transpose() * v;
                0.5 * (g + g.transpose())
            };
            told.extend(u.0.iter().map(moved).chain(v.0.iter().map(of)));
            self.functionals = u.with(v.0.iter().map(of), lengths);
            self.motions = v;
        }
        Span::of(told, lengths)
    }
}

/// The identifiable combinations; `None` if a joint moves with another one, for which the recursion does not hold.
/// O(n²), which is the size of the rows.
pub(super) fn told(model: &Model) -> Option<Told> {
    let bodies = model.bodies();
    if bodies.iter().any(|body| matches!(body.joint(), Joint::Mimic(_))) {
        return None;
    }
    // The mean distance between joints is the unit of length.
    let distances: Vec<f64> =
        bodies.iter().map(|b| b.placement().translation.norm()).filter(|d| *d > 0.0 && d.is_finite()).collect();
    let unit = if distances.is_empty() { 1.0 } else { distances.iter().sum::<f64>() / distances.len() as f64 };
    let mut lengths = Lengths { least_kept: 1.0, most_dropped: 0.0 };
    let g = model.gravity();
    let gravity = if g.norm() > 0.0 { vec![matrix(Motion::new(g / g.norm(), Vector3::zeros()), 1.0)] } else { vec![] };
    let world = Passed { motions: Span(gravity), functionals: Span::default(), rows: vec![] };
    let mut passed: Vec<Passed> = Vec::with_capacity(bodies.len());
    let (mut rank, mut of_bodies) = (0, Vec::with_capacity(bodies.len()));
    for body in bodies {
        let joint = body.joint();
        let mut q = vec![0.0; joint.nq()];
        joint.neutral(&mut q);
        let mut pose = (*body.placement() * joint.pose(&q)).matrix4();
        (0..3).for_each(|k| pose[(k, 3)] /= unit);
        let mut columns = vec![Motion::zero(); joint.nv()];
        joint.motion_subspace(&q, &mut columns);
        let axes: Vec<Matrix4<f64>> = columns.into_iter().map(|s| matrix(s, unit).normalize()).collect();
        let mut own = body.parent().map_or(&world, |parent| &passed[parent.index()]).carried(&pose, &mut lengths);
        let d = own.moved(&axes, &mut lengths);
        let told = d.0.len();
        own.rows.extend((rank..).zip(d.0));
        of_bodies.push(told);
        rank += told;
        passed.push(own);
    }
    let mut rows = DMatrix::zeros(rank, 10 * bodies.len());
    for (b, body) in passed.iter().enumerate() {
        for (row, g) in &body.rows {
            let own = by_parameters(g, unit);
            own.into_iter().enumerate().for_each(|(k, x)| rows[(*row, 10 * b + k)] = x);
        }
    }
    let gap = if lengths.most_dropped > 0.0 { lengths.least_kept / lengths.most_dropped } else { f64::INFINITY };
    Some(Told { rows, of_bodies, gap })
}

/// `[[ω×, v], [0, 0]]`, lengths in `unit`.
fn matrix(x: Motion<f64>, unit: f64) -> Matrix4<f64> {
    let mut m = x.angular.cross_matrix().to_homogeneous();
    m[(3, 3)] = 0.0;
    m.fixed_view_mut::<3, 1>(0, 3).copy_from(&(x.linear / unit));
    m
}

/// `[[Rᵀ, −Rᵀp], [0, 1]]`
fn inverse(pose: &Matrix4<f64>) -> Matrix4<f64> {
    let r = pose.fixed_view::<3, 3>(0, 0).transpose();
    let mut back = r.to_homogeneous();
    back.fixed_view_mut::<3, 1>(0, 3).copy_from(&(-r * pose.fixed_view::<3, 1>(0, 3)));
    back
}

/// `∂ tr(G P)/∂π`, P in its own units of length (see [`gradyn::Inertia::pseudo_inertia`]).
pub(super) fn by_parameters(g: &Matrix4<f64>, unit: f64) -> [f64; 10] {
    let half = 0.5 * (g[(0, 0)] + g[(1, 1)] + g[(2, 2)]);
    let moment = |i: usize, j: usize| if i == j { half - g[(i, i)] } else { -2.0 * g[(i, j)] } / (unit * unit);
    let first = |i: usize| 2.0 * g[(i, 3)] / unit;
    [
        g[(3, 3)],
        first(0),
        first(1),
        first(2),
        moment(0, 0),
        moment(0, 1),
        moment(1, 1),
        moment(0, 2),
        moment(1, 2),
        moment(2, 2),
    ]
}
