//! Physical identities of kinematics, inverse dynamics and their first derivatives.
//!
//! On trees of 2 to 60 bodies by joints of every kind, at the root and below it, and on every robot of this repository,
//! fixed and floating. Expected values come from dual numbers through the pose (what moves how), from energy (what
//! force does), and from the same robot in another frame. Momentum is in `centroidal.rs`, another base in
//! `rerooted.rs`.

use gradyn::dynamics::{ExternalWrench, Workspace, WrenchFrame, forward_kinematics, rnea};
use gradyn::joint::Joint;
use gradyn::model::{BodyId, DofDynamics, Model};
use gradyn::once;
use gradyn::partials::{DerivativeWorkspace, Method, RneaDerivatives, rnea_derivatives};
use gradyn::spatial::{Force, Inertia, Symmetric3, Transform, vector as v3};
use gradyn_derivatives::num_dual::{Dual, Dual64};
use gradyn_derivatives::simd::{Level, WIDTH, dispatch, with_level};
use gradyn_derivatives::{Kernel, Real, Register, Scalar, VectorDual};
use nalgebra::{DMatrix, DVector, Vector3};
use testing::{
    assert_near, assert_same, dual, eps, force, lift, models, motion, moved, shuffled_joints, state, transform,
    tree_builder, trees, unit, wrenches,
};

type Nested = Dual<Dual64>;

/// Torques, energies and momenta of chains of 60 bodies sum thousands of products, of which the largest cancel:
/// relative to the largest entry, a few thousand roundings.
const ROUNDING: f64 = 1e-12;

fn derivatives(model: &Model, q: &[f64], v: &[f64], a: &[f64], wrenches: &[ExternalWrench]) -> RneaDerivatives {
    let mut ws = DerivativeWorkspace::new(model);
    rnea_derivatives(model, &mut ws, Method::Dual, q, v, a, wrenches).expect("runs").clone()
}

