//! Memory that grows faster than the model: asked for before a computation begins, so that too much of it is an error.

use super::InputError;
use std::hint::black_box;

/// What is smaller is not asked for: it grows no faster than what is there already.
const SMALL: usize = 1 << 20;

/// Checks that the product of `counts` numbers of type `T` fits into memory.
///
/// The memory is asked for in one piece and given back: a system that promises more than it has refuses one large piece
/// sooner than many small ones.
///
/// # Errors
/// [`InputError::Memory`]
pub(crate) fn room<T>(what: &'static str, counts: &[usize]) -> Result<(), InputError> {
    let bytes = counts.iter().try_fold(size_of::<T>(), |bytes, count| bytes.checked_mul(*count));
    let mut piece = Vec::<u8>::new();
    match bytes {
        Some(bytes) if bytes < SMALL => Ok(()),
        // Looked at, or the compiler would leave out what nobody uses.
        Some(bytes) if piece.try_reserve_exact(bytes).is_ok() && black_box(piece).capacity() >= bytes => Ok(()),
        _ => Err(InputError::Memory { what, bytes: bytes.unwrap_or(usize::MAX) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_an_error_with_its_size() {
        assert_eq!(room::<f64>("a", &[4, 100, 100]), Ok(()));
        assert_eq!(room::<f64>("a", &[1 << 20]), Ok(()));
        // Half of all addresses, and more than all.
        let half = InputError::Memory { what: "a", bytes: 1 << 63 };
        assert_eq!(room::<f64>("a", &[1 << 30, 1 << 30]), Err(half.clone()));
        assert_eq!(half.to_string(), "a takes 9223 PB of memory, which is not to be had");
        let all = InputError::Memory { what: "a", bytes: usize::MAX };
        assert_eq!(room::<f64>("a", &[usize::MAX, usize::MAX]), Err(all));
    }
}
