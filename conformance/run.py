#!/usr/bin/env python3
"""Compares `gradyn evaluate` with Pinocchio on robots that people use. README.md says what and how.

    cargo build --release
    python3 conformance/run.py                  # every robot of the list
    python3 conformance/run.py --small          # a few
    python3 conformance/run.py panda talos_reduced --states 20

Exit codes: 0 all agree, 1 some deviate, 2 bad usage, 3 the packages cannot be had (no network).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PINOCCHIO, ROBOT_DATA = "4.1.0", "5.0.0"
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / "target" / "conformance-venv"

TOLERANCE = 1e-10  # of a quantity's largest entry
NO_PACKAGES = 3

# name: file below example-robot-data/robots
ROBOTS = {
    "a1": "a1_description/urdf/a1.urdf",
    "alex_nub_hands": "alex_description/urdf/alex_nub_hands.urdf",
    "allegro_right": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "anymal_b": "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_b_kinova": "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf",
    "asr_twodof": "asr_twodof_description/urdf/TwoDofs.urdf",
    "b1_z1": "b1_description/urdf/b1-z1.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "bluevolta_bravo7": "bluevolta_description/urdf/bluevolta_bravo7_gripper.urdf",
    "bolt": "bolt_description/robots/bolt.urdf",
    "borinot": "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "bravo7_gripper": "bravo7_description/urdf/bravo7_gripper.urdf",
    "centauro": "centauro_description/urdf/centauro.urdf",
    "double_pendulum": "double_pendulum_description/urdf/double_pendulum.urdf",
    "double_pendulum_continuous": "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "falcon_bravo7": "falcon_description/urdf/falcon_bravo7_gripper.urdf",
    "finger_edu": "finger_edu_description/robots/finger_edu.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "g1_with_hand": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "go1": "go1_description/urdf/go1.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "hextilt": "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "human": "human_description/robots/human.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "iris": "iris_description/robots/iris.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "laikago": "laikago_description/urdf/laikago.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "quadruped": "quadruped_description/urdf/quadruped.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "so101": "so_arm_description/urdf/so101.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "talos_left_arm": "talos_data/robots/talos_left_arm.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "tiago_dual": "tiago_description/robots/tiago_dual.urdf",
    "tiago_pro": "tiago_pro_description/robots/tiago_pro.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "ur3_gripper": "ur_description/urdf/ur3_gripper.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf",
}
SMALL = ["double_pendulum_continuous", "panda", "solo12", "talos_reduced", "tiago"]

QUANTITIES = (
    "tau mass_matrix dtau_dq dtau_dv dtau_da dtau_df_ext ddq ddq_dq ddq_dv ddq_dtau ddq_df_ext mass_matrix_inverse "
    "coriolis bias gravity energy frame_jacobians joint_jacobians com com_jacobian centroidal"
).split()
FORWARD = ["ddq", "ddq_dq", "ddq_dv", "ddq_dtau", "ddq_df_ext", "mass_matrix_inverse"]
SINGULAR = "  (singular mass matrix: no accelerations)"


# --- packages ----------------------------------------------------------------


def have_packages():
    try:
        import pinocchio
    except ImportError:
        return False
    return pinocchio.__version__ == PINOCCHIO and robot_data() is not None


def robot_data():
    """The folder of the robots; its package puts it beside that of Pinocchio."""
    import pinocchio

    for folder in Path(pinocchio.__file__).resolve().parents:
        robots = folder / "share" / "example-robot-data" / "robots"
        if robots.is_dir():
            return robots
    return None


def enter_venv(script=__file__):
    """Starts the script again in an environment of its own, made on first use."""
    python = VENV / ("Scripts" if os.name == "nt" else "bin") / "python"
    if Path(sys.prefix).resolve() == VENV.resolve():
        sys.exit(f"{VENV} does not hold pin {PINOCCHIO} and example-robot-data: remove it and try again")
    done = VENV / f"pin-{PINOCCHIO}-robots-{ROBOT_DATA}"
    if not done.exists():
        print(f"making {VENV.relative_to(ROOT)}", flush=True)
        packages = [f"pin=={PINOCCHIO}", f"example-robot-data=={ROBOT_DATA}"]
        try:
            venv.create(VENV, with_pip=True, clear=True)
            pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
            subprocess.run([*pip, "--timeout", "10", "--retries", "1", *packages], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"no comparison: cannot install {' '.join(packages)}: {error}", file=sys.stderr)
            sys.exit(NO_PACKAGES)
        done.touch()
    sys.exit(subprocess.run([python, script, *sys.argv[1:]]).returncode)


# --- gradyn ------------------------------------------------------------------


def ask(binary, robot, floating, states, quantities):
    """The answer of `gradyn evaluate`."""
    command = [binary, "evaluate", robot, "--states", "-", "--quantities", ",".join(quantities)]
    command += ["--method", "analytical", "--continuous", "cos-sin", "--no-joint-friction"]
    command += ["--floating-base"] if floating else []
    run = subprocess.run(command, input=json.dumps({"states": states}), capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip())
    return json.loads(run.stdout)


# --- coordinates -------------------------------------------------------------


class Coordinates:
    """Between gradyn's order of joints and Pinocchio's, by names.

    Pinocchio's model leaves mimic joints free: its velocities are `E v`, torques of the robot are `Eᵀ τ`.
    """

    def __init__(self, model, answer):
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


# --- Pinocchio ---------------------------------------------------------------


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


def expected(at, q, v, a, tau, f_ext, frames, forward):
    """Every quantity by Pinocchio, in gradyn's coordinates. Fresh data for each call: some add to what is there."""
    model, E = at.model, at.E
    v_full, a_full = E @ v, E @ a
    forces = [pin.Force.Zero() for _ in model.joints]
    for link, wrench in f_ext.items():
        frame = model.frames[frame_id(model, link)]
        forces[frame.parentJoint] += frame.placement.act(pin.Force(np.array(wrench)))
    forces[0] = pin.Force.Zero()

    def data():
        return model.createData()

    def jacobian(frame):
        return pin.getFrameJacobian(model, with_jacobians, frame_id(model, frame), pin.LOCAL) @ E

    def torque_derivatives(a_full):
        d = data()
        pin.computeRNEADerivatives(model, d, q, v_full, a_full, forces)
        return E.T @ d.dtau_dq @ E, E.T @ d.dtau_dv @ E

    with_jacobians = data()
    pin.computeJointJacobians(model, with_jacobians, q)
    pin.updateFramePlacements(model, with_jacobians)

    x = {"tau": E.T @ pin.rnea(model, data(), q, v_full, a_full, forces)}
    x["mass_matrix"] = x["dtau_da"] = E.T @ symmetric(pin.crba(model, data(), q)) @ E
    x["dtau_dq"], x["dtau_dv"] = torque_derivatives(a_full)
    for link in f_ext:
        x[f"dtau_df_ext.{link}"] = -jacobian(link).T

    x["bias"] = E.T @ pin.rnea(model, data(), q, v_full, 0 * a_full, forces)
    x["gravity"] = E.T @ pin.computeGeneralizedGravity(model, data(), q)
    if not forward:
        if not is_singular(x["mass_matrix"]):
            raise RuntimeError("gradyn finds the mass matrix singular, by Pinocchio it is not")
    elif at.mimic:
        # Pinocchio's forward dynamics does not know about mimic joints: by its mass matrix, bias and derivatives.
        x["mass_matrix_inverse"] = x["ddq_dtau"] = np.linalg.inv(x["mass_matrix"])
        x["ddq"] = np.linalg.solve(x["mass_matrix"], tau - x["bias"])
        dq, dv = torque_derivatives(E @ x["ddq"])
        x["ddq_dq"], x["ddq_dv"] = (-np.linalg.solve(x["mass_matrix"], d) for d in (dq, dv))
    else:
        d = data()
        x["mass_matrix_inverse"] = E.T @ symmetric(pin.computeMinverse(model, data(), q)) @ E
        x["ddq"] = E.T @ pin.aba(model, data(), q, v_full, E @ tau, forces)
        pin.computeABADerivatives(model, d, q, v_full, E @ tau, forces)
        x["ddq_dq"], x["ddq_dv"] = E.T @ d.ddq_dq @ E, E.T @ d.ddq_dv @ E
        x["ddq_dtau"] = E.T @ symmetric(d.Minv) @ E
    for link in f_ext if forward else ():
        x[f"ddq_df_ext.{link}"] = x["ddq_dtau"] @ jacobian(link).T

    x["coriolis"] = E.T @ pin.computeCoriolisMatrix(model, data(), q, v_full) @ E
    x["energy.kinetic"] = pin.computeKineticEnergy(model, data(), q, v_full)
    x["energy.potential"] = pin.computePotentialEnergy(model, data(), q)
    for link in frames:
        x[f"frame_jacobians.{link}"] = jacobian(link)
    x["joint_jacobians"] = pin.computeJointJacobians(model, data(), q) @ E

    d = data()
    pin.centerOfMass(model, d, q, v_full, a_full)
    x["com.mass"] = d.mass[0]
    # Copies: these are views of `d`.
    x |= {"com.position": d.com[0].copy(), "com.velocity": d.vcom[0].copy(), "com.acceleration": d.acom[0].copy()}
    x["com_jacobian"] = pin.jacobianCenterOfMass(model, data(), q) @ E
    d = data()
    pin.dccrba(model, d, q, v_full)
    x |= {"centroidal.matrix": d.Ag @ E, "centroidal.matrix_rate": d.dAg @ E, "centroidal.momentum": d.hg.vector.copy()}
    d = data()
    pin.computeCentroidalMomentumTimeVariation(model, d, q, v_full, a_full)
    x["centroidal.momentum_rate"] = d.dhg.vector.copy()
    return x