fn tau(model: &Model, q: &[f64], v: &[f64], a: &[f64], wrenches: &[ExternalWrench]) -> Vec<f64> {
    once::rnea(model, q, v, a, wrenches).expect("runs")
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Every model at a state.
fn for_every_model(seed: u64, claim: impl Fn(&Model, &[f64], &[f64], &[f64], &str)) {
    for (what, model) in models() {
        let (q, v, a) = state(&model, seed);
        claim(&model, &q, &v, &a, &format!("{what}, state {seed}"));
    }
}

/// Energy of the bodies, of their positions under gravity, and of the rotors.
fn energies<T: Scalar>(model: &Model, q: &[T], v: &[T]) -> (T, T) {
    let mut ws = Workspace::new(model);
    let zero = vec![T::zero(); v.len()];
    let kinematics = forward_kinematics(model, &mut ws, q, v, &zero).expect("runs");
    let (mut kinetic, mut potential) = (T::zero(), T::zero());
    for (i, body) in model.bodies().iter().enumerate() {
        let id = model.body_id(i).expect("is there");
        let (x, v, y) = (kinematics.pose(id).unwrap(), kinematics.velocity(id).unwrap(), body.inertia());
        let momentum: Force<T> = *y * v;
        kinetic += v.power(momentum) * 0.5;
        let center = v3::rotate_plus(&x.rotation, y.com.map(T::from), x.translation);
        let g = model.gravity();
        potential -= (center.x * g.x + center.y * g.y + center.z * g.z) * y.mass;
    }
    for dof in model.joint_dynamics() {
        kinetic += v[dof.index] * v[dof.index] * (0.5 * dof.armature * dof.multiplier * dof.multiplier);
    }
    for spring in model.springs() {
        let bent = q[spring.coordinate] * spring.multiplier + (spring.offset - spring.reference);
        potential += bent * bent * (0.5 * spring.stiffness);
    }
    for spring in model.pose_springs() {
        potential += spring.at(q).expect("has these coordinates").energy();
    }
    (kinetic, potential)
}

#[test]
fn columns_of_inverse_dynamics_are_the_mass_matrix_symmetric_and_positive() {
    for_every_model(1, |model, q, v, a, what| {
        let nv = model.nv();
        let still = vec![0.0; nv];
        let m = derivatives(model, q, v, a, &wrenches(model, 1)).dtau_da;
        let free = model.clone().with_gravity(Vector3::zeros()).without_springs();
        let columns: Vec<_> = (0..nv).map(|k| DVector::from_vec(tau(&free, q, &still, &unit(nv, k), &[]))).collect();
        let rnea = if nv > 0 { DMatrix::from_columns(&columns) } else { DMatrix::zeros(0, 0) };
        assert_near(m.as_slice(), rnea.as_slice(), ROUNDING, format!("{what}: M"));
        assert_near(m.transpose().as_slice(), m.as_slice(), ROUNDING, format!("{what}: Mᵀ"));
        if nv == 0 {
            return;
        }
        let symmetric = (&m + m.transpose()) * 0.5;
        if what.contains("base") {
            // Some links of robots have no inertia: there M is not definite.
            let eigenvalues = symmetric.symmetric_eigenvalues();
            let (least, largest) = (eigenvalues.min(), eigenvalues.max());
            assert!(least > -1e-13 * largest, "{what}: eigenvalue {least:e} of M beside {largest:e}");
        } else {
            assert!(symmetric.cholesky().is_some(), "{what}: M is not positive definite");
        }
    });
}

#[test]
fn the_mass_matrix_gives_the_kinetic_energy_of_the_bodies() {
    for_every_model(2, |model, q, v, a, what| {
        let m = derivatives(model, q, v, a, &[]).dtau_da;
        let half = 0.5 * dot(v, (&m * DVector::from_column_slice(v)).as_slice());
        assert_near(&[half], &[energies(model, q, v).0], ROUNDING, format!("{what}: energy"));
    });
}

#[test]
fn torques_at_rest_are_the_gradient_of_the_potential_energy() {
    for_every_model(3, |model, q, v, _, what| {
        let still = vec![0.0; v.len()];
        let gravity = tau(model, q, &still, &still, &[]);
        let gradient: Vec<_> =
            (0..v.len()).map(|k| energies(model, &moved(model, q, &unit(v.len(), k)), &lift(&still)).1.eps).collect();
        assert_near(&gravity, &gradient, ROUNDING, format!("{what}: gravity"));
    });
}

/// With friction it is less: what friction takes is never negative.
#[test]
fn energy_changes_by_the_power_of_torques_and_wrenches() {
    for_every_model(4, |model, q, v, a, what| {
        let f_ext = wrenches(model, 4);
        let smooth = model.clone().with_joint_friction(false);
        let (kinetic, potential) = energies(model, &moved(model, q, v), &dual(v, a));
        let mut power = dot(v, &tau(&smooth, q, v, a, &f_ext));
        let mut ws = Workspace::new(model);
        let kinematics = forward_kinematics(model, &mut ws, q, v, a).expect("runs");
        for w in &f_ext {
            let (x, velocity) = (kinematics.pose(w.body).unwrap(), kinematics.velocity(w.body).unwrap());
            let own = match w.frame {
                WrenchFrame::Body => w.wrench,
                WrenchFrame::World => x.inv_act(w.wrench),
            };
            power += velocity.power(own);
        }
        // Powers of many bodies cancel: relative to the largest single one.
        let scale = dot(v, &tau(&smooth, q, v, a, &[])).abs().max(kinetic.re.abs()).max(1.0);
        assert_near(&[power / scale], &[(kinetic + potential).eps / scale], ROUNDING, format!("{what}: power"));

        let (with, without) = (tau(model, q, v, a, &[]), tau(&smooth, q, v, a, &[]));
        let lost = dot(v, &with) - dot(v, &without);
        assert!(lost >= -ROUNDING * scale, "{what}: friction adds {lost} W");
    });
}

#[test]
fn velocity_is_the_rate_of_the_pose_and_acceleration_of_the_velocity() {
    for_every_model(5, |model, q, v, a, what| {
        let (dq, dv) = (moved(model, q, v), dual(v, a));
        let (mut ws, mut plain) = (Workspace::new(model), Workspace::new(model));
        let along = forward_kinematics(model, &mut ws, &dq, &dv, &lift(a)).expect("runs");
        let at = forward_kinematics(model, &mut plain, q, v, a).expect("runs");
        let check = |x: Transform<Dual64>, velocity: [Dual64; 6], expected: [[f64; 6]; 2], what: &str| {
            let (r, dr) = (x.rotation.map(|x| x.re), x.rotation.map(|x| x.eps));
            let w = r.transpose() * dr;
            let l = r.transpose() * x.translation.map(|x| x.eps);
            let rate = [l.x, l.y, l.z, w[(2, 1)], w[(0, 2)], w[(1, 0)]];
            assert_near(&expected[0], &rate, ROUNDING, format!("{what}: velocity"));
            assert_near(&expected[1], &eps(&velocity), ROUNDING, format!("{what}: acceleration"));
        };
        for i in 0..model.bodies().len() {
            let id = model.body_id(i).expect("is there");
            let expected = [motion(at.velocity(id).unwrap()), motion(at.acceleration(id).unwrap())];
            let velocity = motion(along.velocity(id).unwrap());
            check(along.pose(id).unwrap(), velocity, expected, &format!("{what}: body {i}"));
        }
        for frame in model.frames() {
            let id = model.find_frame(frame.name()).expect("is there");
            let expected = [motion(at.frame_velocity(id).unwrap()), motion(at.frame_acceleration(id).unwrap())];
            let velocity = motion(along.frame_velocity(id).unwrap());
            check(along.frame_pose(id).unwrap(), velocity, expected, &format!("{what}: frame {}", frame.name()));
        }
    });
}

/// The world turned and moved, gravity and wrenches with it.
#[test]
fn another_world_frame_changes_nothing_physical() {
    for_every_model(6, |model, q, v, a, what| {
        let x = transform(&mut testing::rng(6));
        let f_ext = wrenches(model, 6);
        let mut turned = model.clone().with_gravity(x.rotation * model.gravity());
        for i in 0..model.bodies().len() {
            let (id, body) = (model.body_id(i).expect("is there"), &model.bodies()[i]);
            if body.parent().is_none() {
                turned = turned.with_placement(id, x * *body.placement()).expect("is there");
            }
        }
        let act = |w: &ExternalWrench| match w.frame {
            WrenchFrame::Body => *w,
            WrenchFrame::World => ExternalWrench::in_world(w.body, x.act(w.wrench)),
        };
        let moved: Vec<_> = f_ext.iter().map(act).collect();
        let (one, other) = (derivatives(model, q, v, a, &f_ext), derivatives(&turned, q, v, a, &moved));
        assert_near(other.tau.as_slice(), one.tau.as_slice(), ROUNDING, format!("{what}: tau"));
        for ((name, y), (_, x)) in other.matrices().into_iter().zip(one.matrices()) {
            assert_near(y.as_slice(), x.as_slice(), ROUNDING, format!("{what}: {name}"));
        }
        let (mut ws, mut ws_turned) = (Workspace::new(model), Workspace::new(&turned));
        let one = forward_kinematics(model, &mut ws, q, v, a).expect("runs");
        let other = forward_kinematics(&turned, &mut ws_turned, q, v, a).expect("runs");
        for i in 0..model.bodies().len() {
            let id = model.body_id(i).expect("is there");
            let (x_one, x_other) = (x * one.pose(id).unwrap(), other.pose(id).unwrap());
            let what = format!("{what}: body {i}");
            assert_near(x_other.rotation.as_slice(), x_one.rotation.as_slice(), ROUNDING, format!("{what} rotation"));
            let (p_other, p_one) = (x_other.translation, x_one.translation);
            assert_near(p_other.as_slice(), p_one.as_slice(), ROUNDING, format!("{what} place"));
            let (v_other, v_one) = (motion(other.velocity(id).unwrap()), motion(one.velocity(id).unwrap()));
            assert_near(&v_other, &v_one, ROUNDING, format!("{what} velocity"));
        }
    });
}

/// The same push in coordinates of the body and of the world; torques are linear in it; and it does the work that the
/// torques then need not do.
#[test]
fn wrenches_act_by_the_transposed_jacobian() {
    for_every_model(7, |model, q, v, a, what| {
        let f_ext = wrenches(model, 7);
        let mut ws = Workspace::new(model);
        let kinematics = forward_kinematics(model, &mut ws, q, v, a).expect("runs");
        let other_frame = |w: &ExternalWrench| {
            let x = kinematics.pose(w.body).unwrap();
            match w.frame {
                WrenchFrame::Body => ExternalWrench::in_world(w.body, x.act(w.wrench)),
                WrenchFrame::World => ExternalWrench::in_body(w.body, x.inv_act(w.wrench)),
            }
        };
        let others: Vec<_> = f_ext.iter().map(other_frame).collect();
        let (d, same) = (derivatives(model, q, v, a, &f_ext), derivatives(model, q, v, a, &others));
        assert_near(same.tau.as_slice(), d.tau.as_slice(), ROUNDING, format!("{what}: tau"));

        let without = tau(model, q, v, a, &[]);
        let mut sum = DVector::from_vec(without);
        for (k, (w, j)) in f_ext.iter().zip(&d.dtau_df_ext).enumerate() {
            let change = j * DVector::from_column_slice(&force(w.wrench));
            let of_other = &same.dtau_df_ext[k] * DVector::from_column_slice(&force(others[k].wrench));
            assert_near(
                of_other.as_slice(),
                change.as_slice(),
                ROUNDING,
                format!("{what}: wrench {k} in the other frame"),
            );
            let own = if w.frame == WrenchFrame::Body { w.wrench } else { others[k].wrench };
            let power = kinematics.velocity(w.body).unwrap().power(own);
            assert_near(&[-dot(v, change.as_slice())], &[power], ROUNDING, format!("{what}: power of wrench {k}"));
            sum += change;
        }
        assert_near(d.tau.as_slice(), sum.as_slice(), ROUNDING, format!("{what}: sum"));
        // Twice the wrenches, twice the change; and they do not depend on the rest.
        let twice: Vec<_> = f_ext.iter().map(|w| ExternalWrench { wrench: w.wrench * 2.0, ..*w }).collect();
        let still = vec![0.0; v.len()];
        let free = model.clone().with_gravity(Vector3::zeros()).without_springs();
        let (once, twice) = (tau(&free, q, &still, &still, &f_ext), tau(&free, q, &still, &still, &twice));
        let doubled: Vec<_> = once.iter().map(|x| 2.0 * x).collect();
        assert_near(&twice, &doubled, ROUNDING, format!("{what}: twice"));
    });
}

/// `d/ds` of `∂τ/∂(q, v, a) w` along `(q ⊕ s u, v + s u, a + s u)`, by nested dual numbers and by differences of exact
/// first derivatives.
#[test]
fn nested_dual_numbers_are_derivatives_of_derivatives() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 8);
        let (_, u, w) = state(&model, 88);
        let f_ext = wrenches(&model, 8);
        let e1 = Nested::new(Dual64::new(0.0, 1.0), Dual64::from(0.0));
        let e2 = Nested::new(Dual64::from(0.0), Dual64::from(1.0));
        let scaled = |x: &[f64], e: Nested| x.iter().map(|x| e * *x).collect::<Vec<_>>();
        let plus = |x: &[f64]| x.iter().zip(&u).zip(&w).map(|((x, u), w)| e1 * *u + e2 * *w + *x).collect::<Vec<_>>();
        let at_s = model.integrate(&lift(&q), &scaled(&u, e1)).expect("fits");
        let q2 = model.integrate(&at_s, &scaled(&w, e2)).expect("fits");
        let lifted: Vec<ExternalWrench<Nested>> = f_ext.iter().map(ExternalWrench::lift).collect();
        let found = once::rnea(&model, &q2, &plus(&v), &plus(&a), &lifted).expect("runs");

        let mut ws = DerivativeWorkspace::new(&model);
        let mut first = |s: f64| {
            let step = |x: &[f64]| x.iter().zip(&u).map(|(x, u)| x + s * u).collect::<Vec<_>>();
            let q = model.integrate(&q, &u.iter().map(|u| s * u).collect::<Vec<_>>()).expect("fits");
            let d = rnea_derivatives(&model, &mut ws, Method::Dual, &q, &step(&v), &step(&a), &f_ext).expect("runs");
            (&d.dtau_dq + &d.dtau_dv + &d.dtau_da) * DVector::from_column_slice(&w)
        };
        let mut central = |h: f64| (first(h) - first(-h)) / (2.0 * h);
        let (coarse, middle, fine) = (central(4e-3), central(2e-3), central(1e-3));
        let (one, two) = ((&middle * 4.0 - &coarse) / 3.0, (&fine * 4.0 - &middle) / 3.0);
        let limit = (two * 16.0 - one) / 15.0;
        let second: Vec<_> = found.iter().map(|x| x.eps.eps).collect();
        // Extrapolated twice: h⁶ = 1e-18 times the seventh derivative (speeds of the last bodies of long chains: 1e1 to
        // the seventh), and roundings of 1e-16/h.
        assert_near(&second, limit.as_slice(), 1e-9, format!("{what}: second derivative"));

        let d = derivatives(&model, &q, &v, &a, &f_ext);
        let by_w = (&d.dtau_dq + &d.dtau_dv + &d.dtau_da) * DVector::from_column_slice(&w);
        let along_w: Vec<_> = found.iter().map(|x| x.eps.re).collect();
        assert_near(&along_w, by_w.as_slice(), ROUNDING, format!("{what}: first derivative"));
    }
}

