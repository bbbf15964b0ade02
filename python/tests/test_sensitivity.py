"""Parameters: derivatives, shares of variance, what data say, and the motion that tells the most."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradyn
from gradyn import _gradyn, sensitivity
from gradyn.sensitivity import Parameters

ROBOTS = Path(__file__).resolve().parents[2] / "robots"
Q = np.array([0.3, -0.5, 0.2, -2.0, 0.4, 1.6, 0.8])
V = np.linspace(-1.0, 1.0, 7)
A = np.linspace(2.0, -1.0, 7)


def robot(name: str, **options: Any) -> gradyn.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradyn.RobotWarning)
        return gradyn.Model.from_urdf(ROBOTS / f"{name}.urdf", **options)


@pytest.fixture(scope="module")
def panda() -> gradyn.Model:
    return robot("panda")


@pytest.fixture(scope="module")
def solo() -> gradyn.Model:
    return robot("solo12", floating_base=True)


def outputs(model: gradyn.Model) -> dict[str, Any]:
    """Each output as a function of a robot, by the engine's own functions."""
    return {
        "torques": lambda m: m.rnea(Q, V, A),
        "accelerations": lambda m: m.aba(Q, V, A),
        "mass-matrix": lambda m: m.crba(Q)[np.tril_indices(7)],
        "energy": lambda m: np.array([m.kinetic_energy(Q, V), m.potential_energy(Q)]),
    }


# Parameters.


def test_parameters_are_chosen_by_patterns_in_their_order(panda: gradyn.Model) -> None:
    one = Parameters(panda, ["panda_link7.mass", "gravity.z"])
    assert one.names == ["panda_link7.mass", "gravity.z"]
    assert one.nominal.tolist() == [panda.parameters["panda_link7.mass"], -9.81]
    assert one.units[0] == "kg"
    assert Parameters(panda, "panda_link[2-4].mass").names == [f"panda_link{k}.mass" for k in (2, 3, 4)]
    assert Parameters(panda, "*.mass,gravity.z").names == [*Parameters(panda, "*.mass").names, "gravity.z"]
    with pytest.raises(ValueError, match="nothing"):
        Parameters(panda, "nothing.mass")
    moved = one.robot_at([1.5, -9.0])
    assert (moved.parameters["panda_link7.mass"], moved.gravity[2]) == (1.5, -9.0)


def test_priors_are_those_of_files(panda: gradyn.Model) -> None:
    chosen = Parameters(panda, ["panda_link7.mass", "gravity.z", "panda_joint1.damping"])
    priors = sensitivity._priors(chosen, {"gravity.z": {"sd": 0.02}, "*.mass": {"share": 0.2}}, 0.1)
    sizes = np.abs(chosen.nominal)
    assert priors.deviations == pytest.approx([0.2 * sizes[0], 0.02, 0.1 * sizes[2]])
    # They are sent to workers as text, with the same bits.
    again = type(priors).from_json(priors.to_json())
    assert again.to_json() == priors.to_json()
    np.testing.assert_array_equal(again.deviations, priors.deviations)
    with pytest.raises(ValueError, match="one a parameter"):
        sensitivity.sobol(panda, "*.mass", "torques", q=Q, rows=4, priors=priors)
    with pytest.raises(gradyn.FileError):
        sensitivity.sobol(panda, "*.mass", "torques", q=Q, rows=4, priors={"*.mass": {"shares": 0.2}})


# Derivatives.


@pytest.mark.parametrize("of", ["torques", "accelerations", "mass-matrix", "energy"])
def test_three_methods_agree_with_differences_of_the_robot_itself(panda: gradyn.Model, of: str) -> None:
    patterns = ["panda_link[5-7].mass", "panda_link4.com.*", "gravity.z", "panda_joint3.damping"]
    state: dict[str, Any] = {"q": Q, "v": V, "tau" if of == "accelerations" else "a": A}
    found = {method: sensitivity.local(panda, patterns, of, method=method, **state) for method in ("analytical", "dual", "difference")}
    jacobian = found["analytical"].jacobian
    assert jacobian.shape == (len(found["analytical"].outputs), len(found["analytical"].parameters))
    scale = np.abs(jacobian).max()
    # Formulas and dual numbers: rounding of some hundred operations. Differences: half of all digits and more.
    np.testing.assert_allclose(found["dual"].jacobian, jacobian, atol=1e-12 * scale)
    np.testing.assert_allclose(found["difference"].jacobian, jacobian, atol=1e-7 * scale)
    f = outputs(panda)[of]
    value = np.ravel(f(panda))
    np.testing.assert_allclose(np.sort(found["analytical"].value)[:1], np.sort(value)[:1], rtol=1e-12)
    for k, name in enumerate(found["analytical"].parameters):
        h = 1e-6
        ends = [np.ravel(f(panda.with_parameters({name: panda.parameters[name] + s * h}))) for s in (1, -1)]
        by_robot = (ends[0] - ends[1]) / (2 * h)
        if of in ("torques", "accelerations"):
            # Rounding of 1e-15 of the values by a step of 1e-6, and its square.
            np.testing.assert_allclose(jacobian[:, k], by_robot, atol=1e-8 * max(scale, np.abs(value).max()))


