//! A second call with the same workspace allocates nothing.

use gradyn::batch::{
    Batch, BatchAbaDerivatives, BatchConstraintDynamics, BatchConstraintDynamicsDerivatives, BatchDerivatives,
};
use gradyn::dynamics::{
    Constraint, ExternalWrench, ReferenceFrame, Workspace, aba, aba_gradient, bias, center_of_mass_derivatives,
    centroidal, centroidal_derivatives, centroidal_momentum, centroidal_momentum_matrix, com_jacobian, com_regressor,
    constraint_bias, constraint_jacobian, coriolis_matrix, crba, factorize_mass_matrix, forward_kinematics,
    frame_derivatives, frame_jacobian, frame_jacobian_rate, frame_pose, frame_pose_jacobian, frame_wrench_regressor,
    generalized_gravity, joint_jacobians, kinematic_regressor, mechanical_energy, minv, point_derivatives,
    point_jacobian, potential_energy, rnea, standard_regressor, static_torque, torque_regressor,
};
use gradyn::joint::{Axis, Revolute};
use gradyn::partials::{
    DerivativeWorkspace, HessianWorkspace, Method, RneaDerivatives, SecondOrderWorkspace, aba_derivatives, aba_hessian,
    aba_hessian_product, aba_second_derivatives, bias_derivatives, constraint_dynamics_derivatives,
    constraint_dynamics_hessian, constraint_inverse_dynamics_derivatives, constraint_inverse_dynamics_hessian,
    impulse_dynamics_derivatives, mass_product_derivatives, rnea_derivatives, rnea_derivatives_into, rnea_hessian,
    rnea_hessian_product, rnea_second_derivatives, static_torque_derivatives,
};
use gradyn::spatial::Transform;
use gradyn_derivatives::Dual8;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Level, with_level};
use nalgebra::{DMatrix, Vector3};
use testing::{dual, models, moderate, moved, state, wrenches};

#[track_caller]
fn assert_none(what: &str, run: impl FnOnce()) {
    let before = testing::allocation_count();
    run();
    let allocations = testing::allocation_count() - before;
    assert_eq!(allocations, 0, "{what} allocates");
}

/// Makes sure that it is computed.
fn used<T>(result: T) {
    std::hint::black_box(&result);
}

#[test]
fn the_counter_counts() {
    let before = testing::allocation_count();
    drop(std::hint::black_box(vec![0u8; 100]));
    assert!(testing::allocation_count() > before);
}

/// On one thread, at every level.
#[test]
fn batches_allocate_nothing_the_second_time() {
    for (what, model) in models() {
        let (n, nv) = (11, model.nv());
        let at: Vec<_> = (0..n).map(|s| state(&model, s)).collect();
        let q: Vec<f64> = at.iter().flat_map(|s| s.0.clone()).collect();
        let v: Vec<f64> = at.iter().flat_map(|s| s.1.clone()).collect();
        let n = at.len();
        let (mut tau, mut m) = (vec![0.0; n * nv], [0; 3].map(|_| vec![0.0; n * nv * nv]));
        let mut batch = Batch::with_threads(&model, 1);
        let mut run = || {
            let [dtau_dq, dtau_dv, dtau_da] = &mut m;
            batch.rnea(&model, &q, &v, &v, &mut tau).expect("fits");
            let to = BatchDerivatives { tau: &mut tau, dtau_dq, dtau_dv, dtau_da };
            batch.rnea_derivatives(&model, &q, &v, &v, to).expect("fits");
        };
        run();
        assert_none(&what, run);
    }
}

