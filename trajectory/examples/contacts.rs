//! How does a robot stand, lift off and land? Phases with contacts, an impulse on the feet that are gained, friction
//! cones: a quadruped hops on the spot, and its feet push.
//!
//! ```sh
//! cargo run --release --example contacts
//! ```

use gradyn::{Model, UrdfOptions};
use gradyn_trajectory::residual::{CenterOfMass, Control, FrameTranslation, FrictionCone, StateError};
use gradyn_trajectory::step::{Actuation, Contact, ForwardDynamics, Impulse, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Fddp, FddpOptions, Phase, Problem, guess};

const FEET: [&str; 4] = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/solo12.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new().floating_base(true))?.model;
    let (front, hind) = ([0.0, 0.8, -1.6], [0.0, -0.8, 1.6]);
    let q = [&[0.0, 0.0, 0.24, 0.0, 0.0, 0.0, 1.0][..], &front, &front, &hind, &hind].concat();
    let rest = vec![0.0; model.nv()];
    let dt = 0.01;

    let mut workspace = gradyn::Workspace::new(&model);
    let stands = gradyn::center_of_mass(&model, &mut workspace, &q, &rest, &rest)?.whole.position;
    let contacts = FEET
        .map(|foot| Ok::<_, Box<dyn std::error::Error>>(Contact::point_at(&model, foot, &q)?.with_default_gains(dt)));
    let contacts: Vec<Contact> = contacts.into_iter().collect::<Result<_, _>>()?;
    let actuation = || Actuation::of(&model);

    let posture = || Cost::new("posture", StateError::at(&model, &q, &rest)).weight(0.1);
    let torque = || Cost::new("torque", Control::zero()).weight(1e-2);
    let stance = |name: &str, nodes: usize| {
        let dynamics = ForwardDynamics::new(actuation()).with_contacts(&contacts);
        let mut phase = Phase::new(name, nodes, dt, SemiImplicitEuler::new(&model, dynamics));
        for foot in FEET {
            let cone = FrictionCone::of(foot).friction(0.7);
            let loss = cone.loss();
            phase = phase.cost(Cost::new(format!("{foot} slips"), cone).loss(loss));
        }
        phase.cost(posture()).cost(torque())
    };
    let flight = Phase::new("flight", 20, dt, SemiImplicitEuler::new(&model, ForwardDynamics::new(actuation())))
        .cost(Cost::new("apex", CenterOfMass::new(stands + nalgebra::Vector3::z() * 0.08)).weight(1e5).only_at(&[10]))
        .cost(posture())
        .cost(torque());
    let mut landing = Phase::jump("landing", Impulse::new(&contacts, 0.0));
    for foot in FEET {
        let frame = model.find_frame(foot).ok_or("no foot")?;
        let place = gradyn::dynamics::frame_pose(&model, &mut workspace, &q, frame)?.translation;
        landing = landing.cost(Cost::new(format!("{foot} lands"), FrameTranslation::new(frame, place)).weight(1e5));
    }
    let problem = Problem::builder(&model)
        .start(&q, &rest)
        .phase(stance("push", 30))
        .phase(flight)
        .phase(landing.cost(posture()))
        .phase(stance("settle", 30))
        .last(posture().weight(10.0))
        .build()?;

    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let start = guess::with_static_controls(&problem, guess::standing(&problem))?;
    let report = solver.solve(&problem, &start);
    println!("{} after {} iterations, cost {:.4}", report.status, report.iterations, report.cost);

    let trajectory = solver.trajectory();
    let mut memory = problem.memory();
    for k in [0, 15, 29, 40, 50, 60] {
        let forces = problem.forces(k, trajectory.x(k), trajectory.u(k), &mut memory)?;
        let up: f64 = forces.iter().skip(2).step_by(3).sum();
        let height = trajectory.x(k)[2];
        println!("{:7} at {:.2} s: base at {height:.3} m, feet push {up:6.1}", problem.phase_of(k), problem.time(k));
    }
    if report.status.is_solved() { Ok(()) } else { Err(report.status.to_string().into()) }
}
