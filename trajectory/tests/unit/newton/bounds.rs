//! Slacks, multipliers, barriers and steps of the rows of a node.

use super::rows;
use crate::solver::newton::inequalities::Inequalities;
use crate::solver::tests::{Random, limited};
use crate::solver::warm::WarmNode;

const MU: f64 = 0.05;

/// The distances to all boundaries: of bounds that there are, and of the cone `t − |w|`.
fn room(rows: &Inequalities, s: &[f64]) -> Vec<f64> {
    let bounds = (0..s.len()).flat_map(|i| [s[i] - rows.lower[i], rows.upper[i] - s[i]]).filter(|x| x.is_finite());
    let in_cone = rows.cones.iter().map(|cone| {
        let slack = cone.slack(s);
        slack.t - slack.w.iter().map(|w| w * w).sum::<f64>().sqrt()
    });
    bounds.chain(in_cone).collect()
}

#[test]
fn slacks_begin_inside_and_multipliers_on_the_central_path() {
    let problem = limited(2);
    for (seed, size) in [(0, 1.0), (1, 1e-6), (2, 1e6)] {
        let mut random = Random::new(seed);
        let mut rows = Inequalities::new(&problem, 1);
        rows.take_bounds(&problem, 1);
        // Motors 0 and 4 to 6 have two bounds, 1 and 2 one, 3 none.
        assert_eq!(rows.controls, [0, 1, 2, 4, 5, 6]);
        assert_eq!(rows.bounds(), 4 * 2 + 2 + 2 + 1 + 1 + 8);
        let (mut u, g) = (size * random.vector(7), size * random.vector(rows.s.len() - 6));
        let free = u[3];
        rows.read(u.as_slice(), g.as_slice());
        rows.push_controls(u.as_mut_slice());
        rows.begin(MU);
        assert_eq!(u[3], free);
        assert!(room(&rows, &rows.s).iter().all(|x| *x > 0.0), "{size}");
        // The products of large numbers are known to their rounding.
        assert!(rows.complementarity(MU) < 1e-9, "{size}: {:e}", rows.complementarity(MU));
        assert!(rows.barrier().is_finite());
    }
}

#[test]
fn bounds_are_as_much_wider_as_rounding_needs() {
    let problem = limited(2);
    let mut rows = Inequalities::new(&problem, 1);
    rows.take_bounds(&problem, 1);
    assert_eq!((rows.lower[0], rows.upper[0]), (-87.0 - 87e-8, 87.0 + 87e-8));
    // Of small bounds by 1e-8 itself.
    assert!(rows.upper.contains(&(0.9 + 1e-8)));
    assert!(rows.is_bounded(0) && (0..rows.s.len()).all(|i| rows.counts(i)));
    let cone = rows.cones[0].rows.clone();
    assert!(rows.has_cones() && cone.clone().all(|i| !rows.is_bounded(i)) && cone.len() == 8);
}

#[test]
fn the_longest_step_leaves_its_share_of_the_nearest_boundary() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut rows = rows(&mut random, MU);
        let size = [0.01, 1.0, 100.0][seed as usize % 3];
        for i in 0..rows.s.len() {
            rows.ds[i] = size * random.number(-1.0, 1.0);
            rows.dz.iter_mut().for_each(|dz| dz[i] = size * random.number(-1.0, 1.0));
        }
        let tau = 0.95;
        let [primal, dual] = rows.max_step(tau, 0);
        let at = |step: f64| -> Vec<f64> { rows.s.iter().zip(&rows.ds).map(|(s, ds)| s + step * ds).collect() };
        let least = |step: f64| {
            let pairs = room(&rows, &at(step)).into_iter().zip(room(&rows, &rows.s)).collect::<Vec<_>>();
            pairs.into_iter().map(|(after, before)| after / before).fold(f64::INFINITY, f64::min)
        };
        // Of a cone τ is a share of the way, of which the distance to the boundary is concave: no less is left.
        assert!(least(primal) >= 1.0 - tau - 1e-9, "{seed}: {}", least(primal));
        if primal < 1.0 {
            assert!(least(1.001 * primal / tau) < 0.0, "{seed}: a longer step stays inside");
        }
        let z = |step: f64, k: usize, i: usize| rows.z[k][i] + step * rows.dz[k][i];
        let bounded = (0..rows.s.len()).filter(|i| rows.is_bounded(*i));
        let pairs: Vec<_> = bounded.flat_map(|i| [(0, i), (1, i)]).filter(|(k, i)| rows.z[*k][*i] > 0.0).collect();
        assert!(pairs.iter().all(|(k, i)| z(dual, *k, *i) >= (1.0 - tau) * rows.z[*k][*i] - 1e-12), "{seed}");
        // From a later row on, controls do not limit slacks.
        assert!(rows.max_step(tau, rows.controls.len())[0] >= primal);
    }
}