/// Those that go by one state after the other, under a contact of the last body, and those of frames.
#[test]
fn batches_of_contacts_and_frames_allocate_nothing_the_second_time() {
    for (what, model) in testing::regular() {
        let (n, nv) = (11, model.nv());
        let at: Vec<_> = (0..n).map(|s| state(&model, s)).collect();
        let q: Vec<f64> = at.iter().flat_map(|s| s.0.clone()).collect();
        let v: Vec<f64> = at.iter().flat_map(|s| s.1.clone()).collect();
        let n = at.len();
        let last = model.body_id(model.bodies().len() - 1).expect("is there");
        let contact = [Constraint::contact(last, Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.4, 0.1, 0.0))];
        let frames = [last.into(); 2];
        let (mut ddq, mut lambda, mut residual) = (vec![0.0; n * nv], vec![0.0; n * 3], vec![0.0; n]);
        let (mut m, mut rows) = ([0; 3].map(|_| vec![0.0; n * nv * nv]), [0; 3].map(|_| vec![0.0; n * 3 * nv]));
        let (mut poses, mut jacobians) = (vec![0.0; n * 24], vec![0.0; n * 12 * nv]);
        let mut batch = Batch::with_threads(&model, 1);
        let mut run = || {
            let [ddq_dq, ddq_dv, ddq_dtau] = &mut m;
            let to = BatchAbaDerivatives { ddq: &mut ddq, ddq_dq, ddq_dv, ddq_dtau };
            batch.aba_derivatives(&model, &q, &v, &v, to).expect("fits");
            let to = BatchConstraintDynamics { ddq: &mut ddq, lambda: &mut lambda, residual: &mut residual };
            batch.constraint_dynamics(&model, &q, &v, &v, &contact, to).expect("fits");
            let [ddq_dq, ddq_dv, ddq_dtau] = &mut m;
            let [dlambda_dq, dlambda_dv, dlambda_dtau] = &mut rows;
            let (ddq, lambda) = (&mut ddq, &mut lambda);
            let to = BatchConstraintDynamicsDerivatives {
                ddq,
                lambda,
                ddq_dq,
                ddq_dv,
                ddq_dtau,
                dlambda_dq,
                dlambda_dv,
                dlambda_dtau,
            };
            batch.constraint_dynamics_derivatives(&model, &q, &v, &v, &contact, to).expect("fits");
            batch.frame_poses(&model, &q, &frames, &mut poses).expect("fits");
            batch.frame_jacobians(&model, &q, &frames, ReferenceFrame::World, &mut jacobians).expect("fits");
        };
        run();
        assert_none(&what, run);
    }
}

/// Not even the first call: all memory is the workspace's.
#[test]
fn algorithms_allocate_nothing() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 3);
        let f_ext = wrenches(&model, 3);
        let mut ws = Workspace::new(&model);
        assert_none(&format!("{what}: rnea"), || {
            rnea(&model, &mut ws, &q, &v, &a, &[]).expect("runs");
        });
        assert_none(&format!("{what}: rnea"), || {
            rnea(&model, &mut ws, &q, &v, &a, &f_ext).expect("runs");
        });
        assert_none(&format!("{what}: forward_kinematics"), || {
            let kinematics = forward_kinematics(&model, &mut ws, &q, &v, &a).expect("runs");
            for i in 0..model.bodies().len() {
                let body = model.body_id(i).expect("is there");
                let _ = (kinematics.pose(body), kinematics.velocity(body), kinematics.acceleration(body));
            }
        });
        let (mut q1, mut v1) = (q.clone(), v.clone());
        assert_none(&format!("{what}: integrate, difference, q_dot"), || {
            model.integrate_into(&q, &v, &mut q1).expect("fits");
            model.difference_into(&q, &q1, &mut v1).expect("fits");
            model.q_dot_into(&q, &v, &mut q1).expect("fits");
        });
        let [mut first, mut second, x] = [(); 3].map(|()| DMatrix::from_element(model.nv(), model.nv(), 7.0));
        assert_none(&format!("{what}: interpolate, normalize, derivatives of integrate and difference"), || {
            model.interpolate_into(&q, &q, 0.3, &mut q1).expect("fits");
            model.normalize(&mut q1).expect("fits");
            model.integrate_dq_into(&v, &mut first).expect("fits");
            model.integrate_dv_into(&v, &mut first).expect("fits");
            model.integrate_derivatives_into(&v, &mut first, &mut second).expect("fits");
            model.difference_dq0_into(&q, &q1, &mut first).expect("fits");
            model.difference_dq1_into(&q, &q1, &mut first).expect("fits");
            model.difference_derivatives_into(&q, &q1, &mut first, &mut second).expect("fits");
            model.transport_dq_into(&v, &x, &mut first).expect("fits");
            model.transport_dv_into(&v, &x, &mut first).expect("fits");
        });

        let along = moved(&model, &q, &v);
        let (q, v, a) = (dual(&q, &q1), dual(&v, &a), dual(&a, &v));
        let mut ws = Workspace::new(&model);
        assert_none(&format!("{what}: rnea over duals"), || {
            rnea(&model, &mut ws, &q, &v, &a, &[]).expect("runs");
        });
        let eight = |x: &[Dual64]| x.iter().map(|x| Dual8::from_parts(x.re, [x.eps; 8])).collect::<Vec<_>>();
        let (q, v, a, f_ext) =
            (eight(&along), eight(&v), eight(&a), f_ext.iter().map(ExternalWrench::lift).collect::<Vec<_>>());
        let mut ws = Workspace::new(&model);
        assert_none(&format!("{what}: rnea with eight derivatives"), || {
            rnea(&model, &mut ws, &q, &v, &a, &[]).expect("runs");
            rnea(&model, &mut ws, &q, &v, &a, &f_ext).expect("runs");
        });
    }
}

