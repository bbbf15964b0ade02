// step TEXT OUT.c: forward dynamics and its derivatives by positions, velocities and the inertial parameters of all bodies, from
// Pinocchio's algorithms over CasADi's symbols, written as C. Parameters are arguments: mass, mass times centre, moments about the
// origin, ten a body in Pinocchio's order.
// jacobian: by CasADi's automatic differentiation of ABA. analytical: Pinocchio's derivatives of ABA and its regressor, traced.
// Both: a, nv, and its derivative, nv by (2 nv + 10 bodies).
#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/regressor.hpp>

#include "robot.hpp"

using casadi::SX;
using Vector = Eigen::Matrix<SX, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<SX, Eigen::Dynamic, Eigen::Dynamic>;

static Vector eigen(const SX &x) {
  Vector y(x.size1());
  for (int i = 0; i < x.size1(); i++) y[i] = x(i);
  return y;
}

static SX symbols(const Matrix &m) {
  SX x = SX::zeros(m.rows(), m.cols());
  for (int i = 0; i < m.rows(); i++)
    for (int j = 0; j < m.cols(); j++) x(i, j) = m(i, j);
  return x;
}

static pin::InertiaTpl<SX> inertia(const SX &p) {
  const SX m = p(0), x = p(1) / m, y = p(2) / m, z = p(3) / m;
  Eigen::Matrix<SX, 3, 1> lever(x, y, z);
  // Steiner: xx, xy, yy, xz, yz, zz.
  pin::Symmetric3Tpl<SX> about(p(4) - m * (y * y + z * z), p(5) + m * x * y, p(6) - m * (x * x + z * z),
                               p(7) + m * x * z, p(8) + m * y * z, p(9) - m * (x * x + y * y));
  return pin::InertiaTpl<SX>(m, lever, about);
}

int main(int count, char **arguments) {
  if (count != 3) fail("usage: step TEXT OUT.c");
  Text text(arguments[1]);
  const pin::Model numbers = read_model(text);
  auto model = numbers.cast<SX>();
  const int nv = model.nv, bodies = model.njoints - 1;
  const SX q = SX::sym("q", nv), v = SX::sym("v", nv), tau = SX::sym("tau", nv), p = SX::sym("p", 10 * bodies);
  for (int i = 0; i < bodies; i++) model.inertias[i + 1] = inertia(p(casadi::Slice(10 * i, 10 * i + 10)));
  pin::DataTpl<SX> data(model);
  const Vector Q = eigen(q), V = eigen(v), F = eigen(tau);
  const casadi::Dict share{{"cse", true}};

  const SX a = symbols(pin::aba(model, data, Q, V, F, pin::Convention::LOCAL));
  const SX by = densify(jacobian(a, vertcat(q, v, p)));
  const casadi::Function automatic("jacobian", {q, v, tau, p}, {a, by}, share);

  pin::computeABADerivatives(model, data, Q, V, F);
  const Vector A = data.ddq;
  const SX dq = symbols(data.ddq_dq), dv = symbols(data.ddq_dv), inverse = triu2symm(triu(symbols(data.Minv)));
  pin::DataTpl<SX> other(model);
  const SX regressor = symbols(pin::computeJointTorqueRegressor(model, other, Q, V, A));
  const SX all = densify(horzcat(dq, dv, -mtimes(inverse, regressor)));
  const casadi::Function analytical("analytical", {q, v, tau, p}, {symbols(A), all}, share);

  const std::string out = arguments[2];
  const auto slash = out.rfind('/');
  casadi::CodeGenerator code(out.substr(slash + 1));
  code.add(automatic);
  code.add(analytical);
  code.generate(out.substr(0, slash + 1));
  std::printf("{\"jacobian\": %lld, \"analytical\": %lld}\n", (long long)automatic.n_instructions(),
              (long long)analytical.n_instructions());
}
