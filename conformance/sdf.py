#!/usr/bin/env python3
"""Compares models of SDF files with Drake's, and with those of URDF files of the same robots. README.md says what and how.

    cargo build --release
    python3 conformance/sdf.py             # every file of the packages
    python3 conformance/sdf.py --small     # Cassie alone, of the example-robot-data that run.py has installed

Exit codes: 0 all agree or say why not, 1 some differ silently, or too few agree, 2 bad usage, 3 the packages cannot be had (no network).
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import venv
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / "target" / "sdf-venv"
CACHE = ROOT / "target" / "sdf-packages"
INSTALLED = ROOT / "target" / "conformance-venv"  # that of run.py
TABLE = ROOT / "conformance" / "sdf.md"

DRAKE = "1.51.1"
PACKAGES = {"example-robot-data": "6.0.0", "genesis-world": "1.4.5", "pybullet": "3.2.7"}
# Below the folders of their packages.
PAIRS = [("genesis-world", "kuka_iiwa/kuka_world.sdf", "kuka_iiwa/model_for_sdf.urdf")]
# Cassie's loops: how many joints close some, by file.
LOOPS = {"cassie.sdf": 6, "cassie_v2.sdf": 4, "cassie_wo_gearbox_spring.sdf": 4, "cassie_simple.sdf": 4, "cassie_reduced.sdf": 4}
AT_LEAST = 18  # files that have to agree with Drake, of all packages
AT_LEAST_SMALL = 4
STATES = 3
TOLERANCE = 1e-12  # of a quantity's largest entry
NO_PACKAGES = 3
PROGRAM = None  # set by --program


# --- packages ----------------------------------------------------------------


def enter_venv():
    """Starts the script again in an environment with Drake, made on first use, unless this one has it."""
    try:
        import pydrake  # noqa: F401

        return
    except ImportError:
        pass
    python = VENV / ("Scripts" if os.name == "nt" else "bin") / "python"
    if Path(sys.prefix).resolve() == VENV.resolve():
        sys.exit(f"{VENV} does not hold Drake: remove it and try again")
    done = VENV / f"drake-{DRAKE}"
    if not done.exists():
        print(f"making {VENV.relative_to(ROOT)}", flush=True)
        try:
            venv.create(VENV, with_pip=True, clear=True)
            pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
            # Without the packages that Drake draws and optimizes with.
            pip += ["--timeout", "10", "--retries", "1", "--no-deps", f"drake=={DRAKE}", "numpy"]
            subprocess.run(pip, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"Drake cannot be had: {error}", file=sys.stderr)
            sys.exit(NO_PACKAGES)
        done.touch()
    os.execv(python, [python, __file__, *sys.argv[1:]])


def folder(package):
    """The files of SDF and URDF in the wheel of a package, downloaded on first use."""
    target = CACHE / package
    done = target / ".done"
    if not done.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        name = package.replace("-", "_")
        if not list(CACHE.glob(f"{name}-*.whl")):
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
            try:
                subprocess.run([*pip, "--timeout", "10", "-d", CACHE, f"{package}=={PACKAGES[package]}"], check=True)
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"{package} cannot be had: {error}", file=sys.stderr)
                sys.exit(NO_PACKAGES)
        for wheel in CACHE.glob(f"{name}-*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                wanted = [name for name in archive.namelist() if name.endswith((".sdf", ".urdf", ".xml", ".config"))]
                archive.extractall(target, wanted)
            wheel.unlink()
        done.touch()
    return target


def installed():
    """The folder of example-robot-data in the environment of run.py."""
    found = sorted(INSTALLED.glob("lib/python*/site-packages/cmeel.prefix/share/example-robot-data/robots"))
    if not found:
        print(f"{INSTALLED.relative_to(ROOT)} is not there: conformance/run.py makes it", file=sys.stderr)
        sys.exit(NO_PACKAGES)
    return found[0]


# --- the program ---------------------------------------------------------------


def gradyn(arguments):
    """The answer of the program, or what it says instead."""
    program = PROGRAM or ROOT / "target" / "release" / ("gradyn.exe" if os.name == "nt" else "gradyn")
    if not Path(program).exists():
        sys.exit(f"there is no program {program}: cargo build --release")
    run = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120)
    if run.returncode != 0:
        return None, run.stderr.strip().splitlines()[-1] if run.stderr.strip() else f"exit code {run.returncode}"
    return json.loads(run.stdout), None


def evaluate(path, states, options):
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump({"states": states}, file)
    quantities = ["--quantities", "tau,mass_matrix,bias,frame_placements"]
    answer, refusal = gradyn(["evaluate", str(path), "--states", file.name, *quantities, *options])
    os.unlink(file.name)
    return (answer["states"] if answer else None), refusal


class Random:
    """Numbers in -1..1 that anyone can make again: SplitMix64."""

    def __init__(self, seed):
        self.seed = seed

    def number(self):
        mask = (1 << 64) - 1
        self.seed = (self.seed + 0x9E3779B97F4A7C15) & mask
        z = self.seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return ((z ^ (z >> 31)) >> 11) / 2**52 - 1

    def list(self, n):
        return [self.number() for _ in range(n)]


def state(info, seed):
    """A random state in gradyn's coordinates."""
    random = Random(seed)
    q = []
    for joint in info["joints"]:
        x = random.list(joint["nq"])
        four = {"free-flyer": 3, "spherical": 0}.get(joint["kind"])
        if four is not None:
            norm = sum(x * x for x in x[four : four + 4]) ** 0.5
            x[four : four + 4] = [x / norm for x in x[four : four + 4]]
        q += x
    return {"q": q, "v": random.list(info["nv"]), "a": random.list(info["nv"])}


