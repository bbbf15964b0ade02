//! Every kernel against its page: each form that the plan of some model takes, at each level of this processor.

use gradyn::UrdfOptions;
use gradyn::batch::{Batch, BatchDerivatives};
use gradyn::dynamics::{
    Constraint, FrameRef, Workspace, aba, center_of_mass, constraint_dynamics, crba, frame_jacobian, joint_jacobians,
    mechanical_energy, minv, rnea, torque_regressor,
};
use gradyn::joint::{Axis, Joint, Revolute};
use gradyn::model::{BodyKey, Model, ModelBuilder};
use gradyn::partials::{DerivativeWorkspace, Method, aba_derivatives, rnea_derivatives};
use gradyn::plan::{Form, Only, Plan, Quantity, with_only};
use gradyn_derivatives::simd::{Level, with_level};
use std::collections::BTreeSet;
use testing::{afloat, condition, constant_subspaces, robot, state, tree_of_every_joint, wrenches};

/// The kernel of a row of the plan's table, where there is one: a new quantity or form does not compile without a row
/// here.
fn kernel(quantity: Quantity, form: Form) -> Option<&'static str> {
    use Quantity as Q;
    let name = match form {
        Form::Book => match quantity {
            Q::InverseDynamics | Q::ForwardDynamics | Q::MassMatrix | Q::MassMatrixInverse => "page",
            Q::InverseDynamicsDerivatives | Q::ForwardDynamicsDerivatives | Q::ConstraintDynamics | Q::Others => "page",
            Q::BatchInverseDynamics | Q::BatchMassMatrix => "page over lanes",
            Q::BatchInverseDynamicsDerivatives | Q::BatchOthers => "page over lanes",
        },
        Form::Joints => match quantity {
            Q::InverseDynamics | Q::MassMatrix | Q::InverseDynamicsDerivatives | Q::Others => "eight joints",
            Q::BatchMassMatrix | Q::BatchInverseDynamicsDerivatives => "one state after the other",
            Q::ForwardDynamics | Q::MassMatrixInverse | Q::ForwardDynamicsDerivatives => return None,
            Q::ConstraintDynamics | Q::BatchInverseDynamics | Q::BatchOthers => return None,
        },
        Form::Articulated => match quantity {
            Q::ForwardDynamics => "masses",
            _ => return None,
        },
        Form::Factors => match quantity {
            Q::ForwardDynamics | Q::MassMatrixInverse | Q::ForwardDynamicsDerivatives => "masses",
            Q::ConstraintDynamics => "masses",
            Q::InverseDynamics | Q::MassMatrix | Q::InverseDynamicsDerivatives | Q::Others => return None,
            Q::BatchInverseDynamics | Q::BatchMassMatrix => return None,
            Q::BatchInverseDynamicsDerivatives | Q::BatchOthers => return None,
        },
        Form::Bodies => match quantity {
            Q::InverseDynamics | Q::ForwardDynamics | Q::MassMatrix | Q::MassMatrixInverse => "four bodies",
            Q::InverseDynamicsDerivatives | Q::ForwardDynamicsDerivatives => "four bodies",
            Q::ConstraintDynamics | Q::Others | Q::BatchInverseDynamics | Q::BatchMassMatrix => return None,
            Q::BatchInverseDynamicsDerivatives | Q::BatchOthers => return None,
        },
        Form::States => match quantity {
            Q::BatchInverseDynamics | Q::BatchMassMatrix | Q::BatchInverseDynamicsDerivatives => "eight states",
            Q::InverseDynamics | Q::ForwardDynamics | Q::MassMatrix | Q::MassMatrixInverse => return None,
            Q::InverseDynamicsDerivatives | Q::ForwardDynamicsDerivatives | Q::ConstraintDynamics => return None,
            Q::Others | Q::BatchOthers => return None,
        },
    };
    Some(name)
}

