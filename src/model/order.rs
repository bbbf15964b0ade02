//! The order in which bodies stand.

/// Depth-first order of a forest in which parents come before children: for each place, the old index and one past the
/// last place of its subtree. Without recursion: chains may be long.
pub(super) fn depth_first(parents: &[Option<usize>]) -> Vec<(usize, usize)> {
    let n = parents.len();
    let mut size = vec![1; n];
    for i in (0..n).rev() {
        if let Some(p) = parents[i] {
            size[p] += size[i];
        }
    }
    // Where the next child of each goes; parents are placed before their children.
    let (mut next, mut root, mut place) = (vec![0; n], 0, vec![0; n]);
    for i in 0..n {
        let slot = match parents[i] {
            Some(p) => &mut next[p],
            None => &mut root,
        };
        place[i] = *slot;
        *slot += size[i];
        next[i] = place[i] + 1;
    }
    let mut order = vec![(0, 0); n];
    for i in 0..n {
        order[place[i]] = (i, place[i] + size[i]);
    }
    order
}
