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
    "alex_psyonic_hands": "alex_description/urdf/alex_psyonic_hands.urdf",
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
    "panda_collision": "panda_description/urdf/panda_collision.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "quadruped": "quadruped_description/urdf/quadruped.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "so101": "so_arm_description/urdf/so101.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "talos_box": "talos_data/robots/talos_full_v2_box.urdf",
    "talos_left_arm": "talos_data/robots/talos_left_arm.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "talos_reduced_box": "talos_data/robots/talos_reduced_box.urdf",
    "talos_reduced_corrected": "talos_data/robots/talos_reduced_corrected.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "tiago_dual": "tiago_description/robots/tiago_dual.urdf",
    "tiago_pro": "tiago_pro_description/robots/tiago_pro.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "ur3_gripper": "ur_description/urdf/ur3_gripper.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf",
}
# Their mimic joints move by themselves, as Pinocchio reads them; the followers of some have a leader that is not declared.
INDEPENDENT = ["alex_psyonic_hands", "panda_collision", "talos_box", "talos_reduced_box", "talos_reduced_corrected"]
SMALL = ["double_pendulum_continuous", "panda", "solo12", "talos_reduced", "tiago"]

# Whatever the reference of frames.
FREE = (
    "tau mass_matrix dtau_dq dtau_dv dtau_da dtau_df_ext mass_product mass_product_dq bias bias_dq bias_dv bias_df_ext "
    "gravity gravity_dq static_torque static_torque_dq static_torque_df_ext wrench_torques wrench_torques_dq coriolis "
    "energy frame_placements frame_jacobians joint_jacobians com com_jacobian com_position_dq com_velocity_dq com_velocity_dv "
    "com_acceleration_da subtree_com_positions subtree_com_velocities subtree_com_accelerations subtree_com_positions_dq "
    "pseudo_inertias log_cholesky_parameters log_cholesky_jacobians centroidal momentum_dq momentum_rate_dq momentum_rate_dv momentum_rate_da inertial_parameters torque_regressor "
    "static_torque_regressor com_regressor kinetic_energy_regressor potential_energy_regressor"
).split()
FORWARD = "ddq ddq_dq ddq_dv ddq_dtau ddq_df_ext mass_matrix_inverse".split()
FRAMES = (
    "frame_velocities frame_velocities_dq frame_velocities_dv frame_accelerations frame_accelerations_dq "
    "frame_accelerations_dv frame_accelerations_da classical_accelerations frame_jacobians frame_jacobian_rates "
    "frame_bias_accelerations classical_bias_accelerations kinematic_regressors"
).split()
POINTS = (
    "point_velocities point_velocities_dq point_velocities_dv point_accelerations point_accelerations_dq "
    "point_accelerations_dv point_accelerations_da"
).split()
HELD = (
    "constrained_ddq constrained_ddq_dq constrained_ddq_dv constrained_ddq_dtau constraint_forces constraint_forces_dq "
    "constraint_forces_dv constraint_forces_dtau impulse_v impulse constraint_jacobian"
).split()
RESTITUTION = 0.3
LOOKED_AT = 4  # frames of each robot in each reference
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


def robot_arguments(floating, independent):
    arguments = ["--continuous", "cos-sin", "--no-joint-friction"]
    arguments += ["--floating-base"] * floating + ["--mimic", "independent"] * independent
    return arguments


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def ask(binary, robot, question, quantities, *options):
    """The answer of `gradyn evaluate`; `robot` is its file and what makes it another one."""
    command = [binary, "evaluate", *robot, "--states", "-", "--quantities", ",".join(quantities)]
    command += ["--method", "analytical", *options]
    return run(command, json.dumps(question))


# --- comparison --------------------------------------------------------------


