// casadi TEXT OUT.c: Pinocchio's algorithms over CasADi's symbols, written as C with the robot's constants folded in:
// rnea, drnea (its derivatives by automatic differentiation), arnea (the analytical algorithm, traced) and aba. To see what
// folding is worth, rnea_open takes the constants as its last argument; sines is all sines and cosines that rnea needs.
// OUT.json: how many operations each takes.
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

static void write_counts(const std::string &path, const std::vector<casadi::Function> &functions) {
  std::ofstream to(path);
  const char *separator = "{";
  for (const auto &f : functions) {
    int sums = 0, products = 0, quotients = 0, sines = 0;
    for (casadi_int k = 0; k < f.n_instructions(); k++) {
      const auto id = f.instruction_id(k);
      sums += id == casadi::OP_ADD || id == casadi::OP_SUB || id == casadi::OP_TWICE;
      products += id == casadi::OP_MUL || id == casadi::OP_SQ;
      quotients += id == casadi::OP_DIV || id == casadi::OP_INV || id == casadi::OP_SQRT;
      sines += id == casadi::OP_SIN;  // with its cosine
    }
    to << separator << "\"" << f.name() << "\": {\"sums\": " << sums << ", \"products\": " << products
       << ", \"quotients\": " << quotients << ", \"functions\": " << sines << "}";
    separator = ", ";
  }
  to << "}\n";
}

int main(int count, char **arguments) {
  if (count != 3) fail("usage: casadi TEXT OUT.c");
  Text text(arguments[1]);
  pin::Model numbers = read_model(text);
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

  int constants = 0;
  each_constant(numbers, [&](double) { constants++; });
  const SX p = SX::sym("p", constants);
  auto open = model;
  int k = 0;
  each_constant(open, [&](SX &x) { x = p(k++); });
  pin::DataTpl<SX> open_data(open);
  const casadi::Function rnea_open("rnea_open", {q, v, a, p}, {symbols(pin::rnea(open, open_data, Q, V, A))}, share);
  std::vector<SX> angles;
  for (const auto &joint : numbers.joints)
    if (joint.nq() == 1 && joint.shortname().find("JointModelR") == 0) angles.push_back(q(joint.idx_q()));
  const SX turned = vertcat(angles);
  const casadi::Function sines("sines", {q, v, a}, {vertcat(sin(turned), cos(turned))}, share);

  const std::string out = arguments[2];
  const auto slash = out.rfind('/');
  casadi::CodeGenerator code(out.substr(slash + 1));
  const std::vector<casadi::Function> all{rnea, drnea, arnea, aba, rnea_open, sines};
  for (const auto &f : all) code.add(f);
  code.generate(out.substr(0, slash + 1));
  write_counts(out + ".json", all);
}
