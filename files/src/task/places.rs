//! Where costs and constraints count: `at` and `phases`.

use super::kinds::phases_with;
use super::phases::PhaseTask;
use super::source::{Item, Table};
use crate::error::Error;

/// Where a term counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// Along phases.
    Along,
    /// At the last node of the trajectory.
    End,
    /// At these nodes of phases; from the end if negative.
    Nodes(Vec<i64>),
}

impl At {
    /// The nodes of a phase that it counts at; none if there is one that the phase does not have.
    pub fn nodes_of(&self, phase: &PhaseTask) -> Vec<usize> {
        match self {
            Self::Along => (0..phase.nodes()).collect(),
            Self::End => vec![0],
            // They were checked when the term was read.
            Self::Nodes(_) => {
                self.nodes(phase.asked()).unwrap_or_default().into_iter().map(|k| phase.node(k)).collect()
            }
        }
    }
    /// The nodes, as the file counts, of a phase of `n` that it counts at; `Err` if there is one that the phase does
    /// not have.
    fn nodes(&self, n: usize) -> Result<Vec<usize>, i64> {
        match self {
            Self::Along => Ok((0..n).collect()),
            Self::End => Ok(vec![0]),
            Self::Nodes(nodes) => {
                let of = |k: &i64| {
                    let at = if *k < 0 { i64::try_from(n).unwrap_or(i64::MAX) + k } else { *k };
                    usize::try_from(at).ok().filter(|at| *at < n).ok_or(*k)
                };
                nodes.iter().map(of).collect()
            }
        }
    }
}

/// `at` and `phases`. What is of a contact counts, unless phases are named, in those that hold it; `impacts`: at
/// impacts on it too.
pub(super) fn places(
    table: &Table<'_>,
    phases: &[PhaseTask],
    contact: Option<(&Item<'_>, &str)>,
    impacts: bool,
) -> Result<(At, Vec<usize>), Error> {
    let named = match table.get("phases") {
        None => None,
        Some(item) => {
            let mut list = Vec::new();
            for (item, name) in item.texts("names of phases")? {
                let names = phases.iter().map(|phase| phase.name.as_str());
                let at = phases.iter().position(|phase| phase.name == name);
                list.push(at.ok_or_else(|| item.unknown("phase", name, names))?);
            }
            if list.is_empty() {
                return Err(item.refuse("expected one phase at least"));
            }
            Some(list)
        }
    };
    if let Some((item, name)) = contact {
        let names = phases.iter().flat_map(|phase| phase.held.iter().map(|held| held.contact.name.as_str()));
        if !names.clone().any(|known| known == name) {
            return Err(item.unknown("contact of any phase", name, names));
        }
        let lacks = |k: &&usize| !phases[**k].held.iter().any(|held| held.contact.name == name);
        if let Some(k) = named.iter().flatten().find(lacks) {
            return Err(item.refuse(format!("phase `{}` does not hold the contact `{name}`", phases[*k].name)));
        }
    }
    let all = || match contact {
        Some((_, name)) => phases_with(name, phases, impacts && table.get("at").is_none()),
        None => (0..phases.len()).filter(|k| !phases[*k].is_jump()).collect(),
    };
    let Some(item) = table.get("at") else { return Ok((At::Along, named.unwrap_or_else(all))) };
    let at = if item.as_text().is_some() {
        item.one_of("at", &["last"])?;
        if named.is_none() && contact.is_none() {
            return Ok((At::End, Vec::new()));
        }
        At::Nodes(vec![-1])
    } else if item.is_list() {
        let list = item.list("a list of nodes")?;
        At::Nodes(list.iter().map(Item::integer).collect::<Result<_, _>>()?)
    } else {
        return Err(item.expected("`last` or a list of nodes of the phases"));
    };
    let phases_of = named.unwrap_or_else(all);
    if let At::Nodes(nodes) = &at {
        for phase in &phases_of {
            let n = i64::try_from(phases[*phase].asked()).unwrap_or(i64::MAX);
            if let Some(k) = nodes.iter().find(|k| !(-n..n).contains(k)) {
                return Err(
                    item.refuse(format!("there is no node {k} in phase `{}`, which has {n}", phases[*phase].name))
                );
            }
        }
    }
    Ok((at, phases_of))
}
