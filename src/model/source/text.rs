//! Text from the file, made fit for a one-line message.

use std::fmt;

/// The longest text of the file that a message repeats, in characters.
const LONGEST: usize = 80;

/// The longest name of an element or attribute that a note keeps, in bytes.
const KEPT: usize = 200;

/// The name of an element or attribute as a note keeps it: of a very long one, the beginning.
pub(in crate::model) fn kept(name: &str) -> String {
    if name.len() <= KEPT {
        return name.to_owned();
    }
    let end = (0..=KEPT).rev().find(|end| name.is_char_boundary(*end)).unwrap_or_default();
    format!("{}…", name.get(..end).unwrap_or_default())
}

/// Displays with control characters escaped and the rest cut off: whatever a file holds, a message is one line.
pub(in crate::model) struct OneLine<'a>(pub(in crate::model) &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, c) in self.0.chars().enumerate() {
            if n == LONGEST {
                return f.write_str("…");
            }
            // Line and paragraph separators break lines without being control characters.
            if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
                write!(f, "{}", c.escape_default())?;
            } else {
                write!(f, "{c}")?;
            }
        }
        Ok(())
    }
}

/// The same in backticks.
pub(in crate::model) struct Quoted<'a>(pub(in crate::model) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", OneLine(self.0))
    }
}

/// The name that was probably meant: the nearest by insertions, deletions and changes of a character, at most a third of them.
pub(in crate::model) fn nearest<'n>(found: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    // Bounds that keep a wrong name in a huge file cheap.
    const LONGEST: usize = 64;
    const MANY: usize = 10_000;
    let found: Vec<char> = found.chars().take(LONGEST + 1).collect();
    let near = |name: &&str| found.len() <= LONGEST && name.len() <= 4 * LONGEST;
    let measured = names.take(MANY).filter(near).map(|name| (distance(&found, name), name));
    let (distance, name) = measured.min()?;
    (3 * distance <= found.len()).then(|| name.to_owned())
}

/// How many insertions, deletions and changes of a character lead from one name to another (Levenshtein).
fn distance(from: &[char], to: &str) -> usize {
    let mut row: Vec<usize> = (0..=from.len()).collect();
    for (i, b) in to.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (a, entry) in from.iter().zip(row.iter_mut().skip(1)) {
            let above = *entry;
            left = (diagonal + usize::from(*a != b)).min(above + 1).min(left + 1);
            *entry = left;
            diagonal = above;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// The element of a file that something is said about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The robot of this name.
    Robot(String),
    /// The link of this name.
    Link(String),
    /// The joint of this name.
    Joint(String),
    /// The transmission of this name.
    Transmission(String),
    /// Another element of this kind and name, which is empty where it has none.
    Element(String, String),
}

impl Owner {
    /// Name of the robot, link, joint, transmission or other element.
    pub fn name(&self) -> &str {
        match self {
            Self::Robot(name) | Self::Link(name) | Self::Joint(name) | Self::Transmission(name) => name,
            Self::Element(_, name) => name,
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Robot(_) => "robot",
            Self::Link(_) => "link",
            Self::Joint(_) => "joint",
            Self::Transmission(_) => "transmission",
            Self::Element(kind, name) if name.is_empty() => return write!(f, "{}", OneLine(kind)),
            Self::Element(kind, _) => kind,
        };
        write!(f, "{kind} {}", Quoted(self.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        let names = || ["elbow", "shoulder", "wrist_roll"].into_iter();
        assert_eq!(nearest("elbw", names()), Some("elbow".into()));
        assert_eq!(nearest("wrist_rol1", names()), Some("wrist_roll".into()));
        assert_eq!((nearest("hip", names()), nearest("", names())), (None, None));
        assert_eq!(distance(&['k', 'i', 't', 't', 'e', 'n'], "sitting"), 3);
    }

    #[test]
    fn a_name_of_any_content_stays_on_one_short_line() {
        assert_eq!(Quoted("elbow é").to_string(), "`elbow é`");
        assert_eq!(Quoted("a\nb\u{2028}\0").to_string(), "`a\\nb\\u{2028}\\u{0}`");
        assert_eq!(Quoted(&"x".repeat(100_000)).to_string().chars().count(), LONGEST + 3);
        assert_eq!((kept("é"), kept(&"é".repeat(101))), ("é".into(), format!("{}…", "é".repeat(100))));
        assert_eq!(Owner::Joint("elbow".into()).to_string(), "joint `elbow`");
        assert_eq!(Owner::Element("geom".into(), String::new()).to_string(), "geom");
    }
}