/// Memory that only some algorithms need is made at their first call. Errors are what remains to be allocated: a model
/// without a regular mass matrix has no second call.
#[test]
fn forward_dynamics_allocates_nothing_the_second_time() {
    for (what, model) in models() {
        let f_ext = wrenches(&model, 3);
        let mut ws = Workspace::new(&model);
        let all = |seed: u64, ws: &mut Workspace<f64>| {
            let (q, v, tau) = state(&model, seed);
            crba(&model, ws, &q).expect("runs");
            coriolis_matrix(&model, ws, &q, &v).expect("runs");
            bias(&model, ws, &q, &v, &f_ext).expect("runs");
            generalized_gravity(&model, ws, &q).expect("runs");
            static_torque(&model, ws, &q, &f_ext).expect("runs");
            mechanical_energy(&model, ws, &q, &v).expect("runs");
            let solved = factorize_mass_matrix(&model, ws, &q).map(|factors| factors.solve(&mut tau.clone())).is_ok();
            let gradient = solved && aba_gradient(&model, ws, &q, &v, &tau, &v, &f_ext).is_ok();
            gradient && minv(&model, ws, &q).is_ok() && aba(&model, ws, &q, &v, &tau, &f_ext).is_ok()
        };
        if all(3, &mut ws) {
            let (q, v, tau) = state(&model, 4);
            let mut x = tau.clone();
            assert_none(&what, || {
                crba(&model, &mut ws, &q).expect("runs");
                coriolis_matrix(&model, &mut ws, &q, &v).expect("runs");
                bias(&model, &mut ws, &q, &v, &f_ext).expect("runs");
                static_torque(&model, &mut ws, &q, &f_ext).expect("runs");
                mechanical_energy(&model, &mut ws, &q, &v).expect("runs");
                factorize_mass_matrix(&model, &mut ws, &q).expect("runs").solve(&mut x).expect("fits");
                minv(&model, &mut ws, &q).expect("runs");
                aba(&model, &mut ws, &q, &v, &tau, &f_ext).expect("runs");
                aba_gradient(&model, &mut ws, &q, &v, &tau, &v, &f_ext).expect("runs");
            });
        }
    }
}

