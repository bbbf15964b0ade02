//! A robot that cannot move, and one with no body at all: every function has an empty answer, and none panics.

use gradyn::dynamics::{Constraint, ReferenceFrame, Workspace, aba_gradient, rnea_gradient};
use gradyn::model::{Model, ModelBuilder};
use gradyn::partials::{
    DerivativeWorkspace, HessianWorkspace, Method, SecondOrderWorkspace, SparsityPattern, aba_hessian,
    aba_hessian_product, aba_second_derivatives, rnea_hessian, rnea_hessian_product, rnea_second_derivatives,
};
use gradyn::{UrdfOptions, dynamics, once, partials};

const NONE: &[f64] = &[];

fn models() -> [Model; 2] {
    let text = r#"<robot name="rock"><link name="rock"><inertial><mass value="2"/><origin xyz="1 0 0"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;
    let rock = Model::from_urdf_text(text, &UrdfOptions::new()).expect("reads").model;
    [rock, ModelBuilder::new("nothing").build().expect("builds")]
}

/// Values and first derivatives.
#[test]
fn values_and_first_derivatives_are_empty() {
    for model in models() {
        assert_eq!((model.nq(), model.nv()), (0, 0));
        assert!(once::rnea(&model, NONE, NONE, NONE, &[]).expect("runs").is_empty());
        assert!(once::aba(&model, NONE, NONE, NONE, &[]).expect("runs").is_empty());
        assert!(once::bias(&model, NONE, NONE, &[]).expect("runs").is_empty());
        assert!(once::generalized_gravity(&model, NONE).expect("runs").is_empty());
        assert!(once::static_torque(&model, NONE, &[]).expect("runs").is_empty());
        for matrix in [
            once::crba(&model, NONE),
            once::minv(&model, NONE),
            once::coriolis_matrix(&model, NONE, NONE),
            once::torque_regressor(&model, NONE, NONE, NONE),
            once::static_torque_regressor(&model, NONE),
            once::joint_jacobians(&model, NONE),
        ] {
            assert_eq!(matrix.expect("runs").len(), 0);
        }
        assert_eq!(once::kinetic_energy(&model, NONE, NONE), Ok(0.0));
        for method in Method::ALL {
            let ws = &mut DerivativeWorkspace::new(&model);
            let by = partials::rnea_derivatives(&model, ws, method, NONE, NONE, NONE, &[]).expect("runs");
            assert_eq!(by.dtau_dq.shape(), (0, 0));
            let by = partials::aba_derivatives(&model, ws, method, NONE, NONE, NONE, &[]).expect("runs");
            assert_eq!(by.ddq_dq.shape(), (0, 0));
            let by = partials::bias_derivatives(&model, ws, method, NONE, NONE, &[]).expect("runs");
            assert_eq!(by.dbias_dq.shape(), (0, 0));
            let by = partials::mass_product_derivatives(&model, ws, method, NONE, NONE).expect("runs");
            assert_eq!(by.dproduct_dq.shape(), (0, 0));
            let none: [Constraint; 0] = [];
            let at = (NONE, NONE, NONE);
            let by = partials::constraint_dynamics_derivatives(&model, ws, method, at.0, at.1, at.2, &none, &[])
                .expect("runs");
            assert_eq!((by.ddq_dq.shape(), by.dlambda_dq.shape()), ((0, 0), (0, 0)));
            for name in model.frames().iter().filter_map(|frame| model.find_frame(frame.name())) {
                let world = ReferenceFrame::World;
                let by = partials::frame_derivatives(&model, ws, method, at.0, at.1, at.2, name, world).expect("runs");
                assert_eq!(by.dvelocity_dq.shape(), (6, 0));
            }
            // Bodies carry mass, links of the world do not: there is no center of it.
            assert!(partials::center_of_mass_derivatives(&model, ws, method, at.0, at.1, at.2, None).is_err());
            assert!(partials::centroidal_derivatives(&model, ws, method, at.0, at.1, at.2).is_err());
        }
    }
}

#[test]
fn second_derivatives_are_empty() {
    for model in models() {
        let ws = &mut Workspace::new(&model);
        let by = dynamics::rnea_second_derivatives(&model, ws, NONE, NONE, NONE, &[]).expect("runs");
        assert_eq!(by.d2tau_dqdq.dims(), [0; 3]);
        assert!(rnea_gradient(&model, ws, NONE, NONE, NONE, NONE, &[]).expect("runs").dq.is_empty());
        assert!(aba_gradient(&model, ws, NONE, NONE, NONE, NONE, &[]).expect("runs").dq.is_empty());
        let (second, hessians) = (&mut SecondOrderWorkspace::new(&model), &mut HessianWorkspace::new(&model));
        for method in Method::ALL {
            let by = rnea_second_derivatives(&model, second, method, NONE, NONE, NONE, &[]).expect("runs");
            assert_eq!(by.d2tau_dqdq.dims(), [0; 3]);
            let by = aba_second_derivatives(&model, second, method, NONE, NONE, NONE, &[]).expect("runs");
            assert_eq!(by.d2ddq_dqdq.dims(), [0; 3]);
            assert_eq!(
                aba_hessian(&model, second, method, NONE, NONE, NONE, NONE, &[]).expect("runs").dqq.shape(),
                (0, 0)
            );
        }
        assert_eq!(rnea_hessian(&model, hessians, NONE, NONE, NONE, NONE, &[]).expect("runs").dqq.shape(), (0, 0));
        assert!(
            rnea_hessian_product(&model, hessians, NONE, NONE, NONE, NONE, NONE, NONE, NONE, &[])
                .expect("runs")
                .dq
                .is_empty()
        );
        let by = aba_hessian_product(&model, second, NONE, NONE, NONE, NONE, NONE, NONE, NONE, &[]).expect("runs");
        assert!([&by.dq, &by.dv, &by.dtau].into_iter().all(|x| x.is_empty()));
        assert_eq!(SparsityPattern::torques(&model).nonzeros(), 0);
    }
}
