"""Every quantity by Pinocchio, in gradyn's coordinates and under gradyn's names."""

import numpy as np
import pinocchio as pin

REFERENCES = {"local": pin.LOCAL, "world": pin.WORLD, "local-world-aligned": pin.LOCAL_WORLD_ALIGNED}

# --- coordinates -------------------------------------------------------------


class Coordinates:
    """Between gradyn's order of joints and Pinocchio's, by names.

    Pinocchio's model leaves mimic joints free: its velocities are `E v`, torques of the robot are `Eᵀ τ`.
    """

    def __init__(self, model, answer, bodies):
        self.model, self.nq, self.nv = model, answer["nq"], answer["nv"]
        self.mimic = bool(answer["mimic"])
        self.own, self.followers = [], []
        self.E = np.zeros((model.nv, self.nv))
        reached = 0
        for joint in answer["joints"]:
            there = self.joint(joint["name"])
            if (there.nq, there.nv) != (joint["nq"], joint["nv"]):
                raise RuntimeError(f"joint {joint['name']} has other coordinates in Pinocchio: {there.shortname()}")
            q, v = joint["q_index"], joint["v_index"]
            self.own.append((slice(q, q + there.nq), slice(there.idx_q, there.idx_q + there.nq)))
            self.E[there.idx_v : there.idx_v + there.nv, v : v + there.nv] = np.eye(there.nv)
            reached += there.nv
        for joint in answer["mimic"]:
            there = self.joint(joint["name"])
            if there.nq != 1:
                raise RuntimeError(f"joint {joint['name']} mimics with more than one coordinate")
            self.followers.append((joint["q_index"], there.idx_q, joint["multiplier"], joint["offset"]))
            self.E[there.idx_v, joint["v_index"]] = joint["multiplier"]
            reached += there.nv
        if reached != model.nv:
            raise RuntimeError(f"gradyn has {reached} degrees of freedom, Pinocchio {model.nv}")
        # Bodies in gradyn's order: their names, and their joints there.
        self.bodies = [(body["name"], model.getJointId(body["joint"])) for body in bodies]
        if len(bodies) != model.njoints - 1:
            raise RuntimeError(f"gradyn has {len(bodies)} bodies, Pinocchio {model.njoints - 1}")

    def by_body(self, matrix, width):
        """So many columns a body, in gradyn's order."""
        columns = [matrix[..., width * (joint - 1) : width * joint] for _, joint in self.bodies]
        return np.concatenate(columns, axis=-1)

    def joint(self, name):
        if not self.model.existJointName(name):
            raise RuntimeError(f"Pinocchio has no joint {name}")
        return self.model.joints[self.model.getJointId(name)]

    def random(self, rng):
        """A configuration: gradyn's, and Pinocchio's."""
        model = self.model
        full = pin.integrate(model, pin.neutral(model), 1.5 * rng.uniform(-1, 1, model.nv))
        q = np.zeros(self.nq)
        for here, there in self.own:
            q[here] = full[there]
        for leader, there, multiplier, offset in self.followers:
            full[there] = multiplier * q[leader] + offset
        return q, full


def load(path, floating):
    if floating:
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    else:
        model = pin.buildModelFromUrdf(str(path))
    for parameter in (model.damping, model.friction, model.armature):
        parameter[:] = 0.0
    return model


def symmetric(upper):
    """Pinocchio fills only the upper triangle."""
    return np.triu(upper) + np.triu(upper, 1).T


def frame_id(model, name):
    """Links and joints both have frames; where they share a name, the link's."""
    for kind in (pin.FrameType.BODY, pin.FrameType.JOINT, pin.FrameType.FIXED_JOINT):
        if model.existFrame(name, kind):
            return model.getFrameId(name, kind)
    raise RuntimeError(f"Pinocchio has no frame {name}")


def is_singular(matrix):
    """To rounding, with units scaled away."""
    scale = np.sqrt(np.diag(matrix))
    return bool((scale == 0.0).any()) or np.linalg.cond(matrix / np.outer(scale, scale)) > 1e13