def found(states, reference=None):
    """gradyn's answers under the names of Pinocchio's side."""
    answers = []
    for state in states:
        x = {}
        for key, value in state.items():
            if key in INPUTS:
                continue
            if isinstance(value, dict) and "reference" in value:
                assert value.pop("reference") == reference
                (parts,) = value.values()
                x |= {f"{key}[{reference}].{name}": np.array(part) for name, part in parts.items()}
            elif isinstance(value, dict):
                x |= {f"{key}.{name}": np.array(part) for name, part in value.items()}
            else:
                x[key] = np.array(value)
        answers.append(x)
    return answers


# What `evaluate` repeats.
INPUTS = ["q", "v", "a", "tau_given", "f_ext"]


def natural_size(quantity, x):
    """At speeds and accelerations of 1, for what may cancel to nothing but rounding: a rotor has no Coriolis torques."""
    sizes = {"com": "com_jacobian", "subtree": "com_jacobian", "centroidal": "centroidal.matrix", "momentum": "centroidal.matrix"}
    if quantity.startswith("constrained_"):
        # Constraints may hold all of it.
        return np.abs(x[quantity.removeprefix("constrained_")]).max(initial=0.0)
    kind = quantity.split("_")[0].split(".")[0]
    if kind in ("frame", "classical", "point") or quantity == "ddq_dv":
        return 1.0
    if kind in sizes:
        return np.abs(x[sizes[kind]]).max(initial=0.0)
    torques = ("dtau_dv", "bias_dv", "coriolis", "mass_product_dq", "wrench_torques_dq")
    return np.abs(x["mass_matrix"]).max(initial=0.0) if quantity in torques else 0.0


def tolerance(quantity, condition, held):
    """Solving turns a rounding into as much as the condition of what is solved: for the mass matrix of an iCub, 1e-7."""
    if quantity in FORWARD:
        return max(TOLERANCE, np.finfo(float).eps * condition)
    if quantity in HELD:
        return max(TOLERANCE, np.finfo(float).eps * condition * held)
    return TOLERANCE


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


def compare(binary, path, floating, independent, count, seed):
    """Degrees of freedom, and the worst deviation of each quantity."""
    robot = [path, *robot_arguments(floating, independent)]
    head = ask(binary, robot, {"states": []}, ["tau"])
    bodies = run([binary, "info", *robot, "--json"])["bodies"]
    model = pinocchio.load(path, floating)
    at = pinocchio.Coordinates(model, head, bodies)
    rng = np.random.default_rng(seed)
    links = [str(frame.name) for frame in model.frames if frame.type == pin.FrameType.BODY and frame.name != "universe"]
    moving = [link for link in links if model.frames[pinocchio.frame_id(model, link)].parentJoint != 0]
    every = sorted({str(frame.name) for frame in model.frames} - {"universe"})
    frames = [str(frame) for frame in rng.choice(every, min(LOOKED_AT, len(every)), replace=False)]
    point, contact = f"{moving[-1]},0.1,-0.2,0.3", moving[-1]
    states, theirs = [], []
    for _ in range(count):
        q, full = at.random(rng)
        v, a, tau = (rng.uniform(-1, 1, at.nv) for _ in range(3))
        loaded = rng.choice(links, min(2, len(links)), replace=False)
        f_ext = {str(link): list(rng.uniform(-1, 1, 6)) for link in loaded}
        states.append({"q": list(q), "v": list(v), "a": list(a), "tau": list(tau), "f_ext": f_ext})
        theirs.append(pinocchio.State(at, full, v, a, tau, f_ext))

    forward = True
    question = {"states": states}
    try:
        mine = found(ask(binary, robot, question, FREE + FORWARD)["states"], "local")
    except RuntimeError as error:
        if "the mass matrix is singular" not in str(error):
            raise
        # Some hands are made of massless bodies: accelerations do not exist, all else does.
        forward = False
        mine = found(ask(binary, robot, question, FREE)["states"], "local")
    for reference in pinocchio.REFERENCES:
        options = ["--reference", reference, "--frames", ",".join(frames), "--point", point]
        quantities = FRAMES + POINTS if reference != "local-world-aligned" else FRAMES
        for x, y in zip(mine, found(ask(binary, robot, question, quantities, *options)["states"], reference)):
            x |= y
    # Pinocchio's constrained dynamics does not know about mimic joints.
    conditions = [pinocchio.compliance(s, contact) if forward and not at.mimic else np.inf for s in theirs]
    may_be_held = [k for k, condition in enumerate(conditions) if condition < WELL_HELD]
    if may_be_held:
        # Nor does it take wrenches.
        bare = [{key: x for key, x in states[k].items() if key != "f_ext"} for k in may_be_held]
        question = {"states": bare, "restitution": RESTITUTION}
        question["constraints"] = [{"frame": contact, "type": "point"}]
        answers = found(ask(binary, robot, question, HELD)["states"])
        for k, y in zip(may_be_held, answers):
            mine[k] |= y

    worst = {}
    for x, s, held in zip(mine, theirs, conditions):
        y = expected(s, (every, frames, point, contact), forward, held)
        y |= pinocchio.log_cholesky(s, x)
        if "com_velocity_dq" not in y:
            del x["com_velocity_dq"]
        # Neither may have what the other has not.
        if x.keys() != y.keys():
            raise RuntimeError(f"only one of both has {', '.join(sorted(x.keys() ^ y.keys())[:5])}")
        if not forward and not pinocchio.is_singular(y["mass_matrix"]):
            raise RuntimeError("gradyn finds the mass matrix singular, by Pinocchio it is not")
        condition = np.linalg.cond(y["mass_matrix"]) if at.nv else 1.0
        for key, value in x.items():
            quantity = key.split("[")[0].split(".")[0]
            relative = deviation(value, y[key], natural_size(quantity, y))
            bad = not relative <= tolerance(quantity, condition, held)
            worst[quantity] = max(worst.get(quantity, (False, 0.0, "")), (bad, relative, key))
    return at, worst, forward