/// What a quantity is at a state, and whether its error grows with the condition of the mass matrix.
fn evaluate(
    model: &Model,
    quantity: Quantity,
    state: &(Vec<f64>, Vec<f64>, Vec<f64>),
    forces: bool,
) -> (Vec<f64>, bool) {
    let (q, v, a) = state;
    let ws = &mut Workspace::new(model);
    let by = &mut DerivativeWorkspace::new(model);
    let wrenches = if forces { wrenches(model, 3) } else { Vec::new() };
    let nv = model.nv();
    // Three states, the last one of eight lanes filled up.
    let [q3, v3, a3] = [q, v, a].map(|x| x.repeat(3));
    let mut batch = Batch::new(model);
    match quantity {
        Quantity::InverseDynamics => (rnea(model, ws, q, v, a, &wrenches).expect("valid").to_vec(), false),
        Quantity::ForwardDynamics => (aba(model, ws, q, v, a, &wrenches).expect("valid").to_vec(), true),
        Quantity::MassMatrix => (crba(model, ws, q).expect("valid").as_slice().to_vec(), false),
        Quantity::MassMatrixInverse => (minv(model, ws, q).expect("valid").as_slice().to_vec(), true),
        Quantity::InverseDynamicsDerivatives => {
            let d = rnea_derivatives(model, by, Method::Analytical, q, v, a, &wrenches).expect("valid");
            let matrices = [&d.dtau_dq, &d.dtau_dv, &d.dtau_da];
            (matrices.iter().flat_map(|m| m.iter().copied()).collect(), false)
        }
        Quantity::ForwardDynamicsDerivatives => {
            let d = aba_derivatives(model, by, Method::Analytical, q, v, a, &wrenches).expect("valid");
            let matrices = [&d.ddq_dq, &d.ddq_dv, &d.ddq_dtau];
            (matrices.iter().flat_map(|m| m.iter().copied()).collect(), true)
        }
        Quantity::ConstraintDynamics => {
            let last = model.body_id(model.bodies().len() - 1).expect("is there");
            let contact = Constraint::contact(last, [0.1, 0.0, -0.1].into(), [0.0; 3].into());
            let found = constraint_dynamics(model, ws, q, v, a, &[contact], &wrenches).expect("valid");
            (found.ddq.to_vec(), true)
        }
        Quantity::Others => {
            let last: FrameRef = model.body_id(model.bodies().len() - 1).expect("is there").into();
            let mut all = vec![mechanical_energy(model, ws, q, v).expect("valid")];
            all.extend(center_of_mass(model, ws, q, v, a).expect("valid").whole.position.iter());
            all.extend(joint_jacobians(model, ws, q).expect("valid").iter());
            all.extend(torque_regressor(model, ws, q, v, a).expect("valid").iter());
            let world = gradyn::dynamics::ReferenceFrame::World;
            all.extend(frame_jacobian(model, ws, q, last, world).expect("valid").iter());
            (all, false)
        }
        Quantity::BatchInverseDynamics => {
            let mut tau = vec![0.0; 3 * nv];
            batch.rnea(model, &q3, &v3, &a3, &mut tau).expect("fits");
            (tau, false)
        }
        Quantity::BatchMassMatrix => {
            let mut mass = vec![0.0; 3 * nv * nv];
            batch.crba(model, &q3, &mut mass).expect("fits");
            (mass, false)
        }
        Quantity::BatchInverseDynamicsDerivatives => {
            let mut tau = vec![0.0; 3 * nv];
            let [mut dq, mut dv, mut da] = [(); 3].map(|()| vec![0.0; 3 * nv * nv]);
            let to = BatchDerivatives { tau: &mut tau, dtau_dq: &mut dq, dtau_dv: &mut dv, dtau_da: &mut da };
            batch.rnea_derivatives(model, &q3, &v3, &a3, to).expect("fits");
            ([tau, dq, dv, da].concat(), false)
        }
        Quantity::BatchOthers => {
            let mut ddq = vec![0.0; 3 * nv];
            batch.aba(model, &q3, &v3, &a3, &mut ddq).expect("fits");
            (ddq, true)
        }
    }
}

fn chain(joints: usize) -> Model {
    let mut builder = ModelBuilder::new(format!("chain of {joints}"));
    let rng = &mut testing::rng(joints as u64);
    let mut parent: Option<BodyKey> = None;
    for k in 0..joints {
        let axis = if k % 2 == 0 { Axis::Z } else { Axis::Y };
        let (x, y) = (testing::transform(rng), testing::inertia(rng));
        let joint: Joint = Revolute { axis }.into();
        parent = Some(builder.add_body(parent, format!("b{k}"), format!("j{k}"), x, joint, y).expect("fits"));
    }
    builder.build().expect("builds")
}

