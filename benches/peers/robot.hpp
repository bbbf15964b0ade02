// A Pinocchio model and states from plain text, so that the programs need Pinocchio's headers only and may be compiled
// for any processor. `describe.py` writes the text.
#pragma once
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/model.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace pin = pinocchio;

struct State {
  Eigen::VectorXd q, v, a, tau;
};

[[noreturn]] inline void fail(const std::string &what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(2);
}

class Text {
  std::ifstream in;

 public:
  explicit Text(const std::string &path) : in(path) {
    if (!in) fail("cannot read " + path);
  }
  template <class T>
  T next() {
    T x;
    if (!(in >> x)) fail("the text ends early");
    return x;
  }
  Eigen::VectorXd vector(int n) {
    Eigen::VectorXd x(n);
    for (int i = 0; i < n; i++) x[i] = next<double>();
    return x;
  }
  Eigen::Matrix3d matrix3() {
    Eigen::Matrix3d m;
    for (int i = 0; i < 9; i++) m(i / 3, i % 3) = next<double>();
    return m;
  }
  pin::SE3 pose() {
    const Eigen::Matrix3d rotation = matrix3();
    return pin::SE3(rotation, vector(3));
  }
  pin::Inertia inertia() {
    const double mass = next<double>();
    const Eigen::Vector3d lever = vector(3);
    return pin::Inertia(mass, lever, matrix3());
  }
};

inline pin::JointModel joint_of(const std::string &kind, const Eigen::Vector3d &axis) {
  if (kind == "FreeFlyer") return pin::JointModelFreeFlyer();
  if (kind == "RX") return pin::JointModelRX();
  if (kind == "RY") return pin::JointModelRY();
  if (kind == "RZ") return pin::JointModelRZ();
  if (kind == "PX") return pin::JointModelPX();
  if (kind == "PY") return pin::JointModelPY();
  if (kind == "PZ") return pin::JointModelPZ();
  if (kind == "RUBX") return pin::JointModelRUBX();
  if (kind == "RUBY") return pin::JointModelRUBY();
  if (kind == "RUBZ") return pin::JointModelRUBZ();
  if (kind == "RevoluteUnaligned") return pin::JointModelRevoluteUnaligned(axis);
  if (kind == "PrismaticUnaligned") return pin::JointModelPrismaticUnaligned(axis);
  fail("unknown joint " + kind);
}

inline pin::Model read_model(Text &text) {
  pin::Model model;
  const int joints = text.next<int>();
  for (int k = 0; k < joints; k++) {
    const auto name = text.next<std::string>();
    const auto kind = text.next<std::string>();
    const int parent = text.next<int>();
    const Eigen::Vector3d axis = text.vector(3);
    const pin::SE3 placement = text.pose();
    const pin::Inertia inertia = text.inertia();
    const auto id = model.addJoint(parent, joint_of(kind, axis), placement, name);
    model.appendBodyToJoint(id, inertia);
    model.addJointFrame(id);
  }
  return model;
}

// All that a robot's constants are: of each joint its placement, of its body mass, mass centre and rotational inertia.
template <class Model, class F>
void each_constant(Model &model, F f) {
  for (pin::JointIndex i = 1; i < pin::JointIndex(model.njoints); i++) {
    auto &placement = model.jointPlacements[i];
    auto &inertia = model.inertias[i];
    for (int k = 0; k < 9; k++) f(placement.rotation()(k / 3, k % 3));
    for (int k = 0; k < 3; k++) f(placement.translation()[k]);
    f(inertia.mass());
    for (int k = 0; k < 3; k++) f(inertia.lever()[k]);
    for (int k = 0; k < 6; k++) f(inertia.inertia().data()[k]);
  }
}

inline std::vector<State> read_states(Text &text, const pin::Model &model) {
  std::vector<State> states(text.next<int>());
  for (auto &s : states) {
    s.q = text.vector(model.nq);
    s.v = text.vector(model.nv);
    s.a = text.vector(model.nv);
    s.tau = text.vector(model.nv);
  }
  return states;
}
