//! Files that are there only while the program runs: they vanish with it, by signals too.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Those that are there now.
static PRESENT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is removed when it is dropped, or when a signal ends the program.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// A new file in the folder of another one. Its name is short, however long that of the other is.
    pub(crate) fn beside(other: &Path) -> io::Result<(File, Self)> {
        signals::watch();
        let mut attempt = 0_u32;
        loop {
            let path = other.with_file_name(format!(".gradyn-{}-{attempt}.tmp", std::process::id()));
            // Noted first: a signal may come in between, and removing nothing does no harm.
            present(|paths| paths.push(path.clone()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Self { path })),
                Err(error) => {
                    present(|paths| paths.retain(|other| *other != path));
                    if error.kind() != io::ErrorKind::AlreadyExists || attempt == 100 {
                        return Err(error);
                    }
                    attempt += 1;
                }
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// It takes this name; where it cannot, it is still there.
    pub(crate) fn rename(self, name: &Path) -> Result<(), (io::Error, Self)> {
        match fs::rename(&self.path, name) {
            // What is removed after this is not there.
            Ok(()) => Ok(()),
            Err(error) => Err((error, self)),
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        present(|paths| paths.retain(|other| *other != self.path));
    }
}

fn present<R>(look: impl FnOnce(&mut Vec<PathBuf>) -> R) -> R {
    look(&mut PRESENT.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(unix)]
mod signals {
    use super::present;
    use crate::signals::is_ignored;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::fs;
    use std::sync::Once;

    /// From now on a signal that ends the program removes its files first.
    pub(super) fn watch() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let heeded = [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
            // Without them the program is as good, and less tidy.
            let Ok(mut signals) = Signals::new(heeded) else { return };
            std::thread::spawn(move || {
                for signal in signals.forever() {
                    present(|paths| paths.drain(..).for_each(|path| _ = fs::remove_file(path)));
                    let _ = emulate_default_handler(signal);
                }
            });
        });
    }
}

#[cfg(not(unix))]
mod signals {
    pub(super) fn watch() {}
}