def test_derivatives_may_be_elsewhere_than_at_the_robots_own_values(panda: gradyn.Model) -> None:
    name = "panda_link7.mass"
    there = sensitivity.local(panda, name, "accelerations", q=Q, v=V, tau=A, values=[2.0])
    own = sensitivity.local(panda.with_parameters({name: 2.0}), name, "accelerations", q=Q, v=V, tau=A)
    np.testing.assert_allclose(there.jacobian, own.jacobian, rtol=1e-12)
    np.testing.assert_allclose(there.value, own.value, rtol=1e-12)


def test_poses_and_contact_forces(panda: gradyn.Model, solo: gradyn.Model) -> None:
    pose = sensitivity.local(panda, "panda_joint7.placement.*", "pose", q=Q, frame="panda_link8")
    assert pose.jacobian.shape[1] == 6
    assert np.linalg.matrix_rank(pose.jacobian, tol=1e-9) == 6
    feet = [solo.contact(foot) for foot in ("FL_FOOT", "FR_FOOT", "HL_FOOT")]
    q = solo.neutral()
    q[7:] = [0.1, 0.8, -1.6] * 4
    found = sensitivity.local(solo, "*.mass", "contact-forces", q=q, constraints=feet)
    assert found.jacobian.shape[0] == 9
    forces = solo.constraint_dynamics(q, np.zeros(18), np.zeros(18), feet).lambda_
    np.testing.assert_allclose(found.value, forces, atol=1e-9 * np.abs(forces).max())
    for wrong, options in (("frame", {"of": "pose"}), ("constraints", {"of": "contact-forces"}), ("of", {"of": "speed"})):
        with pytest.raises(gradyn.InputError) as raised:
            sensitivity.local(panda, "*.mass", q=Q, **options)
        assert raised.value.argument == wrong
    with pytest.raises(gradyn.InputError):
        sensitivity.local(panda, "*.mass", "torques", q=Q[:3])
    study = sensitivity.sobol(solo, "gravity.z", "contact-forces", q=q, constraints=feet, rows=16)
    assert study.total.shape == (9, 1)
    elsewhere = sensitivity.sobol(solo, "gravity.z", "contact-forces", q=q, constraints=feet, rows=16, executor=2)
    np.testing.assert_array_equal(elsewhere.total, study.total)


# Shares of variance.


def evaluated(model: gradyn.Model, names: list[str], samples: Any) -> Any:
    """Torques of the robot of each sample, without the code of studies."""
    return np.array([model.with_parameters(dict(zip(names, x, strict=True))).rnea(Q, V, A) for x in samples])


def test_salib_finds_our_indices_in_our_samples(panda: gradyn.Model) -> None:
    analyze = pytest.importorskip("SALib.analyze.sobol", reason="SALib is not installed").analyze
    chosen = Parameters(panda, ["panda_link[5-7].mass", "panda_joint[12].damping"])
    k, rows = len(chosen), 128
    priors = chosen.default_priors(0.1)
    samples = _gradyn.sobol_samples(priors, [], rows, True, 0, 0, _gradyn.sobol_count(priors, [], rows, True))
    assert samples.shape == (rows * (2 * k + 2), k)
    values = evaluated(panda, chosen.names, samples)
    ours = sensitivity.sobol(panda, chosen, "torques", q=Q, v=V, a=A, rows=rows, second_order=True)
    problem = {"num_vars": k, "names": chosen.names, "bounds": [[0, 1]] * k}
    for j in range(7):
        theirs = analyze(problem, values[:, j], calc_second_order=True, num_resamples=10, seed=0)
        # The same estimators of the same numbers. Torques scatter by 1e-3 of themselves and more, so that their rounding of
        # 1e-15 is 1e-12 of the scatter at most.
        np.testing.assert_allclose(ours.first[j], theirs["S1"], atol=1e-11)
        np.testing.assert_allclose(ours.total[j], theirs["ST"], atol=1e-11)
        np.testing.assert_allclose(ours.second[j], theirs["S2"][np.triu_indices(k, 1)], atol=1e-11)
    np.testing.assert_allclose(ours.mean, values[:: 2 * k + 2].mean(axis=0) / 2 + values[2 * k + 1 :: 2 * k + 2].mean(axis=0) / 2)


