//! The distance between two capsules. Spheres are capsules without length.

use super::axes::Axes;
use super::formula::{own_memory, second_opinion};
use super::{Depends, Jacobian, PhaseInfo, Quantity, QuantityPoint, Residual, ResidualPoint};
use crate::fault::{ProblemError, Reason};
use gradyn::dynamics::{FrameRef, ReferenceFrame, frame_pose, frame_pose_jacobian};
use gradyn::model::InputError;
use gradyn::spatial::vector as v3;
use gradyn::{Model, Scalar, Transform, Workspace};
use nalgebra::{DMatrix, Vector3};

/// All points nearer than a radius to a segment, on a body or in the world.
#[derive(Clone, Copy, Debug)]
pub struct Capsule {
    /// What it moves with; `None` is the world.
    pub frame: Option<FrameRef>,
    /// The ends of the segment, in coordinates of the frame, m.
    pub ends: [Vector3<f64>; 2],
    /// The radius, m.
    pub radius: f64,
}

impl Capsule {
    /// On a frame or a body: the ends of its segment in coordinates of that, m; its radius, m.
    #[must_use]
    pub fn new(frame: impl Into<FrameRef>, ends: [Vector3<f64>; 2], radius: f64) -> Self {
        Self { frame: Some(frame.into()), ends, radius }
    }
    /// A sphere on a frame or a body: its center in coordinates of that, m; its radius, m.
    #[must_use]
    pub fn sphere(frame: impl Into<FrameRef>, center: Vector3<f64>, radius: f64) -> Self {
        Self::new(frame, [center, center], radius)
    }
    /// Fixed to the world, where its ends are given, m.
    #[must_use]
    pub fn fixed(ends: [Vector3<f64>; 2], radius: f64) -> Self {
        Self { frame: None, ends, radius }
    }
    /// A sphere that is fixed to the world.
    #[must_use]
    pub fn fixed_sphere(center: Vector3<f64>, radius: f64) -> Self {
        Self::fixed([center, center], radius)
    }

    fn is_sphere(&self) -> bool {
        self.ends[0] == self.ends[1]
    }
    /// Its first end in the world, and what leads from it to the other one.
    #[inline(always)]
    fn place<T: Scalar>(
        &self,
        model: &Model,
        workspace: &mut Workspace<T>,
        q: &[T],
    ) -> Result<[Vector3<T>; 2], InputError> {
        let ends = match self.frame {
            None => self.ends.map(v3::lift),
            Some(frame) => {
                let pose = frame_pose(model, workspace, q, frame)?;
                let at = |end| v3::rotate_plus(&pose.rotation, v3::lift(end), pose.translation);
                self.ends.map(at)
            }
        };
        Ok([ends[0], v3::sub(ends[1], ends[0])])
    }
}

/// `r = |p_b − p_a| − ρ_a − ρ_b`, one number, m, with `p_a` and `p_b` the points of the two segments that are nearest
/// to each other: negative where the capsules overlap. With a barrier as its loss it keeps them apart.
///
/// It has a value everywhere. Where the segments touch, or run beside each other in parallel, it has no derivative, and
/// that is an error.
///
/// ```
/// use gradyn_trajectory::residual::{Capsule, Distance};
/// use gradyn_trajectory::{Cost, Loss};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
/// # let model = gradyn::Model::from_urdf_file(file, &gradyn::UrdfOptions::new())?.model;
/// let hand = Capsule::sphere(model.find_frame("panda_link8").expect("is there"), [0.0; 3].into(), 0.1);
/// let pole = Capsule::fixed([[0.5, 0.0, 0.0].into(), [0.5, 0.0, 1.0].into()], 0.05);
/// let apart = Loss::QuadraticBarrier { lower: vec![0.02], upper: vec![f64::INFINITY] };
/// let cost = Cost::new("pole", Distance::new(hand, pole)).loss(apart).weight(1e3);
/// # let _ = cost;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Distance {
    a: Capsule,
    b: Capsule,
}

impl Distance {
    /// Between two capsules or spheres, on bodies or fixed to the world.
    #[must_use]
    pub fn new(a: Capsule, b: Capsule) -> Self {
        Self { a, b }
    }