/// Robots that optimal control is made for, and trees that take the other forms.
fn models() -> Vec<(String, Model)> {
    let of = |name: &str, floating| robot(name, &UrdfOptions::new().floating_base(floating));
    let mut models: Vec<(String, Model)> = [("panda", false), ("ur5", false), ("solo12", true), ("g1", true)]
        .map(|(name, floating)| (name.to_owned(), of(name, floating)))
        .into();
    models.push(("solo12, fixed".into(), of("solo12", false)));
    models.extend([5, 130].map(|joints| (format!("chain of {joints}"), chain(joints))));
    models.extend(afloat());
    models.extend(constant_subspaces());
    models.push(("every joint".into(), tree_of_every_joint(1)));
    models
}

#[test]
fn every_kernel_gives_what_its_page_gives() {
    let mut visited = BTreeSet::new();
    let ways = std::iter::once(None).chain(Only::ALL.map(Some));
    let held = |only: Option<Only>, f: &mut dyn FnMut()| match only {
        Some(only) => with_only(only, f),
        None => f(),
    };
    let ways: Vec<_> = ways.collect();
    for (n, (what, model)) in models().into_iter().enumerate() {
        let plan = Plan::of(&model);
        let state = state(&model, n as u64 + 1);
        let condition = condition(crba(&model, &mut Workspace::new(&model), &state.0).expect("valid"));
        for (quantity, forces) in Quantity::ALL.into_iter().flat_map(|quantity| [(quantity, false), (quantity, true)]) {
            let page = || with_only(Only::Book, || evaluate(&model, quantity, &state, forces));
            let (page, grows) = with_level(Level::Plain, page);
            let scale = page.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
            // Sums of a hundred products; solutions lose what the condition says of it.
            let tolerance = 1e-13 * scale * if grows { condition.max(10.0) } else { 10.0 };
            for level in Level::available() {
                for only in &ways {
                    held(*only, &mut || {
                        let form = plan.form(quantity, level);
                        assert!(kernel(quantity, form).is_some(), "{what}: {quantity} by {form} has no kernel");
                        visited.insert(format!("{quantity:?} {form:?}"));
                        let (found, _) = with_level(level, || evaluate(&model, quantity, &state, forces));
                        assert_eq!(found.len(), page.len());
                        for (found, page) in found.iter().zip(&page) {
                            assert!(
                                (found - page).abs() <= tolerance,
                                "{what}: {quantity} by {form} at {level}, held to {only:?}: {found} and {page}, scale {scale}"
                            );
                        }
                    });
                }
            }
        }
    }
    // Rows that no model here takes would be kernels that nothing is known of.
    if Level::available().any(|level| level > Level::Plain) {
        let forms = [Form::Book, Form::Joints, Form::Factors, Form::Articulated, Form::Bodies, Form::States];
        let rows = Quantity::ALL.into_iter().flat_map(|quantity| forms.map(|form| (quantity, form)));
        let missing: Vec<_> = rows
            .filter(|(quantity, form)| kernel(*quantity, *form).is_some())
            .map(|(quantity, form)| format!("{quantity:?} {form:?}"))
            .filter(|row| !visited.contains(row))
            .collect();
        assert!(missing.is_empty(), "taken by no model: {missing:?}");
    }
}

#[test]
fn a_plan_says_why_there_is_only_the_book() {
    let plan = Plan::of(&tree_of_every_joint(1)).to_string();
    assert!(plan.contains("depends on q"), "{plan}");
    for quantity in Quantity::ALL {
        assert!(plan.contains(&quantity.to_string()), "{plan}");
    }
    let arm = Plan::of(&robot("panda", &UrdfOptions::new()));
    assert!(!arm.to_string().contains("book only"), "{arm}");
    assert_eq!(arm.form(Quantity::InverseDynamics, Level::Plain), Form::Book);
    with_only(Only::Book, || assert_eq!(arm.form(Quantity::InverseDynamics, Level::Avx512), Form::Book));
}
