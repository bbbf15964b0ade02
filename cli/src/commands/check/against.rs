//! `gradyn check --against`: what another program computed, against evidence from the functions themselves.

use super::show::{BAD, GOOD, UNCLEAR, verdict};
use crate::args::Check;
use crate::commands::{Report, progress};
use crate::error::{Error, one_line};
use crate::output::Output;
use crate::table::{Align, Cell, Table};
use anstyle::Style;
use gradyn::derivatives::check::{Entry, Verdict};
use gradyn_files::check::evidence::{self, Failure, Strictness};
use gradyn_files::check::{self, Page, Section};
use gradyn_files::check::{Checked, Overall, Total, totals};
use gradyn_files::claims::Claims;
use gradyn_files::input;
use gradyn_files::labels::fit;
use gradyn_files::number::{count, deviation, exact};
use gradyn_files::robot::Robot;
use serde::Serialize;
use std::path::Path;

/// So many entries that disagree are shown of each claim, and of all.
const SHOWN: usize = 8;
const SHOWN_IN_ALL: usize = 24;

/// Names are cut to so many columns.
const NAME: usize = 24;

pub(super) fn check(args: &Check, path: &Path) -> Result<Report, Error> {
    let robot = args.robot.in_layout(args.layout).load()?;
    let output = args.report.as_deref().map(|report| Output::new(Some(report), &[&robot.path, path])).transpose()?;
    let held = args.held.constraints(&robot)?;
    let claims = Claims::read(path, &robot, args.layout.into(), held)?;
    let file = input::name(path);
    let (checked, notices) = examine(args, &robot, &claims, &file)?;
    let failed = Overall::of(&checked).fails(args.allow_unclear);
    let mut warnings = robot.warnings();
    warnings.extend(notices.into_iter().map(|notice| format!("{file}: not checked: {notice}")));
    if let Some(mut output) = output {
        let page = page(&robot, args, &claims, &checked, &file);
        output.write(|to| to.write_all(page.as_bytes()))?;
        output.finish()?;
    }
    if args.json {
        let layout = format!("{:?}", args.layout).to_lowercase();
        let data = json(Subject::Robot(robot.model.name(), layout), &file, claims.states.len(), &checked)?;
        return Ok(Report { data, warnings, failed, ..Report::default() });
    }
    let bold = Style::new().bold();
    let heading = format!(
        "{bold}{}{bold:#}  nq {}, nv {}; {} of {}",
        one_line(robot.model.name()),
        robot.model.nq(),
        robot.model.nv(),
        count(claims.states.len(), "state"),
        one_line(&file),
    );
    let text = readable(&heading, args, claims.states.len(), &checked);
    Ok(Report { text, warnings, failed, ..Report::default() })
}

