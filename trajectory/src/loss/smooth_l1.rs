//! `√(r² + w²) − w`

pub(super) fn value(width: f64, r: &[f64]) -> f64 {
    // r²/(√(r² + w²) + w): without the difference, which cancels near zero.
    r.iter().map(|r| r * r / (r.hypot(width) + width)).sum()
}

pub(super) fn derivatives(width: f64, r: &[f64], gradient: &mut [f64], diagonal: &mut [f64]) -> f64 {
    for ((r, g), d) in r.iter().zip(gradient).zip(diagonal) {
        let root = r.hypot(width);
        *g = r / root;
        *d = (width / root).powi(2) / root;
    }
    value(width, r)
}
