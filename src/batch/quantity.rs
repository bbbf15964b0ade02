//! What a batch computes: an algorithm, with its arguments and results; here those of all states in lanes.

use super::memory::{BatchMemory, Single};
use crate::dynamics::by_plan::Kernels;
use crate::dynamics::rnea::Sweep;
use crate::dynamics::rnea_derivatives::{analytical, rnea_derivatives};
use crate::dynamics::rnea_gradient::{gradient, rnea_gradient};
use crate::dynamics::{aba, by_plan, crba, rnea};
use crate::formulas::force_field::ForceField;
use crate::formulas::joint_dynamics::JointDynamics;
use crate::kernels::by_copy::states::StatesMemory;
use crate::kernels::by_joint::derivatives::Reuse;
use crate::kernels::macros::piece;
use crate::kernels::results;
use crate::model::{InputError, Model};
use crate::plan::Quantity as Planned;
use gradyn_derivatives::{Lanes, Level, Register};

/// Results of the states in lanes: as many slices as there are outputs, the others empty.
pub(super) type Results<'m, R> = Result<[&'m [Lanes<R>]; 4], InputError>;

/// How many results a quantity has at most.
pub(super) const OUTPUTS: usize = 8;

/// Entries of each output, for one state.
pub(super) type Sizes = [usize; OUTPUTS];

/// Arguments of one state, and where its results go.
pub(super) type Input<'a> = [&'a [f64]; 4];
pub(super) type Output<'a> = [&'a mut [f64]; OUTPUTS];

/// Sizes of a quantity that has fewer outputs.
pub(super) fn sizes<const N: usize>(of: [usize; N]) -> Sizes {
    std::array::from_fn(|k| of.get(k).copied().unwrap_or(0))
}

/// Copies results of one state to their places.
pub(super) fn store<'a>(from: impl IntoIterator<Item = &'a [f64]>, to: impl IntoIterator<Item = &'a mut [f64]>) {
    for (to, from) in to.into_iter().zip(from) {
        to.copy_from_slice(from);
    }
}

/// What is computed of each state.
pub(super) trait Quantity: Sync {
    /// Entries of each output, for one state.
    fn sizes(&self, model: &Model) -> Sizes;
    /// About what one state takes, to see whether threads are worth waking: within a factor of three on a processor of today.
    #[cfg_attr(not(feature = "rayon"), expect(dead_code, reason = "there is one thread"))]
    fn nanoseconds(&self, model: &Model) -> usize;
    /// Whether it is faster to evaluate one state after the other, with eight joints in a register, by
    /// [`alone`](Self::alone).
    fn is_faster_alone(&self, _model: &Model, _level: Level) -> bool {
        false
    }
    /// Evaluates one state. Returns whether the state and its results are finite.
    fn alone(&self, model: &Model, single: &mut Single, input: Input<'_>, output: Output<'_>) -> bool;
}

/// A quantity that has an algorithm over lanes.
pub(super) trait InLanes: Quantity {
    /// Whether it is faster with fewer states at once, where a register is two of the processor's
    /// ([`Register::HALVES`]). Half the states need half the room, between instructions and in the cache, but a long
    /// chain of sums makes the processor wait.
    const IN_HALVES: bool;
    /// Whether results of nv × nv entries are matrices with the zeros of the mass matrix.
    const OF_MASS: bool = true;
    /// Evaluates the states of the memory, which are finite.
    fn run<'m, R: Register>(&self, model: &'m Model, memory: &'m mut BatchMemory<R>) -> Results<'m, R>;
}

pub(super) struct Rnea;

impl Quantity for Rnea {
    fn sizes(&self, model: &Model) -> Sizes {
        sizes([model.nv])
    }
    fn nanoseconds(&self, model: &Model) -> usize {
        10 * model.nv
    }
    fn alone(&self, model: &Model, single: &mut Single, [q, v, a, _]: Input<'_>, [to, ..]: Output<'_>) -> bool {
        rnea(model, single.workspace(model), q, v, a, &[]).map(|tau| to.copy_from_slice(tau)).is_ok()
    }
}

