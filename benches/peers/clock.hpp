// The measurement of `gradyn bench`: samples of some 50 µs after a warm-up, 41 of them, their median and the least.
#pragma once
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

inline double now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}

class Clock {
  std::string only;
  bool first = true;

 public:
  explicit Clock(std::string only_) : only(std::move(only_)) { std::printf("{\"results\": {"); }
  void finish() const { std::printf("}}\n"); }

  // call(k) works on state k of n.
  template <class F>
  __attribute__((noinline)) void time(const char *name, int n, F call) {
    if (!only.empty() && std::string(name).find(only) == std::string::npos) return;
    int next = 0;
    auto sample = [&](long calls) {
      const double start = now_ns();
      for (long i = 0; i < calls; i++) {
        call(next);
        next = next + 1 == n ? 0 : next + 1;
      }
      return now_ns() - start;
    };
    long calls = 1;
    const double begin = now_ns();
    for (;;) {
      const bool enough = sample(calls) >= 50e3;
      if (enough && now_ns() - begin >= 3e6) break;
      if (!enough) calls *= 2;
    }
    std::vector<double> times;
    const double start = now_ns();
    while (times.size() < 41 && (times.size() < 5 || now_ns() - start < 400e6)) times.push_back(sample(calls));
    std::sort(times.begin(), times.end());
    std::printf("%s\"%s\": {\"median_ns\": %.2f, \"min_ns\": %.2f}", first ? "" : ", ", name,
                times[times.size() / 2] / double(calls), times[0] / double(calls));
    first = false;
  }
};
