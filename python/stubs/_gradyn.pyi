import os
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradyn import results

_Array: TypeAlias = NDArray[np.float64]
_Path: TypeAlias = str | os.PathLike[str]
_Method: TypeAlias = Literal["analytical", "dual", "difference"]
_Reference: TypeAlias = Literal["local", "world", "local-world-aligned"]
_Wrenches: TypeAlias = dict[str, Any] | dict[tuple[str, str], Any] | dict[str | tuple[str, str], Any]
_Constraints: TypeAlias = Constraint | Sequence[Constraint]
_OfJoints: TypeAlias = dict[str, float] | dict[str, Any]

__version__: str

class InputError(ValueError):
    """An argument is not what it must be.

    Attributes are None where they do not apply.
    """

    argument: str | None
    index: int | None
    joint: str | None
    value: float | None
    expected: str | None
    got: str | None
    state: tuple[int, ...] | None

class RobotError(ValueError):
    """A robot's file, or a change of a robot, is refused.

    Attributes are None where they do not apply.
    """

    path: str | None
    line: int | None
    element: str | None
    name: str | None
    value: str | None

class FileError(ValueError):
    """A task, a file of claims, priors or data is refused, or cannot be read.

    Attributes are None where they are not known.
    """

    path: str | None
    line: int | None
    key: str | None

class RobotWarning(UserWarning):
    """Something in a robot's file is ignored and could matter, or is dubious. `Model.report` has all of it."""

@final
class Note:
    """One remark about one line of a robot's file."""

    @property
    def file(self) -> str | None:
        """The file that has the line, if not the robot's own: an included one, an SRDF file."""
    @property
    def line(self) -> int:
        """Line of the file, from 1."""
    @property
    def severity(self) -> Literal["warning", "information"]:
        """`"warning"` or `"information"`."""
    @property
    def code(self) -> str:
        """A word for programs, as `"ignored_element"`."""
    @property
    def message(self) -> str:
        """The remark."""

@final
class LoadReport:
    """What a robot's file has that is not used, or is dubious."""

    @property
    def notes(self) -> list[Note]:
        """All remarks in the order of lines; of each kind the first hundred."""
    @property
    def warnings(self) -> list[Note]:
        """Remarks that ask for attention."""
    @property
    def counts(self) -> dict[str, int]:
        """How many remarks there are of each code."""
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...

@final
class Constraint:
    """A contact of a robot with the world, or a loop between two of its frames.

    Made by `Model.contact`, `Model.connect` and `Model.weld`.
    """

    @property
    def rows(self) -> list[str]:
        """Names of the rows, as `foot.x`."""
    @property
    def gains(self) -> tuple[float, float]:
        """Gains of stabilization: `kp`, 1/s^2, and `kd`, 1/s."""
    def __reduce__(self) -> tuple[Any, tuple[()]]: ...
    def __len__(self) -> int: ...

@final
class CheckReport:
    """What a check of a derivative found.

    For each entry: what is claimed, what was found, how far off it may be, and a verdict.
    """

    @property
    def name(self) -> str:
        """Name of the derivative."""
    @property
    def agrees(self) -> bool:
        """Whether every entry agrees."""
    @property
    def disagrees(self) -> bool:
        """Whether an entry disagrees."""
    @property
    def counts(self) -> dict[str, int]:
        """How many entries agree, disagree, and are undecided."""
    @property
    def rows(self) -> list[str]:
        """Names of the rows."""
    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
    @property
    def claimed(self) -> _Array:
        """What is claimed, rows by columns."""
    @property
    def found(self) -> _Array:
        """What was found; NaN where nothing was."""
    @property
    def error(self) -> _Array:
        """The estimated error of what was found."""
    @property
    def bound(self) -> _Array:
        """The deviation that is allowed."""
    @property
    def verdicts(self) -> list[list[str]]:
        """The verdict of each entry: "agrees", "disagrees", or "cannot tell: ..." with the reason."""
    @property
    def worst(self) -> list[tuple[str, str, float, float, float, str]]:
        """Entries that disagree or are undecided, the furthest first: row, column, claimed, found, allowed, verdict."""
    @property
    def guesses(self) -> list[str]:
        """Mistakes that explain what disagrees, the most probable first, in words."""
    @property
    def notes(self) -> list[str]:
        """Further remarks."""
    def __bool__(self) -> bool: ...
    def _repr_html_(self) -> str: ...

