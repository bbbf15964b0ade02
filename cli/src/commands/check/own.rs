//! The page about gradyn's own derivatives.

use super::Findings;
use crate::args::Check;
use crate::error::Error;
use gradyn::partials::{DerivativeWorkspace, Method};
use gradyn_files::check::evidence::{self, Failure, Strictness};
use gradyn_files::check::{self, Page, Section};
use gradyn_files::check::{Checked, totals};
use gradyn_files::check::{compare, identity};
use gradyn_files::claims::{Claim, Claimed, Coordinates, Layout, StateClaims};
use gradyn_files::labels::Labels;
use gradyn_files::number::deviation;
use gradyn_files::quantity::Quantity;
use gradyn_files::robot::Robot;
use gradyn_files::{evaluation, states};

/// The methods against each other on all states; formulas in closed form against evidence on one of them, the first
/// that deviates if one does.
pub(super) fn page(robot: &Robot, args: &Check, findings: &Findings) -> Result<String, Error> {
    let index = findings.deviating.first().copied().unwrap_or(findings.first);
    let place = format!("random state {index} (seed {})", findings.seed);
    let refused = |error| Error::input(format!("{}: {place}", robot.path.display()), error);
    let mut checked = Vec::new();
    if robot.model.nv() > 0 {
        let state = states::random(robot, findings.seed, index);
        let mut workspace = DerivativeWorkspace::new(&robot.model);
        let by = evaluation::derivatives(robot, &mut workspace, Method::Analytical, &state).map_err(refused)?;
        let quantities = [Quantity::DtauDq, Quantity::DtauDv, Quantity::MassMatrix];
        let values = [&by.dtau_dq, &by.dtau_dv, &by.dtau_da];
        let claim = |(quantity, value): (Quantity, &nalgebra::DMatrix<f64>)| Claim {
            what: Claimed { quantity, part: String::new() },
            value: value.clone(),
        };
        let claims = StateClaims::own(&state, quantities.into_iter().zip(values).map(claim).collect());
        let odd = |reason: String| Error::content(robot.path.display().to_string(), reason);
        let coordinates = Coordinates::new(&robot.model, Layout::Gradyn, None).map_err(odd)?;
        let strictness = Strictness { tolerance: args.tolerance, floor: args.floor, pictures: 2 };
        for claim in &claims.claims {
            let report = evidence::examine(robot, (&coordinates, &findings.constraints), &claims, claim, strictness);
            let report = report.map_err(|failure| match failure {
                Failure::Input(error) => refused(error),
                Failure::Undefined(reason) => odd(reason),
                Failure::Check(error) => odd(error.to_string()),
            })?;
            checked.push(Checked { state: 0, name: claim.what.name(), report });
        }
    }
    let totals = totals(&checked);
    let samples = match findings.samples {
        1 => format!("random state {}", findings.first),
        n => format!("{n} random states"),
    };
    Ok(check::write(&Page {
        robot: robot.model.name(),
        sizes: (robot.model.nq(), robot.model.nv()),
        subject: format!(
            "gradyn's own derivatives: three methods against each other on {samples} (seed {}), formulas in closed form \
             against evidence on {place}",
            findings.seed
        ),
        rule: format!(
            "An entry agrees if it is off by no more than {} of itself, {} of its scale, and ten times the \
             estimated error of what was found.",
            deviation(args.tolerance),
            deviation(args.floor)
        ),
        totals: &totals,
        sections: checked.iter().map(|c| Section { place: place.clone(), report: &c.report }).collect(),
        tables: vec![methods(robot, findings), identities(findings)],
        untold: match findings.untold() {
            0 => String::new(),
            n => format!("{n} of {} states", findings.samples),
        },
    }))
}

/// Where the methods differ most.
fn methods(robot: &Robot, findings: &Findings) -> check::Findings {
    let labels = Labels::new(robot.model.dof_names(), &findings.constraints, &robot.model);
    let row = |(comparison, _): (&compare::Comparison, usize)| {
        let worst = comparison.worst.as_ref()?;
        let [row, column] = comparison.places(&labels)?;
        let [a, b] = comparison.methods;
        let cells = vec![
            comparison.quantity.symbol().to_owned(),
            format!("{a}, {b}"),
            row,
            column,
            worst.state.to_string(),
            deviation(worst.deviation),
            deviation(worst.relative()),
            deviation(worst.tolerance),
        ];
        Some((cells, worst.agrees()))
    };
    check::Findings {
        title: "Methods against each other",
        heading: vec!["", "methods", "furthest: row", "column", "state", "deviation", "relative", "allowed"],
        rows: findings.shown(false).into_iter().filter_map(row).collect(),
    }
}

/// What must hold whatever the method.
fn identities(findings: &Findings) -> check::Findings {
    let row = |identity: &identity::Identity| {
        let worst = identity.worst?;
        let cells = vec![
            identity.claim.text().to_owned(),
            worst.state.to_string(),
            deviation(worst.relative),
            deviation(worst.allowed),
        ];
        Some((cells, identity.holds()))
    };
    check::Findings {
        title: "Identities",
        heading: vec!["", "state", "relative deviation", "allowed"],
        rows: findings.identities.iter().filter_map(row).collect(),
    }
}
