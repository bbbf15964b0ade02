//! Problems of which it is known beforehand whether they have a solution, drawn by a seed.
//!
//! Of feasible ones the goal is where a drawn motion ends that keeps all limits. Of infeasible ones, each with its
//! reason, what is asked for lies beyond what a bound, the links, the velocities or the forces leave.

use super::problems::{robot, thrusts};
use gradyn::dynamics::{Workspace, frame_pose};
use gradyn::{Model, UrdfOptions};
use gradyn_trajectory::residual::{Control, FrameRotation, FrameTranslation, FrictionCone, StateError};
use gradyn_trajectory::solver::Guess;
use gradyn_trajectory::step::{Actuation, Contact, ForwardDynamics, Impulse, SemiImplicitEuler};
use gradyn_trajectory::{Certificate, Cost, PathConstraint, Phase, Problem, Trajectory, guess};
use nalgebra::Vector3;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::error::Error;

type Made<T> = Result<T, Box<dyn Error>>;

/// What feasible problems are of, in turns.
pub(crate) const FEASIBLE: [&str; 8] =
    ["slider, least time", "pendulum", "cart-pole", "acrobot", "arm, least time", "quadrotor", "hop", "flip"];
/// Why infeasible problems are, in turns.
pub(crate) const INFEASIBLE: [&str; 6] = ["bounds", "start", "reach", "too fast, joint", "too fast, hand", "forces"];

/// A mass of 1 kg on a rail along x.
pub(crate) fn slider() -> Made<Model> {
    let text = r#"<robot name="slider"><link name="ground"/><link name="mass"><inertial><mass value="1"/>
        <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
        <joint name="rail" type="prismatic"><parent link="ground"/><child link="mass"/><axis xyz="1 0 0"/>
        <limit lower="-100" upper="100" effort="1" velocity="100"/></joint></robot>"#;
    Ok(Model::from_urdf_text(text, &UrdfOptions::new())?.model)
}

/// A robot with motors at some joints and their limits, and steps.
struct Kind {
    model: Model,
    actuation: Actuation,
    most: Vec<f64>,
    nodes: usize,
    dt: f64,
    /// Speeds at the start, and whether the last node shall be reached as soon as possible.
    speed: f64,
    soon: bool,
}

impl Kind {
    fn of(name: &str) -> Made<Self> {
        let made = |model: Model, joints: &[&str], most: &[f64], nodes: usize, dt: f64, speed: f64, soon: bool| {
            let actuation = Actuation::joints(&model, joints)?;
            Ok::<_, Box<dyn Error>>(Self { model, actuation, most: most.to_vec(), nodes, dt, speed, soon })
        };
        match name {
            "slider, least time" => made(slider()?, &["rail"], &[1.0], 40, 0.1, 1.0, true),
            "pendulum" => {
                let model = robot("pendulum", false)?;
                let joints: Vec<String> = model.dof_names();
                let joints: Vec<&str> = joints.iter().map(String::as_str).collect();
                let most = vec![2.0; joints.len()];
                made(model.clone(), &joints, &most, 50, 0.04, 0.5, false)
            }
            "cart-pole" => made(robot("cart_pole", false)?, &["slider"], &[10.0], 50, 0.04, 0.3, false),
            "acrobot" => made(robot("double_pendulum", false)?, &["elbow"], &[10.0], 40, 0.04, 0.3, false),
            "arm, least time" => {
                let model = robot("ur5", false)?;
                let joints: Vec<String> = model.dof_names();
                let joints: Vec<&str> = joints.iter().map(String::as_str).collect();
                made(model.clone(), &joints, &[150.0, 150.0, 150.0, 28.0, 28.0, 28.0], 20, 0.03, 0.0, true)
            }
            _ => Err(format!("there is no kind `{name}`").into()),
        }
    }
}

