//! Numbers of a robot, by name: what a parameter of a fit, of a sensitivity or of an optimization is.
//!
//! | name | [`ParameterId`] | varies | unit |
//! |---|---|---|---|
//! | `LINK.mass` | `Mass` | mass; center and moments about it are held | kg |
//! | `LINK.density` | `Density` | a factor of mass and moments; the center is held | 1 |
//! | `LINK.com.{x,y,z}` | `Center` | a coordinate of the center; mass and moments about it are held | m |
//! | `LINK.inertia.{xx,xy,yy,xz,yz,zz}` | `Moment` | a moment about the center | kg m² |
//! | `LINK.pi.{m,mx,…,Izz}` | `Linear` | a linear parameter, moments about the body's origin | |
//! | `LINK.log_cholesky.{alpha,d1,…,t3}` | `LogCholesky` | physical for any value (Rucker & Wensing 2022) | |
//! | `LINK.payload.{m,cx,cy,cz}` | `Payload` | a point mass on the link | kg, m |
//! | `JOINT.placement.{x,y,z,rx,ry,rz}` | `Placement` | `placement ∘ exp(ξ)` | m, rad |
//! | `JOINT.axis.{1,2}` | `Axis` | the axis, along two tangents of the sphere | rad |
//! | `JOINT.{armature,damping,friction}` | `Armature`, `Damping`, `Friction` | of one degree of freedom | |
//! | `JOINT.rotor_inertia` | `RotorInertia` | of a rotor behind a gear: the armature divided by the square of its ratio | kg m² |
//! | `JOINT.{stiffness,spring_reference}` | `Stiffness`, `SpringReference` | the spring of one degree of freedom | |
//! | `JOINT.{stribeck,stribeck_velocity,friction_asymmetry}` | `Stribeck`, `StribeckVelocity`, `FrictionAsymmetry` | the friction curve of one degree of freedom | |
//! | `JOINT.pitch`, `JOINT.ratio`, `JOINT.offset` | `Pitch`, `Ratio`, `Offset` | of helical and mimic joints | |
//! | `FRAME.placement.{x,…,rz}` | `FramePlacement` | a tool, a contact point | m, rad |
//! | `FRAME.point_mass` | `PointMass` | mass of a point at the origin of a frame, beside all else | kg |
//! | `gravity.{x,y,z}`, `friction_width` | `Gravity`, `FrictionWidth` | of the whole robot | m/s², rad/s |

use super::{BodyId, CurveConstant, FrameId, Model, SpringConstant};
use crate::joint::Joint;
use crate::spatial::{Inertia, LogCholesky, Symmetric3};
use gradyn_derivatives::Scalar;
use nalgebra::Vector3;
use std::collections::BTreeSet;

/// One number of a robot. Indices count components, in the order of the names in the [table](Model::parameters) but
/// for moments, which stand in the order `xx xy xz yy yz zz`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the table of the module says what they are")]
pub enum ParameterId {
    Mass(BodyId),
    Density(BodyId),
    Center(BodyId, usize),
    Moment(BodyId, usize),
    Linear(BodyId, usize),
    LogCholesky(BodyId, usize),
    Payload(BodyId, usize),
    Placement(BodyId, usize),
    /// Body, axis among those of the joint, tangent direction.
    Axis(BodyId, usize, usize),
    Pitch(BodyId, usize),
    Ratio(BodyId),
    Offset(BodyId),
    /// Body, degree of freedom among those of the joint; as the next two.
    Friction(BodyId, usize),
    Damping(BodyId, usize),
    Armature(BodyId, usize),
    /// Body, degree of freedom among those of the joint: armature in units of the rotor.
    RotorInertia(BodyId, usize),
    /// Body, degree of freedom among those of the joint; as the next one.
    Stiffness(BodyId, usize),
    SpringReference(BodyId, usize),
    /// Body, degree of freedom among those of the joint; as the next two.
    Stribeck(BodyId, usize),
    StribeckVelocity(BodyId, usize),
    FrictionAsymmetry(BodyId, usize),
    FramePlacement(FrameId, usize),
    PointMass(FrameId),
    Gravity(usize),
    FrictionWidth,
}

