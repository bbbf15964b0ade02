// mpc URDF panda|solo12 CONTROLS CYCLES MU: a line of JSON: cycles of predictive control by ProxDDP, two iterations each.
//
// The problems are `panda_mpc` and `solo12_mpc` of `trajectory/problems`, the cycles those of `trajectory/benches/mpc.rs`.
// CONTROLS: of another's first solution, a line of numbers; "other" is what Aligator says that they cost.
// Times are by the clock: `cycleProblem` and `run`.
#include <aligator/context.hpp>
#include <aligator/core/stage-data.hpp>
#include <aligator/core/traj-opt-data.hpp>
#include <aligator/core/traj-opt-problem.hpp>
#include <aligator/modelling/constraints.hpp>
#include <aligator/modelling/costs/quad-residual-cost.hpp>
#include <aligator/modelling/costs/quad-state-cost.hpp>
#include <aligator/modelling/costs/sum-of-costs.hpp>
#include <aligator/modelling/dynamics/integrator-semi-euler.hpp>
#include <aligator/modelling/dynamics/multibody-constraint-fwd.hpp>
#include <aligator/modelling/dynamics/multibody-free-fwd.hpp>
#include <aligator/modelling/multibody/frame-placement.hpp>
#include <aligator/modelling/multibody/frame-translation.hpp>
#include <aligator/modelling/state-error.hpp>
#include <aligator/solvers/proxddp/solver-proxddp.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "clock.hpp"

namespace al = aligator;
namespace pin = pinocchio;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Problem = al::context::TrajOptProblem;
using Stage = al::context::StageModel;
using Space = al::MultibodyPhaseSpace<double>;
using Costs = al::CostStackTpl<double>;
using Trajectory = std::vector<VectorXd>;

// Of measured states, rad and rad/s, or m and m/s; as in `trajectory/benches/mpc.rs`.
static constexpr double NOISE = 1e-3;

[[noreturn]] static void fail(const char *what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(2);
}

struct Maker {
  const Space space;
  const VectorXd start;
  const int nu;
  const double dt, most;

  template <class Residual> al::QuadraticResidualCostTpl<double> squared(const Residual &residual, const VectorXd &weights) const {
    return {space, residual, MatrixXd(weights.asDiagonal())};
  }
  al::QuadraticResidualCostTpl<double> near(const VectorXd &state, const VectorXd &weights) const {
    return squared(al::StateErrorResidualTpl<double>(space, nu, state), weights);
  }
  template <class Dynamics> Stage stage(const Costs &costs, const Dynamics &dynamics) const {
    Stage made(costs, al::dynamics::IntegratorSemiImplEulerTpl<double>(dynamics, dt));
    const VectorXd bound = VectorXd::Constant(nu, most);
    made.addConstraint(al::ControlErrorResidualTpl<double>(space.ndx(), VectorXd::Zero(nu)), al::BoxConstraintTpl<double>(-bound, bound));
    return made;
  }
};

// `panda_mpc`: the hand to a pose.
static Problem arm(const pin::Model &model) {
  const Space space(model);
  VectorXd start = space.neutral();
  start.head(model.nq) << 0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8;
  const int nu = model.nv;
  const Maker make{space, start, nu, 0.02, 15.0};
  const pin::SE3 goal(Eigen::Matrix3d::Identity(), Vector3d(0.4, 0.2, 0.4));
  const al::FramePlacementResidualTpl<double> hand(space.ndx(), nu, model, goal, model.getFrameId("panda_link8"));
  const VectorXd one = VectorXd::Ones(6), all = VectorXd::Ones(space.ndx());
  Costs costs(space, nu), last(space, nu);
  costs.addCost(make.squared(hand, one), make.dt);
  costs.addCost(make.near(space.neutral(), 0.1 * all), make.dt);
  costs.addCost(al::QuadraticControlCostTpl<double>(space, nu, 0.1 * MatrixXd::Identity(nu, nu)), make.dt);
  last.addCost(make.squared(hand, 1e3 * one));
  last.addCost(make.near(space.neutral(), 0.1 * all));
  Problem problem(start, nu, space, last);
  const Stage stage = make.stage(costs, al::dynamics::MultibodyFreeFwdDynamicsTpl<double>(space));
  for (int k = 0; k < 50; k++) problem.addStage(stage);
  return problem;
}