impl InLanes for Rnea {
    const IN_HALVES: bool = false;
    #[inline(always)]
    fn run<'m, R: Register>(&self, model: &'m Model, memory: &'m mut BatchMemory<R>) -> Results<'m, R> {
        let BatchMemory { ws, of_states, input: [q, v, a, _], .. } = memory;
        if let Some(layout) = by_plan::states_layout(model, Planned::BatchInverseDynamics, R::LEVEL) {
            let of_states = StatesMemory::of(of_states, layout);
            let tau = of_states.rnea(ForceField::of(model), JointDynamics::of(model), layout, (q, v, a));
            return Ok([tau, &[], &[], &[]]);
        }
        R::call(Sweep { model, ws: &mut *ws, q, v, a, wrenches: &[] });
        Ok([&ws.tau, &[], &[], &[]])
    }
}

pub(super) struct RneaDerivatives;

impl Quantity for RneaDerivatives {
    fn sizes(&self, model: &Model) -> Sizes {
        let nv = model.nv;
        sizes([nv, nv * nv, nv * nv, nv * nv])
    }
    fn nanoseconds(&self, model: &Model) -> usize {
        35 * model.nv + model.nv * model.nv
    }
    fn is_faster_alone(&self, model: &Model, level: Level) -> bool {
        by_plan::is_alone(model, Planned::BatchInverseDynamicsDerivatives, level)
    }
    fn alone(&self, model: &Model, single: &mut Single, [q, v, a, _]: Input<'_>, output: Output<'_>) -> bool {
        let ws = single.workspace(model);
        let [tau, dtau_dq, dtau_dv, dtau_da, ..] = output;
        let is_finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
        let mut results = results::Results { tau, dtau_dq, dtau_dv, dtau_da };
        let quick = |kernels: Kernels<'_>| {
            kernels.rnea_derivatives(ForceField::of(model), (q, v, a), &[], &mut results, &mut [], Reuse::Nothing)
        };
        let Some(surely) = by_plan::of(model, ws).and_then(quick) else {
            let results::Results { tau, dtau_dq, dtau_dv, dtau_da } = results;
            let by = rnea_derivatives(model, ws, q, v, a, &[]);
            return by
                .map(|by| store([by.tau, by.dtau_dq, by.dtau_dv, by.dtau_da], [tau, dtau_dq, dtau_dv, dtau_da]))
                .is_ok();
        };
        let results::Results { tau, dtau_dq, dtau_dv, dtau_da } = results;
        let of_state = model.check_q(q).is_ok() && is_finite(q) && is_finite(v) && is_finite(a);
        of_state && (surely || [dtau_dq, dtau_dv, dtau_da].into_iter().all(|x| is_finite(x))) && is_finite(tau)
    }
}

impl InLanes for RneaDerivatives {
    const IN_HALVES: bool = true;
    #[inline(always)]
    fn run<'m, R: Register>(&self, model: &'m Model, memory: &'m mut BatchMemory<R>) -> Results<'m, R> {
        let BatchMemory { ws, of_states, input: [q, v, a, _], .. } = memory;
        if let Some(layout) = by_plan::states_layout(model, Planned::BatchInverseDynamicsDerivatives, R::LEVEL) {
            let of_states = StatesMemory::of(of_states, layout);
            let by = of_states.derivatives(ForceField::of(model), JointDynamics::of(model), layout, (q, v, a));
            return Ok([&by.tau, &by.dtau_dq, &by.dtau_dv, &by.dtau_da]);
        }
        let by = analytical(model, ws, q, v, a, &[]);
        Ok([by.tau, by.dtau_dq, by.dtau_dv, by.dtau_da])
    }
}

pub(super) struct Gradient;