/// The coordinates of an inertia that a parameter belongs to. Parameters of one body are of one chart;
/// density, payload and point masses change the inertia after its chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InertiaChart {
    /// Mass, center, moments about it.
    Standard,
    /// Linear parameters.
    Linear,
    /// Log-Cholesky parameters.
    LogCholesky,
}

const POSE: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];
/// Names of moments, and their indices in `xx xy xz yy yz zz`.
const MOMENTS: [(&str, usize); 6] = [("xx", 0), ("xy", 1), ("yy", 3), ("xz", 2), ("yz", 4), ("zz", 5)];
const LINEAR: [&str; 10] = ["m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"];
const LOG_CHOLESKY: [&str; 10] = ["alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3"];
const PAYLOAD: [&str; 4] = ["m", "cx", "cy", "cz"];

impl ParameterId {
    /// The body whose inertia it changes; of a point mass this is the body of its frame, which the model knows.
    #[must_use]
    pub fn inertia_of(self) -> Option<BodyId> {
        match self {
            Self::Mass(b)
            | Self::Density(b)
            | Self::Center(b, _)
            | Self::Moment(b, _)
            | Self::Linear(b, _)
            | Self::LogCholesky(b, _)
            | Self::Payload(b, _) => Some(b),
            _ => None,
        }
    }

    /// The chart that it is a coordinate of.
    #[must_use]
    pub fn chart(self) -> Option<InertiaChart> {
        match self {
            Self::Mass(_) | Self::Center(..) | Self::Moment(..) => Some(InertiaChart::Standard),
            Self::Linear(..) => Some(InertiaChart::Linear),
            Self::LogCholesky(..) => Some(InertiaChart::LogCholesky),
            _ => None,
        }
    }

    /// Its unit; with a bar, that of a joint that turns, and of one that slides.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Mass(_) | Self::Linear(_, 0) | Self::Payload(_, 0) | Self::PointMass(_) => "kg",
            Self::Density(_) | Self::Ratio(_) => "1",
            Self::Center(..) | Self::Payload(..) => "m",
            Self::Linear(_, 1..=3) => "kg m",
            Self::Moment(..) | Self::Linear(..) => "kg m^2",
            Self::LogCholesky(_, 0..=3) => "log",
            Self::LogCholesky(..) => "m",
            Self::Placement(_, 0..=2) | Self::FramePlacement(_, 0..=2) => "m",
            Self::Placement(..) | Self::FramePlacement(..) | Self::Axis(..) => "rad",
            Self::Pitch(..) => "m/rad",
            Self::Offset(_) | Self::SpringReference(..) => "rad|m",
            Self::Stiffness(..) => "N m/rad|N/m",
            Self::Friction(..) | Self::Stribeck(..) | Self::FrictionAsymmetry(..) => "N m|N",
            Self::Damping(..) => "N m s/rad|N s/m",
            Self::Armature(..) => "kg m^2|kg",
            Self::RotorInertia(..) => "kg m^2",
            Self::FrictionWidth | Self::StribeckVelocity(..) => "rad/s|m/s",
            Self::Gravity(_) => "m/s^2",
        }
    }

    /// What is held while it varies.
    #[must_use]
    pub fn held(self) -> &'static str {
        match self {
            Self::Mass(_) => "center of mass, and moments about it",
            Self::Density(_) => "center of mass; moments scale with the mass",
            Self::Center(..) => "mass, and moments about the center",
            Self::Moment(..) => "mass, center, other moments about it",
            Self::Linear(..) => "other linear parameters, moments about the body's origin",
            Self::LogCholesky(..) => "other log-Cholesky parameters",
            Self::Payload(_, 0) | Self::PointMass(_) => "where the point mass is",
            Self::Payload(..) => "the point mass",
            Self::Placement(..) => "everything else; moves along the joint's mounting frame",
            Self::Axis(..) => "the body's frame at q = 0",
            Self::FramePlacement(..) => "the body; moves along the frame's own axes",
            Self::Friction(..)
            | Self::Damping(..)
            | Self::Armature(..)
            | Self::RotorInertia(..)
            | Self::Stiffness(..)
            | Self::SpringReference(..)
            | Self::Stribeck(..)
            | Self::StribeckVelocity(..)
            | Self::FrictionAsymmetry(..) => "the other numbers of the joint",
            Self::Pitch(..) | Self::Ratio(_) | Self::Offset(_) | Self::FrictionWidth | Self::Gravity(_) => {
                "everything else"
            }
        }
    }

    /// Whether no robot has a negative value: masses, densities, friction, damping, armature, inertias of rotors, stiffness, Stribeck friction
    /// and velocity.
    #[must_use]
    pub fn is_never_negative(self) -> bool {
        match self {
            Self::Mass(_) | Self::Density(_) | Self::PointMass(_) | Self::Stiffness(..) => true,
            Self::Stribeck(..) | Self::StribeckVelocity(..) | Self::RotorInertia(..) => true,
            _ => self.is_of_joint(),
        }
    }

    /// Whether it is friction, damping or armature of a joint.
    #[must_use]
    pub fn is_of_joint(self) -> bool {
        matches!(self, Self::Friction(..) | Self::Damping(..) | Self::Armature(..))
    }
}

