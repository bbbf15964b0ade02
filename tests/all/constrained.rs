//! Derivatives of dynamics under constraints and of impulses: methods against each other, against the equations of
//! motion, with dependent and contradictory rows, structure, misuse.

use gradyn::dynamics::{
    Constraint, Workspace, constraint_bias, constraint_dynamics, constraint_jacobian, impulse_dynamics, rnea,
};
use gradyn::joint::{Axis, Cylindrical, Helical, Planar, Prismatic, Revolute, Translation, Universal};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{BodyId, InputError, Model};
use gradyn::once;
use gradyn::partials::{
    ConstraintDynamicsDerivatives, DerivativeWorkspace, ImpulseDynamicsDerivatives, Method, State, StateFunction,
    aba_derivatives, by_duals, constraint_dynamics_derivatives, constraint_inverse_dynamics_derivatives,
    impulse_dynamics_derivatives,
};
use gradyn_derivatives::simd::with_level;
use gradyn_derivatives::{Level, Scalar};
use nalgebra::{DMatrix, Vector3};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use testing::{assert_same, condition, deviation, joined, rng, robot, state, transform, tree_of, vector, wrenches};

/// Constraints of each sort between random bodies, or one and the world.
fn constraints(model: &Model, seed: u64) -> Vec<Constraint> {
    drawn(model, seed).into_iter().map(|(c, _)| c).collect()
}

/// Each with the bodies that it holds.
fn drawn(model: &Model, seed: u64) -> Vec<(Constraint, [Option<BodyId>; 2])> {
    let rng = &mut rng(seed.wrapping_add(5000));
    let n = model.bodies().len();
    let pair = |rng: &mut ChaCha8Rng, world: bool| -> (Option<BodyId>, BodyId) {
        let b = rng.random_range(0..n);
        let a = Some(rng.random_range(0..n)).filter(|a| *a != b && !world);
        let id = |i: usize| model.body_id(i).expect("is there");
        (a.map(id), id(b))
    };
    let (a, b) = pair(rng, true);
    let point = (Constraint::point(a, vector(rng), b, vector(rng)).with_gains(5.0, 0.5), [a, Some(b)]);
    let (a, b) = pair(rng, false);
    let (x_a, x_b) = (transform(rng), transform(rng));
    // One kind of row each time; all kinds come up.
    let third = match seed % 8 {
        0 => Ok(Constraint::frame(a, x_a, b, x_b)),
        1 => Constraint::joint(a, x_a, b, x_b, Revolute { axis: testing::axis(rng) }),
        2 => Constraint::joint(a, x_a, b, x_b, Prismatic { axis: testing::axis(rng) }),
        3 => Constraint::joint(a, x_a, b, x_b, Universal { first: testing::axis(rng), second: Axis::X }),
        4 => Constraint::joint(a, x_a, b, x_b, Cylindrical { axis: Axis::Y }),
        5 => Constraint::joint(a, x_a, b, x_b, Planar::new(testing::axis(rng))),
        6 => Constraint::joint(a, x_a, b, x_b, Helical { axis: testing::axis(rng), pitch: 0.2 }),
        _ => Constraint::joint(a, x_a, b, x_b, Translation),
    };
    vec![point, (third.expect("can close a loop").with_gains(7.0, 3.0), [a, Some(b)])]
}

/// Models whose mass matrix can be inverted, each with a seed of its own.
fn regular() -> impl Iterator<Item = (String, Model, u64)> {
    testing::regular().into_iter().zip(0..).map(|((what, model), seed)| (what, model, seed))
}

/// How large accelerations would be without constraints: the largest entry of the inverse of the mass matrix.
fn free(model: &Model, seed: u64) -> f64 {
    once::minv(model, &state(model, seed).0).expect("can be inverted").amax()
}

/// The deviation of derivatives, relative to their largest entry. What a held leg does is zero: the difference of what
/// it would do free and of what its contact takes away. So what torques and wrenches do, `M⁻¹` times them without
/// contacts, is measured by what is `free`, too.
fn off(name: &str, x: &DMatrix<f64>, y: &DMatrix<f64>, free: f64) -> f64 {
    let size = y.amax().max(1.0);
    deviation(x, y) * if name.starts_with("ddq_df_ext") || name == "ddq_dtau" { size / size.max(free) } else { 1.0 }
}

