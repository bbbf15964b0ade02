//! Inverse dynamics over [`Dual8`] gives what it gives over the dual numbers of `num-dual`, which know nothing of
//! registers.

use gradyn::dynamics::{ExternalWrench, Workspace, rnea};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{DofDynamics, Model};
use gradyn::spatial::Force;
use gradyn_derivatives::num_dual::{Derivative, DualSVec64};
use gradyn_derivatives::simd::with_level;
use gradyn_derivatives::{Dual8, Level, Scalar};
use nalgebra::Vector3;

/// A number and its eight derivatives.
type Eight = (f64, [f64; 8]);

/// Numbers that have these.
trait Numbers: Scalar {
    fn of(x: &Eight) -> Self;
    fn numbers(self) -> Eight;
}

impl Numbers for Dual8 {
    fn of((value, derivatives): &Eight) -> Self {
        Self::from_parts(*value, *derivatives)
    }
    fn numbers(self) -> Eight {
        (self.value(), self.eps.to_array())
    }
}

impl Numbers for DualSVec64<8> {
    fn of((value, derivatives): &Eight) -> Self {
        Self::new(*value, Derivative::some((*derivatives).into()))
    }
    fn numbers(self) -> Eight {
        (self.re, self.eps.0.map_or([0.0; 8], |eps| eps.into()))
    }
}

/// Torques at a state under wrenches.
fn torques<T: Numbers>(model: &Model, at: &At) -> Vec<Eight> {
    let mut ws = Workspace::new(model);
    let lift = |x: &[Eight]| x.iter().map(T::of).collect::<Vec<_>>();
    let wrenches: Vec<_> = at
        .wrenches
        .iter()
        .map(|(w, numbers)| {
            let [a, b, c, d, e, f] = numbers.map(|x| T::of(&x));
            let wrench = Force::new(Vector3::new(a, b, c), Vector3::new(d, e, f));
            ExternalWrench { body: w.body, frame: w.frame, wrench }
        })
        .collect();
    // The second call finds what the first has left.
    for _ in 0..2 {
        rnea(model, &mut ws, &lift(&at.q), &lift(&at.v), &lift(&at.a), &wrenches).unwrap();
    }
    let tau = rnea(model, &mut ws, &lift(&at.q), &lift(&at.v), &lift(&at.a), &wrenches).unwrap();
    tau.iter().map(|x| x.numbers()).collect()
}

struct At {
    q: Vec<Eight>,
    v: Vec<Eight>,
    a: Vec<Eight>,
    wrenches: Vec<(ExternalWrench, [Eight; 6])>,
}

/// A state that varies along eight directions, of numbers of any sizes.
fn at(model: &Model, seed: u64, along_joints: bool, wrenches: bool) -> At {
    let mut rng = testing::rng(seed);
    let (q, v, a) = testing::state(model, seed);
    let mut any =
        |x: &[f64]| x.iter().map(|x| (*x, std::array::from_fn(|_| testing::uniform(&mut rng)))).collect::<Vec<Eight>>();
    let (v, a, mut q) = (any(&v), any(&a), any(&q));
    let wrenches = if wrenches { testing::wrenches(model, seed) } else { Vec::new() };
    let with_numbers = |w: &ExternalWrench| (*w, testing::force(w.wrench).map(|x| any(&[x])[0]));
    let wrenches = wrenches.iter().map(with_numbers).collect();
    if along_joints {
        let values: Vec<f64> = q.iter().map(|x| x.0).collect();
        for k in 0..8 {
            let along: Vec<f64> = any(&vec![0.0; model.nv()]).iter().map(|x| x.1[k]).collect();
            let mut rate = vec![0.0; model.nq()];
            model.q_dot_into(&values, &along, &mut rate).unwrap();
            for (q, rate) in q.iter_mut().zip(rate) {
                q.1[k] = rate;
            }
        }
    }
    At { q, v, a, wrenches }
}

/// Trees of all kinds of joints, and robots.
fn models() -> Vec<(String, Model)> {
    [testing::models(), testing::constant_subspaces()].concat()
}

/// Both ways to the same torques, within roundings of sums of some hundred terms, relative to the largest.
const ROUNDING: f64 = 1e-13;

fn compare(name: &str, model: &Model, at: &At) {
    let expected = torques::<DualSVec64<8>>(model, at);
    for level in Level::available() {
        let found = with_level(level, || torques::<Dual8>(model, at));
        let values = |x: &[Eight]| x.iter().map(|x| x.0).collect::<Vec<_>>();
        testing::assert_near(&values(&found), &values(&expected), ROUNDING, format!("{name}, {level}: torques"));
        let derivatives = |x: &[Eight]| x.iter().flat_map(|x| x.1).collect::<Vec<_>>();
        let what = format!("{name}, {level}: derivatives");
        testing::assert_near(&derivatives(&found), &derivatives(&expected), ROUNDING, what);
    }
}

/// Along directions in which joints move: trees of every kind of joint, mimic joints among them, and robots.
#[test]
fn derivatives_are_those_over_dual_numbers_of_num_dual() {
    for (k, (name, model)) in models().into_iter().enumerate() {
        for wrenches in [false, true] {
            compare(&name, &model, &at(&model, k as u64, true, wrenches));
        }
    }
}

/// Along any change of the coordinates, in which quaternions do not keep their length.
#[test]
fn coordinates_may_vary_in_any_way() {
    for (k, (name, model)) in models().into_iter().enumerate() {
        compare(&name, &model, &at(&model, k as u64, false, false));
    }
}