/// The inertia with these values: the coordinates of a chart first, then the density, then points.
///
/// `place`: where the origin of the frame of a [`ParameterId::PointMass`] is on the body. Entries of other bodies and
/// of joints are left out. Allocates nothing.
pub fn inertia_with<P: Scalar>(
    base: &Inertia<f64>,
    entries: impl Iterator<Item = (ParameterId, P)> + Clone,
    place: impl Fn(FrameId) -> Vector3<f64>,
) -> Inertia<P> {
    let mut made: Inertia<P> = base.lift();
    match entries.clone().find_map(|(id, _)| id.chart()) {
        Some(InertiaChart::Standard) => {
            let r = made.rotational;
            let mut about = [r.xx, r.xy, r.xz, r.yy, r.yz, r.zz];
            for (id, x) in entries.clone() {
                match id {
                    ParameterId::Mass(_) => made.mass = x,
                    ParameterId::Center(_, k) => made.com[k] = x,
                    ParameterId::Moment(_, k) => about[k] = x,
                    _ => {}
                }
            }
            let [xx, xy, xz, yy, yz, zz] = about;
            made.rotational = Symmetric3::new(xx, xy, xz, yy, yz, zz);
        }
        Some(InertiaChart::Linear) => {
            let mut ten = base.to_parameters().map(P::from);
            for (id, x) in entries.clone() {
                if let ParameterId::Linear(_, k) = id {
                    ten[k] = x;
                }
            }
            made = Inertia::from_parameters(ten);
        }
        Some(InertiaChart::LogCholesky) => {
            // An inertia that is not physical has none, and stays as it is.
            if let Ok(theta) = base.log_cholesky() {
                let mut theta = theta.to_array().map(P::from);
                for (id, x) in entries.clone() {
                    if let ParameterId::LogCholesky(_, k) = id {
                        theta[k] = x;
                    }
                }
                made = LogCholesky::from_array(theta).inertia();
            }
        }
        None => {}
    }
    for (id, x) in entries.clone() {
        if let ParameterId::Density(_) = id {
            made = Inertia::new(made.mass * x, made.com, scaled(made.rotational, x));
        }
    }
    // Points by sums of moments about the origin, which hold for a mass of zero too.
    let mut payload = [None; 4];
    for (id, x) in entries {
        match id {
            ParameterId::Payload(_, k) => payload[k] = Some(x),
            ParameterId::PointMass(frame) => {
                made = made_with(made, Inertia::new(x, place(frame).map(P::from), Symmetric3::zero()));
            }
            _ => {}
        }
    }
    if payload.iter().any(Option::is_some) {
        let [m, x, y, z] = payload.map(|x| x.unwrap_or(P::from(0.0)));
        let at = Vector3::new(x, y, z);
        made = made_with(made, Inertia::about_origin(m, at, scaled(Symmetric3::minus_skew_squared(at), m)));
    }
    made
}

