#[path = "../problems/mod.rs"]
#[allow(dead_code)]
mod problems;
use gradyn_trajectory::solver::{Hessian, MultipleShooting, Newton, NewtonOptions, ShootingOptions};
use gradyn_trajectory::{Fddp, FddpOptions, guess};
use std::time::Instant;
fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    for name in names {
        let problem = problems::by_name(&name).expect("problem");
        let start = guess::standing(&problem);
        let mut o = FddpOptions::default();
        o.iterations = 500;
        let mut s = Fddp::new(&problem, o);
        let t = Instant::now();
        let r = s.solve(&problem, &start);
        println!(
            "{name:16} fddp     {:?} it {} cost {:.9e} {:.1} ms",
            r.status,
            r.iterations,
            r.cost,
            t.elapsed().as_secs_f64() * 1e3
        );
        let mut s = MultipleShooting::new(&problem, ShootingOptions::default());
        let t = Instant::now();
        let r = s.solve(&problem, &start);
        println!(
            "{name:16} shooting {:?} it {} cost {:.9e} {:.1} ms",
            r.status,
            r.iterations,
            r.cost,
            t.elapsed().as_secs_f64() * 1e3
        );
        for h in [Hessian::Automatic, Hessian::Exact, Hessian::GaussNewton] {
            let mut o = NewtonOptions::default();
            o.hessian = h;
            if std::env::var("LINEAR").is_ok() {
                o.roll_out = gradyn_trajectory::solver::RollOut::Linear;
            }
            let mut s = Newton::new(&problem, o);
            let t = Instant::now();
            let r = s.solve(&problem, &start);
            println!(
                "{name:16} {h:?} {:?} it {} cost {:.9e} err {:.1e} {:.1} ms",
                r.status,
                r.iterations,
                r.cost,
                r.expected,
                t.elapsed().as_secs_f64() * 1e3
            );
            if std::env::var("LOG").is_ok() {
                for i in s.history() {
                    println!(
                        "  {:3} cost {:.6e} gap {:.1e} viol {:.1e} dual {:.1e} err {:.1e} a {:.2e} d {:.0e} mu {:.0e} {}",
                        i.iteration,
                        i.cost,
                        i.gap,
                        i.violation,
                        i.stationarity,
                        i.expected,
                        i.step,
                        i.regularization,
                        i.barrier,
                        if i.exact { "E" } else { "G" }
                    );
                }
            }
        }
    }
}