fn at(model: &Model, method: Method, seed: u64, list: &[Constraint]) -> ConstraintDynamicsDerivatives {
    let (q, v, tau) = state(model, seed);
    let (mut ws, wrenches) = (DerivativeWorkspace::new(model), wrenches(model, seed));
    constraint_dynamics_derivatives(model, &mut ws, method, &q, &v, &tau, list, &wrenches).expect("runs").clone()
}

fn struck(model: &Model, method: Method, seed: u64, list: &[Constraint]) -> ImpulseDynamicsDerivatives {
    let (q, v, _) = state(model, seed);
    let mut ws = DerivativeWorkspace::new(model);
    impulse_dynamics_derivatives(model, &mut ws, method, &q, &v, 0.3, list).expect("runs").clone()
}

/// Every matrix, those of wrenches too; of motion, then of multipliers.
fn matrices(d: &ConstraintDynamicsDerivatives) -> Vec<(String, &DMatrix<f64>)> {
    let mut all: Vec<_> = d.matrices().into_iter().map(|(what, m)| (what.to_owned(), m)).collect();
    all.extend(d.ddq_df_ext.iter().enumerate().map(|(k, m)| (format!("ddq_df_ext[{k}]"), m)));
    all.extend(d.dlambda_df_ext.iter().enumerate().map(|(k, m)| (format!("dlambda_df_ext[{k}]"), m)));
    all
}

/// Conditions that leave digits: of `J M⁻¹ Jᵀ` on its range, and of M with its diagonal scaled to one.
const CONDITION: f64 = 1e6;

/// What is left of them, relative to the largest entry: a few roundings, each as bad as the worse of both conditions.
const EXACT: f64 = 1e-9;

/// What rounding may do there, relative to the largest entry: a few for each unit of the conditions, that of the
/// constraints squared in derivatives by q; three hundred at least, as sums of many products are off by 2.5e-13 at a
/// condition of hundred; and never more than [`EXACT`].
fn rounding(model: &Model, seed: u64, list: &[Constraint]) -> f64 {
    let m = once::crba(model, &state(model, seed).0).expect("runs").singular_values();
    // As it stands: entries of one matrix are measured by the largest, whatever their units.
    let (of_g, of_m) = (conditions(model, seed, list).0, m.max() / m.min());
    (1e-15 * of_m.max(3e2)).max(1e-15 * of_g * of_g.min(1e4)).min(EXACT)
}

/// How much rounding the state allows: the condition of `J M⁻¹ Jᵀ` on its range, and that of M.
fn conditions(model: &Model, seed: u64, list: &[Constraint]) -> (f64, f64) {
    let (q, ..) = state(model, seed);
    let mut ws = Workspace::new(model);
    let m = once::crba(model, &q).expect("runs");
    let of_m = condition(&m);
    if list.is_empty() {
        return (1.0, of_m);
    }
    let j = constraint_jacobian(model, &mut ws, &q, list).expect("runs").clone();
    let g = &j * m.cholesky().expect("is positive").solve(&j.transpose());
    let all = g.svd(false, false).singular_values;
    let least = all.iter().copied().filter(|x| *x > 1e-12 * all.max()).fold(f64::INFINITY, f64::min);
    (if all.max() > 0.0 { all.max() / least } else { 1.0 }, of_m)
}

/// A state of a model, and what holds it.
struct Case {
    what: String,
    model: Model,
    seed: u64,
    list: Vec<Constraint>,
}

/// Four states of every regular model, one of the tree of 60 bodies, each under one constraint, under another and under
/// both, where conditions are below [`CONDITION`]: some of every model, and most of all.
fn cases() -> Vec<Case> {
    let (mut cases, mut all) = (Vec::new(), 0);
    for (what, model, shift) in regular() {
        let before = cases.len();
        let seeds = [shift, shift + 3, shift + 100, shift + 200];
        for seed in if model.nv() < 100 { &seeds[..] } else { &seeds[..1] } {
            let seed = *seed;
            let list = constraints(&model, seed);
            for list in [&list[..1], &list[1..], &list] {
                all += 1;
                let (of_g, of_m) = conditions(&model, seed, list);
                if of_g.max(of_m) < CONDITION {
                    let what =
                        format!("{what}, state {seed}, {} constraints, conditions {of_g:.0e}, {of_m:.0e}", list.len());
                    cases.push(Case { what, model: model.clone(), seed, list: list.to_vec() });
                }
            }
        }
        assert!(cases.len() > before, "{what}: no state is good enough");
    }
    assert!(10 * cases.len() > 9 * all, "{} of {all} states are good enough", cases.len());
    cases
}