impl Quantity for Gradient {
    fn sizes(&self, model: &Model) -> Sizes {
        sizes([1, model.nv, model.nv, model.nv])
    }
    fn nanoseconds(&self, model: &Model) -> usize {
        40 * model.nv
    }
    fn alone(&self, model: &Model, single: &mut Single, [q, v, a, lambda]: Input<'_>, output: Output<'_>) -> bool {
        let by = rnea_gradient(model, single.workspace(model), q, v, a, lambda, &[]);
        by.map(|by| store([&[by.value], by.dq, by.dv, by.da], output)).is_ok()
    }
}

impl InLanes for Gradient {
    const IN_HALVES: bool = true;
    #[inline(always)]
    fn run<'m, R: Register>(&self, model: &'m Model, memory: &'m mut BatchMemory<R>) -> Results<'m, R> {
        let BatchMemory { ws, input: [q, v, a, lambda], value, .. } = memory;
        let by = gradient(model, ws, (q, v, a), lambda, &[]);
        *value = by.value;
        Ok([std::slice::from_ref(value), by.dq, by.dv, by.da])
    }
}

pub(super) struct Crba;

impl Quantity for Crba {
    fn sizes(&self, model: &Model) -> Sizes {
        sizes([model.nv * model.nv])
    }
    fn nanoseconds(&self, model: &Model) -> usize {
        10 * model.nv + model.nv * model.nv / 3
    }
    fn is_faster_alone(&self, model: &Model, level: Level) -> bool {
        by_plan::is_alone(model, Planned::BatchMassMatrix, level)
    }
    fn alone(&self, model: &Model, single: &mut Single, [q, ..]: Input<'_>, [to, ..]: Output<'_>) -> bool {
        crba(model, single.workspace(model), q).map(|matrix| to.copy_from_slice(matrix.as_slice())).is_ok()
    }
}

impl InLanes for Crba {
    const IN_HALVES: bool = true;
    #[inline(always)]
    fn run<'m, R: Register>(&self, model: &'m Model, memory: &'m mut BatchMemory<R>) -> Results<'m, R> {
        run_crba::<R>(model, memory)
    }
}

piece!(
    fn run_crba<'m, R: Register>(model: &'m Model, memory: &'m mut BatchMemory<R>) -> Results<'m, R> {
        let BatchMemory { ws, of_states, input: [q, ..], .. } = memory;
        if let Some(layout) = by_plan::states_layout(model, Planned::BatchMassMatrix, R::LEVEL) {
            let of_states = StatesMemory::of(of_states, layout);
            return Ok([of_states.mass_matrix(JointDynamics::of(model), layout, q), &[], &[], &[]]);
        }
        Ok([crba(model, ws, q)?.as_slice(), &[], &[], &[]])
    }
);

pub(super) struct Aba;

impl Quantity for Aba {
    fn sizes(&self, model: &Model) -> Sizes {
        sizes([model.nv])
    }
    fn nanoseconds(&self, model: &Model) -> usize {
        35 * model.nv
    }
    fn alone(&self, model: &Model, single: &mut Single, [q, v, tau, _]: Input<'_>, [to, ..]: Output<'_>) -> bool {
        aba(model, single.workspace(model), q, v, tau, &[]).map(|ddq| to.copy_from_slice(ddq)).is_ok()
    }
}

impl InLanes for Aba {
    const IN_HALVES: bool = false;
    #[inline(always)]
    fn run<'m, R: Register>(&self, model: &'m Model, memory: &'m mut BatchMemory<R>) -> Results<'m, R> {
        run_aba::<R>(model, memory)
    }
}

piece!(
    fn run_aba<'m, R: Register>(model: &'m Model, memory: &'m mut BatchMemory<R>) -> Results<'m, R> {
        let BatchMemory { ws, input: [q, v, tau, _], .. } = memory;
        Ok([aba(model, ws, q, v, tau, &[])?, &[], &[], &[]])
    }
);
