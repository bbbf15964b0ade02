//! The wrapper of kernels: the dispatch to a level, and a function for each half of a register.
//! Serves: `kernels/mod.rs`. Test: `plan::every_kernel_gives_what_its_page_gives`.

/// A kernel: a function over registers `R` that is compiled for every level, and called at one.
///
/// ```text
/// kernel!(memory.level, fn f<'a, R: Register>(memory: &'a Memory) { … });      f(memory)           at this level
/// kernel!(level, fn f<'a, R: Register>(x: &'a [f64]) { … });                   f(level, x)         at a given one
/// kernel!(halves, fn f<'a, R: Register>(x: &'a [f64]) { … });                  f(level, x)         the same, half a register of eight
/// kernel!(active, fn f<'a, R: Register>(x: &'a [f64]) { … });                  f(x)                at that of the thread
/// ```
///
/// Several are a list, with commas. Arguments go through a struct, since closures are not generic; lifetimes are named.
macro_rules! kernel {
    (level, $($function:tt)*) => { kernel!(@ [level: gradyn_derivatives::simd::VectorLevel,] [level.run] $($function)*); };
    (halves, $($function:tt)*) => { kernel!(@ [level: gradyn_derivatives::simd::VectorLevel,] [level.run_on_halves] $($function)*); };
    (active, $($function:tt)*) => { kernel!(@ [] [gradyn_derivatives::simd::dispatch] $($function)*); };
    (@output) => { () };
    (@output $output:ty) => { $output };
    (@ [$($level:tt)*] [$($run:tt)*]
        $(#[$of_function:meta])*
        $visibility:vis fn $name:ident<$($life:lifetime,)* $R:ident: Register $(, const $constant:ident: $kind:ty)*>(
            $($(#[$of_argument:meta])* $argument:ident: $type:ty),* $(,)?
        ) $(-> $output:ty)? $body:block $(, $($more:tt)*)?
    ) => {
        $(#[$of_function])*
        #[inline(always)]
        #[allow(clippy::too_many_arguments, reason = "they go through a struct")]
        $visibility fn $name<$($life,)* $(const $constant: $kind),*>(
            $($level)* $($argument: $type),*
        ) -> kernel!(@output $($output)?) {
            struct Run<$($life,)* $(const $constant: $kind),*> {
                $($(#[$of_argument])* $argument: $type),*
            }
            impl<$($life,)* $(const $constant: $kind),*> gradyn_derivatives::simd::Kernel for Run<$($life,)* $($constant),*> {
                type Output = kernel!(@output $($output)?);
                #[inline(always)]
                fn run<$R: Register>(self) -> Self::Output {
                    let Self { $($argument),* } = self;
                    $body
                }
            }
            $($run)*(Run::<$($constant),*> { $($argument),* })
        }
        kernel!(@ [$($level)*] [$($run)*] $($($more)*)?);
    };
    (@ [$($level:tt)*] [$($run:tt)*]) => {};
    ($level:expr, $($function:tt)*) => { kernel!(@ [] [$level.run] $($function)*); };
}
pub(crate) use kernel;

/// A part of a kernel that is compiled as a function of its own, at the level of its registers: `f::<R>(…)`.
macro_rules! piece {
    () => {};
    (
        $(#[$of_function:meta])*
        $visibility:vis fn $name:ident<$($life:lifetime,)* $R:ident: Register>(
            $($(#[$of_argument:meta])* $argument:ident: $type:ty),* $(,)?
        ) $(-> $output:ty)? $body:block $($more:tt)*
    ) => {
        $(#[$of_function])*
        #[inline(always)]
        #[allow(clippy::too_many_arguments, reason = "they go through a struct")]
        $visibility fn $name<$($life,)* $R: Register>(
            $($argument: $type),*
        ) -> $crate::kernels::macros::kernel!(@output $($output)?) {
            struct Run<$($life,)* $R: Register> {
                $($(#[$of_argument])* $argument: $type,)*
                level: std::marker::PhantomData<$R>,
            }
            impl<$($life,)* $R: Register> gradyn_derivatives::simd::Piece for Run<$($life,)* $R> {
                type Output = $crate::kernels::macros::kernel!(@output $($output)?);
                #[inline(always)]
                fn run(self) -> Self::Output {
                    let Self { $($argument,)* .. } = self;
                    $body
                }
            }
            $R::call(Run::<$R> { $($argument,)* level: std::marker::PhantomData })
        }
        $crate::kernels::macros::piece!($($more)*);
    };
}
pub(crate) use piece;

/// Calls a function that does the same in each lane: once, or where a register is two of the processor's for one half
/// after the other. Of a long formula more stays in registers then.
macro_rules! lane_by_lane {
    ($function:ident::<$registers:ident $(, $constant:ident)*>($($argument:expr),*)) => {
        if $registers::HALVES {
            $function::<$registers::Low $(, $constant)*>($($argument),*);
            $function::<$registers::High $(, $constant)*>($($argument),*);
        } else {
            $function::<$registers $(, $constant)*>($($argument),*);
        }
    };
}