#[test]
fn values_of_a_dual_run_are_the_run_over_numbers() {
    for_every_model(9, |model, q, v, a, what| {
        let f_ext = wrenches(model, 9);
        let plain = tau(model, q, v, a, &f_ext);
        let (dq, dv, da) = (moved(model, q, v), dual(v, a), dual(a, v));
        let lifted: Vec<ExternalWrench<Dual64>> = f_ext.iter().map(ExternalWrench::lift).collect();
        let over = once::rnea(model, &dq, &dv, &da, &lifted).expect("runs");
        let values: Vec<_> = over.iter().map(|x| x.re).collect();
        // Over f64, eight joints go through one register, about another point: some hundred roundings.
        assert_near(&values, &plain, 1e-12, format!("{what}: tau over dual numbers"));
        let over_constants = once::rnea(model, &lift::<Dual64>(q), &lift(v), &lift(a), &lifted).expect("runs");
        let constants: Vec<_> = over_constants.iter().map(|x| x.re).collect();
        assert_same(&values, &constants, format!("{what}: derivatives leave values alone"));

        let (mut ws, mut ws_dual) = (Workspace::new(model), Workspace::new(model));
        let one = forward_kinematics(model, &mut ws, q, v, a).expect("runs");
        let other = forward_kinematics(model, &mut ws_dual, &dq, &dv, &da).expect("runs");
        for i in 0..model.bodies().len() {
            let id = model.body_id(i).expect("is there");
            let value = other.acceleration(id).map(|a| motion(a).map(|x| x.re)).expect("is there");
            // As the torques.
            let found = motion(one.acceleration(id).unwrap());
            assert_near(&value, &found, 1e-12, format!("{what}: acceleration of body {i}"));
        }
    });
}