/// The sum of two inertias, by their linear parameters.
fn made_with<P: Scalar>(made: Inertia<P>, point: Inertia<P>) -> Inertia<P> {
    let (a, b) = (made.to_parameters(), point.to_parameters());
    Inertia::from_parameters(std::array::from_fn(|k| a[k] + b[k]))
}

fn scaled<P: Scalar>(x: Symmetric3<P>, by: P) -> Symmetric3<P> {
    Symmetric3::new(x.xx * by, x.xy * by, x.xz * by, x.yy * by, x.yz * by, x.zz * by)
}

/// A list of names in the order of the file.
struct Catalog {
    list: Vec<(String, ParameterId, f64)>,
    names: BTreeSet<String>,
}

impl Catalog {
    /// The first of a name counts: a frame may be called like a joint.
    fn add(&mut self, name: String, id: ParameterId, value: f64) {
        if self.names.insert(name.clone()) {
            self.list.push((name, id, value));
        }
    }
    fn add_all(&mut self, start: &str, names: &[&str], id: impl Fn(usize) -> ParameterId, values: &[f64]) {
        for (k, (name, value)) in names.iter().zip(values).enumerate() {
            self.add(format!("{start}.{name}"), id(k), *value);
        }
    }
}

impl Model {
    /// All numbers of the robot with their names and values, in the order of the file: each body with its joint, then
    /// frames, then those of the whole robot.
    ///
    /// The value is that of the robot, or zero for deviations from it: placements, axes, payloads and point masses; one
    /// for densities; not a number for log-Cholesky parameters of an inertia that is not physical.
    #[must_use]
    pub fn parameters(&self) -> Vec<(String, ParameterId, f64)> {
        let mut all = Catalog { list: Vec::new(), names: BTreeSet::new() };
        let (dofs, layout, values) = (self.dof_names(), self.parameter_layout(), self.standard_parameters());
        for (b, body) in self.bodies().iter().enumerate() {
            let (id, link, joint) = (self.id_of(b), body.name(), body.joint_name());
            let inertia = body.inertia();
            all.add(format!("{link}.mass"), ParameterId::Mass(id), inertia.mass);
            all.add(format!("{link}.density"), ParameterId::Density(id), 1.0);
            let center = |k| ParameterId::Center(id, k);
            all.add_all(&format!("{link}.com"), &POSE[..3], center, inertia.com.as_slice());
            let r = inertia.rotational;
            let about = [r.xx, r.xy, r.xz, r.yy, r.yz, r.zz];
            for (name, k) in MOMENTS {
                all.add(format!("{link}.inertia.{name}"), ParameterId::Moment(id, k), about[k]);
            }
            let linear = |k| ParameterId::Linear(id, k);
            all.add_all(&format!("{link}.pi"), &LINEAR, linear, &inertia.to_parameters());
            let theta = inertia.log_cholesky().map_or([f64::NAN; 10], |theta| theta.to_array());
            let coordinate = |k| ParameterId::LogCholesky(id, k);
            all.add_all(&format!("{link}.log_cholesky"), &LOG_CHOLESKY, coordinate, &theta);
            all.add_all(&format!("{link}.payload"), &PAYLOAD, |k| ParameterId::Payload(id, k), &[0.0; 4]);
            all.add_all(&format!("{joint}.placement"), &POSE, |k| ParameterId::Placement(id, k), &[0.0; 6]);
            let which = |number: usize| if number == 0 { String::new() } else { (number + 1).to_string() };
            for number in 0..body.joint().axes().len() {
                let tangent = |k| ParameterId::Axis(id, number, k);
                all.add_all(&format!("{joint}.axis{}", which(number)), &["1", "2"], tangent, &[0.0; 2]);
            }
            for (number, pitch) in body.joint().pitches().into_iter().enumerate() {
                all.add(format!("{joint}.pitch{}", which(number)), ParameterId::Pitch(id, number), pitch);
            }
            if let Joint::Mimic(mimic) = body.joint() {
                all.add(format!("{joint}.ratio"), ParameterId::Ratio(id), mimic.multiplier());
                all.add(format!("{joint}.offset"), ParameterId::Offset(id), mimic.offset());
            }
            for (k, (dof, j)) in body.v_range().zip(layout.of_joint(id)).enumerate() {
                let name = if body.owns_coordinates() { dofs[dof].as_str() } else { joint };
                all.add(format!("{name}.friction"), ParameterId::Friction(id, k), values[layout.friction.start + j]);
                all.add(format!("{name}.damping"), ParameterId::Damping(id, k), values[layout.damping.start + j]);
                let armature = values[layout.armature.start + j];
                all.add(format!("{name}.armature"), ParameterId::Armature(id, k), armature);
                if let Some(ratio) = body.gear_ratio(k) {
                    all.add(
                        format!("{name}.rotor_inertia"),
                        ParameterId::RotorInertia(id, k),
                        armature / (ratio * ratio),
                    );
                }
                let curve = self.friction_curve_of(id, k).copied().unwrap_or_else(|| body.friction_curve(b, k));
                let ids = [ParameterId::Stribeck(id, k), ParameterId::StribeckVelocity(id, k)];
                let ids = ids.into_iter().chain([ParameterId::FrictionAsymmetry(id, k)]);
                for (constant, id) in CurveConstant::ALL.into_iter().zip(ids) {
                    all.add(format!("{name}.{}", constant.name()), id, *constant.of(&curve));
                }
                if layout.of_spring(id, k).is_some() {
                    let numbers = self.spring_constants(id, k).unwrap_or_default();
                    let ids = [ParameterId::Stiffness(id, k), ParameterId::SpringReference(id, k)];
                    for ((constant, id), number) in SpringConstant::ALL.into_iter().zip(ids).zip(numbers) {
                        all.add(format!("{name}.{}", constant.name()), id, number);
                    }
                }
            }
        }
        let frames = (0..self.frames().len()).filter_map(|f| Some((&self.frames()[f], self.frame_id(f)?)));
        for (frame, id) in frames.clone().skip(self.bodies().len()) {
            let placement = |k| ParameterId::FramePlacement(id, k);
            all.add_all(&format!("{}.placement", frame.name()), &POSE, placement, &[0.0; 6]);
        }
        for (frame, id) in frames.filter(|(frame, _)| frame.body().is_some()) {
            all.add(format!("{}.point_mass", frame.name()), ParameterId::PointMass(id), 0.0);
        }
        all.add_all("gravity", &POSE[..3], ParameterId::Gravity, self.gravity().as_slice());
        all.add("friction_width".into(), ParameterId::FrictionWidth, self.friction_width());
        all.list
    }

    /// The number of the robot with this name, as [`parameters`](Self::parameters) lists it.
    ///
    /// ```
    /// use gradyn::model::ParameterId;
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
    /// # let model = gradyn::Model::from_urdf_file(file, &gradyn::UrdfOptions::new())?.model;
    /// let mass = model.find_parameter("panda_link7.mass").expect("is there");
    /// assert_eq!(mass, ParameterId::Mass(model.find_body("panda_link7").expect("is there")));
    /// assert_eq!(model.parameter_name(mass).as_deref(), Some("panda_link7.mass"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn find_parameter(&self, name: &str) -> Option<ParameterId> {
        self.parameters().into_iter().find(|(known, ..)| known == name).map(|(_, id, _)| id)
    }

    /// The name of a number of this robot; `None` if it has no such number.
    #[must_use]
    pub fn parameter_name(&self, id: ParameterId) -> Option<String> {
        self.parameters().into_iter().find(|(_, known, _)| *known == id).map(|(name, ..)| name)
    }
}
