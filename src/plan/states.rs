//! The constants of a tree of hinges and slides, in axes whose third axis is that of the joint.
use crate::joint::{Elementary, Joint, Prismatic, Revolute};
use crate::model::{Body, Model};
use crate::plan::joint_axes::axes;
use crate::plan::origin;
use crate::spatial::{Inertia, Mass, Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar, WIDTH};
use nalgebra::{Matrix3, Vector3};

/// A robot whose joints are revolute or prismatic, with one coordinate of their own; bodies at a root may be free.
#[derive(Clone, Debug)]
pub(crate) struct StatesLayout {
    /// In the order of the model's bodies.
    pub(crate) steps: Vec<Step>,
    /// Degrees of freedom.
    pub(crate) nv: usize,
    /// For each eight entries of an nv × nv matrix, column by column: whether one of them can be nonzero, by the tree.
    pub(crate) filled: Vec<bool>,
}

/// How a body moves against its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkKind {
    /// It turns about its third axis.
    Hinge,
    /// It moves along its third axis.
    Slide,
    /// Freely, against the world.
    Free,
}

/// One body.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) parent: Option<usize>,
    /// Where its coordinates and its velocities begin.
    pub(crate) q: usize,
    pub(crate) v: usize,
    pub(crate) link: Link<f64>,
}

/// Its constants, which may differ from lane to lane.
#[derive(Clone, Debug)]
pub(crate) struct Link<P> {
    pub(crate) kind: LinkKind,
    /// Where its joint is mounted on the parent: the pose at `q = 0` of a joint with one coordinate.
    pub(crate) rotation: Matrix3<P>,
    pub(crate) translation: Vector3<P>,
    /// Whether the origin of shared coordinates moves with it ([`origin`]). Bodies before it only translate, so their
    /// moments are not needed.
    pub(crate) takes_origin: bool,
    /// About the body's origin.
    pub(crate) mass: Mass<P>,
}

impl StatesLayout {
    /// The constants; `None` if some joint is of another kind.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let trunks = origin::trunks(&model.bodies);
        let steps = model.bodies.iter().enumerate().map(|(i, body)| step(model, body, trunks[i] < i));
        Some(Self { steps: steps.collect::<Option<Vec<_>>>()?, nv: model.nv, filled: filled(model) })
    }

    /// The constants, of a robot of the same joints with other numbers.
    pub(crate) fn refresh(&mut self, model: &Model) {
        for (to, body) in self.steps.iter_mut().zip(&model.bodies) {
            // The joints are those that there was a step for.
            *to = step(model, body, to.link.takes_origin).unwrap_or_else(|| to.clone());
        }
    }
}

/// The kind of a joint, and from axes whose third is its own to those of the body.
fn kind(body: &Body) -> Option<(LinkKind, Matrix3<f64>)> {
    match &body.joint {
        Joint::Elementary(Elementary::Revolute(Revolute { axis })) => Some((LinkKind::Hinge, axes(axis))),
        Joint::Elementary(Elementary::Prismatic(Prismatic { axis })) => Some((LinkKind::Slide, axes(axis))),
        Joint::Elementary(Elementary::FreeFlyer(_)) if body.parent.is_none() => {
            Some((LinkKind::Free, Matrix3::identity()))
        }
        _ => None,
    }
}

fn step(model: &Model, body: &Body, takes_origin: bool) -> Option<Step> {
    let (own_kind, own) = kind(body)?;
    let outside = match body.parent {
        Some(p) => kind(&model.bodies[p])?.1.transpose(),
        None => Matrix3::identity(),
    };
    let [outside, own] = [outside, own].map(Transform::from_rotation);
    let pose = outside * body.placement * own;
    let inertia: Inertia<f64> = own.inv_act(body.inertia);
    let link = Link {
        kind: own_kind,
        rotation: pose.rotation,
        translation: pose.translation,
        takes_origin,
        mass: Mass {
            mass: inertia.mass,
            first: inertia.first_moment(),
            second: inertia.moment_about_origin().half_trace_minus(),
        },
    };
    Some(Step { parent: body.parent, q: body.q.start, v: body.v.start, link })
}

/// For each eight entries of a matrix, whether they belong to a degree of freedom and one that it carries.
fn filled(model: &Model) -> Vec<bool> {
    let nv = model.nv;
    let mut filled = vec![false; (nv * nv).div_ceil(WIDTH)];
    for (i, above) in model.bodies.iter().enumerate() {
        for below in &model.bodies[i..above.subtree_end] {
            for i in above.v.clone() {
                for j in below.v.clone() {
                    filled[(i + nv * j) / WIDTH] = true;
                    filled[(j + nv * i) / WIDTH] = true;
                }
            }
        }
    }
    filled
}

/// Pose of a body in its parent, in the coordinates in which that of the parent is given, at the
/// coordinate `q` of a slide, or at sine and cosine of that of a hinge.
#[inline(always)]
pub(crate) fn place<P: Real, T: Scalar<P> + Scalar<T>>(
    link: &Link<P>,
    rotation: &Matrix3<T>,
    translation: Vector3<T>,
    (q, (sin, cos)): (T, (T, T)),
) -> (Matrix3<T>, Vector3<T>) {
    let [x, y, z] = [
        v3::rotate(rotation, v3::lift::<P, T>(v3::column(&link.rotation, 0))),
        v3::rotate(rotation, v3::lift::<P, T>(v3::column(&link.rotation, 1))),
        v3::rotate(rotation, v3::lift::<P, T>(v3::column(&link.rotation, 2))),
    ];
    let seat = v3::rotate_plus(rotation, v3::lift::<P, T>(link.translation), translation);
    if link.kind == LinkKind::Slide {
        let position = if link.takes_origin { v3::zero() } else { v3::times_plus(z, q, seat) };
        return (v3::from_columns(x, y, z), position);
    }
    let turned =
        v3::from_columns(v3::times_plus(y, sin, v3::times(x, cos)), v3::times_plus(x, -sin, v3::times(y, cos)), z);
    (turned, seat)
}

/// The column of a joint with one coordinate: it turns about the third axis of its body, or moves along it.
#[inline(always)]
pub(crate) fn column<P, T: Real + Scalar<T>>(link: &Link<P>, rotation: &Matrix3<T>, position: Vector3<T>) -> Motion<T> {
    let z = v3::column(rotation, 2);
    if link.kind == LinkKind::Slide { Motion::new(z, v3::zero()) } else { Motion::new(v3::cross(position, z), z) }
}

/// Motion along one of the six columns of the unit matrix, which are those of a free body.
#[inline(always)]
pub(crate) fn unit<T: Real>(k: usize) -> Motion<T> {
    let mut columns = [T::zero(); 6];
    columns[k] = T::one();
    let [a, b, c, d, e, f] = columns;
    Motion::new(Vector3::new(a, b, c), Vector3::new(d, e, f))
}
