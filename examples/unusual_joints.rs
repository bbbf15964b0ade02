//! Are derivatives right for joints whose motion subspace depends on the configuration?
//!
//! Of a chain of three bodies, the second one or the first one on an unusual joint: the closed form, dual numbers and
//! differences. Expect a table in which dual numbers agree to rounding, below 1e-13 of the largest entry, and differences to
//! 1e-9 or better. With `--json`: robots, states and results, for another program to compare with.
//!
//! `cargo run --release --example unusual_joints`

use gradyn::joint::*;
use gradyn::nalgebra::{DMatrix, Vector3};
use gradyn::partials::RneaDerivatives;
use gradyn::spatial::Symmetric3;
use gradyn::{DerivativeWorkspace, Inertia, Method, Model, ModelBuilder, Transform, rnea_derivatives};
use serde_json::{Value, json};
use std::error::Error;

/// States of each robot. The last one is at rest.
pub(crate) const STATES: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let chains = chains()?;
    if std::env::args().any(|argument| argument == "--json") {
        let results = chains.iter().map(Chain::json).collect::<Result<Vec<_>, _>>()?;
        println!("{}", Value::Array(results));
        return Ok(());
    }
    println!("{:<46} {:>8} {:>12}", "largest deviation of derivatives", "dual", "difference");
    for chain in &chains {
        let [dual, difference] = chain.deviations()?;
        println!("{:<46} {dual:>8.0e} {difference:>12.0e}", chain.name());
    }
    Ok(())
}

/// A robot of two or three bodies.
pub(crate) struct Chain {
    kind: &'static str,
    at_root: bool,
    model: Model,
}

/// A chain for each kind of joint, at the root and below another one.
pub(crate) fn chains() -> Result<Vec<Chain>, Box<dyn Error>> {
    let mut chains = Vec::new();
    for at_root in [true, false] {
        for (kind, joint) in joints() {
            let mut builder = ModelBuilder::new(kind);
            let mut joints = vec![joint, Revolute { axis: Axis::X }.into()];
            if !at_root {
                joints.insert(0, Revolute { axis: Axis::Y }.into());
            }
            let mut parent = None;
            for (i, joint) in joints.into_iter().enumerate() {
                let (x, y) = (placement(i), inertia(i)?);
                parent = Some(builder.add_body(parent, format!("body{i}"), format!("joint{i}"), x, joint, y)?);
            }
            chains.push(Chain { kind, at_root, model: builder.build()? });
        }
    }
    Ok(chains)
}

/// The kinds, by the name that the other program knows them by.
fn joints() -> Vec<(&'static str, Joint)> {
    let (slide, turn) = (Prismatic { axis: Axis::X }, Revolute { axis: Axis::Z });
    vec![
        ("revolute", turn.into()),
        ("helical", Helical { axis: Axis::X, pitch: 0.3 }.into()),
        ("planar", Planar::new(Axis::Z).into()),
        ("translation", Translation.into()),
        ("spherical", Spherical.into()),
        ("free-flyer", FreeFlyer.into()),
        ("universal", Universal { first: Axis::X, second: Axis::Y }.into()),
        ("spherical ZYX", SphericalZyx.into()),
        ("composite: two prismatic", row([slide.into(), Prismatic { axis: Axis::Y }.into()])),
        ("composite: revolute, prismatic", row([turn.into(), slide.into()])),
        ("composite: spherical, revolute", row([Spherical.into(), Revolute { axis: Axis::X }.into()])),
    ]
}

fn row([first, second]: [Elementary; 2]) -> Joint {
    Composite::with_placements([(Transform::identity(), first), (placement(7), second)]).into()
}

fn placement(i: usize) -> Transform<f64> {
    let [a, b, c] = numbers(i);
    Transform::from_rpy([a, b, c], Vector3::new(b, c, a))
}

fn inertia(i: usize) -> Result<Inertia<f64>, Box<dyn Error>> {
    let com = Vector3::from(numbers(i + 3)) * 0.3;
    let inertia = Inertia::new(1.0 + i as f64, com, Symmetric3::diagonal(0.10, 0.12, 0.15));
    Ok(inertia)
}

/// Numbers in ±1.
fn numbers<const N: usize>(seed: usize) -> [f64; N] {
    std::array::from_fn(|k| (1.7 * seed as f64 + 2.3 * k as f64 + 0.4).sin())
}

impl Chain {
    /// Kind and place.
    pub(crate) fn name(&self) -> String {
        format!("{}, {}", self.kind, if self.at_root { "at the root" } else { "not at the root" })
    }

    /// Configuration, velocity and acceleration.
    fn state(&self, k: usize) -> Result<[Vec<f64>; 3], Box<dyn Error>> {
        let number = |seed: usize| (0..self.model.nv()).map(move |i| numbers::<32>(seed)[i]).collect::<Vec<_>>();
        let q = self.model.integrate(&self.model.neutral::<f64>(), &number(11 + k))?;
        if k + 1 == STATES {
            return Ok([q, vec![0.0; self.model.nv()], vec![0.0; self.model.nv()]]);
        }
        Ok([q, number(17 + k), number(23 + k)])
    }

    fn at(&self, k: usize, method: Method) -> Result<RneaDerivatives, Box<dyn Error>> {
        let [q, v, a] = self.state(k)?;
        let mut memory = DerivativeWorkspace::new(&self.model);
        Ok(rnea_derivatives(&self.model, &mut memory, method, &q, &v, &a, &[])?.clone())
    }

    /// How far dual numbers, and differences, are from the closed form, relative to the largest entry of a matrix, and 1.
    pub(crate) fn deviations(&self) -> Result<[f64; 2], Box<dyn Error>> {
        let mut worst = [0.0_f64; 2];
        for k in 0..STATES {
            let closed = self.at(k, Method::Analytical)?;
            for (worst, method) in worst.iter_mut().zip([Method::Dual, Method::Difference]) {
                let other = self.at(k, method)?;
                for ((_, x), (_, y)) in closed.matrices().into_iter().zip(other.matrices()) {
                    *worst = worst.max((x - y).amax() / x.amax().max(1.0));
                }
            }
        }
        Ok(worst)
    }

    /// The robot, its states and the results in closed form.
    fn json(&self) -> Result<Value, Box<dyn Error>> {
        let pose = |x: &Transform<f64>| {
            let rotation: Vec<_> = x.rotation.row_iter().map(|row| [row[0], row[1], row[2]]).collect();
            json!({"rotation": rotation, "translation": x.translation.as_slice()})
        };
        let bodies = self.model.bodies().iter().map(|body| {
            let (x, y) = (pose(body.placement()), body.inertia());
            let inertia = y.rotational.to_array();
            json!({"placement": x, "mass": y.mass, "com": y.com.as_slice(), "inertia": inertia})
        });
        let mut states = Vec::new();
        for k in 0..STATES {
            let ([q, v, a], by) = (self.state(k)?, self.at(k, Method::Analytical)?);
            states.push(json!({
                "q": q, "v": v, "a": a, "tau": by.tau.as_slice(), "dtau_dq": rows(&by.dtau_dq), "dtau_dv": rows(&by.dtau_dv)
            }));
        }
        Ok(json!({
            "joint": self.kind, "at_root": self.at_root, "bodies": bodies.collect::<Vec<_>>(),
            "inner": pose(&placement(7)), "states": states,
        }))
    }
}

fn rows(m: &DMatrix<f64>) -> Vec<Vec<f64>> {
    m.row_iter().map(|row| row.iter().copied().collect()).collect()
}
