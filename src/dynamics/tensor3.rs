//! Arrays with three indices.

use super::cache_line;
use crate::model::InputError;
use gradyn_derivatives::Real;
use nalgebra::DMatrix;
use std::fmt;
use std::ops::{Index, IndexMut};

/// Numbers with three indices `(i, j, k)`, in one piece of memory: `k` runs fastest, then `j`, then `i`.
///
/// Entry `(i, j, k)` of a tensor of dimensions `[n₀, n₁, n₂]` stands at `(i n₁ + j) n₂ + k`. Indexing outside panics,
/// as it does for matrices; [`get`](Self::get) does not.
#[derive(Clone)]
pub struct Tensor3<T = f64> {
    dims: [usize; 3],
    /// Where the entries begin; what stands before belongs to no entry.
    begin: usize,
    data: Vec<T>,
}

impl<T> Tensor3<T> {
    /// All entries.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.data[self.begin..]
    }

    /// All entries.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data[self.begin..]
    }
}

impl<T: Real> Tensor3<T> {
    /// All zero.
    #[must_use]
    pub fn zeros(dims: [usize; 3]) -> Self {
        Self { dims, begin: 0, data: vec![T::zero(); dims.iter().product()] }
    }

    /// Four tensors, all zero, for entries that are written to all of them at once.
    ///
    /// Large pieces of memory begin at the same place of a page, and a cache has few lines for the same place of all
    /// pages: each tensor begins a line later than the one before. Without it, second derivatives of a humanoid of 49
    /// degrees of freedom take 11 % longer (AVX-512).
    #[must_use]
    pub(crate) fn four(dims: [usize; 3]) -> [Self; 4] {
        let line = cache_line::numbers::<T>();
        [0, 1, 2, 3].map(|nth| {
            let all = dims.iter().product::<usize>();
            let mut data = vec![T::zero(); (nth + 1) * line + all];
            let begin = cache_line::begin(&data) + nth * line;
            data.truncate(begin + all);
            Self { dims, begin, data }
        })
    }

    /// The dimensions `[n₀, n₁, n₂]`.
    #[must_use]
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// By how much the place of an entry grows with each index: `[n₁ n₂, n₂, 1]`.
    #[must_use]
    pub fn strides(&self) -> [usize; 3] {
        [self.dims[1] * self.dims[2], self.dims[2], 1]
    }

    /// One entry; `None` outside.
    #[must_use]
    pub fn get(&self, i: usize, j: usize, k: usize) -> Option<&T> {
        let inside = i < self.dims[0] && j < self.dims[1] && k < self.dims[2];
        if inside { self.as_slice().get(self.place(i, j, k)) } else { None }
    }

    /// The entries `(i, ·, ·)`, row by row: `n₁ n₂` of them; none if there is no such `i`.
    #[must_use]
    pub fn slice(&self, i: usize) -> &[T] {
        if i >= self.dims[0] {
            return &[];
        }
        let [size, ..] = self.strides();
        self.as_slice().get(i * size..(i + 1) * size).unwrap_or(&[])
    }

    /// The entries `(i, ·, ·)` as a matrix, `n₁` × `n₂`; zero if there is no such `i`.
    #[must_use]
    pub fn matrix(&self, i: usize) -> DMatrix<T> {
        let [_, rows, columns] = self.dims;
        let slice = self.slice(i);
        DMatrix::from_fn(rows, columns, |j, k| slice.get(j * columns + k).copied().unwrap_or(T::zero()))
    }

    /// All entries with their indices, in the order of memory.
    pub fn iter(&self) -> impl Iterator<Item = ((usize, usize, usize), &T)> {
        let [_, n1, n2] = self.dims;
        self.as_slice().iter().enumerate().map(move |(at, x)| ((at / (n1 * n2), at / n2 % n1, at % n2), x))
    }

    /// `Σ_i λ_i (i, ·, ·)`, `n₁` × `n₂`: of second derivatives of torques, those of `λᵀτ`.
    ///
    /// # Errors
    /// [`InputError::Length`] if `lambda` has not `n₀` entries.
    pub fn contract(&self, lambda: &[T]) -> Result<DMatrix<T>, InputError> {
        let [expected, rows, columns] = self.dims;
        if lambda.len() != expected {
            return Err(InputError::Length { what: "lambda", size: "nv", expected, found: lambda.len() });
        }
        let mut sum = vec![T::zero(); rows * columns];
        for (i, l) in lambda.iter().enumerate() {
            for (to, x) in sum.iter_mut().zip(self.slice(i)) {
                *to = x.mul_plus(*l, *to);
            }
        }
        Ok(DMatrix::from_row_slice(rows, columns, &sum))
    }

    #[inline(always)]
    fn place(&self, i: usize, j: usize, k: usize) -> usize {
        (i * self.dims[1] + j) * self.dims[2] + k
    }

    #[track_caller]
    fn checked(&self, (i, j, k): (usize, usize, usize)) -> usize {
        let [n0, n1, n2] = self.dims;
        assert!(i < n0 && j < n1 && k < n2, "index ({i}, {j}, {k}) of a tensor of {n0} × {n1} × {n2} entries");
        self.place(i, j, k)
    }
}

/// Of equal dimensions, with equal entries.
impl<T: PartialEq> PartialEq for Tensor3<T> {
    fn eq(&self, other: &Self) -> bool {
        self.dims == other.dims && self.as_slice() == other.as_slice()
    }
}

/// Dimensions and entries, wherever these begin.
impl<T: fmt::Debug> fmt::Debug for Tensor3<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor3").field("dims", &self.dims).field("entries", &self.as_slice()).finish()
    }
}

impl<T: Real> Index<(usize, usize, usize)> for Tensor3<T> {
    type Output = T;
    #[track_caller]
    fn index(&self, at: (usize, usize, usize)) -> &T {
        &self.as_slice()[self.checked(at)]
    }
}

impl<T: Real> IndexMut<(usize, usize, usize)> for Tensor3<T> {
    #[track_caller]
    fn index_mut(&mut self, at: (usize, usize, usize)) -> &mut T {
        let place = self.checked(at);
        &mut self.as_mut_slice()[place]
    }
}
