//! The rules, with what was measured for them.

use super::{Form, Only, Quantity};
use crate::joint::Joint;
use crate::model::Model;

/// Larger trees go body by body: pairs of columns and rows would take more memory than their bodies.
pub(crate) const MOST_COLUMNS: usize = 4096;

/// Up to this many products of blocks a degree of freedom, factors of the mass matrix take less time than the articulated-body
/// algorithm: measured on chains of 7 to 300 joints and binary trees.
const PRODUCTS: usize = 4;

/// Matrices of more degrees of freedom take less time one state after the other than eight states at a time, where there is a form of
/// their own for these: those of eight large robots do not fit into the caches next to the processor.
const MOST_FOR_STATES: usize = 56;

/// The same where states in lanes go by the book. Derivatives, alone and together: 0.46 and 0.33 µs with 4 degrees of freedom, 0.40 and
/// 0.51 with 7, 1.2 and 1.8 with 18.
const MOST_FOR_BOOK: usize = 12;

/// Are factors of the mass matrix, which take so many products of blocks, a faster way to accelerations than articulated bodies?
pub(crate) fn factors_pay(products: usize, nv: usize) -> bool {
    products <= PRODUCTS * nv
}

/// What bodies of equal depth side by side take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyWalk {
    /// Registers of up to four bodies.
    pub(crate) ranks: usize,
    /// Steps along all their paths to the root, or to a floating base.
    pub(crate) steps: usize,
    pub(crate) hinges: usize,
    /// Do limbs, which are chains, hang from a base?
    pub(crate) limbs: bool,
}

impl BodyWalk {
    /// Are paths to the root so short that the mass matrix, which takes a step along them for each rank, is faster this way, where
    /// registers hold eight numbers or four? A humanoid without hands (Talos) has up to two steps a joint: with registers of four it
    /// gains a tenth, with those of eight it would lose a third, where robots of 1.25 gain a tenth. One with hands (G1) has 2.3, and
    /// takes the same time with registers of four.
    pub(crate) fn mass_matrix_pays(self, by_eight: bool) -> bool {
        if by_eight { 4 * self.steps <= 5 * self.hinges } else { self.steps <= 2 * self.hinges }
    }

    /// Are derivatives of inverse dynamics faster this way, with five products a step? Measured on bases of two to eight limbs of three
    /// to eight joints and on binary trees: with registers of four, robots of 1.25 steps a joint gain a tenth, a tree of 127 bodies with
    /// a little more loses a quarter. Where the forms for eight joints have registers of eight it takes short limbs, four of which fill
    /// most ranks.
    pub(crate) fn derivatives_pay(self, by_eight: bool) -> bool {
        if by_eight { self.fill_short_ranks() } else { 4 * self.steps <= 5 * self.hinges }
    }

    /// Is the inverse of the mass matrix, by blocks of limbs?
    pub(crate) fn inverse_pays(self, by_eight: bool) -> bool {
        self.limbs && (!by_eight || self.fill_short_ranks())
    }

    /// Are derivatives of forward dynamics? With registers of eight they never are: quadrupeds take the same time, others a fifth
    /// more. With registers of four six limbs of three, a third of whose ranks is empty, take a tenth more.
    pub(crate) fn forward_derivatives_pay(self, by_eight: bool) -> bool {
        self.limbs && !by_eight && self.fill_ranks()
    }

    fn fill_short_ranks(self) -> bool {
        2 * self.steps <= self.hinges && self.fill_ranks()
    }

    fn fill_ranks(self) -> bool {
        3 * self.ranks <= self.hinges
    }
}

/// What the rules ask of a model.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) nv: usize,
    /// Why eight joints do not go at a time, if they do not.
    pub(crate) book_only: Option<String>,
    /// Has each body coordinates of its own: is no joint a mimic one?
    pub(crate) owns_coordinates: bool,
    /// Do [factors pay](factors_pay)?
    pub(crate) factors_pay: bool,
    pub(crate) walk: Option<BodyWalk>,
    /// Is there a form for eight states?
    pub(crate) states: bool,
}

