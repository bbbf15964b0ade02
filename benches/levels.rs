//! Calls each function that users' own functions are made of over numbers with eight derivatives, to have the
//! instructions counted at each level: `instructions.py` does it.
//!
//!     levels CALLS [CASE]
//!
//! A case is printed before it is called, and ends with a call of `mark`, where callgrind writes what it has counted.

use gradyn::dynamics::{
    Constraint, ExternalWrench, ReferenceFrame, Workspace, aba, aba_gradient, aba_parameter_gradient, bias,
    center_of_mass, center_of_mass_derivatives, centroidal, centroidal_derivatives, centroidal_momentum,
    centroidal_momentum_matrix, classical_frame_derivatives, com_jacobian, com_regressor, constraint_bias,
    constraint_dynamics, constraint_error, constraint_jacobian, coriolis_matrix, crba, factorize_mass_matrix,
    forward_kinematics, frame_bias_acceleration, frame_derivatives, frame_jacobian, frame_jacobian_rate, frame_pose,
    frame_pose_jacobian, frame_wrench_regressor, generalized_gravity, impulse_dynamics, jacobian_transpose_derivatives,
    joint_jacobians, kinematic_regressor, kinetic_energy, kinetic_energy_regressor, mechanical_energy, minv,
    point_derivatives, point_jacobian, potential_energy, potential_energy_regressor, relative_jacobian, rnea,
    rnea_derivatives, rnea_gradient, rnea_parameter_gradient, rnea_second_derivatives, standard_regressor,
    static_torque, static_torque_regressor, torque_regressor,
};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{BodyId, FrameId, InputError, Model};
use gradyn::spatial::Force;
use gradyn_derivatives::simd::{Baseline, Kernel, Level, Register, VectorLevel};
use gradyn_derivatives::{Real, Scalar, VectorDual};
use nalgebra::{DMatrix, Vector3};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|x| !x.starts_with("--")).collect();
    let Some(calls) = arguments.first().and_then(|x| x.parse().ok()) else {
        // `cargo bench` runs all benches without arguments of theirs.
        println!("levels CALLS [CASE]; see benches/instructions.py");
        return;
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/solo12.urdf");
    let model = Model::from_urdf_file(path, &UrdfOptions::new().floating_base(true)).expect("of this repository").model;
    let cases = Cases { model: &model, calls, only: arguments.get(1).map(String::as_str) };
    match VectorLevel::active() {
        // Not compiled for AVX-512, which valgrind does not know.
        Some(level) if Level::active() == Level::Avx2 => level.run_on_halves(cases),
        _ => cases.all::<Baseline>(),
    }
}

/// Where counts of one case end.
#[inline(never)]
fn mark() {
    black_box("a case ends");
}

struct Cases<'a> {
    model: &'a Model,
    calls: usize,
    only: Option<&'a str>,
}

impl Kernel for Cases<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        self.all::<R>();
    }
}

impl Cases<'_> {
    #[inline(never)]
    fn all<R: Register>(&self) {
        let model = self.model;
        let number = |k: usize| ((k * 7 + 3) % 11) as f64 / 11.0 - 0.4;
        let v: Vec<f64> = (0..model.nv()).map(number).collect();
        let q = model.integrate(&model.neutral::<f64>(), &v).expect("fits");
        let (q, v) = (varied::<R>(&q), varied::<R>(&v));
        let feet: Vec<(BodyId, FrameId)> = ["FL_FOOT", "HR_FOOT"]
            .iter()
            .filter_map(|name| {
                let frame = model.find_frame(name)?;
                Some((model.frames()[frame.index()].body()?, frame))
            })
            .collect();
        let held = feet.iter().map(|foot| Constraint::contact(foot.0, Vector3::new(0.0, 0.0, -0.16), Vector3::zeros()));
        let wrench = Force::new(Vector3::new(v[0], v[1], v[2]), Vector3::new(v[3], v[4], v[5]));
        let mut robot = Robot {
            model,
            ws: Workspace::new(model),
            wrenches: vec![ExternalWrench::in_world(feet[0].0, wrench), ExternalWrench::in_body(feet[1].0, wrench)],
            wrench,
            held: held.collect(),
            foot: feet[0],
            other_foot: feet[1].1,
            out: q.clone(),
            matrix: DMatrix::from_element(model.nv(), model.nv(), Real::zero()),
            other_matrix: DMatrix::from_element(model.nv(), model.nv(), Real::zero()),
            further: model.integrate(&q, &v).expect("fits"),
            q,
            v,
        };
        for case in CASES.iter().filter(|case| self.only.is_none_or(|only| only == **case)) {
            robot.call(case).expect("finite");
            println!("{case}");
            mark();
            let start = Instant::now();
            for _ in 0..self.calls {
                black_box(robot.call(case)).expect("finite");
            }
            mark();
            if self.only.is_some() {
                println!("{:.3} us", start.elapsed().as_secs_f64() * 1e6 / self.calls as f64);
            }
        }
    }
}