/// Jacobians, momenta, energies, regressors, and derivatives of the motion of frames.
#[test]
fn columns_of_degrees_of_freedom_allocate_nothing_the_second_time() {
    for (what, model) in models() {
        let world = ReferenceFrame::World;
        let last = model.body_id(model.bodies().len() - 1).expect("is there");
        for level in Level::available() {
            with_level(level, || {
                let mut ws = Workspace::<f64>::new(&model);
                let mut run = |(q, v, a): (Vec<f64>, Vec<f64>, Vec<f64>), what: &str| {
                    let mut call = |name: &str, run: &mut dyn FnMut(&mut Workspace<f64>)| match what {
                        "" => run(&mut ws),
                        what => assert_none(&format!("{what}: {name}"), || run(&mut ws)),
                    };
                    let p = Vector3::new(0.1, 0.2, 0.3);
                    let held = [Constraint::contact(last, p, p)];
                    call("frame_jacobian", &mut |ws| used(frame_jacobian(&model, ws, &q, last, world).expect("runs")));
                    call("point_jacobian", &mut |ws| {
                        used(point_jacobian(&model, ws, &q, last, p, world).expect("runs"))
                    });
                    call("of a point", &mut |ws| {
                        used(point_derivatives(&model, ws, &q, &v, &a, last, p, world).expect("runs"));
                    });
                    call("wrench", &mut |ws| used(frame_wrench_regressor(&model, ws, &q, &v, &a, last).expect("runs")));
                    call("placements", &mut |ws| used(kinematic_regressor(&model, ws, &q, last, world).expect("runs")));
                    call("masses", &mut |ws| used(com_regressor(&model, ws, &q).expect("runs")));
                    call("potential", &mut |ws| used(potential_energy(&model, ws, &q).expect("runs")));
                    call("whole", &mut |ws| used(centroidal_momentum(&model, ws, &q, &v, &a).expect("runs")));
                    call("of centers", &mut |ws| {
                        used(center_of_mass_derivatives(&model, ws, &q, &v, &a, None).expect("runs"));
                    });
                    call("rows", &mut |ws| used(constraint_jacobian(&model, ws, &q, &held).expect("runs")));
                    call("their bias", &mut |ws| used(constraint_bias(&model, ws, &q, &v, &held).expect("runs")));
                    call("joint_jacobians", &mut |ws| used(joint_jacobians(&model, ws, &q).expect("runs")));
                    call("com_jacobian", &mut |ws| used(com_jacobian(&model, ws, &q, None).expect("runs")));
                    call("momentum", &mut |ws| used(centroidal_momentum_matrix(&model, ws, &q).expect("runs")));
                    call("centroidal", &mut |ws| used(centroidal(&model, ws, &q, &v, &a).expect("runs")));
                    call("its derivatives", &mut |ws| {
                        used(centroidal_derivatives(&model, ws, &q, &v, &a).expect("runs"));
                    });
                    call("rate", &mut |ws| used(frame_jacobian_rate(&model, ws, &q, &v, last, world).expect("runs")));
                    call("frame", &mut |ws| {
                        used(frame_derivatives(&model, ws, &q, &v, &a, last, world).expect("runs"))
                    });
                    call("regressor", &mut |ws| used(torque_regressor(&model, ws, &q, &v, &a).expect("runs")));
                    call("gravity", &mut |ws| used(generalized_gravity(&model, ws, &q).expect("runs")));
                    call("energy", &mut |ws| used(mechanical_energy(&model, ws, &q, &v).expect("runs")));
                };
                run(state(&model, 6), "");
                run(state(&model, 7), &format!("{what}, {level}"));
            });
        }
    }
}

#[test]
fn derivatives_of_forward_dynamics_allocate_nothing_the_second_time() {
    for (what, model) in models() {
        let f_ext = wrenches(&model, 4);
        for level in Level::available() {
            with_level(level, || {
                let mut ws = DerivativeWorkspace::new(&model);
                let (q, v, tau) = state(&model, 4);
                if aba_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &tau, &f_ext).is_err() {
                    return; // a massless floating base: an error is what remains to be allocated
                }
                let (q, v, tau) = state(&model, 5);
                for wrenches in [&f_ext[..], &f_ext[..1], &[], &f_ext] {
                    assert_none(&format!("{what}, {level}, {} wrenches", wrenches.len()), || {
                        aba_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &tau, wrenches).expect("runs");
                    });
                }
            });
        }
    }
}

#[test]
fn derivatives_allocate_nothing_the_second_time() {
    for (what, model) in models() {
        let f_ext = wrenches(&model, 4);
        for level in Level::available() {
            with_level(level, || {
                let mut ws = DerivativeWorkspace::new(&model);
                let (q, v, a) = state(&model, 4);
                for method in [Method::Analytical, Method::Dual] {
                    rnea_derivatives(&model, &mut ws, method, &q, &v, &a, &f_ext).expect("runs");
                }
                let (q, v, a) = state(&model, 5);
                // At another state, with as many wrenches, with fewer, and again.
                for wrenches in [&f_ext[..], &f_ext[..1], &[], &f_ext] {
                    for method in [Method::Analytical, Method::Dual] {
                        assert_none(&format!("{what}, {level}, {method}, {} wrenches", wrenches.len()), || {
                            rnea_derivatives(&model, &mut ws, method, &q, &v, &a, wrenches).expect("runs");
                        });
                    }
                }
            });
        }
    }
}