/// Where a contact loses a row nearby, differences from a long step reach past the pole. They may be wrong then, but
/// they say so: no estimate is too small.
#[test]
fn differences_know_when_they_reach_past_a_pole() {
    let model = robot("mimic", &UrdfOptions::new());
    let frame = &model.frames()[model.find_frame("left_tip").expect("is there").index()];
    let tip = Constraint::contact(frame.body().expect("moves"), frame.placement().translation, Vector3::zeros());
    let (mut compared, mut rough, mut all) = (0, 0, 0);
    for seed in 0..40 {
        let list = [tip];
        if conditions(&model, seed, &list).0 > CONDITION {
            continue;
        }
        compared += 1;
        let (right, found) = (at(&model, Method::Analytical, seed, &list), at(&model, Method::Difference, seed, &list));
        let errors = found.errors.as_deref().expect("differences have them");
        let pairs = matrices(&right).into_iter().zip(matrices(&found)).zip(matrices(errors));
        for (((name, x), (_, y)), (_, error)) in pairs {
            let scale = x.amax().max(right.ddq.amax()).max(1.0);
            for ((x, y), error) in x.iter().zip(y.iter()).zip(error.iter()) {
                // Estimates are estimates.
                let allowed = EXACT * scale + 10.0 * error;
                assert!((x - y).abs() <= allowed, "state {seed}: {name} {x:e} {y:e} by {error:e}");
                all += 1;
                rough += usize::from(*error > 1e-6 * scale);
            }
        }
    }
    assert!(compared > 20, "{compared}");
    assert!(100 * rough < all, "{rough} of {all} are rough");
}

/// The closed form is what dual numbers through the algorithm give: every kind of joint and of row, mimic joints,
/// friction, wrenches, gains; dependent rows and rows that contradict each other.
#[test]
fn formulas_agree_with_dual_numbers() {
    let (mut full, mut deficient, mut worst) = (0, 0, 0.0f64);
    for Case { what, model, seed, list } in &cases() {
        let (analytical, dual) = (at(model, Method::Analytical, *seed, list), at(model, Method::Dual, *seed, list));
        let allowed = rounding(model, *seed, list);
        let rows = analytical.lambda.len();
        *(if analytical.rank == rows { &mut full } else { &mut deficient }) += 1;
        assert_eq!((analytical.rank, dual.rank), (dual.rank, analytical.rank));
        let free = free(model, *seed);
        for ((name, x), (_, y)) in matrices(&analytical).into_iter().zip(matrices(&dual)) {
            let d = off(&name, x, y, free);
            worst = worst.max(d);
            assert!(d < allowed, "{what}, rank {} of {rows}: {name} {d:e}, allowed {allowed:e}", analytical.rank);
        }
        let (analytical, dual) =
            (struck(model, Method::Analytical, *seed, list), struck(model, Method::Dual, *seed, list));
        for ((name, x), (_, y)) in analytical.matrices().into_iter().zip(dual.matrices()) {
            let d = deviation(x, y);
            worst = worst.max(d);
            assert!(d < allowed, "{what}, rank {} of {rows}: {name} {d:e}, allowed {allowed:e}", analytical.rank);
        }
    }
    println!("{full} of full rank, {deficient} not, worst {worst:e}");
    assert!(full > 100 && deficient > 100, "both cases occur: {full}, {deficient}");
}