def deviation(a, b, size=None):
    """The largest difference of numbers, over the largest of them."""

    def flat(x):
        return [y for part in x for y in flat(part)] if isinstance(x, (list, tuple)) else [float(x)]

    a, b = flat(a), flat(b)
    if len(a) != len(b):
        return float("inf")
    size = max(map(abs, a + b), default=0.0) if size is None else size
    return max((abs(x - y) for x, y in zip(a, b)), default=0.0) / size if size > 0 else 0.0


# --- loops ---------------------------------------------------------------------


def local(element):
    return element.tag.rsplit("}", 1)[-1]


def closing(text):
    """Names of joints that close loops, as SDF has them: the first joint whose child a link is carries it."""
    carried, loops = set(), []
    for joint in (e for e in ET.fromstring(text).iter() if local(e) == "joint"):
        child = (joint.findtext("child") or "").strip()
        if joint.get("type") == "gearbox":
            continue
        if child in carried:
            loops.append(joint.get("name"))
        carried.add(child)
    return loops


# --- the comparison with Drake ---------------------------------------------------


def for_drake(text):
    """The same without what Drake does not take and what is no inertia: shapes, sensors, gearboxes, springs, damping, closing joints."""
    root = ET.fromstring(text)
    loops = set(closing(text))
    for parent in list(root.iter()):
        for child in list(parent):
            name = local(child)
            is_loop = name == "joint" and (child.get("name") in loops or child.get("type") == "gearbox")
            if name in ("visual", "collision", "sensor", "plugin", "contact", "dynamics", "physics") or is_loop:
                parent.remove(child)
    return ET.tostring(root, encoding="unicode")


def mended(text):
    """(the text without what no program takes alike, what that is)"""
    root = ET.fromstring(text)
    without = []
    for parent in list(root.iter()):
        for link in [child for child in parent if local(child) == "link"]:
            inertial = link.find("inertial")
            if link.get("name") == "world":
                parent.remove(link)
                without.append("the link `world`, whose name is reserved")
            elif inertial is not None and float(inertial.findtext("mass") or 1) == 0 and inertial.find("inertia") is not None:
                for moment in inertial.find("inertia"):
                    moment.text = "0"
                without.append("moments of links without mass")
    return (ET.tostring(root, encoding="unicode") if without else text), sorted(set(without))


