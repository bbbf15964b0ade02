// generated LIBRARY TEXT check | time: the functions that casadi.cpp has written.
#include <dlfcn.h>

#include "clock.hpp"
#include "robot.hpp"

using Call = int (*)(const double **, double **, long long *, double *, int);
using Sizes = int (*)(long long *, long long *, long long *, long long *);

int main(int count, char **arguments) {
  if (count < 4) fail("usage: generated LIBRARY TEXT check|time");
  Text text(arguments[2]);
  pin::Model model = read_model(text);
  std::vector<double> constants;
  each_constant(model, [&](double x) { constants.push_back(x); });
  const auto states = read_states(text, model);
  const int nv = model.nv;
  void *library = dlopen(arguments[1], RTLD_NOW);
  if (!library) fail(dlerror());
  const bool check = std::string(arguments[3]) == "check";
  std::vector<std::vector<double>> to(3, std::vector<double>(nv * nv));
  Clock *clock = check ? nullptr : new Clock("");
  if (check) std::printf("{");
  for (const std::string name : {"rnea", "drnea", "arnea", "aba", "rnea_open", "sines"}) {
    if (check && name == "sines") continue;
    const auto call = Call(dlsym(library, name.c_str()));
    const auto sizes = Sizes(dlsym(library, (name + "_work").c_str()));
    if (!call || !sizes) fail("no function " + name);
    long long arg = 0, res = 0, iw = 0, w = 0;
    sizes(&arg, &res, &iw, &w);
    std::vector<const double *> from(arg + 4);
    std::vector<double *> out(res + 3);
    std::vector<long long> integers(iw + 1);
    std::vector<double> work(w + 1);
    const bool forward = name == "aba";
    auto run = [&](int i) {
      const State &s = states[i];
      from[0] = s.q.data(), from[1] = s.v.data();
      from[2] = forward ? s.tau.data() : s.a.data();
      from[3] = constants.data();
      for (int k = 0; k < 3; k++) out[k] = to[k].data();
      call(from.data(), out.data(), integers.data(), work.data(), 0);
    };
    if (clock) {
      clock->time(name.c_str(), int(states.size()), run);
      continue;
    }
    run(0);
    const bool vector = name == "rnea" || name == "aba" || name == "rnea_open";
    for (int k = 0; k < (vector ? 1 : 3); k++) {
      std::printf("%s\"%s_%d\": [", name == "rnea" ? "" : ", ", name.c_str(), k);
      // Row by row; CasADi's matrices are column-major.
      const int n = vector ? nv : nv * nv;
      for (int i = 0; i < n; i++) std::printf("%s%.17g", i ? "," : "", to[k][vector ? i : i / nv + i % nv * nv]);
      std::printf("]");
    }
  }
  if (clock)
    clock->finish();
  else
    std::printf("}\n");
}
