//! How parameters move what gradients of the engine are by: inertias, and the chain rule to [`ParameterLayout`].

use super::Parameters;
use super::kind::{Chart, Kind};
use super::values::{Moved, Values, tangents};
use crate::along::Along;
use crate::error::SensitivityError;
use gradyn::Scalar;
use gradyn::spatial::{Inertia, LogCholesky, Motion, Symmetric3, jexp3, jexp6};
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

/// `∂(layout)/∂p`: of each chosen parameter, what it moves and how fast.
#[derive(Clone, Debug)]
pub(crate) struct Chain<P = f64>(Vec<Vec<(usize, P)>>);

impl<P: Along> Chain<P> {
    /// `Jᵀ g`, added to `to`.
    pub(crate) fn add_to(&self, gradient: &[P], to: &mut [P]) {
        for (to, entries) in to.iter_mut().zip(&self.0) {
            entries.iter().for_each(|(at, x)| *to += gradient[*at] * *x);
        }
    }
}

impl Chain {
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
    pub(crate) fn chain<P: Along>(&self, values: &[P]) -> Result<Chain<P>, SensitivityError> {
        self.check(values.len())?;
        let values = Values(values);
        let rows = self.chosen.iter().map(|members| {
            let mut row = Vec::new();
            for i in members {
                self.entries(&values, self.all[*i].kind, &mut row);
            }
            row
        });
        Ok(Chain(rows.collect()))
    }

    /// Motions of a frame, in its own coordinates, by the parameters of its placement: which of those chosen, and how fast.
    pub(crate) fn frame_columns(&self, values: &[f64], frame: usize) -> Vec<(usize, Motion<f64>)> {
        let Some(xi) = self.grouped().frame.get(&frame) else { return Vec::new() };
        let jacobian = jexp6(Values(values).twist(xi));
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

    /// Where a parameter moves the engine's, and how fast.
    fn entries<P: Along>(&self, values: &Values<'_, P>, kind: Kind, row: &mut Vec<(usize, P)>) {
        let (robot, groups, one) = (&self.robot, self.grouped(), P::from(1.0));
        let layout = robot.parameter_layout();
        let joint_parameter = |body: usize, k: usize| {
            let mut of_body = layout.joint_parameters().enumerate().filter(|(_, (of, _))| *of == Some(body));
            of_body.nth(k).map(|(j, _)| j)
        };
        if let Some(body) = kind.inertia_of() {
            let Some(entries) = groups.inertia.get(&body) else { return };
            let first = layout.inertial.start + 10 * body;
            if let Kind::Linear(_, k) = kind {
                // Not by way of the mass centre, which a body without mass has none of.
                let density = entries.iter().find(|(other, _)| matches!(other, Kind::Density(_)));
                row.push((first + k, density.map_or(one, |(_, x)| values.of(*x))));
                return;
            }
            let seed = |(other, x): &(Kind, Moved)| (*other, values.of(*x).along(f64::from(u8::from(*other == kind))));
            let entries: Vec<_> = entries.iter().map(seed).collect();
            let ten = inertia(robot.bodies()[body].inertia(), &entries).to_parameters();
            row.extend(ten.iter().enumerate().map(|(k, x)| (first + k, P::rate(*x))));
            return;
        }
        match kind {
            Kind::Placement(body, k) => {
                let Some(xi) = groups.placement.get(&body) else { return };
                let jacobian = jexp6(values.twist(xi));
                row.extend((0..6).map(|i| (layout.placement.start + 6 * body + i, jacobian[(i, k)])));
            }
            Kind::Axis(body, number, k) => {
                let place = layout.axes().position(|at| at == (body, number));
                let (Some(place), Some(turned)) = (place, groups.axis.get(&(body, number))) else { return };
                let axis = robot.bodies()[body].joint().axes()[number].vector();
                let (back, along) = (-values.turn(axis, turned), tangents(axis)[k]);
                let jacobian = jexp3(back);
                let by =
                    |i: usize| jacobian[(i, 0)] * along.x + jacobian[(i, 1)] * along.y + jacobian[(i, 2)] * along.z;
                row.extend((0..3).map(|i| (layout.axis.start + 3 * place + i, by(i))));
            }
            Kind::Pitch(body, number) => {
                let place = layout.pitches().position(|at| at == (body, number));
                row.extend(place.map(|place| (layout.pitch.start + place, one)));
            }
            Kind::Multiplier(body) | Kind::Offset(body) => {
                let range = if kind == Kind::Offset(body) { &layout.offset } else { &layout.multiplier };
                let place = layout.mimics().position(|at| at == body);
                row.extend(place.map(|place| (range.start + place, one)));
            }
            Kind::Friction(body, k) => row.extend(joint_parameter(body, k).map(|j| (layout.friction.start + j, one))),
            Kind::Damping(body, k) => row.extend(joint_parameter(body, k).map(|j| (layout.damping.start + j, one))),
            Kind::Armature(body, k) => row.extend(joint_parameter(body, k).map(|j| (layout.armature.start + j, one))),
            Kind::FrictionWidth => row.push((layout.friction_width, one)),
            Kind::Gravity(k) => row.push((layout.gravity.start + k, one)),
            _ => {}
        }
    }
}
