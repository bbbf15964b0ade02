//! What a function of the package is: a row of one table, from which its method, its checks, its documentation and its
//! stub come.

use crate::memory::ModelMemory;
use crate::options::Resolved;
use gradyn::batch::Batch;
use gradyn::{InputError, Model};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

/// A length in a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dim {
    /// Numbers of a configuration.
    Nq,
    /// Degrees of freedom.
    Nv,
    /// Rows of the constraints that are given.
    Rows,
    /// Wrenches that are given.
    Wrenches,
    /// Frames that are given.
    Frames,
    /// Inertial parameters of all bodies, ten each.
    Inertial,
    /// Mass and first moment of mass of all bodies, four each.
    Masses,
    /// Parameters of the standard regressor.
    Standard,
    /// Small motions of the joints' placements, six a body.
    Placements,
    /// All parameters of the model.
    Parameters,
    /// A number.
    Of(usize),
    /// No dimension of its own: one number a state.
    Number,
}

impl Dim {
    pub(crate) fn size(self, model: &Model, options: &Resolved) -> usize {
        match self {
            Self::Nq => model.nq(),
            Self::Nv => model.nv(),
            Self::Rows => options.constraints.iter().map(gradyn::Constraint::rows).sum(),
            Self::Wrenches => options.wrenches.len(),
            Self::Frames => options.frames.len(),
            Self::Inertial => 10 * model.bodies().len(),
            Self::Masses => 4 * model.bodies().len(),
            Self::Standard => model.standard_parameters().len(),
            Self::Placements => 6 * model.bodies().len(),
            Self::Parameters => model.parameter_layout().len(),
            Self::Of(size) => size,
            Self::Number => 1,
        }
    }

    /// As documentation writes it.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Nq => "nq".into(),
            Self::Nv => "nv".into(),
            Self::Rows => "rows".into(),
            Self::Wrenches => "wrenches".into(),
            Self::Frames => "frames".into(),
            Self::Inertial => "10 bodies".into(),
            Self::Masses => "4 bodies".into(),
            Self::Standard => "standard".into(),
            Self::Placements => "6 bodies".into(),
            Self::Parameters => "parameters".into(),
            Self::Of(size) => size.to_string(),
            Self::Number => String::new(),
        }
    }
}

/// An argument that is an array with a row a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) dim: Dim,
}

/// An argument that is the same for all states.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) name: &'static str,
    /// As Python writes it; none where it must be given.
    pub(crate) default: Option<&'static str>,
}

/// One array of the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) name: &'static str,
    pub(crate) shape: &'static [Dim],
}

impl Output {
    /// Whether it is a derivative by the wrenches that are given.
    pub(crate) fn is_by_wrenches(&self) -> bool {
        matches!(self.shape, [_, Dim::Nv, Dim::Of(6)])
    }
}

/// How entries of one state's result stand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Matrices column by column.
    Columns,
    /// As in C.
    Rows,
}

/// Computes one state: the arrays of it, and slices for its results.
pub(crate) type Compute =
    fn(&Model, &mut ModelMemory, &[&[f64]], &Resolved, &mut [&mut [f64]]) -> Result<(), InputError>;

/// Computes many states; returns one that is not finite.
pub(crate) type ComputeMany =
    fn(&Model, &mut Batch, &[&[f64]], &Resolved, &mut [&mut [f64]]) -> Result<Option<usize>, InputError>;

/// A row of the table.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) arguments: &'static [Argument],
    pub(crate) choices: &'static [Choice],
    /// Name of the result's type, if it has several arrays.
    pub(crate) result: Option<&'static str>,
    pub(crate) outputs: &'static [Output],
    pub(crate) order: Order,
    pub(crate) compute: Compute,
    pub(crate) many: Option<ComputeMany>,
    /// The result's type, once it has been asked for.
    pub(crate) class: PyOnceLock<Py<PyAny>>,
}

impl Function {
    /// The named tuple of its results.
    pub(crate) fn class<'a, 'py>(&'a self, py: Python<'py>, name: &str) -> PyResult<&'a Bound<'py, PyAny>> {
        let made = || {
            // Private functions give plain tuples.
            if name.starts_with('_') {
                return Ok(py.get_type::<PyTuple>().into_any().unbind());
            }
            Ok::<_, PyErr>(py.import("gradyn.results")?.getattr(name)?.unbind())
        };
        Ok(self.class.get_or_try_init(py, made)?.bind(py))
    }
}

