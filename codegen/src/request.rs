//! Functions by name: what of a robot is generated.

use crate::engine::{Frames, QUANTITIES, Quantity, Results};
use crate::equal_parts::EqualParts;
use crate::error::CodegenError;
use crate::function::{Failure, Function, Output, Port, Traced};
use crate::operation::Id;
use crate::trace::Trace;
use gradyn::{Model, Scalar};
use gradyn_sensitivity::Parameters;

/// What of a quantity is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The quantity.
    Value,
    /// With its derivatives by all inputs: `dOUTPUT_dINPUT`, by q along `q ⊕ ε e_k`.
    Derivatives,
    /// `λᵀ` times the first output, with the gradient of that by all inputs and its second derivatives by q, v and the rest.
    Product,
}

/// A function to be generated.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its name: `rnea`, `rnea_derivatives`, `rnea_product`.
    pub name: String,
    quantity: Quantity,
    order: Order,
}

/// Which form of derivatives was taken, and what both cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forms {
    /// By formulas, if there are any.
    pub formulas: Option<usize>,
    /// By differentiation of the recorded computation.
    pub recorded: usize,
}

impl Request {
    /// All names.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        QUANTITIES.iter().map(|(name, _)| *name).collect()
    }

    /// The function of this name: one of [`QUANTITIES`], alone or with `_derivatives` or `_product` behind it.
    ///
    /// # Errors
    /// [`CodegenError::Unknown`]; [`CodegenError::Language`] if it needs a frame and there is none.
    pub fn of(name: &str, model: &Model, frames: &Frames) -> Result<Self, CodegenError> {
        let orders = [("_derivatives", Order::Derivatives), ("_product", Order::Product), ("", Order::Value)];
        for (ending, order) in orders {
            let Some(base) = name.strip_suffix(ending) else { continue };
            if let Some(reason) = Quantity::missing(base, frames) {
                return Err(CodegenError::Language { function: name.to_owned(), reason: reason.to_owned() });
            }
            if let Some(quantity) = Quantity::of(base, model, frames) {
                return Ok(Self { name: name.to_owned(), quantity, order });
            }
        }
        let (base, names) = (name.trim_end_matches("_derivatives").trim_end_matches("_product"), Self::names());
        let nearest = nearest(base, &names);
        Err(CodegenError::Unknown { name: name.to_owned(), nearest, names })
    }

    /// Records the function for a robot; `parameters` are inputs `p`, in their order and units.
    ///
    /// # Errors
    /// [`CodegenError`]
    pub fn record(
        &self,
        model: &Model,
        parameters: Option<&Parameters>,
    ) -> Result<(Function, Option<Forms>), CodegenError> {
        match self.order {
            Order::Value => Ok((self.form(model, parameters, |model, x| self.quantity.compute(model, x))?, None)),
            Order::Derivatives => {
                let [formulas, recorded] = self.both_forms(model, parameters)?;
                let cost = |form: &Option<Function>| form.as_ref().map(|form| form.counts().cost());
                let forms = Forms { formulas: cost(&formulas), recorded: cost(&recorded).unwrap_or(usize::MAX) };
                let by_formulas = forms.formulas.is_some_and(|cost| cost <= forms.recorded);
                let taken = if by_formulas { formulas } else { recorded };
                let missing =
                    || CodegenError::Language { function: self.name.clone(), reason: "it has no derivatives".into() };
                Ok((taken.ok_or_else(missing)?, Some(forms)))
            }
            Order::Product => {
                let value = self.values(model, parameters)?;
                let mut made = value.product(&rates(model)?, self.own_inputs(model));
                made.name.clone_from(&self.name);
                Ok((made, None))
            }
        }
    }

    /// Derivatives by formulas, where the engine has them, and by differentiation of what was recorded.
    ///
    /// # Errors
    /// As [`record`](Self::record).
    pub fn both_forms(
        &self,
        model: &Model,
        parameters: Option<&Parameters>,
    ) -> Result<[Option<Function>; 2], CodegenError> {
        let value = self.values(model, parameters)?;
        let mut recorded = value.derivatives(&rates(model)?, self.own_inputs(model));
        recorded.onto_tangent(&projection(model)?);
        recorded.name.clone_from(&self.name);
        let formulas = match self.quantity.has_formulas() {
            false => None,
            true => Some(self.form(model, parameters, |model, x| match self.quantity.derivatives(model, x) {
                Some(found) => found,
                None => self.quantity.compute(model, x),
            })?),
        };
        Ok([formulas, Some(recorded)])
    }

    /// How many inputs are the quantity's own.
    fn own_inputs(&self, model: &Model) -> usize {
        self.quantity.inputs(model.nq(), model.nv()).len()
    }

    /// Records a computation of this robot.
    fn form(
        &self,
        model: &Model,
        parameters: Option<&Parameters>,
        f: impl Fn(&Model<Trace>, &[Vec<Trace>]) -> Result<Traced, Failure>,
    ) -> Result<Function, CodegenError> {
        let mut inputs = self.quantity.inputs(model.nq(), model.nv());
        let count = inputs.len();
        inputs.extend(parameters.map(|p| Port::vector("p", p.len())));
        let mut made =
            Function::record(self.name.clone(), inputs, |x| f(&robot(model, parameters, &x[count..])?, &x[..count]))?;
        made.equal_parts = EqualParts::of(model);
        Ok(made)
    }

    /// The value alone, of which this is one or the derivatives.
    ///
    /// # Errors
    /// As [`record`](Self::record).
    pub(crate) fn values(&self, model: &Model, parameters: Option<&Parameters>) -> Result<Function, CodegenError> {
        let request = Self { order: Order::Value, ..self.clone() };
        Ok(request.record(model, parameters)?.0)
    }

    /// The outputs by the engine, over `f64`: what the recorded function must give. Of products, none.
    ///
    /// # Errors
    /// What the engine says.
    pub fn by_engine(
        &self,
        model: &Model,
        parameters: Option<&Parameters>,
        inputs: &[Vec<f64>],
    ) -> Result<Option<Vec<Vec<f64>>>, CodegenError> {
        let count = self.quantity.inputs(model.nq(), model.nv()).len();
        let failed = |error: Failure| CodegenError::Engine { function: self.name.clone(), error };
        let model = robot::<f64>(model, parameters, &inputs[count..]).map_err(failed)?;
        let found: Option<Result<Results<f64>, Failure>> = match self.order {
            Order::Value => Some(self.quantity.compute(&model, &inputs[..count])),
            Order::Derivatives => self.quantity.derivatives(&model, &inputs[..count]),
            Order::Product => None,
        };
        let found = found.transpose().map_err(failed)?;
        Ok(found.map(|found| found.into_iter().map(|(_, numbers)| numbers).collect()))
    }
}