/// Torques under multipliers and accelerations of constraints: by formulas, by duals, by differences; and of the
/// solution of dynamics they are its torques, and nothing.
#[test]
fn inverse_dynamics_under_constraints_by_three_methods() {
    let (mut worst, mut solved) = (0.0f64, 0);
    for (n, Case { what, model, seed, list }) in cases().iter().enumerate() {
        let (q, v, a) = state(model, *seed);
        let rows: usize = list.iter().map(Constraint::rows).sum();
        let lambda: Vec<f64> = (0..rows).map(|k| (k as f64 + *seed as f64).sin()).collect();
        let wrenches = wrenches(model, *seed);
        let by = |method| {
            let mut memory = DerivativeWorkspace::new(model);
            let run = constraint_inverse_dynamics_derivatives;
            run(model, &mut memory, method, &q, &v, &a, &lambda, list, &wrenches).expect("is valid").clone()
        };
        let (formulas, dual) = (by(Method::Analytical), by(Method::Dual));
        // Sums of products of numbers of size 1 to 100, at most 60 of them: nothing is solved, so only they round.
        let allowed = 1e-11;
        let values = [(&formulas.tau, &dual.tau), (&formulas.rows, &dual.rows)];
        for (x, y) in values {
            let d = (x - y).amax() / y.amax().max(1.0);
            worst = worst.max(d);
            assert!(d < allowed, "{what}: values {d:e}");
        }
        let by_wrenches = formulas.dtau_df_ext.iter().zip(&dual.dtau_df_ext).map(|(x, y)| ("dtau_df_ext", x, y));
        let matrices = formulas.matrices().into_iter().zip(dual.matrices()).map(|((name, x), (_, y))| (name, x, y));
        for (name, x, y) in matrices.chain(by_wrenches) {
            let d = deviation(x, y);
            worst = worst.max(d);
            assert!(d < allowed, "{what}: {name} {d:e}");
        }
        if n % 8 == 0 {
            let difference = by(Method::Difference);
            let errors = difference.errors.as_ref().expect("are estimated");
            for (((name, x), (_, y)), (_, e)) in
                formulas.matrices().into_iter().zip(difference.matrices()).zip(errors.matrices())
            {
                // The estimate of an estimate: a factor of ten, and rounding of the largest entries.
                let floor = 1e-9 * y.amax().max(1.0);
                assert!(x.iter().zip(y).zip(e).all(|((x, y), e)| (x - y).abs() <= 10.0 * e + floor), "{what}: {name}");
            }
        }
        let d = at(model, Method::Analytical, *seed, list);
        let tau = state(model, *seed).2;
        if d.rank == rows && d.residual < 1e-9 {
            let mut memory = DerivativeWorkspace::new(model);
            let (ddq, lambda) = (d.ddq.as_slice(), d.lambda.as_slice());
            let run = constraint_inverse_dynamics_derivatives;
            let method = Method::Analytical;
            let by = run(model, &mut memory, method, &q, &v, ddq, lambda, list, &self::wrenches(model, *seed));
            let by = by.expect("is valid");
            let allowed = rounding(model, *seed, list) * by.dtau_da.amax().max(1.0);
            let off = by.tau.iter().zip(&tau).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(off < allowed && by.rows.amax() < 1e-8, "{what}: {off:e}, {allowed:e}, {:e}", by.rows.amax());
            solved += 1;
        }
    }
    println!("worst {worst:e}, {solved} solutions put in");
    assert!(solved > 100, "{solved}");
}

/// Points and frames held to the world, from either side, with gains: clearly independent rows go eight at a time, at
/// every level.
#[test]
fn contacts_agree_with_dual_numbers_at_every_level() {
    let (mut full, mut worst) = (0, 0.0f64);
    for (what, model, shift) in regular() {
        // The tree of 60 bodies takes as long as all others.
        for seed in (shift + 11..shift + 13).take(if model.nv() < 100 { 2 } else { 1 }) {
            let list = contacts(&model, seed);
            for list in [&list[..1], &list[1..2], &list[2..3], &list[3..], &list[2..]] {
                let (of_g, of_m) = conditions(&model, seed, list);
                if of_g.max(of_m) > CONDITION {
                    continue;
                }
                let allowed = rounding(&model, seed, list);
                let free = free(&model, seed);
                let (dual, jump) = (at(&model, Method::Dual, seed, list), struck(&model, Method::Dual, seed, list));
                full += usize::from(dual.rank == dual.lambda.len());
                for level in Level::available() {
                    let by = with_level(level, || at(&model, Method::Analytical, seed, list));
                    let struck = with_level(level, || struck(&model, Method::Analytical, seed, list));
                    assert_eq!((by.rank, struck.rank), (dual.rank, jump.rank), "{what}, {level}");
                    let mut near = |name: &str, x: &DMatrix<f64>, y: &DMatrix<f64>| {
                        let d = off(name, x, y, free);
                        worst = worst.max(d / allowed);
                        assert!(
                            d < allowed,
                            "{what}, {level}, {} contacts: {name} {d:e} {allowed:e}, conditions {of_g:e} {of_m:e}",
                            list.len()
                        );
                    };
                    for ((name, x), (_, y)) in matrices(&by).into_iter().zip(matrices(&dual)) {
                        near(&name, x, y);
                    }
                    for ((name, x), (_, y)) in struck.matrices().into_iter().zip(jump.matrices()) {
                        near(name, x, y);
                    }
                    for (name, x, y) in [("ddq", &by.ddq, &dual.ddq), ("v", &struck.v, &jump.v)] {
                        near(
                            name,
                            &DMatrix::from_column_slice(x.len(), 1, x.as_slice()),
                            &DMatrix::from_column_slice(y.len(), 1, y.as_slice()),
                        );
                    }
                }
            }
        }
    }
    println!("{full} of full rank, worst {worst:.2} of what is allowed");
    assert!(full > 100, "{full}");
}

