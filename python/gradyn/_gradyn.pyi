# Written by python/stubs.py: do not edit.
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

__all__ = ["CheckReport", "Constraint", "FileError", "InputError", "LoadReport", "Model", "Note", "Parameters", "Priors", "RobotError", "RobotWarning", "_Along", "_Mpc", "_Output", "_Rollout", "_Solution", "_Task", "__version__", "_functions", "_panic", "_xla_handler", "_xla_register", "build_info", "check_claims", "check_gradient", "check_hessian", "check_jacobian", "excite_find", "identify_fit", "morris_analyze", "morris_count", "morris_samples", "sensitivity_evaluate", "sensitivity_local", "sensitivity_rounding", "sobol_analyze", "sobol_count", "sobol_samples"]

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
    def rnea(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Inverse dynamics: joint torques `tau = M(q) a + c(q, v) - sum J^T w`, N m or N.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        tau : ndarray, shape (..., nv)
            Torques or forces of the joints, N m or N.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        References
        ----------
        R. Featherstone, Rigid Body Dynamics Algorithms, 2008, table 5.1.

        Examples
        --------
        >>> model = gradyn.Model.from_urdf("robots/panda.urdf")
        >>> model.rnea(model.neutral(), np.zeros(7), np.zeros(7)).shape
        (7,)
        >>> model.rnea(model.random(100, seed=1), 0.1, 0).shape
        (100, 7)
        """
    def aba(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Forward dynamics: joint accelerations `ddq = M(q)^-1 (tau - c(q, v) + sum J^T w)`, rad/s^2 or m/s^2.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        tau : array_like, shape (..., nv)
            Torques or forces of the joints, N m or N.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        ddq : ndarray, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        References
        ----------
        R. Featherstone, Rigid Body Dynamics Algorithms, 2008, table 7.1.

        Examples
        --------
        >>> model = gradyn.Model.from_urdf("robots/panda.urdf")
        >>> q, v, tau = model.random(seed=1), np.full(7, 0.1), np.ones(7)
        >>> bool(np.allclose(model.rnea(q, v, model.aba(q, v, tau)), tau))
        True
        """
    def crba(
        self,
        q: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The mass matrix `M(q)`, symmetric, armature included.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        mass_matrix : ndarray, shape (..., nv, nv)
            The mass matrix, symmetric, armature included.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        References
        ----------
        R. Featherstone, Rigid Body Dynamics Algorithms, 2008, table 6.2.
        """
    def minv(
        self,
        q: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The inverse of the mass matrix, symmetric.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        inverse : ndarray, shape (..., nv, nv)
            The inverse of the mass matrix, symmetric.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def solve_mass_matrix(
        self,
        q: ArrayLike,
        b: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """`M(q)^-1 b`, by the factors of the mass matrix.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        b : array_like, shape (..., nv)
            Right-hand sides.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        x : ndarray, shape (..., nv)
            Solutions.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        References
        ----------
        R. Featherstone, Rigid Body Dynamics Algorithms, 2008, table 6.3.
        """
    def bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Bias torques `c(q, v) - sum J^T w`: gravity, Coriolis and centrifugal terms, friction.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        torques : ndarray, shape (..., nv)
            Bias torques, N m or N.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def generalized_gravity(
        self,
        q: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Torques of gravity, `g(q)`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        gravity : ndarray, shape (..., nv)
            Torques of gravity, N m or N.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def static_torque(
        self,
        q: ArrayLike,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Torques that hold the robot at rest, `g(q) - sum J^T w`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        tau : ndarray, shape (..., nv)
            Torques or forces of the joints, N m or N.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def coriolis_matrix(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The Coriolis matrix `C(q, v)`: `C v = c(q, v) - g(q)`, and `dM/dt - 2 C` is skew.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        coriolis : ndarray, shape (..., nv, nv)
            The Coriolis matrix.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def kinetic_energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> Any:
        """Kinetic energy `v^T M v / 2`, J.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        energy : float, or ndarray of shape (...)
            Energy, J.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def potential_energy(
        self,
        q: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> Any:
        """Potential energy in the gravitational field, J.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        energy : float, or ndarray of shape (...)
            Energy, J.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def mechanical_energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> Any:
        """Kinetic and potential energy, J.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        energy : float, or ndarray of shape (...)
            Energy, J.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def rnea_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        method: _Method = "analytical",
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.RneaDerivatives:
        """Torques of inverse dynamics and their derivatives.

        `dtau_da` is the mass matrix; `dtau_df_ext` has a matrix for each wrench, by its own numbers, minus the
        transposed Jacobian.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 5 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.RneaDerivatives
            A named tuple:

            tau : ndarray, shape (..., nv)
                Torques or forces of the joints, N m or N.
            dtau_dq : ndarray, shape (..., nv, nv)
                Derivative of the torques by q.
            dtau_dv : ndarray, shape (..., nv, nv)
                Derivative of the torques by v.
            dtau_da : ndarray, shape (..., nv, nv)
                Derivative of the torques by a.
            dtau_df_ext : ndarray, shape (..., wrenches, nv, 6)
                Derivative of the torques by each wrench, six columns.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        References
        ----------
        S. Singh, R. Russell, P. Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial vector
        algebra, RA-L 7(2), 2022.

        Examples
        --------
        >>> model = gradyn.Model.from_urdf("robots/panda.urdf")
        >>> d = model.rnea_derivatives(model.random(100, seed=1), 0.1, 0)
        >>> d.dtau_dq.shape
        (100, 7, 7)
        >>> fast = np.empty((100, 7, 7))
        >>> model.rnea_derivatives(model.random(100, seed=1), 0.1, 0, out=(None, fast, None, None, None)).dtau_dq is fast
        True
        """
    def aba_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        method: _Method = "analytical",
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.AbaDerivatives:
        """Accelerations of forward dynamics and their derivatives.

        `ddq_dtau` is the inverse of the mass matrix; `ddq_df_ext` has a matrix for each wrench, by its own numbers.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        tau : array_like, shape (..., nv)
            Torques or forces of the joints, N m or N.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 5 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.AbaDerivatives
            A named tuple:

            ddq : ndarray, shape (..., nv)
                Accelerations, rad/s^2 or m/s^2.
            ddq_dq : ndarray, shape (..., nv, nv)
                Derivative of the accelerations by q.
            ddq_dv : ndarray, shape (..., nv, nv)
                Derivative of the accelerations by v.
            ddq_dtau : ndarray, shape (..., nv, nv)
                Derivative of the accelerations by tau.
            ddq_df_ext : ndarray, shape (..., wrenches, nv, 6)
                Derivative of the accelerations by each wrench, six columns.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def bias_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        method: _Method = "analytical",
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.BiasDerivatives:
        """Bias torques and their derivatives.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 4 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.BiasDerivatives
            A named tuple:

            bias : ndarray, shape (..., nv)
                Bias torques, N m or N.
            dbias_dq : ndarray, shape (..., nv, nv)
                Derivative of the bias torques by q.
            dbias_dv : ndarray, shape (..., nv, nv)
                Derivative of the bias torques by v.
            dbias_df_ext : ndarray, shape (..., wrenches, nv, 6)
                Derivative of the bias torques by each wrench, six columns.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def generalized_gravity_derivatives(
        self,
        q: ArrayLike,
        *,
        method: _Method = "analytical",
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None] | None = None,
    ) -> results.GravityDerivatives:
        """Torques of gravity and their derivative.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 2 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.GravityDerivatives
            A named tuple:

            gravity : ndarray, shape (..., nv)
                Torques of gravity, N m or N.
            dgravity_dq : ndarray, shape (..., nv, nv)
                Derivative of the torques of gravity by q.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def static_torque_derivatives(
        self,
        q: ArrayLike,
        *,
        method: _Method = "analytical",
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.StaticTorqueDerivatives:
        """Torques that hold the robot at rest, and their derivatives.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 3 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.StaticTorqueDerivatives
            A named tuple:

            tau : ndarray, shape (..., nv)
                Torques or forces of the joints, N m or N.
            dtau_dq : ndarray, shape (..., nv, nv)
                Derivative of the torques by q.
            dtau_df_ext : ndarray, shape (..., wrenches, nv, 6)
                Derivative of the torques by each wrench, six columns.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def mass_product_derivatives(
        self,
        q: ArrayLike,
        a: ArrayLike,
        *,
        method: _Method = "analytical",
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.MassProductDerivatives:
        """The product `M(q) a` and its derivatives.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 3 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.MassProductDerivatives
            A named tuple:

            product : ndarray, shape (..., nv)
                The product of mass matrix and accelerations, N m or N.
            dproduct_dq : ndarray, shape (..., nv, nv)
                Derivative of the product by q.
            mass_matrix : ndarray, shape (..., nv, nv)
                The mass matrix, symmetric, armature included.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def rnea_second_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        method: _Method = "analytical",
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.RneaSecondDerivatives:
        """Second derivatives of the torques of inverse dynamics.

        Entry (i, j, k) is that of `tau[i]` by the first and the second variable named.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 4 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.RneaSecondDerivatives
            A named tuple:

            d2tau_dqdq : ndarray, shape (..., nv, nv, nv)
                Second derivative of the torques by q and q: of entry i by the directions j and k.
            d2tau_dqdv : ndarray, shape (..., nv, nv, nv)
                Second derivative of the torques by q and v: of entry i by the directions j and k.
            d2tau_dvdv : ndarray, shape (..., nv, nv, nv)
                Second derivative of the torques by v and v: of entry i by the directions j and k.
            d2tau_dadq : ndarray, shape (..., nv, nv, nv)
                Second derivative of the torques by a and q: of entry i by the directions j and k.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        References
        ----------
        S. Singh, R. Russell, P. Wensing, On second-order derivatives of rigid-body dynamics: theory and
        implementation, T-RO 2024.
        """
    def aba_second_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        method: _Method = "analytical",
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.AbaSecondDerivatives:
        """Second derivatives of the accelerations of forward dynamics.

        Entry (i, j, k) is that of `ddq[i]` by the first and the second variable named.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        tau : array_like, shape (..., nv)
            Torques or forces of the joints, N m or N.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 4 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.AbaSecondDerivatives
            A named tuple:

            d2ddq_dqdq : ndarray, shape (..., nv, nv, nv)
                Second derivative of the accelerations by q and q: of entry i by the directions j and k.
            d2ddq_dqdv : ndarray, shape (..., nv, nv, nv)
                Second derivative of the accelerations by q and v: of entry i by the directions j and k.
            d2ddq_dvdv : ndarray, shape (..., nv, nv, nv)
                Second derivative of the accelerations by v and v: of entry i by the directions j and k.
            d2ddq_dqdtau : ndarray, shape (..., nv, nv, nv)
                Second derivative of the accelerations by q and tau: of entry i by the directions j and k.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        References
        ----------
        S. Singh, R. Russell, P. Wensing, On second-order derivatives of rigid-body dynamics: theory and
        implementation, T-RO 2024.
        """
    def rnea_gradient(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        lambda_: ArrayLike,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.RneaGradient:
        """The combination `lambda^T tau` of the torques of inverse dynamics, and its gradient, without matrices.

        `df_ext` is the gradient by the wrenches, six numbers each.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        lambda_ : array_like, shape (..., nv)
            Weights of the combination.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 5 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.RneaGradient
            A named tuple:

            value : float, or ndarray of shape (...)
                The combination.
            dq : ndarray, shape (..., nv)
                Derivative by q.
            dv : ndarray, shape (..., nv)
                Derivative by v.
            da : ndarray, shape (..., nv)
                Derivative by a.
            df_ext : ndarray, shape (..., wrenches, 6)
                Derivative by each wrench, six numbers.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def rnea_hessian(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        lambda_: ArrayLike,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.RneaHessian:
        """A combination of the torques of inverse dynamics, with its Hessian.

        The combination `lambda^T tau` of the torques of inverse dynamics, its gradient, and its Hessian in blocks:
        `dvq` has a row for each velocity and a column for each direction of `q`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        lambda_ : array_like, shape (..., nv)
            Weights of the combination.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 8 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.RneaHessian
            A named tuple:

            value : float, or ndarray of shape (...)
                The combination.
            dq : ndarray, shape (..., nv)
                Derivative by q.
            dv : ndarray, shape (..., nv)
                Derivative by v.
            da : ndarray, shape (..., nv)
                Derivative by a.
            dqq : ndarray, shape (..., nv, nv)
                Hessian, by q twice.
            dvq : ndarray, shape (..., nv, nv)
                Hessian, a row for each entry of v, a column for each direction of q.
            daq : ndarray, shape (..., nv, nv)
                Hessian, a row for each entry of a, a column for each direction of q.
            dvv : ndarray, shape (..., nv, nv)
                Hessian, by v twice.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        References
        ----------
        S. Singh, R. Russell, P. Wensing, T-RO 2024, whose tensors it is a contraction of; J. Nganga, P. Wensing,
        Accelerating second-order differential dynamic programming for rigid-body systems, RA-L 2021.
        """
    def rnea_hessian_product(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        lambda_: ArrayLike,
        along_q: ArrayLike,
        along_v: ArrayLike,
        along_a: ArrayLike,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.RneaHessianProduct:
        """The Hessian of `lambda^T tau` times a direction in `q`, `v` and `a`, without the matrix.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        lambda_ : array_like, shape (..., nv)
            Weights of the combination.
        along_q : array_like, shape (..., nv)
            Direction in the tangent space of q.
        along_v : array_like, shape (..., nv)
            Direction in v.
        along_a : array_like, shape (..., nv)
            Direction in a.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 3 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.RneaHessianProduct
            A named tuple:

            dq : ndarray, shape (..., nv)
                Derivative by q.
            dv : ndarray, shape (..., nv)
                Derivative by v.
            da : ndarray, shape (..., nv)
                Derivative by a.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def aba_gradient(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        lambda_: ArrayLike,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.AbaGradient:
        """The combination `lambda^T ddq` of the accelerations of forward dynamics, and its gradient, without matrices.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        tau : array_like, shape (..., nv)
            Torques or forces of the joints, N m or N.
        lambda_ : array_like, shape (..., nv)
            Weights of the combination.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 5 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.AbaGradient
            A named tuple:

            value : float, or ndarray of shape (...)
                The combination.
            dq : ndarray, shape (..., nv)
                Derivative by q.
            dv : ndarray, shape (..., nv)
                Derivative by v.
            dtau : ndarray, shape (..., nv)
                Derivative by tau.
            df_ext : ndarray, shape (..., wrenches, 6)
                Derivative by each wrench, six numbers.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def aba_hessian(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        lambda_: ArrayLike,
        *,
        method: _Method = "analytical",
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.AbaHessian:
        """A combination of the accelerations of forward dynamics, with its Hessian.

        The combination `lambda^T ddq` of the accelerations of forward dynamics, its gradient, and its Hessian in
        blocks.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        tau : array_like, shape (..., nv)
            Torques or forces of the joints, N m or N.
        lambda_ : array_like, shape (..., nv)
            Weights of the combination.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 8 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.AbaHessian
            A named tuple:

            value : float, or ndarray of shape (...)
                The combination.
            dq : ndarray, shape (..., nv)
                Derivative by q.
            dv : ndarray, shape (..., nv)
                Derivative by v.
            dtau : ndarray, shape (..., nv)
                Derivative by tau.
            dqq : ndarray, shape (..., nv, nv)
                Hessian, by q twice.
            dvq : ndarray, shape (..., nv, nv)
                Hessian, a row for each entry of v, a column for each direction of q.
            dtauq : ndarray, shape (..., nv, nv)
                Hessian, a row for each entry of tau, a column for each direction of q.
            dvv : ndarray, shape (..., nv, nv)
                Hessian, by v twice.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def aba_hessian_product(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        lambda_: ArrayLike,
        along_q: ArrayLike,
        along_v: ArrayLike,
        along_tau: ArrayLike,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.AbaHessianProduct:
        """The Hessian of `lambda^T ddq` times a direction in `q`, `v` and `tau`, without the matrix.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        tau : array_like, shape (..., nv)
            Torques or forces of the joints, N m or N.
        lambda_ : array_like, shape (..., nv)
            Weights of the combination.
        along_q : array_like, shape (..., nv)
            Direction in the tangent space of q.
        along_v : array_like, shape (..., nv)
            Direction in v.
        along_tau : array_like, shape (..., nv)
            Direction in tau.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 3 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.AbaHessianProduct
            A named tuple:

            dq : ndarray, shape (..., nv)
                Derivative by q.
            dv : ndarray, shape (..., nv)
                Derivative by v.
            dtau : ndarray, shape (..., nv)
                Derivative by tau.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def rnea_parameter_gradient(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        lambda_: ArrayLike,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.RneaParameterGradient:
        """A combination of the torques of inverse dynamics, with its gradient by all parameters.

        `lambda^T tau` of inverse dynamics, and its gradient by all parameters of the model, `Model.parameters`, by
        the state too.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        lambda_ : array_like, shape (..., nv)
            Weights of the combination.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 5 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.RneaParameterGradient
            A named tuple:

            value : float, or ndarray of shape (...)
                The combination.
            dq : ndarray, shape (..., nv)
                Derivative by q.
            dv : ndarray, shape (..., nv)
                Derivative by v.
            da : ndarray, shape (..., nv)
                Derivative by a.
            dp : ndarray, shape (..., parameters)
                Derivative by the parameters; `Model.parameter_blocks` says where they stand.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def aba_parameter_gradient(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        lambda_: ArrayLike,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.AbaParameterGradient:
        """A combination of the accelerations of forward dynamics, with its gradient by all parameters.

        `lambda^T ddq` of forward dynamics, and its gradient by all parameters of the model, `Model.parameters`, by
        the state too.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        tau : array_like, shape (..., nv)
            Torques or forces of the joints, N m or N.
        lambda_ : array_like, shape (..., nv)
            Weights of the combination.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 5 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.AbaParameterGradient
            A named tuple:

            value : float, or ndarray of shape (...)
                The combination.
            dq : ndarray, shape (..., nv)
                Derivative by q.
            dv : ndarray, shape (..., nv)
                Derivative by v.
            dtau : ndarray, shape (..., nv)
                Derivative by tau.
            dp : ndarray, shape (..., parameters)
                Derivative by the parameters; `Model.parameter_blocks` says where they stand.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def frame_pose(
        self,
        q: ArrayLike,
        frame: str,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The pose of a frame in the world, 4 x 4.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        pose : ndarray, shape (..., 4, 4)
            Poses in the world, homogeneous matrices, m.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def frame_poses(
        self,
        q: ArrayLike,
        frames: Sequence[str],
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Poses of several frames in the world: rotation matrix and origin, 3 x 4 each.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frames : sequence of str
            Names of frames.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        poses : ndarray, shape (..., frames, 3, 4)
            Poses in the world, rotation matrix and origin in m.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def frame_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        *,
        reference: _Reference = "local",
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The velocity of a frame: linear, then angular, m/s and rad/s.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        velocity : ndarray, shape (..., 6)
            Velocity: linear in m/s, then angular in rad/s where it has six numbers.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def frame_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: str,
        *,
        reference: _Reference = "local",
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The spatial acceleration of a frame: linear, then angular.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        acceleration : ndarray, shape (..., 6)
            Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def classical_frame_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: str,
        *,
        reference: _Reference = "local",
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The classical acceleration of a frame: that of its origin as a point, m/s^2, then the angular one.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        acceleration : ndarray, shape (..., 6)
            Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def frame_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        *,
        reference: _Reference = "local",
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The Jacobian of a frame, linear rows first: `J v` is its velocity.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        jacobian : ndarray, shape (..., 6, nv)
            The Jacobian.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        Examples
        --------
        >>> model = gradyn.Model.from_urdf("robots/panda.urdf")
        >>> model.frame_jacobian(model.neutral(), "panda_link8", reference="world").shape
        (6, 7)
        """
    def frame_jacobians(
        self,
        q: ArrayLike,
        frames: Sequence[str],
        *,
        reference: _Reference = "local",
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Jacobians of several frames, linear rows first.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frames : sequence of str
            Names of frames.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        jacobians : ndarray, shape (..., frames, 6, nv)
            Jacobians.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def relative_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        seen_from: str,
        *,
        reference: _Reference = "local",
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The Jacobian of the motion of a frame as seen from another, linear rows first.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        seen_from : str
            Name of the frame that the motion is relative to.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        jacobian : ndarray, shape (..., 6, nv)
            The Jacobian.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def frame_jacobian_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        *,
        reference: _Reference = "local",
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Time derivative of the Jacobian of a frame, linear rows first.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        rate : ndarray, shape (..., 6, nv)
            The time derivative.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def joint_jacobians(
        self,
        q: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Columns of all joints in the world, linear rows first.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        jacobian : ndarray, shape (..., 6, nv)
            The Jacobian.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def frame_bias_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        *,
        reference: _Reference = "local",
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None] | None = None,
    ) -> results.BiasAcceleration:
        """Acceleration of a frame at `a = 0`, without gravity: spatial and classical.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 2 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.BiasAcceleration
            A named tuple:

            spatial : ndarray, shape (..., 6)
                The spatial acceleration: linear in m/s^2, then angular in rad/s^2.
            classical : ndarray, shape (..., 6)
                The acceleration of the frame's origin as a point, m/s^2, then the angular one, rad/s^2.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def frame_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: str,
        *,
        reference: _Reference = "local",
        method: _Method = "analytical",
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.FrameDerivatives:
        """Velocity and spatial acceleration of a frame, and their derivatives.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 7 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.FrameDerivatives
            A named tuple:

            velocity : ndarray, shape (..., 6)
                Velocity: linear in m/s, then angular in rad/s where it has six numbers.
            acceleration : ndarray, shape (..., 6)
                Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.
            dvelocity_dq : ndarray, shape (..., 6, nv)
                Derivative of the velocity by q.
            dvelocity_dv : ndarray, shape (..., 6, nv)
                Derivative of the velocity by v.
            dacceleration_dq : ndarray, shape (..., 6, nv)
                Derivative of the acceleration by q.
            dacceleration_dv : ndarray, shape (..., 6, nv)
                Derivative of the acceleration by v.
            dacceleration_da : ndarray, shape (..., 6, nv)
                Derivative of the acceleration by a.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        References
        ----------
        J. Carpentier, N. Mansard, Analytical derivatives of rigid body dynamics algorithms, RSS 2018.
        """
    def classical_frame_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: str,
        *,
        reference: _Reference = "local",
        method: _Method = "analytical",
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.ClassicalFrameDerivatives:
        """Velocity and classical acceleration of a frame, and their derivatives.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 7 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.ClassicalFrameDerivatives
            A named tuple:

            velocity : ndarray, shape (..., 6)
                Velocity: linear in m/s, then angular in rad/s where it has six numbers.
            acceleration : ndarray, shape (..., 6)
                Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.
            dvelocity_dq : ndarray, shape (..., 6, nv)
                Derivative of the velocity by q.
            dvelocity_dv : ndarray, shape (..., 6, nv)
                Derivative of the velocity by v.
            dacceleration_dq : ndarray, shape (..., 6, nv)
                Derivative of the acceleration by q.
            dacceleration_dv : ndarray, shape (..., 6, nv)
                Derivative of the acceleration by v.
            dacceleration_da : ndarray, shape (..., 6, nv)
                Derivative of the acceleration by a.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def point_jacobian(
        self,
        q: ArrayLike,
        body: str,
        point: ArrayLike,
        *,
        reference: _Reference = "local-world-aligned",
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The Jacobian of a point fixed in a body.

        The Jacobian of a point fixed in a body: `point` in coordinates of the body, m; axes of the body (`"local"`)
        or of the world.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        body : str
            Name of a body, that is the link that moves with a joint, or of the joint.
        point : array_like, shape (3,)
            The point in coordinates of the body, m.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        jacobian : ndarray, shape (..., 3, nv)
            The Jacobian.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def point_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        body: str,
        point: ArrayLike,
        *,
        reference: _Reference = "local-world-aligned",
        method: _Method = "analytical",
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.PointDerivatives:
        """Velocity and acceleration of a point fixed in a body, and their derivatives.

        Velocity and acceleration of a point fixed in a body, and their derivatives; `point` in coordinates of the
        body, m.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        body : str
            Name of a body, that is the link that moves with a joint, or of the joint.
        point : array_like, shape (3,)
            The point in coordinates of the body, m.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 7 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.PointDerivatives
            A named tuple:

            velocity : ndarray, shape (..., 3)
                Velocity: linear in m/s, then angular in rad/s where it has six numbers.
            acceleration : ndarray, shape (..., 3)
                Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.
            dvelocity_dq : ndarray, shape (..., 3, nv)
                Derivative of the velocity by q.
            dvelocity_dv : ndarray, shape (..., 3, nv)
                Derivative of the velocity by v.
            dacceleration_dq : ndarray, shape (..., 3, nv)
                Derivative of the acceleration by q.
            dacceleration_dv : ndarray, shape (..., 3, nv)
                Derivative of the acceleration by v.
            dacceleration_da : ndarray, shape (..., 3, nv)
                Derivative of the acceleration by a.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def jacobian_transpose_derivatives(
        self,
        q: ArrayLike,
        frame: str,
        force: ArrayLike,
        *,
        reference: _Reference = "local",
        method: _Method = "analytical",
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None] | None = None,
    ) -> results.JacobianTransposeDerivatives:
        """Torques of a wrench on a frame, and their derivative.

        Torques `J^T f` of a wrench on a frame, six numbers in coordinates of the reference, and their derivative by
        `q`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        force : array_like, shape (6,)
            Force in N, then moment in N m, in coordinates of the reference.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 2 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.JacobianTransposeDerivatives
            A named tuple:

            torque : ndarray, shape (..., nv)
                Torques or forces of the joints, N m or N.
            dtorque_dq : ndarray, shape (..., nv, nv)
                Derivative of the torques by q.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def center_of_mass(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        subtree: str | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.CenterOfMass:
        """The center of mass, its velocity and acceleration in the world.

        Mass, position, velocity and acceleration of the center of mass in the world, of the robot or of the subtree
        that hangs from a joint.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        subtree : str, optional
            Name of a body or joint: of what hangs from it, instead of the whole robot.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 4 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.CenterOfMass
            A named tuple:

            mass : float, or ndarray of shape (...)
                Mass, kg.
            position : ndarray, shape (..., 3)
                Position in the world, m.
            velocity : ndarray, shape (..., 3)
                Velocity: linear in m/s, then angular in rad/s where it has six numbers.
            acceleration : ndarray, shape (..., 3)
                Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def com_jacobian(
        self,
        q: ArrayLike,
        *,
        subtree: str | None = None,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The Jacobian of the center of mass in the world, of the robot or of a subtree.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        subtree : str, optional
            Name of a body or joint: of what hangs from it, instead of the whole robot.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        jacobian : ndarray, shape (..., 3, nv)
            The Jacobian.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def center_of_mass_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        subtree: str | None = None,
        method: _Method = "analytical",
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.CenterOfMassDerivatives:
        """Position, velocity and acceleration of the center of mass, and their derivatives.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        subtree : str, optional
            Name of a body or joint: of what hangs from it, instead of the whole robot.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 9 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.CenterOfMassDerivatives
            A named tuple:

            position : ndarray, shape (..., 3)
                Position in the world, m.
            velocity : ndarray, shape (..., 3)
                Velocity: linear in m/s, then angular in rad/s where it has six numbers.
            acceleration : ndarray, shape (..., 3)
                Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.
            dposition_dq : ndarray, shape (..., 3, nv)
                Derivative of the position by q.
            dvelocity_dq : ndarray, shape (..., 3, nv)
                Derivative of the velocity by q.
            dvelocity_dv : ndarray, shape (..., 3, nv)
                Derivative of the velocity by v.
            dacceleration_dq : ndarray, shape (..., 3, nv)
                Derivative of the acceleration by q.
            dacceleration_dv : ndarray, shape (..., 3, nv)
                Derivative of the acceleration by v.
            dacceleration_da : ndarray, shape (..., 3, nv)
                Derivative of the acceleration by a.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def centroidal(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.Centroidal:
        """Centroidal momentum, its rate, and the matrix that gives it.

        Centroidal momentum about the center of mass in axes of the world, linear first, its rate, the matrix `A_G`
        with `h = A_G v`, and that one's rate.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 4 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.Centroidal
            A named tuple:

            momentum : ndarray, shape (..., 6)
                Momentum about the center of mass in axes of the world: linear in kg m/s, then angular in kg m^2/s.
            momentum_rate : ndarray, shape (..., 6)
                Time derivative of the momentum: force in N, then moment in N m.
            matrix : ndarray, shape (..., 6, nv)
                The centroidal momentum matrix: its product with v is the momentum.
            matrix_rate : ndarray, shape (..., 6, nv)
                Time derivative of the centroidal momentum matrix.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        References
        ----------
        D. Orin, A. Goswami, S.-H. Lee, Centroidal dynamics of a humanoid robot, Autonomous Robots 35, 2013.
        """
    def centroidal_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        method: _Method = "analytical",
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.CentroidalDerivatives:
        """Centroidal momentum, its rate, and their derivatives.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 7 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.CentroidalDerivatives
            A named tuple:

            momentum : ndarray, shape (..., 6)
                Momentum about the center of mass in axes of the world: linear in kg m/s, then angular in kg m^2/s.
            momentum_rate : ndarray, shape (..., 6)
                Time derivative of the momentum: force in N, then moment in N m.
            dmomentum_dq : ndarray, shape (..., 6, nv)
                Derivative of the momentum by q.
            dmomentum_dv : ndarray, shape (..., 6, nv)
                Derivative of the momentum by v.
            drate_dq : ndarray, shape (..., 6, nv)
                Derivative of the rate of the momentum by q.
            drate_dv : ndarray, shape (..., 6, nv)
                Derivative of the rate of the momentum by v.
            drate_da : ndarray, shape (..., 6, nv)
                Derivative of the rate of the momentum by a.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        References
        ----------
        J. Carpentier, N. Mansard, Analytical derivatives of rigid body dynamics algorithms, RSS 2018.
        """
    def torque_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The regressor `Y` with `tau = Y p`, `p` the inertial parameters of all bodies, `Model.inertial_parameters`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        regressor : ndarray, shape (..., nv, 10 bodies)
            The regressor, a column for each parameter.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def standard_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The regressor of torques by all parameters that they are linear in.

        The regressor of torques by all parameters that they are linear in: inertial ones, friction, damping, armature
        (`Model.standard_parameters`).

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        regressor : ndarray, shape (..., nv, standard)
            The regressor, a column for each parameter.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def static_torque_regressor(
        self,
        q: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The regressor of the torques of gravity.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        regressor : ndarray, shape (..., nv, 10 bodies)
            The regressor, a column for each parameter.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def com_regressor(
        self,
        q: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The regressor of the center of mass times the robot's mass: of mass and first moment of mass of each body.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        regressor : ndarray, shape (..., 3, 4 bodies)
            The regressor, a column for each parameter.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def kinetic_energy_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The regressor of the kinetic energy.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        regressor : ndarray, shape (..., 1, 10 bodies)
            The regressor, a column for each parameter.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def potential_energy_regressor(
        self,
        q: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The regressor of the potential energy.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        regressor : ndarray, shape (..., 1, 10 bodies)
            The regressor, a column for each parameter.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def frame_wrench_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: str,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The regressor of the wrench that the body of a frame needs for its motion.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        regressor : ndarray, shape (..., 6, 10)
            The regressor, a column for each parameter.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def kinematic_regressor(
        self,
        q: ArrayLike,
        frame: str,
        *,
        reference: _Reference = "local",
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """How a frame moves by small errors of the joints' placements, six a body.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str
            Name of a frame: a link, a joint, or one that was added.
        reference : {"local", "world", "local-world-aligned"}
            Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
            world's origin, or axes of the world at the frame's origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        regressor : ndarray, shape (..., 6, 6 bodies)
            The regressor, a column for each parameter.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def constraint_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        constraints: _Constraints,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.ConstraintDynamics:
        """Forward dynamics under contacts and loops.

        Forward dynamics under contacts and loops: accelerations, and forces `lambda_` that hold the constraints, with
        `M ddq + c = tau + J^T lambda_` and `J ddq = -gamma`. `residual` is what dependent constraints leave.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        tau : array_like, shape (..., nv)
            Torques or forces of the joints, N m or N.
        constraints : Constraint or sequence of Constraint
            Contacts and loops, made by `contact`, `connect` and `weld`.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 3 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.ConstraintDynamics
            A named tuple:

            ddq : ndarray, shape (..., nv)
                Accelerations, rad/s^2 or m/s^2.
            lambda_ : ndarray, shape (..., rows)
                Forces of the constraints on the robot, N or N m, a number a row.
            residual : float, or ndarray of shape (...)
                What dependent constraints that contradict each other leave, zero otherwise.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        Examples
        --------
        >>> model = gradyn.Model.from_urdf("robots/panda.urdf")
        >>> hand = model.contact("panda_link8")
        >>> model.constraint_dynamics(model.random(seed=1), np.zeros(7), np.zeros(7), hand).lambda_.shape
        (3,)
        """
    def constraint_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        constraints: _Constraints,
        *,
        method: _Method = "analytical",
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.ConstraintDynamicsDerivatives:
        """Forward dynamics under contacts and loops, with the derivatives of accelerations and forces.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        tau : array_like, shape (..., nv)
            Torques or forces of the joints, N m or N.
        constraints : Constraint or sequence of Constraint
            Contacts and loops, made by `contact`, `connect` and `weld`.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 10 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.ConstraintDynamicsDerivatives
            A named tuple:

            ddq : ndarray, shape (..., nv)
                Accelerations, rad/s^2 or m/s^2.
            lambda_ : ndarray, shape (..., rows)
                Forces of the constraints on the robot, N or N m, a number a row.
            ddq_dq : ndarray, shape (..., nv, nv)
                Derivative of the accelerations by q.
            ddq_dv : ndarray, shape (..., nv, nv)
                Derivative of the accelerations by v.
            ddq_dtau : ndarray, shape (..., nv, nv)
                Derivative of the accelerations by tau.
            ddq_df_ext : ndarray, shape (..., wrenches, nv, 6)
                Derivative of the accelerations by each wrench, six columns.
            dlambda_dq : ndarray, shape (..., rows, nv)
                Derivative of the forces of the constraints by q.
            dlambda_dv : ndarray, shape (..., rows, nv)
                Derivative of the forces of the constraints by v.
            dlambda_dtau : ndarray, shape (..., rows, nv)
                Derivative of the forces of the constraints by tau.
            dlambda_df_ext : ndarray, shape (..., wrenches, rows, 6)
                Derivative of the forces of the constraints by each wrench, six columns.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def constraint_inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        lambda_: ArrayLike,
        constraints: _Constraints,
        *,
        method: _Method = "analytical",
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.ConstraintInverseDynamicsDerivatives:
        """Inverse dynamics with given forces of constraints, and its derivatives.

        Inverse dynamics with given forces of constraints: torques `tau = M a + c - J^T lambda_` and rows `J a +
        gamma`, with their derivatives.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        a : array_like, shape (..., nv)
            Accelerations, rad/s^2 or m/s^2.
        lambda_ : array_like, shape (..., rows)
            Forces of the constraints, a number a row, N or N m.
        constraints : Constraint or sequence of Constraint
            Contacts and loops, made by `contact`, `connect` and `weld`.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 9 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.ConstraintInverseDynamicsDerivatives
            A named tuple:

            tau : ndarray, shape (..., nv)
                Torques or forces of the joints, N m or N.
            rows : ndarray, shape (..., rows)
                Accelerations of the constraints, `J a + gamma`.
            dtau_dq : ndarray, shape (..., nv, nv)
                Derivative of the torques by q.
            dtau_dv : ndarray, shape (..., nv, nv)
                Derivative of the torques by v.
            dtau_da : ndarray, shape (..., nv, nv)
                Derivative of the torques by a.
            dtau_dlambda : ndarray, shape (..., nv, rows)
                Derivative of the torques by lambda_.
            drows_dq : ndarray, shape (..., rows, nv)
                Derivative of the accelerations of the constraints by q.
            drows_dv : ndarray, shape (..., rows, nv)
                Derivative of the accelerations of the constraints by v.
            drows_da : ndarray, shape (..., rows, nv)
                Derivative of the accelerations of the constraints by a.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def constraint_dynamics_hessian(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        on_ddq: ArrayLike,
        on_lambda: ArrayLike,
        constraints: _Constraints,
        *,
        wrenches: _Wrenches | None = None,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.ConstraintDynamicsHessian:
        """A combination of accelerations and forces of constraint dynamics, with its Hessian.

        The combination `on_ddq^T ddq + on_lambda^T lambda_` of constraint dynamics, its gradient and Hessian in
        blocks.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        tau : array_like, shape (..., nv)
            Torques or forces of the joints, N m or N.
        on_ddq : array_like, shape (..., nv)
            Weights of the accelerations.
        on_lambda : array_like, shape (..., rows)
            Weights of the forces of the constraints.
        constraints : Constraint or sequence of Constraint
            Contacts and loops, made by `contact`, `connect` and `weld`.
        wrenches : dict, optional
            External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
            in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
            world and about its origin.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 8 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.ConstraintDynamicsHessian
            A named tuple:

            value : float, or ndarray of shape (...)
                The combination.
            dq : ndarray, shape (..., nv)
                Derivative by q.
            dv : ndarray, shape (..., nv)
                Derivative by v.
            dtau : ndarray, shape (..., nv)
                Derivative by tau.
            dqq : ndarray, shape (..., nv, nv)
                Hessian, by q twice.
            dvq : ndarray, shape (..., nv, nv)
                Hessian, a row for each entry of v, a column for each direction of q.
            dtauq : ndarray, shape (..., nv, nv)
                Hessian, a row for each entry of tau, a column for each direction of q.
            dvv : ndarray, shape (..., nv, nv)
                Hessian, by v twice.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def impulse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        constraints: _Constraints,
        *,
        restitution: float = 0.0,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.ImpulseDynamics:
        """An impact: velocities after it and impulses, `M (v+ - v-) = J^T impulse`, `J v+ = -restitution J v-`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        constraints : Constraint or sequence of Constraint
            Contacts and loops, made by `contact`, `connect` and `weld`.
        restitution : float
            Coefficient of restitution, 0 to 1.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 3 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.ImpulseDynamics
            A named tuple:

            v_after : ndarray, shape (..., nv)
                Velocities after the impact, rad/s or m/s.
            impulse : ndarray, shape (..., rows)
                Impulses of the constraints on the robot, N s or N m s, a number a row.
            residual : float, or ndarray of shape (...)
                What dependent constraints that contradict each other leave, zero otherwise.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def impulse_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        constraints: _Constraints,
        *,
        restitution: float = 0.0,
        method: _Method = "analytical",
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.ImpulseDynamicsDerivatives:
        """An impact, with the derivatives of velocities and impulses.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        constraints : Constraint or sequence of Constraint
            Contacts and loops, made by `contact`, `connect` and `weld`.
        restitution : float
            Coefficient of restitution, 0 to 1.
        method : {"analytical", "dual", "difference"}
            How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
            too and serve as a check, or by extrapolated differences.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 6 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.ImpulseDynamicsDerivatives
            A named tuple:

            v_after : ndarray, shape (..., nv)
                Velocities after the impact, rad/s or m/s.
            impulse : ndarray, shape (..., rows)
                Impulses of the constraints on the robot, N s or N m s, a number a row.
            dv_dq : ndarray, shape (..., nv, nv)
                Derivative of the velocities after the impact by q.
            dv_dv : ndarray, shape (..., nv, nv)
                Derivative of the velocities after the impact by v.
            dimpulse_dq : ndarray, shape (..., rows, nv)
                Derivative of the impulses by q.
            dimpulse_dv : ndarray, shape (..., rows, nv)
                Derivative of the impulses by v.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def constraint_error(
        self,
        q: ArrayLike,
        constraints: _Constraints,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Errors of constraints, m and rad: zero where they are satisfied.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        constraints : Constraint or sequence of Constraint
            Contacts and loops, made by `contact`, `connect` and `weld`.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        error : ndarray, shape (..., rows)
            Errors of the constraints, m or rad, a number a row.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def constraint_jacobian(
        self,
        q: ArrayLike,
        constraints: _Constraints,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The Jacobian of constraints.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        constraints : Constraint or sequence of Constraint
            Contacts and loops, made by `contact`, `connect` and `weld`.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        jacobian : ndarray, shape (..., rows, nv)
            The Jacobian.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def constraint_bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        constraints: _Constraints,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """`gamma` of constraints: accelerations satisfy `J ddq = -gamma`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        constraints : Constraint or sequence of Constraint
            Contacts and loops, made by `contact`, `connect` and `weld`.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        gamma : ndarray, shape (..., rows)
            Accelerations of the constraints at a = 0, m/s^2 or rad/s^2, a number a row.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def constraint_rank(
        self,
        q: ArrayLike,
        constraints: _Constraints,
        *,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None, _Array | None] | None = None,
    ) -> results.ConstraintRank:
        """How many rows of constraints are independent, and how clearly.

        How many rows of constraints are independent, and how clearly: the least pivot kept and the greatest dropped,
        relative.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        constraints : Constraint or sequence of Constraint
            Contacts and loops, made by `contact`, `connect` and `weld`.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 3 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.ConstraintRank
            A named tuple:

            rank : float, or ndarray of shape (...)
                Number of independent rows.
            kept : float, or ndarray of shape (...)
                The least pivot of independent rows, relative.
            dropped : float, or ndarray of shape (...)
                The greatest pivot of dependent rows, relative.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def integrate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Moves along the configurations: `q ⊕ v`, v a step in the tangent space.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Steps in the tangent space, rad or m.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        q_moved : ndarray, shape (..., nq)
            Configurations.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        Examples
        --------
        >>> model = gradyn.Model.from_urdf("robots/floating.urdf")
        >>> q = model.random(2, seed=1)
        >>> bool(np.allclose(model.integrate(q[0], model.difference(q[0], q[1])), q[1]))
        True
        """
    def difference(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The step from one configuration to another: `integrate(q0, difference(q0, q1))` is `q1`.

        Parameters
        ----------
        q0 : array_like, shape (..., nq)
            Configurations to start from.
        q1 : array_like, shape (..., nq)
            Configurations to end at.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        v : ndarray, shape (..., nv)
            Steps in the tangent space, rad or m.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def interpolate(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        t: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """The configuration at the fraction `t` of the way from one to another.

        Parameters
        ----------
        q0 : array_like, shape (..., nq)
            Configurations to start from.
        q1 : array_like, shape (..., nq)
            Configurations to end at.
        t : array_like, shape (...)
            Fractions of the way, 0 at the start, 1 at the end.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        q : ndarray, shape (..., nq)
            Configurations.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.

        Examples
        --------
        >>> model = gradyn.Model.from_urdf("robots/floating.urdf")
        >>> q = model.random(2, seed=1)
        >>> model.interpolate(q[0], q[1], np.linspace(0, 1, 5)).shape
        (5, 10)
        """
    def q_dot(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        threads: int | None = None,
        out: _Array | None = None,
    ) -> _Array:
        """Time derivative of the numbers of `q` at the velocity `v`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities, rad/s or m/s.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : ndarray of float64, optional
            Filled with the result and returned, whatever its strides.

        Returns
        -------
        rate : ndarray, shape (..., nq)
            The time derivative.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def integrate_derivatives(
        self,
        v: ArrayLike,
        *,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None] | None = None,
    ) -> results.IntegrateDerivatives:
        """Derivatives of `integrate(q, v)` in the tangent space, by `q` and by `v`.

        Parameters
        ----------
        v : array_like, shape (..., nv)
            Steps in the tangent space, rad or m.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 2 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.IntegrateDerivatives
            A named tuple:

            dq : ndarray, shape (..., nv, nv)
                Derivative by q.
            dv : ndarray, shape (..., nv, nv)
                Derivative by v.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """
    def difference_derivatives(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        *,
        threads: int | None = None,
        out: tuple[_Array | None, _Array | None] | None = None,
    ) -> results.DifferenceDerivatives:
        """Derivatives of `difference(q0, q1)` in the tangent space, by `q0` and by `q1`.

        Parameters
        ----------
        q0 : array_like, shape (..., nq)
            Configurations to start from.
        q1 : array_like, shape (..., nq)
            Configurations to end at.
        threads : int, optional
            Threads for many states; all processors without it. The result is the same, bit by bit.
        out : tuple of 2 ndarrays of float64 or None, optional
            Filled with the results and returned, whatever their strides; None for those to be made.

        Returns
        -------
        gradyn.results.DifferenceDerivatives
            A named tuple:

            dq0 : ndarray, shape (..., nv, nv)
                Derivative by q0.
            dq1 : ndarray, shape (..., nv, nv)
                Derivative by q1.

        Raises
        ------
        InputError
            For arguments of a wrong shape or type, that are not finite, or that name nothing.
        """

def build_info() -> dict[str, Any]:
    """What this build is: version, vector instructions in use, threads."""

# Not for users.
@final
class Parameters:
    def __new__(cls, model: Any, patterns: Any) -> Parameters: ...
    def __len__(self) -> int: ...
    def default_priors(self, share: Any) -> Priors: ...
    @property
    def held(self) -> Any: ...
    @property
    def model(self) -> Any: ...
    @property
    def names(self) -> Any: ...
    @property
    def nominal(self) -> Any: ...
    def priors(self, text: Any, file: Any, share: Any) -> Priors: ...
    def robot_at(self, values: Any) -> Model: ...
    @property
    def units(self) -> Any: ...
@final
class Priors:
    def __len__(self) -> int: ...
    @property
    def deviations(self) -> Any: ...
    @staticmethod
    def from_json(text: Any) -> Priors: ...
    @property
    def kinds(self) -> Any: ...
    def to_json(self) -> Any: ...
@final
class _Along:
    @staticmethod
    def from_json(model: Any, text: Any) -> Any: ...
    def rows(self, parameters: Any) -> Any: ...
    def to_json(self) -> Any: ...
    @property
    def warnings(self) -> Any: ...
@final
class _Mpc:
    def __new__(cls, task: Any, iterations: Any, time: Any) -> _Mpc: ...
    def feedback(self, q: Any, v: Any) -> _Array: ...
    def replan(self, q: Any, v: Any, period: Any) -> dict[str, Any]: ...
    def shift(self, seconds: Any) -> Any: ...
    def trajectory(self) -> dict[str, Any]: ...
@final
class _Output:
    def __new__(cls, model: Any, of: Any, q: Any, v: Any, u: Any, frame: Any, constraints: Any) -> _Output: ...
@final
class _Rollout:
    @property
    def by_parameters(self) -> Any: ...
    @property
    def by_start(self) -> Any: ...
    @property
    def q(self) -> Any: ...
    @property
    def time(self) -> Any: ...
    @property
    def trustworthy(self) -> Any: ...
    @property
    def v(self) -> Any: ...
@final
class _Solution:
    def along(self, parameters: Any, frame: Any, closed_loop: Any) -> Any: ...
    def csv(self) -> Any: ...
    def json(self) -> Any: ...
    def model(self) -> Any: ...
    def npz(self) -> Any: ...
    def page(self) -> Any: ...
    def rollout(self, parameters: Any, closed_loop: Any) -> Any: ...
@final
class _Task:
    @staticmethod
    def parse(text: Any, file: Any, name: Any, folder: Any, model: Any, residuals: Any) -> Any: ...
    @staticmethod
    def read(path: Any) -> Any: ...
    def solve(self, callback: Any, refine: Any) -> Any: ...
def _functions() -> Any: ...
def _panic(threads: Any) -> Any: ...
def _xla_handler() -> Any: ...
def _xla_register(model: Any, name: Any, *, frame: Any = ..., reference: Any = ..., constraints: Any = ..., wrenches: Any = ..., threads: Any = ...) -> Any: ...
def check_claims(model: Any, path: Any, layout: Any, tolerance: Any, floor: Any, pictures: Any) -> Any: ...
def check_gradient(f: Any, x: Any, gradient: Any, inputs: Any, asked: Any) -> CheckReport: ...
def check_hessian(f: Any, x: Any, hessian: Any, inputs: Any, asked: Any) -> CheckReport: ...
def check_jacobian(f: Any, x: Any, jacobian: Any, inputs: Any, outputs: Any, asked: Any) -> CheckReport: ...
def excite_find(parameters: Any, asked: Any, callback: Any) -> Any: ...
def identify_fit(model: Any, parameters: Any, time: Any, q: Any, v: Any, a: Any, tau: Any, measured: Any, asked: Any) -> Any: ...
def morris_analyze(priors: Any, paths: Any, levels: Any, seed: Any, values: Any, times: Any, level: Any, rounding: Any) -> Any: ...
def morris_count(priors: Any, paths: Any, levels: Any) -> Any: ...
def morris_samples(priors: Any, paths: Any, levels: Any, seed: Any, first: Any, count: Any) -> _Array: ...
def sensitivity_evaluate(parameters: Any, output: Any, samples: Any, entries: Any, threads: Any) -> _Array: ...
def sensitivity_local(parameters: Any, values: Any, output: Any, method: Any) -> tuple[_Array, _Array, list[str]]: ...
def sensitivity_rounding(parameters: Any, output: Any) -> Any: ...
def sobol_analyze(priors: Any, groups: Any, rows: Any, second_order: Any, seed: Any, values: Any, times: Any, level: Any, rounding: Any) -> Any: ...
def sobol_count(priors: Any, groups: Any, rows: Any, second_order: Any) -> Any: ...
def sobol_samples(priors: Any, groups: Any, rows: Any, second_order: Any, seed: Any, first: Any, count: Any) -> _Array: ...
