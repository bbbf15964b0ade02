//! `gradyn derivatives`: the derivatives at one state, to look at.

use super::{Report, columns};
use crate::args::Derivatives;
use crate::error::{Error, one_line};
use crate::map;
use crate::memory::{Evaluation, MemoryLimit};
use crate::output::Output;
use crate::table::{Align, Cell, Table};
use anstyle::Style;
use gradyn::dynamics::{ReferenceFrame, WrenchFrame};
use gradyn::once;
use gradyn::partials::{DerivativeWorkspace, RneaDerivatives};
use gradyn_files::answer::Question;
use gradyn_files::constraints::Constraints;
use gradyn_files::csv::field;
use gradyn_files::evaluation::Places;
use gradyn_files::quantity::Quantity;
use gradyn_files::states::{self, NEUTRAL, RANDOM, State};
use gradyn_files::{answer, evaluation, number};
use nalgebra::DMatrix;
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// Up to so many degrees of freedom are shown in numbers.
const SMALL: usize = 8;

pub(crate) fn derivatives(args: &Derivatives) -> Result<Report, Error> {
    let robot = args.robot.load()?;
    let (state, title) = states::asked(&args.state, args.seed, &robot)?;
    let from_file = ![RANDOM, NEUTRAL].map(Path::new).contains(&args.state.as_path());
    let inputs: &[&Path] = if from_file { &[&robot.path, &args.state] } else { &[&robot.path] };
    let mut output = Output::new(args.output.as_deref(), inputs)?;
    let warnings = robot.warnings();
    let place = |_| format!("{title} of {}", robot.path.display());
    let (method, quantities, free) = (args.method.method, &Quantity::DEFAULT, Constraints::default());
    let places = Places::all(&robot.model, ReferenceFrame::Local);
    let task = Evaluation { robot: &robot, quantities, method, places: &places, constraints: &free };
    // Tables and maps are put together in memory, wherever they go.
    task.check(
        MemoryLimit::new(args.robot.max_memory),
        std::slice::from_ref(&state),
        output.is_in_memory() || !args.json,
    )?;
    if args.json {
        let question = Question { method, quantities, constraints: &free, places: &places };
        answer::write(&robot, question, &[state], |piece| output.write(|to| to.write_all(piece)), place, || ())?;
        return Ok(Report { data: output.finish()?, warnings, ..Report::default() });
    }

    let mut workspace = DerivativeWorkspace::new(&robot.model);
    let by = evaluation::derivatives(&robot, &mut workspace, args.method.method, &state)
        .map_err(|error| Error::input(place(0), error))?;
    let by_link = state.by_link(&by.dtau_df_ext, robot.model.nv());
    let names = robot.model.dof_names();
    if args.csv {
        // Values do not depend on the method: those of `evaluate`, and of `--json`.
        let tau = once::rnea(&robot.model, &state.q, &state.v, &state.a, &state.wrenches())
            .map_err(|error| Error::input(place(0), error))?;
        let text = csv(&state, (&tau, by), &by_link, &names);
        output.write(|to| to.write_all(text.as_bytes()))?;
        return Ok(Report { data: output.finish()?, warnings, ..Report::default() });
    }
    let numbers = args.table || (names.len() <= SMALL && !args.map);
    let heading = format!("{}: {title}, method {}", robot.model.name(), args.method.method);
    let shown: Vec<String> = names.iter().map(|name| one_line(name)).collect();
    let text = readable(&one_line(&heading), by, &by_link, &shown, numbers);
    if args.output.is_some() {
        output.write(|to| to.write_all(anstream::adapter::strip_str(&text).to_string().as_bytes()))?;
        return Ok(Report { data: output.finish()?, warnings, ..Report::default() });
    }
    Ok(Report { text, warnings, ..Report::default() })
}

/// The symbols of the quantities, and the rest of a heading.
const QUANTITIES: [(&str, &str); 3] =
    [("∂τ/∂q", "torques by position"), ("∂τ/∂v", "by velocity"), ("∂τ/∂a", "by acceleration: the mass matrix")];