# Contacts are compared where the condition of `J M⁻¹ Jᵀ` is below this.
WELL_HELD = 1e6


def expected(s, places, forward, held):
    every, frames, point, contact = places
    x = pinocchio.torques(s)
    if forward:
        x |= pinocchio.accelerations(s, x)
    x |= pinocchio.motions(s, every, frames) | pinocchio.points(s, [point]) | pinocchio.masses(s)
    return x | pinocchio.held(s, contact, RESTITUTION) if held < WELL_HELD else x


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

    global np, pin, pinocchio
    import numpy as np
    import pinocchio as pin

    import by_pinocchio as pinocchio

    data = robot_data()
    names = args.robots or (SMALL if args.small else list(ROBOTS))
    print(f"gradyn against Pinocchio {pin.__version__}: {args.states} states each, seed {args.seed}, tolerance {TOLERANCE:g}")
    print(f"{'robot':<28} {'base':<9} {'nv':>4} {'mimic':>6} {'worst':>9}  quantity")
    overall, failures = {}, 0
    for name in names:
        for floating in (False, True):
            start = f"{name:<28} {'floating' if floating else 'fixed':<9}"
            try:
                at, worst, forward = compare(
                    args.binary, data / ROBOTS[name], floating, name in INDEPENDENT, args.states, args.seed
                )
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
                    print(f"    {'DEVIATES' if bad else '':<8} {quantity:<28} {value:>9.1e}  {key}")
                if value >= overall.get(quantity, (0.0, ""))[0]:
                    overall[quantity] = (value, name)
    print(f"\n{'quantity':<28} {'worst':>9}  robot")
    for quantity, (value, name) in overall.items():
        print(f"{quantity:<28} {value:>9.1e}  {name}")
    print(f"\n{2 * len(names)} models of {len(names)} robots, {failures} that deviate" if failures else
          f"\n{2 * len(names)} models of {len(names)} robots agree")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
