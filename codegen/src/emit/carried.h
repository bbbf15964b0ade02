#include <math.h>
#include <string.h>

#ifndef casadi_real
#define casadi_real double
#endif
#ifndef casadi_int
#define casadi_int long long int
#endif

/* Sine and cosine for |x| < 1.6e6: reduction by multiples of pi/2 in three parts (Cody and Waite 1980, section 8), then
   the polynomials of FDLIBM (Sun Microsystems, 1993). */
static inline void gradyn_reduced(double x, double* sin_x, double* cos_x) {
  const double magic = 6755399441055744.0;
  double quarters = x * 0.6366197723675814 + magic;
  double n = quarters - magic;
  double r = x - n * 1.5707963267341256;
  double second = n * 6.077100506303966e-11;
  double w = r - second;
  double tail = n * 2.0222662487959506e-21 - ((r - w) - second);
  double y = w - tail;
  double low = (w - y) - tail;
  double z = y * y;
  double v = z * y;
  double rs = 8.33333333332249e-3 + z * (-1.984126982985795e-4 + z * (2.7557313707070068e-6 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10)));
  double s = y - ((z * (0.5 * low - v * rs) - low) + v * 0.16666666666666632);
  double rc = 4.16666666666666e-2 + z * (-1.388888888887411e-3 + z * (2.480158728947673e-5 + z * (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11))));
  double half = 0.5 * z;
  double one = 1.0 - half;
  double c = one + (((1.0 - one) - half) + (z * (z * rc) - y * low));
  unsigned long long bits, a, b;
  memcpy(&bits, &quarters, sizeof bits);
  double first = bits & 1 ? c : s;
  double other = bits & 1 ? s : c;
  memcpy(&a, &first, sizeof a);
  memcpy(&b, &other, sizeof b);
  a ^= (bits & 2) << 62;
  b ^= ((bits + 1) & 2) << 62;
  memcpy(sin_x, &a, sizeof a);
  memcpy(cos_x, &b, sizeof b);
}

static void gradyn_sines(int count, const double* x, double* sin_x, double* cos_x) {
  int far = 0;
  for (int k = 0; k < count; ++k) {
    gradyn_reduced(x[k], sin_x + k, cos_x + k);
    far |= !(fabs(x[k]) < 1.6e6);
  }
  for (int k = 0; far && k < count; ++k) {
    if (!(fabs(x[k]) < 1.6e6)) {
      sin_x[k] = sin(x[k]);
      cos_x[k] = cos(x[k]);
    }
  }
}
static inline double gradyn_sin(double x) {
  double s, c;
  gradyn_sines(1, &x, &s, &c);
  return s;
}
static inline double gradyn_cos(double x) {
  double s, c;
  gradyn_sines(1, &x, &s, &c);
  return c;
}