/// Parts of the torques, and second derivatives of their combinations.
#[test]
fn contractions_and_terms_allocate_nothing_the_second_time() {
    for (what, model) in models() {
        let (f_ext, (q, v, a)) = (wrenches(&model, 6), state(&model, 6));
        for level in Level::available() {
            with_level(level, || {
                let (mut terms, mut hessian) = (DerivativeWorkspace::new(&model), HessianWorkspace::new(&model));
                let mut plain = Workspace::<f64>::new(&model);
                let mut run = || {
                    for method in [Method::Analytical, Method::Dual] {
                        bias_derivatives(&model, &mut terms, method, &q, &v, &f_ext).expect("runs");
                        static_torque_derivatives(&model, &mut terms, method, &q, &f_ext).expect("runs");
                    }
                    mass_product_derivatives(&model, &mut terms, Method::Analytical, &q, &a).expect("runs");
                    gradyn::dynamics::rnea_gradient(&model, &mut plain, &q, &v, &a, &a, &f_ext).expect("runs");
                    gradyn::dynamics::rnea_derivatives(&model, &mut plain, &q, &v, &a, &f_ext).expect("runs");
                    rnea_hessian(&model, &mut hessian, &q, &v, &a, &a, &f_ext).expect("runs");
                    let along = (&v[..], &a[..], &v[..]);
                    rnea_hessian_product(&model, &mut hessian, &q, &v, &a, &a, along.0, along.1, along.2, &f_ext)
                        .expect("runs");
                };
                run();
                assert_none(&format!("{what}, {level}"), run);
            });
        }
    }
}

mod of_kinematics {
    use super::*;
    use gradyn::dynamics::{
        ReferenceFrame, center_of_mass, centroidal, centroidal_momentum_matrix, com_jacobian, frame_bias_acceleration,
        frame_jacobian, frame_jacobian_rate, point_jacobian, relative_jacobian,
    };
    use gradyn::model::Model;
    use gradyn::partials::{
        center_of_mass_derivatives, centroidal_derivatives, frame_derivatives, jacobian_transpose_derivatives,
        point_derivatives,
    };
    use gradyn::spatial::Force;
    use nalgebra::Vector3;

    /// Jacobians, momentum, and their derivatives in closed form: all that the first call makes is kept.
    #[test]
    fn kinematics_allocate_nothing_the_second_time() {
        for (what, model) in models() {
            let (mut ws, mut of_derivatives) = (Workspace::new(&model), DerivativeWorkspace::new(&model));
            let states = [state(&model, 6), state(&model, 7)];
            kinematics(&model, &mut ws, &mut of_derivatives, &states[0]);
            assert_none(&format!("{what}: kinematics"), || {
                kinematics(&model, &mut ws, &mut of_derivatives, &states[1]);
            });
        }
    }

    fn kinematics(
        model: &Model,
        ws: &mut Workspace<f64>,
        of_derivatives: &mut DerivativeWorkspace,
        (q, v, a): &(Vec<f64>, Vec<f64>, Vec<f64>),
    ) {
        let (body, first) =
            (model.body_id(model.bodies().len() - 1).expect("is there"), model.body_id(0).expect("is there"));
        let (force, point) = (Force::new(Vector3::x(), Vector3::y()), Vector3::new(0.1, 0.2, 0.3));
        for reference in ReferenceFrame::ALL {
            frame_jacobian(model, ws, q, body, reference).expect("runs");
            point_jacobian(model, ws, q, body, point, reference).expect("runs");
            relative_jacobian(model, ws, q, first, body, reference).expect("runs");
            frame_jacobian_rate(model, ws, q, v, body, reference).expect("runs");
            frame_bias_acceleration(model, ws, q, v, body, reference).expect("runs");
            let (ws, method, at) = (&mut *of_derivatives, Method::Analytical, (&q[..], &v[..], &a[..]));
            frame_derivatives(model, ws, method, at.0, at.1, at.2, body, reference).expect("runs");
            point_derivatives(model, ws, method, at.0, at.1, at.2, body, point, reference).expect("runs");
            jacobian_transpose_derivatives(model, ws, method, q, body, reference, force).expect("runs");
        }
        center_of_mass(model, ws, q, v, a).expect("runs");
        com_jacobian(model, ws, q, None).expect("runs");
        centroidal(model, ws, q, v, a).expect("runs");
        centroidal_momentum_matrix(model, ws, q).expect("runs");
        let (ws, method, at) = (&mut *of_derivatives, Method::Analytical, (&q[..], &v[..], &a[..]));
        centroidal_derivatives(model, ws, method, at.0, at.1, at.2).expect("runs");
        center_of_mass_derivatives(model, ws, method, at.0, at.1, at.2, None).expect("runs");
    }
}

