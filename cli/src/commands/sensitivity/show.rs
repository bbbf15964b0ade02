//! Tables of an answer, for people.

use crate::error::one_line;
use crate::table::{Align, Cell, Table};
use gradyn_files::number;
use gradyn_files::sensitivity::Answer;
use gradyn_files::sensitivity::{Uncertainty, percent, with_interval};
use gradyn_sensitivity::Interval;

pub(super) fn readable(answer: &Answer, top: usize) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}\n", one_line(&answer.title));
    let [share, with] = answer.headings();
    let heading = [
        ("parameter", Align::Left),
        ("value", Align::Right),
        ("± sd", Align::Right),
        ("unit", Align::Left),
        ("prior", Align::Left),
        (share, Align::Right),
        (with, Align::Right),
        (answer.what, Align::Right),
        ("largest at", Align::Left),
        ("held", Align::Left),
    ];
    let mut table = Table::new(heading);
    let shown = |x: Option<f64>| x.map_or(String::new(), number::five);
    for finding in answer.sorted().into_iter().take(top.max(1)) {
        let column = &finding.column;
        let cells: [Cell; 10] = [
            one_line(&column.name).into(),
            shown(column.value).into(),
            shown(column.sd()).into(),
            column.unit.into(),
            column.prior_name().into(),
            percent(finding.first).into(),
            percent(finding.total).into(),
            shown(Some(finding.derivative).filter(|x| !x.is_nan())).into(),
            one_line(&finding.row).into(),
            column.held.into(),
        ];
        table.row(cells);
    }
    let mut body = String::new();
    table.without_empty_columns().render(0, &mut body);
    text.push_str(&body);
    if answer.findings.len() > top {
        text.push_str(&format!("… and {} parameters that matter less\n", answer.findings.len() - top));
    }
    for (one, other, both) in answer.pairs.iter().take(top) {
        text.push_str(&format!("{} with {}: {}\n", one_line(one), one_line(other), percent(Some(*both))));
    }
    answer.words().iter().for_each(|words| text.push_str(&format!("{words}\n")));
    if let Some(series) = &answer.series {
        text.push_str(&format!("an error of the start grows {} times\n", number::five(series.amplification)));
    }
    if let Some(found) = &answer.uncertainty {
        text.push_str(&scatter(found));
    }
    answer.doubts().iter().for_each(|doubt| text.push_str(&format!("{bold}{doubt}{bold:#}\n")));
    text
}

/// A table an output: the largest numbers of each.
pub(super) fn by_outputs(answer: &Answer, top: usize) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}\n", one_line(&answer.title));
    for output in &answer.outputs {
        let sd = output.sd.map_or(String::new(), |sd| format!(", scatters by {}", number::five(sd)));
        text.push_str(&format!("\n{bold}{}{bold:#}, {}{sd}\n", one_line(&output.name), output.unit));
        if let Some(why) = &output.without {
            text.push_str(&format!("no index: {why}\n"));
            continue;
        }
        let names = output.measures.iter().map(|(name, _)| (*name, Align::Right));
        let mut table = Table::new([("parameter", Align::Left)].into_iter().chain(names));
        // By the last of what is alone and what is with others.
        let main = if output.measure("total").is_some() { "total" } else { answer.measure };
        let size = |k: &usize| output.at(main, *k).value.abs();
        let mut order: Vec<usize> = (0..answer.findings.len()).collect();
        order.sort_by(|a, b| size(b).total_cmp(&size(a)));
        for k in order.into_iter().take(top.max(1)) {
            let of = |(_, of): &(&str, Vec<Interval>)| Cell::from(with_interval(of[k]));
            let name = Cell::from(one_line(&answer.findings[k].column.name));
            table.row([name].into_iter().chain(output.measures.iter().map(of)));
        }
        table.render(0, &mut text);
    }
    text.push('\n');
    answer
        .words()
        .iter()
        .skip(usize::from(answer.weights.is_some()))
        .for_each(|words| text.push_str(&format!("{words}\n")));
    answer.doubts().iter().for_each(|doubt| text.push_str(&format!("{bold}{doubt}{bold:#}\n")));
    text
}

fn scatter(found: &Uncertainty) -> String {
    let heading = [
        ("output", Align::Left),
        ("sd to first order", Align::Right),
        ("by samples", Align::Right),
        ("mean less value", Align::Right),
    ];
    let mut table = Table::new(heading);
    for s in &found.scatter {
        let cells: [Cell; 4] = [
            one_line(&s.row).into(),
            number::five(s.first).into(),
            with_interval(s.sampled).into(),
            with_interval(s.shift).into(),
        ];
        table.row(cells);
    }
    let mut text = format!("\n{} samples", found.samples);
    if found.kept_out > 0 {
        text.push_str(&format!(", {} of them excluded: no finite output", found.kept_out));
    }
    text.push('\n');
    table.render(0, &mut text);
    text
}
