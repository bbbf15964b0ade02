//! Moving along configurations: `integrate`, `difference` and what belongs to them.
