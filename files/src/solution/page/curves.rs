//! Plots over time: states, torques, what contacts and thrusters do, where masses are.

use super::measures::Measures;
use crate::page::{Line, Plot};
use crate::solution::motion::{Beside, Motion};
use crate::task::Task;
use gradyn_trajectory::step::Actuation;
use nalgebra::Vector3;

/// Up to so many degrees of freedom, all plots are open from the beginning.
const OPEN: usize = 8;

type Points = Vec<(f64, f64)>;

/// Two motions, of which there may be only the first, and their measures.
pub(super) struct Curves<'a> {
    pub(super) task: &'a Task,
    pub(super) motion: &'a Motion,
    pub(super) measures: &'a Measures,
    pub(super) beside: Option<(&'a Beside, &'a Measures)>,
}

/// What a number is at each node, interrupted where there is none.
fn along(motion: &Motion, of: impl Fn(usize) -> Option<f64>) -> Points {
    let mut points = Points::new();
    for (k, t) in motion.time.iter().enumerate() {
        add(&mut points, *t, of(k).map(|x| vec![(*t, x)]));
    }
    points
}

/// What is held over its step, interrupted where there is nothing.
fn stairs(motion: &Motion, of: impl Fn(usize) -> Option<f64>) -> Points {
    let mut points = Points::new();
    for (k, t) in motion.time.windows(2).enumerate().filter(|(_, t)| t[1] > t[0]) {
        add(&mut points, t[0], of(k).map(|x| vec![(t[0], x), (t[1], x)]));
    }
    points
}

/// Points, or the end of a part of the line.
fn add(points: &mut Points, time: f64, more: Option<Points>) {
    match more {
        Some(more) => points.extend(more),
        None if points.last().is_some_and(|(_, y)| y.is_finite()) => points.push((time, f64::NAN)),
        None => {}
    }
}