class Witness:
    """Drake's model of a file, in gradyn's coordinates."""

    def __init__(self, path, info):
        import numpy as np
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant

        self.plant = MultibodyPlant(0.0)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / path.name
            copy.write_text(for_drake(path.read_text(errors="ignore")))
            self.models = Parser(self.plant).AddModels(str(copy))
        self.plant.Finalize()
        self.plant.mutable_gravity_field().set_gravity_vector(np.array(info["gravity"]))
        self.context = self.plant.CreateDefaultContext()
        self.info = info
        if self.plant.num_velocities() != info["nv"]:
            raise ValueError(f"Drake has {self.plant.num_velocities()} degrees of freedom, gradyn {info['nv']}")
        names = {body["joint"]: body["name"] for body in info["bodies"]}
        self.joints = [(joint, names.get(joint["name"])) for joint in info["joints"]]

    def body(self, name):
        """By the name of a link, which may begin with those of its models."""
        return self.plant.GetBodyByName(name.rsplit("::", 1)[-1])

    def set(self, state):
        """(T, the linear velocity and rate of free bodies): v of Drake is T v."""
        import numpy as np
        from pydrake.common.eigen_geometry import Quaternion
        from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

        plant, context = self.plant, self.context
        t, rest = np.zeros((self.info["nv"], self.info["nv"])), np.zeros(self.info["nv"])
        v = np.array(state["v"])
        for joint, body in self.joints:
            q = state["q"][joint["q_index"] : joint["q_index"] + joint["nq"]]
            at = joint["v_index"]
            if joint["kind"] == "free-flyer":
                x, y, z, w = np.array(q[3:]) / np.linalg.norm(q[3:])
                pose = RigidTransform(Quaternion(w, x, y, z), q[:3])
                link = self.body(body)
                plant.SetFreeBodyPose(context, link, pose)
                r = pose.rotation().matrix()
                start = link.floating_velocities_start_in_v()
                t[start : start + 3, at + 3 : at + 6] = r
                t[start + 3 : start + 6, at : at + 3] = r
                rest[start + 3 : start + 6] = r @ np.cross(v[at + 3 : at + 6], v[at : at + 3])
            elif joint["kind"] == "spherical":
                x, y, z, w = np.array(q) / np.linalg.norm(q)
                r = RotationMatrix(Quaternion(w, x, y, z))
                theirs = plant.GetJointByName(joint["name"].rsplit("::", 1)[-1])
                theirs.set_angles(context, RollPitchYaw(r).vector())
                # Its angular velocity is in the axes of the parent, ours in those of the child.
                t[theirs.velocity_start() : theirs.velocity_start() + 3, at : at + 3] = r.matrix()
            elif joint["nq"] == 1:
                theirs = plant.GetJointByName(joint["name"].rsplit("::", 1)[-1])
                set_one = getattr(theirs, "set_angle", None) or theirs.set_translation
                set_one(context, q[0])
                t[theirs.velocity_start(), at] = 1
            else:
                raise ValueError(f"joint {joint['name']}, {joint['kind']}, is not compared")
        plant.SetVelocities(context, t @ v)
        return t, rest

    def answer(self, state):
        import numpy as np
        from pydrake.multibody.tree import MultibodyForces

        t, rest = self.set(state)
        plant, context = self.plant, self.context
        mass = plant.CalcMassMatrix(context)
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        tau = plant.CalcInverseDynamics(context, t @ np.array(state["a"]) + rest, forces)
        bias = plant.CalcInverseDynamics(context, rest, forces)
        return {
            "mass_matrix": (t.T @ mass @ t).tolist(),
            "tau": (t.T @ tau).tolist(),
            "bias": (t.T @ bias).tolist(),
        }

    def pose(self, name):
        body = self.body(name)
        return self.plant.EvalBodyPoseInWorld(self.context, body).GetAsMatrix4().tolist()


