//! What structs of many matrices or lists would spell out field by field.

/// `Default`, whatever the number type: zeros of some fields, the default of each other.
macro_rules! default_of_fields {
    ($type:ident: [$zero:expr] $($first:ident),+; $($field:ident),+ $(,)?) => {
        impl<T: gradyn_derivatives::Real> Default for $type<T> {
            /// Without entries.
            fn default() -> Self {
                Self { $($first: $zero,)+ $($field: Default::default()),+ }
            }
        }
    };
    ($type:ident: $($field:ident),+ $(,)?) => {
        impl<T: gradyn_derivatives::Real> Default for $type<T> {
            /// Without entries.
            fn default() -> Self {
                Self { $($field: Default::default()),+ }
            }
        }
    };
}
pub(crate) use default_of_fields;

/// The matrices of a result, with their names and without.
macro_rules! matrices_by_name {
    ($type:ident<T>; $count:literal: $($field:ident),+ $(,)?) => {
        $crate::default_fields::matrices_by_name!(@ [T: gradyn_derivatives::Real] [$type<T>] [T] $count: $($field),+);
    };
    ($type:ident; $count:literal: $($field:ident),+ $(,)?) => {
        $crate::default_fields::matrices_by_name!(@ [] [$type] [f64] $count: $($field),+);
    };
    (@ [$($generic:tt)*] [$type:ty] [$number:ty] $count:literal: $($field:ident),+) => {
        impl<$($generic)*> $type {
            /// The matrices by name, but for those of wrenches.
            pub fn matrices(&self) -> [(&'static str, &nalgebra::DMatrix<$number>); $count] {
                [$((stringify!($field), &self.$field)),+]
            }
            pub(crate) fn matrices_mut(&mut self) -> [&mut nalgebra::DMatrix<$number>; $count] {
                [$(&mut self.$field),+]
            }
        }
    };
}
pub(crate) use matrices_by_name;
