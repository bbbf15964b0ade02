//! The table as text, for the documentation.

use super::{AttributeSpec, ElementSpec, Kind, MUJOCO, Use};
use std::fmt::Write;

/// Every element once, with its attributes, types and defaults, and what the rest means for the dynamics.
pub(in crate::model::mjcf) fn markdown() -> String {
    let mut text = String::from("| element | read | not read |\n|---|---|---|\n");
    let mut seen: Vec<*const ElementSpec> = Vec::new();
    element(&MUJOCO, "", &mut seen, &mut text);
    text
}

fn element(spec: &'static ElementSpec, above: &str, seen: &mut Vec<*const ElementSpec>, text: &mut String) {
    let key = std::ptr::from_ref(spec);
    if seen.contains(&key) {
        return;
    }
    seen.push(key);
    let path = if above.is_empty() { spec.name.to_owned() } else { format!("{above}/{}", spec.name) };
    // Actuators have much in common, which the first one tells.
    let is_like_others = spec.defaults == "actuator" && spec.name != "general";
    let (read, mut not): (Vec<_>, Vec<_>) = match spec.used {
        Use::Not(rank, reason) => {
            let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            (Vec::new(), vec![format!("*{rank}*{why}")])
        }
        Use::Read => {
            let all = || spec.attributes.iter().skip(usize::from(is_like_others)).flat_map(|group| group.iter());
            let like = is_like_others.then(|| String::from("as `general`"));
            let own = all().filter(|attribute| attribute.used == Use::Read).map(described);
            let read = like.into_iter().chain(own).collect();
            let not = all().filter_map(|attribute| match attribute.used {
                Use::Not(rank, reason) => Some(format!("`{}` *{rank}*: {reason}", attribute.name)),
                Use::Read => None,
            });
            (read, not.collect())
        }
    };
    if !spec.ignored.is_empty() && !is_like_others {
        let names: Vec<_> = spec.ignored.iter().map(|name| format!("`{name}`")).collect();
        not.push(format!("*not dynamics*: {}", names.join(" ")));
    }
    // Writing to a string does not fail.
    let _ = writeln!(text, "| `{path}` | {} | {} |", read.join(", "), not.join("; "));
    let above = if matches!(spec.name, "mujoco" | "default" | "worldbody") { "" } else { spec.name };
    for child in spec.children {
        element(child, above, seen, text);
    }
}

fn described(attribute: &AttributeSpec) -> String {
    let kind = match attribute.kind {
        Kind::Text => String::from("text"),
        Kind::Word(words) => words.join(" "),
        Kind::Numbers(1) => String::from("number"),
        Kind::Numbers(n) => format!("{n} numbers"),
        Kind::UpTo(n) => format!("to {n} numbers"),
        Kind::List => String::from("numbers"),
    };
    let default = if attribute.default.is_empty() { String::new() } else { format!(", {}", attribute.default) };
    format!("`{}` ({kind}{default})", attribute.name)
}
