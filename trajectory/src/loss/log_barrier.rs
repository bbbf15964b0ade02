//! `−ln z`, with `z` the distance to a bound in units of a width; for `z < 1` the parabola `½ ((z − 2)² − 1)`.

/// Value, slope and curvature by `z`.
fn at(z: f64) -> [f64; 3] {
    if z < 1.0 { [0.5 * ((z - 2.0).powi(2) - 1.0), z - 2.0, 1.0] } else { [-z.ln(), -z.recip(), z.powi(-2)] }
}

/// Value, slope and curvature by `r`, of both bounds.
fn of(lower: f64, upper: f64, width: f64, r: f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (bound, way) in [(lower, 1.0), (upper, -1.0)] {
        if bound.is_finite() {
            let [value, slope, curvature] = at(way * (r - bound) / width);
            sum[0] += value;
            sum[1] += way * slope / width;
            sum[2] += curvature / (width * width);
        }
    }
    sum
}

pub(super) fn value(lower: &[f64], upper: &[f64], width: f64, r: &[f64]) -> f64 {
    r.iter().zip(lower).zip(upper).map(|((r, l), u)| of(*l, *u, width, *r)[0]).sum()
}

pub(super) fn derivatives(
    (lower, upper): (&[f64], &[f64]),
    width: f64,
    r: &[f64],
    gradient: &mut [f64],
    diagonal: &mut [f64],
) -> f64 {
    let mut sum = 0.0;
    for (i, r) in r.iter().enumerate() {
        let [value, slope, curvature] = of(lower[i], upper[i], width, *r);
        sum += value;
        (gradient[i], diagonal[i]) = (slope, curvature);
    }
    sum
}
