//! Solutions do not depend on the number of threads, to the last bit.

use crate::common::{reach, robot};
use gradyn_trajectory::{Fddp, FddpOptions, MultipleShooting, ShootingOptions, guess};

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    testing::within_limit(on_threads);
}

fn on_threads() {
    let model = robot("panda", false);
    let problem = reach(&model, 30, None).build().expect("a problem");
    let start = guess::standing(&problem);
    let fddp = |threads: usize| {
        let mut options = FddpOptions::default();
        (options.threads, options.iterations) = (threads, 12);
        let mut solver = Fddp::new(&problem, options);
        let report = solver.solve(&problem, &start);
        (solver.trajectory().clone(), report.cost.to_bits(), report)
    };
    let shooting = |threads: usize| {
        let mut options = ShootingOptions::default();
        (options.threads, options.iterations) = (threads, 12);
        let mut solver = MultipleShooting::new(&problem, options);
        let report = solver.solve(&problem, &start);
        (solver.trajectory().clone(), report.cost.to_bits(), report)
    };
    let (one, other) = (fddp(1), shooting(1));
    for threads in [2, 3, 4, 64] {
        assert_eq!(fddp(threads), one, "{threads} threads");
        assert_eq!(shooting(threads), other, "{threads} threads");
    }
}
