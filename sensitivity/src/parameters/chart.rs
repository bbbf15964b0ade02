//! How parameters move what gradients of the engine are by: inertias, and the chain rule to [`ParameterLayout`].

use super::Parameters;
use super::kind::{Chart, Kind};
use crate::error::SensitivityError;
use gradyn::derivatives::num_dual::Dual64;
use gradyn::model::ParameterLayout;
use gradyn::spatial::{Inertia, LogCholesky, Motion, Symmetric3, jexp3, jexp6};
use gradyn::{Model, Scalar};
use nalgebra::{DMatrix, Vector3};

/// The inertia with these values: a chart's coordinates first, then density, then a payload.
pub(crate) fn inertia<P: Scalar<f64>>(base: &Inertia<f64>, entries: &[(Kind, P)]) -> Inertia<P> {
    let mut made: Inertia<P> = base.lift();
    match entries.iter().find_map(|(kind, _)| kind.chart()) {
        Some(Chart::Standard) => {
            let r = made.rotational;
            let mut moments = [r.xx, r.xy, r.yy, r.xz, r.yz, r.zz];
            for (kind, x) in entries {
                match kind {
                    Kind::Mass(_) => made.mass = *x,
                    Kind::Com(_, k) => made.com[*k] = *x,
                    Kind::Moment(_, k) => moments[*k] = *x,
                    _ => {}
                }
            }
            let [xx, xy, yy, xz, yz, zz] = moments;
            made.rotational = Symmetric3::new(xx, xy, xz, yy, yz, zz);
        }
        Some(Chart::Linear) => {
            let mut ten = base.to_parameters().map(P::from);
            for (kind, x) in entries {
                if let Kind::Linear(_, k) = kind {
                    ten[*k] = *x;
                }
            }
            made = Inertia::from_parameters(ten);
        }
        Some(Chart::LogCholesky) => {
            // That there is one was seen when it was selected.
            if let Ok(theta) = base.log_cholesky() {
                let mut theta = theta.to_array().map(P::from);
                for (kind, x) in entries {
                    if let Kind::LogCholesky(_, k) = kind {
                        theta[*k] = *x;
                    }
                }
                made = LogCholesky::from_array(theta).inertia();
            }
        }
        None => {}
    }
    let zero = P::from(0.0);
    let mut payload = [None; 4];
    for (kind, x) in entries {
        match kind {
            Kind::Density(_) => {
                made = Inertia::new(made.mass * *x, made.com, scaled(made.rotational, *x));
            }
            Kind::Payload(_, k) => payload[*k] = Some(*x),
            _ => {}
        }
    }
    if payload.iter().any(Option::is_some) {
        let [m, x, y, z] = payload.map(|x| x.unwrap_or(zero));
        // By sums of moments about the origin, which hold for a mass of zero too.
        let point = Inertia::about_origin(
            m,
            Vector3::new(x, y, z),
            scaled(Symmetric3::minus_skew_squared(Vector3::new(x, y, z)), m),
        );
        let (a, b) = (made.to_parameters(), point.to_parameters());
        made = Inertia::from_parameters(std::array::from_fn(|k| a[k] + b[k]));
    }
    made
}

fn scaled<P: Scalar<f64>>(x: Symmetric3<P>, by: P) -> Symmetric3<P> {
    Symmetric3::new(x.xx * by, x.xy * by, x.xz * by, x.yy * by, x.yz * by, x.zz * by)
}

/// Two unit vectors that are at right angles to an axis and to each other.
pub(crate) fn tangents(axis: Vector3<f64>) -> [Vector3<f64>; 2] {
    let least = axis.iamin();
    let mut other = Vector3::zeros();
    other[least] = 1.0;
    let first = axis.cross(&other).normalize();
    [first, axis.cross(&first)]
}

/// `∂(layout)/∂p`: of each chosen parameter, what it moves and how fast.
#[derive(Clone, Debug)]
pub(crate) struct Chain(Vec<Vec<(usize, f64)>>);

impl Chain {
    /// `Jᵀ g`, added to `to`.
    pub(crate) fn add_to(&self, factor: f64, gradient: &[f64], to: &mut [f64]) {
        for (to, entries) in to.iter_mut().zip(&self.0) {
            *to += factor * entries.iter().map(|(at, x)| gradient[*at] * x).sum::<f64>();
        }
    }

    /// `W Jᵀ`, of a matrix with a column for each of the chosen: what weights of these are of the engine's parameters, as many as it needs.
    pub(crate) fn back(&self, w: &DMatrix<f64>) -> DMatrix<f64> {
        let columns = self.0.iter().flatten().map(|(at, _)| at + 1).max().unwrap_or(0);
        let mut back = DMatrix::zeros(w.nrows(), columns);
        for (k, entries) in self.0.iter().enumerate() {
            entries.iter().for_each(|(at, x)| back.column_mut(*at).axpy(*x, &w.column(k), 1.0));
        }
        back
    }

    /// `Y J`, of a matrix with a column for each of the engine's first parameters.
    pub(crate) fn times(&self, y: &DMatrix<f64>, to: &mut DMatrix<f64>) {
        for (k, entries) in self.0.iter().enumerate() {
            let mut column = to.column_mut(k);
            column.fill(0.0);
            for (at, x) in entries {
                if *x != 0.0 {
                    column.axpy(*x, &y.column(*at), 1.0);
                }
            }
        }
    }
}