# --- comparison --------------------------------------------------------------


def found(state):
    """gradyn's answer under the names of `expected`."""
    x = {}
    for key in QUANTITIES:
        value = state.get(key)
        if key == "frame_jacobians":
            assert value["reference"] == "local"
            value = value["frames"]
        if isinstance(value, dict):
            x |= {f"{key}.{name}": np.array(part) for name, part in value.items()}
        elif value is not None:
            x[key] = np.array(value)
    return x


def natural_sizes(x):
    """Sizes at speeds and accelerations of 1, for what may cancel to nothing but rounding: a rotor has no Coriolis torques."""
    mass, jacobian, matrix = (np.abs(x[key]).max(initial=0.0) for key in ("mass_matrix", "com_jacobian", "centroidal.matrix"))
    return {
        "dtau_dv": mass,
        "coriolis": mass,
        "ddq_dv": 1.0,
        "com.velocity": jacobian,
        "com.acceleration": jacobian,
        "centroidal.matrix_rate": matrix,
        "centroidal.momentum": matrix,
        "centroidal.momentum_rate": matrix,
    }


def tolerance(quantity, mass_matrix):
    """Solving by the mass matrix turns a rounding into as much as its condition: more than 1e-10 for the iCub."""
    if quantity not in FORWARD:
        return TOLERANCE
    return max(TOLERANCE, np.finfo(float).eps * np.linalg.cond(mass_matrix))


