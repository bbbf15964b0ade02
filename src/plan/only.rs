//! Restricts calls to one way of filling registers.

use gradyn_derivatives::VectorLevel;
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

/// What calls can be held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Only {
    /// The pages of the book.
    Book,
    /// Eight joints of one robot at a time, else the book.
    Joints,
    /// Bodies of equal depth, or states of a batch, side by side wherever there is such a form, also where it does not
    /// pay; else as without.
    Copies,
}

impl Only {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Book, Self::Joints, Self::Copies];
}

impl fmt::Display for Only {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Book => "book",
            Self::Joints => "joints",
            Self::Copies => "copies",
        })
    }
}

thread_local! {
    static HELD: Cell<Option<Only>> = const { Cell::new(None) };
}

/// Runs `f` with calls held to one way, on this thread.
pub fn with_only<T>(only: Only, f: impl FnOnce() -> T) -> T {
    struct Restore(Option<Only>);
    impl Drop for Restore {
        fn drop(&mut self) {
            HELD.set(self.0);
        }
    }
    let _restore = Restore(HELD.replace(Some(only)));
    f()
}

/// What the process is held to: unknown yet, nothing, or one more than the place in [`Only::ALL`].
static PROCESS: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = u8::MAX;

/// What calls are held to now, on this thread; an unknown name in the environment is ignored.
#[inline(always)]
pub(crate) fn only() -> Option<Only> {
    HELD.get().or_else(|| {
        let held = PROCESS.load(Ordering::Relaxed);
        let held = if held == UNKNOWN { read_environment() } else { held };
        Only::ALL.get(usize::from(held).wrapping_sub(1)).copied()
    })
}

#[cold]
#[inline(never)]
fn read_environment() -> u8 {
    let wanted = std::env::var("GRADYN_KERNEL").unwrap_or_default();
    let found = Only::ALL.into_iter().zip(1..).find(|(only, _)| only.to_string() == wanted);
    let held = found.map_or(0, |(_, held)| held);
    PROCESS.store(held, Ordering::Relaxed);
    held
}

/// The level of forms that fill registers: none at the plain level, and none where calls are held to the book.
#[inline(always)]
pub(crate) fn vector_level() -> Option<VectorLevel> {
    if only() == Some(Only::Book) { None } else { VectorLevel::active() }
}
