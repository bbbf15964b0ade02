//! Parameters that are moved together.

use crate::error::Error;
use gradyn_files::sensitivity::Column;
use gradyn_sensitivity::Parameters;

/// The groups of `--group NAME=LIST`, in their order, then each parameter in none of them by itself; the places of
/// their members. Empty if none is given.
pub(super) fn of(given: &[String], parameters: &Parameters) -> Result<Vec<(String, Vec<usize>)>, Error> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    let names = parameters.names();
    for text in given {
        let refuse = |reason: String| Error::Usage(format!("--group {text}: {reason}"));
        let parts = text.split_once('=').map(|(name, list)| (name.trim(), list));
        let Some((name, list)) = parts.filter(|(name, list)| !name.is_empty() && !list.trim().is_empty()) else {
            return Err(refuse("expected NAME=LIST, such as `arm=*.mass`".into()));
        };
        if groups.iter().any(|(other, _)| other == name) || names.iter().any(|other| other == name) {
            return Err(refuse(format!("there is a group or a parameter `{name}` already")));
        }
        let mut members = Vec::new();
        for pattern in list.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()) {
            members.extend(parameters.fitting(pattern).map_err(|error| refuse(error.to_string()))?);
        }
        members.sort_unstable();
        members.dedup();
        let twice = |member: &&usize| groups.iter().any(|(_, other)| other.contains(*member));
        if let Some(member) = members.iter().find(twice) {
            return Err(refuse(format!("`{}` is in another group already", names[*member])));
        }
        groups.push((name.to_owned(), members));
    }
    if !groups.is_empty() {
        let alone = |k: &usize| !groups.iter().any(|(_, members)| members.contains(k));
        let alone: Vec<usize> = (0..names.len()).filter(alone).collect();
        groups.extend(alone.into_iter().map(|k| (names[k].clone(), vec![k])));
    }
    Ok(groups)
}

/// The columns of groups.
pub(super) fn columns(groups: &[(String, Vec<usize>)], columns: Vec<Column>) -> Vec<Column> {
    if groups.is_empty() {
        return columns;
    }
    let column = |(name, members): &(String, Vec<usize>)| match members[..] {
        [one] if columns[one].name == *name => columns[one].clone(),
        _ => Column {
            name: name.clone(),
            unit: "",
            held: "moved together",
            value: None,
            prior: None,
            members: members.iter().map(|k| columns[*k].name.clone()).collect(),
        },
    };
    groups.iter().map(column).collect()
}
