//! The regressor of all parameters that torques are linear in: inertial parameters of the bodies, and constants of the
//! joints.
//!
//! These are the *standard parameters* of the identification literature: ten of each body, Coulomb friction, viscous
//! friction and rotor inertia of each joint (W. Khalil, E. Dombre, *Modeling, Identification and Control of Robots*,
//! 2002, chapter 12). A robot with springs has two more of each: its stiffness, and its preload, stiffness times
//! reference, in which torques are linear. Torques are not linear in the turns at which springs of spherical and floating
//! joints are at rest: these have no preload, and the regressor knows their reference.

use super::{RegressorMemory, torque_regressor};
use crate::dynamics::Workspace;
use crate::dynamics::jacobian::clear;
use crate::model::{CurveConstant, FrictionCurve, InputError, JointConstant, JointSpring, Model, PoseSpring};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;

/// Constants of friction curves in which torques are linear.
const LINEAR: [CurveConstant; 2] = [CurveConstant::Stribeck, CurveConstant::Asymmetry];

/// In the order of [`Inertia::to_parameters`](crate::spatial::Inertia::to_parameters).
const INERTIAL: [&str; 10] = ["m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"];

/// `Y(q, v, a)` with `τ = Y π`: joint torques of inverse dynamics from all standard parameters, nv ×
/// (10 n + 3 m + s + p + 2 f).
///
/// `q`: nq, `v`, `a`: nv; `π`: [`Model::standard_parameters`], and [`Model::standard_parameter_names`] says what each
/// column belongs to. The columns of [`torque_regressor`] come first, then one column a joint's degree of freedom, `m` of
/// them, mimic joints their own, then one a degree of freedom with a [spring](Model::springs), `s` of them, those of
/// [spherical and floating joints](Model::pose_springs) last, and one a preload, `p`: of all springs but those of turns in space.
/// Two blocks of one a [friction curve](Model::friction_curves), `f` of them, follow,
///
/// ```text
/// friction k u / √(u² + w²)     damping k u     armature k k a          with u = k v                                     (1)
/// stiffness k (k q + b)         preload −k                                                                              (2)
///           Rᵀ e_i p_i                  −Rᵀ e_i     of displacements    J_r⁻ᵀ(φ) e_i φ_i    of turns                    (2)
/// stribeck k exp(−(u/c)²) σ     friction_asymmetry k σ²             σ = u / √(u² + w²), c the Stribeck velocity         (3)
/// ```
///
/// (`k = 1`, `b = 0` except for mimic joints, `w` the [`friction_width`](Model::friction_width)). Of a model without
/// [joint friction](Model::has_joint_friction) columns of friction and damping are zero. Cost O(n d); a second call
/// allocates nothing.
///
/// ```
/// use gradyn::dynamics::standard_regressor;
/// # use gradyn::{Model, UrdfOptions, Workspace};
/// # use nalgebra::DVector;
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// let (q, v, a) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.1; 7]);
/// let mut workspace = Workspace::new(&model);
/// let tau = standard_regressor(&model, &mut workspace, &q, &v, &a)? * DVector::from_vec(model.standard_parameters());
/// let names = model.standard_parameter_names();
/// assert_eq!((names[0].as_str(), names[10 * 7].as_str()), ("panda_link1.m", "panda_joint1.friction"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`torque_regressor`].
pub fn standard_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    torque_regressor(model, ws, q, v, a)?;
    let RegressorMemory { torque, standard, .. } = &mut ws.regressor;
    let mut joints = 0;
    model.each_joint_parameter(|_| joints += 1);
    let inertial = torque.ncols();
    let Springs { all: springs, preloads } = Springs::of(model);
    let curves = model.friction_curves.len();
    clear(standard, model.nv, inertial + 3 * joints + springs + preloads + 2 * curves);
    standard.as_mut_slice()[..torque.len()].copy_from_slice(torque.as_slice());
    let mut column = inertial;
    let mut overflow = None;
    model.each_joint_parameter(|dof| {
        let row = dof.index;
        let mut set = |block: usize, x: T| {
            standard[(row, column + block * joints)] = x;
            if !x.is_finite() {
                overflow.get_or_insert(row);
            }
        };
        for (block, constant) in JointConstant::ALL.into_iter().enumerate() {
            if constant.counts(model.joint_friction) {
                set(block, constant.unit_torque(dof.multiplier, model.friction_width, v[row], a[row]));
            }
        }
        column += 1;
    });
    for (j, spring) in model.springs.iter().enumerate() {
        let (column, row, k) = (inertial + 3 * joints + j, spring.index, spring.multiplier);
        let x = (q[spring.coordinate] * k + T::from(spring.offset)) * k;
        (standard[(row, column)], standard[(row, column + springs)]) = (x, -T::from(k)); //          (2)
        if !x.is_finite() {
            overflow.get_or_insert(row);
        }
    }
    let (mut column, mut preload) =
        (inertial + 3 * joints + model.springs.len(), inertial + 3 * joints + springs + model.springs.len());
    for spring in &model.pose_springs {
        // Displacements from zero: what the reference takes from them is the preload's.
        let spring = spring.undisplaced();
        let at = spring.bent(q);
        let (by_stiffness, by_preload) = (at.torque_by_stiffness(), at.torque_by_preload());
        for (_, j) in spring.numbered() {
            let column_of = by_stiffness[j].to_array();
            for (row, i) in spring.numbered() {
                standard[(row, column)] = column_of[i];
                if !column_of[i].is_finite() {
                    overflow.get_or_insert(row);
                }
                if j < 3 {
                    standard[(row, preload)] = by_preload[j].to_array()[i];
                }
            }
            column += 1;
            preload += usize::from(j < 3);
        }
    }
    if model.joint_friction {
        let first = inertial + 3 * joints + springs + preloads;
        for (j, curve) in model.friction_curves.iter().enumerate() {
            for (block, constant) in LINEAR.into_iter().enumerate() {
                let x = curve.torque_by(constant, v[curve.index], model.friction_width); //         (3)
                standard[(curve.index, first + block * curves + j)] = x;
            }
        }
    }
    match overflow {
        Some(row) => Err(model.overflow("standard_regressor", row)),
        None => Ok(&ws.regressor.standard),
    }
}