/// Every claim of every state, and what cannot be checked.
fn examine(args: &Check, robot: &Robot, claims: &Claims, file: &str) -> Result<(Vec<Checked>, Vec<String>), Error> {
    let pictures = if args.report.is_some() { 2 } else { 0 };
    let strictness = Strictness { tolerance: args.tolerance, floor: args.floor, pictures };
    let (mut checked, mut notices) = (Vec::new(), Vec::new());
    let bar = progress(claims.states.len() as u64, "states");
    for (k, state) in claims.states.iter().enumerate() {
        for claim in &state.claims {
            let held = (&claims.coordinates, &claims.constraints);
            match evidence::examine(robot, held, state, claim, strictness) {
                Ok(report) => checked.push(Checked { state: k, name: claim.what.name(), report }),
                Err(Failure::Input(error)) => {
                    let place = format!("{file}: state {k}, `{}`", claim.what.name());
                    return Err(Error::input(place, error));
                }
                Err(Failure::Check(error)) => {
                    let reason = format!("state {k}, `{}`: {error}", claim.what.name());
                    return Err(Error::content(file.to_owned(), reason));
                }
                Err(Failure::Undefined(notice)) if notices.contains(&notice) => {}
                Err(Failure::Undefined(notice)) => notices.push(notice),
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if checked.is_empty() {
        let reason = notices.into_iter().next().unwrap_or_else(|| String::from("nothing can be checked"));
        return Err(Error::content(file.to_owned(), reason));
    }
    Ok((checked, notices))
}

pub(super) fn readable(heading: &str, args: &Check, states: usize, checked: &[Checked]) -> String {
    use Align::{Left, Right};
    let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
    let mut text = format!("{heading}\n\n");
    let cut = |name: &str| fit(&one_line(name), NAME).trim_end().to_owned();
    let mut table = Table::new([
        ("", Left),
        ("states", Right),
        ("agree", Right),
        ("disagree", Right),
        ("unclear", Right),
        ("furthest: row", Left),
        ("column", Left),
        ("state", Right),
        ("off by", Right),
        ("allowed", Right),
        ("", Left),
    ]);
    let totals = totals(checked);
    for total in &totals {
        let [agree, disagree, unclear] = total.counts;
        let some = |n: usize| if n == 0 { Cell::from("") } else { n.to_string().into() };
        let mut cells = vec![
            Cell::styled(one_line(&total.symbol), bold),
            total.states.to_string().into(),
            agree.to_string().into(),
            some(disagree),
            some(unclear),
        ];
        match &total.worst {
            Some((state, entry, [row, column])) => cells.extend([
                cut(row).into(),
                cut(column).into(),
                state.to_string().into(),
                deviation(entry.deviation()).into(),
                deviation(entry.bound).into(),
            ]),
            None => cells.extend(std::iter::repeat_n(Cell::from(""), 5)),
        }
        cells.push(match (disagree, unclear) {
            (0, 1..) => Cell::styled("CANNOT TELL", UNCLEAR),
            _ => verdict(disagree == 0, "agrees", "DISAGREES"),
        });
        table.row(cells);
    }
    table.without_empty_columns().render(0, &mut text);
    text.push_str(&format!(
        "{dim}allowed: {} of the entry, {} of its scale, and ten times the estimated error of what was found{dim:#}\n",
        deviation(args.tolerance),
        deviation(args.floor),
    ));

    disagreements(checked, cut, &mut text);
    unclear(checked, &mut text);
    let wrong: Vec<&Total> = totals.iter().filter(|total| total.counts[1] > 0).collect();
    if let Overall::CannotTell(n) = Overall::of(checked) {
        let entries: usize = checked.iter().map(|checked| checked.report.entries.len()).sum();
        let of = if entries == 1 { "entry" } else { "entries" };
        text.push_str(&format!(
            "\n{UNCLEAR}cannot tell{UNCLEAR:#}: {n} of {entries} {of} undecided; none disagrees (--allow-unclear)\n"
        ));
    } else if wrong.is_empty() {
        text.push_str(&format!("\n{GOOD}{}{GOOD:#}\n", all_agree(states)));
    } else {
        let mut bad: Vec<usize> = checked.iter().filter(|c| c.report.disagrees()).map(|c| c.state).collect();
        bad.dedup();
        let symbols: Vec<String> = wrong.iter().map(|total| one_line(&total.symbol)).collect();
        let n = bad.len();
        let verb = if n == 1 { "disagrees" } else { "disagree" };
        let what = count(states, "state");
        let unclear = match totals.iter().map(|total| total.counts[2]).sum() {
            0 => String::new(),
            n => format!("; {} undecided", count(n, "entry").replace("entrys", "entries")),
        };
        text.push_str(&format!("\n{BAD}{n} of {what} {verb}{BAD:#}: {}{unclear}\n", symbols.join(", ")));
    }
    text
}

fn all_agree(states: usize) -> String {
    match states {
        1 => String::from("the state agrees"),
        n => format!("all {n} states agree"),
    }
}

/// The entries that disagree, with their joints, and what probably went wrong.
fn disagreements(checked: &[Checked], cut: impl Fn(&str) -> String, text: &mut String) {
    use Align::{Left, Right};
    let wrong: Vec<&Checked> = checked.iter().filter(|checked| checked.report.disagrees()).collect();
    if wrong.is_empty() {
        return;
    }
    let bold = Style::new().bold();
    let columns = [("", Left), ("state", Right), ("row", Left), ("column", Left)];
    let numbers = [("claimed", Right), ("found", Right), ("off by", Right), ("allowed", Right)];
    let mut table = Table::new(columns.into_iter().chain(numbers));
    let (mut shown, mut in_all) = (0, 0);
    for Checked { state, report, .. } in &wrong {
        in_all += report.counts.disagree;
        let entries = report.worst().into_iter().filter(|entry| entry.verdict == Verdict::Disagrees);
        for entry in entries.take(SHOWN.min(SHOWN_IN_ALL - shown)) {
            shown += 1;
            table.row([
                Cell::styled(one_line(&report.name), bold),
                state.to_string().into(),
                cut(report.row_name(entry)).into(),
                cut(report.column_name(entry)).into(),
                exact(entry.claimed).into(),
                exact(entry.found).into(),
                deviation(entry.deviation()).into(),
                deviation(entry.bound).into(),
            ]);
        }
    }
    text.push_str("\nEntries that disagree, furthest from what is allowed first:\n");
    table.without_empty_columns().render(0, text);
    if in_all > shown {
        text.push_str(&format!("… and {} more\n", in_all - shown));
    }
    let mut guesses: Vec<(String, Vec<String>)> = Vec::new();
    for Checked { state, report, .. } in wrong {
        if let Some(guess) = report.guess() {
            let guess = format!("{}: {guess}", report.name);
            match guesses.iter_mut().find(|(before, _)| *before == guess) {
                Some((_, states)) => states.push(state.to_string()),
                None => guesses.push((guess, vec![state.to_string()])),
            }
        }
    }
    for (n, (guess, states)) in guesses.iter().enumerate() {
        let all =
            if states.len() > SHOWN { String::from("many states") } else { format!("state {}", states.join(", ")) };
        let gap = if n == 0 { "\n" } else { "" };
        text.push_str(&format!("{gap}{bold}probably{bold:#}  {} ({all})\n", one_line(guess)));
    }
}

/// Why nothing can be said of some entries, and other remarks.
fn unclear(checked: &[Checked], text: &mut String) {
    let mut remarks: Vec<String> = Vec::new();
    for Checked { state, report, .. } in checked {
        if let Some(entry) = report.entries.iter().find(|entry| matches!(entry.verdict, Verdict::CannotTell(_))) {
            let (row, column) = (report.row_name(entry), report.column_name(entry));
            remarks.push(format!(
                "{}, state {state}: {} of {}, such as {row} by {column}: {}",
                report.name,
                count(report.counts.cannot_tell, "unclear entry").replace("entrys", "entries"),
                report.entries.len(),
                entry.verdict
            ));
        }
        remarks.extend(report.notes.iter().map(|note| format!("{}, state {state}: {note}", report.name)));
    }
    let more = remarks.len().saturating_sub(SHOWN);
    for (n, remark) in remarks.iter().take(SHOWN).enumerate() {
        text.push_str(if n == 0 { "\n" } else { "" });
        text.push_str(&one_line(remark));
        text.push('\n');
    }
    if more > 0 {
        text.push_str(&format!("… and {more} more\n"));
    }
}

/// Whose derivatives are claimed: a robot's, in a layout, or those of a program's own function.
pub(super) enum Subject<'a> {
    Robot(&'a str, String),
    Program(&'a str),
}

/// The findings for programs.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    robot: Option<&'a str>,
    /// Of a function that does not belong to a robot.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<&'a str>,
    against: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    layout: Option<String>,
    states: usize,
    /// `agrees`, `disagrees`, or `cannot tell`.
    verdict: &'static str,
    agree: bool,
    disagree: usize,
    cannot_tell: usize,
    checked: Vec<CheckedAnswer<'a>>,
}

#[derive(Serialize)]
struct CheckedAnswer<'a> {
    state: usize,
    quantity: &'a str,
    verdict: &'static str,
    agrees: bool,
    entries: usize,
    disagree: usize,
    cannot_tell: usize,
    /// Those that do not agree, or the one that is furthest.
    worst: Vec<EntryAnswer<'a>>,
    guesses: Vec<String>,
    /// Which values would tell more, derivatives of the two sides, and the like.
    notes: &'a [String],
}

#[derive(Serialize)]
struct EntryAnswer<'a> {
    row: &'a str,
    column: &'a str,
    claimed: f64,
    found: f64,
    deviation: f64,
    allowed: f64,
    verdict: String,
}

/// So many entries of each claim are written out.
const WRITTEN: usize = 100;

fn answer(Checked { state, name, report }: &Checked) -> CheckedAnswer<'_> {
    let worst = report.worst();
    let bad = worst.iter().take_while(|entry| entry.verdict != Verdict::Agrees).count().clamp(1, WRITTEN);
    let entry = |entry: &&Entry| EntryAnswer {
        row: report.rows.get(entry.row).map_or("", String::as_str),
        column: report.columns.get(entry.column).map_or("", String::as_str),
        claimed: entry.claimed,
        found: entry.found,
        deviation: entry.deviation(),
        allowed: entry.bound,
        verdict: entry.verdict.to_string(),
    };
    CheckedAnswer {
        state: *state,
        quantity: name,
        verdict: Overall::of_one(report).name(),
        agrees: report.agrees(),
        entries: report.entries.len(),
        disagree: report.counts.disagree,
        cannot_tell: report.counts.cannot_tell,
        worst: worst.iter().take(bad).map(entry).collect(),
        guesses: report.guesses.iter().map(ToString::to_string).collect(),
        notes: &report.notes,
    }
}