/// So many arguments and so many results a function has at most.
pub(crate) const ARGUMENTS: usize = 9;
pub(crate) const OUTPUTS: usize = 16;

/// The table: for each function its documentation, its arrays with their lengths, what else it takes, its results with
/// their shapes, and how one state is computed (`|model, memory, options|`, with the arrays and the results by their names),
/// or many (`many |model, batch, options|`).
macro_rules! functions {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident($($argument:ident: $dim:expr),*; $($needed:ident: $needed_type:ty),*; $($choice:ident: $choice_type:ty = $default:tt),*)
            -> $($result:ident)? { $($output:ident: [$($size:expr),*]),* } $order:ident
            |$model:ident, $memory:ident, $options:ident| $compute:expr
            $(, many |$many_model:ident, $batch:ident, $many_options:ident| $many:expr)?;
    )*) => {
        /// The rows, by the functions' names.
        mod rows {
            $(
            // A module each, in which arguments may have any name.
            pub(super) mod $name {
                use super::super::*;
                pub(crate) static ROW: Function = Function {
                    name: stringify!($name),
                    doc: concat!($($doc, "\n"),*),
                    arguments: &[$(Argument { name: stringify!($argument), dim: $dim }),*],
                    choices: &[
                        $(Choice { name: stringify!($needed), default: None },)*
                        $(Choice { name: stringify!($choice), default: Some(stringify!($default)) }),*
                    ],
                    result: functions!(@result $($result)?),
                    outputs: &[$(Output { name: stringify!($output), shape: &[$($size),*] }),*],
                    order: Order::$order,
                    compute: {
                                                fn compute(
                            $model: &Model,
                            $memory: &mut ModelMemory,
                            input: &[&[f64]],
                            $options: &Resolved,
                            output: &mut [&mut [f64]],
                        ) -> Result<(), InputError> {
                            let [$($argument,)* ..] = input else { return Ok(()) };
                            let [$($output,)* ..] = output else { return Ok(()) };
                            $compute;
                            Ok(())
                        }
                        compute
                    },
                    many: functions!(@many ($($argument)*) ($($output)*) $(|$many_model, $batch, $many_options| $many)?),
                    class: PyOnceLock::new(),
                };
            }
            )*
        }

        /// All of them.
        pub(crate) static ALL: &[&Function] = &[$(&rows::$name::ROW),*];

        #[pymethods]
        impl PyModel {
            $(
                #[doc = crate::docs::doc_of!($name)]
                #[pyo3(signature = ($($argument,)* $($needed,)* *, $($choice = $default,)* threads = None, out = None))]
                #[allow(clippy::too_many_arguments, reason = "of Python, most by name")]
                fn $name<'py>(
                    &self,
                    py: Python<'py>,
                    $($argument: &Bound<'py, PyAny>,)*
                    $($needed: $needed_type,)*
                    $($choice: $choice_type,)*
                    threads: Option<usize>,
                    out: Option<&Bound<'py, PyAny>>,
                ) -> PyResult<Bound<'py, PyAny>> {
                    let asked = Asked {
                        $($needed: $needed.into(),)*
                        $($choice: $choice.into(),)*
                        ..Asked::default()
                    };
                    call(self, py, &rows::$name::ROW, &[$($argument),*], &asked, threads, out)
                }
            )*
        }
    };
    (@result) => { None };
    (@result $result:ident) => { Some(stringify!($result)) };
    (@many ($($argument:ident)*) ($($output:ident)*)) => { None };
    (@many ($($argument:ident)*) ($($output:ident)*) |$model:ident, $batch:ident, $options:ident| $many:expr) => {
        Some({
            fn many(
                $model: &Model,
                $batch: &mut Batch,
                input: &[&[f64]],
                $options: &Resolved,
                output: &mut [&mut [f64]],
            ) -> Result<Option<usize>, InputError> {
                let [$($argument,)* ..] = input else { return Ok(None) };
                let [$($output,)* ..] = output else { return Ok(None) };
                let finite = $many?;
                Ok(if finite.all() { None } else { finite.exceptions().next() })
            }
            many
        })
    };
}
pub(crate) use functions;
