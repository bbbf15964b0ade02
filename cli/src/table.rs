//! Tables of text, aligned by what the terminal shows.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

/// Which side of its column a cell stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Text with a color.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) style: Style,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, style: Style::new() }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Cell {
    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

/// Rows under a heading.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn new<S: Into<String>>(columns: impl IntoIterator<Item = (S, Align)>) -> Self {
        Self { columns: columns.into_iter().map(|(name, align)| (name.into(), align)).collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Leaves out columns in which every cell is empty.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        for column in (0..self.columns.len()).rev() {
            if self.rows.iter().all(|row| row.get(column).is_none_or(|cell| cell.text.is_empty())) {
                self.columns.remove(column);
                for row in &mut self.rows {
                    if column < row.len() {
                        row.remove(column);
                    }
                }
            }
        }
        self
    }

    /// Writes it, each line after `indent` spaces.
    pub(crate) fn render(&self, indent: usize, out: &mut String) {
        let width = |(column, (name, _)): (usize, &(String, Align))| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.text.width());
            cells.chain([name.width()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = self.columns.iter().enumerate().map(width).collect();
        let heading = self.columns.iter().map(|(name, _)| Cell::styled(name.as_str(), Style::new().bold())).collect();
        for row in std::iter::once(&heading).chain(&self.rows) {
            let mut line = " ".repeat(indent);
            for (n, (cell, (&width, (_, align)))) in row.iter().zip(widths.iter().zip(&self.columns)).enumerate() {
                let padding = " ".repeat(width.saturating_sub(cell.text.width()));
                let (before, after) =
                    if *align == Align::Right { (padding.as_str(), "") } else { ("", padding.as_str()) };
                let gap = if n == 0 { "" } else { "  " };
                let Cell { text, style } = cell;
                line.push_str(&if text.is_empty() {
                    format!("{gap}{padding}")
                } else {
                    format!("{gap}{before}{style}{text}{style:#}{after}")
                });
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_shown() {
        let mut table = Table::new([("関節", Align::Left), ("x", Align::Right), ("none", Align::Left)]);
        table.row(["a".into(), "-1.5".into(), "".into()]);
        table.row(["bc".into(), "2".into(), "".into()]);
        let mut text = String::new();
        table.without_empty_columns().render(1, &mut text);
        let plain = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(plain, " 関節     x\n a     -1.5\n bc       2\n");
    }
}