def without_springs(found, info, states):
    """Torques without those of springs, which Drake does not read: k (q - q0)."""
    for spring in info.get("springs", []):
        for answer, state in zip(found, states):
            torque = spring["stiffness"] * (state["q"][spring["q_index"]] - spring["reference"])
            for name in ("tau", "bias"):
                answer[name][spring["v_index"]] -= torque


def compare_with_drake(path, info):
    """Deviations by quantity."""
    witness = Witness(path, info)
    states = [state(info, seed) for seed in range(STATES)]
    found, refusal = evaluate(path, states, ["--no-joint-friction"])
    if found is None:
        raise ValueError(refusal)
    without_springs(found, info, states)
    worst = {}

    def put(name, value):
        worst[name] = max(worst.get(name, 0.0), value)

    for answer, asked in zip(found, states):
        expected = witness.answer(asked)
        size = max(abs(x) for x in answer["tau"] + answer["bias"])
        put("mass matrix", deviation(answer["mass_matrix"], expected["mass_matrix"]))
        put("tau", deviation(answer["tau"], expected["tau"], size))
        put("bias", deviation(answer["bias"], expected["bias"], size))
        for body in info["bodies"]:
            try:
                pose = witness.pose(body["name"])
            except RuntimeError:
                continue  # a body that is made between the links of the file
            lengths = max(1.0, max(abs(row[3]) for row in pose))
            put("poses", deviation(answer["frame_placements"][body["name"]], pose, lengths))
    return worst


def quarter_turns(text):
    """The same with exact quarter turns: the SDF file writes them with six digits, the URDF file with twelve."""

    def exact(number):
        x = float(number.group())
        turns = round(x / (math.pi / 2))
        return repr(turns * math.pi / 2) if turns and abs(x - turns * math.pi / 2) < 1e-5 else number.group()

    return re.sub(r"-?\d+\.\d+(?:[eE][-+]?\d+)?", exact, text)


def compare_pair(sdf, urdf):
    """Deviations by quantity of a robot in both formats, whose joints have the same order."""
    with tempfile.TemporaryDirectory() as folder:
        copies = [Path(folder) / path.name for path in (sdf, urdf)]
        for path, copy in zip((sdf, urdf), copies):
            copy.write_text(quarter_turns(path.read_text()))
        return compare_copies(*copies)


def compare_copies(sdf, urdf):
    info, refusal = gradyn(["info", str(sdf), "--json"])
    other, also = gradyn(["info", str(urdf), "--json"])
    if info is None or other is None:
        raise ValueError(refusal or also)
    names = [[joint["name"].rsplit("::", 1)[-1] for joint in of["joints"]] for of in (info, other)]
    if names[0] != names[1]:
        raise ValueError(f"joints are {names[0]} and {names[1]}")
    states = [state(info, seed) for seed in range(STATES)]
    answers = [evaluate(path, states, ["--no-joint-friction"])[0] for path in (sdf, urdf)]
    worst = {}
    for a, b in zip(*answers):
        for name in ("tau", "mass_matrix", "bias"):
            worst[name] = max(worst.get(name, 0.0), deviation(a[name], b[name]))
        for name, pose in a["frame_placements"].items():
            if name in b["frame_placements"]:
                worst["poses"] = max(worst.get("poses", 0.0), deviation(pose, b["frame_placements"][name], 1.0))
    return worst


# --- all files -------------------------------------------------------------------


