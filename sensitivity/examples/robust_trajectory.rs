//! A robust trajectory: how must an arm move that does not know what it carries?
//!
//! Torques that bring the hand to its goal with an empty gripper miss it with a load. The mean of the cost over some
//! loads has a gradient by all torques, one adjoint a load, and its minimum is a motion that loads disturb less.
//!
//! `cargo run --release --example robust_trajectory`

use gradyn::{Model, UrdfOptions};
use gradyn_sensitivity::{Parameters, QuadraticCost, Rollout, Scheme, StateMemory};
use std::error::Error;

const STEPS: usize = 40;
const DT: f64 = 0.02;
/// Loads, kg.
const LOADS: [f64; 5] = [0.0, 0.1, 0.2, 0.3, 0.4];

/// A cost, and its gradient by all torques.
type Slope = (f64, Vec<Vec<f64>>);

fn main() -> Result<(), Box<dyn Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    let load = Parameters::of(&model).select("panda_link7.payload.m")?;
    let q0 = [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8];
    let goal = [0.8, 0.2, -0.3, -1.6, 0.4, 1.4, 0.2];
    let cost = QuadraticCost {
        end: [vec![1e3; 7], vec![10.0; 7]].concat(),
        running: [vec![0.0; 7], vec![0.02; 7]].concat(),
        control: 1e-4,
        ..QuadraticCost::at_end(&model, &goal)
    };
    let ask = |u: &[Vec<f64>], load_kg: f64| -> Result<_, Box<dyn Error>> {
        let run = Rollout::new(&load, Scheme::SemiImplicitEuler, DT, u.to_vec())?;
        Ok(run.adjoint(&[load_kg], &q0, &[0.0; 7], &cost, StateMemory::default())?)
    };
    // The mean over some loads, and its gradient by all torques.
    let mean = |u: &[Vec<f64>], loads: &[f64]| -> Result<Slope, Box<dyn Error>> {
        let (mut value, mut gradient) = (0.0, vec![vec![0.0; 7]; STEPS]);
        for kg in loads {
            let by = ask(u, *kg)?;
            value += by.cost / loads.len() as f64;
            for (to, of) in gradient.iter_mut().flatten().zip(by.by_controls.iter().flatten()) {
                *to += of / loads.len() as f64;
            }
        }
        Ok((value, gradient))
    };

    let hold = gradyn::once::rnea(&model, &q0, &[0.0; 7], &[0.0; 7], &[])?;
    let start = vec![hold; STEPS];
    let middle = [0.2];
    let one = descend(&start, |u| mean(u, &middle))?;
    let all = descend(&one, |u| mean(u, &LOADS))?;
    println!("load, kg   cost, made for {} kg   cost, made for all", middle[0]);
    let (mut sums, mut last) = ([0.0_f64; 2], [0.0_f64; 2]);
    for kg in LOADS {
        let costs = [ask(&one, kg)?.cost, ask(&all, kg)?.cost];
        println!("{kg:8} {:22.3} {:20.3}", costs[0], costs[1]);
        sums = [sums[0] + costs[0], sums[1] + costs[1]];
        last = [last[0].max(costs[0]), last[1].max(costs[1])];
    }
    println!("the mean falls by {:.0} %, the worst by {:.0} %", fall(sums), fall(last));
    if sums[1] >= sums[0] {
        return Err("a motion made for all loads is no better over all loads".into());
    }
    Ok(())
}

fn fall([before, after]: [f64; 2]) -> f64 {
    100.0 * (1.0 - after / before)
}

/// Limited-memory BFGS (D. Liu, J. Nocedal 1989) with halved steps.
fn descend(
    start: &[Vec<f64>],
    f: impl Fn(&[Vec<f64>]) -> Result<Slope, Box<dyn Error>>,
) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let (mut u, dot) = (start.to_vec(), |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>());
    let (mut value, mut g) = f(&u)?;
    let mut pairs: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for _ in 0..300 {
        let mut d = g.concat();
        let mut factors = Vec::new();
        for (s, y) in pairs.iter().rev() {
            let factor = dot(s, &d) / dot(s, y);
            d.iter_mut().zip(y).for_each(|(d, y)| *d -= factor * y);
            factors.push(factor);
        }
        let scale = pairs.last().map_or(1e-2, |(s, y)| dot(s, y) / dot(y, y));
        d.iter_mut().for_each(|d| *d *= scale);
        for ((s, y), factor) in pairs.iter().zip(factors.iter().rev()) {
            let more = factor - dot(y, &d) / dot(s, y);
            d.iter_mut().zip(s).for_each(|(d, s)| *d += more * s);
        }
        let (slope, mut step) = (dot(&g.concat(), &d), 1.0);
        let next = loop {
            let moved: Vec<Vec<f64>> = u
                .iter()
                .zip(d.chunks_exact(7))
                .map(|(u, d)| u.iter().zip(d).map(|(u, d)| u - step * d).collect())
                .collect();
            // Torques that are far too large may overflow: half of them then.
            if let Ok(found) = f(&moved)
                && found.0 <= value - 1e-4 * step * slope
            {
                break Some((moved, found));
            }
            step *= 0.5;
            if step < 1e-10 {
                break None;
            }
        };
        let Some((moved, (better, gradient))) = next else { break };
        let minus = |x: &[Vec<f64>], y: &[Vec<f64>]| {
            x.concat().iter().zip(y.concat()).map(|(x, y)| x - y).collect::<Vec<f64>>()
        };
        let (s, y) = (minus(&moved, &u), minus(&gradient, &g));
        if dot(&s, &y) > 0.0 {
            pairs.push((s, y));
        }
        if pairs.len() > 20 {
            pairs.remove(0);
        }
        let done = value - better < 1e-9 * value;
        (u, value, g) = (moved, better, gradient);
        if done {
            break;
        }
    }
    Ok(u)
}