#[test]
fn second_derivatives_and_regressors_allocate_nothing_the_second_time() {
    for (what, model) in moderate(models()) {
        let f_ext = wrenches(&model, 6);
        let (q, v, a) = state(&model, 6);
        let singular = aba(&model, &mut Workspace::new(&model), &q, &v, &a, &[]).is_err();
        let (q1, v1, a1) = state(&model, 7);
        let mut ws = SecondOrderWorkspace::new(&model);
        let mut plain = Workspace::new(&model);
        let mut run = |q: &[f64], v: &[f64], a: &[f64]| {
            let method = Method::Analytical;
            rnea_second_derivatives(&model, &mut ws, method, q, v, a, &f_ext).expect("runs");
            if !singular {
                aba_second_derivatives(&model, &mut ws, method, q, v, a, &f_ext).expect("runs");
                aba_hessian(&model, &mut ws, method, q, v, a, a, &f_ext).expect("runs");
                aba_hessian_product(&model, &mut ws, q, v, a, a, v, a, v, &f_ext).expect("runs");
            }
            torque_regressor(&model, &mut plain, q, v, a).expect("runs");
        };
        run(&q, &v, &a);
        assert_none(&what, || run(&q1, &v1, &a1));
    }
}

/// Neither do constraints, nor the derivatives of dynamics under them, at full rank and below.
#[test]
fn constraints_allocate_nothing_the_second_time() {
    for (what, model) in models() {
        let (q, v, tau) = state(&model, 4);
        let f_ext = wrenches(&model, 4);
        let tip = model.body_id(model.bodies().len() - 1).expect("is there");
        let point = Constraint::contact(tip, [0.1, 0.2, 0.3].into(), [0.0; 3].into()).with_gains(4.0, 2.0);
        let list = [point, point];
        let mut ws = DerivativeWorkspace::new(&model);
        let lambda = vec![1.0; list.iter().map(Constraint::rows).sum()];
        let mut run = || {
            let (of, method) = ((&q[..], &v[..], &tau[..]), Method::Analytical);
            let by = constraint_dynamics_derivatives(&model, &mut ws, method, of.0, of.1, of.2, &list, &f_ext).is_ok();
            let run = constraint_inverse_dynamics_derivatives;
            let (a, lambda) = (of.2, &lambda);
            let inverse = run(&model, &mut ws, method, of.0, of.1, a, lambda, &list, &f_ext).is_ok();
            by && inverse && impulse_dynamics_derivatives(&model, &mut ws, method, &q, &v, 0.5, &list).is_ok()
        };
        // Robots with a singular mass matrix are named in an error, which allocates.
        if run() {
            run();
            assert_none(&format!("{what}: constraints"), || assert!(run()));
        }
    }
}