class State:
    """A state in Pinocchio's coordinates."""

    def __init__(self, at, q, v, a, tau, f_ext):
        self.at, self.model, self.E = at, at.model, at.E
        self.q, self.v, self.a, self.tau = q, at.E @ v, at.E @ a, tau
        self.own_v, self.own_a, self.f_ext = v, a, f_ext
        self.forces = self.joint_forces(f_ext)
        self.jacobians = self.data()
        pin.computeJointJacobians(self.model, self.jacobians, q)
        pin.updateFramePlacements(self.model, self.jacobians)

    def data(self):
        """Fresh for each call: some add to what is there."""
        return self.model.createData()

    def joint_forces(self, f_ext):
        forces = [pin.Force.Zero() for _ in self.model.joints]
        for link, wrench in f_ext.items():
            frame = self.model.frames[frame_id(self.model, link)]
            forces[frame.parentJoint] += frame.placement.act(pin.Force(np.array(wrench)))
        forces[0] = pin.Force.Zero()
        return forces

    def jacobian(self, frame, reference=pin.LOCAL):
        return pin.getFrameJacobian(self.model, self.jacobians, frame_id(self.model, frame), reference) @ self.E

    def torque_derivatives(self, v, a, forces):
        d = self.data()
        pin.computeRNEADerivatives(self.model, d, self.q, v, a, forces)
        return self.E.T @ d.dtau_dq @ self.E, self.E.T @ d.dtau_dv @ self.E

    def static_derivatives(self, forces):
        by = pin.computeStaticTorqueDerivatives(self.model, self.data(), self.q, forces)
        return self.E.T @ by @ self.E


def torques(s):
    """Inverse dynamics and its terms."""
    model, E, none = s.model, s.E, s.joint_forces({})
    x = {"tau": E.T @ pin.rnea(model, s.data(), s.q, s.v, s.a, s.forces)}
    x["mass_matrix"] = x["dtau_da"] = E.T @ symmetric(pin.crba(model, s.data(), s.q)) @ E
    x["dtau_dq"], x["dtau_dv"] = s.torque_derivatives(s.v, s.a, s.forces)
    x["bias"] = E.T @ pin.rnea(model, s.data(), s.q, s.v, 0 * s.a, s.forces)
    x["bias_dq"], x["bias_dv"] = s.torque_derivatives(s.v, 0 * s.a, s.forces)
    x["gravity"] = E.T @ pin.computeGeneralizedGravity(model, s.data(), s.q)
    gravity_dq = pin.computeGeneralizedGravityDerivatives(model, s.data(), s.q)
    x["gravity_dq"] = E.T @ gravity_dq @ E
    x["static_torque"] = E.T @ pin.computeStaticTorque(model, s.data(), s.q, s.forces)
    x["static_torque_dq"] = s.static_derivatives(s.forces)
    x["mass_product"] = x["mass_matrix"] @ s.own_a
    accelerated, _ = s.torque_derivatives(0 * s.v, s.a, none)
    x["mass_product_dq"] = accelerated - x["gravity_dq"]
    for link, wrench in s.f_ext.items():
        x[f"dtau_df_ext.{link}"] = x[f"bias_df_ext.{link}"] = x[f"static_torque_df_ext.{link}"] = -s.jacobian(link).T
        x[f"wrench_torques.{link}"] = s.jacobian(link).T @ np.array(wrench)
        x[f"wrench_torques_dq.{link}"] = x["gravity_dq"] - s.static_derivatives(s.joint_forces({link: wrench}))
    x["coriolis"] = E.T @ pin.computeCoriolisMatrix(model, s.data(), s.q, s.v) @ E
    x["energy.kinetic"] = pin.computeKineticEnergy(model, s.data(), s.q, s.v)
    x["energy.potential"] = pin.computePotentialEnergy(model, s.data(), s.q)
    return x