/// The robot over this number, with parameters if there are any.
fn robot<T: Scalar<f64> + Scalar<T>>(
    model: &Model,
    parameters: Option<&Parameters>,
    values: &[Vec<T>],
) -> Result<Model<T>, Failure> {
    match (parameters, values.first()) {
        (Some(parameters), Some(values)) => Ok(parameters.robot_at(values)?),
        _ => Ok(model.lift()),
    }
}

/// How configurations move along each degree of freedom: the rates of q at w = 0 in `q ⊕ w`, nq × nv.
pub(crate) fn rates(model: &Model) -> Result<Function, CodegenError> {
    let inputs = vec![Port::vector("q", model.nq()), Port::vector("w", model.nv())];
    let mut moved = Function::record("rates", inputs, |x| {
        let model: Model<Trace> = model.lift();
        let q = model.integrate(&x[0], &x[1])?;
        Ok(vec![(Port::vector("moved", q.len()), q)])
    })?;
    let (count, seeds) = (moved.graph.nodes().len(), moved.along_numbers(1));
    let nodes = moved.along(&[0], &seeds, count).remove(0);
    moved.outputs = vec![Output { port: Port::new("rates", model.nq(), model.nv()), nodes }];
    Ok(moved.compact())
}

/// How the tangent at q changes with the numbers of a configuration there: `∂(x ⊖ q)/∂x` at x = q, nv × nq.
fn projection(model: &Model) -> Result<Function, CodegenError> {
    let inputs = vec![Port::vector("q", model.nq()), Port::vector("x", model.nq())];
    let mut off = Function::record("projection", inputs, |x| {
        let model: Model<Trace> = model.lift();
        let off = model.difference(&x[0], &x[1])?;
        Ok(vec![(Port::vector("off", off.len()), off)])
    })?;
    let (count, seeds) = (off.graph.nodes().len(), off.along_numbers(1));
    let nodes = off.along(&[0], &seeds, count).remove(0);
    off.outputs = vec![Output { port: Port::new("projection", model.nv(), model.nq()), nodes }];
    Ok(off.compact())
}

impl Function {
    /// Derivatives of `q_next` become those along its tangent.
    fn onto_tangent(&mut self, projection: &Self) {
        let Some(next) = self.outputs.iter().find(|output| output.port.name == "q_next").cloned() else { return };
        let (nq, nv) = (projection.inputs[0].len(), projection.outputs[0].port.rows);
        let inputs: Vec<Id> = next.nodes.iter().chain(&next.nodes).copied().collect();
        let places = self.graph.import(&projection.graph, &inputs);
        let by: Vec<Id> = projection.outputs[0].nodes.iter().map(|x| places[*x as usize]).collect();
        let zero = self.graph.constant(0.0);
        for k in 0..self.outputs.len() {
            if !self.outputs[k].port.name.starts_with("dq_next_d") {
                continue;
            }
            let (old, columns) = (self.outputs[k].nodes.clone(), self.outputs[k].port.columns);
            let mut nodes = Vec::with_capacity(nv * columns);
            for c in 0..columns {
                for r in 0..nv {
                    let mut sum = zero;
                    for i in 0..nq {
                        let part = self.graph.mul(by[i * nv + r], old[c * nq + i]);
                        sum = self.graph.add(sum, part);
                    }
                    nodes.push(sum);
                }
            }
            self.outputs[k].nodes = nodes;
            self.outputs[k].port.rows = nv;
        }
        *self = self.compact();
    }