impl Curves<'_> {
    /// All sections.
    pub(super) fn write(&self, html: &mut String) {
        self.contacts(html);
        self.masses(html);
        self.distances(html);
        self.states(html);
        self.torques(html);
    }

    /// A title, a note, and figures, if there are any. `small`: those of joints, which are many.
    fn section(&self, html: &mut String, (title, note): (&str, &str), small: bool, figures: &[String]) {
        if figures.is_empty() {
            return;
        }
        let open = if !small || self.task.start.model.nv() <= OPEN { " open=\"open\"" } else { "" };
        let class = if small { "figures small" } else { "figures three" };
        html.push_str(&format!(
            "<section>\n<details{open}>\n<summary><h2>{title}</h2></summary>\n<p class=\"note\">{note}</p>\n\
             <div class=\"{class}\">\n{}</div>\n</details>\n</section>\n",
            figures.concat()
        ));
    }

    /// A number of both motions, with its limits if it comes near them: else they would leave it no room.
    fn curve(&self, name: String, limits: [f64; 2], points: impl Fn(&Motion) -> Points) -> String {
        self.pair(name, limits, points(self.motion), self.beside.map(|(of, _)| points(&of.motion)))
    }

    fn pair(&self, name: String, limits: [f64; 2], points: Points, beside: Option<Points>) -> String {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for (_, y) in &points {
            least = least.min(*y);
            most = most.max(*y);
        }
        let (from, to) = (points.first().map_or(0.0, |p| p.0), points.last().map_or(1.0, |p| p.0));
        // Near: not farther than the curve is high.
        let near = |limit: &f64| limit.is_finite() && least - limit <= most - least && limit - most <= most - least;
        let class = if least < limits[0] || most > limits[1] { "wrong" } else { "claimed" };
        let mut lines = vec![Line { class, points }];
        let guides = limits.into_iter().filter(near);
        lines.extend(guides.map(|x| Line { class: "guide", points: vec![(from, x), (to, x)] }));
        let mut names = vec![(class, name.clone())];
        if let (Some(points), Some((of, _))) = (beside.filter(|points| !points.is_empty()), self.beside) {
            lines.push(Line { class: "beside", points });
            names = vec![(class, "found".into()), ("beside", of.name.clone())];
        }
        Plot { x: "s".into(), y: name, lines, names, clock: true, ..Plot::default() }.figure("")
    }

    fn states(&self, html: &mut String) {
        let model = &self.task.start.model;
        let limits = model.limits();
        let mut figures = Vec::new();
        for joint in model.bodies().iter().filter(|body| body.owns_coordinates()) {
            let parts: &[&str] =
                if joint.q_range().len() == 7 { &["x", "y", "z", "qx", "qy", "qz", "qw"] } else { &[] };
            for (i, k) in joint.q_range().enumerate() {
                let suffix = match (parts.get(i), joint.q_range().len()) {
                    (Some(part), _) => format!(".{part}"),
                    (None, 1) => String::new(),
                    (None, _) => format!("[{i}]"),
                };
                let (name, limits) =
                    (format!("{}{suffix}", joint.joint_name()), [limits.q_lower[k], limits.q_upper[k]]);
                figures.push(self.curve(name, limits, |motion| along(motion, |node| Some(motion.q[node][k]))));
            }
        }
        let note = "m, rad, and quaternions; limits of the robot's file dotted where the motion comes near.";
        self.section(html, ("Positions q", note), true, &figures);
        let velocity = |(k, name): (usize, &String)| {
            let limits = [-limits.velocity[k], limits.velocity[k]];
            self.curve(name.clone(), limits, |motion| along(motion, |node| Some(motion.v[node][k])))
        };
        let figures: Vec<_> = model.dof_names().iter().enumerate().map(velocity).collect();
        self.section(html, ("Velocities v", "m/s and rad/s."), true, &figures);
    }

    fn torques(&self, html: &mut String) {
        let (model, actuated) = (&self.task.start.model, &self.task.start.actuated);
        let limits = model.limits();
        let torque = |(k, name): (usize, &String)| {
            let moved = self.motion.tau.iter().any(|tau| tau[k] != 0.0);
            let points = |motion: &Motion| stairs(motion, |node| Some(motion.tau.get(node)?[k]));
            moved.then(|| self.curve(name.clone(), [-limits.effort[k], limits.effort[k]], points))
        };
        let figures: Vec<_> = model.dof_names().iter().enumerate().filter_map(torque).collect();
        self.section(html, ("Torques τ", "N and N m; those that are always zero are left out."), true, &figures);
        if matches!(actuated.actuation, Actuation::Matrix(_)) {
            let control = |(k, name): (usize, &String)| {
                let none = [f64::NEG_INFINITY, f64::INFINITY];
                let limits = actuated.bounds.as_ref().map_or(none, |(lower, upper)| [lower[k], upper[k]]);
                let points =
                    |motion: &Motion| stairs(motion, |node| Some(motion.u.get(node)?.get(k).copied().unwrap_or(0.0)));
                self.curve(name.clone(), limits, points)
            };
            let figures: Vec<_> = actuated.names.iter().enumerate().map(control).collect();
            self.section(html, ("Controls u", "In their own units; those of thrusters in N."), true, &figures);
        }
    }

    /// Forces of contacts, one figure each.
    fn contacts(&self, html: &mut String) {
        let here = |name: &str, k: usize| {
            let all = self.measures.contacts.get(k)?;
            all.iter().find(|(known, _)| known == name).map(|(_, wrench)| *wrench)
        };
        let axes = |letter: char| ["x", "y", "z"].map(|axis| format!("{letter}{axis}"));
        let mut figures = Vec::new();
        for (name, rows) in &self.motion.contacts {
            let lines = |of: &dyn Fn(usize) -> Option<Vector3<f64>>| -> [Points; 3] {
                [0, 1, 2].map(|i| stairs(self.motion, |k| Some(of(k)?[i])))
            };
            let forces = lines(&|k| Some(here(name, k)?.force));
            if forces[0].is_empty() {
                continue;
            }
            figures.push(three(format!("{name}, N"), forces, axes('f')));
            if *rows == 6 {
                figures.push(three(format!("{name}, N m"), lines(&|k| Some(here(name, k)?.moment)), axes('n')));
            }
        }
        let note = "What the ground does to the robot, in axes of the world; impulses are left out.";
        self.section(html, ("Contact forces", note), false, &figures);
    }

    /// Centers of mass and of pressure.
    fn masses(&self, html: &mut String) {
        if self.measures.com.is_empty() {
            return;
        }
        let figure = |(i, axis): (usize, &str)| {
            let mass = |motion, of: &Measures| along(motion, |k| Some(of.com.get(k)?[i]));
            let mut lines = vec![Line { class: "s2", points: mass(self.motion, self.measures) }];
            let mut names = vec![("s2", String::from("center of mass"))];
            let pressure = stairs(self.motion, |k| Some(self.measures.pressure.get(k)?.as_ref()?[i]));
            if i < 2 && !pressure.is_empty() {
                lines.push(Line { class: "s0", points: pressure });
                names.push(("s0", String::from("center of pressure")));
            }
            if let Some((of, measures)) = self.beside {
                lines.push(Line { class: "beside", points: mass(&of.motion, measures) });
                names.push(("beside", format!("center of mass, {}", of.name)));
            }
            let y = format!("{axis}, m");
            Plot { x: "s".into(), y, lines, names, clock: true, ..Plot::default() }.figure("")
        };
        let figures: Vec<_> = ["x", "y", "z"].into_iter().enumerate().map(figure).collect();
        let pushed = self.measures.pressure.iter().any(Option::is_some);
        let title = if pushed { "Center of mass and center of pressure" } else { "Center of mass" };
        let note =
            if pushed { "The center of pressure is that of all contacts together, on level ground." } else { "" };
        self.section(html, (title, note), false, &figures);
    }

    fn distances(&self, html: &mut String) {
        let figure = |(i, of): (usize, &super::measures::Apart)| {
            let of_motion = |motion, of: &Measures| along(motion, |k| of.distances.get(i)?.distance.get(k).copied());
            let beside = self.beside.map(|(beside, measures)| of_motion(&beside.motion, measures));
            self.pair(format!("{}, m", of.name), of.allowed, of_motion(self.motion, self.measures), beside)
        };
        let figures: Vec<_> = self.measures.distances.iter().enumerate().map(figure).collect();
        self.section(html, ("Distances", "Between capsules; what is allowed dotted."), false, &figures);
    }
}

/// The three parts of a vector.
fn three(y: String, points: [Points; 3], names: [String; 3]) -> String {
    let classes = ["s0", "s1", "s2"];
    let lines = classes.into_iter().zip(points).map(|(class, points)| Line { class, points }).collect();
    let names = classes.into_iter().zip(names).collect();
    Plot { x: "s".into(), y, lines, names, clock: true, ..Plot::default() }.figure("")
}