/// The numbers, each varying in a way of its own.
fn varied<R: Register>(x: &[f64]) -> Vec<VectorDual<R>> {
    x.iter().enumerate().map(|(k, x)| VectorDual::variable(*x, k % 8)).collect()
}

/// A robot at a state.
struct Robot<'a, T> {
    model: &'a Model,
    ws: Workspace<T>,
    q: Vec<T>,
    v: Vec<T>,
    further: Vec<T>,
    wrench: Force<T>,
    wrenches: Vec<ExternalWrench<T>>,
    held: Vec<Constraint>,
    foot: (BodyId, FrameId),
    other_foot: FrameId,
    out: Vec<T>,
    matrix: DMatrix<T>,
    other_matrix: DMatrix<T>,
}

const CASES: &[&str] = &[
    "rnea",
    "rnea under wrenches",
    "bias",
    "generalized_gravity",
    "static_torque",
    "crba",
    "aba",
    "minv",
    "factorize_mass_matrix",
    "solve",
    "coriolis_matrix",
    "forward_kinematics",
    "Kinematics",
    "kinetic_energy",
    "potential_energy",
    "mechanical_energy",
    "center_of_mass",
    "com_jacobian",
    "centroidal",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "frame_pose",
    "frame_pose_jacobian",
    "frame_jacobian",
    "joint_jacobians",
    "point_jacobian",
    "relative_jacobian",
    "frame_jacobian_rate",
    "frame_bias_acceleration",
    "rnea_derivatives",
    "rnea_gradient",
    "rnea_second_derivatives",
    "aba_gradient",
    "rnea_parameter_gradient",
    "aba_parameter_gradient",
    "frame_derivatives",
    "classical_frame_derivatives",
    "point_derivatives",
    "jacobian_transpose_derivatives",
    "centroidal_derivatives",
    "center_of_mass_derivatives",
    "torque_regressor",
    "standard_regressor",
    "static_torque_regressor",
    "frame_wrench_regressor",
    "kinetic_energy_regressor",
    "potential_energy_regressor",
    "com_regressor",
    "kinematic_regressor",
    "constraint_error",
    "constraint_jacobian",
    "constraint_bias",
    "constraint_dynamics",
    "impulse_dynamics",
    "integrate",
    "difference",
    "interpolate",
    "q_dot",
    "integrate_derivatives",
    "difference_derivatives",
    "transport_dq",
    "transport_dv",
];

