//! Waiting that ends: for programs, and for threads that wait for each other.

use std::io::{self, Read, Write};
use std::panic::resume_unwind;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Much longer than anything here takes, on slow machines too.
const LIMIT: Duration = Duration::from_secs(300);

/// A program that has been started. It is killed when it is dropped, and after five minutes, with a panic that says so.
#[derive(Debug)]
pub struct Running {
    command: String,
    child: Child,
    late: Instant,
}

impl Running {
    /// Starts it. Panics if it cannot be started.
    #[track_caller]
    pub fn start(command: &mut Command) -> Self {
        Self::try_start(command).unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"))
    }

    /// Starts it, if it can be started.
    pub fn try_start(command: &mut Command) -> io::Result<Self> {
        let child = command.spawn()?;
        Ok(Self { command: format!("{command:?}"), child, late: Instant::now() + LIMIT })
    }

    /// Of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its standard output, if that is a pipe that has not been taken yet.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Waits until something is so. Panics if the program ends before, or the time is over.
    #[track_caller]
    pub fn wait_until(&mut self, what: &str, mut is_so: impl FnMut() -> bool) {
        let mut pause = Pause::new();
        while !is_so() {
            if let Some(status) = self.status() {
                panic!("{} has ended, with {status}, before {what}", self.command);
            }
            assert!(Instant::now() < self.late, "{} has run for {LIMIT:?} before {what}", self.command);
            pause.rest();
        }
    }

    /// Writes `input` to its standard input, where that is a pipe, and reads what it writes until it ends. Panics if the time is over.
    #[track_caller]
    pub fn finish(mut self, input: &[u8]) -> Output {
        if let Some(mut pipe) = self.child.stdin.take() {
            let input = input.to_vec();
            // It may end without reading.
            thread::spawn(move || pipe.write_all(&input));
        }
        let (stdout, stderr) = (read(self.child.stdout.take()), read(self.child.stderr.take()));
        let mut pause = Pause::new();
        let status = loop {
            if let Some(status) = self.status() {
                break status;
            }
            if Instant::now() >= self.late {
                self.kill();
                let errors = stderr.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
                let errors = String::from_utf8_lossy(&errors);
                panic!("{} has not ended within {LIMIT:?}, and was killed; its errors: {errors:?}", self.command);
            }
            pause.rest();
        };
        let all = |pipe: Receiver<Vec<u8>>| {
            let left = self.late.saturating_duration_since(Instant::now()).max(Duration::from_secs(1));
            let held = || panic!("{} has ended, and something else still holds its output", self.command);
            pipe.recv_timeout(left).unwrap_or_else(|_| held())
        };
        Output { status, stdout: all(stdout), stderr: all(stderr) }
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a process that was started can be asked")
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// All that comes out of a pipe, once it is closed.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (give, take) = channel();
    thread::spawn(move || {
        let mut all = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut all);
        }
        let _ = give.send(all);
    });
    take
}

/// From one millisecond to twenty.
struct Pause(u64);

impl Pause {
    fn new() -> Self {
        Self(1)
    }
    fn rest(&mut self) {
        thread::sleep(Duration::from_millis(self.0));
        self.0 = (2 * self.0).min(20);
    }
}

/// Runs on a thread of its own what might wait for ever; panics if it is not done within five minutes, and when it panics.
#[track_caller]
pub fn within_limit<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let (give, take) = channel();
    let thread = thread::spawn(move || {
        let result = run();
        let _ = give.send(());
        result
    });
    let late = take.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout);
    assert!(!late, "not done within {LIMIT:?}: threads that wait for each other?");
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