def test_salibs_samples_through_our_robot_give_our_indices(panda: gradyn.Model) -> None:
    sample = pytest.importorskip("SALib.sample.sobol", reason="SALib is not installed").sample
    analyze = pytest.importorskip("SALib.analyze.sobol").analyze
    chosen = Parameters(panda, ["panda_link[5-7].mass"])
    share = 0.05
    bounds = [[(1 - share) * x, (1 + share) * x] for x in chosen.nominal]
    problem = {"num_vars": 3, "names": chosen.names, "bounds": bounds}
    values = evaluated(panda, chosen.names, sample(problem, 1024, calc_second_order=False, seed=1))
    given = {name: {"low": bound[0], "high": bound[1]} for name, bound in zip(chosen.names, bounds, strict=True)}
    ours = sensitivity.sobol(panda, chosen, "torques", q=Q, v=V, a=A, rows=1024, priors=given, seed=3)
    for j in (1, 3):
        theirs = analyze(problem, values[:, j], calc_second_order=False, seed=0)
        # Both are estimates, with intervals of 95 %: each is within the sum of both.
        assert np.all(np.abs(ours.first[j] - theirs["S1"]) < ours.first_half_width[j] + theirs["S1_conf"])
        assert np.all(np.abs(ours.total[j] - theirs["ST"]) < ours.total_half_width[j] + theirs["ST_conf"])


def test_shares_of_a_linear_output_are_those_of_its_derivatives(panda: gradyn.Model) -> None:
    # Torques are linear in masses: shares are squares of derivatives by deviations, exactly, and sampling's error is known.
    names = [f"panda_link{k}.mass" for k in (5, 6, 7)]
    study = sensitivity.sobol(panda, names, "torques", q=Q, v=V, a=A, rows=4096)
    local = sensitivity.local(panda, names, "torques", q=Q, v=V, a=A)
    deviations = Parameters(panda, names).default_priors(0.1).deviations
    parts = np.square(local.jacobian * deviations)
    variance = parts.sum(axis=1)
    moved = variance > 1e-9 * variance.max()
    np.testing.assert_allclose(study.variance[moved], variance[moved], rtol=0.05)
    for j in np.flatnonzero(moved):
        # Intervals of 95 %, doubled: 1 in 10^4 would be outside by chance, and the seed is fixed.
        assert np.all(np.abs(study.first[j] - parts[j] / variance[j]) < 2 * study.first_half_width[j] + 1e-3)
    # Nothing after joint 1 feels the masses' share in gravity along z: NaN or next to nothing, never noise as a share.
    assert study.outputs == local.outputs
    assert study.parameters == names


def test_groups_are_parameters_that_move_together(panda: gradyn.Model) -> None:
    groups = {"masses": "panda_link[5-7].mass", "damping": ["panda_joint1.damping"]}
    study = sensitivity.sobol(panda, ["panda_link[5-7].mass", "panda_joint1.damping"], "torques", q=Q, v=V, rows=64, groups=groups)
    assert study.parameters == ["masses", "damping"]
    assert study.total.shape == (7, 2)
    # The damping of joint 1 is felt there alone.
    assert study.total[1, 1] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(ValueError, match="none of the chosen parameters fits"):
        sensitivity.sobol(panda, "panda_link5.mass", "torques", q=Q, rows=4, groups={"g": "gravity.z"})
    with pytest.raises(ValueError, match="group"):
        sensitivity.sobol(panda, "panda_link[5-7].mass", "torques", q=Q, rows=4, groups={"g": "panda_link5.mass"})