def deviation(x, y, least):
    """Largest difference, relative to the largest entry, or to `least` if that is larger."""
    y = np.asarray(y, dtype=float)
    if x.shape != y.shape:
        raise RuntimeError(f"{x.shape} by gradyn, {y.shape} by Pinocchio")
    if x.size == 0:
        return 0.0
    difference, size = np.abs(x - y).max(), max(np.abs(x).max(), np.abs(y).max(), least)
    # Not a number is not small.
    return 0.0 if difference == 0.0 else float(difference / size) if np.isfinite(difference) else np.inf


def compare(binary, path, floating, count, seed):
    """Degrees of freedom, and the worst deviation of each quantity."""
    head = ask(binary, path, floating, [], ["tau"])
    model = load(path, floating)
    at = Coordinates(model, head)
    rng = np.random.default_rng(seed)
    links = [frame.name for frame in model.frames if frame.type == pin.FrameType.BODY and frame.name != "universe"]
    frames = {frame.name for frame in model.frames} - {"universe"}
    states, configurations = [], []
    for _ in range(count):
        q, full = at.random(rng)
        v, a, tau = (rng.uniform(-1, 1, at.nv) for _ in range(3))
        loaded = rng.choice(links, min(2, len(links)), replace=False)
        f_ext = {str(link): list(rng.uniform(-1, 1, 6)) for link in loaded}
        state = {"q": list(q), "v": list(v), "a": list(a), "tau": list(tau), "f_ext": f_ext}
        states.append(state)
        configurations.append((full, v, a, tau, f_ext))
    forward = True
    try:
        answer = ask(binary, path, floating, states, QUANTITIES)
    except RuntimeError as error:
        if "the mass matrix is singular" not in str(error):
            raise
        # Some hands are made of massless bodies: accelerations do not exist, all else does.
        forward = False
        answer = ask(binary, path, floating, states, [x for x in QUANTITIES if x not in FORWARD])
    worst = {}
    for state, configuration in zip(answer["states"], configurations, strict=True):
        mine, theirs = found(state), expected(at, *configuration, frames, forward)
        # Neither may have what the other has not.
        if mine.keys() != theirs.keys():
            raise RuntimeError(f"only one of both has {', '.join(sorted(mine.keys() ^ theirs.keys())[:5])}")
        sizes = natural_sizes(theirs)
        for key, x in mine.items():
            quantity = key.split(".")[0]
            relative = deviation(x, theirs[key], sizes.get(key, 0.0))
            bad = not relative <= tolerance(quantity, theirs["mass_matrix"])
            worst[quantity] = max(worst.get(quantity, (False, 0.0, "")), (bad, relative, key))
    return at, worst, forward


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("robots", nargs="*", metavar="ROBOT", help=f"of: {', '.join(ROBOTS)} (default: all)")
    parser.add_argument("--small", action="store_true", help=f"only {', '.join(SMALL)}")
    parser.add_argument("--states", type=int, default=5, help="random states of each robot (default: 5)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--binary", default=str(ROOT / "target" / "release" / "gradyn"), help="the program")
    parser.add_argument("--verbose", action="store_true", help="every quantity of every robot")
    args = parser.parse_args()
    unknown = [name for name in args.robots if name not in ROBOTS]
    if unknown:
        parser.error(f"unknown robot {', '.join(unknown)}")
    if args.states < 1:
        parser.error("at least one state")
    if not Path(args.binary).is_file():
        parser.error(f"{args.binary} is not there: build it with `cargo build --release`")
    if not have_packages():
        enter_venv()

    global np, pin
    import numpy as np
    import pinocchio as pin

    data = robot_data()
    names = args.robots or (SMALL if args.small else list(ROBOTS))
    print(f"gradyn against Pinocchio {pin.__version__}: {args.states} states each, seed {args.seed}, tolerance {TOLERANCE:g}")
    print(f"{'robot':<28} {'base':<9} {'nv':>4} {'mimic':>6} {'worst':>9}  quantity")
    overall, failures = {}, 0
    for name in names:
        for floating in (False, True):
            start = f"{name:<28} {'floating' if floating else 'fixed':<9}"
            try:
                at, worst, forward = compare(args.binary, data / ROBOTS[name], floating, args.states, args.seed)
            except RuntimeError as error:
                failures += 1
                print(f"{start} FAILED: {error}")
                continue
            _, value, key = max(worst.values())
            deviates = any(bad for bad, _, _ in worst.values())
            failures += deviates
            print(f"{start} {at.nv:>4} {len(at.followers):>6} {value:>9.1e}  {key}{'' if forward else SINGULAR}", flush=True)
            for quantity, (bad, value, key) in worst.items():
                if bad or args.verbose:
                    print(f"    {'DEVIATES' if bad else '':<8} {quantity:<20} {value:>9.1e}  {key}")
                if value >= overall.get(quantity, (0.0, ""))[0]:
                    overall[quantity] = (value, name)
    print("\nquantity                 worst  robot")
    for quantity, (value, name) in overall.items():
        print(f"{quantity:<20} {value:>9.1e}  {name}")
    print(f"\n{2 * len(names)} models of {len(names)} robots, {failures} that deviate" if failures else
          f"\n{2 * len(names)} models of {len(names)} robots agree")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