/// A point and a frame of some bodies, held from the side of the world and from their own.
fn contacts(model: &Model, seed: u64) -> Vec<Constraint> {
    let rng = &mut rng(seed.wrapping_add(7000));
    let body = |rng: &mut ChaCha8Rng| model.body_id(rng.random_range(0..model.bodies().len())).expect("is there");
    let at = |rng: &mut ChaCha8Rng, b: BodyId| (b, vector(rng), transform(rng), transform(rng));
    let [a, b, c, d] = [(); 4].map(|()| {
        let b = body(rng);
        at(rng, b)
    });
    vec![
        Constraint::frame(None, a.2, a.0, a.3).with_gains(5.0, 0.5),
        Constraint::frame(b.0, b.2, None, b.3).with_gains(3.0, 2.0),
        Constraint::point(None, c.1, c.0, c.2.translation).with_gains(4.0, 1.0),
        Constraint::point(d.0, d.1, None, d.2.translation).with_gains(2.0, 3.0),
    ]
}

/// Differences converge to it, at full rank and below: nearby the rank is the same, and multipliers of least norm are
/// smooth where it is.
#[test]
fn differences_converge_to_the_formulas() {
    let (mut full, mut deficient, mut rough, mut all) = (0, 0, 0, 0);
    // Twenty runs a column: two states of each model instead of four, and one of large trees, under two constraints
    // only.
    let mut large = std::collections::BTreeSet::new();
    let mut few = |case: &&Case| {
        let (nv, name) = (case.model.nv(), case.what.split(", state").next().unwrap_or_default().to_owned());
        case.seed < 100 && (nv <= 18 || nv <= 42 && case.list.len() == 2 && large.insert(name))
    };
    for Case { what, model, seed, list } in cases().iter().filter(&mut few) {
        let mut near = |name: &str, x: &DMatrix<f64>, y: &DMatrix<f64>, error: &DMatrix<f64>, scale: f64| {
            let scale = scale.max(x.amax());
            let (off, error) = ((x - y).amax() / scale, error.amax() / scale);
            // Ridders' method reaches 1e-9 with the conditions above, and says itself where it does not.
            let tolerance = 1e-9 + 10.0 * error;
            assert!(off < tolerance && tolerance < 1e-5, "{what}: {name} {off:e}, tolerance {tolerance:e}");
            all += 1;
            rough += usize::from(error > 1e-8);
        };
        let (by, difference) = (at(model, Method::Analytical, *seed, list), at(model, Method::Difference, *seed, list));
        *(if by.rank == by.lambda.len() { &mut full } else { &mut deficient }) += 1;
        let errors = matrices(difference.errors.as_deref().expect("estimated"));
        for (((name, x), (_, y)), (_, error)) in matrices(&by).into_iter().zip(matrices(&difference)).zip(errors) {
            near(&name, x, y, error, by.ddq.amax().max(by.lambda.amax()).max(1.0));
        }
        let (by, difference) =
            (struck(model, Method::Analytical, *seed, list), struck(model, Method::Difference, *seed, list));
        let errors = difference.errors.as_deref().expect("estimated").matrices();
        for (((name, x), (_, y)), (_, error)) in by.matrices().into_iter().zip(difference.matrices()).zip(errors) {
            near(name, x, y, error, by.v.amax().max(by.impulse.amax()).max(1.0));
        }
    }
    println!("{full} of full rank, {deficient} not");
    assert!(full > 50 && deficient > 50, "both cases occur: {full}, {deficient}");
    assert!(50 * rough < all, "{rough} of {all} are rough");
}

/// `id(q, v, q̈) − Jᵀ λ` and `J q̈ + γ` with q̈ and λ held.
struct Residual<'a> {
    list: &'a [Constraint],
    ddq: &'a [f64],
    lambda: &'a [f64],
}