impl Parameters {
    /// The chain rule at these values: derivatives along the engine's parameters, of the robot that has these values. Parameters of
    /// frames and of the start have no part in it.
    ///
    /// # Errors
    /// [`SensitivityError::Length`]
    pub(crate) fn chain(&self, values: &[f64]) -> Result<Chain, SensitivityError> {
        self.check(values.len())?;
        let robot = &self.robot;
        let layout = robot.parameter_layout();
        let all = self.each(values);
        let rows = self.chosen.iter().map(|members| {
            let mut row = Vec::new();
            for i in members {
                self.entries(robot, layout, &all, self.all[*i].kind, &mut row);
            }
            row
        });
        Ok(Chain(rows.collect()))
    }

    /// Motions of a frame, in its own coordinates, by the parameters of its placement: which of those chosen, and how fast.
    pub(crate) fn frame_columns(&self, values: &[f64], frame: usize) -> Vec<(usize, Motion<f64>)> {
        let all = self.each(values);
        let value_of = |k: usize| {
            let found = all.iter().find(|(kind, _)| *kind == Kind::FramePlacement(frame, k));
            found.map_or(0.0, |(_, x)| *x)
        };
        let xi: [f64; 6] = std::array::from_fn(value_of);
        let jacobian = jexp6(Motion::new(Vector3::new(xi[0], xi[1], xi[2]), Vector3::new(xi[3], xi[4], xi[5])));
        let mut columns = Vec::new();
        for (index, members) in self.chosen.iter().enumerate() {
            for i in members {
                if let Kind::FramePlacement(f, k) = self.all[*i].kind
                    && f == frame
                {
                    let of = |row: usize| jacobian[(row, k)];
                    let moved = Motion::new(Vector3::new(of(0), of(1), of(2)), Vector3::new(of(3), of(4), of(5)));
                    columns.push((index, moved));
                }
            }
        }
        columns
    }

    /// Each parameter that varies with its value, tied ones too.
    fn each(&self, values: &[f64]) -> Vec<(Kind, f64)> {
        let members = self.chosen.iter().zip(values).flat_map(|(members, x)| {
            let leader = self.all[members[0]].nominal;
            members.iter().map(move |i| (self.all[*i].kind, x + (self.all[*i].nominal - leader)))
        });
        members.collect()
    }

    fn entries(
        &self,
        robot: &Model,
        layout: &ParameterLayout,
        all: &[(Kind, f64)],
        kind: Kind,
        row: &mut Vec<(usize, f64)>,
    ) {
        let value_of = |kind: Kind| all.iter().find(|(other, _)| *other == kind).map_or(0.0, |(_, x)| *x);
        let joint_parameter = |body: usize, k: usize| {
            let mut of_body = layout.joint_parameters().enumerate().filter(|(_, (of, _))| *of == Some(body));
            of_body.nth(k).map(|(j, _)| j)
        };
        if let Some(body) = kind.inertia_of() {
            let of_body = all.iter().filter(|(other, _)| other.inertia_of() == Some(body));
            let entries: Vec<_> =
                of_body.map(|(other, x)| (*other, Dual64::new(*x, f64::from(u8::from(*other == kind))))).collect();
            let ten = inertia(robot.bodies()[body].inertia(), &entries).to_parameters();
            row.extend(ten.iter().enumerate().map(|(k, x)| (layout.inertial.start + 10 * body + k, x.eps)));
            return;
        }
        match kind {
            Kind::Placement(body, k) => {
                let xi: [f64; 6] = std::array::from_fn(|i| value_of(Kind::Placement(body, i)));
                let twist = Motion::new(Vector3::new(xi[0], xi[1], xi[2]), Vector3::new(xi[3], xi[4], xi[5]));
                let jacobian = jexp6(twist);
                row.extend((0..6).map(|i| (layout.placement.start + 6 * body + i, jacobian[(i, k)])));
            }
            Kind::Axis(body, number, k) => {
                let Some(place) = layout.axes().position(|at| at == (body, number)) else { return };
                let along = tangents(robot.bodies()[body].joint().axes()[number].vector());
                let turn =
                    along[0] * value_of(Kind::Axis(body, number, 0)) + along[1] * value_of(Kind::Axis(body, number, 1));
                let turned = jexp3(-turn) * along[k];
                row.extend((0..3).map(|i| (layout.axis.start + 3 * place + i, turned[i])));
            }
            Kind::Pitch(body, number) => {
                let place = layout.pitches().position(|at| at == (body, number));
                row.extend(place.map(|place| (layout.pitch.start + place, 1.0)));
            }
            Kind::Multiplier(body) | Kind::Offset(body) => {
                let range = if kind == Kind::Offset(body) { &layout.offset } else { &layout.multiplier };
                let place = layout.mimics().position(|at| at == body);
                row.extend(place.map(|place| (range.start + place, 1.0)));
            }
            Kind::Friction(body, k) => row.extend(joint_parameter(body, k).map(|j| (layout.friction.start + j, 1.0))),
            Kind::Damping(body, k) => row.extend(joint_parameter(body, k).map(|j| (layout.damping.start + j, 1.0))),
            Kind::Armature(body, k) => row.extend(joint_parameter(body, k).map(|j| (layout.armature.start + j, 1.0))),
            Kind::FrictionWidth => row.push((layout.friction_width, 1.0)),
            Kind::Gravity(k) => row.push((layout.gravity.start + k, 1.0)),
            _ => {}
        }
    }
}