#[test]
fn the_slope_of_the_barrier_is_that_of_differences() {
    for seed in 0..5 {
        let mut random = Random::new(seed);
        let mut rows = rows(&mut random, MU);
        rows.ds.iter_mut().for_each(|ds| *ds = random.number(-1.0, 1.0));
        let (s, h) = (rows.s.clone(), 1e-6);
        let mut at = |step: f64| {
            rows.s.iter_mut().zip(&s).zip(&rows.ds).for_each(|((to, s), ds)| *to = s + step * ds);
            rows.barrier()
        };
        let difference = (at(h) - at(-h)) / (2.0 * h);
        at(0.0);
        // Slacks are at least 1e-2: the third derivative is below 1e6, times h².
        assert!((rows.barrier_slope() - difference).abs() < 1e-5 * (1.0 + difference.abs()), "{seed}: {difference}");
        // Beyond a bound it is infinite, as a trial.
        rows.trial.copy_from_slice(&rows.s);
        assert_eq!(rows.trial_barrier(), rows.barrier());
        rows.trial[0] = 88.0;
        assert_eq!(rows.trial_barrier(), f64::INFINITY);
    }
}

#[test]
fn trials_keep_their_distance_and_take_values_where_these_are_inside() {
    let mut random = Random::new(7);
    let mut rows = rows(&mut random, MU);
    rows.ds.iter_mut().for_each(|ds| *ds = random.number(-5.0, 5.0));
    let (n, tau) = (rows.controls.len(), 0.9);
    let u: Vec<f64> = (0..7).map(f64::from).collect();
    let mut g = rows.s[n..].to_vec();
    let first = (n..rows.s.len()).find(|i| rows.lower[*i] == -0.9 - 1e-8).expect("the hand has two bounds");
    g[first - n] = 0.3;
    rows.try_slacks(1.0, tau, &u, &g, false);
    // Slacks of controls are the controls.
    assert!((0..n).all(|row| rows.trial[row] == u[rows.controls[row]]));
    // A value between the bounds is taken as far as the distance allows, and nothing of the row is then off.
    let kept = rows.keep_inside(first, 0.3, tau);
    assert_eq!(rows.trial[first], kept);
    assert_eq!(rows.trial_residual(first, &g), 0.3 - kept);
    assert_eq!(rows.trial_residual(0, &g), 0.0);
    // One beyond them, and elastic ones, follow the direction.
    g[first - n] = 5.0;
    for elastic in [false, true] {
        rows.try_slacks(0.25, tau, &u, &g, elastic);
        assert_eq!(rows.trial[first], rows.keep_inside(first, rows.s[first] + 0.25 * rows.ds[first], tau));
    }
    for step in [1e-3, 1.0, 1e3] {
        rows.try_slacks(step, tau, &[0.0; 7], &g, true);
        assert!(room(&rows, &rows.trial).iter().all(|x| *x > 0.0), "{step}");
    }
}

#[test]
fn multipliers_stay_near_the_central_path() {
    let mut random = Random::new(9);
    let mut rows = rows(&mut random, MU);
    rows.trial.copy_from_slice(&rows.s);
    for dz in [1e30, -1e30] {
        rows.dz.iter_mut().for_each(|all| all.fill(dz));
        rows.advance(1.0, MU);
        for i in (0..rows.s.len()).filter(|i| rows.is_bounded(*i)) {
            for (z, slack) in [rows.z[0][i], rows.z[1][i]].into_iter().zip(rows.slacks(i)).filter(|x| x.1.is_finite()) {
                assert!((MU / (1.0001e10 * slack)..=1.0001e10 * MU / slack).contains(&z), "row {i}: {z}");
            }
        }
        // Of a cone they come back to the path itself.
        let cone = &rows.cones[0];
        let at = (cone.slack(&rows.s), &rows.z[0][cone.rows.clone()]);
        let product = at.0.t * at.1[0] + at.0.w.iter().zip(&at.1[1..]).map(|(s, z)| s * z).sum::<f64>();
        assert!((product - MU).abs() < 1e-12, "{product}");
    }
    // Bounds that have moved over their slacks push them inside.
    rows.lower[0] = rows.s[0] + 1.0;
    let row = (6..rows.s.len()).find(|i| rows.upper[*i].is_finite()).expect("has a bound");
    rows.upper[row] = rows.s[row] - 0.5;
    rows.lower[row] = f64::NEG_INFINITY;
    let mut u = vec![0.0; 7];
    rows.keep_controls(&mut u);
    rows.come_inside(MU);
    assert!(rows.slacks(row)[1] > 0.0);
    assert!(u[0] > rows.lower[0] && u[1] == 0.0, "{u:?}");
}

#[test]
fn rows_of_another_solution_or_node_are_taken_if_they_are_the_same() {
    let mut random = Random::new(11);
    let (mut to, from) = (rows(&mut random, MU), rows(&mut random, MU));
    to.warm_start_from(&from);
    assert_eq!((&to.s, &to.z), (&from.s, &from.z));
    let other = rows(&mut random, MU);
    let mut less = Inequalities::new(&limited(2), 2);
    less.warm_start_from(&from);
    assert!(less.s.is_empty());
    let node = WarmNode {
        slacks: other.s.clone(),
        lower: other.z[0].clone(),
        upper: other.z[1].clone(),
        ..WarmNode::default()
    };
    to.take_over(&node, 0.5);
    assert_eq!(to.s, other.s);
    assert!(to.z.iter().zip(&other.z).all(|(to, z)| to.iter().zip(z).all(|(to, z)| *to == 0.5 * z)));
    assert_eq!(to.y(0), to.z[1][0] - to.z[0][0]);
}
