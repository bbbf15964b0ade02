//! How is a cost of one's own written? Once, for every number type: an arm reaches past a pillar that its hand is to
//! stay away from.
//!
//! ```sh
//! cargo run --release --example own_cost
//! ```

use gradyn::dynamics::frame_pose;
use gradyn::model::{FrameId, InputError};
use gradyn::{Model, Scalar, UrdfOptions};
use gradyn_trajectory::residual::{
    AutodiffResidual, Control, Depends, FrameTranslation, Quantity, QuantityPoint, StateError,
};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Fddp, FddpOptions, Loss, Phase, Problem, guess};

/// How far a frame's origin is from an upright pillar, m: less than zero inside it.
#[derive(Debug)]
struct Pillar {
    frame: FrameId,
    /// Where it stands, m.
    at: [f64; 2],
    /// Its radius, m.
    radius: f64,
}

impl Quantity for Pillar {
    fn rows(&self, _model: &Model) -> usize {
        1
    }
    fn depends(&self) -> Depends {
        Depends::Q
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let p = frame_pose(on.model, on.workspace, on.q, self.frame)?.translation;
        let (x, y) = (p.x - T::from(self.at[0]), p.y - T::from(self.at[1]));
        r[0] = (x * x + y * y).sqrt() - T::from(self.radius);
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    let hand = model.find_frame("panda_link8").ok_or("no hand")?;
    let start = [0.8, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8];
    let goal = [0.35, -0.4, 0.4];

    let solve = |weight: f64| -> Result<f64, Box<dyn std::error::Error>> {
        let pillar = AutodiffResidual::new(&model, Pillar { frame: hand, at: [0.38, 0.0], radius: 0.08 });
        // Nothing outside, the square of the depth inside.
        let outside = Loss::QuadraticBarrier { lower: vec![0.0], upper: vec![f64::INFINITY] };
        let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
        let problem = Problem::builder(&model)
            .start(&start, &[0.0; 7])
            .phase(
                Phase::new("reach", 60, 0.02, step)
                    .cost(Cost::new("pillar", pillar).loss(outside).weight(weight))
                    .cost(Cost::new("hand", FrameTranslation::new(hand, goal.into())).weight(1.0))
                    .cost(Cost::new("state", StateError::at(&model, &start, &[0.0; 7])).weight(0.05))
                    .cost(Cost::new("torque", Control::zero()).weight(0.002)),
            )
            .last(Cost::new("hand", FrameTranslation::new(hand, goal.into())).weight(1e3))
            .build()?;
        let mut solver = Fddp::new(&problem, FddpOptions::default());
        let report = solver.solve(&problem, &guess::with_static_controls(&problem, guess::standing(&problem))?);
        let mut workspace = gradyn::Workspace::new(&model);
        let mut deepest = f64::INFINITY;
        for k in 0..=problem.steps() {
            let q = &solver.trajectory().x(k)[..7];
            let p = frame_pose(&model, &mut workspace, q, hand)?.translation;
            deepest = deepest.min((p.x - 0.38).hypot(p.y) - 0.08);
        }
        println!("weight {weight:7}: {}, {} iterations; nearest {deepest:.3} m", report.status, report.iterations);
        Ok(deepest)
    };
    let through = solve(0.0)?;
    let around = solve(1e5)?;
    if !(through < -0.02 && around > -0.001) {
        return Err("the cost has not kept the hand away".into());
    }
    Ok(())
}