def test_elementary_effects_of_a_linear_output(panda: gradyn.Model) -> None:
    name = "panda_joint[12].damping"
    study = sensitivity.morris(panda, name, "torques", q=Q, v=V, a=A, paths=32, priors={name: {"low": 0.0, "high": 2.0}})
    # By a unit of probability a damping moves by its range of two: the effect is twice the velocity, without scatter.
    np.testing.assert_allclose(np.diag(study.mean[:2]), 2.0 * V[:2], rtol=1e-9)
    np.testing.assert_allclose(np.diag(study.magnitude[:2]), 2.0 * np.abs(V[:2]), rtol=1e-9)
    np.testing.assert_allclose(np.diag(study.deviation[:2]), 0.0, atol=1e-9)


def test_uncertainty_by_derivatives_and_samples(panda: gradyn.Model) -> None:
    found = sensitivity.uncertainty(panda, "panda_link[5-7].mass", "torques", q=Q, v=V, a=A, samples=4096)
    np.testing.assert_allclose(found.nominal, panda.rnea(Q, V, A), rtol=1e-12)
    # Linear: both are the same, up to sampling of 1/sqrt(8192).
    moved = found.deviation > 1e-6
    np.testing.assert_allclose(found.first_order[moved], found.deviation[moved], rtol=0.05)
    assert not found.disagree.any()
    # A pole of the accelerations: first order cannot know of it.
    pendulum = robot("pendulum")
    name = next(name for name in pendulum.parameters if name.endswith(".mass"))
    wide = {name: {"low": 0.05, "high": 1.95}}
    far = sensitivity.uncertainty(pendulum, name, "accelerations", q=[0.5], tau=[1.0], priors=wide)
    assert far.disagree.all()


def test_samples_that_are_no_robot_are_told(panda: gradyn.Model) -> None:
    # A moment about zero with a deviation of 1 kg m²: many a mass matrix is not positive, and has no accelerations.
    name = "panda_link7.inertia.zz"
    wide = {name: {"mean": 0.0, "sd": 1.0}}
    found = sensitivity.uncertainty(panda, name, "accelerations", q=Q, samples=512, priors=wide)
    assert 0 < found.kept_out < 512
    assert np.isfinite(found.deviation).all()
    assert str(found.kept_out) in found.warnings[0]
    with pytest.raises(gradyn.InputError, match="of 192 samples are not finite, and at most 1 % can be excluded"):
        sensitivity.sobol(panda, name, "accelerations", q=Q, rows=64, priors=wide)
    with pytest.raises(ValueError, match="of 64 samples are not finite"):
        sensitivity.uncertainty(panda, name, "accelerations", q=Q, samples=64, priors={name: {"mean": -100.0, "sd": 1e-3}})


# Frames and figures.


def test_results_are_pandas_frames(panda: gradyn.Model) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    names = ["panda_link6.mass", "panda_link7.mass"]
    local = sensitivity.local(panda, names, "torques", q=Q)
    study = sensitivity.sobol(panda, names, "torques", q=Q, rows=16)
    screen = sensitivity.morris(panda, names, "torques", q=Q, paths=8)
    for result, column in ((local, "jacobian"), (study, "total"), (screen, "magnitude")):
        frame = result.to_frame()
        assert isinstance(frame, pandas.DataFrame)
        assert frame.index.names == ["output", "parameter"]
        assert len(frame) == 14
        for i, output in enumerate(result.outputs):
            for k, name in enumerate(result.parameters):
                x = getattr(result, column)[i, k]
                assert frame.loc[(output, name), column] == x or np.isnan(x)
    spread = sensitivity.uncertainty(panda, names, "torques", q=Q, samples=64).to_frame()
    assert list(spread.columns) == ["nominal", "mean", "first_order", "deviation", "disagree"]
    assert list(spread.index) == local.outputs


def test_results_are_plotted(panda: gradyn.Model) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    pendulum = robot("pendulum")
    mass = next(name for name in pendulum.parameters if name.endswith(".mass"))
    for result in (
        sensitivity.local(panda, "*.mass", "torques", q=Q),
        sensitivity.sobol(panda, "panda_link[67].mass", "torques", q=Q, rows=16),
        sensitivity.morris(panda, "panda_link[67].mass", "torques", q=Q, paths=8),
        sensitivity.local(pendulum, "*.mass", "torques", q=[0.3]),
        sensitivity.sobol(pendulum, [mass, "gravity.z"], "torques", q=[0.3], rows=16),
        sensitivity.morris(pendulum, [mass, "gravity.z"], "torques", q=[0.3], paths=8),
    ):
        figure = result.plot()
        figure.canvas.draw()
        labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
        assert labels == result.parameters
        pyplot.close(figure)
    figure, ax = pyplot.subplots()
    assert sensitivity.local(panda, "*.mass", "torques", q=Q).plot(ax) is figure
    pyplot.close(figure)


