//! `gradyn generate`: straight-line code of a robot's functions.

use super::{Report, frame_named};
use crate::args::{Generate, Language};
use crate::error::{Error, one_line};
use gradyn_codegen::emit::{self, Cases, Options, Precision};
use gradyn_codegen::{CodegenError, Frames, Function, Request};
use gradyn_files::robot::Robot;
use gradyn_sensitivity::Parameters;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

/// States at which each function is compared with the engine.
const STATES: u64 = 5;
/// What each file says of itself in its first lines.
const MARK: &str = "Made by gradyn-codegen";
/// States of a register of any processor, some times over.
const LANES: std::ops::RangeInclusive<usize> = 1..=64;

pub(crate) fn generate(args: &Generate) -> Result<Report, Error> {
    if let Some(lanes) = args.lanes
        && !LANES.contains(&lanes)
    {
        return Err(Error::Usage(format!("--lanes is {lanes}, expected {} to {}", LANES.start(), LANES.end())));
    }
    let for_rust = [("--lanes", args.lanes.is_some()), ("--single", args.single), ("--std", args.std)];
    if let Some((option, _)) = for_rust.iter().find(|(_, given)| *given && args.language != Language::Rust) {
        return Err(Error::Usage(format!("{option} is for --language rust")));
    }
    if args.legs && args.language == Language::Casadi {
        return Err(Error::Usage("--legs is for --language rust and c".to_owned()));
    }
    if args.legs && (args.single || args.lanes.is_some()) {
        let other = if args.single { "--single" } else { "--lanes" };
        return Err(Error::Usage(format!(
            "--legs and {other} exclude each other: registers hold legs of one state, in 64 bits"
        )));
    }
    let robot = args.robot.load()?;
    let name = file_name(robot.model.name());
    let ending = match args.language {
        Language::Rust => "rs",
        Language::C => "c",
        Language::Casadi => "py",
    };
    let file = args.output.join(format!("{name}.{ending}"));
    foreign(&args.output)?;
    let parameters = args.parameters.as_deref().map(|patterns| chosen(&robot, patterns)).transpose()?;
    let (mut functions, mut cases, mut text) = (Vec::new(), Vec::new(), String::new());
    for wanted in &args.function {
        let (function, of_function, line) = recorded(args, &robot, parameters.as_ref(), wanted.trim())?;
        if functions.iter().any(|f: &Function| f.name() == function.name()) {
            return Err(Error::Usage(format!("--function names `{}` twice", function.name())));
        }
        _ = writeln!(text, "{line}");
        functions.push(function);
        cases.push(of_function);
    }
    let mut options = Options::of(&robot.model);
    options.precision = if args.single { Precision::F32 } else { Precision::F64 };
    (options.std, options.fuse, options.lanes, options.legs) = (args.std, args.fuse, args.lanes, args.legs);
    let code = match args.language {
        Language::Rust => emit::rust(&functions, &options),
        Language::C => emit::c(&with_jacobians(&functions, args.derivatives), &options),
        Language::Casadi => emit::casadi(&functions, &options),
    };
    let code = code.map_err(|error| usage(&error))?;
    std::fs::create_dir_all(&args.output).map_err(|error| Error::write(&args.output, error))?;
    write(&file, &code)?;
    _ = writeln!(text, "{}  {} lines", file.display(), code.lines().count());
    // Its numbers are of 64 bits and one state.
    if args.language == Language::Rust && !args.single && args.lanes.is_none() {
        let test = args.output.join(format!("{name}_test.rs"));
        let pairs: Vec<(Function, Cases)> = functions.into_iter().zip(cases).collect();
        write(&test, &emit::rust_test(&name, &pairs, &options))?;
        _ = writeln!(text, "{}  {STATES} states of each function", test.display());
    }
    Ok(Report { text, warnings: robot.warnings(), ..Report::default() })
}

fn usage(error: &CodegenError) -> Error {
    Error::Usage(one_line(&error.to_string()))
}

/// A function, its states, and what is said of it.
fn recorded(
    args: &Generate,
    robot: &Robot,
    parameters: Option<&Parameters>,
    name: &str,
) -> Result<(Function, Cases, String), Error> {
    let frame = args.frame.as_deref().map(|name| frame_named(robot, name)).transpose()?;
    let contacts = args.contact.iter().map(|name| frame_named(robot, name)).collect::<Result<_, Error>>()?;
    let frames = Frames { frame, contacts };
    let refuse = |error: CodegenError| usage(&error);
    let request = Request::of(name, &robot.model, &frames).map_err(refuse)?;
    let (function, forms) = request.record(&robot.model, parameters).map_err(refuse)?;
    let cases = request.verify(&robot.model, parameters, &function, STATES).map_err(refuse)?;
    let mut line = format!("{name}  {}", function.counts());
    if let Some((formulas, recorded)) = forms.and_then(|forms| Some((forms.formulas?, forms.recorded))) {
        let taken = if formulas <= recorded { "formulas" } else { "the recorded computation, differentiated" };
        _ = write!(line, "; by {taken}: costs are {formulas} by formulas, {recorded} otherwise");
    }
    Ok((function, cases, line))
}

/// The parameters of these patterns.
fn chosen(robot: &Robot, patterns: &str) -> Result<Parameters, Error> {
    Parameters::of(&robot.model).select_all(patterns).map_err(|error| Error::Usage(error.to_string()))
}

/// Each function with its Jacobians, as CasADi looks for them.
fn with_jacobians(functions: &[Function], times: usize) -> Vec<Function> {
    let mut all = Vec::new();
    for function in functions {
        let mut last = function.clone();
        for _ in 0..times {
            let next = last.jacobian_for_casadi();
            all.push(std::mem::replace(&mut last, next));
        }
        all.push(last);
    }
    all
}

/// A name for files and modules.
fn file_name(robot: &str) -> String {
    let name: String =
        robot.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("robot_{name}") }
}

/// Refuses a folder that has files of others.
fn foreign(folder: &Path) -> Result<(), Error> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::write(folder, error)),
    };
    for entry in entries {
        let path = entry.map_err(|error| Error::write(folder, error))?.path();
        if !is_ours(&path) {
            let name = path.file_name().map(PathBuf::from).unwrap_or_default();
            let reason =
                format!("it has `{}`, which was not generated: expected an empty folder, or a new one", name.display());
            return Err(Error::write(folder, reason));
        }
    }
    Ok(())
}

/// Whether a file says that it was generated.
fn is_ours(path: &Path) -> bool {
    let Ok(file) = std::fs::File::open(path) else { return false };
    let lines = BufReader::new(file).lines().take(3);
    path.is_file() && lines.map_while(Result::ok).any(|line| line.contains(MARK))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|error| Error::write(path, error))
}