def accelerations(s, x):
    """Forward dynamics; `x` holds the torques."""
    model, E = s.model, s.E
    if s.at.mimic:
        # Pinocchio's forward dynamics does not know about mimic joints: by its mass matrix, bias and derivatives.
        inverse = np.linalg.inv(x["mass_matrix"])
        y = {"ddq": np.linalg.solve(x["mass_matrix"], s.tau - x["bias"])}
        by = s.torque_derivatives(s.v, E @ y["ddq"], s.forces)
        y["ddq_dq"], y["ddq_dv"] = (-np.linalg.solve(x["mass_matrix"], d) for d in by)
    else:
        d = s.data()
        inverse = E.T @ symmetric(pin.computeMinverse(model, s.data(), s.q)) @ E
        y = {"ddq": E.T @ pin.aba(model, s.data(), s.q, s.v, E @ s.tau, s.forces)}
        pin.computeABADerivatives(model, d, s.q, s.v, E @ s.tau, s.forces)
        y["ddq_dq"], y["ddq_dv"] = E.T @ d.ddq_dq @ E, E.T @ d.ddq_dv @ E
    y["mass_matrix_inverse"] = y["ddq_dtau"] = inverse
    for link in s.f_ext:
        y[f"ddq_df_ext.{link}"] = inverse @ s.jacobian(link).T
    return y


def with_moving_point(derivative, motion, moved):
    """In LOCAL_WORLD_ALIGNED Pinocchio holds the point still that the linear part belongs to, while its values move it along."""
    derivative = derivative.copy()
    derivative[:3] += np.cross(motion[3:], moved, axisb=0, axisc=0)
    return derivative


def motions(s, every, frames):
    """Poses and Jacobians of all frames, and everything about a few in each reference."""
    model, E = s.model, s.E
    d = s.data()
    pin.forwardKinematics(model, d, s.q, s.v, s.a)
    pin.updateFramePlacements(model, d)
    still, by = s.data(), s.data()
    pin.forwardKinematics(model, still, s.q, s.v, 0 * s.a)
    pin.updateFramePlacements(model, still)
    pin.computeForwardKinematicsDerivatives(model, by, s.q, s.v, s.a)
    pin.updateFramePlacements(model, by)
    rates = s.data()
    pin.computeJointJacobiansTimeVariation(model, rates, s.q, s.v)
    pin.updateFramePlacements(model, rates)
    x = {"joint_jacobians": pin.computeJointJacobians(model, s.data(), s.q) @ E}
    for frame in every:
        x[f"frame_placements.{frame}"] = d.oMf[frame_id(model, frame)].homogeneous.copy()
        x[f"frame_jacobians[local].{frame}"] = s.jacobian(frame)
    for frame in frames:
        k = frame_id(model, frame)
        for name, reference in REFERENCES.items():
            key = f"[{name}].{frame}"
            x[f"frame_velocities{key}"] = pin.getFrameVelocity(model, d, k, reference).vector.copy()
            x[f"frame_accelerations{key}"] = pin.getFrameAcceleration(model, d, k, reference).vector.copy()
            classical = pin.getFrameClassicalAcceleration(model, d, k, reference).vector.copy()
            x[f"classical_accelerations{key}"] = classical
            x[f"frame_bias_accelerations{key}"] = pin.getFrameAcceleration(model, still, k, reference).vector.copy()
            bias = pin.getFrameClassicalAcceleration(model, still, k, reference).vector.copy()
            x[f"classical_bias_accelerations{key}"] = bias
            dv_dq, dv_dv = pin.getFrameVelocityDerivatives(model, by, k, reference)
            _, da_dq, da_dv, da_da = pin.getFrameAccelerationDerivatives(model, by, k, reference)
            if reference == pin.LOCAL_WORLD_ALIGNED:
                moved = pin.getFrameJacobian(model, s.jacobians, k, reference)[:3]
                velocity, acceleration = x[f"frame_velocities{key}"], x[f"frame_accelerations{key}"]
                dv_dq, da_dq = with_moving_point(dv_dq, velocity, moved), with_moving_point(da_dq, acceleration, moved)
            x[f"frame_velocities_dq{key}"], x[f"frame_velocities_dv{key}"] = dv_dq @ E, dv_dv @ E
            x[f"frame_accelerations_dq{key}"] = da_dq @ E
            x[f"frame_accelerations_dv{key}"] = da_dv @ E
            x[f"frame_accelerations_da{key}"] = da_da @ E
            x[f"frame_jacobians{key}"] = s.jacobian(frame, reference)
            x[f"frame_jacobian_rates{key}"] = pin.getFrameJacobianTimeVariation(model, rates, k, reference) @ E
            regressor = pin.computeFrameKinematicRegressor(model, s.jacobians, k, reference)
            x[f"kinematic_regressors{key}"] = s.at.by_body(regressor, 6)
    return x


