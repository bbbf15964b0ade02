//! Tables of constraints and contacts, for people.

use crate::table::{Align, Cell, Table};
use gradyn_files::number::five;
use gradyn_files::solution::{ContactReport, Violation};
use gradyn_files::task::Task;

/// Constraints, those that are violated most first.
pub(super) fn constraints(all: &[Violation]) -> String {
    let mut all: Vec<&Violation> = all.iter().collect();
    all.sort_by(|a, b| b.violation.total_cmp(&a.violation));
    let heads = ["constraint", "violation", "node", "phase", "rows", "at a bound"];
    let align =
        |(k, name): (usize, &'static str)| (name, if [1, 2, 4, 5].contains(&k) { Align::Right } else { Align::Left });
    let mut table = Table::new(heads.into_iter().enumerate().map(align));
    for kept in all {
        let (violation, node) = (five(kept.violation), kept.node.to_string());
        let (rows, active) = (kept.rows.to_string(), kept.active.to_string());
        let cells = [&kept.name, &violation, &node, &kept.phase, &rows, &active].map(String::as_str);
        table.row(cells.iter().map(|cell| (*cell).into()));
    }
    let mut text = String::new();
    table.render(0, &mut text);
    text
}

/// Frames that are held, loops, impulses.
pub(super) fn contacts(of: &ContactReport, task: &Task) -> String {
    let mut text = String::new();
    for (heads, rows) in of.tables(task) {
        let align = |(k, head): (usize, &&'static str)| (*head, if k < 2 { Align::Left } else { Align::Right });
        let mut table = Table::new(heads.iter().enumerate().map(align));
        for cells in rows {
            table.row(cells.cells.into_iter().map(Cell::from));
        }
        table.without_empty_columns().render(0, &mut text);
    }
    text
}
