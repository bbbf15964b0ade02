// mujoco MODEL.mjb TEXT check | time: MuJoCo without contacts and limits. TEXT: states as nq, nv, count, then q, v, a.
#include <mujoco/mujoco.h>

#include <fstream>

#include "clock.hpp"

int main(int count, char **arguments) {
  if (count < 4) return 2;
  mjModel *m = mj_loadModel(arguments[1], nullptr);
  mjData *d = mj_makeData(m);
  std::ifstream text(arguments[2]);
  int nq = 0, nv = 0, n = 0;
  text >> nq >> nv >> n;
  if (nq != m->nq || nv != m->nv) {
    std::fprintf(stderr, "MuJoCo reads nq %d, nv %d, expected %d, %d\n", int(m->nq), int(m->nv), nq, nv);
    return 3;
  }
  std::vector<std::vector<double>> q(n), v(n), a(n);
  for (int s = 0; s < n; s++) {
    q[s].resize(nq), v[s].resize(nv), a[s].resize(nv);
    for (auto *x : {&q[s], &v[s], &a[s]})
      for (double &entry : *x) text >> entry;
  }
  auto set = [&](int s) {
    mju_copy(d->qpos, q[s].data(), nq);
    mju_copy(d->qvel, v[s].data(), nv);
    mju_copy(d->qacc, a[s].data(), nv);
  };
  if (std::string(arguments[3]) == "check") {
    set(0);
    mj_inverse(m, d);
    std::printf("{\"tau\": [");
    for (int i = 0; i < nv; i++) std::printf("%s%.17g", i ? "," : "", d->qfrc_inverse[i]);
    std::printf("]}\n");
    return 0;
  }
  Clock clock("");
  std::vector<double> dq(nv * nv), dv(nv * nv), da(nv * nv);
  clock.time("mj_kinematics", n, [&](int s) { set(s), mj_kinematics(m, d); });
  clock.time("mj_inverse", n, [&](int s) { set(s), mj_inverse(m, d); });
  clock.time("mj_forward", n, [&](int s) { set(s), mj_forward(m, d); });
  clock.time("mjd_inverseFD", n, [&](int s) {
    set(s);
    mjd_inverseFD(m, d, 1e-6, 0, dq.data(), dv.data(), da.data(), nullptr, nullptr, nullptr, nullptr);
  });
  clock.finish();
}
