//! The findings for people.

use super::Findings;
use crate::args::{Check, ConstraintArgs, Continuous, Order, RobotArgs};
use crate::error::one_line;
use crate::table::{Align, Cell, Table};
use anstyle::{AnsiColor, Style};
use gradyn_files::labels::Labels;
use gradyn_files::labels::fit;
use gradyn_files::number::deviation;
use gradyn_files::robot::Robot;

/// Names of joints are cut to so many columns in the table.
const NAME: usize = 24;

pub(super) const GOOD: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
pub(super) const BAD: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// Of what could not be told.
pub(super) const UNCLEAR: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));

pub(super) fn readable(robot: &Robot, args: &Check, findings: &Findings) -> String {
    use Align::{Left, Right};
    let bold = Style::new().bold();
    let name = one_line(robot.model.name());
    let (nq, nv) = (robot.model.nq(), robot.model.nv());
    let states = match findings.samples {
        1 => format!("random state {}", findings.first),
        n => format!("{n} random states"),
    };
    let mut text = format!("{bold}{name}{bold:#}  nq {nq}, nv {nv}; {states}, seed {}\n", findings.seed);
    if nv == 0 {
        text.push_str("no joint moves: there is nothing to check\n");
        return text;
    }

    let labels = Labels::new(robot.model.dof_names(), &findings.constraints, &robot.model);
    let shortened = |name: &str| fit(&one_line(name), NAME).trim_end().to_owned();
    text.push_str("\nWhere the methods differ most, measured by what is allowed there:\n");
    let mut table = Table::new([
        ("", Left),
        ("methods", Left),
        ("row", Left),
        ("column", Left),
        ("state", Right),
        ("deviation", Right),
        ("relative", Right),
        ("allowed", Right),
        ("by", Left),
        ("", Left),
    ]);
    let shown = findings.shown(!args.verbose);
    for (comparison, quantities) in &shown {
        let [a, b] = comparison.methods;
        let symbol = |quantities: usize| match quantities {
            1 => comparison.quantity.symbol().to_owned(),
            n => format!("{} +{}", comparison.quantity.symbol(), n - 1),
        };
        let (Some(worst), Some([row, column])) = (&comparison.worst, comparison.places(&labels)) else { continue };
        table.row([
            Cell::styled(symbol(*quantities), bold),
            format!("{a}, {b}").into(),
            shortened(&row).into(),
            shortened(&column).into(),
            worst.state.to_string().into(),
            deviation(worst.deviation).into(),
            deviation(worst.relative()).into(),
            deviation(worst.tolerance).into(),
            worst.by.name().into(),
            verdict(worst.agrees(), "agrees", "DEVIATES"),
        ]);
    }
    table.render(0, &mut text);

    let dim = Style::new().dimmed();
    text.push_str(&format!(
        "{dim}relative to the largest entry; allowed by size: 1e-9 of the largest entry, or if more\n\
         by estimate: ten times the error that the differences estimate for themselves,\n\
         or by rounding: what may be left of the terms where they cancel{dim:#}\n"
    ));
    if shown.iter().any(|(_, quantities)| *quantities > 1) {
        text.push_str(&format!(
            "{dim}+8: with eight more of its kind, which are further from deviating; --verbose shows all{dim:#}\n"
        ));
    }
    text.push('\n');
    let mut table =
        Table::new([("identity", Left), ("state", Right), ("relative", Right), ("allowed", Right), ("", Left)]);
    for identity in &findings.identities {
        let Some(worst) = identity.worst else { continue };
        let number = |x: f64| if identity.claim.is_yes_or_no() { Cell::from("") } else { deviation(x).into() };
        table.row([
            identity.claim.text().into(),
            worst.state.to_string().into(),
            number(worst.relative),
            number(worst.allowed),
            verdict(identity.holds(), "holds", "FAILS"),
        ]);
    }
    table.render(0, &mut text);

    if let (n @ 1.., of) = (findings.singular.len(), findings.samples) {
        text.push_str(&format!(
            "\n{n} of {of} states not compared under constraints, which are about to lose or gain a row there\n"
        ));
    }
    if let (n @ 1.., of) = (findings.without_accelerations.len(), findings.samples) {
        text.push_str(&format!(
            "\n{n} of {of} states without accelerations: the mass matrix is singular there, or as good as\n"
        ));
    }
    if let (n @ 1.., of) = (findings.without_differences.len(), findings.samples) {
        text.push_str(&format!(
            "\n{n} of {of} states without differences of accelerations: their steps lead to where the mass matrix is singular\n"
        ));
    }
    text.push_str(&conclusion(robot, args, findings));
    text
}

pub(super) fn verdict(good: bool, yes: &str, no: &str) -> Cell {
    if good { Cell::styled(yes, GOOD) } else { Cell::styled(no, BAD) }
}

/// One line: all is well, or what is not and how to see it again.
fn conclusion(robot: &Robot, args: &Check, findings: &Findings) -> String {
    let Some(state) = findings.deviating.first() else {
        if let n @ 1.. = findings.untold() {
            let of = findings.samples;
            return format!(
                "\n{UNCLEAR}cannot tell{UNCLEAR:#}: something could not be compared in {n} of {of} states; nothing deviates (--allow-unclear)\n"
            );
        }
        return match findings.samples {
            1 => format!("\n{GOOD}the state agrees{GOOD:#}\n"),
            n => format!("\n{GOOD}all {n} states agree{GOOD:#}\n"),
        };
    };
    let comparisons = findings.comparisons.iter().filter(|comparison| !comparison.agrees());
    let mut what: Vec<&str> = comparisons.map(|comparison| comparison.quantity.symbol()).collect();
    what.dedup();
    what.extend(findings.identities.iter().filter(|identity| !identity.holds()).map(|identity| identity.claim.text()));
    let (n, of) = (findings.deviating.len(), findings.samples);
    format!(
        "\n{BAD}{n} of {of} states deviate{BAD:#}: {}; again: gradyn check {}{}{} --seed {} --state {state}\n",
        what.join(", "),
        quoted(&robot.path.display().to_string()),
        choices(&args.robot),
        held(&args.held),
        findings.seed,
    )
}

/// The choices about the robot as they were given.
fn choices(args: &RobotArgs) -> String {
    let mut text = String::new();
    let mut add = |given: bool, flag: &str| {
        if given {
            text.push_str(flag);
        }
    };
    add(args.floating_base, " --floating-base");
    add(args.no_joint_friction, " --no-joint-friction");
    add(matches!(args.continuous, Continuous::CosSin), " --continuous cos-sin");
    add(matches!(args.joint_order, Order::Pinocchio), " --joint-order pinocchio");
    if let Some([x, y, z]) = args.gravity {
        text.push_str(&format!(" --gravity {x},{y},{z}"));
    }
    text
}

/// The constraints as they were given.
fn held(args: &ConstraintArgs) -> String {
    let flag = |flag: &str, value: &str| format!(" {flag} {}", quoted(value));
    let file = args.constraints.iter().map(|path| flag("--constraints", &path.display().to_string()));
    let points = args.contact.iter().map(|name| flag("--contact", name));
    let frames = args.contact_frame.iter().map(|name| flag("--contact-frame", name));
    file.chain(points).chain(frames).collect()
}

/// An argument as a shell takes it.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
