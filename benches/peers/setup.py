"""What the comparison needs: packages, compiled programs, robots. Everything lies in the cache directory."""

import hashlib
import json
import math
import os
import random
import shutil
import subprocess
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGES = ["pin==4.1.0", "cmeel-eigen", "casadi==3.8.2", "mujoco==4.0.0", "numpy"]
FLAGS = ["-O3", "-march=native"]
BOOST = [
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]


class Missing(Exception):
    """Something cannot be had on this machine."""


def run(command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


class Tools:
    """A Python of its own in the cache directory, with packages from PyPI, and a compiler."""

    def __init__(self, cache, packages, folder="venv"):
        self.cache, self.packages, self.venv = Path(cache), packages, Path(cache) / folder
        self.cache.mkdir(parents=True, exist_ok=True)
        self.python = self.venv / "bin" / "python"
        self._install()
        site = subprocess.check_output(
            [self.python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], text=True
        )
        self.site = Path(site.strip())
        self.prefix = self.site / "cmeel.prefix"
        self.compiler, self.compiler_version = self._compiler()

    def _install(self):
        done = self.venv / "packages.txt"
        wanted = "\n".join(self.packages)
        if done.exists() and done.read_text() == wanted:
            return
        print("installing", *self.packages)
        try:
            if not self.python.exists():
                venv.create(self.venv, with_pip=True)
            run([self.python, "-m", "pip", "install", "--quiet", *self.packages])
        except subprocess.CalledProcessError as error:
            raise Missing(f"the packages cannot be had from PyPI: {error}") from error
        done.write_text(wanted)

    def _compiler(self):
        """clang, the newest: gcc makes Pinocchio up to 1.8 times slower, which would flatter us."""
        names = [f"clang++-{version}" for version in range(22, 15, -1)] + ["clang++"]
        found = next((path for path in map(shutil.which, names) if path), None)
        if not found and shutil.which("apt-get") and os.geteuid() == 0:
            try:
                run(["apt-get", "update", "-qq"])
                run(["apt-get", "install", "-y", "-qq", "clang-19"], stdout=subprocess.DEVNULL)
                found = shutil.which("clang++-19")
            except subprocess.CalledProcessError:
                pass
        if not found:
            found = shutil.which("g++")
            if not found:
                raise Missing("there is no C++ compiler, and apt cannot bring clang")
            print("there is no clang, and apt cannot bring it: g++ makes Pinocchio slower than it can be")
        return found, self._version(found)

    def _version(self, compiler):
        return subprocess.check_output([compiler, "--version"], text=True).splitlines()[0]

    def _stale(self, out, *made_of):
        """Was it made of something else than this? Notes what it is made of now."""
        key, note = hashlib.sha256(repr(made_of).encode()).hexdigest(), out.with_name(out.name + ".made-of")
        if out.exists() and note.exists() and note.read_text() == key:
            return False
        out.unlink(missing_ok=True)
        note.write_text(key)
        return True


class Peers(Tools):
    """The programs that gradyn is compared with, call by call."""

    def __init__(self, cache):
        super().__init__(cache, PACKAGES)
        # Which one makes the faster code of long straight lines is not known beforehand.
        c = [Path(self.compiler).name.replace("clang++", "clang").replace("g++", "gcc"), "gcc"]
        self.c_compilers = [(name, self._version(name)) for name in dict.fromkeys(c) if shutil.which(name)]
        self.pinocchio = self.build("pinocchio", FLAGS)

    def _rpath(self, folder):
        """Relative, so that the cache may be moved."""
        return f"-Wl,-rpath,$ORIGIN/{os.path.relpath(folder, self.cache / 'bin')}"

    def build(self, name, flags, more=()):
        """A program of this directory; compiled again when its text, compiler or flags have changed."""
        out, source = self.cache / "bin" / name, HERE / f"{name}.cpp"
        out.parent.mkdir(exist_ok=True)
        texts = [text.read_text() for text in (source, HERE / "robot.hpp", HERE / "clock.hpp")]
        if not self._stale(out, texts, self.compiler_version, flags, PACKAGES):
            return out
        print(f"compiling {name}", flush=True)
        include = ["-isystem", self.prefix / "include", "-isystem", self.prefix / "include" / "eigen3"]
        library = [f"-L{self.prefix / 'lib'}", self._rpath(self.prefix / "lib")]
        standard = ["-std=c++17", "-DNDEBUG", "-w", *BOOST]
        run([self.compiler, *standard, *include, *flags, source, "-o", out, *library, *more])
        return out

    def mujoco(self):
        folder = self.site / "mujoco"
        library = next(folder.glob("libmujoco.so*"), None)
        if library is None:
            raise Missing("MuJoCo's package has no library")
        return self.build("mujoco", ["-O2"], ["-isystem", folder / "include", library, self._rpath(folder)])

    def generated(self, name, text):
        """The commands that call CasADi's C for one robot, by compiler; and how many operations its functions take."""
        folder = self.site / "casadi"
        more = ["-isystem", folder / "include", f"-L{folder}", self._rpath(folder), "-lcasadi"]
        writer, caller = self.build("casadi", ["-O1"], more), self.build("generated", ["-O2"], ["-ldl"])
        code = self.cache / "robots" / name / "code.c"
        written_by = (self.cache / "bin" / "casadi.made-of").read_text()
        if self._stale(code, written_by, text.read_text()):
            print(f"generating code for {name}", flush=True)
            run([writer, text, code])
        commands = {}
        for compiler, version in self.c_compilers:
            library = code.with_suffix(f".{compiler.split('-')[0]}.so")
            if self._stale(library, code.read_text(), version, FLAGS):
                print(f"compiling it by {compiler}", flush=True)
                run([compiler, *FLAGS, "-w", "-fPIC", "-shared", code, "-o", library, "-lm"], timeout=1200)
            commands[compiler] = [caller, library, text]
        return commands, json.loads(Path(f"{code}.json").read_text())

    def describe(self, name, urdf, floating):
        """The robot as the programs read it."""
        folder = self.cache / "robots" / name
        folder.mkdir(parents=True, exist_ok=True)
        flags = ["--floating-base"] if floating else []
        run([self.python, HERE / "describe.py", urdf, folder, *flags])
        return folder


def link(name, rng):
    mass, com = rng.uniform(0.5, 2), [rng.uniform(-0.05, 0.05) for _ in range(3)]
    x, y, z = (rng.uniform(0.005, 0.02) for _ in range(3))
    turn = [rng.uniform(-1, 1) for _ in range(3)]
    return (
        f'<link name="{name}"><inertial><origin xyz="{com[0]} {com[1]} {com[2]}" rpy="{turn[0]} {turn[1]} {turn[2]}"/>'
        f'<mass value="{mass}"/><inertia ixx="{y + z}" iyy="{x + z}" izz="{x + y}" ixy="0" ixz="0" iyz="0"/>'
        f"</inertial></link>\n"
    )


def joint(i, parent, rng):
    x, y, z = rng.uniform(-0.02, 0.02), rng.uniform(-0.02, 0.02), rng.uniform(0.08, 0.15)
    turn = [rng.uniform(-0.5, 0.5) for _ in range(3)]
    axis = ["0 0 1", "0 1 0", "1 0 0"][i % 3]
    # Pinocchio orders joints by name.
    return (
        f'<joint name="joint{i:03}" type="revolute"><parent link="{parent}"/><child link="link{i:03}"/>'
        f'<origin xyz="{x} {y} {z}" rpy="{turn[0]} {turn[1]} {turn[2]}"/><axis xyz="{axis}"/>'
        f'<limit lower="{-math.pi}" upper="{math.pi}" effort="100" velocity="10"/></joint>\n'
    )


def tree(name, n, parent_of):
    """A robot with n revolute joints about turned axes; `parent_of(i)` is its parent's number, -1 for the base."""
    rng = random.Random(n)
    text = f'<robot name="{name}">\n' + link("base", rng)
    for i in range(n):
        parent = parent_of(i)
        text += link(f"link{i:03}", rng) + joint(i, "base" if parent < 0 else f"link{parent:03}", rng)
    return text + "</robot>\n"