/// Inverse dynamics at the width of a level: value and the first eight columns of the mass matrix.
struct Wide<'a> {
    model: &'a Model,
    q: &'a [f64],
    v: &'a [f64],
    a: &'a [f64],
}

impl Kernel for Wide<'_> {
    type Output = (Vec<f64>, Vec<[f64; WIDTH]>);

    #[inline(always)]
    fn run<R: Register>(self) -> Self::Output {
        let mut ws = Workspace::<VectorDual<R>>::new(self.model);
        let (q, v) = (lift(self.q), lift(self.v));
        let mut a: Vec<VectorDual<R>> = lift(self.a);
        for (k, a) in a.iter_mut().enumerate().take(WIDTH) {
            *a = VectorDual::variable(a.value(), k);
        }
        let tau = rnea(self.model, &mut ws, &q, &v, &a, &[]).expect("runs");
        (tau.iter().map(|x| x.value()).collect(), tau.iter().map(|x| x.eps.to_array()).collect())
    }
}

#[test]
fn registers_of_every_level_give_the_same() {
    for_every_model(10, |model, q, v, a, what| {
        let d = derivatives(model, q, v, a, &[]);
        for level in Level::available() {
            let (value, columns) = with_level(level, || dispatch(Wide { model, q, v, a }));
            // Fused products round once instead of twice.
            assert_near(&value, d.tau.as_slice(), ROUNDING, format!("{what}, {level}: tau"));
            let width = WIDTH.min(model.nv());
            let found: Vec<_> = (0..width).flat_map(|k| columns.iter().map(move |row| row[k])).collect();
            let expected = d.dtau_da.columns(0, width).iter().copied().collect::<Vec<_>>();
            assert_near(&found, &expected, ROUNDING, format!("{what}, {level}: columns"));
        }
    });
}

