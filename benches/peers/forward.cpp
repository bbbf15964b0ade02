// forward LIBRARY TEXT FUNCTION STEPS RUNS: forward sensitivities along semi-implicit Euler steps of 1 ms, by the start and the inertial
// parameters of a seven-joint arm, from the C that step.cpp has written. All states' matrices are kept. Starts at zero, velocities
// and torques are 0.1. Prints the last state, its derivatives (row by row: q, v; by p, q0, v0), and the processor's seconds of each run.
#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <memory>

#include "robot.hpp"

using Call = int (*)(const double **, double **, long long *, double *, int);
using Sizes = int (*)(long long *, long long *, long long *, long long *);

constexpr int N = 7, P = 10 * N, ALL = P + 2 * N;
constexpr double DT = 1e-3;
using Columns = Eigen::Matrix<double, N, ALL>;
using Joints = Eigen::Matrix<double, N, 1>;

struct Node {
  Joints q, v;
  Columns by_q, by_v;  // of q and v, by p, q0, v0
};

// Of the processor: what others do with it meanwhile does not count.
static double seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

static void print(const char *name, const std::vector<double> &x, const char *after) {
  std::printf("\"%s\": [", name);
  for (size_t i = 0; i < x.size(); i++) std::printf("%s%.17g", i ? "," : "", x[i]);
  std::printf("]%s", after);
}

int main(int count, char **arguments) {
  if (count != 6) fail("usage: forward LIBRARY TEXT FUNCTION STEPS RUNS");
  Text text(arguments[2]);
  const pin::Model model = read_model(text);
  if (model.nv != N || model.njoints != N + 1) fail("not an arm of seven joints");
  const int steps = std::atoi(arguments[4]), runs = std::atoi(arguments[5]);
  void *library = dlopen(arguments[1], RTLD_NOW);
  if (!library) fail(dlerror());
  const std::string name = arguments[3];
  const auto call = Call(dlsym(library, name.c_str()));
  const auto sizes = Sizes(dlsym(library, (name + "_work").c_str()));
  if (!call || !sizes) fail("no function " + name);
  long long arg = 0, res = 0, iw = 0, w = 0;
  sizes(&arg, &res, &iw, &w);
  std::vector<const double *> from(arg + 4);
  std::vector<double *> to(res + 2);
  std::vector<long long> integers(iw + 1);
  std::vector<double> work(w + 1), parameters;
  for (int i = 1; i <= N; i++) {
    const auto p = model.inertias[i].toDynamicParameters();
    parameters.insert(parameters.end(), p.data(), p.data() + 10);
  }

  std::vector<Node, Eigen::aligned_allocator<Node>> nodes(steps + 1);
  Joints a, tau = Joints::Constant(0.1);
  Eigen::Matrix<double, N, 2 * N + P> by;  // of a, by q, v, p
  auto simulate = [&] {
    Node &first = nodes[0];
    first.q.setZero(), first.v.setConstant(0.1), first.by_q.setZero(), first.by_v.setZero();
    first.by_q.middleCols<N>(P).setIdentity(), first.by_v.rightCols<N>().setIdentity();
    for (int k = 0; k < steps; k++) {
      const Node &here = nodes[k];
      Node &next = nodes[k + 1];
      from[0] = here.q.data(), from[1] = here.v.data(), from[2] = tau.data(), from[3] = parameters.data();
      to[0] = a.data(), to[1] = by.data();
      call(from.data(), to.data(), integers.data(), work.data(), 0);
      next.by_v = here.by_v;
      next.by_v.noalias() += (DT * by.leftCols<N>()).eval() * here.by_q;
      next.by_v.noalias() += (DT * by.middleCols<N>(N)).eval() * here.by_v;
      next.by_v.leftCols<P>() += DT * by.rightCols<P>();
      next.by_q = here.by_q + DT * next.by_v;
      next.v = here.v + DT * a;
      next.q = here.q + DT * next.v;
    }
  };
  simulate();
  std::vector<double> times;
  for (int i = 0; i < runs; i++) {
    const double start = seconds();
    simulate();
    times.push_back(seconds() - start);
  }
  const Node &last = nodes[steps];
  std::vector<double> all;
  for (const Columns *part : {&last.by_q, &last.by_v})
    for (int i = 0; i < N; i++)
      for (int j = 0; j < ALL; j++) all.push_back((*part)(i, j));
  std::printf("{");
  print("q", {last.q.data(), last.q.data() + N}, ", ");
  print("v", {last.v.data(), last.v.data() + N}, ", ");
  print("by", all, ", ");
  print("times", times, "}\n");
}
