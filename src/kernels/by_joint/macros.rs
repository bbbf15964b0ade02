//! A function for each half of a register.

/// Calls a function that does the same in each lane: once, or where a register is two of the processor's for one half after the other.
/// Of a long formula more stays in registers then.
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