impl Facts {
    /// Of a model whose joints do not go eight at a time.
    pub(crate) fn of_book(model: &Model) -> Self {
        let columns: usize = model.bodies.iter().map(|body| body.v.len()).sum();
        let varies = model.bodies.iter().find(|body| body.subspace_varies);
        let direction = |joint: &Joint| matches!(joint, Joint::Mimic(mimic) if mimic.is_of_direction());
        let turning = model.bodies.iter().find(|body| direction(body.joint()));
        let why = match (varies, turning) {
            (Some(body), _) => format!("book only: the motion subspace of joint '{}' depends on q", body.joint_name()),
            (_, Some(body)) => {
                format!("book only: joint '{}' follows an angle given by (cos, sin)", body.joint_name())
            }
            _ if columns == 0 => "book only: nothing moves".to_owned(),
            _ if columns > MOST_COLUMNS => format!("book only: {columns} columns, more than {MOST_COLUMNS}"),
            _ => "book only: a joint has more degrees of freedom than a register has lanes".to_owned(),
        };
        Self {
            nv: model.nv,
            book_only: Some(why),
            owns_coordinates: model.bodies.iter().all(|body| body.owns_coordinates),
            factors_pay: false,
            walk: None,
            states: false,
        }
    }

    /// The form of a quantity where registers hold two numbers (0), four (1) or eight (2).
    pub(super) fn form(&self, quantity: Quantity, width: usize, only: Option<Only>) -> Form {
        use Quantity as Q;
        let by_joint = width > 0 && self.book_only.is_none() && only != Some(Only::Book);
        let by_eight = width == 2;
        // Bodies of equal depth, if that is no slower, or if nothing else is wanted.
        let walk = self.walk.filter(|_| by_joint && only != Some(Only::Joints));
        let bodies = |pays: fn(BodyWalk, bool) -> bool, has: fn(BodyWalk) -> bool| {
            walk.is_some_and(|walk| has(walk) && (only == Some(Only::Copies) || pays(walk, by_eight)))
        };
        let (always, limbs) = (|_: BodyWalk| true, |walk: BodyWalk| walk.limbs);
        // With mimic joints factors are the only way to an inverse.
        let by_masses = if self.factors_pay || !self.owns_coordinates { Form::Factors } else { Form::Articulated };
        let of_states = |most: usize| match only {
            Some(Only::Copies) => self.states,
            Some(Only::Book | Only::Joints) => false,
            None => self.states && (width == 0 || self.nv <= most),
        };
        match quantity {
            Q::BatchInverseDynamics if of_states(usize::MAX) => Form::States,
            Q::BatchMassMatrix | Q::BatchInverseDynamicsDerivatives if of_states(MOST_FOR_STATES) => Form::States,
            Q::BatchMassMatrix | Q::BatchInverseDynamicsDerivatives if by_joint => {
                let alone = only == Some(Only::Joints) || self.states || self.nv > MOST_FOR_BOOK;
                if alone { Form::Joints } else { Form::Book }
            }
            Q::BatchInverseDynamics | Q::BatchMassMatrix | Q::BatchInverseDynamicsDerivatives | Q::BatchOthers => {
                Form::Book
            }
            _ if !by_joint => Form::Book,
            Q::InverseDynamics if bodies(|_, _| true, always) => Form::Bodies,
            Q::ForwardDynamics if bodies(|_, _| true, always) => Form::Bodies,
            Q::MassMatrix if bodies(BodyWalk::mass_matrix_pays, always) => Form::Bodies,
            Q::MassMatrixInverse if bodies(BodyWalk::inverse_pays, limbs) => Form::Bodies,
            Q::InverseDynamicsDerivatives if bodies(BodyWalk::derivatives_pay, always) => Form::Bodies,
            Q::ForwardDynamicsDerivatives if bodies(BodyWalk::forward_derivatives_pay, limbs) => Form::Bodies,
            Q::InverseDynamics | Q::MassMatrix | Q::InverseDynamicsDerivatives | Q::Others => Form::Joints,
            // Articulated bodies by the book are the faster way then.
            Q::ForwardDynamics | Q::ForwardDynamicsDerivatives if !self.factors_pay && !self.owns_coordinates => {
                Form::Book
            }
            Q::ForwardDynamics | Q::ForwardDynamicsDerivatives | Q::MassMatrixInverse | Q::ConstraintDynamics => {
                by_masses
            }
        }
    }
}
