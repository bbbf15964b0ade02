//! Functions of the table as JAX calls them: a handler of XLA's C interface for foreign functions.
//!
//! The structures are those of `xla/ffi/api/c_api.h`, which jaxlib ships, as of version 0.3. Fields are only ever added at the
//! ends, within a major version.
//!
//! One handler serves all. What it computes is an entry of a registry, whose number is an attribute of the call. The number is a
//! digest of the robot and the function, so that programs that XLA keeps on disk find the right one in another process.

use crate::call::compute_dense;
use crate::model::PyModel;
use crate::options::{Asked, Resolved, acted_on, word};
use crate::table::{Function, OUTPUTS, Order};
use crate::{error, functions, manifold, pool};
use gradyn::{ExternalWrench, Force, Transform, WrenchFrame};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyDictMethods};
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};

/// The version whose structures are below.
const VERSION: (c_int, c_int) = (0, 3);
/// The first one that asked for it.
const OLDEST: (c_int, c_int) = (0, 1);
/// `XLA_FFI_DataType_S64`, `XLA_FFI_DataType_F64`.
const S64: c_int = 5;
const F64: c_int = 12;
/// `XLA_FFI_AttrType_SCALAR`, `XLA_FFI_Extension_Metadata`, `XLA_FFI_ExecutionStage_EXECUTE`.
const SCALAR: c_int = 3;
const METADATA: c_int = 1;
const EXECUTE: c_int = 3;
/// `XLA_FFI_Error_Code_INVALID_ARGUMENT`.
const INVALID_ARGUMENT: c_int = 3;

#[repr(C)]
struct Extension {
    struct_size: usize,
    kind: c_int,
    next: *mut Extension,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct ApiVersion {
    struct_size: usize,
    extension_start: *mut Extension,
    major: c_int,
    minor: c_int,
}

#[repr(C)]
struct ErrorCreateArgs {
    struct_size: usize,
    extension_start: *mut Extension,
    message: *const c_char,
    code: c_int,
}

/// An error that XLA owns.
#[repr(C)]
pub(crate) struct XlaError([u8; 0]);

/// The first functions that XLA offers.
#[repr(C)]
struct Api {
    struct_size: usize,
    extension_start: *mut Extension,
    version: ApiVersion,
    internal: *const c_void,
    error_create: Option<unsafe extern "C" fn(*mut ErrorCreateArgs) -> *mut XlaError>,
}

#[repr(C)]
struct Buffer {
    struct_size: usize,
    extension_start: *mut Extension,
    dtype: c_int,
    data: *mut c_void,
    rank: i64,
    dims: *const i64,
}

/// Arguments, or results.
#[repr(C)]
struct Buffers {
    struct_size: usize,
    extension_start: *mut Extension,
    size: i64,
    types: *const c_int,
    list: *const *const Buffer,
}

#[repr(C)]
struct ByteSpan {
    data: *const u8,
    len: usize,
}

#[repr(C)]
struct Attributes {
    struct_size: usize,
    extension_start: *mut Extension,
    size: i64,
    types: *const c_int,
    names: *const *const ByteSpan,
    list: *const *const c_void,
}

#[repr(C)]
struct Scalar {
    dtype: c_int,
    value: *const c_void,
}

/// One call.
#[repr(C)]
pub(crate) struct CallFrame {
    struct_size: usize,
    extension_start: *mut Extension,
    api: *const Api,
    context: *mut c_void,
    stage: c_int,
    arguments: Buffers,
    results: Buffers,
    attributes: Attributes,
}

/// What XLA asks of a handler when it is registered.
#[repr(C)]
struct Metadata {
    struct_size: usize,
    version: ApiVersion,
    traits: u32,
}

#[repr(C)]
struct MetadataExtension {
    base: Extension,
    metadata: *mut Metadata,
}

/// A function of a robot, with its choices.
struct Entry {
    model: Py<PyModel>,
    function: &'static Function,
    options: Resolved,
    /// External wrenches, which are arguments too, behind the others.
    wrenches: Vec<(ExternalWrench, Transform<f64>)>,
    /// What else was chosen, as text.
    choices: String,
    /// Numbers of one state, of each argument and each result.
    arguments: Vec<usize>,
    outputs: Vec<usize>,
}

/// Entries are never removed: compiled programs refer to them.
static ENTRIES: RwLock<Option<HashMap<i64, Arc<Entry>>>> = RwLock::new(None);

/// The number of an entry, how long its arguments are, and the shapes of its results as they stand in memory, row by row, with
/// whether the last two dimensions are to be exchanged.
type Registered = (i64, Vec<usize>, Vec<(Vec<usize>, bool)>);

/// Makes a function of a robot known to the handler.
#[pyfunction(name = "_xla_register")]
#[pyo3(signature = (model, name, *, frame = None, reference = None, constraints = None, wrenches = Vec::new(), threads = None))]
#[allow(clippy::too_many_arguments, reason = "by name")]
pub(crate) fn register<'py>(
    py: Python<'py>,
    model: &Bound<'py, PyModel>,
    name: &str,
    frame: Option<&str>,
    reference: Option<&str>,
    constraints: Option<&Bound<'py, PyAny>>,
    wrenches: Vec<(String, String)>,
    threads: Option<usize>,
) -> PyResult<Registered> {
    let wrong = |message: String| error::wrong(py, &message, error::Said::default());
    let function = functions::all()
        .chain(manifold::ALL.iter().copied())
        .find(|function| function.name == name)
        .ok_or_else(|| wrong(format!("gradyn has no function '{name}'")))?;
    let asked = Asked { frame, reference, constraints, ..Asked::default() };
    let robot = model.get().model();
    let mut options = asked.resolve(py, robot)?;
    options.threads = threads.unwrap_or(usize::MAX).clamp(1, pool::available());
    let wrenches = wrenches
        .into_iter()
        .map(|(frame, axes)| {
            let axes = word(py, "wrenches", &axes, &[("local", WrenchFrame::Body), ("world", WrenchFrame::World)])?;
            let (body, placement) = acted_on(py, robot, &frame, axes)?;
            let wrench = Force::new([0.0; 3].into(), [0.0; 3].into());
            Ok((ExternalWrench { body, frame: axes, wrench }, placement))
        })
        .collect::<PyResult<Vec<_>>>()?;
    options.wrenches = wrenches.iter().map(|(wrench, _)| *wrench).collect();
    let choices = format!("{:?}", (&options.frames, options.reference, &options.constraints, &wrenches, threads));
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), model.get().to_json(py)?, name, &choices).hash(&mut hasher);
    let key = hasher.finish().cast_signed();

    let size = |dim: &crate::table::Dim| dim.size(robot, &options);
    let mut arguments: Vec<usize> = function.arguments.iter().map(|argument| size(&argument.dim)).collect();
    arguments.extend(wrenches.iter().map(|_| 6));
    let mut shapes: Vec<(Vec<usize>, bool)> =
        function.outputs.iter().map(|output| (output.shape.iter().map(size).collect(), false)).collect();
    let outputs = shapes.iter().map(|(shape, _)| shape.iter().product()).collect();
    for (shape, exchanged) in shapes.iter_mut().filter(|(shape, _)| function.order == Order::Columns && shape.len() > 1)
    {
        let n = shape.len();
        shape.swap(n - 2, n - 1);
        *exchanged = true;
    }
    let entry = Entry {
        model: model.clone().unbind(),
        function,
        options,
        wrenches,
        choices,
        arguments: arguments.clone(),
        outputs,
    };
    let mut entries = ENTRIES.write().unwrap_or_else(PoisonError::into_inner);
    let entries = entries.get_or_insert_default();
    if let Some(known) = entries.get(&key)
        && (known.model.get().model() != robot || known.function.name != name || known.choices != entry.choices)
    {
        return Err(wrong(format!("two functions have the digest {key}: report this, please")));
    }
    entries.entry(key).or_insert_with(|| Arc::new(entry));
    Ok((key, arguments, shapes))
}