    /// Where along the segments the points are that are nearest to each other, in fractions of their lengths. Source:
    /// C. Ericson, *Real-Time Collision Detection*, 2005, section 5.1.9.
    #[inline(always)]
    fn fractions<T: Scalar>(&self, [p_a, d_a]: [Vector3<T>; 2], [p_b, d_b]: [Vector3<T>; 2]) -> [T; 2] {
        let r = v3::sub(p_a, p_b);
        let (along_a, along_b) = (v3::dot(d_a, r), v3::dot(d_b, r));
        let (aa, bb, ab) = (v3::norm_squared(d_a), v3::norm_squared(d_b), v3::dot(d_a, d_b));
        let (s, t) = match (self.a.is_sphere(), self.b.is_sphere()) {
            (true, true) => (T::zero(), T::zero()),
            (true, false) => (T::zero(), fraction(along_b / bb)),
            (false, true) => (fraction(-along_a / aa), T::zero()),
            (false, false) => {
                let (apart, product) = (aa * bb - ab * ab, aa * bb);
                let crossing = fraction((ab * along_b - along_a * bb) / apart);
                let s = apart.select_less(product * PARALLEL, T::zero(), crossing);
                let t = (ab * s + along_b) / bb;
                let at_end = |t: f64| (fraction((ab * t - along_a) / aa), T::from(t));
                let (first, last) = (at_end(0.0), at_end(1.0));
                // Where parallel, s = 0 was any point: nearest to what t became.
                let inside = apart.select_less(product * PARALLEL, fraction((ab * t - along_a) / aa), s);
                let beyond = |of: fn((T, T)) -> T, inside: T| {
                    t.select_lt(0.0, of(first), (-t).select_lt(-1.0, of(last), inside))
                };
                (beyond(|x| x.0, inside), beyond(|x| x.1, t))
            }
        };
        [s, t]
    }
    /// The points of the segments that are nearest to each other.
    #[inline(always)]
    fn nearest<T: Scalar>(&self, a: [Vector3<T>; 2], b: [Vector3<T>; 2]) -> [Vector3<T>; 2] {
        let [s, t] = self.fractions(a, b);
        [v3::scale_plus(s, a[1], a[0]), v3::scale_plus(t, b[1], b[0])]
    }

    /// Why there is no derivative, if there is none.
    fn check(&self, [p_a, d_a]: [Vector3<f64>; 2], [p_b, d_b]: [Vector3<f64>; 2], distance: f64) -> Result<(), Reason> {
        if distance <= TOUCHING {
            return Err(Reason::NotDifferentiable { why: "the segments of the capsules touch" });
        }
        let (aa, bb) = (d_a.norm_squared(), d_b.norm_squared());
        if self.a.is_sphere() || self.b.is_sphere() || d_a.cross(&d_b).norm_squared() >= PARALLEL * aa * bb {
            return Ok(());
        }
        // The part of A that is beside B, in fractions of A.
        let [first, last] = [p_b, p_b + d_b].map(|p| (p - p_a).dot(&d_a) / aa);
        let overlap = first.max(last).min(1.0) - first.min(last).max(0.0);
        if overlap <= 0.0 {
            return Ok(());
        }
        Err(Reason::NotDifferentiable { why: "the segments of the capsules run beside each other in parallel" })
    }
}

/// The square of the sine of the angle between segments below which they are parallel: their nearest points are decided
/// by rounding, some 1e-16, over this.
const PARALLEL: f64 = 1e-14;
/// The distance, m, at which rounding of places decides the direction between them.
const TOUCHING: f64 = 1e-12;

/// Between 0 and 1.
#[inline(always)]
fn fraction<T: Scalar>(x: T) -> T {
    x.select_lt(0.0, T::zero(), (-x).select_lt(-1.0, T::one(), x))
}

/// Memory of second derivatives.
#[derive(Debug, Default)]
struct DistanceMemory {
    axes: Axes,
    by: Vec<Slope>,
}

/// How a degree of freedom moves the point of B away from that of A, both fixed in their bodies; and how it changes the
/// derivatives of the distance by the fractions.
#[derive(Clone, Copy, Debug, Default)]
struct Slope {
    apart: Vector3<f64>,
    along: [f64; 2],
}

impl Quantity for Distance {
    fn rows(&self, _model: &Model) -> usize {
        1
    }
    fn depends(&self) -> Depends {
        Depends::Q
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let a = self.a.place(on.model, on.workspace, on.q)?;
        let b = self.b.place(on.model, on.workspace, on.q)?;
        let [p_a, p_b] = self.nearest(a, b);
        r[0] = v3::norm_squared(v3::sub(p_b, p_a)).sqrt() - (self.a.radius + self.b.radius);
        Ok(())
    }
}