def look(path):
    """(outcome, why)"""
    text = path.read_text(errors="ignore")
    info, refusal = gradyn(["info", str(path), "--json"])
    if info is None:
        return "refused", refusal.removeprefix("gradyn: error: ").removeprefix(f"{path}: ")
    kinds = ("changes_dynamics", "unphysical_inertia")
    notes = sorted({n["message"] for n in info["report"]["warnings"] if n["kind"] in kinds})
    notes = sorted({note.split(": ", 1)[-1] for note in notes})
    try:
        expected = closing(text)
    except ET.ParseError as error:
        return "DIFFERS", f"it is no XML: {error}"
    loops = [loop["name"].rsplit("::", 1)[-1] for loop in info.get("loops", [])]
    if sorted(loops) != sorted(expected) and "<include" not in text:
        return "DIFFERS", f"loops are {loops}, expected {expected}"
    if path.name in LOOPS and len(loops) != LOOPS[path.name]:
        return "DIFFERS", f"{len(loops)} loops, expected {LOOPS[path.name]}"
    held = f", {len(loops)} loops" if loops else ""
    if info["nv"] == 0:
        return "not compared", "nothing moves"
    text, without = mended(text)
    if without:
        held += f", without {', '.join(without)}"
    try:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / path.name if without else path
            if without:
                copy.write_text(text)
                info, _ = gradyn(["info", str(copy), "--json"])
            worst = compare_with_drake(copy, info)
    except Exception as error:  # whatever Drake does not take is not compared
        reason = " ".join(str(error).split())[:160]
        return "not compared", f"{reason}{held}"
    off = {name: value for name, value in worst.items() if not value <= TOLERANCE}
    if not off:
        return "agrees", f"{max(worst.values(), default=0.0):.0e}{held}"
    text = ", ".join(f"{name} {value:.1e}" for name, value in off.items())
    return ("reported", "; ".join(notes)) if notes else ("DIFFERS", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", help="of these only")
    parser.add_argument("--small", action="store_true", help="of what run.py has installed")
    parser.add_argument("--folder", help="the files of a folder instead of packages")
    parser.add_argument("--program", help="the command `gradyn`; target/release/gradyn without it")
    arguments = parser.parse_args()
    global PROGRAM
    PROGRAM = arguments.program
    unknown = set(arguments.packages) - set(PACKAGES)
    if unknown:
        parser.error(f"no such package: {', '.join(sorted(unknown))}")
    small = installed() if arguments.small else None
    enter_venv()
    import logging

    logging.getLogger("drake").setLevel(logging.ERROR)
    if small:
        roots = {"example-robot-data": small}
    elif arguments.folder:
        roots = {Path(arguments.folder).name: Path(arguments.folder)}
    else:
        roots = {name: folder(name) for name in arguments.packages or PACKAGES}
    counts = {}
    rows = []

    def row(package, name, outcome, why):
        counts[outcome] = counts.get(outcome, 0) + 1
        rows.append(f"| {package} | {name} | {outcome} | {why.replace('|', '/')} |")
        print(f"{outcome:12} {package} {name}: {why}", flush=True)

    for package, root in roots.items():
        for path in sorted(root.rglob("*.sdf")):
            row(package, path.relative_to(root).as_posix(), *look(path))
        for of, sdf, urdf in PAIRS:
            files = [next(iter(sorted(root.rglob(name))), None) for name in (sdf, urdf)]
            if of != package or None in files:
                continue
            try:
                worst = compare_pair(*files)
                most = max(worst.values())
                outcome = "agrees" if most <= TOLERANCE else "DIFFERS"
                why = f"{most:.0e}" if outcome == "agrees" else ", ".join(f"{name} {x:.1e}" for name, x in worst.items())
            except ValueError as error:
                outcome, why = "DIFFERS", str(error)
            row(package, f"{sdf} and {urdf}", outcome, why)
    print(counts)
    if small and counts.get("agrees", 0) < AT_LEAST_SMALL:
        print(f"only {counts.get('agrees', 0)} of at least {AT_LEAST_SMALL} agree")
        return 1
    if not arguments.packages and not arguments.folder and not arguments.small:
        head = "# SDF files, compared with Drake\n\nMade by `sdf.py`; see [README.md](README.md).\n\n"
        total = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        head += f"{total}.\n\n| package | file | outcome | largest deviation, or why |\n|---|---|---|---|\n"
        TABLE.write_text(head + "\n".join(rows) + "\n")
        if counts.get("agrees", 0) < AT_LEAST:
            print(f"only {counts.get('agrees', 0)} of at least {AT_LEAST} agree")
            return 1
    return 1 if counts.get("DIFFERS") else 0


if __name__ == "__main__":
    sys.exit(main())