/// The handler's address, and the version of the interface that it is written for.
#[pyfunction(name = "_xla_handler")]
pub(crate) fn handler_address(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let handler: unsafe extern "C" fn(*mut CallFrame) -> *mut XlaError = handler;
    dict.set_item("address", handler as usize)?;
    dict.set_item("version", VERSION)?;
    Ok(dict)
}

/// Computes what a call asks for.
///
/// # Safety
/// XLA calls it, with a frame of its making.
pub(crate) unsafe extern "C" fn handler(frame: *mut CallFrame) -> *mut XlaError {
    // SAFETY: the frame lives while the call does.
    let frame = unsafe { &*frame };
    let done = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: extensions live as long as the frame.
        match unsafe { frame.extension_start.as_ref() } {
            Some(extension) if extension.kind == METADATA => introduce(frame, extension),
            _ => execute(frame),
        }
    }));
    let message = match done {
        Ok(Ok(())) => return std::ptr::null_mut(),
        Ok(Err(message)) => message,
        Err(_) => "gradyn: a bug was met in a function called by JAX: report it, please".to_owned(),
    };
    let message = CString::new(message.replace('\0', "?")).unwrap_or_default();
    let mut arguments = ErrorCreateArgs {
        struct_size: size_of::<ErrorCreateArgs>(),
        extension_start: std::ptr::null_mut(),
        message: message.as_ptr(),
        code: INVALID_ARGUMENT,
    };
    // SAFETY: XLA's own function, which copies the message.
    unsafe {
        frame
            .api
            .as_ref()
            .and_then(|api| api.error_create)
            .map_or(std::ptr::null_mut(), |create| create(&raw mut arguments))
    }
}