def points(s, names):
    """Points of links, `LINK,x,y,z`, in axes of the body and of the world."""
    model, E, x = s.model, s.E, {}
    d = s.data()
    pin.computeForwardKinematicsDerivatives(model, d, s.q, s.v, s.a)
    for name in names:
        link, *position = name.rsplit(",", 3)
        frame = model.frames[frame_id(model, link)]
        joint, at = frame.parentJoint, frame.placement.act(np.array([float(c) for c in position]))
        placement = pin.SE3(np.eye(3), at)
        v, a = d.v[joint], d.a[joint]
        velocity = v.linear + np.cross(v.angular, at)
        acceleration = a.linear + np.cross(a.angular, at) + np.cross(v.angular, velocity)
        for reference, axes in (("local", pin.LOCAL), ("world", pin.LOCAL_WORLD_ALIGNED)):
            turn = np.eye(3) if reference == "local" else d.oMi[joint].rotation
            key = f"[{reference}].{name}"
            x[f"point_velocities{key}"], x[f"point_accelerations{key}"] = turn @ velocity, turn @ acceleration
            dv_dq, dv_dv = pin.getPointVelocityDerivatives(model, d, joint, placement, axes)
            x[f"point_velocities_dq{key}"], x[f"point_velocities_dv{key}"] = dv_dq @ E, dv_dv @ E
            _, *by = pin.getPointClassicAccelerationDerivatives(model, d, joint, placement, axes)
            for part, matrix in zip(("dq", "dv", "da"), by, strict=True):
                x[f"point_accelerations_{part}{key}"] = matrix @ E
    return x


def masses(s):
    """Centers of mass, momentum, regressors."""
    model, E, at = s.model, s.E, s.at
    d = s.data()
    pin.centerOfMass(model, d, s.q, s.v, s.a)
    x = {"com.mass": d.mass[0]}
    # Copies: these are views of `d`.
    x |= {"com.position": d.com[0].copy(), "com.velocity": d.vcom[0].copy(), "com.acceleration": d.acom[0].copy()}
    x["com_jacobian"] = x["com_velocity_dv"] = x["com_acceleration_da"] = x["com_position_dq"] = (
        pin.jacobianCenterOfMass(model, s.data(), s.q) @ E
    )
    by = s.data()
    pin.computeAllTerms(model, by, s.q, s.v)
    velocity_dq = pin.getCenterOfMassVelocityDerivatives(model, by) @ E
    # Pinocchio divides by the mass of each subtree.
    if np.isfinite(velocity_dq).all():
        x["com_velocity_dq"] = velocity_dq
    for body, joint in at.bodies:
        if d.mass[joint] == 0.0:
            continue
        # In coordinates of the joint.
        pose = d.oMi[joint]
        x[f"subtree_com_positions.{body}"] = pose.act(d.com[joint])
        x[f"subtree_com_velocities.{body}"] = pose.rotation @ d.vcom[joint]
        x[f"subtree_com_accelerations.{body}"] = pose.rotation @ d.acom[joint]
        jacobian = pin.jacobianSubtreeCenterOfMass(model, s.data(), s.q, joint) @ E
        x[f"subtree_com_positions_dq.{body}"] = jacobian

    d = s.data()
    pin.dccrba(model, d, s.q, s.v)
    x |= {"centroidal.matrix": d.Ag @ E, "centroidal.matrix_rate": d.dAg @ E, "centroidal.momentum": d.hg.vector.copy()}
    d = s.data()
    pin.computeCentroidalMomentumTimeVariation(model, d, s.q, s.v, s.a)
    x["centroidal.momentum_rate"] = d.dhg.vector.copy()
    by = pin.computeCentroidalDynamicsDerivatives(model, s.data(), s.q, s.v, s.a)
    for name, matrix in zip(("momentum_dq", "momentum_rate_dq", "momentum_rate_dv", "momentum_rate_da"), by, strict=True):
        x[name] = matrix @ E

    for body, joint in at.bodies:
        x[f"pseudo_inertias.{body}"] = model.inertias[joint].toPseudoInertia().toMatrix()
    parameters = [model.inertias[joint].toDynamicParameters() for _, joint in at.bodies]
    x["inertial_parameters"] = np.concatenate(parameters)
    torque = pin.computeJointTorqueRegressor(model, s.data(), s.q, s.v, s.a)
    x["torque_regressor"] = at.by_body(E.T @ torque, 10)
    x["static_torque_regressor"] = at.by_body(
        E.T @ pin.computeJointTorqueRegressor(model, s.data(), s.q, 0 * s.v, 0 * s.a), 10
    )
    x["com_regressor"] = at.by_body(np.array(pin.computeStaticRegressor(model, s.data(), s.q)), 4)
    x["kinetic_energy_regressor"] = at.by_body(np.array(pin.computeKineticEnergyRegressor(model, s.data(), s.q, s.v)), 10)
    x["potential_energy_regressor"] = at.by_body(np.array(pin.computePotentialEnergyRegressor(model, s.data(), s.q)), 10)
    return x


