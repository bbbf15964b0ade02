//! Functions that run with the instructions of their number type.

/// Defines a function whose body is a [`Piece`](gradyn_derivatives::simd::Piece), run by `T::call`: at full width wherever it is
/// called from, for types made of registers; inlined, for others.
///
/// All that the body calls over `T` must be `#[inline(always)]` or such a function again, and closures must not do arithmetic:
/// both are compiled for no level, where each operation on a register is a call. Borrows cannot be returned.
macro_rules! at_level {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<P: Real, T: Scalar<P>> $($rest:tt)*) => {
        $crate::level::at_level!(@ [$(#[$meta])* $vis] $name [P: Real, T: Scalar<P>] $($rest)*);
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident<T: Real> $($rest:tt)*) => {
        $crate::level::at_level!(@ [$(#[$meta])* $vis] $name [T: Real] $($rest)*);
    };
    (@ [$($head:tt)*] $name:ident [$($generics:tt)*] ($($argument:ident: $type:ty),* $(,)?) $body:block) => {
        $crate::level::at_level!(@ [$($head)*] $name [$($generics)*] ($($argument: $type),*) -> () $body);
    };
    (@ [$($head:tt)*] $name:ident [$($generics:tt)*] ($($argument:ident: $type:ty),* $(,)?) -> $output:ty $body:block) => {
        $($head)* fn $name<$($generics)*>($($argument: $type),*) -> $output {
            struct Arguments<A>(A);
            impl<$($generics)*> gradyn_derivatives::simd::Piece for Arguments<($($type,)*)> {
                type Output = $output;
                #[inline(always)]
                fn run(self) -> $output {
                    let ($($argument,)*) = self.0;
                    $body
                }
            }
            T::call(Arguments(($($argument,)*)))
        }
    };
}
pub(crate) use at_level;