pub(super) fn json(subject: Subject<'_>, file: &str, states: usize, checked: &[Checked]) -> Result<Vec<u8>, Error> {
    let (robot, program, layout) = match subject {
        Subject::Robot(name, layout) => (Some(name), None, Some(layout)),
        Subject::Program(name) => (None, Some(name), None),
    };
    let answer = Answer {
        robot,
        program,
        against: file,
        layout,
        states,
        verdict: Overall::of(checked).name(),
        agree: checked.iter().all(|checked| checked.report.agrees()),
        disagree: checked.iter().map(|checked| checked.report.counts.disagree).sum(),
        cannot_tell: checked.iter().map(|checked| checked.report.counts.cannot_tell).sum(),
        checked: checked.iter().map(answer).collect(),
    };
    let mut data = serde_json::to_vec_pretty(&answer).map_err(|error| Error::Stdout(error.into()))?;
    data.push(b'\n');
    Ok(data)
}

/// The page: each quantity where it is furthest from what was found.
fn page(robot: &Robot, args: &Check, claims: &Claims, checked: &[Checked], file: &str) -> String {
    let totals = totals(checked);
    let sections = totals.iter().filter_map(|total| {
        let worst = total.worst.as_ref().map(|(state, ..)| *state);
        let of = |checked: &&Checked| checked.report.name == total.symbol && Some(checked.state) == worst;
        let Checked { state, report, .. } = checked.iter().find(of)?;
        Some(Section { place: format!("state {state} of {file}"), report })
    });
    let mut sections: Vec<Section> = sections.collect();
    // What disagrees comes first.
    sections.sort_by_key(|section| (!section.report.disagrees(), section.report.counts.cannot_tell == 0));
    check::write(&Page {
        robot: robot.model.name(),
        sizes: (robot.model.nq(), robot.model.nv()),
        subject: format!("What {file} claims of {}", count(claims.states.len(), "state")),
        rule: format!(
            "An entry agrees if it is off by no more than {} of itself, {} of its scale, and ten times the \
             estimated error of what was found.",
            deviation(args.tolerance),
            deviation(args.floor)
        ),
        totals: &totals,
        sections,
        tables: Vec::new(),
        untold: String::new(),
    })
}