/// Neither do Hessians under constraints, whose rows are independent: a point, a frame, a loop that a joint closes.
#[test]
fn hessians_under_constraints_allocate_nothing_the_second_time() {
    let mut all = 0;
    for (what, model) in models() {
        let (q, v, tau) = state(&model, 4);
        let f_ext = wrenches(&model, 4);
        let tip = model.body_id(model.bodies().len() - 1).expect("is there");
        let at = |x: f64| Transform::from_translation([x, 0.2, 0.3].into());
        let point = Constraint::contact(tip, [0.1, 0.2, 0.3].into(), [0.0; 3].into()).with_gains(4.0, 2.0);
        let frame = Constraint::frame(None, at(0.1), Some(tip), at(0.3)).with_gains(4.0, 2.0);
        let hinge = Constraint::joint(None, at(0.2), tip, at(0.1), Revolute { axis: Axis::Y }).expect("closes");
        for (name, one) in [("point", point), ("frame", frame), ("hinge", hinge)] {
            let (list, weights) = ([one], vec![0.7; one.rows()]);
            let mut ws = SecondOrderWorkspace::new(&model);
            let mut run = || {
                let run = constraint_inverse_dynamics_hessian;
                let inverse = run(&model, &mut ws, &q, &v, &tau, &weights, &v, &weights, &list, &f_ext).is_ok();
                let run = constraint_dynamics_hessian;
                let by = run(&model, &mut ws, &q, &v, &tau, &v, &weights, &list, &f_ext);
                inverse && by.is_ok_and(|by| by.rank == list[0].rows())
            };
            // Robots with a singular mass matrix are named in an error, which allocates; dependent rows have more to
            // do.
            if run() {
                all += 1;
                assert_none(&format!("{what}: {name}"), || assert!(run()));
            }
        }
    }
    assert!(all > 20, "{all}");
}

/// A loop over parameters: the model, what has been derived from it, and results into memory of the caller.
#[test]
fn parameters_are_changed_without_allocating() {
    for (what, model) in models() {
        let mut changed = model.clone();
        let (q, v, a) = state(&model, 5);
        let mut ws = Workspace::new(&changed);
        rnea(&changed, &mut ws, &q, &v, &a, &[]).expect("runs");
        let parameters = model.inertial_parameters();
        let bodies: Vec<_> = (0..model.bodies().len()).map(|i| model.body_id(i).expect("is there")).collect();
        // What was the identity gets its own memory once, and joints without friction their entries.
        let mut run = || {
            changed
                .update_parameters(|p| {
                    p.set_inertial_parameters(&parameters)?;
                    for (body, of) in bodies.iter().zip(model.bodies()) {
                        let mut x = *of.placement();
                        x.translation.z += 0.1;
                        p.set_placement(*body, x)?.set_armature(*body, &[0.1; 6][..of.v_range().len()])?;
                        p.set_damping(*body, &[0.2; 6][..of.v_range().len()])?;
                    }
                    p.set_gravity(Vector3::new(0.1, 0.2, -9.0)).map(|_| ())
                })
                .expect("fits");
            rnea(&changed, &mut ws, &q, &v, &a, &[]).expect("runs");
        };
        if model.bodies().iter().all(|body| body.v_range().len() <= 6) {
            run();
            assert_none(&format!("{what}: parameters one by one"), &mut run);
        }
        let mut other = model.clone().with_gravity(Vector3::zeros());
        rnea(&other, &mut ws, &q, &v, &a, &[]).expect("runs");
        let mut run = || {
            other.update_parameters(|p| p.copy_from(&model).map(|_| ())).expect("same joints");
            rnea(&other, &mut ws, &q, &v, &a, &[]).expect("runs");
        };
        run();
        assert_none(&format!("{what}: parameters of another model"), run);
        let mut run = || {
            frame_pose(&model, &mut ws, &q, bodies[bodies.len() - 1]).expect("runs");
        };
        run();
        assert_none(&format!("{what}: frame_pose"), run);
        let mut run = || {
            standard_regressor(&model, &mut ws, &q, &v, &a).expect("runs");
            frame_pose_jacobian(&model, &mut ws, &q, bodies[0], ReferenceFrame::Local).expect("runs");
        };
        run();
        assert_none(&format!("{what}: standard_regressor, frame_pose_jacobian"), run);
        let (mut by, mut out) = (DerivativeWorkspace::new(&model), RneaDerivatives::default());
        let f_ext = wrenches(&model, 5);
        let mut run = || {
            rnea_derivatives_into(&model, &mut by, Method::Analytical, &q, &v, &a, &f_ext, &mut out).expect("runs");
        };
        run();
        assert_none(&format!("{what}: rnea_derivatives_into"), run);
    }
}