/// Of states that vary along joints in some directions and not, or hardly not, in others, all derivatives are right.
#[test]
fn one_direction_may_leave_the_joints() {
    for (k, (name, model)) in models().into_iter().enumerate() {
        let (mut along, any) = (at(&model, k as u64, true, false), at(&model, k as u64, false, false));
        for (q, any) in along.q.iter_mut().zip(&any.q) {
            q.1[5] = any.1[5];
        }
        compare(&name, &model, &along);
        let mut nearly = at(&model, k as u64, true, false);
        for (q, any) in nearly.q.iter_mut().zip(&any.q) {
            q.1[6] += 1e-7 * any.1[6];
        }
        compare(&name, &model, &nearly);
    }
}

/// Quaternions and (cos, sin) of another length than one are scaled by both alike.
#[test]
fn coordinates_may_be_of_another_length() {
    for (k, (name, model)) in models().into_iter().enumerate() {
        let mut at = at(&model, k as u64, true, false);
        at.q.iter_mut().for_each(|q| *q = (q.0 * (1.0 + 5e-7), q.1.map(|x| x * (1.0 + 5e-7))));
        compare(&name, &model, &at);
    }
}

/// More wrenches than bodies, on a workspace that has served fewer; an overflow, and a number that is none, are named
/// as over `f64`.
#[test]
fn any_number_of_wrenches_and_errors_as_over_f64() {
    let model = testing::robot("solo12", &UrdfOptions::new().floating_base(true));
    let mut at = at(&model, 3, true, true);
    at.wrenches = std::iter::repeat_n(at.wrenches, 9).flatten().collect();
    compare("solo12 under 36 wrenches", &model, &at);
    let eight = |x: &[f64]| x.iter().map(|x| Dual8::from_parts(*x, [1.0; 8])).collect::<Vec<_>>();
    let (q, v, a) = testing::state(&model, 1);
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let mut v = v.clone();
        v[4] = bad;
        let expected = rnea(&model, &mut Workspace::new(&model), &q, &v, &a, &[]).unwrap_err().to_string();
        let mut ws = Workspace::new(&model);
        let found = rnea(&model, &mut ws, &eight(&q), &eight(&v), &eight(&a), &[]).unwrap_err().to_string();
        assert_eq!(found, expected);
    }
}

/// Armature and friction of a robot that the workspace served before are not its own.
#[test]
fn a_workspace_serves_robots_with_other_joints() {
    let model = testing::robot("panda", &UrdfOptions::new());
    let bare = model.clone().with_joint_dynamics(Vec::new()).unwrap();
    let smooth = model.clone().with_joint_friction(false);
    let at = at(&model, 1, true, false);
    let [q, v, a] = [&at.q, &at.v, &at.a].map(|x| x.iter().map(Dual8::of).collect::<Vec<_>>());
    let numbers = |ws: &mut Workspace<Dual8>, model| {
        let tau = rnea(model, ws, &q, &v, &a, &[]).unwrap();
        tau.iter().flat_map(|x| [vec![x.value()], x.eps.to_array().to_vec()].concat()).collect::<Vec<f64>>()
    };
    for other in [&bare, &smooth] {
        let (mut ws, expected) = (Workspace::new(&model), numbers(&mut Workspace::new(other), other));
        assert_ne!(numbers(&mut ws, &model), expected);
        testing::assert_same(&numbers(&mut ws, other), &expected, "without armature or friction");
    }
}

/// A floating base that is held by damping stands in other lanes than one that is not.
#[test]
fn a_workspace_serves_a_base_that_is_held_and_one_that_is_not() {
    let free = testing::robot("solo12", &UrdfOptions::new().floating_base(true));
    let damping = DofDynamics { index: 2, multiplier: 1.0, armature: 0.0, damping: 0.5, friction: 0.0 };
    let held = free.clone().with_joint_dynamics(vec![damping]).unwrap();
    let at = at(&free, 1, true, false);
    let [q, v, a] = [&at.q, &at.v, &at.a].map(|x| x.iter().map(Dual8::of).collect::<Vec<_>>());
    let numbers = |ws: &mut Workspace<Dual8>, model| {
        let tau = rnea(model, ws, &q, &v, &a, &[]).unwrap();
        tau.iter().flat_map(|x| [vec![x.value()], x.eps.to_array().to_vec()].concat()).collect::<Vec<f64>>()
    };
    let [q, v, a] = [&at.q, &at.v, &at.a].map(|x| x.iter().map(|x| x.0).collect::<Vec<_>>());
    for (first, second) in [(&held, &free), (&free, &held)] {
        let (mut ws, expected) = (Workspace::new(first), numbers(&mut Workspace::new(second), second));
        assert_ne!(numbers(&mut ws, first), expected);
        testing::assert_same(&numbers(&mut ws, second), &expected, "eight derivatives");
        let (mut ws, mut own) = (Workspace::<f64>::new(first), Workspace::<f64>::new(second));
        let expected = rnea(second, &mut own, &q, &v, &a, &[]).unwrap();
        assert_ne!(rnea(first, &mut ws, &q, &v, &a, &[]).unwrap(), expected);
        testing::assert_same(rnea(second, &mut ws, &q, &v, &a, &[]).unwrap(), expected, "values");
    }
}

/// Several armatures and frictions of one joint: all but the first have no lane.
#[test]
fn joints_may_have_several_armatures_and_frictions() {
    let dof = |index| DofDynamics { index, multiplier: 0.7, armature: 0.3, damping: 2.0, friction: 0.4 };
    for (k, (name, model)) in models().into_iter().enumerate().filter(|(_, (_, model))| model.nv() > 0) {
        let model = model.with_joint_dynamics([0, 0, 0].map(dof).to_vec()).unwrap();
        compare(&name, &model, &at(&model, k as u64, true, false));
    }
}