    /// Directions along each degree of freedom, q being the first input: rates of its numbers, as nodes of this graph.
    fn along_configurations(&mut self, rates: &Self) -> Vec<Vec<Option<Id>>> {
        let (nq, nv) = (rates.inputs[0].len(), rates.inputs[1].len());
        let mut inputs: Vec<Id> = (0..nq).map(|k| self.graph.input(k as u32)).collect();
        inputs.extend((0..nv).map(|_| self.graph.constant(0.0)));
        let places = self.graph.import(&rates.graph, &inputs);
        let all: usize = self.inputs.iter().map(Port::len).sum();
        let nodes = &rates.outputs[0].nodes;
        let seed = |j: usize| {
            let mut seed = vec![None; all];
            for (i, to) in seed.iter_mut().enumerate().take(nq) {
                let node = places[nodes[j * nq + i] as usize];
                *to = (self.graph.value(node) != Some(0.0)).then_some(node);
            }
            seed
        };
        (0..nv).map(seed).collect()
    }

    /// This function with the derivatives of its outputs by its first `count` inputs, the first of which is q.
    fn derivatives(&self, rates: &Self, count: usize) -> Self {
        let mut made = self.clone();
        let all: Vec<usize> = (0..self.outputs.len()).collect();
        let by: Vec<Vec<Vec<Id>>> = (0..count)
            .map(|input| {
                let seeds = if input == 0 { made.along_configurations(rates) } else { made.along_numbers(input) };
                made.along(&all, &seeds, self.graph.nodes().len())
            })
            .collect();
        let columns = |input: usize| if input == 0 { rates.inputs[1].len() } else { self.inputs[input].len() };
        let mut outputs = self.outputs.clone();
        for (o, output) in self.outputs.iter().enumerate() {
            for (i, by) in by.iter().enumerate() {
                let name = format!("d{}_d{}", output.port.name, self.inputs[i].name);
                let port = Port::new(name, output.port.len(), columns(i));
                outputs.push(Output { port, nodes: by[o].clone() });
            }
        }
        made.outputs = outputs;
        made.compact()
    }

    /// `λᵀ` times the first output, its gradient by the first `count` inputs, and the second derivatives: one symmetric matrix
    /// of all of them, q along its tangent.
    fn product(&self, rates: &Self, count: usize) -> Self {
        let mut made = self.clone();
        let lambda = Port::vector("lambda", self.outputs[0].port.len());
        let first: usize = self.inputs.iter().map(Port::len).sum();
        let weights: Vec<Id> = (0..lambda.len()).map(|k| made.graph.input((first + k) as u32)).collect();
        made.inputs.push(lambda);
        let by = made.backward(0, &weights);
        let zero = made.graph.constant(0.0);
        let terms: Vec<Id> = self.outputs[0].nodes.iter().zip(&weights).map(|(x, w)| made.graph.mul(*x, *w)).collect();
        let value = terms.into_iter().reduce(|sum, x| made.graph.add(sum, x)).unwrap_or(zero);
        let mut seeds = made.along_configurations(rates);
        for input in 1..count {
            seeds.extend(made.along_numbers(input));
        }
        // Gradients along these directions, and how those change along them.
        let inputs: Vec<Id> = (0..first).map(|k| made.graph.input(k as u32)).collect();
        let mut gradient = Vec::new();
        for seed in &seeds {
            let mut sum = zero;
            for (x, rate) in inputs.iter().zip(seed) {
                if let (Some(rate), Some(Some(by))) = (rate, by.get(*x as usize)) {
                    let part = made.graph.mul(*rate, *by);
                    sum = made.graph.add(sum, part);
                }
            }
            gradient.push(sum);
        }
        let n = gradient.len();
        made.outputs = vec![
            Output { port: Port::vector("value", 1), nodes: vec![value] },
            Output { port: Port::vector("gradient", n), nodes: gradient },
        ];
        let all = made.graph.nodes().len();
        let hessian = made.along(&[1], &seeds, all).remove(0);
        made.outputs.push(Output { port: Port::new("hessian", n, n), nodes: hessian });
        made.compact()
    }
}

/// The most similar name, if one is.
fn nearest(found: &str, names: &[&str]) -> Option<String> {
    let similar = names.iter().map(|name| (strsim::jaro_winkler(found, name), name));
    similar.filter(|(how, _)| *how > 0.7).max_by(|x, y| x.0.total_cmp(&y.0)).map(|(_, name)| (*name).to_owned())
}
