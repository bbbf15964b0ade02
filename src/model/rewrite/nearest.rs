//! Numbers to write: those that the reader turns into what is wanted, as near as can be, and short.

use std::cmp::Ordering;

/// So many rounds over the numbers; the second seldom changes anything.
const ROUNDS: usize = 3;

/// Whether they are the same number. Both zeros are.
pub(in crate::model) fn same(a: f64, b: f64) -> bool {
    a.partial_cmp(&b) == Some(Ordering::Equal)
}

/// The shortest decimal that reads back to the same number.
pub(in crate::model) fn text(x: f64) -> String {
    let size = x.abs();
    if size > 0.0 && !(1e-5..1e16).contains(&size) { format!("{x:e}") } else { format!("{x}") }
}

/// Numbers of least `distance` between what is read and what is wanted, in the neighborhood of a guess.
///
/// One number after the other is tried as it was, with fifteen digits, and as its neighbors: what was derived with
/// roundings finds back to numbers of few digits, and often to the very bits that are wanted. Of equally good ones the
/// old is taken, else the shortest.
pub(in crate::model) fn nearest<const N: usize>(
    guess: [f64; N],
    old: [f64; N],
    distance: impl Fn(&[f64; N]) -> f64,
) -> [f64; N] {
    if distance(&old) <= 0.0 {
        return old;
    }
    let mut best = guess;
    let mut least = distance(&best);
    for _ in 0..ROUNDS {
        let before = best;
        for i in 0..N {
            let (guess, old) = (guess[i], old[i]);
            let rank = |x: f64| if same(x, old) { 0 } else { 1 + text(x).len() };
            for x in [old, rounded(guess), best[i].next_up(), best[i].next_down()] {
                let mut other = best;
                other[i] = x;
                let d = distance(&other);
                let shorter = same(d, least) && rank(x) < rank(best[i]);
                if x.is_finite() && (d < least || shorter) {
                    (best, least) = (other, d);
                }
            }
        }
        if before.iter().zip(&best).all(|(a, b)| same(*a, *b)) {
            break;
        }
    }
    best
}

/// With fifteen digits, which every double of that length keeps.
fn rounded(x: f64) -> f64 {
    format!("{x:.14e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_reads_back_from_its_text() {
        for x in [0.0, -0.0, 1.0, -0.1, 1e-5, 9.9e-6, 5e-324, f64::MAX, 1e16, 123456.789, 0.1 + 0.2] {
            assert_eq!(text(x).parse::<f64>().map(f64::to_bits), Ok(x.to_bits()), "{x:e}");
        }
        assert_eq!([1.0, 0.3, 2.5e-7, -1e20].map(text), ["1", "0.3", "2.5e-7", "-1e20"]);
    }

    #[test]
    fn roundings_of_a_guess_are_undone_where_nothing_is_lost() {
        let wanted = 0.3_f64.sin();
        let found = nearest([0.1 + 0.2], [7.0], |[x]| (x.sin() - wanted).abs());
        assert_eq!(found.map(f64::to_bits), [0.3_f64].map(f64::to_bits));
        // Both angles count in the sum alone: the first stays as it was.
        let found = nearest([1.0, 1.0 + 1e-16], [1.0, 5.0], |[x, y]| (x + y - 2.0).abs());
        assert_eq!(found.map(f64::to_bits), [1.0_f64, 1.0].map(f64::to_bits));
    }
}