# What data say.


@pytest.fixture(scope="module")
def motion(panda: gradyn.Model) -> sensitivity.Excitation:
    return sensitivity.excite(panda, "panda_link[67].mass", period=4.0, harmonics=2, rate=50.0, iterations=100, seed=1)


def measured(model: gradyn.Model, motion: Any, noise: float) -> dict[str, Any]:
    tau = model.rnea(motion.q, motion.v, motion.a)
    tau = tau + noise * np.random.default_rng(0).standard_normal(tau.shape)
    return {"time": motion.time, "q": motion.q, "v": motion.v, "a": motion.a, "tau": tau}


def test_a_motion_is_found_within_the_limits(panda: gradyn.Model, motion: Any) -> None:
    assert len(motion.time) == len(motion.q) == len(motion.tau)
    # Nine tenths of each range, about its middle.
    middle, half = (panda.q_upper + panda.q_lower) / 2, (panda.q_upper - panda.q_lower) / 2
    assert np.all(np.abs(motion.q - middle) <= 0.9 * half + 1e-9)
    assert np.all(np.abs(motion.v) <= 0.9 * panda.velocity_limit + 1e-9)
    # Its torques are those of the robot, and v is the rate of q.
    np.testing.assert_allclose(motion.tau, panda.rnea(motion.q, motion.v, motion.a), atol=1e-9)
    # Rates by central differences of steps of 0.02 s: 1e-3 of accelerations that change in a second.
    np.testing.assert_allclose(np.gradient(motion.q, motion.time, axis=0)[1:-1], motion.v[1:-1], atol=0.02)
    assert motion.gain >= 1.0
    assert len(motion.base) == len(motion.deviations) == len(motion.random_deviations) == 2
    assert "gain" in repr(motion)
    again = sensitivity.excite(panda, "panda_link[67].mass", period=4.0, harmonics=2, rate=50.0, iterations=100, seed=1)
    np.testing.assert_array_equal(again.q, motion.q)