impl StateFunction for Residual<'_> {
    fn outputs(&self, model: &Model) -> usize {
        model.nv() + self.lambda.len()
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let (torques, rows) = out.split_at_mut(model.nv());
        let ddq = testing::lift::<T>(self.ddq);
        torques.copy_from_slice(rnea(model, ws, state.q, state.v, &ddq, state.wrenches)?);
        rows.copy_from_slice(constraint_bias(model, ws, state.q, state.v, self.list)?);
        let jacobian = constraint_jacobian(model, ws, state.q, self.list)?;
        for (r, lambda) in self.lambda.iter().enumerate() {
            for (k, ddq) in ddq.iter().enumerate() {
                torques[k] -= jacobian[(r, k)] * *lambda;
                rows[r] += jacobian[(r, k)] * *ddq;
            }
        }
        Ok(())
    }
}

/// At full rank they solve the dense system `[M −Jᵀ; J 0] [dq̈; dλ] = −d(residual)`.
#[test]
fn derivatives_solve_the_dense_system() {
    let mut solved = 0;
    for Case { what, model, seed, list } in &cases() {
        let by = at(model, Method::Analytical, *seed, list);
        let rows = by.lambda.len();
        if by.rank < rows {
            continue;
        }
        solved += 1;
        let (q, v, tau) = state(model, *seed);
        let residual = Residual { list, ddq: by.ddq.as_slice(), lambda: by.lambda.as_slice() };
        let wrenches = wrenches(model, *seed);
        let held = by_duals(model, &residual, State { q: &q, v: &v, u: &[], wrenches: &wrenches }).expect("runs");
        // The residual itself is zero but for the torques.
        let scale = by.ddq.amax().max(by.lambda.amax()).max(1.0) * 100.0;
        let off = (held.value.rows(0, model.nv()) - nalgebra::DVector::from_vec(tau)).amax() / scale;
        // Some ten roundings, of a hundred times as large as they are counted here.
        assert!(off < 1e-14, "{what}: torques {off:e}");
        let jacobian = constraint_jacobian(model, &mut Workspace::new(model), &q, list).expect("runs").clone();
        let (m, nv) = (once::crba(model, &q).expect("runs"), model.nv());
        let mut kkt = DMatrix::zeros(nv + rows, nv + rows);
        kkt.view_mut((0, 0), (nv, nv)).copy_from(&m);
        kkt.view_mut((nv, 0), (rows, nv)).copy_from(&jacobian);
        kkt.view_mut((0, nv), (nv, rows)).copy_from(&-jacobian.transpose());
        let lu = kkt.lu();
        let cases = [
            ("q", &held.dq, &by.ddq_dq, &by.dlambda_dq),
            ("v", &held.dv, &by.ddq_dv, &by.dlambda_dv),
            ("a wrench", &held.df_ext[1], &by.ddq_df_ext[1], &by.dlambda_df_ext[1]),
        ];
        for (name, residual, ddq, lambda) in cases {
            let expected = lu.solve(&-residual).expect("is regular");
            let (x, y) = (expected.rows(0, nv).into_owned(), expected.rows(nv, rows).into_owned());
            let scale = expected.amax().max(1.0);
            let off = (ddq - x).amax().max((lambda - y).amax()) / scale;
            assert!(off < EXACT, "{what}, by {name}: {off:e}");
        }
    }
    assert!(solved > 100, "full rank occurs: {solved}");
}

/// Four feet of a floating quadruped that stand where they are, each given twice, with gains.
fn standing_twice() -> (Model, Vec<Constraint>) {
    let model = robot("solo12", &UrdfOptions::new().floating_base(true));
    let feet = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"].map(|name| {
        let frame = &model.frames()[model.find_frame(name).expect("is there").index()];
        let place = Vector3::new(0.1, 0.2, 0.0);
        Constraint::contact(frame.body().expect("moves"), frame.placement().translation, place).with_gains(30.0, 4.0)
    });
    let twice = [feet, feet].concat();
    (model, twice)
}