/// The model over dual numbers, changed along one parameter, against differences of models.
#[test]
fn parameters_of_the_model_can_be_differentiated_by() {
    type Change = (&'static str, fn(Model<Dual64>, Dual64) -> Model<Dual64>);
    let changes: [Change; 7] = [
        ("mass", |m, s| of_inertia(m, |y| Inertia::new(y.mass + s, y.com, y.rotational))),
        ("mass center", |m, s| of_inertia(m, |y| Inertia::new(y.mass, y.com.map(|x| x + s), y.rotational))),
        ("rotational inertia", |m, s| {
            of_inertia(m, |y| {
                let [xx, xy, xz, yy, yz, zz] = y.rotational.to_array();
                Inertia::new(y.mass, y.com, Symmetric3::new(xx + s, xy - s, xz + s * 2.0, yy, yz, zz + s))
            })
        }),
        ("placement", |mut m, s| {
            for i in 0..m.bodies().len() {
                let id = m.body_id(i).expect("is there");
                let (sin, cos) = s.sin_cos();
                let (o, one) = (Dual64::from(0.0), Dual64::from(1.0));
                let turn = nalgebra::Matrix3::new(cos, -sin, o, sin, cos, o, o, o, one);
                let x = *m.bodies()[i].placement() * Transform::new(turn, Vector3::new(s, s * 2.0, -s));
                m = m.with_placement(id, x).expect("is there");
            }
            m
        }),
        ("armature", |m, s| of_dofs(m, |d| DofDynamics { armature: d.armature + s, ..d })),
        ("friction", |m, s| of_dofs(m, |d| DofDynamics { friction: d.friction + s, damping: d.damping - s, ..d })),
        ("gravity", |m, s| {
            let g = m.gravity();
            m.with_gravity(Vector3::new(g.x + s, g.y - s * 2.0, g.z + s))
        }),
    ];
    for (what, model) in trees() {
        let (q, v, a) = state(&model, 12);
        for (parameter, change) in changes {
            let run = |s: Dual64| {
                once::rnea(&change(model.lift(), s), &lift::<Dual64>(&q), &lift(&v), &lift(&a), &[]).expect("runs")
            };
            let exact = run(Dual64::new(0.0, 1.0));
            let value: Vec<_> = exact.iter().map(|x| x.re).collect();
            let plain = tau(&model, &q, &v, &a, &[]);
            assert_near(&value, &plain, ROUNDING, format!("{what}: value with a varied {parameter}"));
            let at = |s: f64| DVector::from_iterator(model.nv(), run(Dual64::from(s)).iter().map(|x| x.re));
            let central = |h: f64| (at(h) - at(-h)) / (2.0 * h);
            let limit = (central(5e-4) * 4.0 - central(1e-3)) / 3.0;
            // Torques are polynomials of these, and sines of an angle at each of 60 joints: h⁴ times 60⁵ at worst, and
            // roundings of torques of up to 1e4 over h.
            assert_near(&eps(&exact), limit.as_slice(), 1e-7, format!("{what}: by {parameter}"));
        }
    }
}

fn of_inertia(mut model: Model<Dual64>, change: impl Fn(&Inertia<Dual64>) -> Inertia<Dual64>) -> Model<Dual64> {
    for i in 0..model.bodies().len() {
        let (id, inertia) = (model.body_id(i).expect("is there"), change(model.bodies()[i].inertia()));
        model = model.with_inertia(id, inertia).expect("is there");
    }
    model
}

fn of_dofs(model: Model<Dual64>, change: impl Fn(DofDynamics<Dual64>) -> DofDynamics<Dual64>) -> Model<Dual64> {
    let dofs = model.joint_dynamics().iter().map(|dof| change(*dof)).collect();
    model.with_joint_dynamics(dofs).expect("fits")
}

/// Friction by its formula; it can be switched off, armature cannot; it is odd, and Coulomb's part bounded.
#[test]
fn joint_friction_is_its_formula_and_can_be_switched() {
    for_every_model(14, |model, q, v, a, what| {
        // Those have a test of their own.
        let model = &model.clone().without_friction_curves();
        let smooth = model.clone().with_joint_friction(false);
        assert!(model.has_joint_friction() && !smooth.has_joint_friction());
        let friction = |v: &[f64]| {
            let (with, without) = (tau(model, q, v, a, &[]), tau(&smooth, q, v, a, &[]));
            with.iter().zip(&without).map(|(a, b)| a - b).collect::<Vec<_>>()
        };
        let mut expected = vec![0.0; v.len()];
        let mut bound = vec![0.0; v.len()];
        for dof in model.joint_dynamics() {
            let (u, w) = (v[dof.index] * dof.multiplier, model.friction_width());
            let torque = dof.damping * u + dof.friction * u / (u * u + w * w).sqrt();
            expected[dof.index] += dof.multiplier * torque;
            bound[dof.index] += (dof.friction * dof.multiplier).abs();
        }
        let scale = tau(model, q, v, a, &[]).iter().fold(1.0, |s: f64, x| s.max(x.abs()));
        let near = |found: &[f64], expected: &[f64], what: String| {
            let relative = |x: &[f64]| x.iter().map(|x| x / scale).collect::<Vec<_>>();
            // Differences of torques.
            assert_near(&relative(found), &relative(expected), ROUNDING, what);
        };
        near(&friction(v), &expected, format!("{what}: friction"));
        let back: Vec<_> = v.iter().map(|v| -v).collect();
        let opposite: Vec<_> = expected.iter().map(|x| -x).collect();
        near(&friction(&back), &opposite, format!("{what}: friction of the opposite velocity"));

        // Without damping, at any speed, no more than all of it; and well above the width, nearly that.
        let dofs = model.joint_dynamics().iter().map(|dof| DofDynamics { damping: 0.0, ..*dof }).collect();
        let dry = model.clone().with_joint_dynamics(dofs).expect("fits");
        let still = vec![0.0; v.len()];
        for speed in [1e-3, 1.0, 30.0] {
            let v: Vec<_> = v.iter().map(|v| v * speed).collect();
            let (with, without) =
                (tau(&dry, q, &v, &still, &[]), tau(&dry.clone().with_joint_friction(false), q, &v, &still, &[]));
            let scale = without.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
            for i in 0..v.len() {
                let part = (with[i] - without[i]).abs();
                assert!(part <= bound[i] + ROUNDING * scale, "{what}: friction {part} of at most {}", bound[i]);
                assert!(
                    with[i] * 0.0 == 0.0 && (with[i] - without[i]) * v[i] >= -ROUNDING * scale,
                    "{what}: direction"
                );
            }
        }

        // Armature stays: it is in the mass matrix either way.
        let (one, other) = (derivatives(model, q, v, a, &[]), derivatives(&smooth, q, v, a, &[]));
        assert_same(one.dtau_da.as_slice(), other.dtau_da.as_slice(), format!("{what}: mass matrix"));
        let bare = model.clone().with_joint_dynamics(Vec::new()).expect("fits");
        let mut m = derivatives(&bare, q, v, a, &[]).dtau_da;
        for dof in model.joint_dynamics() {
            m[(dof.index, dof.index)] += dof.armature * dof.multiplier * dof.multiplier;
        }
        assert_near(one.dtau_da.as_slice(), m.as_slice(), ROUNDING, format!("{what}: armature"));
    });
}

/// Followers are the tree without them under the constraint `q_full = G q + b`: `Gᵀ τ`, `Gᵀ X G`.
#[test]
fn mimic_joints_are_a_projection_of_the_tree_without_them() {
    for seed in 0..4 {
        let joints = shuffled_joints(seed);
        let with = tree_builder(seed, joints.clone(), true).build().expect("builds");
        let full = tree_builder(seed, joints, false).build().expect("builds");
        assert!(with.bodies().iter().filter(|body| !body.owns_coordinates()).count() == 2, "two follow");
        let (q, v, a) = state(&with, seed);
        let mut g = DMatrix::zeros(full.nv(), with.nv());
        let mut q_full = vec![0.0; full.nq()];
        for (body, own) in with.bodies().iter().zip(full.bodies()) {
            assert_eq!(body.name(), own.name());
            let (k, b) = match body.joint() {
                Joint::Mimic(mimic) => (mimic.multiplier(), mimic.offset()),
                _ => (1.0, 0.0),
            };
            for (i, j) in own.v_range().zip(body.v_range()) {
                g[(i, j)] = k;
            }
            for (i, j) in own.q_range().zip(body.q_range()) {
                q_full[i] = k * q[j] + b;
            }
        }
        let expand = |x: &[f64]| (&g * DVector::from_column_slice(x)).as_slice().to_vec();
        let f_ext = wrenches(&with, seed);
        let found = derivatives(&with, &q, &v, &a, &f_ext);
        let body = |of: BodyId| full.body_id(of.index()).expect("is there");
        let on_full: Vec<_> = f_ext.iter().map(|w| ExternalWrench { body: body(w.body), ..*w }).collect();
        let expected = derivatives(&full, &q_full, &expand(&v), &expand(&a), &on_full);
        let what = format!("seed {seed}");
        assert_near(found.tau.as_slice(), (g.transpose() * &expected.tau).as_slice(), ROUNDING, format!("{what}: tau"));
        for ((name, x), (_, y)) in found.matrices().into_iter().zip(expected.matrices()) {
            let projected = g.transpose() * y * &g;
            assert_near(x.as_slice(), projected.as_slice(), ROUNDING, format!("{what}: {name}"));
        }
        for (x, y) in found.dtau_df_ext.iter().zip(&expected.dtau_df_ext) {
            assert_near(x.as_slice(), (g.transpose() * y).as_slice(), ROUNDING, format!("{what}: wrench"));
        }
    }
}

/// The two forms, and a workspace used for everything in turn.
#[test]
fn the_form_that_allocates_is_the_form_that_does_not() {
    for_every_model(15, |model, q, v, a, what| {
        let f_ext = wrenches(model, 15);
        let mut ws = Workspace::new(model);
        let plain = rnea(model, &mut ws, q, v, a, &[]).expect("runs").to_vec();
        let pushed = rnea(model, &mut ws, q, v, a, &f_ext).expect("runs").to_vec();
        assert_same(&tau(model, q, v, a, &[]), &plain, format!("{what}: rnea"));
        assert_same(&tau(model, q, v, a, &f_ext), &pushed, format!("{what}: rnea"));
    });
}