/// Tells XLA the version, or refuses one that is not known.
fn introduce(frame: &CallFrame, extension: &Extension) -> Result<(), String> {
    // SAFETY: the interface lives as long as XLA, and begins with its version; old ones do not give it here.
    let (major, minor) = unsafe { frame.api.as_ref() }.map_or(OLDEST, |api| (api.version.major, api.version.minor));
    if major != VERSION.0 {
        return Err(format!(
            "gradyn.jax is written for version {}.{} of XLA's foreign functions, and this jaxlib has {major}.{minor}: \
             install a version of jaxlib of about the same date as gradyn's",
            VERSION.0, VERSION.1
        ));
    }
    // SAFETY: an extension of this kind is this structure.
    let metadata = unsafe { &mut *(*std::ptr::from_ref(extension).cast::<MetadataExtension>()).metadata };
    metadata.version = ApiVersion {
        struct_size: size_of::<ApiVersion>(),
        extension_start: std::ptr::null_mut(),
        major,
        minor: minor.min(VERSION.1),
    };
    metadata.traits = 0;
    Ok(())
}

/// The number of the entry.
fn key(attributes: &Attributes) -> Option<i64> {
    for k in 0..usize::try_from(attributes.size).ok()? {
        // SAFETY: there are so many types, names and values, and a scalar of this type is eight bytes.
        unsafe {
            let name = &**attributes.names.add(k);
            if std::slice::from_raw_parts(name.data, name.len) != b"entry" || *attributes.types.add(k) != SCALAR {
                continue;
            }
            let scalar = &*(*attributes.list.add(k)).cast::<Scalar>();
            return (scalar.dtype == S64).then(|| scalar.value.cast::<i64>().read_unaligned());
        }
    }
    None
}

/// A buffer's numbers, and how many states they are of.
fn states(buffers: &Buffers, k: usize, size: usize, what: &str) -> Result<(*mut f64, usize), String> {
    // SAFETY: the caller has checked that there are so many; buffers live as long as the frame.
    let buffer = unsafe { &**buffers.list.add(k) };
    if buffer.dtype != F64 {
        return Err(format!(
            "gradyn: `{what}` is not of float64: jax.config.update(\"jax_enable_x64\", True) makes it so"
        ));
    }
    let rank = usize::try_from(buffer.rank).unwrap_or(0);
    // SAFETY: there are so many dimensions.
    let dims = if rank == 0 { &[][..] } else { unsafe { std::slice::from_raw_parts(buffer.dims, rank) } };
    let all = dims.iter().map(|dim| usize::try_from(*dim).unwrap_or(0)).product::<usize>();
    if size == 0 {
        return Ok((buffer.data.cast(), usize::MAX));
    }
    if all % size != 0 {
        return Err(format!("gradyn: `{what}` has {all} numbers, expected {size} a state"));
    }
    Ok((buffer.data.cast(), all / size))
}

fn execute(frame: &CallFrame) -> Result<(), String> {
    if frame.stage != EXECUTE {
        return Ok(());
    }
    let key = key(&frame.attributes).ok_or("gradyn: a call without the number of its function")?;
    let entry = {
        let entries = ENTRIES.read().unwrap_or_else(PoisonError::into_inner);
        let found = entries.as_ref().and_then(|entries| entries.get(&key)).cloned();
        found
            .ok_or("gradyn: this process does not know the robot of a compiled program: trace the program here first")?
    };
    let Entry { model, function, options, wrenches, arguments, outputs, .. } = &*entry;
    if frame.arguments.size != arguments.len() as i64 || frame.results.size != outputs.len() as i64 {
        return Err(format!("gradyn: `{}` is called with the wrong number of arrays", function.name));
    }
    let mut inputs: Vec<*const f64> = Vec::with_capacity(arguments.len());
    let mut targets = [std::ptr::null_mut::<f64>(); OUTPUTS];
    let mut count = None;
    let mut agree = |found: usize| {
        let same = found == usize::MAX || *count.get_or_insert(found) == found;
        same.then_some(())
            .ok_or_else(|| format!("gradyn: arrays of `{}` differ in how many states they have", function.name))
    };
    for (k, size) in arguments.iter().enumerate() {
        let name = function.arguments.get(k).map_or("wrenches", |of| of.name);
        let (data, found) = states(&frame.arguments, k, *size, name)?;
        agree(found)?;
        inputs.push(data);
    }
    for (k, (size, of)) in outputs.iter().zip(function.outputs).enumerate() {
        let (data, found) = states(&frame.results, k, *size, of.name)?;
        agree(found)?;
        targets[k] = data;
    }
    let model = model.get();
    let targets = &targets[..outputs.len()];
    // SAFETY: the buffers have so many numbers, results are written by nobody else, and all live while the call does.
    let done = unsafe { compute_dense(model, function, options, wrenches, count.unwrap_or(0), &inputs, targets) };
    done.map_err(|(state, refused)| match count {
        Some(2..) => format!("gradyn: {}: state [{state}]: {refused}", function.name),
        _ => format!("gradyn: {}: {refused}", function.name),
    })
}