def test_the_search_of_a_motion_can_be_watched_and_ended(panda: gradyn.Model) -> None:
    seen: list[tuple[int, float]] = []
    sensitivity.excite(panda, "panda_link7.mass", period=2.0, harmonics=2, iterations=30, callback=lambda *of: seen.append(of))
    assert seen
    assert all(gain > 0 for _, gain in seen)

    def ends(steps: int, gain: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sensitivity.excite(panda, "panda_link7.mass", period=2.0, harmonics=2, iterations=30, callback=ends)


def test_a_mass_is_recovered_from_noisy_data(panda: gradyn.Model, motion: Any, tmp_path: Path) -> None:
    heavier = panda.with_parameters({"panda_link7.mass": 1.2})
    fit = sensitivity.identify(panda, "panda_link[67].mass", measured(heavier, motion, 0.05), report=True)
    assert fit
    k = fit.parameters.index("panda_link7.mass")
    # An interval of 95 %, and a seed whose noise is not one in a thousand.
    assert abs(fit.values[k] - 1.2) < 1.7 * fit.half_widths[k]
    # As the motion's own forecast has it, for a noise of 0.1 N m, in this one of 0.05: within a factor of two.
    assert fit.half_widths[k] < 2 * 1.96 * motion.deviations.max()
    assert fit.covariance.shape == (2, 2)
    assert fit.model.parameters["panda_link7.mass"] == pytest.approx(fit.values[k], rel=1e-12)
    assert fit.verdict in repr(fit)
    fit.report(tmp_path / "fit.html")
    assert "<html" in (tmp_path / "fit.html").read_text().lower()
    without = sensitivity.identify(panda, "panda_link[67].mass", measured(heavier, motion, 0.05))
    with pytest.raises(ValueError, match="report=True"):
        without.report(tmp_path / "none.html")


def test_what_data_cannot_tell_is_said(panda: gradyn.Model) -> None:
    # A robot that stands still: torques say nothing of damping.
    n = 60
    q = np.tile(Q, (n, 1))
    still = {"time": np.arange(n) * 0.01, "q": q, "v": 0 * q, "a": 0 * q, "tau": panda.rnea(q, 0 * q, 0 * q)}
    still["tau"] = still["tau"] + 0.01 * np.random.default_rng(0).standard_normal(q.shape)
    fit = sensitivity.identify(panda, ["panda_link7.mass", "panda_joint3.damping"], still)
    assert not fit
    assert any("panda_joint3.damping" in text for text in fit.cannot_tell)
    k = fit.parameters.index("panda_joint3.damping")
    assert np.isnan(fit.half_widths[k])
    # What is said by nothing stays what it was.
    assert fit.values[k] == pytest.approx(panda.parameters["panda_joint3.damping"])


def test_data_may_be_frames_and_differences(panda: gradyn.Model, motion: Any) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    heavier = panda.with_parameters({"panda_link7.mass": 1.2})
    data = measured(heavier, motion, 0.02)
    columns = {"time": data["time"]}
    for name in ("q", "v", "a", "tau"):
        columns |= {f"{name}.{dof}": data[name][:, k] for k, dof in enumerate(panda.dof_names)}
    by_frame = sensitivity.identify(panda, "panda_link[67].mass", pandas.DataFrame(columns))
    by_arrays = sensitivity.identify(panda, "panda_link[67].mass", data)
    np.testing.assert_array_equal(by_frame.values, by_arrays.values)
    frame = by_frame.to_frame()
    assert list(frame.index) == by_frame.parameters
    # Without rates: differences of clean positions by 0.02 s. Their errors are systematic, so that intervals do not have them.
    rough = sensitivity.identify(panda, "panda_link[67].mass", {name: data[name] for name in ("time", "q", "tau")})
    assert rough.values == pytest.approx(by_arrays.values, rel=0.1)


def test_data_of_a_pendulum_may_be_flat_arrays() -> None:
    pendulum = robot("pendulum")
    mass = next(name for name in pendulum.parameters if name.endswith(".mass"))
    t = np.arange(200) * 0.02
    q, v, a = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    heavier = pendulum.with_parameters({mass: 1.5 * pendulum.parameters[mass]})
    tau = heavier.rnea(q[:, None], v[:, None], a[:, None])[:, 0] + 0.01 * np.random.default_rng(0).standard_normal(200)
    fit = sensitivity.identify(pendulum, mass, {"time": t, "q": q, "v": v, "a": a, "tau": tau})
    assert abs(fit.values[0] - 1.5 * pendulum.parameters[mass]) < 2 * fit.half_widths[0]


def test_data_that_make_no_sense_are_refused(panda: gradyn.Model, motion: Any) -> None:
    data = measured(panda, motion, 0.01)
    for missing in ("time", "q", "tau"):
        with pytest.raises(ValueError, match=f"`data` has no `{missing}`"):
            sensitivity.identify(panda, "panda_link7.mass", {name: x for name, x in data.items() if name != missing})
    with pytest.raises(ValueError, match="no degree of freedom 'elbow'"):
        sensitivity.identify(panda, "panda_link7.mass", data, measured=["elbow"])
    with pytest.raises(ValueError, match="'gravity.z' is none of the chosen parameters"):
        sensitivity.identify(panda, "panda_link7.mass", data, prior={"gravity.z": 0.1})
    with pytest.raises(ValueError, match=r"\d"):
        sensitivity.identify(panda, "panda_link7.mass", {**data, "tau": data["tau"][:-1]})


def test_a_prior_holds_what_data_do_not_tell(panda: gradyn.Model, motion: Any) -> None:
    heavier = panda.with_parameters({"panda_link7.mass": 1.2})
    data = measured(heavier, motion, 0.05)
    free = sensitivity.identify(panda, "panda_link7.mass", data)
    held = sensitivity.identify(panda, "panda_link7.mass", data, prior={"panda_link7.mass": 1e-4})
    loose = sensitivity.identify(panda, "panda_link7.mass", data, prior=10.0)
    own = panda.parameters["panda_link7.mass"]
    assert abs(held.values[0] - own) < 0.01 < abs(free.values[0] - own)
    assert loose.values[0] == pytest.approx(free.values[0], rel=1e-3)


def test_a_fit_is_plotted(panda: gradyn.Model, motion: Any) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    fit = sensitivity.identify(panda, ["panda_link[67].mass", "panda_link0.mass"][:1], measured(panda, motion, 0.05))
    figure = fit.plot()
    figure.canvas.draw()
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == fit.parameters
    pyplot.close(figure)


def test_a_motion_has_a_page(panda: gradyn.Model, tmp_path: Path) -> None:
    motion = sensitivity.excite(panda, "panda_link7.mass", period=2.0, harmonics=2, iterations=30)
    motion.report(tmp_path / "motion.html")
    page = (tmp_path / "motion.html").read_text(encoding="utf-8")
    assert "gradyn excite: panda" in page and "panda_joint7" in page
    assert motion.verdict.startswith("deviations are")  # type: ignore[attr-defined]


# Along a trajectory.


def reach(panda: gradyn.Model) -> gradyn.trajectory.Solution:
    goal = panda.frame_pose(Q + 0.1, "panda_link8")
    task = gradyn.Task(panda, start=Q, dt=0.02, name="reach").phase("reach", nodes=20)
    task.cost("frame-placement", frame="panda_link8", goal=goal, weight=1e3, at="last")
    task.cost("state", weight=0.1).cost("control", weight=1e-3)
    return task.solve()


CHOSEN = ["panda_link[57].mass", "panda_joint2.damping"]


def test_shares_of_variance_along_a_solution(panda: gradyn.Model) -> None:
    solution = reach(panda)
    first = sensitivity.local(solution, CHOSEN, "configuration")
    run = solution.sensitivity(CHOSEN)
    assert np.array_equal(first.jacobian, run.by_parameters[-1, : panda.nv])
    assert np.array_equal(first.value, np.zeros(panda.nv))
    # Priors so narrow that the end moves by straight lines: shares are those of the derivatives.
    study = sensitivity.sobol(solution, CHOSEN, "configuration", rows=256, share=1e-3)
    deviations = Parameters(solution._live().model(), CHOSEN).default_priors(1e-3).deviations
    parts = np.square(first.jacobian * deviations)
    # Twice the half width of the 95 % interval of each, of which one in 15 000 is further off; and curvature over a thousandth.
    off = np.abs(study.total - parts / parts.sum(axis=1, keepdims=True))
    assert np.all(off < 2 * study.total_half_width + 1e-3)
    effects = sensitivity.morris(solution, CHOSEN, "configuration", paths=16, share=1e-3)
    assert np.array_equal(np.argmax(effects.magnitude, axis=1), np.argmax(parts, axis=1))


def test_a_pose_along_a_solution_closed_loop_and_elsewhere(panda: gradyn.Model) -> None:
    solution = reach(panda)
    of: dict[str, Any] = {"frame": "panda_link8", "rows": 8}
    here = sensitivity.sobol(solution, CHOSEN, "pose", closed_loop=True, **of)
    assert here.outputs == ["x", "y", "z", "rx", "ry", "rz"]
    there = sensitivity.sobol(solution, CHOSEN, "pose", closed_loop=True, executor=2, **of)
    for name in ("first", "total", "variance", "mean"):
        assert np.array_equal(getattr(here, name), getattr(there, name), equal_nan=True)
    # The solver's feedback holds the end back.
    free = sensitivity.sobol(solution, CHOSEN, "pose", **of)
    assert np.all(here.variance[:3] < free.variance[:3])
    scatter = sensitivity.uncertainty(solution, CHOSEN, "pose", frame="panda_link8", samples=512, share=0.01)
    assert not scatter.disagree.any()


def test_along_a_solution_what_cannot_be_is_said(panda: gradyn.Model) -> None:
    solution = reach(panda)
    for needle, call in {
        "expected 'configuration' or 'pose'": lambda: sensitivity.local(solution, CHOSEN, "torques"),
        "`q` is the solution's own": lambda: sensitivity.local(solution, CHOSEN, "configuration", q=Q),
        "`frame` is needed": lambda: sensitivity.local(solution, CHOSEN, "pose"),
        "no_frame": lambda: sensitivity.local(solution, CHOSEN, "pose", frame="no_frame"),
        "`method` and `values`": lambda: sensitivity.local(solution, CHOSEN, "configuration", method="dual"),
        "ask where the task was solved": lambda: sensitivity.local(solution.detached(), CHOSEN, "configuration"),
        "`q` is needed": lambda: sensitivity.local(panda, CHOSEN, "torques"),
        "`closed_loop` is for solutions": lambda: sensitivity.local(panda, CHOSEN, "torques", q=Q, closed_loop=True),
    }.items():
        with pytest.raises(ValueError, match="(?s)" + needle.replace("[", "\\[")):
            call()
