// pinocchio TEXT check | time: results at the first state, or times, as JSON.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass-derivatives.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal-derivatives.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/impulse-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/impulse-dynamics.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics-derivatives.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "clock.hpp"
#include "robot.hpp"

// Nothing, if a number is none: where constraints depend on each other.
static void print(const char *name, const Eigen::MatrixXd &m, bool last = false) {
  if (!m.allFinite()) {
    std::printf("\"%s\": null%s", name, last ? "" : ", ");
    return;
  }
  std::printf("\"%s\": [", name);
  for (int i = 0; i < m.rows(); i++)
    for (int j = 0; j < m.cols(); j++) std::printf("%s%.17g", i + j ? "," : "", m(i, j));
  std::printf("]%s", last ? "" : ", ");
}

static void print(const char *name, const pin::Data::Tensor3x &t) {
  std::printf("\"%s\": [", name);
  for (int i = 0; i < t.dimension(0); i++)
    for (int j = 0; j < t.dimension(1); j++)
      for (int k = 0; k < t.dimension(2); k++) std::printf("%s%.17g", i + j + k ? "," : "", t(i, j, k));
  std::printf("], ");
}

// Up to so many degrees of freedom second derivatives are asked for: they are four times its cube of numbers.
static constexpr int TENSORS = 128;

static Eigen::MatrixXd symmetric(Eigen::MatrixXd m) {
  m.triangularView<Eigen::StrictlyLower>() = m.transpose().triangularView<Eigen::StrictlyLower>();
  return m;
}

// Points of the first four leaves of the tree, held where they are.
struct Contacts {
  PINOCCHIO_ALIGNED_STD_VECTOR(pin::RigidConstraintModel) models;
  PINOCCHIO_ALIGNED_STD_VECTOR(pin::RigidConstraintData) datas;
  pin::ProximalSettings settings{1e-14, 0.0, 1};

  explicit Contacts(const pin::Model &model) {
    std::vector<bool> leaf(model.njoints, true);
    for (int i = 1; i < model.njoints; i++) leaf[model.parents[i]] = false;
    for (int i = 1; i < model.njoints && models.size() < 4; i++)
      if (leaf[i]) models.emplace_back(pin::CONTACT_3D, model, i, pin::LOCAL_WORLD_ALIGNED);
    for (const auto &contact : models) datas.emplace_back(contact);
  }
};

// The joint with the longest way to the root, the last one of several.
static pin::JointIndex deepest(const pin::Model &model) {
  std::vector<int> depth(model.njoints, 0);
  pin::JointIndex found = 1;
  for (pin::JointIndex i = 1; i < pin::JointIndex(model.njoints); i++) {
    depth[i] = depth[model.parents[i]] + 1;
    if (depth[i] >= depth[found]) found = i;
  }
  return found;
}

