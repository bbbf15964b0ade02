//! Text from the file, made fit for a one-line message.

use std::fmt;

/// The longest text of the file that a message repeats, in characters.
const LONGEST: usize = 80;

/// The longest name of an element or attribute that a note keeps, in bytes.
const KEPT: usize = 200;

/// The name of an element or attribute as a note keeps it: of a very long one, the beginning.
pub(super) fn kept(name: &str) -> String {
    if name.len() <= KEPT {
        return name.to_owned();
    }
    let end = (0..=KEPT).rev().find(|end| name.is_char_boundary(*end)).unwrap_or_default();
    format!("{}…", name.get(..end).unwrap_or_default())
}

/// Displays with control characters escaped and the rest cut off: whatever a file holds, a message is one line.
pub(super) struct OneLine<'a>(pub(super) &'a str);

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
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", OneLine(self.0))
    }
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
}

impl Owner {
    /// Name of the robot, link, joint or transmission.
    pub fn name(&self) -> &str {
        match self {
            Self::Robot(name) | Self::Link(name) | Self::Joint(name) | Self::Transmission(name) => name,
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
        };
        write!(f, "{kind} {}", Quoted(self.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_any_content_stays_on_one_short_line() {
        assert_eq!(Quoted("elbow é").to_string(), "`elbow é`");
        assert_eq!(Quoted("a\nb\u{2028}\0").to_string(), "`a\\nb\\u{2028}\\u{0}`");
        assert_eq!(Quoted(&"x".repeat(100_000)).to_string().chars().count(), LONGEST + 3);
        assert_eq!((kept("é"), kept(&"é".repeat(101))), ("é".into(), format!("{}…", "é".repeat(100))));
        assert_eq!(Owner::Joint("elbow".into()).to_string(), "joint `elbow`");
    }
}
