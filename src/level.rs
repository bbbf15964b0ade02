//! Functions that run with the instructions of their number type.

/// Defines functions. The body of each is a [`Piece`](gradyn_derivatives::simd::Piece), run by `T::call`, of
/// several types by that of the last: at full width wherever it is called from, for types made of registers; inlined,
/// for others.
///
/// All that the body calls over `T` must be `#[inline(always)]` or such a function again, and closures must not do arithmetic:
/// both are compiled for no level, where each operation on a register is a call. Borrows cannot be returned.
macro_rules! at_level {
    () => {};
    ($(#[$meta:meta])* $vis:vis fn $name:ident<P: Real, T: Scalar<P>> $($rest:tt)*) => {
        $crate::level::at_level!(@ [$(#[$meta])* $vis] $name [P: Real, T: Scalar<P>] T $($rest)*);
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident<T: Real + Scalar<T>> $($rest:tt)*) => {
        $crate::level::at_level!(@ [$(#[$meta])* $vis] $name [T: Real + Scalar<T>] T $($rest)*);
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident<T: Real, L: Pack<T>> $($rest:tt)*) => {
        $crate::level::at_level!(@ [$(#[$meta])* $vis] $name [T: Real, L: Pack<T>] L $($rest)*);
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident<T: Real, U: Scalar<T>> $($rest:tt)*) => {
        $crate::level::at_level!(@ [$(#[$meta])* $vis] $name [T: Real, U: Scalar<T>] U $($rest)*);
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident<P: Real, Q: Scalar<P>, V: Scalar<P> + Scalar<Q>> $($rest:tt)*) => {
        $crate::level::at_level!(@ [$(#[$meta])* $vis] $name [P: Real, Q: Scalar<P>, V: Scalar<P> + Scalar<Q>] V $($rest)*);
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident<T: Real> $($rest:tt)*) => {
        $crate::level::at_level!(@ [$(#[$meta])* $vis] $name [T: Real] T $($rest)*);
    };
    (@ [$($head:tt)*] $name:ident [$($generics:tt)*] $by:ident ($($argument:ident: $type:ty),* $(,)?) $body:block $($more:tt)*) => {
        $crate::level::at_level!(@ [$($head)*] $name [$($generics)*] $by ($($argument: $type),*) -> () $body $($more)*);
    };
    (@ [$($head:tt)*] $name:ident [$($generics:tt)*] $by:ident ($($argument:ident: $type:ty),* $(,)?) -> $output:ty $body:block $($more:tt)*) => {
        $($head)* fn $name<$($generics)*>($($argument: $type),*) -> $output {
            struct Arguments<A, B>(A, std::marker::PhantomData<B>);
            impl<$($generics)*> gradyn_derivatives::simd::Piece for Arguments<($($type,)*), $by> {
                type Output = $output;
                #[inline(always)]
                fn run(self) -> $output {
                    let ($($argument,)*) = self.0;
                    $body
                }
            }
            $by::call(Arguments(($($argument,)*), std::marker::PhantomData::<$by>))
        }
        $crate::level::at_level!($($more)*);
    };
}
pub(crate) use at_level;
