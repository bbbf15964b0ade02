//! Text from the file, made fit for a one-line message.

use std::fmt;

/// The longest text of the file that a message repeats, in characters.
const LONGEST: usize = 80;

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
}

impl Owner {
    /// Name of the robot, link or joint.
    pub fn name(&self) -> &str {
        match self {
            Self::Robot(name) | Self::Link(name) | Self::Joint(name) => name,
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Robot(_) => "robot",
            Self::Link(_) => "link",
            Self::Joint(_) => "joint",
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
        assert_eq!(Owner::Joint("elbow".into()).to_string(), "joint `elbow`");
    }
}
