//! What was ignored or looked dubious in a file that was read.

use super::note::{CHANGES_DYNAMICS, Note, NoteKind, Rank, Severity};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// So many notes of a kind are kept; the others are counted.
const KEPT: usize = 100;

/// What was ignored or looked dubious in a file that was read, in the order of its lines.
///
/// Of each kind of note the first hundred are kept, and the others counted: a file of millions of unknown elements makes
/// a report of a few lines.
///
/// ```
/// use gradyn::model::urdf::{NoteKind, UrdfOptions, parse};
/// let text = r#"<robot name="r"><link name="a"/><thing/><joint name="j" type="fixed">
///     <parent link="a"/><child link="b"/><origin/><origin xyz="1 0 0"/></joint><link name="b"/></robot>"#;
/// let (_, report) = parse(text, &UrdfOptions::new())?;
/// for note in report.warnings() {
///     match &note.kind {
///         NoteKind::RepeatedElement { element, first_line, .. } => assert_eq!((*element, *first_line), ("origin", 2)),
///         kind => assert_eq!((note.line, kind.code()), (1, "ignored_element")),
///     }
/// }
/// assert_eq!(report.warning_count(), 2);
/// # Ok::<(), gradyn::model::urdf::UrdfError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadReport {
    notes: Vec<Note>,
    /// How many there are, kept or not, of each severity and code, and of information by what is not used.
    counts: BTreeMap<(Severity, &'static str, String), usize>,
}

impl LoadReport {
    pub(in crate::model) fn push(&mut self, line: u32, kind: NoteKind) {
        self.push_in(None, line, kind);
    }

    /// Of an included file.
    pub(in crate::model) fn push_in(&mut self, file: Option<&Arc<str>>, line: u32, kind: NoteKind) {
        let count = self.counts.entry((kind.severity(), kind.code(), kind.left_out())).or_default();
        *count += 1;
        if *count <= KEPT {
            self.notes.push(Note { file: file.cloned(), line, kind });
        }
    }

    /// Adds the notes of an included file, or of this one. Those that name a file keep it.
    pub(in crate::model) fn append(&mut self, other: Self, file: Option<&Arc<str>>) {
        for note in other.notes {
            self.push_in(note.file.as_ref().or(file), note.line, note.kind.clone());
            // Counted below.
            if let Some(count) = self.counts.get_mut(&(note.kind.severity(), note.kind.code(), note.kind.left_out())) {
                *count -= 1;
            }
        }
        for (kind, count) in other.counts {
            *self.counts.entry(kind).or_default() += count;
        }
    }

    /// Adds what there is to say of another file that belongs to the robot, as an SRDF file does.
    pub fn append_file(&mut self, file: &str, other: Self) {
        self.append(other, Some(&file.into()));
    }

    /// Puts the notes into the order of their lines.
    pub(in crate::model) fn sort(&mut self) {
        self.notes.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    }

    /// What there is to say; of each kind of note the first hundred. For [`NoteKind::IgnoredElement`] and
    /// [`NoteKind::Unused`] each element that URDF knows is a kind of its own.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The notes that ask for attention; of each kind the first hundred.
    pub fn warnings(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| note.severity() == Severity::Warning)
    }

    /// Whether there is any warning.
    pub fn has_warnings(&self) -> bool {
        self.warning_count() > 0
    }

    /// How many warnings there are, those included that are not kept.
    pub fn warning_count(&self) -> usize {
        self.counts.iter().filter(|((severity, ..), _)| *severity == Severity::Warning).map(|(_, count)| count).sum()
    }

    /// How many notes there are of this rank, those included that are not kept.
    pub fn count_of(&self, rank: Rank) -> usize {
        let of = |severity, code| match (severity, code) {
            (Severity::Information, _) => Rank::NotDynamics,
            (Severity::Warning, CHANGES_DYNAMICS) => Rank::ChangesDynamics,
            (Severity::Warning, _) => Rank::Dubious,
        };
        self.counts.iter().filter(|((severity, code, _), _)| of(*severity, *code) == rank).map(|(_, count)| count).sum()
    }

    /// How many notes there are of each [code](NoteKind::code), those included that are not kept.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for ((_, code, _), count) in &self.counts {
            *counts.entry(*code).or_default() += count;
        }
        counts
    }

    /// For each kind of ignored element, the lines where it stands; of those that URDF knows the first hundred of each, of
    /// the others the first hundred of all.
    pub fn ignored_elements(&self) -> BTreeMap<&str, Vec<u32>> {
        let mut lines = BTreeMap::<&str, Vec<u32>>::new();
        for note in &self.notes {
            if let NoteKind::IgnoredElement { element, .. } = &note.kind {
                lines.entry(element).or_default().push(note.line);
            }
        }
        lines
    }
}

/// How many warnings the report prints.
const PRINTED: usize = 20;

/// The warnings one by one, then one line for all that was left out: `not used: collision (31), visual (31)`.
impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let warnings = self.warning_count();
        match warnings {
            0 => f.write_str("no warnings")?,
            1 => f.write_str("1 warning:")?,
            n => write!(f, "{n} warnings:")?,
        }
        for note in self.warnings().take(PRINTED) {
            write!(f, "\n  {note}")?;
        }
        let printed = self.warnings().count().min(PRINTED);
        if warnings > printed {
            write!(f, "\n  … and {} more", warnings - printed)?;
        }

        let left_out = self.counts.iter().filter(|((.., what), _)| !what.is_empty());
        for (n, ((.., what), count)) in left_out.enumerate() {
            let before = if n == 0 { "\nnot used: " } else { ", " };
            write!(f, "{before}{what} ({count})")?;
        }
        Ok(())
    }
}