/// A problem that has a solution, and the guess: standing at the start.
pub(crate) fn feasible(seed: u64) -> Made<(Problem, Guess)> {
    let name = FEASIBLE[usize::try_from(seed)? % FEASIBLE.len()];
    let mut rng = ChaCha8Rng::seed_from_u64(7000 + seed);
    let mut draw = |most: f64| rng.random_range(-most..=most);
    let problem = if name == "quadrotor" {
        quadrotor(&mut rng)?
    } else if name == "hop" {
        hop(&mut rng)?
    } else if name == "flip" {
        flip(&mut rng)?
    } else {
        let Kind { model, actuation, most, nodes, dt, speed, soon } = Kind::of(name)?;
        let mut q = model.neutral::<f64>();
        q.iter_mut().for_each(|q| *q += draw(0.5));
        if name == "arm, least time" {
            q = [0.0, -1.2, 1.4, -0.2, 0.0, 0.0].map(|q| q + draw(0.5)).to_vec();
        }
        let v: Vec<f64> = (0..model.nv()).map(|_| draw(speed)).collect();
        // As if there were no goal: a motion by controls that are drawn, held over five steps each.
        let dynamics = || ForwardDynamics::new(actuation.clone());
        let free = Phase::new("go", nodes, dt, SemiImplicitEuler::new(&model, dynamics()));
        let free = Problem::builder(&model).start(&q, &v).phase(free).build()?;
        let mut motion = guess::with_static_controls(&free, guess::standing(&free))?;
        let mut pushed: Vec<f64> = Vec::new();
        for k in 0..nodes {
            if k % 5 == 0 {
                // Wrists are light.
                let arm = [8.0, 8.0, 5.0, 0.1, 0.1, 0.02];
                let pushes = if name == "arm, least time" { &arm[..] } else { &most };
                pushed = pushes.iter().map(|most| draw(0.9 * most)).collect();
            }
            let u = motion.u_mut(k);
            for ((u, push), most) in u.iter_mut().zip(&pushed).zip(&most) {
                let held = if name == "arm, least time" { *u } else { 0.0 };
                *u = (held + push).clamp(-0.99 * most, 0.99 * most);
            }
        }
        let motion = guess::roll_out(&free, &motion)?;
        let (to, nq) = (motion.x(nodes), model.nq());
        let (goal, fast) = (&to[..nq], &to[nq..nq + model.nv()]);
        let lower: Vec<f64> = most.iter().map(|x| -x).collect();
        let mut go = Phase::new("go", nodes, dt, SemiImplicitEuler::new(&model, dynamics()))
            .cost(Cost::new("controls", Control::zero()).weight(1e-3))
            .control_bounds(&lower, &most);
        if soon {
            // The guess lasts too short or too long by up to a factor of five.
            let factor = 5.0_f64.powf(draw(1.0));
            let nominal = nodes as f64 * dt;
            go = go.steps(&vec![dt * factor; nodes]).free_duration(nominal / 20.0, nominal * 20.0);
            go = go.cost(Cost::duration("time"));
        }
        Problem::builder(&model)
            .start(&q, &v)
            .phase(go)
            .last_constraint(PathConstraint::equal("there", StateError::at(&model, goal, fast)))
            .build()?
    };
    let trajectory = guess::standing(&problem);
    let trajectory = guess::with_static_controls(&problem, trajectory.clone()).unwrap_or(trajectory);
    Ok((problem, Guess { name: "standing".into(), trajectory, warm: None }))
}

/// Thrusts of four rotors, drawn about what carries it: it tumbles, and shall end where that ends.
fn quadrotor(rng: &mut ChaCha8Rng) -> Made<Problem> {
    let model = robot("quadrotor", true)?;
    let arms = thrusts();
    let (nodes, dt, most) = (40, 0.025, 8.0);
    let step = || SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Matrix(arms.clone())));
    let start = model.neutral::<f64>();
    let rest = vec![0.0; model.nv()];
    let free = Problem::builder(&model).start(&start, &rest).phase(Phase::new("go", nodes, dt, step())).build()?;
    let mut motion = guess::with_static_controls(&free, guess::standing(&free))?;
    let mut push = [0.0; 4];
    for k in 0..nodes {
        if k % 5 == 0 {
            push = push.map(|_| rng.random_range(-0.5..0.5));
        }
        motion.u_mut(k).iter_mut().zip(push).for_each(|(u, push)| *u = (*u + push).clamp(0.01, 0.99 * most));
    }
    let motion = guess::roll_out(&free, &motion)?;
    let (to, nq) = (motion.x(nodes), model.nq());
    let go = Phase::new("go", nodes, dt, step())
        .cost(Cost::new("controls", Control::zero()).weight(1e-3))
        .control_bounds(&[0.0; 4], &[most; 4]);
    let there = StateError::at(&model, &to[..nq], &to[nq..nq + model.nv()]);
    let there = PathConstraint::equal("there", there);
    Ok(Problem::builder(&model).start(&start, &rest).phase(go).last_constraint(there).build()?)
}

