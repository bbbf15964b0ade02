// casadi TEXT OUT.c: Pinocchio's algorithms over CasADi's symbols, written as C with the robot's constants folded in:
// rnea, drnea (its derivatives by automatic differentiation), arnea (the analytical algorithm, traced) and aba.
#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "robot.hpp"

using casadi::SX;
using casadi::Slice;
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

int main(int count, char **arguments) {
  if (count != 3) fail("usage: casadi TEXT OUT.c");
  Text text(arguments[1]);
  const pin::Model numbers = read_model(text);
  const auto model = numbers.cast<SX>();
  pin::DataTpl<SX> data(model);
  const int nv = model.nv;
  const SX q = SX::sym("q", model.nq), v = SX::sym("v", nv), a = SX::sym("a", nv), step = SX::sym("step", nv);
  const Vector Q = eigen(q), V = eigen(v), A = eigen(a);
  const casadi::Dict share{{"cse", true}};

  const SX tau = symbols(pin::rnea(model, data, Q, V, A));
  // Along q ⊕ ε: through the derivative of the step at zero.
  const SX moved = symbols(pin::integrate(model, Q, eigen(step)));
  const casadi::Function tangent("tangent", {q, step}, {jacobian(moved, step)});
  const SX T = tangent(std::vector<SX>{q, SX::zeros(nv)})[0];
  const SX J = densify(horzcat(mtimes(jacobian(tau, q), T), jacobian(tau, vertcat(v, a))));
  const casadi::Function rnea("rnea", {q, v, a}, {tau}, share);
  const casadi::Function drnea(
      "drnea", {q, v, a},
      {J(Slice(), Slice(0, nv)), J(Slice(), Slice(nv, 2 * nv)), J(Slice(), Slice(2 * nv, 3 * nv))}, share);

  data.M.setZero();
  data.dtau_dq.setZero();
  data.dtau_dv.setZero();
  pin::computeRNEADerivatives(model, data, Q, V, A);
  const SX M = triu2symm(triu(symbols(data.M)));
  const casadi::Function arnea("arnea", {q, v, a},
                               {densify(symbols(data.dtau_dq)), densify(symbols(data.dtau_dv)), densify(M)}, share);
  const casadi::Function aba("aba", {q, v, a}, {symbols(pin::aba(model, data, Q, V, A, pin::Convention::LOCAL))}, share);

  const std::string out = arguments[2];
  const auto slash = out.rfind('/');
  casadi::CodeGenerator code(out.substr(slash + 1));
  for (const auto &f : {rnea, drnea, arnea, aba}) code.add(f);
  code.generate(out.substr(0, slash + 1));
}