fn readable(
    title: &str,
    by: &RneaDerivatives,
    by_link: &[(String, DMatrix<f64>)],
    names: &[String],
    numbers: bool,
) -> String {
    let (bold, width) = (Style::new().bold(), columns());
    let mut text = format!("{bold}{title}{bold:#}\n");
    if names.is_empty() {
        text.push_str("\nno joint moves: there is nothing to differentiate\n");
        return text;
    }
    if !numbers {
        text.push_str("rows: torques; columns: the same joints, by number\n");
    }
    for ((symbol, meaning), (_, matrix)) in QUANTITIES.into_iter().zip(by.matrices()) {
        text.push_str(&format!("\n{bold}{symbol}{bold:#}  {meaning}\n"));
        if numbers {
            table(matrix, names, names, width, &mut text);
        } else {
            text.push_str(&format!("{}\n", map::legend(matrix)));
            map::draw(matrix, names, width, &mut text);
        }
    }
    let axes = WRENCH.map(String::from);
    for (link, matrix) in by_link {
        text.push_str(&format!(
            "\n{bold}∂τ/∂f_ext{bold:#}  by the wrench on link {link}, in its frame\n",
            link = one_line(link)
        ));
        table(matrix, names, &axes, width, &mut text);
    }
    text
}

/// Numbers, in as many blocks of columns as the width asks for. Names over columns if there is room, else their
/// numbers.
fn table(matrix: &DMatrix<f64>, rows: &[String], columns: &[String], width: usize, text: &mut String) {
    let cells: Vec<Vec<String>> =
        matrix.row_iter().map(|row| row.iter().map(|x| number::entry(*x)).collect()).collect();
    let widest = |column: usize| cells.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let label = rows.iter().map(|name| name.width()).max().unwrap_or(0);
    let with_names = label + columns.iter().enumerate().map(|(k, name)| 2 + widest(k).max(name.width())).sum::<usize>();
    let named = with_names <= width;
    let heads: Vec<String> = if named { columns.to_vec() } else { (0..columns.len()).map(|k| k.to_string()).collect() };
    let digits = rows.len().saturating_sub(1).to_string().len();
    let numbered = |(k, name): (usize, &String)| if named { name.clone() } else { format!("{k:>digits$} {name}") };
    let labels: Vec<String> = rows.iter().enumerate().map(numbered).collect();
    let label = labels.iter().map(|name| name.width()).max().unwrap_or(0);

    let mut start = 0;
    while start < heads.len() {
        let (mut end, mut used) = (start, label);
        while end < heads.len() {
            used += 2 + widest(end).max(heads[end].width());
            if used > width && end > start {
                break;
            }
            end += 1;
        }
        let block = heads[start..end].iter().map(|name| (name.as_str(), Align::Right));
        let mut table = Table::new(std::iter::once(("", Align::Left)).chain(block));
        for (name, row) in labels.iter().zip(&cells) {
            let number = |cell: &String| match cell.as_str() {
                "·" => Cell::styled("·", Style::new().dimmed()),
                number => number.into(),
            };
            table.row(std::iter::once(name.as_str().into()).chain(row[start..end].iter().map(number)));
        }
        table.render(0, text);
        start = end;
    }
}

/// What a wrench has, in its order.
const WRENCH: [&str; 6] = ["fx", "fy", "fz", "nx", "ny", "nz"];

/// The state and its derivatives, an entry a line; numbers in full.
fn csv(
    state: &State,
    (tau, by): (&[f64], &RneaDerivatives),
    by_link: &[(String, DMatrix<f64>)],
    names: &[String],
) -> String {
    let mut text = String::from("state,quantity,row,column,value\n");
    let mut entry = |quantity: &str, row: &str, column: &str, x: f64| {
        text.push_str(&format!("0,{},{},{},{x:?}\n", field(quantity), field(row), field(column)));
    };
    // A joint may have more coordinates than degrees of freedom: by their numbers.
    state.q.iter().enumerate().for_each(|(k, x)| entry("q", &k.to_string(), "", *x));
    for (quantity, x) in [("v", state.v.as_slice()), ("a", state.a.as_slice()), ("tau", tau)] {
        names.iter().zip(x).for_each(|(name, x)| entry(quantity, name, "", *x));
    }
    for link in state.f_ext.iter().flatten() {
        let input = if link.frame == WrenchFrame::World { "f_ext_world" } else { "f_ext" };
        let quantity = format!("{input}.{}", link.link);
        WRENCH.iter().zip(link.wrench).for_each(|(axis, x)| entry(&quantity, axis, "", x));
    }
    let mut matrix = |quantity: &str, matrix: &DMatrix<f64>, columns: &[&str]| {
        for (name, row) in names.iter().zip(matrix.row_iter()) {
            columns.iter().zip(row.iter()).for_each(|(column, x)| entry(quantity, name, column, *x));
        }
    };
    let columns: Vec<&str> = names.iter().map(String::as_str).collect();
    for (quantity, by) in by.matrices() {
        matrix(quantity, by, &columns);
    }
    for (link, by) in by_link {
        matrix(&format!("dtau_df_ext.{link}"), by, &WRENCH);
    }
    text
}