/// A mass of 1 kg on a vertical rail, and a foot of 0.2 kg on a leg below it.
fn hopper() -> Made<Model> {
    let body = |name: &str, mass: f64| {
        format!(
            r#"<link name="{name}"><inertial><mass value="{mass}"/>
            <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>"#
        )
    };
    let joint = |name: &str, parent: &str, child: &str, z: i32| {
        format!(
            r#"<joint name="{name}" type="prismatic"><parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 {z}"/>
            <limit lower="-5" upper="5" effort="60" velocity="30"/></joint>"#
        )
    };
    let text = format!(
        r#"<robot name="hopper"><link name="ground"/>{}{}{}{}</robot>"#,
        body("slide", 1.0),
        body("foot", 0.2),
        joint("rail", "ground", "slide", 1),
        joint("leg", "slide", "foot", -1)
    );
    Ok(Model::from_urdf_text(&text, &UrdfOptions::new())?.model)
}

/// It falls, for as long as it likes, lands on ground of the height where the drawn fall ends, pushes, and shall be
/// where the drawn push ends.
fn hop(rng: &mut ChaCha8Rng) -> Made<Problem> {
    let model = hopper()?;
    let (nodes, dt, most) = (15, 0.02, 60.0);
    let legs = || Ok::<_, Box<dyn Error>>(ForwardDynamics::new(Actuation::joints(&model, &["leg"])?));
    let start = [rng.random_range(0.8..1.2), rng.random_range(0.3..0.6)];
    let falls = || Ok::<_, Box<dyn Error>>(Phase::new("fall", nodes, dt, SemiImplicitEuler::new(&model, legs()?)));
    // Of the foot in the air, and of the body on the foot; the ground pushes, and does not pull.
    let (in_air, on_ground) = (rng.random_range(-1.5..1.5), rng.random_range(5.0..25.0));
    let push = |motion: &mut Trajectory| {
        for k in 0..motion.steps() {
            let force = if k < nodes { in_air } else { on_ground };
            motion.u_mut(k).fill(force);
        }
    };
    let fall = Problem::builder(&model).start(&start, &[0.0; 2]).phase(falls()?).build()?;
    let mut motion = guess::standing(&fall);
    push(&mut motion);
    let motion = guess::roll_out(&fall, &motion)?;
    let contact = Contact::point_at(&model, "foot", &motion.x(nodes)[..2])?;
    let foot = model.find_frame("foot").ok_or("no foot")?;
    let ground = frame_pose(&model, &mut Workspace::new(&model), &motion.x(nodes)[..2], foot)?.translation;
    let whole = |goal: Option<&[f64]>| -> Made<Problem> {
        let stands = SemiImplicitEuler::new(&model, legs()?.with_contacts(std::slice::from_ref(&contact)));
        let cone = FrictionCone::of("foot").normal_force(0.0, f64::INFINITY);
        let free = f64::INFINITY;
        let pushes = PathConstraint::within("pushes", cone, &[-free, -free, -free, -free, 0.0], &[free; 5]);
        let (mut falls, mut stands) = (falls()?, Phase::new("stand", nodes, dt, stands));
        let mut lands = Phase::jump("land", Impulse::new(std::slice::from_ref(&contact), 0.0));
        if goal.is_some() {
            let force = || Cost::new("force", Control::zero()).weight(1e-3);
            falls = falls.cost(force()).control_bounds(&[-most], &[most]).free_duration(0.05, 2.0);
            stands = stands.cost(force()).control_bounds(&[-most], &[most]).constraint(pushes);
            lands = lands.constraint(PathConstraint::equal("ground", FrameTranslation::new(foot, ground)));
        }
        let mut builder = Problem::builder(&model).start(&start, &[0.0; 2]).phase(falls).phase(lands).phase(stands);
        if let Some(goal) = goal {
            let there = StateError::at(&model, &goal[..2], &goal[2..4]);
            builder = builder.last_constraint(PathConstraint::equal("there", there));
        }
        Ok(builder.build()?)
    };
    let motion = whole(None)?;
    let mut pushed = guess::standing(&motion);
    push(&mut pushed);
    let pushed = guess::roll_out(&motion, &pushed)?;
    whole(Some(pushed.x(motion.steps())))
}

