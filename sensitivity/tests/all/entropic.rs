//! The entropic pull: invariant, exact at both ends of its weight, and physical in every chart.

use crate::common::*;
use gradyn::spatial::Symmetric3;
use gradyn::{Inertia, Model, Transform};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::identify::{Data, FitOptions, divergence, fit};
use nalgebra::Vector3;
use rand::RngExt;
use testing::{rng, vector};

fn body(seed: u64) -> Inertia<f64> {
    let rng = &mut rng(seed);
    let points: Vec<_> = (0..6).map(|_| (rng.random_range(0.1..1.0), vector(rng) * 0.3)).collect();
    let of = |(mass, at): &(f64, Vector3<f64>)| {
        let square = at.dot(at);
        let moment = Symmetric3::from_matrix(&((nalgebra::Matrix3::identity() * square - at * at.transpose()) * *mass));
        Inertia::about_origin(*mass, *at, moment).to_parameters()
    };
    let sum = points.iter().map(of).fold([0.0; 10], |sum, one| std::array::from_fn(|k| sum[k] + one[k]));
    Inertia::from_parameters(sum)
}

#[test]
fn units_and_frames_do_not_matter() {
    for seed in 0..20 {
        let (a, b) = (body(2 * seed), body(2 * seed + 1));
        let own = divergence(&a, &b).expect("are physical");
        assert!(own > 0.0 && divergence(&a, &a).expect("is physical") < 1e-24);
        // In grams and millimeters, in pounds and feet.
        for (mass, length) in [(1e3, 1e3), (2.2046, 3.2808), (1e-6, 1e-3)] {
            let scaled = |y: &Inertia<f64>| {
                let p = y.to_parameters();
                let factors = [0, 1, 1, 1, 2, 2, 2, 2, 2, 2].map(|power| mass * f64::powi(length, power));
                Inertia::from_parameters(std::array::from_fn(|k| p[k] * factors[k]))
            };
            let other = divergence(&scaled(&a), &scaled(&b)).expect("are physical");
            // Points at random have semi-axes within a factor of a hundred, its square is the condition.
            assert!((other - own).abs() < 1e-11 * own, "{seed}: {other} against {own}");
        }
        let rng = &mut rng(seed);
        let turn = gradyn::spatial::quaternion::uniform(rng.random(), rng.random(), rng.random());
        let x = Transform::new(turn.rotation(), vector(rng));
        let other = divergence(&x.act(a), &x.act(b)).expect("are physical");
        // Moments about an origin a meter away lose two digits or three more.
        assert!((other - own).abs() < 1e-8 * own, "{seed}: {other} against {own}");
    }
    // The wrong way round is another number: it is no distance.
    let (a, b) = (body(1), body(2));
    let (there, back) = (divergence(&a, &b).expect("is physical"), divergence(&b, &a).expect("is physical"));
    assert!((there - back).abs() > 1e-3 * there);
    let rod = Inertia::thin_rod(1.0, 1.0).expect("is a rod");
    assert!(divergence(&rod, &a).is_err() && divergence(&a, &rod).is_err());
}

/// A robot whose last links are heavier than its file says, and its parameters in a chart.
fn heavier(chart: &str) -> (Parameters, Data) {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select(&format!("panda_link[67].{chart}.*")).expect("are there");
    let masses = Parameters::of(&model).select("panda_link[67].density").expect("are there");
    let truth = masses.robot_at(&[1.3, 0.8]).expect("fits");
    (p, sines(&truth, 150, 0.05, 3))
}

fn moved(p: &Parameters, found: &[f64]) -> f64 {
    let robot = p.robot_at(found).expect("fits");
    let of =
        |b: &usize| divergence(robot.bodies()[*b].inertia(), p.robot().bodies()[*b].inertia()).expect("is physical");
    p.bodies().iter().map(of).sum()
}