impl<T: Scalar> Robot<'_, T> {
    #[inline(never)]
    fn call(&mut self, case: &str) -> Result<T, InputError> {
        let Self { model, ws, q, v, wrenches, held, foot: (body, frame), other_foot, out, .. } = self;
        let (model, q, v, frame) = (*model, black_box(&q[..]), &v[..], *frame);
        let (matrix, other) = (&mut self.matrix, &mut self.other_matrix);
        let (point, world) = (Vector3::new(0.1, 0.0, -0.1), ReferenceFrame::World);
        Ok(match case {
            "rnea" => rnea(model, ws, q, v, v, &[])?[0],
            "rnea under wrenches" => rnea(model, ws, q, v, v, wrenches)?[0],
            "bias" => bias(model, ws, q, v, wrenches)?[0],
            "generalized_gravity" => generalized_gravity(model, ws, q)?[0],
            "static_torque" => static_torque(model, ws, q, wrenches)?[0],
            "crba" => crba(model, ws, q)?[0],
            "aba" => aba(model, ws, q, v, v, wrenches)?[0],
            "minv" => minv(model, ws, q)?[0],
            "factorize_mass_matrix" => factorize_mass_matrix(model, ws, q).map(|_| Real::zero())?,
            "solve" => {
                let factors = factorize_mass_matrix(model, ws, q)?;
                for _ in 0..20 {
                    out[..v.len()].copy_from_slice(v);
                    factors.solve(&mut out[..v.len()])?;
                }
                out[0]
            }
            "coriolis_matrix" => coriolis_matrix(model, ws, q, v)?[0],
            "forward_kinematics" => forward_kinematics(model, ws, q, v, v).map(|_| Real::zero())?,
            "Kinematics" => {
                let kinematics = forward_kinematics(model, ws, q, v, v)?;
                for _ in 0..20 {
                    black_box(kinematics.frame_pose(frame));
                    black_box(kinematics.frame_velocity(frame));
                    black_box(kinematics.frame_acceleration(frame));
                    black_box(kinematics.velocity_in(frame, world));
                    black_box(kinematics.acceleration_in(frame, world));
                    black_box(kinematics.classical_acceleration_in(frame, world));
                    black_box(kinematics.point(*body, point));
                    black_box(kinematics.point_velocity(*body, point, world));
                    black_box(kinematics.point_acceleration(*body, point, world));
                }
                Real::zero()
            }
            "kinetic_energy" => kinetic_energy(model, ws, q, v)?,
            "potential_energy" => potential_energy(model, ws, q)?,
            "mechanical_energy" => mechanical_energy(model, ws, q, v)?,
            "center_of_mass" => {
                let com = center_of_mass(model, ws, q, v, v)?;
                black_box(com.subtree(*body));
                com.whole.mass
            }
            "com_jacobian" => com_jacobian(model, ws, q, None)?[0],
            "centroidal" => centroidal(model, ws, q, v, v)?.com.mass,
            "centroidal_momentum" => centroidal_momentum(model, ws, q, v, v)?.com.mass,
            "centroidal_momentum_matrix" => centroidal_momentum_matrix(model, ws, q)?[0],
            "frame_pose" => frame_pose(model, ws, q, frame)?.translation.x,
            "frame_pose_jacobian" => frame_pose_jacobian(model, ws, q, frame, world)?.1[0],
            "frame_jacobian" => frame_jacobian(model, ws, q, frame, world)?[0],
            "joint_jacobians" => joint_jacobians(model, ws, q)?[0],
            "point_jacobian" => point_jacobian(model, ws, q, *body, point, world)?[0],
            "relative_jacobian" => relative_jacobian(model, ws, q, frame, *other_foot, world)?[0],
            "frame_jacobian_rate" => frame_jacobian_rate(model, ws, q, v, frame, world)?[0],
            "frame_bias_acceleration" => frame_bias_acceleration(model, ws, q, v, frame, world)?.spatial.linear.x,
            "rnea_derivatives" => rnea_derivatives(model, ws, q, v, v, wrenches)?.dtau_dq[0],
            "rnea_gradient" => rnea_gradient(model, ws, q, v, v, v, wrenches)?.value,
            "rnea_second_derivatives" => {
                rnea_second_derivatives(model, ws, q, v, v, wrenches)?.d2tau_dqdq.as_slice()[0]
            }
            "aba_gradient" => aba_gradient(model, ws, q, v, v, v, wrenches)?.value,
            "rnea_parameter_gradient" => rnea_parameter_gradient(model, ws, q, v, v, v, wrenches)?.dp[0],
            "aba_parameter_gradient" => aba_parameter_gradient(model, ws, q, v, v, v, wrenches)?.dp[0],
            "frame_derivatives" => frame_derivatives(model, ws, q, v, v, frame, world)?.dacceleration_dq[0],
            "classical_frame_derivatives" => {
                classical_frame_derivatives(model, ws, q, v, v, frame, world)?.dacceleration_dq[0]
            }
            "point_derivatives" => point_derivatives(model, ws, q, v, v, *body, point, world)?.dacceleration_dq[0],
            "jacobian_transpose_derivatives" => {
                jacobian_transpose_derivatives(model, ws, q, frame, world, self.wrench)?.dtorque_dq[0]
            }
            "centroidal_derivatives" => centroidal_derivatives(model, ws, q, v, v)?.matrices()[0].1[0],
            "center_of_mass_derivatives" => center_of_mass_derivatives(model, ws, q, v, v, None)?.matrices()[0].1[0],
            "torque_regressor" => torque_regressor(model, ws, q, v, v)?[0],
            "standard_regressor" => standard_regressor(model, ws, q, v, v)?[0],
            "static_torque_regressor" => static_torque_regressor(model, ws, q)?[0],
            "frame_wrench_regressor" => frame_wrench_regressor(model, ws, q, v, v, frame)?[0],
            "kinetic_energy_regressor" => kinetic_energy_regressor(model, ws, q, v)?[0],
            "potential_energy_regressor" => potential_energy_regressor(model, ws, q)?[0],
            "com_regressor" => com_regressor(model, ws, q)?[0],
            "kinematic_regressor" => kinematic_regressor(model, ws, q, frame, world)?[0],
            "constraint_error" => constraint_error(model, ws, q, held)?[0],
            "constraint_jacobian" => constraint_jacobian(model, ws, q, held)?[0],
            "constraint_bias" => constraint_bias(model, ws, q, v, held)?[0],
            "constraint_dynamics" => constraint_dynamics(model, ws, q, v, v, held, wrenches)?.ddq[0],
            "impulse_dynamics" => impulse_dynamics(model, ws, q, v, 0.5, held)?.v[0],
            "integrate" => model.integrate_into(q, v, out).map(|()| out[0])?,
            "difference" => model.difference_into(q, &self.further, &mut out[..v.len()]).map(|()| out[0])?,
            "interpolate" => model.interpolate_into(q, &self.further, v[0], out).map(|()| out[0])?,
            "q_dot" => model.q_dot_into(q, v, out).map(|()| out[0])?,
            "integrate_derivatives" => model.integrate_derivatives_into(v, matrix, other).map(|()| matrix[0])?,
            "difference_derivatives" => {
                model.difference_derivatives_into(q, &self.further, matrix, other).map(|()| matrix[0])?
            }
            "transport_dq" => model.transport_dq_into(v, matrix, other).map(|()| other[0])?,
            "transport_dv" => model.transport_dv_into(v, matrix, other).map(|()| other[0])?,
            _ => panic!("unknown case {case}"),
        })
    }
}