/// How many columns springs have.
struct Springs {
    all: usize,
    preloads: usize,
}

impl Springs {
    fn of<P: Real>(model: &Model<P>) -> Self {
        let of_poses = model.pose_springs.iter().map(PoseSpring::freedoms).sum::<usize>();
        let floating = model.pose_springs.iter().filter(|spring| spring.floats).count();
        Self { all: model.springs.len() + of_poses, preloads: model.springs.len() + 3 * floating }
    }
}

impl<P: Real> Model<P> {
    /// What [`standard_regressor`] multiplies: the [inertial parameters](Self::inertial_parameters), 10 n, then Coulomb
    /// friction (N m, N), viscous friction (N m s/rad, N s/m) and armature (kg m², kg), one of each a joint's degree of
    /// freedom, then stiffness (N m/rad, N/m), one a degree of freedom with a [spring](Self::springs), and preload (N m, N),
    /// stiffness times reference, one of each but those of turns in space, then Stribeck friction and asymmetry (N m, N), one of each a
    /// [friction curve](Self::friction_curves).
    #[must_use]
    pub fn standard_parameters(&self) -> Vec<P> {
        let mut parameters = self.inertial_parameters();
        for constant in JointConstant::ALL {
            self.each_joint_parameter(|dof| parameters.push(*constant.of(&dof)));
        }
        let of_poses = || self.pose_springs.iter().flat_map(|spring| spring.numbered().map(move |(_, i)| (spring, i)));
        parameters.extend(self.springs.iter().map(|spring| spring.stiffness));
        parameters.extend(of_poses().map(|(spring, i)| spring.stiffness[i]));
        parameters.extend(self.springs.iter().map(|spring| spring.stiffness * spring.reference));
        let displaced = of_poses().filter(|(_, i)| *i < 3);
        parameters.extend(displaced.map(|(spring, i)| spring.stiffness[i] * spring.reference[i]));
        for constant in LINEAR {
            parameters.extend(self.friction_curves.iter().map(|curve| *constant.of(curve)));
        }
        parameters
    }

    /// A name for each of them: `forearm.m`, `forearm.Ixx` by the bodies' names, then `elbow.friction`,
    /// `elbow.damping`, `elbow.armature`, `elbow.stiffness`, `elbow.preload` by those of the degrees of freedom.
    #[must_use]
    pub fn standard_parameter_names(&self) -> Vec<String> {
        let of_body = |body: &crate::model::Body<P>| INERTIAL.map(|what| format!("{}.{what}", body.name()));
        let mut names: Vec<String> = self.bodies.iter().flat_map(of_body).collect();
        let joints = self.joint_parameter_names();
        for what in JointConstant::ALL {
            names.extend(joints.iter().map(|joint| format!("{joint}.{}", what.name())));
        }
        let own = self.dof_names();
        let of_joint = |body: usize, index: usize| match &self.bodies[body] {
            body if body.owns_coordinates => own[index].clone(),
            body => body.joint_name.clone(),
        };
        for what in ["stiffness", "preload"] {
            let name = |spring: &JointSpring<P>| format!("{}.{what}", of_joint(spring.body, spring.index));
            names.extend(self.springs.iter().map(name));
            let of_poses = self.pose_springs.iter().flat_map(PoseSpring::numbered);
            let named = of_poses.filter(|(_, i)| what == "stiffness" || *i < 3);
            names.extend(named.map(|(dof, _)| format!("{}.{what}", own[dof])));
        }
        for what in LINEAR {
            let name = |curve: &FrictionCurve<P>| format!("{}.{}", of_joint(curve.body, curve.index), what.name());
            names.extend(self.friction_curves.iter().map(name));
        }
        names
    }
}
