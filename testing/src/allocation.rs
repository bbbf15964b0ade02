//! An allocator that counts.

#![expect(unsafe_code, reason = "an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // Neither lazy nor dropped: what the allocator itself uses must not allocate.
    static COUNT: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which counts what each thread asks it for. A program of tests that ask has to make it its own:
///
/// ```ignore
/// #[global_allocator]
/// static ALLOCATOR: Counting = Counting;
/// ```
///
/// Tests that run beside each other do not disturb each other, since every one has its thread. What a test has other threads do is
/// not counted.
#[derive(Debug)]
pub struct Counting;

// SAFETY: every call goes to the system's allocator unchanged. That moves and zeroed memory are counted is up to the trait, whose
// own forms of these call `alloc`.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Not where a thread ends, and has nothing of its own any more.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        let _ = BYTES.try_with(|bytes| bytes.set(bytes.get() + layout.size()));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// How often this thread has allocated so far. Panics where [`Counting`] is not the program's allocator: all would be 0.
pub fn allocation_count() -> usize {
    so_far().0
}

/// How many bytes this thread has asked for so far, those given back among them. Panics as [`allocation_count`] does.
pub fn allocated_bytes() -> usize {
    so_far().1
}

/// How often `run` allocates. Panics as [`allocation_count`] does.
pub fn allocations(run: impl FnOnce()) -> usize {
    let before = allocation_count();
    run();
    allocation_count() - before
}

/// Allocations and bytes; makes sure that they are counted, by one that is not.
fn so_far() -> (usize, usize) {
    let (count, bytes) = (COUNT.get(), BYTES.get());
    drop(std::hint::black_box(Box::new(0_u8)));
    assert!(COUNT.get() > count, "`Counting` has to be the allocator of this program");
    COUNT.set(count);
    BYTES.set(bytes);
    (count, bytes)
}