/// A quadrotor turns over once, or nearly, by thrusts that are drawn, and shall be upright where those lead, with their
/// attitudes on the way.
fn flip(rng: &mut ChaCha8Rng) -> Made<Problem> {
    let model = robot("quadrotor", true)?;
    let arms = thrusts();
    let (nodes, dt, most) = (20, 0.04, 8.0);
    let step = || SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Matrix(arms.clone())));
    let (start, rest) = (model.neutral::<f64>(), vec![0.0; model.nv()]);
    let free = Problem::builder(&model).start(&start, &rest).phase(Phase::new("go", nodes, dt, step())).build()?;
    let mut motion = guess::standing(&free);
    // I 2π = 2 · 0.18 m · 2 ΔF · (T/2)² for a bang and its opposite about x, I = 0.008 kg m² and T = 0.8 s: ΔF = 0.44
    // N.
    let (strong, lean) = (rng.random_range(0.40..0.46), rng.random_range(-0.02..0.02));
    let lift = rng.random_range(2.0..6.0);
    for k in 0..nodes {
        let turn = if k < nodes / 2 { strong } else { -strong };
        // Left rotors against right ones, and a little of the front against the back.
        let push = [turn + lean, -turn + lean, turn - lean, -turn - lean];
        motion.u_mut(k).iter_mut().zip(push).for_each(|(u, push)| *u = lift + push);
    }
    let motion = guess::roll_out(&free, &motion)?;
    let nq = model.nq();
    let trunk = model.find_frame("trunk").ok_or("no trunk")?;
    let mut go = Phase::new("go", nodes, dt, step())
        .cost(Cost::new("controls", Control::zero()).weight(1e-3))
        .control_bounds(&[0.0; 4], &[most; 4]);
    for node in [5, 8, 10, 12, 15] {
        let attitude = frame_pose(&model, &mut Workspace::new(&model), &motion.x(node)[..nq], trunk)?.rotation;
        let turned = FrameRotation::new(trunk, attitude);
        go = go.constraint(PathConstraint::equal(format!("attitude at {node}"), turned).only_at(&[node]));
    }
    let to = motion.x(nodes);
    let there = StateError::at(&model, &to[..nq], &to[nq..nq + model.nv()]);
    let there = PathConstraint::equal("there", there);
    Ok(Problem::builder(&model).start(&start, &rest).phase(go).last_constraint(there).build()?)
}

/// Whether a proof names the reason.
pub(crate) type Reason = fn(&Certificate) -> bool;

