//! The rules, with their measurements.

use crate::joint::Joint;
use crate::model::Model;
use crate::plan::forms::{Form, Quantity};
use crate::plan::only::Only;

/// Larger trees are processed body by body: pairs of columns and rows would take more memory than their bodies.
pub(crate) const MOST_COLUMNS: usize = 4096;

/// Up to this many products of blocks per degree of freedom, factors of the mass matrix take less time than the
/// articulated-body algorithm: measured on chains of 7 to 300 joints and binary trees.
const PRODUCTS: usize = 4;

/// Above this many degrees of freedom, one state at a time beats eight, if there is a separate form for one state:
/// eight large matrices do not fit into the caches next to the processor.
const MOST_FOR_STATES: usize = 56;

/// The same limit if states in lanes use the page. Derivatives, alone and together: 0.46 and 0.33 µs with 4 degrees of
/// freedom, 0.40 and 0.51 with 7, 1.2 and 1.8 with 18.
const MOST_FOR_BOOK: usize = 12;

/// Whether factors of the mass matrix, with so many products of blocks, give accelerations faster than articulated
/// bodies.
pub(crate) fn factors_pay(products: usize, nv: usize) -> bool {
    products <= PRODUCTS * nv
}

/// A robot whose bodies of equal depth go side by side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodiesFacts {
    /// Whether it is a quadruped: a free base with four legs of three hinges. For all others only inverse and forward
    /// dynamics use this form.
    pub(crate) quadruped: bool,
}

impl BodiesFacts {
    /// Whether derivatives of a quadruped are faster in this form, with registers of eight numbers or of four. With
    /// four, those of inverse dynamics take half the time, those of forward dynamics two thirds; with eight, a sixth
    /// and a tenth more.
    fn derivatives_pay(self, by_eight: bool) -> bool {
        !by_eight
    }
}

/// What the rules ask of a model.
#[derive(Clone, Debug)]
pub(crate) struct ModelFacts {
    pub(crate) nv: usize,
    /// Why eight joints do not go at a time, if they do not.
    pub(crate) book_only: Option<String>,
    /// Whether each body has its own coordinates: no joint is a mimic joint.
    pub(crate) owns_coordinates: bool,
    /// Whether [factors pay](factors_pay).
    pub(crate) factors_pay: bool,
    pub(crate) bodies: Option<BodiesFacts>,
    /// Whether there is a form for eight states.
    pub(crate) states: bool,
}

impl ModelFacts {
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
            bodies: None,
            states: false,
        }
    }

    /// The form of a quantity where registers hold two numbers (0), four (1) or eight (2).
    pub(super) fn form(&self, quantity: Quantity, width: usize, only: Option<Only>) -> Form {
        use Quantity as Q;
        let by_joint = width > 0 && self.book_only.is_none() && only != Some(Only::Book);
        let by_eight = width == 2;
        // Bodies of equal depth, if that is no slower, or if nothing else is wanted.
        let bodies = self.bodies.filter(|_| by_joint && only != Some(Only::Joints));
        let quadruped = bodies.filter(|bodies| bodies.quadruped);
        let derivatives_pay = |bodies: BodiesFacts| only == Some(Only::Copies) || bodies.derivatives_pay(by_eight);
        // Registers of two numbers gain nothing: batches take one state after the other there.
        let has_states = self.states && width > 0;
        let of_states = |most: usize| match only {
            Some(Only::Copies) => has_states,
            Some(Only::Book | Only::Joints) => false,
            None => has_states && self.nv <= most,
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
            Q::InverseDynamics | Q::ForwardDynamics if bodies.is_some() => Form::Bodies,
            Q::MassMatrix | Q::MassMatrixInverse if quadruped.is_some() => Form::Bodies,
            Q::InverseDynamicsDerivatives | Q::ForwardDynamicsDerivatives if quadruped.is_some_and(derivatives_pay) => {
                Form::Bodies
            }
            Q::InverseDynamics | Q::MassMatrix | Q::InverseDynamicsDerivatives | Q::Others => Form::Joints,
            // Deep, and some joints follow others: kernels of articulated bodies have no such joints.
            Q::ForwardDynamics | Q::ForwardDynamicsDerivatives if !self.factors_pay && !self.owns_coordinates => {
                Form::Book
            }
            // Of these only accelerations: on a chain of 100 joints factors take 1.5 times as long for the inverse, 1.4
            // for derivatives, and 1.2 to 1.6 under constraints; no robot of ours is so deep.
            Q::ForwardDynamics if !self.factors_pay => Form::Articulated,
            Q::ForwardDynamics | Q::ForwardDynamicsDerivatives | Q::MassMatrixInverse | Q::ConstraintDynamics => {
                Form::Factors
            }
        }
    }
}