def log_cholesky(s, x):
    """Pinocchio goes from these parameters to inertias, not back: those that `x` holds are good if they give the inertia."""
    y = {}
    for body, joint in s.at.bodies:
        key = f"log_cholesky_parameters.{body}"
        if key in x:
            by = pin.LogCholeskyParameters(x[key])
            x[key], y[key] = by.toDynamicParameters(), s.model.inertias[joint].toDynamicParameters()
            y[f"log_cholesky_jacobians.{body}"] = by.calculateJacobian()
    return y


def held(s, link, restitution):
    """Accelerations and impulses with the origin of a link held; nothing where the contact is about to lose a row."""
    model, E = s.model, s.E
    frame = model.frames[frame_id(model, link)]
    contacts, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    kind, axes = pin.ContactType.CONTACT_3D, pin.LOCAL_WORLD_ALIGNED
    contacts.append(pin.RigidConstraintModel(kind, model, frame.parentJoint, frame.placement, axes))
    datas.append(contacts[0].createData())
    d = s.data()
    pin.initConstraintDynamics(model, d, contacts, datas)
    settings = pin.ProximalSettings(1e-14, 0.0, 1)
    ddq = pin.constraintDynamics(model, d, s.q, s.v, E @ s.tau, contacts, datas, settings)
    x = {"constrained_ddq": E.T @ ddq}
    x["constraint_forces"] = d.lambda_c.copy()
    by = pin.computeConstraintDynamicsDerivatives(model, d, contacts, datas, settings)
    for part, matrix in zip(("dq", "dv", "dtau"), by):
        x[f"constrained_ddq_{part}"] = E.T @ matrix @ E
    for part, matrix in zip(("dq", "dv", "dtau"), by[3:]):
        x[f"constraint_forces_{part}"] = matrix @ E
    jacobian = pin.getFrameJacobian(model, s.jacobians, frame_id(model, link), axes)[:3]
    x["constraint_jacobian"] = jacobian @ E
    d = s.data()
    x["impulse_v"] = E.T @ pin.impulseDynamics(model, d, s.q, s.v, jacobian, restitution, 0.0)
    x["impulse"] = d.impulse_c.copy()
    return x


def compliance(s, link):
    """The condition of `J M⁻¹ Jᵀ` of the origin of a link."""
    jacobian = s.jacobian(link, pin.LOCAL_WORLD_ALIGNED)[:3]
    mass = s.E.T @ symmetric(pin.crba(s.model, s.data(), s.q)) @ s.E
    return np.linalg.cond(jacobian @ np.linalg.solve(mass, jacobian.T))