static void check(const pin::Model &model, const State &s) {
  pin::Data data(model);
  std::printf("{");
  print("tau", pin::rnea(model, data, s.q, s.v, s.a));
  print("bias", pin::nonLinearEffects(model, data, s.q, s.v));
  print("gravity", pin::computeGeneralizedGravity(model, data, s.q));
  print("mass_matrix", symmetric(pin::crba(model, data, s.q, pin::Convention::WORLD)));
  print("mass_matrix_inverse", symmetric(pin::computeMinverse(model, data, s.q)));
  pin::computeRNEADerivatives(model, data, s.q, s.v, s.a);
  print("dtau_dq", data.dtau_dq);
  print("dtau_dv", data.dtau_dv);
  if (model.nv <= TENSORS) {
    pin::ComputeRNEASecondOrderDerivatives(model, data, s.q, s.v, s.a);
    print("d2tau_dqdq", data.d2tau_dqdq);
    print("d2tau_dqdv", data.d2tau_dqdv);
    print("d2tau_dvdv", data.d2tau_dvdv);
    print("d2tau_dadq", data.d2tau_dadq);
  }
  print("ddq", pin::aba(model, data, s.q, s.v, s.tau, pin::Convention::WORLD));
  pin::computeABADerivatives(model, data, s.q, s.v, s.tau);
  print("ddq_dq", data.ddq_dq);
  print("ddq_dv", data.ddq_dv);
  Contacts held(model);
  pin::initConstraintDynamics(model, data, held.models, held.datas);
  print("constrained_ddq", pin::constraintDynamics(model, data, s.q, s.v, s.tau, held.models, held.datas, held.settings));
  pin::computeConstraintDynamicsDerivatives(model, data, held.models, held.datas, held.settings);
  print("constrained_ddq_dq", data.ddq_dq);
  print("constraint_forces_dq", data.dlambda_dq);
  pin::Data struck(model);
  pin::initConstraintDynamics(model, struck, held.models, held.datas);
  print("impulse_v", pin::impulseDynamics(model, struck, s.q, s.v, held.models, held.datas, 0.0, held.settings));
  pin::computeImpulseDynamicsDerivatives(model, struck, held.models, held.datas, 0.0, held.settings);
  print("impulse_v_dv", Eigen::MatrixXd::Identity(model.nv, model.nv) + struck.ddq_dv, true);
  std::printf("}\n");
}

