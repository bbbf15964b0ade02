//! Claims in CSV: a number a line, `state,quantity,row,column,value`.

use super::table::{Content, CsvCell, Entry, Table};
use crate::csv::records;
use std::collections::HashMap;

/// The columns, which may stand in any order.
const COLUMNS: [&str; 5] = ["state", "quantity", "row", "column", "value"];

pub(super) fn read(text: &str) -> Result<Table, String> {
    // Lines without a value, as spreadsheets leave them, are skipped.
    let some = |(_, fields): &(usize, Vec<String>)| fields.iter().any(|field| !field.trim().is_empty());
    let mut records = records(text, ',')?.into_iter().filter(some);
    let Some((_, header)) = records.next() else {
        return Err(format!("it is empty, expected the heading {}", COLUMNS.join(",")));
    };
    let mut at = [0; COLUMNS.len()];
    for (at, name) in at.iter_mut().zip(COLUMNS) {
        *at = header
            .iter()
            .position(|field| field.trim() == name)
            .ok_or_else(|| format!("line 1: expected the heading {}, found {}", COLUMNS.join(","), header.join(",")))?;
    }
    let mut table = Table::default();
    let mut lines = Vec::new();
    for (line, fields) in records {
        if fields.len() != header.len() {
            return Err(format!("line {line}: expected {} fields, found {}", header.len(), fields.len()));
        }
        let [state, quantity, row, column, value] = at.map(|at| fields[at].trim());
        let state: usize = state
            .parse()
            .map_err(|_| format!("line {line}: expected the number of a state, counted from 0, found `{state}`"))?;
        let number: f64 = value.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| {
            format!(
                "line {line}: state {state}, `{quantity}`, row `{row}`, column `{column}`: expected a finite number, \
                 found `{value}`"
            )
        })?;
        let place = CsvCell { line, row: row.to_owned(), column: column.to_owned(), value: number };
        lines.push((state, quantity.to_owned(), place));
    }
    // In order of states, each in that of the file.
    lines.sort_by_key(|(state, ..)| *state);
    // Where the quantities of the state stand among its entries.
    let mut entry_of: HashMap<String, usize> = HashMap::new();
    for (state, key, place) in lines {
        let before = table.states.len();
        if state > before {
            return Err(format!("state {before} is missing: line {} has state {state}", place.line));
        }
        if state == before {
            table.states.push(Vec::new());
            entry_of.clear();
        }
        let entries = &mut table.states[state];
        match entry_of.get(&key).and_then(|at| entries.get_mut(*at)) {
            Some(Entry { value: Content::Scattered(places), .. }) => places.push(place),
            _ => {
                entry_of.insert(key.clone(), entries.len());
                entries.push(Entry { key, value: Content::Scattered(vec![place]) });
            }
        }
    }
    Ok(table)
}
