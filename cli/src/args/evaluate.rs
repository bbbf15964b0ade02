//! The arguments of `gradyn evaluate`.

use super::{MethodArg, RobotArgs};
use clap::Args;
use gradyn::dynamics::ReferenceFrame;
use gradyn_files::quantity::{self, Quantity};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = concat!(
    "FILE holds {\"states\": [{\"q\": [..], \"v\": [..], \"a\": [..]}, ..]} with nq, nv and nv numbers. A state may also have\n",
    "  f_ext         {\"LINK\": [fx,fy,fz,nx,ny,nz]}: wrenches in the links' own frames, moving with them\n",
    "  f_ext_world   the same in the world frame, moments about its origin, fixed in the world\n",
    "  tau           nv numbers, used only for accelerations (ddq and its derivatives)\n",
    "  lambda        nv numbers: weights of torques or accelerations in a combination\n",
    "  direction     {\"q\", \"v\", \"a\", \"tau\": nv numbers each}, zero if omitted: the direction that Hessians are multiplied by\n\n",
    "The answer has, for each state, its inputs (its tau as tau_given), and with tau, mass_matrix, dtau_dq, dtau_dv, dtau_da (lists of rows, nv ",
    "by nv), and dtau_df_ext if it has wrenches (for each link nv rows of six). Columns of derivatives by q are directions of motion, ",
    "as in v: nv of them, not nq. Quaternions are x, y, z, w.\n\n",
    "LIST, separated by commas, selects other quantities (SI units, world axes unless said otherwise; linear rows before ",
    "angular ones; --method chooses how derivatives are computed):\n",
    "  tau, mass_matrix, dtau_dq, dtau_dv, dtau_da, dtau_df_ext   the default without a LIST\n",
    "  ddq, ddq_dq, ddq_dv, ddq_dtau, ddq_df_ext   accelerations by tau and wrenches, and their derivatives\n",
    "  mass_matrix_inverse, coriolis   nv by nv; coriolis C(q,v) is such that dM/dt - 2 C is skew-symmetric\n",
    "  energy   {kinetic, potential}\n",
    "  mass_product, mass_product_dq   M a, and its derivative at fixed a\n",
    "  bias, bias_dq, bias_dv, bias_df_ext   torques at a = 0 (minus those of wrenches)\n",
    "  gravity, gravity_dq   torques at rest, without wrenches\n",
    "  static_torque, static_torque_dq, static_torque_df_ext   torques at rest, with wrenches\n",
    "  wrench_torques, wrench_torques_dq   {LINK: J^T f} of each wrench, and its derivative\n\n",
    "of the links and joints that --frames names (all), in the coordinates that --reference chooses (local), as\n",
    "{reference, frames: {NAME: ..}}:\n",
    "  frame_velocities, frame_velocities_dq, _dv   6, 6 by nv\n",
    "  frame_accelerations, frame_accelerations_dq, _dv, _da   spatial ones\n",
    "  classical_accelerations, classical_accelerations_dq, _dv, _da   linear rows: of the point at the origin\n",
    "  frame_jacobians, frame_jacobian_rates   6 by nv\n",
    "  frame_bias_accelerations, classical_bias_accelerations   at a = 0\n",
    "  kinematic_regressors   6 by 6 per body: by small motions of the joints' placements\n",
    "  frame_placements   {NAME: 4 by 4}, in the world\n",
    "  joint_jacobians   6 by nv: the columns of all joints, in the world\n",
    "  relative_jacobians   {reference, pairs: {\"A,B\": 6 by nv}} of each --pair\n",
    "  point_velocities, point_velocities_dq, _dv   {reference, points: ..} of each --point, 3 and 3 by nv; local: axes of its body\n",
    "  point_accelerations, point_accelerations_dq, _dv, _da\n\n",
    "of masses:\n",
    "  com   {mass, position, velocity, acceleration} of the center of mass\n",
    "  com_jacobian, com_position_dq, com_velocity_dq, _dv, com_acceleration_dq, _dv, _da   3 by nv\n",
    "  subtree_com_positions, _positions_dq, _velocities, _velocities_dq, _velocities_dv, _accelerations, _accelerations_dq, _accelerations_dv,\n",
    "         _accelerations_da   {LINK: ..} of the subtree of LINK, LINK included\n",
    "  centroidal   {matrix, matrix_rate: 6 by nv; momentum, momentum_rate: 6}, about the center of mass\n",
    "  momentum_dq, momentum_dv, momentum_rate_dq, momentum_rate_dv, momentum_rate_da   6 by nv\n",
    "  pseudo_inertias   {LINK: 4 by 4} of each body; log_cholesky_parameters   {LINK: 10} of those with extent in each direction
",
    "  log_cholesky_jacobians   {LINK: 10 by 10}: how the body's inertial parameters change with these
",
    "  inertial_parameters   ten per body: m, m c, and Ixx Ixy Iyy Ixz Iyz Izz about its origin\n",
    "  torque_regressor, static_torque_regressor   nv by these; kinetic_energy_regressor, potential_energy_regressor   one row\n",
    "  com_regressor   3 by four per body: m, m c\n",
    "  frame_wrench_regressors   {NAME: 6 by 10}, in the frame's own coordinates\n\n",
    "and second derivatives, nv by nv by nv, row i, then j, then k:\n",
    "  d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dadq   of torque i by the second (j) and the third (k)\n",
    "  d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau   of acceleration i\n",
    "  tau_gradient, tau_hessian   of lambda^T tau: {value, dq, dv, da}, {dqq, dvq, daq, dvv}\n",
    "  ddq_gradient, ddq_hessian   of lambda^T ddq: {value, dq, dv, dtau}, {dqq, dvq, dtauq, dvv}\n",
    "  tau_hessian_product, ddq_hessian_product   these Hessians times the direction: {dq, dv, da}, {dq, dv, dtau}\n\n",
    "and, under constraints with m rows in all (points 3, frames 6, joints 1 to 6):\n",
    "  constrained_ddq, constrained_ddq_dq, _dv, _dtau, _df_ext   accelerations by tau and f_ext, and their derivatives\n",
    "  constraint_forces, constraint_forces_dq, _dv, _dtau, _df_ext   multipliers, m: N and N m on FRAME, axes of the world\n",
    "  impulse_v, impulse_v_dq, _dv   velocities after an impact on the constraints, by those before\n",
    "  impulse, impulse_dq, _dv   its impulses, m: N s and N m s\n",
    "  constraint_rank, constraint_error, constraint_jacobian, constraint_bias   independent rows, e (m), J (m by nv), γ (m)\n\n",
    "Constraints are given beside the states, {\"constraints\": [..], \"states\": [..]}. Each is an object with\n",
    "  frame   the link or joint that is held\n",
    "  type   point (its origin), frame (its rotation too), or the joint that closes a loop: revolute, prismatic, helical,\n",
    "         cylindrical, universal, planar, spherical, translation\n",
    "  to   the link or joint that it is held to; the world if omitted\n",
    "  placement, to_placement   the pose, in coordinates of each: {\"xyz\": [x,y,z], \"rpy\": [roll,pitch,yaw]}, m and rad\n",
    "  axis, second_axis, pitch   of joints: [x,y,z] in coordinates of `to`, the second in those of `frame`; m a radian\n",
    "  gains   [kp, kd], so that e'' + kd e' + kp e = 0 (Baumgarte)\n",
    "\"restitution\", from 0 to 1, of impacts may be given beside them.\n\n",
    "Example:\n  gradyn evaluate robots/double_pendulum.urdf --states states.json --output answer.json",
))]
pub(crate) struct Evaluate {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    /// The states, a JSON file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) states: PathBuf,
    /// What to compute [default: tau,mass_matrix,dtau_dq,dtau_dv,dtau_da,dtau_df_ext]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = quantity::parse)]
    quantities: Vec<Quantity>,
    /// Coordinates of frames' motions and Jacobians: local, world, local-world-aligned
    #[arg(long, value_name = "REFERENCE", value_parser = reference, default_value = "local")]
    pub(crate) reference: ReferenceFrame,
    /// Only these links and joints [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) frames: Vec<String>,
    /// A point of a link, LINK,x,y,z in the link's coordinates (m), for point_velocities and so on; may be repeated
    #[arg(long, value_name = "POINT", allow_hyphen_values = true)]
    pub(crate) point: Vec<String>,
    /// Two links or joints, A,B, for relative_jacobians: the motion of B relative to A; may be repeated
    #[arg(long, value_name = "PAIR")]
    pub(crate) pair: Vec<String>,
    #[command(flatten)]
    pub(crate) method: MethodArg,
    /// Output file of the answer; `-` is standard output [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl Evaluate {
    /// What to compute: each quantity once, in their own order.
    pub(crate) fn quantities(&self) -> Vec<Quantity> {
        let asked: &[Quantity] = if self.quantities.is_empty() { &Quantity::DEFAULT } else { &self.quantities };
        Quantity::all().filter(|quantity| asked.contains(quantity)).collect()
    }
}

/// A reference by its name.
fn reference(name: &str) -> Result<ReferenceFrame, String> {
    let all = [ReferenceFrame::Local, ReferenceFrame::World, ReferenceFrame::LocalWorldAligned];
    let expected = || all.map(ReferenceFrame::name).join(", ");
    all.into_iter().find(|reference| reference.name() == name).ok_or_else(|| format!("expected one of: {}", expected()))
}