/// Rows that repeat each other, and rows that contradict each other: least-norm multipliers and least squares, and
/// their derivatives by all three methods.
#[test]
fn dependent_rows_have_derivatives() {
    let (model, mut list) = standing_twice();
    for (rank, contradict) in [(12, false), (12, true)] {
        if contradict {
            // One of the two wants the foot elsewhere.
            let frame = &model.frames()[model.find_frame("HR_FOOT").expect("is there").index()];
            let (foot, sole) = (frame.body().expect("moves"), frame.placement().translation);
            list[7] = Constraint::contact(foot, sole, Vector3::new(0.3, -0.1, 0.05)).with_gains(50.0, 1.0);
        }
        let by = at(&model, Method::Analytical, 5, &list);
        assert_eq!((by.lambda.len(), by.rank), (24, rank));
        assert_eq!(by.residual > 1e-3, contradict, "{}", by.residual);
        let (dual, difference) = (at(&model, Method::Dual, 5, &list), at(&model, Method::Difference, 5, &list));
        for (((name, x), (_, y)), (_, z)) in matrices(&by).into_iter().zip(matrices(&dual)).zip(matrices(&difference)) {
            // Roundings, some thousand; and what extrapolated differences reach.
            assert!(deviation(x, y) < 1e-10, "{name}: {:e} from dual numbers", deviation(x, y));
            assert!(deviation(x, z) < 1e-7, "{name}: {:e} from differences", deviation(x, z));
        }
        let [by, dual, difference] =
            [Method::Analytical, Method::Dual, Method::Difference].map(|method| struck(&model, method, 5, &list));
        for (((name, x), (_, y)), (_, z)) in by.matrices().into_iter().zip(dual.matrices()).zip(difference.matrices()) {
            assert!(deviation(x, y) < 1e-10, "{name}: {:e} from dual numbers", deviation(x, y));
            assert!(deviation(x, z) < 1e-7, "{name}: {:e} from differences", deviation(x, z));
        }
    }
}

/// The degrees of freedom between a body and the world.
fn path(model: &Model, body: BodyId) -> Vec<usize> {
    let up = std::iter::successors(Some(body), |b| model.bodies()[b.index()].parent());
    up.flat_map(|b| model.bodies()[b.index()].v_range()).collect()
}

/// Degrees of freedom that can act on each other have one number: those on the way from a body to the world, and from
/// bodies that are held together.
fn groups(model: &Model, held: &[[Option<BodyId>; 2]]) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..model.nv()).collect();
    let bodies = (0..model.bodies().len()).map(|i| vec![model.body_id(i).expect("is there")]);
    for together in bodies.chain(held.iter().map(|pair| pair.iter().flatten().copied().collect())) {
        let dofs: Vec<_> = together.into_iter().flat_map(|body| path(model, body)).collect();
        let joined: Vec<_> = dofs.iter().map(|dof| groups[*dof]).collect();
        groups.iter_mut().filter(|g| joined.contains(g)).for_each(|g| *g = joined[0]);
    }
    groups
}

/// What no constraint couples has exactly no effect: trees beside each other, and limbs of robots whose base is fixed.
#[test]
fn entries_between_separate_trees_are_exactly_zero() {
    let beside = |seed: u64| {
        let [a, b, c] = [3, 5, 4].map(|n| tree_of(n, 100 * seed + n as u64));
        (format!("three trees, seed {seed}"), joined(&joined(&a, &b, None), &c, None), seed)
    };
    let (mut zeros, mut coupled) = (0, 0);
    for (what, model, seed) in regular().chain((0..12).map(beside)) {
        let (drawn, nv) = (drawn(&model, seed), model.nv());
        let (list, held): (Vec<_>, Vec<_>) = drawn.into_iter().unzip();
        let (apart, together) = (groups(&model, &[]), groups(&model, &held));
        let of_body = |body: BodyId| path(&model, body).first().map(|dof| together[*dof]);
        // None of what moves nothing.
        let of_pair = |pair: &[Option<BodyId>; 2]| pair.iter().flatten().find_map(|body| of_body(*body));
        let of_rows = list.iter().zip(&held).flat_map(|(c, pair)| vec![of_pair(pair); c.rows()]);
        let rows: Vec<_> = together.iter().map(|g| Some(*g)).chain(of_rows).collect();
        for method in Method::ALL {
            if method == Method::Difference && !what.starts_with("three") {
                continue; // twenty runs a column
            }
            let mut check = |name: &str, m: &DMatrix<f64>, first: usize, column: &dyn Fn(usize) -> Option<usize>| {
                for (i, k) in (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |k| (i, k))) {
                    let (row, x) = (rows[first + i], m[(i, k)]);
                    if row.is_none() || row != column(k) {
                        assert!(x == 0.0, "{what}, {method}: {name}[{i}, {k}] = {x:e}");
                        zeros += 1;
                    } else if first + i < nv && m.ncols() == nv && apart[i] != apart[k] {
                        coupled += usize::from(x != 0.0);
                    }
                }
            };
            let by_dof = |k: usize| Some(together[k]);
            let by = at(&model, method, seed, &list);
            for (name, m) in by.matrices() {
                check(name, m, if name.starts_with("ddq") { 0 } else { nv }, &by_dof);
            }
            for (w, (ddq, lambda)) in wrenches(&model, seed).iter().zip(by.ddq_df_ext.iter().zip(&by.dlambda_df_ext)) {
                let of_wrench = of_body(w.body);
                check("ddq_df_ext", ddq, 0, &|_| of_wrench);
                check("dlambda_df_ext", lambda, nv, &|_| of_wrench);
            }
            let by = struck(&model, method, seed, &list);
            for (name, m) in by.matrices() {
                check(name, m, if name.starts_with("dv") { 0 } else { nv }, &by_dof);
            }
        }
    }
    assert!(
        zeros > 50_000 && coupled > 10_000,
        "some trees are several, and constraints couple some: {zeros}, {coupled}"
    );
}

