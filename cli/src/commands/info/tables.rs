//! Tables of what a robot is made of.

use super::{axis, kind};
use crate::error::one_line;
use crate::table::{Align, Table};
use gradyn::model::{Actuator, DofDynamics, FrictionCurve, SpeedTorque};
use gradyn_files::number::{five, short};
use gradyn_files::robot::Robot;
use std::ops::Range;

/// A range of coordinates: `7`, `0..7`.
fn range(r: &Range<usize>) -> String {
    match r.len() {
        0 => String::new(),
        1 => r.start.to_string(),
        _ => format!("{}..{}", r.start, r.end),
    }
}

/// A limit; nothing if there is none.
fn limit(x: f64) -> String {
    if x.is_finite() { short(x) } else { String::new() }
}

/// One number a coordinate, or once what all have; nothing if there is none.
fn each(numbers: &[f64], is_none: fn(&f64) -> bool) -> String {
    match numbers {
        [] => String::new(),
        numbers if numbers.iter().all(|x| x.is_infinite() || is_none(x)) => String::new(),
        [first, others @ ..] if others.iter().all(|x| x.to_bits() == first.to_bits()) => short(*first),
        numbers => {
            numbers.iter().map(|x| if x.is_finite() { short(*x) } else { "-".to_owned() }).collect::<Vec<_>>().join(" ")
        }
    }
}

pub(super) fn joints(robot: &Robot, text: &mut String) {
    use Align::{Left, Right};
    let (model, limits) = (&robot.model, robot.model.limits());
    let mut table = Table::new([
        ("joint", Left),
        ("kind", Left),
        ("axis", Left),
        ("q", Right),
        ("v", Right),
        ("lower", Right),
        ("upper", Right),
        ("velocity", Right),
        ("effort", Right),
        ("armature", Right),
        ("damping", Right),
        ("friction", Right),
        ("stiffness", Right),
        ("spring at", Right),
        ("Stribeck", Right),
        ("asymmetry", Right),
    ]);
    for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
        let (q, v) = (body.q_range(), body.v_range());
        let constant = |of: fn(&DofDynamics) -> f64| {
            let own = |index: usize| model.joint_dynamics().iter().find(|dof| dof.index == index).map_or(0.0, of);
            each(&v.clone().map(own).collect::<Vec<_>>(), |x| *x == 0.0)
        };
        let springs: Vec<[f64; 2]> = model
            .find_body(body.name())
            .map(|id| (0..v.len()).filter_map(|k| model.spring_constants(id, k)).collect())
            .unwrap_or_default();
        let spring = |which: usize| {
            let numbers: Vec<f64> = springs.iter().filter_map(|spring| spring.get(which).copied()).collect();
            each(&numbers, |_| false)
        };
        let curve = |of: fn(&FrictionCurve) -> f64| {
            let own = |index: usize| model.friction_curves().iter().find(|curve| curve.index == index).map_or(0.0, of);
            each(&v.clone().map(own).collect::<Vec<_>>(), |x| *x == 0.0)
        };
        let number =
            |limits: &[f64], range: &Range<usize>| each(limits.get(range.clone()).unwrap_or_default(), |_| false);
        table.row([
            one_line(body.joint_name()).into(),
            kind(body).into(),
            axis(body).map(|axis| axis.map(short).join(" ")).unwrap_or_default().into(),
            range(&q).into(),
            range(&v).into(),
            number(&limits.q_lower, &q).into(),
            number(&limits.q_upper, &q).into(),
            number(&limits.velocity, &v).into(),
            number(&limits.effort, &v).into(),
            constant(|dof| dof.armature).into(),
            constant(|dof| dof.damping).into(),
            constant(|dof| dof.friction).into(),
            spring(0).into(),
            spring(1).into(),
            curve(|curve| curve.stribeck).into(),
            curve(|curve| curve.asymmetry).into(),
        ]);
    }
    table.without_empty_columns().render(2, text);
}

/// Mass, center of mass and moments of each body.
pub(super) fn inertias(robot: &Robot, text: &mut String) {
    let numbers = ["mass", "x", "y", "z", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "k"];
    let mut table = Table::new([("body", Align::Left)].into_iter().chain(numbers.map(|name| (name, Align::Right))));
    for body in robot.model.bodies() {
        let (y, r) = (body.inertia(), body.inertia().rotational);
        // By the mean of the moments: tr I = 2 Σ m |r|².
        let k = (0.5 * (r.xx + r.yy + r.zz) / y.mass).sqrt();
        let k = if y.mass > 0.0 && k.is_finite() { five(k) } else { String::new() };
        let numbers = [y.mass, y.com.x, y.com.y, y.com.z, r.xx, r.yy, r.zz, r.xy, r.xz, r.yz].map(five);
        let cells = [one_line(body.name())].into_iter().chain(numbers).chain([k]);
        table.row(cells.map(Into::into));
    }
    table.render(2, text);
}

/// What each control drives, and its limits.
pub(super) fn actuators(robot: &Robot, text: &mut String) {
    use Align::{Left, Right};
    let dofs = robot.model.dof_names();
    let mut table = Table::new([
        ("actuator", Left),
        ("drives", Left),
        ("lower", Right),
        ("upper", Right),
        ("stall torque", Right),
        ("no-load speed", Right),
    ]);
    for Actuator { name, gears, limits: (lower, upper), speed_torque } in robot.model.actuators() {
        let drive = |(dof, gear): &(usize, f64)| {
            let joint = dofs.get(*dof).map_or("", String::as_str);
            if gear.to_bits() == 1.0_f64.to_bits() { joint.to_owned() } else { format!("{} {joint}", short(*gear)) }
        };
        let drives = gears.iter().map(drive).collect::<Vec<_>>().join(" + ");
        let line = |of: fn(&SpeedTorque) -> f64| speed_torque.as_ref().map(of).map(short).unwrap_or_default();
        table.row([
            one_line(name).into(),
            one_line(&drives).into(),
            limit(*lower).into(),
            limit(*upper).into(),
            line(|line| line.stall).into(),
            line(|line| line.no_load).into(),
        ]);
    }
    table.without_empty_columns().render(2, text);
}
