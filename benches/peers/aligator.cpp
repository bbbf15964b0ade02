// aligator URDF REACHES plain|bounded TOLERANCE MU LOWEST linear|nonlinear: a line of JSON for each reach of the UR5, solved by ProxDDP.
//
// REACHES: a line each, a seed, a target (3), and as many controls of another's solution as follow: none, or 6 for each of 100 steps.
// The problem is that of `trajectory/problems/arms.rs`. "other" is what Aligator says of those controls: their cost, how far from the
// target they end, the fastest that a joint is where velocities have limits; "from_other" is its own solution from there.
// Times are of `run` alone: by the clock, and of the processor's time, which other work on the machine changes less.
#include <aligator/context.hpp>
#include <aligator/core/stage-data.hpp>
#include <aligator/core/traj-opt-data.hpp>
#include <aligator/core/traj-opt-problem.hpp>
#include <aligator/modelling/constraints.hpp>
#include <aligator/modelling/costs/quad-state-cost.hpp>
#include <aligator/modelling/costs/sum-of-costs.hpp>
#include <aligator/modelling/dynamics/integrator-semi-euler.hpp>
#include <aligator/modelling/dynamics/multibody-free-fwd.hpp>
#include <aligator/modelling/linear-function.hpp>
#include <aligator/modelling/multibody/frame-translation.hpp>
#include <aligator/solvers/proxddp/solver-proxddp.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "clock.hpp"

namespace al = aligator;
namespace pin = pinocchio;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Problem = al::context::TrajOptProblem;
using Space = al::MultibodyPhaseSpace<double>;
using Trajectory = std::vector<VectorXd>;

static constexpr int STEPS = 100;
static constexpr double DT = 0.01;

[[noreturn]] static void fail(const char *what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(2);
}

static Problem reach(const pin::Model &model, const Eigen::Vector3d &target, bool bounded) {
  const Space space(model);
  const int ndx = space.ndx(), nu = model.nv;
  const VectorXd start = space.neutral();
  const auto of_states = [&](double weight) {
    return al::QuadraticStateCostTpl<double>(space, nu, start, weight * MatrixXd::Identity(ndx, ndx));
  };
  al::CostStackTpl<double> cost(space, nu);
  cost.addCost(of_states(1e-4), DT);
  cost.addCost(al::QuadraticControlCostTpl<double>(space, nu, 1e-3 * MatrixXd::Identity(nu, nu)), DT);
  const al::dynamics::MultibodyFreeFwdDynamicsTpl<double> forward(space);
  al::context::StageModel stage(cost, al::dynamics::IntegratorSemiImplEulerTpl<double>(forward, DT));
  if (bounded) {
    al::LinearFunctionTpl<double> velocities(ndx, nu, model.nv);
    velocities.A_.rightCols(model.nv).setIdentity();
    const VectorXd most = model.upperVelocityLimit;
    stage.addConstraint(velocities, al::BoxConstraintTpl<double>(-most, most));
  }
  Problem problem(start, nu, space, of_states(1e-8));
  for (int k = 0; k < STEPS; k++) problem.addStage(stage);
  const al::FrameTranslationResidualTpl<double> place(ndx, nu, model, target, model.getFrameId("tool0"));
  problem.addTerminalConstraint(place, al::EqualityConstraintTpl<double>());
  return problem;
}

struct Settings {
  double tolerance, mu, lowest;
  al::RolloutType roll_out;
};

struct Found {
  bool converged = false;
  size_t iterations = 0;
  double ms = 0, processor_ms = 0, cost = 0, primal = 0, dual = 0;
  std::string fault;

  void print(const char *name) const {
    std::printf("\"%s\": {\"converged\": %s, \"iterations\": %zu, \"ms\": %.4f, \"processor_ms\": %.4f, "
                "\"cost\": %.15g, \"primal\": %.3e, \"dual\": %.3e, \"fault\": \"%s\"}",
                name, converged ? "true" : "false", iterations, ms, processor_ms, cost, primal, dual, fault.c_str());
  }
};

static double processor_ns() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}

// With its defaults in all else.
static Found solve(const Problem &problem, const Settings &with, const Trajectory &xs, const Trajectory &us) {
  al::context::SolverProxDDP solver(with.tolerance, with.mu, 400);
  solver.rollout_type_ = with.roll_out;
  solver.bcl_params.mu_lower_bound = with.lowest;
  solver.setup(problem);
  Found found;
  const double began = now_ns(), before = processor_ns();
  try {
    found.converged = solver.run(problem, xs, us);
  } catch (const std::exception &) {
    found.fault = "exception";
  }
  found.ms = (now_ns() - began) / 1e6, found.processor_ms = (processor_ns() - before) / 1e6;
  const auto &results = solver.results_;
  found.iterations = results.num_iters;
  const auto number = [](double x) { return std::isfinite(x) ? x : 1e300; };
  found.cost = number(results.traj_cost_), found.primal = number(results.prim_infeas), found.dual = number(results.dual_infeas);
  return found;
}

int main(int count, char **words) {
  if (count != 8) fail("aligator URDF REACHES plain|bounded TOLERANCE MU LOWEST linear|nonlinear");
  pin::Model model;
  pin::urdf::buildModel(words[1], model);
  std::ifstream text(words[2]);
  if (!text) fail("cannot read the reaches");
  const bool bounded = words[3] == std::string("bounded");
  const auto roll_out = words[7] == std::string("linear") ? al::RolloutType::LINEAR : al::RolloutType::NONLINEAR;
  const Settings with{std::atof(words[4]), std::atof(words[5]), std::atof(words[6]), roll_out};
  for (long seed; text >> seed;) {
    Eigen::Vector3d target;
    int numbers = 0;
    for (double &x : target) text >> x;
    text >> numbers;
    Trajectory other(STEPS, VectorXd::Zero(model.nv));
    if (numbers != 0 && numbers != STEPS * model.nv) fail("other controls than those of 100 steps");
    for (int i = 0; i < numbers; i++) text >> other[i / model.nv][i % model.nv];
    if (!text) fail("the reaches end early");
    const Problem problem = reach(model, target, bounded);
    const VectorXd start = problem.getInitState();
    Trajectory xs(STEPS + 1, start);
    const Found found = solve(problem, with, xs, Trajectory(STEPS, VectorXd::Zero(model.nv)));
    std::printf("{\"seed\": %ld, ", seed);
    found.print("own");
    if (numbers) {
      al::context::TrajOptData data(problem);
      double fastest = 0;
      for (int k = 0; k < STEPS; k++) {
        fastest = std::max(fastest, xs[k].tail(model.nv).cwiseAbs().maxCoeff());
        auto &at = static_cast<al::context::ExplicitDynamicsData &>(*data.stage_data[k]->dynamics_data);
        problem.stages_[k]->dynamics_->forward(xs[k], other[k], at);
        xs[k + 1] = at.xnext_;
      }
      const double cost = problem.evaluate(xs, other, data), off = data.term_cstr_data[0]->value_.cwiseAbs().maxCoeff();
      std::printf(", ");
      solve(problem, with, xs, other).print("from_other");
      std::printf(", \"other\": {\"cost\": %.15g, \"off\": %.3e, \"fastest\": %.9f}", cost, off, fastest);
    }
    std::printf("}\n");
    std::fflush(stdout);
  }
}