static void time_all(const pin::Model &m, const std::vector<State> &S, const std::string &only) {
  using pin::Convention;
  pin::Data d(m);
  const int n = int(S.size()), nv = m.nv;
  const pin::JointIndex last = deepest(m);
  Clock clock(only);
  auto time = [&](const char *name, auto call) {
    clock.time(name, n, [&](int i) { call(S[i]); });
  };
  time("rnea", [&](const State &s) { pin::rnea(m, d, s.q, s.v, s.a); });
  time("crba/local", [&](const State &s) { pin::crba(m, d, s.q, Convention::LOCAL); });
  time("crba/world", [&](const State &s) { pin::crba(m, d, s.q, Convention::WORLD); });
  time("aba/local", [&](const State &s) { pin::aba(m, d, s.q, s.v, s.tau, Convention::LOCAL); });
  time("aba/world", [&](const State &s) { pin::aba(m, d, s.q, s.v, s.tau, Convention::WORLD); });
  time("computeMinverse", [&](const State &s) { pin::computeMinverse(m, d, s.q); });
  time("computeRNEADerivatives", [&](const State &s) { pin::computeRNEADerivatives(m, d, s.q, s.v, s.a); });
  time("computeABADerivatives", [&](const State &s) { pin::computeABADerivatives(m, d, s.q, s.v, s.tau); });
  time("nonLinearEffects", [&](const State &s) { pin::nonLinearEffects(m, d, s.q, s.v); });
  time("computeGeneralizedGravity", [&](const State &s) { pin::computeGeneralizedGravity(m, d, s.q); });
  time("computeCoriolisMatrix", [&](const State &s) { pin::computeCoriolisMatrix(m, d, s.q, s.v); });
  time("crba+cholesky", [&](const State &s) {
    pin::crba(m, d, s.q, Convention::WORLD);
    pin::cholesky::decompose(m, d);
  });
  Eigen::VectorXd x(nv);
  time("crba+cholesky+solve", [&](const State &s) {
    x = s.tau;
    pin::crba(m, d, s.q, Convention::WORLD);
    pin::cholesky::decompose(m, d);
    pin::cholesky::solve(m, d, x);
  });
  time("forwardKinematics", [&](const State &s) { pin::forwardKinematics(m, d, s.q, s.v, s.a); });
  time("computeJointJacobians", [&](const State &s) { pin::computeJointJacobians(m, d, s.q); });
  Eigen::MatrixXd dg = Eigen::MatrixXd::Zero(nv, nv);
  const pin::container::aligned_vector<pin::Force> still(m.njoints, pin::Force::Zero());
  pin::Data::Matrix6x J = pin::Data::Matrix6x::Zero(6, nv), J2 = J, J3 = J, J4 = J;
  time("computeJointJacobiansTimeVariation", [&](const State &s) {
    pin::computeJointJacobiansTimeVariation(m, d, s.q, s.v);
    pin::getJointJacobianTimeVariation(m, d, last, pin::WORLD, J);
  });
  time("computeForwardKinematicsDerivatives", [&](const State &s) {
    pin::computeForwardKinematicsDerivatives(m, d, s.q, s.v, s.a);
    pin::getJointAccelerationDerivatives(m, d, last, pin::WORLD, J, J2, J3, J4);
  });
  using Matrix3x = pin::Data::Matrix3x;
  Matrix3x P = Matrix3x::Zero(3, nv), P2 = P, P3 = P, P4 = P, P5 = P;
  const pin::SE3 point(Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.1, -0.2, 0.3));
  time("getPointClassicAccelerationDerivatives", [&](const State &s) {
    pin::computeForwardKinematicsDerivatives(m, d, s.q, s.v, s.a);
    pin::getPointClassicAccelerationDerivatives(m, d, last, point, pin::LOCAL_WORLD_ALIGNED, P, P2, P3, P4, P5);
  });
  time("getCenterOfMassVelocityDerivatives", [&](const State &s) {
    pin::computeForwardKinematicsDerivatives(m, d, s.q, s.v, s.a);
    pin::centerOfMass(m, d, s.q, s.v);
    pin::getCenterOfMassVelocityDerivatives(m, d, P);
  });
  const pin::FrameIndex frame = m.getFrameId(m.names[last]);
  time("computeFrameJacobian", [&](const State &s) { pin::computeFrameJacobian(m, d, s.q, frame, pin::WORLD, J); });
  pin::Data::Matrix6x placements = pin::Data::Matrix6x::Zero(6, 6 * (m.njoints - 1));
  time("computeJointKinematicRegressor", [&](const State &s) {
    pin::forwardKinematics(m, d, s.q);
    pin::computeJointKinematicRegressor(m, d, last, pin::WORLD, placements);
  });
  time("jointBodyRegressor", [&](const State &s) {
    pin::rnea(m, d, s.q, s.v, s.a);
    pin::jointBodyRegressor(m, d, last);
  });
  if (nv <= TENSORS)
    time("ComputeRNEASecondOrderDerivatives",
         [&](const State &s) { pin::ComputeRNEASecondOrderDerivatives(m, d, s.q, s.v, s.a); });
  time("ccrba", [&](const State &s) { pin::ccrba(m, d, s.q, s.v); });
  time("dccrba", [&](const State &s) { pin::dccrba(m, d, s.q, s.v); });
  time("computeCentroidalDynamicsDerivatives", [&](const State &s) {
    pin::computeCentroidalDynamicsDerivatives(m, d, s.q, s.v, s.a, J, J2, J3, J4);
  });
  time("jacobianCenterOfMass", [&](const State &s) { pin::jacobianCenterOfMass(m, d, s.q, false); });
  time("jacobianSubtreeCenterOfMass",
       [&](const State &s) { pin::jacobianSubtreeCenterOfMass(m, d, s.q, m.parents[last], P); });
  time("computeCentroidalMomentumTimeVariation",
       [&](const State &s) { pin::computeCentroidalMomentumTimeVariation(m, d, s.q, s.v, s.a); });
  time("computeCentroidalMap", [&](const State &s) { pin::computeCentroidalMap(m, d, s.q); });
  time("computeKineticEnergy", [&](const State &s) { pin::computeKineticEnergy(m, d, s.q, s.v); });
  time("computePotentialEnergy", [&](const State &s) { pin::computePotentialEnergy(m, d, s.q); });
  time("computeMechanicalEnergy", [&](const State &s) { pin::computeMechanicalEnergy(m, d, s.q, s.v); });
  time("computeJointTorqueRegressor", [&](const State &s) { pin::computeJointTorqueRegressor(m, d, s.q, s.v, s.a); });
  time("computeStaticRegressor", [&](const State &s) { pin::computeStaticRegressor(m, d, s.q); });
  time("computeStaticTorque", [&](const State &s) { pin::computeStaticTorque(m, d, s.q, still); });
  time("computeStaticTorqueDerivatives", [&](const State &s) { pin::computeStaticTorqueDerivatives(m, d, s.q, still, dg); });
  time("computeGeneralizedGravityDerivatives",
       [&](const State &s) { pin::computeGeneralizedGravityDerivatives(m, d, s.q, dg); });
  time("centerOfMass", [&](const State &s) { pin::centerOfMass(m, d, s.q, s.v, s.a); });
  time("computeKineticEnergyRegressor", [&](const State &s) { pin::computeKineticEnergyRegressor(m, d, s.q, s.v); });
  time("computePotentialEnergyRegressor", [&](const State &s) { pin::computePotentialEnergyRegressor(m, d, s.q); });
  Contacts held(m);
  pin::initConstraintDynamics(m, d, held.models, held.datas);
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3 * held.models.size(), nv);
  time("getConstraintsJacobian", [&](const State &s) {
    pin::computeJointJacobians(m, d, s.q);
    for (size_t k = 0; k < held.models.size(); k++) held.models[k].calc(m, d, held.datas[k]);
    pin::getConstraintsJacobian(m, d, held.models, held.datas, rows);
  });
  const bool defined =
      pin::constraintDynamics(m, d, S[0].q, S[0].v, S[0].tau, held.models, held.datas, held.settings).allFinite();
  auto time_held = [&](const char *name, auto call) {
    if (defined) time(name, call);
  };
  time_held("constraintDynamics", [&](const State &s) {
    pin::constraintDynamics(m, d, s.q, s.v, s.tau, held.models, held.datas, held.settings);
  });
  time_held("computeConstraintDynamicsDerivatives", [&](const State &s) {
    pin::constraintDynamics(m, d, s.q, s.v, s.tau, held.models, held.datas, held.settings);
    pin::computeConstraintDynamicsDerivatives(m, d, held.models, held.datas, held.settings);
  });
  time_held("impulseDynamics", [&](const State &s) {
    pin::impulseDynamics(m, d, s.q, s.v, held.models, held.datas, 0.0, held.settings);
  });
  time_held("computeImpulseDynamicsDerivatives", [&](const State &s) {
    pin::impulseDynamics(m, d, s.q, s.v, held.models, held.datas, 0.0, held.settings);
    pin::computeImpulseDynamicsDerivatives(m, d, held.models, held.datas, 0.0, held.settings);
  });
  Eigen::VectorXd q(m.nq), v(nv);
  time("integrate", [&](const State &s) { pin::integrate(m, s.q, s.v, q); });
  time("difference", [&](const State &s) { pin::difference(m, s.q, S[0].q, v); });
  time("interpolate", [&](const State &s) { pin::interpolate(m, s.q, S[0].q, 0.3, q); });
  time("normalize", [&](const State &s) {
    q = s.q;
    pin::normalize(m, q);
  });
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(nv, nv), D2 = D;
  time("dIntegrate", [&](const State &s) {
    pin::dIntegrate(m, s.q, s.v, D, pin::ARG0);
    pin::dIntegrate(m, s.q, s.v, D2, pin::ARG1);
  });
  time("dDifference", [&](const State &s) {
    pin::dDifference(m, s.q, S[0].q, D, pin::ARG0);
    pin::dDifference(m, s.q, S[0].q, D2, pin::ARG1);
  });
  time("dIntegrateTransport", [&](const State &s) { pin::dIntegrateTransport(m, s.q, s.v, d.M, D, pin::ARG0); });
  clock.finish();
}

int main(int count, char **arguments) {
  if (count < 3) fail("usage: pinocchio TEXT check|time [NAME]");
  Text text(arguments[1]);
  const pin::Model model = read_model(text);
  const auto states = read_states(text, model);
  if (std::string(arguments[2]) == "check")
    check(model, states[0]);
  else
    time_all(model, states, count > 3 ? arguments[3] : "");
}
