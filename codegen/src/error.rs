//! What can be wrong with what is asked for.

/// Why there is no graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// This thread has a tracer already.
    #[error("this thread records already: finish one tracer before the next")]
    Nested,
    /// A number of another tracer, another thread, or none.
    #[error("a traced number is not of this tracer: it was kept from another one, or made on another thread")]
    Foreign,
    /// More nodes than a graph holds.
    #[error("the computation has more than {nodes} operations: too many for straight-line code")]
    TooLarge {
        /// How many there were.
        nodes: usize,
    },
}

/// Why there is no code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodegenError {
    /// Tracing failed.
    #[error("`{function}`: {error}")]
    Trace {
        /// The function.
        function: String,
        /// Why.
        error: TraceError,
    },
    /// The engine refuses the function, or its arguments.
    #[error("`{function}`: {error}")]
    Engine {
        /// The function.
        function: String,
        /// Why.
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// There is no function of this name.
    #[error("no function is called `{name}`{}: expected some of {}", nearest.as_ref().map_or(String::new(), |n| format!("; the nearest is `{n}`")), names.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// The most similar one.
        nearest: Option<String>,
        /// All of them.
        names: Vec<&'static str>,
    },
    /// A list has a wrong length.
    #[error("`{function}`: input `{input}` has {found} entries, expected {expected}")]
    Length {
        /// The function.
        function: String,
        /// The input.
        input: String,
        /// The expected length.
        expected: usize,
        /// The actual length.
        found: usize,
    },
    /// The graph is not the function.
    #[error(
        "`{function}`: the recorded computation gives {found} where the engine gives {expected} (output `{output}`, entry {entry}): the function chooses by values in a way that straight-line code cannot follow"
    )]
    Differs {
        /// The function.
        function: String,
        /// The output.
        output: String,
        /// Which of its numbers.
        entry: usize,
        /// By the graph.
        found: f64,
        /// By the engine.
        expected: f64,
    },
    /// Something that a language cannot say.
    #[error("`{function}`: {reason}")]
    Language {
        /// The function.
        function: String,
        /// Why.
        reason: String,
    },
}