@final
class Model:
    """A robot: names, tree, masses, limits.

    A robot never changes; `with_...` give changed ones. Functions of it are its methods. All of them take many states at once:
    leading dimensions broadcast, as NumPy has it. Matrices stand column by column within each state. Robots can be pickled and
    compared, and be used by many threads.
    """

    @staticmethod
    def from_urdf(
        path_or_text: _Path,
        *,
        floating_base: bool = False,
        joint_friction: bool = True,
        joint_order: Literal["file", "pinocchio"] = "file",
        mimic: Literal["follow", "independent"] = "follow",
        continuous: Literal["angle", "cos-sin"] = "angle",
        gravity: ArrayLike | None = None,
        armature: _OfJoints | None = None,
        strict: bool = False,
        merge_fixed_joints: bool = True,
    ) -> Model:
        """Reads a robot from a URDF file, or its text.

        Parameters
        ----------
        path_or_text : str or os.PathLike
            The file, or its text, which begins with `<`.
        floating_base : bool
            Hangs the root link from the world by a free-flyer instead of fixing it.
        joint_friction : bool
            With the file's damping and friction.
        joint_order : {"file", "pinocchio"}
            Joints in the order of the file, or as Pinocchio has them.
        mimic : {"follow", "independent"}
            Joints that mimic others follow them, or move by themselves.
        continuous : {"angle", "cos-sin"}
            Continuous joints have one coordinate, or two.
        gravity : array_like, shape (3,), optional
            m/s^2, in the world; 0, 0, -9.81 without it.
        armature : dict from joint to number or numbers, optional
            kg m^2 or kg, instead of what the file says.
        strict : bool
            Makes the first warning an error.
        merge_fixed_joints : bool
            Merges links behind fixed joints into the body that carries them; their names stay as frames.

        Returns
        -------
        Model

        Raises
        ------
        RobotError
            With the line, the element and the value that make no sense.
        FileError
            For a file that cannot be read.

        Warns
        -----
        RobotWarning
            For what is ignored and could matter, or looks dubious; `Model.report` has all of it.
        """
    @staticmethod
    def from_file(
        path: str | os.PathLike[str],
        *,
        srdf: str | os.PathLike[str] | None = None,
        floating_base: bool = False,
        fixed_base: bool = False,
        joint_friction: bool = True,
        friction_width: float | None = None,
        gravity: ArrayLike | None = None,
        strict: bool = False,
    ) -> Model:
        """Reads a robot from a file of any format: URDF, MJCF or SDF, as its root element says.

        Parameters
        ----------
        path : str or os.PathLike
            The file.
        srdf : str or os.PathLike, optional
            An SRDF file, whose states become `configurations`.
        floating_base : bool
            Of URDF: hangs the root link from the world by a free-flyer instead of fixing it.
        fixed_base : bool
            Of SDF: fixes links that no joint carries to the world, instead of letting them move freely.
        joint_friction : bool
            With the file's damping and friction.
        friction_width : float, optional
            Speed over which Coulomb friction changes sign, rad/s or m/s; without it 0.01, and `frictionloss` of MJCF is left out.
        gravity : array_like, shape (3,), optional
            m/s^2, in the world; without it that of the file, else 0, 0, -9.81.
        strict : bool
            Makes the first warning an error.

        Returns
        -------
        Model
            Its `configurations` are those that the file names.

        Raises
        ------
        RobotError
            With the line, the element and the value that make no sense.
        FileError
            For a file that cannot be read.

        Warns
        -----
        RobotWarning
            For what is ignored and could matter, or looks dubious; `Model.report` has all of it.
        """
    def to_urdf(self) -> str:
        """The text of a URDF file of the robot; what URDF cannot say is an error that names it."""
    def to_mjcf(self) -> str:
        """The text of an MJCF file of the robot; what MJCF cannot say is an error that names it."""
    @staticmethod
    def from_json(text: str) -> Model:
        """Reads a robot from a document that `to_json` has written."""
    def to_json(self) -> str:
        """The robot as a JSON document, which `from_json` reads: the same bits."""
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...
    def __copy__(self) -> Model: ...
    def __deepcopy__(self, _memo: Any) -> Model: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    @property
    def name(self) -> str:
        """The robot's name."""
    @property
    def nq(self) -> int:
        """Numbers of a configuration."""
    @property
    def nv(self) -> int:
        """Degrees of freedom."""
    @property
    def gravity(self) -> list[float]:
        """Gravity in the world, m/s^2."""
    @property
    def mass(self) -> float:
        """Mass of all that moves, kg."""
    @property
    def report(self) -> LoadReport | None:
        """What the file has that is not used, or is dubious; None for a robot that does not come from a file."""
    @property
    def path(self) -> os.PathLike[str] | None:
        """The file that the robot comes from, if it does."""
    @property
    def body_names(self) -> list[str]:
        """Names of the bodies, in the order of the tree."""
    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, one a body."""
    @property
    def frame_names(self) -> list[str]:
        """Names of the frames: links and joints of the file."""
    @property
    def configurations(self) -> dict[str, _Array]:
        """Named configurations of the files: keyframes of MJCF, `file` of SDF (links where it places them), states of SRDF."""
    @property
    def dof_names(self) -> list[str]:
        """Names of the degrees of freedom, nv."""
    @property
    def q_slices(self) -> dict[str, slice[int, int, int]]:
        """For each joint, the places of its numbers in q, as a slice."""
    @property
    def v_slices(self) -> dict[str, slice[int, int, int]]:
        """For each joint, the places of its numbers in v, as a slice."""
    @property
    def q_lower(self) -> _Array:
        """Least q, shape (nq,)."""
    @property
    def q_upper(self) -> _Array:
        """Greatest q, shape (nq,)."""
    @property
    def velocity_limit(self) -> _Array:
        """Greatest speed, shape (nv,), rad/s or m/s."""
    @property
    def effort_limit(self) -> _Array:
        """Greatest torque or force, shape (nv,), N m or N."""
    @property
    def control_names(self) -> list[str]:
        """Names of the controls: the robot's actuators, or, if it has none, its degrees of freedom but those of a floating base."""
    @property
    def control_lower(self) -> _Array:
        """Least controls, shape (nu,), those that the efforts of joints allow included."""
    @property
    def control_upper(self) -> _Array:
        """Greatest controls, shape (nu,), those that the efforts of joints allow included."""
    @property
    def actuation(self) -> _Array:
        """The matrix B of torques of controls, `tau = B u`, shape (nv, nu): gears of the actuators."""
    @property
    def has_joint_friction(self) -> bool:
        """Whether damping and friction of joints count."""
    @property
    def parameters(self) -> dict[str, float]:
        """All parameters of the robot by name, with their values: as `gradyn parameters` lists them."""
    @property
    def inertial_parameters(self) -> _Array:
        """Inertial parameters of all bodies, ten each: m, m c, inertia about the body's origin (xx, xy, yy, xz, yz, zz)."""
    @property
    def standard_parameters(self) -> _Array:
        """Parameters that torques are linear in: inertial ones of all bodies, then friction, damping and armature."""
    @property
    def standard_parameter_names(self) -> list[str]:
        """Names of the standard parameters."""
    @property
    def parameter_blocks(self) -> dict[str, slice[int, int, int]]:
        """Where the numbers of `rnea_parameter_gradient(...).dp` stand: names of blocks and slices."""
    def neutral(self) -> _Array:
        """The neutral configuration, shape (nq,): zeros, and the rotations that do nothing."""
    def random(self, count: int | None = None, *, seed: int | None = None) -> _Array:
        """Random configurations within the limits.

        Parameters
        ----------
        count : int, optional
            How many; without it, one.
        seed : int, optional
            The same seed gives the same.

        Returns
        -------
        ndarray, shape (nq,) or (count, nq)
        """
    def normalize(self, q: ArrayLike) -> _Array:
        """The configuration with its quaternions and (cos, sin) pairs made of length one; of shape (..., nq)."""
    def with_gravity(self, gravity: ArrayLike) -> Model:
        """The robot with other gravity, m/s^2."""
    def with_joint_friction(self, on: bool) -> Model:
        """The robot with damping and friction of its joints, or without."""
    def with_parameters(self, values: dict[str, float]) -> Model:
        """The robot with other values of some parameters: a dictionary by the names of `Model.parameters`."""
    def with_armature(self, armature: _OfJoints) -> Model:
        """The robot with other armature of some joints, kg m^2 or kg: a dictionary from joint to number or numbers."""
    def with_damping(self, damping: _OfJoints) -> Model:
        """The robot with other damping of some joints, N m s/rad or N s/m."""
    def with_friction(self, friction: _OfJoints) -> Model:
        """The robot with other Coulomb friction of some joints, N m or N."""
    def with_stiffness(self, stiffness: _OfJoints) -> Model:
        """The robot with other stiffness of the springs of some joints, N m/rad or N/m."""
    def with_spring_reference(self, reference: _OfJoints) -> Model:
        """The robot with other coordinates at which the springs of some joints rest, rad or m."""
    def with_stribeck(self, stribeck: _OfJoints) -> Model:
        """The robot with other Stribeck friction of some joints, what Coulomb friction has more at rest, N m or N."""
    def with_stribeck_velocity(self, velocity: _OfJoints) -> Model:
        """The robot with another speed over which the Stribeck friction of some joints decays, rad/s or m/s."""
    def with_friction_asymmetry(self, asymmetry: _OfJoints) -> Model:
        """The robot with other asymmetry of friction: half of what friction forward is above friction backward, N m or N."""
    def with_effort_limits(self, limits: _OfJoints) -> Model:
        """The robot with another effort limit of some joints, N m or N."""
    def with_velocity_limits(self, limits: _OfJoints) -> Model:
        """The robot with another speed limit of some joints, rad/s or m/s."""
    def with_frame(self, body: str | None, name: str, placement: ArrayLike) -> Model:
        """The robot with one frame more.

        Parameters
        ----------
        body : str or None
            The body that it is fixed to; None for the world.
        name : str
        placement : array_like, shape (4, 4) or (3,)
            Pose in the body's frame, or in the world, m; or a translation.
        """
    def reduced(self, locked: _OfJoints) -> Model:
        """The robot with some joints locked: a dictionary from joint to its coordinates, which may be one number."""
    def rerooted_at(self, body: str) -> Model:
        """The robot, floating, described from another of its bodies."""
    def remove_subtree(self, body: str) -> Model:
        """The robot without a body and all that it carries."""
    def append(self, other: Model, frame: str, *, prefix: str = "") -> Model:
        """The robot with another that hangs from one of its frames; names of the other's get the prefix."""
    def attach(self, frame: str, mass: float, *, com: ArrayLike | None = None, inertia: ArrayLike | None = None) -> Model:
        """The robot with a mass on a frame.

        Parameters
        ----------
        frame : str
        mass : float
            kg
        com : array_like, shape (3,), optional
            Center of mass in the frame, m.
        inertia : array_like, shape (3, 3), optional
            About the center of mass, in axes of the frame, kg m^2.
        """
    def contact(
        self,
        frame: str,
        *,
        at: ArrayLike | None = None,
        kind: Literal["point", "frame"] = "point",
        kp: float = 0.0,
        kd: float = 0.0,
    ) -> Constraint:
        """A contact with the world.

        Parameters
        ----------
        frame : str
            The frame that is held.
        at : array_like, shape (3,) or (4, 4), optional
            Where it is held in the world, m. Forces and derivatives do not depend on it, but through `kp`, and errors.
        kind : {"point", "frame"}
            The frame's origin, 3 rows, or the frame, 6 rows.
        kp, kd : float
            Gains of stabilization, 1/s^2 and 1/s.
        """
    def connect(self, a: str, b: str, *, kp: float = 0.0, kd: float = 0.0) -> Constraint:
        """A loop: the origins of two frames coincide, 3 rows."""
    def weld(self, a: str, b: str, *, kp: float = 0.0, kd: float = 0.0) -> Constraint:
        """A loop: two frames coincide, 6 rows."""
    def sparsity(
        self,
        of: Literal[
            "torques",
            "accelerations",
            "center_of_mass",
            "centroidal",
            "torque_regressor",
            "frame",
            "constraint_jacobian",
            "constrained_accelerations",
            "multipliers",
        ] = "torques",
        *,
        frame: str | None = None,
        constraints: _Constraints | None = None,
    ) -> Any:
        """Which entries of a matrix can be nonzero at any state: a `scipy.sparse.csc_array` of ones.

        Parameters
        ----------
        of : str
            "torques" (of dtau_dq and dtau_dv; dtau_da too), "accelerations", "center_of_mass", "centroidal", "torque_regressor",
            "frame" (of a Jacobian), "constraint_jacobian", "constrained_accelerations" or "multipliers".
        frame : str, optional
            For "frame".
        constraints : Constraint or sequence of Constraint, optional
            For the last three.
        """
    def second_sparsity(
        self, of: Literal["torques", "mass_matrix", "accelerations", "accelerations_by_velocities"] = "torques"
    ) -> NDArray[np.int64]:
        """Which entries (i, j, k) of second derivatives can be nonzero at any state, an array of shape (nonzeros, 3)."""
    # Functions of the table.

def build_info() -> dict[str, Any]:
    """What this build is: version, vector instructions in use, threads."""

# Not for users.