/// A problem without a solution, and whether a proof names its reason.
pub(crate) fn infeasible(seed: u64) -> Made<(Problem, Reason)> {
    let name = INFEASIBLE[usize::try_from(seed)? % INFEASIBLE.len()];
    let mut rng = ChaCha8Rng::seed_from_u64(9000 + seed);
    let beyond = rng.random_range(1.02..2.0);
    let mut draw = |most: f64| rng.random_range(-most..=most);
    let by = |model: &Model| SemiImplicitEuler::new(model, ForwardDynamics::new(Actuation::of(model)));
    match name {
        "bounds" | "start" | "forces" => {
            let model = slider()?;
            let (nodes, dt) = (30, 0.05);
            let start = draw(0.5);
            let state = |q: f64, v: f64| StateError::at(&model, &[q], &[v]);
            let go = Phase::new("go", nodes, dt, by(&model))
                .cost(Cost::new("force", Control::zero()).weight(1e-2))
                .control_bounds(&[-1.0], &[1.0]);
            let rail = |most: f64| {
                let free = f64::INFINITY;
                PathConstraint::within("rail", state(0.0, 0.0), &[-most, -free], &[most, free])
            };
            // From rest to rest, N steps of h with |u| ≤ 1 lead h² N²/4 far.
            let furthest = (dt * nodes as f64).powi(2) / 4.0;
            let (go, goal) = match name {
                // At the end on a side of the rail's end where it is not.
                "bounds" => (go.constraint(rail(2.0)), 2.0 * beyond),
                "start" => (go.constraint(rail((start.abs() / beyond).max(1e-3))), 0.0),
                _ => (go, start + furthest * beyond),
            };
            let start = if name == "start" { start + start.signum() * 0.1 } else { start };
            let there = PathConstraint::equal("there", state(goal, 0.0));
            let mut builder = Problem::builder(&model).start(&[start], &[0.0]).phase(go).last_constraint(there);
            if name == "bounds" {
                builder = builder.last_constraint(rail(2.0));
            }
            let reason: Reason = match name {
                "bounds" => |proof| matches!(proof, Certificate::Bounds { .. }),
                "start" => |proof| matches!(proof, Certificate::Start { .. }),
                _ => |proof| matches!(proof, Certificate::Farkas { .. }),
            };
            Ok((builder.build()?, reason))
        }
        "reach" => {
            let model = robot("ur5", false)?;
            let tool = model.find_frame("tool0").ok_or("no tool")?;
            let way = Vector3::new(draw(1.0), draw(1.0), draw(1.0)).normalize();
            // Links of 0.425 and 0.392 m, with those of the wrist and their offsets less than 1.5 m in all.
            let place = Vector3::new(0.0, 0.0, 0.09) + 1.5 * beyond * way;
            let start = [0.0, -1.2, 1.4, -0.2, 0.0, 0.0].map(|q| q + draw(0.3));
            let go = Phase::new("go", 15, 0.05, by(&model)).cost(Cost::new("torque", Control::zero()).weight(1e-3));
            let problem = Problem::builder(&model)
                .start(&start, &[0.0; 6])
                .phase(go)
                .last_constraint(PathConstraint::equal("place", FrameTranslation::new(tool, place)))
                .build()?;
            Ok((problem, |proof| matches!(proof, Certificate::Reach { .. })))
        }
        _ => {
            let model = robot("ur5", false)?;
            let tool = model.find_frame("tool0").ok_or("no tool")?;
            let start = [0.0, -1.2, 1.4, -0.2, 0.0, 0.0].map(|q| q + draw(0.3));
            let (nodes, dt) = (10, 0.02);
            let fast = 0.2;
            let free = f64::INFINITY;
            let lower: Vec<f64> = [[-free; 6], [-fast; 6]].concat();
            let upper: Vec<f64> = [[free; 6], [fast; 6]].concat();
            let still = StateError::at(&model, &start, &[0.0; 6]);
            let go = Phase::new("go", nodes, dt, by(&model))
                .cost(Cost::new("torque", Control::zero()).weight(1e-3))
                .constraint(PathConstraint::within("speeds", still, &lower, &upper));
            let builder = Problem::builder(&model).start(&start, &[0.0; 6]).phase(go);
            // No joint moves further than this; the last velocity is not bounded by the phase.
            let furthest = fast * nodes as f64 * dt;
            let problem = if name == "too fast, joint" {
                let mut goal = start;
                goal[0] += 2.0 * furthest * beyond;
                let there = StateError::at(&model, &goal, &[0.0; 6]);
                builder.last_constraint(PathConstraint::equal("there", there)).build()?
            } else {
                let here = frame_pose(&model, &mut Workspace::new(&model), &start[..], tool)?.translation;
                // Toward the shoulder, within reach.
                let place = here - 0.2 * beyond * (here - Vector3::new(0.0, 0.0, 0.09)).normalize();
                let builder =
                    builder.last_constraint(PathConstraint::equal("rest", StateError::at(&model, &start, &[0.0; 6])));
                builder.last_constraint(PathConstraint::equal("place", FrameTranslation::new(tool, place))).build()?
            };
            Ok((problem, |proof| matches!(proof, Certificate::TooFast { .. })))
        }
    }
}