/// Toward the robot's own values as the weight grows, with 1/γ²; toward the data as it goes to zero.
#[test]
fn both_ends_of_the_weight() {
    let (p, data) = heavier("log_cholesky");
    let run = |entropic| {
        let found = fit(&p, &data, &FitOptions { entropic, hold_out: 0.0, ..FitOptions::default() }).expect("runs");
        assert!(found.estimate.status.converged(), "{:?}: {}", entropic, found.estimate.status);
        let residuals: f64 =
            found.estimate.residuals.iter().zip(found.noise.iter().cycle()).map(|(r, s)| (r * s).powi(2)).sum();
        (moved(&p, &found.estimate.parameters), residuals)
    };
    let (far, fitted) = run(Some(0.1));
    let (middle, between) = run(Some(1e3));
    let (near, rigid) = run(Some(1e9));
    assert!(far > middle && middle > near, "{far:e} {middle:e} {near:e}");
    assert!(fitted < between && between < rigid, "{fitted} {between} {rigid}");
    // Near P₀, D is a square of steps that go with 1/γ: ten times the weight, a hundredth.
    let (nearer, _) = run(Some(1e10));
    assert!((near / nearer / 100.0 - 1.0).abs() < 0.01, "{near:e} {nearer:e}");
    // What data tell is theirs: as without a pull, residuals of the noise that was put in, 0.05² (1.7²/3) each, within
    // 5 deviations.
    let n = (7 * data.len()) as f64;
    let expected = n * 0.05_f64.powi(2) * 1.7 * 1.7 / 3.0;
    assert!((fitted / expected - 1.0).abs() < 5.0 * (0.8 / n).sqrt(), "{fitted} against {expected}");
}

/// The pull is of bodies, not of coordinates; where linear parameters alone leave what is physical it holds them.
#[test]
fn charts_do_not_matter_and_all_is_physical() {
    let options = FitOptions { entropic: Some(0.5), hold_out: 0.0, ..FitOptions::default() };
    let robots: Vec<Model> = ["log_cholesky", "pi"]
        .iter()
        .map(|chart| {
            let (p, data) = heavier(chart);
            let found = fit(&p, &data, &options).expect("runs");
            assert!(found.estimate.status.converged(), "{chart}: {}", found.estimate.status);
            assert!(found.not_physical.is_empty(), "{chart}: {:?}", found.not_physical);
            p.robot_at(&found.estimate.parameters).expect("fits")
        })
        .collect();
    for (a, b) in robots[0].bodies().iter().zip(robots[1].bodies()).skip(5) {
        // Fits end where steps promise nothing: 1e-10 of the cost of a thousand residuals, and D is of that order;
        // measured 1e-12.
        let apart = divergence(a.inertia(), b.inertia()).expect("are physical");
        assert!(apart < 1e-8, "{}: {apart:e}", a.name());
    }
    let (p, data) = heavier("pi");
    let plain = fit(&p, &data, &FitOptions { hold_out: 0.0, ..FitOptions::default() }).expect("runs");
    assert!(!plain.not_physical.is_empty(), "the linear fit would have been physical by itself");
}

#[test]
fn what_cannot_be_pulled_is_said() {
    let model = robot("panda", false);
    let data = sines(&model, 50, 0.01, 1);
    let refused = |pattern: &str, weight: f64| {
        let p = Parameters::of(&model).select(pattern).expect("are there");
        fit(&p, &data, &FitOptions { entropic: Some(weight), ..FitOptions::default() })
            .expect_err("is none")
            .to_string()
    };
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = refused("panda_link7.pi.*", weight);
        assert!(error.contains("weight of the entropic regularizer"), "{error}");
    }
    assert!(refused("*.friction", 1.0).contains("no inertia varies"));
    let link = model.find_body("panda_link7").expect("is there");
    let flat = model.clone().with_inertia(link, Inertia::thin_rod(1.0, 0.2).expect("is a rod")).expect("fits");
    let p = Parameters::of(&flat).select("panda_link7.pi.*").expect("are there");
    let error =
        fit(&p, &data, &FitOptions { entropic: Some(1.0), ..FitOptions::default() }).expect_err("is flat").to_string();
    assert!(error.contains("panda_link7"), "{error}");
}