impl Residual for Distance {
    fn sees_robot(&self) -> bool {
        false
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        for capsule in [&self.a, &self.b] {
            let numbers = capsule.ends.iter().flat_map(|end| end.iter().copied()).chain([capsule.radius]);
            let wrong = numbers.clone().find(|x| !x.is_finite());
            if let Some(value) = wrong.or((capsule.radius < 0.0).then_some(capsule.radius)) {
                return Err(ProblemError::Number {
                    place: phase.place.clone(),
                    what: "a number of a capsule",
                    value,
                    rule: "numbers must be finite, and the radius not negative",
                });
            }
        }
        Ok(())
    }
    second_opinion!(DistanceMemory, rows 1);
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let a = self.a.place(on.model, on.workspace, on.q)?;
        let b = self.b.place(on.model, on.workspace, on.q)?;
        let [p_a, p_b] = self.nearest(a, b);
        let distance = (p_b - p_a).norm();
        r[0] = distance - (self.a.radius + self.b.radius);
        self.check(a, b, distance)?;
        // Nearest points move along the segments too, but that changes nothing to first order.
        let normal = (p_b - p_a) / distance;
        out.dq.fill(0.0);
        for (capsule, point, n) in [(&self.a, p_a, -normal), (&self.b, p_b, normal)] {
            let Some(frame) = capsule.frame else { continue };
            let reference = ReferenceFrame::LocalWorldAligned;
            let (pose, jacobian) = frame_pose_jacobian(on.model, on.workspace, on.q, frame, reference)?;
            let moment = (point - pose.translation).cross(&n);
            for (to, by) in out.dq.iter_mut().zip(jacobian.column_iter()) {
                *to += by.fixed_rows::<3>(0).dot(&n) + by.fixed_rows::<3>(3).dot(&moment);
            }
        }
        Ok(())
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let a = self.a.place(on.model, on.workspace, on.q)?;
        let b = self.b.place(on.model, on.workspace, on.q)?;
        let ([s, t], [p_a, p_b]) = (self.fractions(a, b), self.nearest(a, b));
        let apart = p_b - p_a;
        let distance = apart.norm();
        self.check(a, b, distance)?;
        let (n, ends) = (apart / distance, [-a[1], b[1]]);
        let across = |x: &Vector3<f64>| (x - n * n.dot(x)) / distance;

        let (state, DistanceMemory { axes, by }) = ([on.q, on.v, on.a], own_memory::<DistanceMemory>(on.own)?);
        by.clear();
        by.resize(on.v.len(), Slope::default());
        for (k, (capsule, point, sign)) in [(&self.a, p_a, -1.0), (&self.b, p_b, 1.0)].into_iter().enumerate() {
            let Some(frame) = capsule.frame else { continue };
            axes.of_frame(on.model, on.workspace, state, frame, |_| Transform::from_translation(point))?;
            axes.add_place(out, n * (sign * lambda[0]));
            for axis in &axes.list {
                let to = &mut by[axis.dof];
                to.apart += axis.motion.linear * sign;
                to.along[k] += n.dot(&axis.motion.angular.cross(&ends[k]));
            }
        }
        for to in by.iter_mut() {
            let turn = across(&to.apart);
            (to.along[0], to.along[1]) = (to.along[0] + turn.dot(&ends[0]), to.along[1] + turn.dot(&ends[1]));
        }
        // Points that are free to move along their segments do so, and take away what that saves.
        let free = [!self.a.is_sphere() && s > 0.0 && s < 1.0, !self.b.is_sphere() && t > 0.0 && t < 1.0];
        let product = |i: usize, j: usize| ends[i].dot(&across(&ends[j]));
        let saved = match free {
            [true, true] => {
                let (aa, ab, bb) = (product(0, 0), product(0, 1), product(1, 1));
                let share = (aa * bb - ab * ab).recip();
                [bb * share, -ab * share, aa * share]
            }
            [true, false] => [product(0, 0).recip(), 0.0, 0.0],
            [false, true] => [0.0, 0.0, product(1, 1).recip()],
            [false, false] => [0.0; 3],
        };
        for (j, y) in by.iter().enumerate() {
            let (turn, [y_s, y_t]) = (across(&y.apart), y.along);
            let (to_s, to_t) = (saved[0] * y_s + saved[1] * y_t, saved[1] * y_s + saved[2] * y_t);
            for (i, x) in by.iter().enumerate() {
                out[(i, j)] += lambda[0] * (x.apart.dot(&turn) - x.along[0] * to_s - x.along[1] * to_t);
            }
        }
        Ok(())
    }
}
