//! Inertias from parameters, and the chain rule to the engine's [`ParameterLayout`].

use super::Kind;
use super::Parameters;
use super::values::{Moved, Values, tangents};
use crate::dual_direction::Along;
use crate::error::SensitivityError;
use gradyn::Scalar;
use gradyn::model::{BodyId, ParameterId, inertia_with};
use gradyn::spatial::{Inertia, Motion, jexp3, jexp6};
use nalgebra::{DMatrix, Vector3};
use std::ops::Range;

/// The inertia with these values of one body.
pub(super) fn inertia<P: Scalar<f64>>(
    base: &Inertia<f64>,
    entries: impl Iterator<Item = (ParameterId, P)> + Clone,
) -> Inertia<P> {
    // There are no point masses of frames among parameters here.
    inertia_with(base, entries, |_| Vector3::zeros())
}

/// `∂(layout)/∂p`: for each selected parameter, the entries that it moves and their rates.
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
    /// `W Jᵀ`, for a matrix with one column per selected parameter: the corresponding weights of the engine's
    /// parameters.
    pub(crate) fn back(&self, w: &DMatrix<f64>) -> DMatrix<f64> {
        let columns = self.0.iter().flatten().map(|(at, _)| at + 1).max().unwrap_or(0);
        let mut back = DMatrix::zeros(w.nrows(), columns);
        for (k, entries) in self.0.iter().enumerate() {
            entries.iter().for_each(|(at, x)| back.column_mut(*at).axpy(*x, &w.column(k), 1.0));
        }
        back
    }

    /// `Y J`, for a matrix with one column for each of the engine's first parameters.
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
    /// The chain rule at these values: derivatives along the engine's parameters, for the robot with these values.
    /// Parameters of frames and of the start are not included.
    ///
    /// # Errors
    /// [`SensitivityError::Length`]
    pub(crate) fn chain<P: Along>(&self, values: &[P]) -> Result<Chain<P>, SensitivityError> {
        self.check(values.len())?;
        let values = Values(values);
        let rows = self.chosen.iter().map(|members| {
            let mut row = Vec::new();
            for i in members {
                if let Some(id) = self.all[*i].kind.robot() {
                    self.entries(&values, id, &mut row);
                }
            }
            row
        });
        Ok(Chain(rows.collect()))
    }

    /// Motions of a frame, in its own coordinates, by the parameters of its placement: the selected ones, and their
    /// rates.
    pub(crate) fn frame_columns(&self, values: &[f64], frame: usize) -> Vec<(usize, Motion<f64>)> {
        let Some(xi) = self.grouped().frame.get(&frame) else { return Vec::new() };
        let jacobian = jexp6(Values(values).twist(xi));
        let mut columns = Vec::new();
        for (index, members) in self.chosen.iter().enumerate() {
            for i in members {
                if let Kind::Robot(ParameterId::FramePlacement(f, k)) = self.all[*i].kind
                    && f.index() == frame
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
    fn entries<P: Along>(&self, values: &Values<'_, P>, id: ParameterId, row: &mut Vec<(usize, P)>) {
        let (robot, groups, one) = (&self.robot, self.grouped(), P::from(1.0));
        let layout = robot.parameter_layout();
        let of_joint =
            |body: BodyId, k: usize, range: &Range<usize>| layout.of_joint(body).nth(k).map(|j| (range.start + j, one));
        if let Some(body) = id.inertia_of().map(|body| body.index()) {
            let Some(entries) = groups.inertia.get(&body) else { return };
            let first = layout.inertial.start + 10 * body;
            if let ParameterId::Linear(_, k) = id {
                // Not by way of the center of mass, which a body without mass has none of.
                let density = entries.iter().find(|(other, _)| matches!(other, ParameterId::Density(_)));
                row.push((first + k, density.map_or(one, |(_, x)| values.of(*x))));
                return;
            }
            let seed =
                |(other, x): &(ParameterId, Moved)| (*other, values.of(*x).along(f64::from(u8::from(*other == id))));
            let ten = inertia(robot.bodies()[body].inertia(), entries.iter().map(seed)).to_parameters();
            row.extend(ten.iter().enumerate().map(|(k, x)| (first + k, P::rate(*x))));
            return;
        }
        match id {
            ParameterId::Placement(body, k) => {
                let Some(xi) = groups.placement.get(&body.index()) else { return };
                let (jacobian, first) = (jexp6(values.twist(xi)), layout.placement.start + 6 * body.index());
                row.extend((0..6).map(|i| (first + i, jacobian[(i, k)])));
            }
            ParameterId::Axis(body, number, k) => {
                let at = (body.index(), number);
                let place = layout.axes().position(|other| other == at);
                let (Some(place), Some(turned)) = (place, groups.axis.get(&at)) else { return };
                let axis = robot.bodies()[body.index()].joint().axes()[number].vector();
                let (back, along) = (-values.turn(axis, turned), tangents(axis)[k]);
                let jacobian = jexp3(back);
                let by =
                    |i: usize| jacobian[(i, 0)] * along.x + jacobian[(i, 1)] * along.y + jacobian[(i, 2)] * along.z;
                row.extend((0..3).map(|i| (layout.axis.start + 3 * place + i, by(i))));
            }
            ParameterId::Pitch(body, number) => {
                let place = layout.pitches().position(|at| at == (body.index(), number));
                row.extend(place.map(|place| (layout.pitch.start + place, one)));
            }
            ParameterId::Ratio(body) | ParameterId::Offset(body) => {
                let range = if id == ParameterId::Offset(body) { &layout.offset } else { &layout.multiplier };
                let place = layout.mimics().position(|at| at == body.index());
                row.extend(place.map(|place| (range.start + place, one)));
            }
            ParameterId::Friction(body, k) => row.extend(of_joint(body, k, &layout.friction)),
            ParameterId::Damping(body, k) => row.extend(of_joint(body, k, &layout.damping)),
            ParameterId::Armature(body, k) => row.extend(of_joint(body, k, &layout.armature)),
            ParameterId::RotorInertia(body, k) => {
                let factor = P::from(self.squared_ratio(body, k));
                row.extend(of_joint(body, k, &layout.armature).map(|(at, _)| (at, factor)));
            }
            ParameterId::Stiffness(body, k) => {
                row.extend(layout.of_spring(body, k).map(|j| (layout.stiffness.start + j, one)));
            }
            ParameterId::SpringReference(body, k) => {
                row.extend(layout.of_spring(body, k).map(|j| (layout.spring_reference.start + j, one)));
            }
            ParameterId::Stribeck(body, k) => {
                row.extend(layout.of_curve(body, k).map(|j| (layout.stribeck.start + j, one)));
            }
            ParameterId::StribeckVelocity(body, k) => {
                row.extend(layout.of_curve(body, k).map(|j| (layout.stribeck_velocity.start + j, one)));
            }
            ParameterId::FrictionAsymmetry(body, k) => {
                row.extend(layout.of_curve(body, k).map(|j| (layout.friction_asymmetry.start + j, one)));
            }
            ParameterId::FrictionWidth => row.push((layout.friction_width, one)),
            ParameterId::Gravity(k) => row.push((layout.gravity.start + k, one)),
            _ => {}
        }
    }
}
