//! Matrices as pictures: a character an entry, darker and brighter by magnitude, in decades.

use anstyle::{Ansi256Color, Style};
use gradyn_files::labels::fit;
use nalgebra::DMatrix;
use unicode_width::UnicodeWidthStr;

/// Characters and colors of an entry by the decades it lies below the largest; the last one holds all the rest.
const SHADES: [Shade; 5] = [
    Shade { character: '█', positive: 220, negative: 51 },
    Shade { character: '▓', positive: 208, negative: 39 },
    Shade { character: '▒', positive: 166, negative: 33 },
    Shade { character: '░', positive: 130, negative: 26 },
    Shade { character: '·', positive: 94, negative: 60 },
];

/// How entries of one decade are drawn.
struct Shade {
    character: char,
    positive: u8,
    negative: u8,
}

impl Shade {
    fn style(&self, positive: bool) -> Style {
        let color = if positive { self.positive } else { self.negative };
        Style::new().fg_color(Some(Ansi256Color(color).into()))
    }
}

/// The largest magnitude in a matrix; 0 if it has no entries.
pub(crate) fn largest(matrix: &DMatrix<f64>) -> f64 {
    matrix.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()))
}

/// The least power of ten above every entry.
fn ceiling(largest: f64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "logarithms of numbers lie within ±324")]
    let decade = largest.log10().floor() as i32;
    decade + 1
}

/// How many decades an entry lies below `ceiling`.
fn shade(x: f64, ceiling: i32) -> &'static Shade {
    let below = usize::try_from(ceiling - self::ceiling(x.abs())).unwrap_or(0);
    &SHADES[below.min(SHADES.len() - 1)]
}

/// What the shades mean, on one line.
pub(crate) fn legend(matrix: &DMatrix<f64>) -> String {
    let largest = largest(matrix);
    if largest == 0.0 {
        return String::from("all entries are zero");
    }
    let top = ceiling(largest);
    let mut text = String::new();
    for (shade, below) in SHADES.iter().zip(1..) {
        let (plus, minus, c) = (shade.style(true), shade.style(false), shade.character);
        text.push_str(&format!("{plus}{c}{plus:#}{minus}{c}{minus:#} "));
        if below == SHADES.len() as i32 {
            text.push_str("less   ");
        } else {
            text.push_str(&format!("≥ 1e{}   ", top - below));
        }
    }
    let (plus, minus) = (SHADES[0].style(true), SHADES[0].style(false));
    text.push_str(&format!("blank 0   {plus}+{plus:#} {minus}−{minus:#}"));
    text
}

/// Draws a matrix of nv rows and columns within so many columns of the terminal; rows have names, columns their
/// numbers.
pub(crate) fn draw(matrix: &DMatrix<f64>, names: &[String], width: usize, out: &mut String) {
    let (rows, columns) = matrix.shape();
    let number = rows.max(1).saturating_sub(1).to_string().len();
    let longest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    // Two characters an entry make it square.
    let label = longest.min(width.saturating_sub(number + 3 + columns).max(8));
    let wide = label + number + 3 + 2 * columns <= width;
    let per_entry = if wide { 2 } else { 1 };
    let margin = " ".repeat(label + number + 2);

    let dim = Style::new().dimmed();
    for place in (0..number).rev() {
        // Numbers of columns stand upright: tens above ones.
        let mut line = format!("{margin} {dim}");
        for column in 0..columns {
            let digits = column.to_string();
            let digit = digits.len().checked_sub(place + 1).and_then(|at| digits.chars().nth(at));
            line.push(digit.unwrap_or(' '));
            line.extend(std::iter::repeat_n(' ', per_entry - 1));
        }
        out.push_str(&format!("{}{dim:#}\n", line.trim_end()));
    }
    let top = ceiling(largest(matrix));
    for (row, name) in names.iter().enumerate().take(rows) {
        let name = fit(name, label);
        out.push_str(&format!("{name} {dim}{row:>number$}{dim:#} {dim}│{dim:#}"));
        for x in matrix.row(row).iter().copied() {
            if x == 0.0 {
                out.push_str(&" ".repeat(per_entry));
                continue;
            }
            let shade = shade(x, top);
            let style = shade.style(x > 0.0);
            let cell = shade.character.to_string().repeat(per_entry);
            out.push_str(&format!("{style}{cell}{style:#}"));
        }
        out.push_str(&format!("{dim}│{dim:#}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signs do not matter, zeros are blank, and each decade has its character.
    #[test]
    fn decades_have_characters() {
        let matrix = DMatrix::from_row_slice(2, 2, &[-30.0, 0.0, 1.5, 1e-9]);
        let mut text = String::new();
        draw(&matrix, &["a".into(), "bcd".into()], 80, &mut text);
        let plain = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(plain, "       0 1\na   0 │██  │\nbcd 1 │▓▓··│\n");
        assert_eq!(anstream::adapter::strip_str(&legend(&matrix)).to_string().matches("≥").count(), 4);
    }

    #[test]
    fn extreme_matrices_are_drawn() {
        for entries in [[0.0, 0.0, 0.0, 0.0], [f64::MAX, f64::MIN_POSITIVE, -5e-324, 1.0]] {
            let matrix = DMatrix::from_row_slice(2, 2, &entries);
            for width in [0, 1, 9, 200] {
                let mut text = legend(&matrix);
                draw(&matrix, &["a long name of a joint".into(), "b".into()], width, &mut text);
                assert!(!text.is_empty());
            }
        }
        draw(&DMatrix::zeros(0, 0), &[], 80, &mut String::new());
    }

    #[test]
    fn names_fit() {
        assert_eq!((fit("elbow", 3), fit("elbow", 7)), ("el…".into(), "elbow  ".into()));
    }
}