/// Without constraints they are those of forward dynamics; and the same call twice gives the same bits.
#[test]
fn no_constraints_and_the_same_again() {
    for Case { what, model, seed, list } in cases().iter().filter(|case| case.list.len() == 2) {
        let (q, v, tau) = state(model, *seed);
        let wrenches = wrenches(model, *seed);
        let free = at(model, Method::Analytical, *seed, &[]);
        let mut ws = DerivativeWorkspace::new(model);
        let by = aba_derivatives(model, &mut ws, Method::Analytical, &q, &v, &tau, &wrenches).expect("runs");
        for ((name, x), (_, y)) in free.matrices().into_iter().zip(by.matrices()) {
            let d = deviation(x, y);
            assert!(d < rounding(model, *seed, &[]), "{what}: {name} {d:e}");
        }
        let mut ws = DerivativeWorkspace::new(model);
        let mut run = || {
            let of = (&q[..], &v[..], &tau[..]);
            let by =
                constraint_dynamics_derivatives(model, &mut ws, Method::Analytical, of.0, of.1, of.2, list, &wrenches);
            let mut all: Vec<f64> =
                matrices(by.expect("runs")).into_iter().flat_map(|(_, m)| m.as_slice().to_vec()).collect();
            let by = impulse_dynamics_derivatives(model, &mut ws, Method::Analytical, &q, &v, 0.5, list);
            all.extend(by.expect("runs").matrices().into_iter().flat_map(|(_, m)| m.as_slice().to_vec()));
            all
        };
        let first = run();
        assert_same(&run(), &first, what);
    }
}

/// Values are those of the algorithms; misuse is named as there, and the workspace is as good as before.
#[test]
fn values_and_misuse() {
    let (model, list) = standing_twice();
    let (q, v, tau) = state(&model, 6);
    let mut ws = DerivativeWorkspace::new(&model);
    let mut plain = Workspace::new(&model);
    for method in Method::ALL {
        let by = constraint_dynamics_derivatives(&model, &mut ws, method, &q, &v, &tau, &list, &[]).expect("runs");
        let value = constraint_dynamics(&model, &mut plain, &q, &v, &tau, &list, &[]).expect("runs");
        // Eight directions at a time may round otherwise.
        testing::assert_near(by.ddq.as_slice(), value.ddq, 1e-11, method);
        testing::assert_near(by.lambda.as_slice(), value.lambda, 1e-11, method);
        assert_eq!(by.rank, value.rank);
        let by = impulse_dynamics_derivatives(&model, &mut ws, method, &q, &v, 0.2, &list).expect("runs");
        let value = impulse_dynamics(&model, &mut plain, &q, &v, 0.2, &list).expect("runs");
        testing::assert_near(by.v.as_slice(), value.v, 1e-11, method);
        testing::assert_near(by.impulse.as_slice(), value.impulse, 1e-11, method);
        let e = constraint_dynamics_derivatives(&model, &mut ws, method, &q, &v, &tau[1..], &list, &[]);
        assert_eq!(e.expect_err("is short"), InputError::Length { what: "tau", size: "nv", expected: 18, found: 17 });
        let e = impulse_dynamics_derivatives(&model, &mut ws, method, &q, &v, -0.1, &list);
        assert_eq!(e.expect_err("is negative"), InputError::Restitution);
    }
}
