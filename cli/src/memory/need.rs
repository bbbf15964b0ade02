//! How much memory an evaluation takes, before it begins.

use super::MemoryLimit;
use crate::error::Error;
use gradyn::partials::Method;
use gradyn_files::constraints::Constraints;
use gradyn_files::evaluation::Places;
use gradyn_files::quantity::{Axis, Family, Parts, Quantity};
use gradyn_files::robot::Robot;
use gradyn_files::states::State;

/// Bytes of a number in memory.
const NUMBER: u128 = 8;

/// Bytes of a number in an answer: sixteen digits, sign, point, exponent, comma.
const TEXT: u128 = 20;

/// What is evaluated: the robot, the quantities, by a method, at places, under constraints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluation<'a> {
    pub(crate) robot: &'a Robot,
    pub(crate) quantities: &'a [Quantity],
    pub(crate) method: Method,
    pub(crate) places: &'a Places,
    pub(crate) constraints: &'a Constraints,
}

impl Evaluation<'_> {
    /// Whether there is memory for it at these states. `in_memory`: whether the whole answer is kept there.
    pub(crate) fn check(self, memory: MemoryLimit, states: &[State], in_memory: bool) -> Result<(), Error> {
        let refused = |what: String, reason: String| Error::Memory { what, reason };
        let wrenches = |state: &State| state.f_ext.as_ref().map_or(0, Vec::len) as u128;
        let most = states.iter().map(wrenches).max().unwrap_or(0);
        let (own, work) = (self.numbers(most), self.work());
        let nv = self.robot.model.nv();
        let share = |quantity: &Quantity| self.held(*quantity, most) + self.work_of(*quantity);
        if let Some(quantity) = self.quantities.iter().max_by_key(|quantity| share(quantity)) {
            let what = || format!("`{quantity}` at {nv} degrees of freedom");
            memory.check(NUMBER * (own + work)).map_err(|reason| refused(what(), reason))?;
        }
        if in_memory {
            let numbers: u128 = states.iter().map(|state| self.answered(wrenches(state))).sum();
            let what = || match states.len() {
                1 => String::from("the answer, which is kept until it is complete,"),
                count => format!("the answer for {count} states, which is kept until it is complete,"),
            };
            let hint = |reason| refused(what(), format!("{reason}; with --output FILE it is not kept"));
            memory.check(NUMBER * (own + work) + TEXT * numbers).map_err(hint)?;
        }
        Ok(())
    }

    /// Numbers that are held at a time: what is asked for, with errors where the method has them.
    fn numbers(self, wrenches: u128) -> u128 {
        self.quantities.iter().map(|quantity| self.held(*quantity, wrenches)).sum()
    }

    fn held(self, quantity: Quantity, wrenches: u128) -> u128 {
        let with_errors = quantity.is_by_method() && self.method == Method::Difference;
        self.entries(quantity, wrenches) * if with_errors { 2 } else { 1 }
    }

    /// Numbers in the answer of one state, its inputs included.
    fn answered(self, wrenches: u128) -> u128 {
        let inputs = (self.robot.model.nq() + 3 * self.robot.model.nv()) as u128 + 6 * wrenches;
        inputs + self.quantities.iter().map(|quantity| self.entries(*quantity, wrenches)).sum::<u128>()
    }

    /// Numbers of a quantity at one state.
    fn entries(self, quantity: Quantity, wrenches: u128) -> u128 {
        let size = |(rows, columns): (Axis, Axis)| self.along(rows) * self.along(columns);
        let places = self.places;
        let parts = match quantity.parts() {
            Parts::Whole => 1,
            Parts::Wrenches => wrenches,
            Parts::Frames | Parts::Places => places.frames.len() as u128,
            Parts::Points => places.points.len() as u128,
            Parts::Pairs => places.pairs.len() as u128,
            Parts::Subtrees => places.subtrees.len() as u128,
            Parts::Bodies => places.bodies.len() as u128,
            Parts::Fields(fields) => return fields.iter().map(|field| size(field.axes)).sum(),
        };
        parts * size(quantity.axes())
    }

    fn along(self, axis: Axis) -> u128 {
        let (nv, bodies) = (self.robot.model.nv() as u128, self.robot.model.bodies().len() as u128);
        match axis {
            Axis::One => 1,
            Axis::Dofs => nv,
            Axis::DofPairs => nv * nv,
            Axis::Wrench | Axis::Motion | Axis::Momentum => 6,
            Axis::Space => 3,
            Axis::Rows => self.constraints.rows.len() as u128,
            Axis::Homogeneous => 4,
            Axis::Body | Axis::Shape => 10,
            Axis::Bodies => 10 * bodies,
            Axis::Masses => 4 * bodies,
            Axis::Placements => 6 * bodies,
        }
    }

    /// Numbers that the library computes with: families share what they need.
    fn work(self) -> u128 {
        let families = self.quantities.chunk_by(|a, b| a.family() == b.family());
        families.map(|family| family.iter().map(|quantity| self.work_of(*quantity)).max().unwrap_or(0)).sum()
    }

    /// The same of one quantity, as the library asks for it: so many matrices nv × nv, or tensors nv × nv × nv.
    fn work_of(self, quantity: Quantity) -> u128 {
        let nv = self.robot.model.nv() as u128;
        let (square, cube) = (nv * nv, nv * nv * nv);
        match (quantity.family(), self.method) {
            (Family::TorqueTensors, Method::Difference) => 16 * cube,
            (Family::TorqueTensors, _) => 4 * cube,
            (Family::AccelerationTensors, Method::Analytical) => 8 * cube,
            (Family::AccelerationTensors, Method::Difference) => 20 * cube,
            (Family::AccelerationTensors, _) => 10 * cube,
            (Family::Contractions, _) => match quantity {
                Quantity::DdqHessian => 15 * square,
                Quantity::TauHessian => 4 * square,
                _ => 0,
            },
            (Family::Torques | Family::Terms, _) if quantity.is_by_method() => 3 * square,
            (Family::Accelerations, _) if quantity.is_by_method() => 6 * square,
            (Family::Constrained | Family::Impulses, _) if quantity.is_by_method() => 10 * square,
            // The library's own copy of the answer.
            (Family::Torques | Family::Masses | Family::Regressors, _) if quantity.parts() == Parts::Whole => {
                self.entries(quantity, 0)
            }
            _ => 0,
        }
    }
}
