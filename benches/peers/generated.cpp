// generated LIBRARY TEXT check | time: the functions that casadi.cpp has written.
#include <dlfcn.h>

#include <string_view>

#include "clock.hpp"
#include "robot.hpp"

using Call = int (*)(const double **, double **, long long *, double *, int);
using Sizes = int (*)(long long *, long long *, long long *, long long *);

int main(int count, char **arguments) {
  if (count < 4) fail("usage: generated LIBRARY TEXT check|time");
  Text text(arguments[2]);
  const pin::Model model = read_model(text);
  const auto states = read_states(text, model);
  const int nv = model.nv;
  void *library = dlopen(arguments[1], RTLD_NOW);
  if (!library) fail(dlerror());
  const bool check = std::string(arguments[3]) == "check";
  std::vector<std::vector<double>> to(3, std::vector<double>(nv * nv));
  Clock *clock = check ? nullptr : new Clock("");
  if (check) std::printf("{");
  for (const char *name : {"rnea", "drnea", "arnea", "aba"}) {
    const auto call = Call(dlsym(library, name));
    const auto sizes = Sizes(dlsym(library, (std::string(name) + "_work").c_str()));
    if (!call || !sizes) fail(std::string("no function ") + name);
    long long arg = 0, res = 0, iw = 0, w = 0;
    sizes(&arg, &res, &iw, &w);
    std::vector<const double *> from(arg + 3);
    std::vector<double *> out(res + 3);
    std::vector<long long> integers(iw + 1);
    std::vector<double> work(w + 1);
    auto run = [&](int i) {
      const State &s = states[i];
      from[0] = s.q.data(), from[1] = s.v.data();
      from[2] = std::string_view(name) == "aba" ? s.tau.data() : s.a.data();
      for (int k = 0; k < 3; k++) out[k] = to[k].data();
      call(from.data(), out.data(), integers.data(), work.data(), 0);
    };
    if (clock) {
      clock->time(name, int(states.size()), run);
      continue;
    }
    run(0);
    const bool vector = std::string_view(name) == "rnea" || std::string_view(name) == "aba";
    for (int k = 0; k < (vector ? 1 : 3); k++) {
      std::printf("%s\"%s_%d\": [", name == std::string("rnea") ? "" : ", ", name, k);
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
