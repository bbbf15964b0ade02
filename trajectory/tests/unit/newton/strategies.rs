//! Which strategies follow each other, and which trials each makes.

use crate::solver::newton::RollOut;
use crate::solver::newton::search::ways;
use crate::solver::newton::strategies::Strategy;

#[test]
fn all_three_strategies_are_tried_whichever_is_first() {
    for equalities_alone in [false, true] {
        let all = Strategy::all(equalities_alone);
        assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
        assert_eq!(all[0], Strategy::first(equalities_alone));
        // Equalities alone: straight lines first. The one that rolls out comes last.
        assert_eq!(all[0].roll_out == RollOut::Linear, equalities_alone);
        assert_eq!(all[2].roll_out, RollOut::Nonlinear);
    }
}

#[test]
fn trials_halve_and_change_to_the_dynamics_where_straight_lines_do_not_help() {
    let of = |roll_out, halvings| ways(roll_out, halvings).collect::<Vec<_>>();
    let linear = |k| (RollOut::Linear, k);
    let nonlinear = |k| (RollOut::Nonlinear, k);
    assert_eq!(of(RollOut::Linear, 3), [linear(0), linear(1), linear(2)]);
    assert_eq!(of(RollOut::Nonlinear, 2), [nonlinear(0), nonlinear(1)]);
    let both = of(RollOut::Automatic, 6);
    assert_eq!(both[..4], [linear(0), linear(1), linear(2), linear(3)]);
    assert_eq!(both[4..9], [nonlinear(0), nonlinear(1), nonlinear(2), nonlinear(3), nonlinear(4)]);
    assert_eq!(both[9..], [linear(4), linear(5)]);
    // Fewer halvings than the first ones: each way once as often.
    assert_eq!(of(RollOut::Automatic, 2), [linear(0), linear(1), nonlinear(0), nonlinear(1)]);
    assert!(of(RollOut::Automatic, 0).is_empty());
}
