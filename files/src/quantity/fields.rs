//! Fields of quantities that have several.

use super::{Axis, Field, Parts};

const fn field(name: &'static str, rows: Axis, columns: Axis, inputs: &'static str) -> Field {
    Field { name, axes: (rows, columns), inputs }
}

pub(super) const ENERGY: Parts =
    Parts::Fields(&[field("kinetic", Axis::One, Axis::One, "v"), field("potential", Axis::One, Axis::One, "")]);

pub(super) const COM: Parts = Parts::Fields(&[
    field("mass", Axis::One, Axis::One, ""),
    field("position", Axis::Space, Axis::One, ""),
    field("velocity", Axis::Space, Axis::One, "v"),
    field("acceleration", Axis::Space, Axis::One, "va"),
]);

pub(super) const CENTROIDAL: Parts = Parts::Fields(&[
    field("matrix", Axis::Momentum, Axis::Dofs, ""),
    field("matrix_rate", Axis::Momentum, Axis::Dofs, "v"),
    field("momentum", Axis::Momentum, Axis::One, "v"),
    field("momentum_rate", Axis::Momentum, Axis::One, "va"),
]);

pub(super) const TAU_GRADIENT: Parts = Parts::Fields(&[
    field("value", Axis::One, Axis::One, "val"),
    field("dq", Axis::Dofs, Axis::One, "val"),
    field("dv", Axis::Dofs, Axis::One, "vl"),
    field("da", Axis::Dofs, Axis::One, "l"),
]);

pub(super) const TAU_HESSIAN: Parts = Parts::Fields(&[
    field("dqq", Axis::Dofs, Axis::Dofs, "val"),
    field("dvq", Axis::Dofs, Axis::Dofs, "vl"),
    field("daq", Axis::Dofs, Axis::Dofs, "l"),
    field("dvv", Axis::Dofs, Axis::Dofs, "vl"),
]);

pub(super) const TAU_PRODUCT: Parts = Parts::Fields(&[
    field("dq", Axis::Dofs, Axis::One, "vald"),
    field("dv", Axis::Dofs, Axis::One, "vald"),
    field("da", Axis::Dofs, Axis::One, "vald"),
]);

pub(super) const DDQ_GRADIENT: Parts = Parts::Fields(&[
    field("value", Axis::One, Axis::One, "vtl"),
    field("dq", Axis::Dofs, Axis::One, "vtl"),
    field("dv", Axis::Dofs, Axis::One, "vl"),
    field("dtau", Axis::Dofs, Axis::One, "l"),
]);

pub(super) const DDQ_HESSIAN: Parts = Parts::Fields(&[
    field("dqq", Axis::Dofs, Axis::Dofs, "vtl"),
    field("dvq", Axis::Dofs, Axis::Dofs, "vtl"),
    field("dtauq", Axis::Dofs, Axis::Dofs, "vtl"),
    field("dvv", Axis::Dofs, Axis::Dofs, "vtl"),
]);

pub(super) const DDQ_PRODUCT: Parts = Parts::Fields(&[
    field("dq", Axis::Dofs, Axis::One, "vtld"),
    field("dv", Axis::Dofs, Axis::One, "vtld"),
    field("dtau", Axis::Dofs, Axis::One, "vtld"),
]);