// `solo12_mpc`: two steps of a trot.
static Problem trot(const pin::Model &model) {
  static constexpr int STEP = 25;
  const std::array<const char *, 4> feet{"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"};
  const Space space(model);
  VectorXd start = space.neutral();
  start.segment(7, 12) << 0.0, 0.7, -1.4, 0.0, 0.7, -1.4, 0.0, -0.7, 1.4, 0.0, -0.7, 1.4;
  pin::Data data(model);
  pin::framesForwardKinematics(model, data, start.head(model.nq));
  start[2] = -data.oMf[model.getFrameId(feet[0])].translation().z();
  pin::framesForwardKinematics(model, data, start.head(model.nq));
  const int nu = model.nv - 6, nv = model.nv;
  const Maker make{space, start, nu, 0.02, 2.7};
  VectorXd posture(2 * nv), stop(2 * nv);
  posture << VectorXd::Zero(3), VectorXd::Ones(3), VectorXd::Constant(nv - 6, 0.1), VectorXd::Constant(nv, 0.05);
  stop << VectorXd::Zero(2), VectorXd::Constant(4, 10), VectorXd::Ones(nv - 6), VectorXd::Ones(nv);
  Costs last(space, nu);
  last.addCost(make.near(start, stop));
  MatrixXd actuation = MatrixXd::Zero(nv, nu);
  actuation.bottomRows(nu).setIdentity();
  Problem problem(start, nu, space, last);
  for (int number = 0; number < 2; number++) {
    // FR and HL swing first.
    const auto swings = [&](int foot) { return (foot == 1 || foot == 2) == (number == 0); };
    PINOCCHIO_ALIGNED_STD_VECTOR(pin::RigidConstraintModel) contacts;
    for (int foot = 0; foot < 4; foot++) {
      if (swings(foot)) continue;
      const auto &frame = model.frames[model.getFrameId(feet[foot])];
      contacts.emplace_back(pin::CONTACT_3D, model, frame.parentJoint, frame.placement, pin::LOCAL);
      contacts.back().setBaumgarteCorrectorParameters(pin::BaumgarteCorrectorParametersTpl<double>(0.0, 0.5 / make.dt));
    }
    const al::dynamics::MultibodyConstraintFwdDynamicsTpl<double> dynamics(space, actuation, contacts, pin::ProximalSettings(1e-12, 0.0, 1));
    for (int k = 0; k < STEP; k++) {
      Costs costs(space, nu);
      costs.addCost(make.near(start, posture), make.dt);
      costs.addCost(al::QuadraticControlCostTpl<double>(space, nu, 2e-2 * MatrixXd::Identity(nu, nu)), make.dt);
      const double share = k / (STEP - 1.0);
      for (int foot = 0; foot < 4; foot++) {
        if (!swings(foot)) continue;
        const auto id = model.getFrameId(feet[foot]);
        const Vector3d goal = data.oMf[id].translation() + Vector3d(0.05 * share, 0, 0.2 * share * (1 - share));
        const al::FrameTranslationResidualTpl<double> place(space.ndx(), nu, model, goal, id);
        costs.addCost(make.squared(place, VectorXd::Constant(3, 1e2)), make.dt);
      }
      problem.addStage(make.stage(costs, dynamics));
    }
  }
  return problem;
}

int main(int count, char **words) {
  if (count != 6) fail("mpc URDF panda|solo12 CONTROLS CYCLES MU");
  const bool moves = words[2] == std::string("panda");
  pin::Model model;
  if (moves)
    pin::urdf::buildModel(words[1], model);
  else
    pin::urdf::buildModel(words[1], pin::JointModelFreeFlyer(), model);
  Problem problem = moves ? arm(model) : trot(model);
  const size_t steps = problem.numSteps();
  const int nu = moves ? model.nv : model.nv - 6;
  const Space space(model);
  std::ifstream text(words[3]);
  Trajectory other(steps, VectorXd::Zero(nu)), xs(steps + 1, problem.getInitState()), us(steps, VectorXd::Zero(nu));
  for (auto &u : other)
    for (double &x : u) text >> x;
  if (!text) fail("the controls end early");

  al::context::TrajOptData data(problem);
  Trajectory led = xs;
  for (size_t k = 0; k < steps; k++) {
    auto &at = static_cast<al::context::ExplicitDynamicsData &>(*data.stage_data[k]->dynamics_data);
    problem.stages_[k]->dynamics_->forward(led[k], other[k], at);
    led[k + 1] = at.xnext_;
  }
  const double of_other = problem.evaluate(led, other, data);

  al::context::SolverProxDDP solver(1e-8, std::atof(words[5]), 1000);
  solver.rollout_type_ = al::RolloutType::LINEAR;
  solver.setup(problem);
  const bool converged = solver.run(problem, xs, us);
  auto &results = solver.results_;
  std::printf("{\"converged\": %s, \"iterations\": %zu, \"cost\": %.15g, \"other\": %.15g, \"primal\": %.3e, \"dual\": %.3e, \"cycles\": [",
              converged ? "true" : "false", results.num_iters, results.traj_cost_, of_other, results.prim_infeas, results.dual_infeas);
  solver.max_iters = 2;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> noise(-NOISE, NOISE);
  const VectorXd first = problem.getInitState();
  const auto stage = problem.stages_.back();
  double primal = 0, dual = 0;
  VectorXd off(space.ndx()), x(space.nx());
  const int cycles = std::atoi(words[4]);
  for (int cycle = 0; cycle < cycles; cycle++) {
    for (double &entry : off) entry = noise(random);
    space.integrate(moves ? results.xs[1] : first, off, x);
    const auto fresh = moves ? stage->createData() : nullptr;
    const double began = now_ns();
    if (moves) {
      problem.replaceStageCircular(stage);
      solver.cycleProblem(problem, fresh);
    }
    problem.setInitState(x);
    xs.assign(results.xs.begin(), results.xs.end());
    us.assign(results.us.begin(), results.us.end());
    xs[0] = x;
    const Trajectory vs(results.vs.begin(), results.vs.end()), lams(results.lams.begin(), results.lams.end());
    solver.run(problem, xs, us, vs, lams);
    const double ms = (now_ns() - began) / 1e6;
    std::printf("%s%.6g", cycle ? ", " : "", ms);
    primal = std::max(primal, results.prim_infeas), dual = std::max(dual, results.dual_infeas);
  }
  std::printf("], \"worst_primal\": %.3e, \"worst_dual\": %.3e}\n", primal, dual);
}
