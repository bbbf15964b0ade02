#[path = "../problems/mod.rs"]
#[allow(dead_code)]
mod problems;
#[path = "../problems/starts.rs"]
#[allow(dead_code)]
mod starts;
use gradyn_trajectory::solver::{Hessian, Newton, NewtonOptions, RollOut};
use gradyn_trajectory::{Fddp, FddpOptions, MultipleShooting, ShootingOptions};
use std::time::Instant;
fn main() {
    let mut args = std::env::args().skip(1);
    let count: usize = args.next().unwrap().parse().unwrap();
    for name in args {
        let (problem_name, kind) =
            (name.as_str(), if name.starts_with("panda") { "panda_reach" } else { name.as_str() });
        let mut problem = problems::by_name(problem_name).expect("problem");
        let all = starts::starts(kind, &problem, count);
        for (label, h, r) in [
            ("auto", Hessian::Automatic, RollOut::Nonlinear),
            ("exact", Hessian::Exact, RollOut::Nonlinear),
            ("auto linear", Hessian::Automatic, RollOut::Linear),
        ] {
            let mut o = NewtonOptions::default();
            o.hessian = h;
            o.roll_out = r;
            let mut s = Newton::new(&problem, o);
            let t = Instant::now();
            let mut its = vec![];
            let mut bad = vec![];
            let mut costs = vec![];
            for (i, start) in all.iter().enumerate() {
                let guess = start.apply(&mut problem).unwrap();
                let r = s.solve(&problem, &guess);
                its.push(r.iterations);
                costs.push(r.cost);
                if !r.status.is_solved() {
                    bad.push(format!("{i}: {} it {} err {:.1e}", r.status, r.iterations, r.expected));
                }
            }
            its.sort();
            costs.sort_by(|a, b| a.total_cmp(b));
            println!(
                "{name:16} {label:12} solved {}/{} it median {} max {} cost median {:.4} time {:.2} s",
                count - bad.len(),
                count,
                its[count / 2],
                its[count - 1],
                costs[count / 2],
                t.elapsed().as_secs_f64()
            );
            for b in bad.iter().take(6) {
                println!("      {b}");
            }
        }
        if !problem_name.contains("limits") && !problem_name.contains("capsule") {
            let mut its = vec![];
            let mut costs = vec![];
            let mut ok = 0;
            let mut o = FddpOptions::default();
            o.iterations = 500;
            let mut s = Fddp::new(&problem, o);
            let t = Instant::now();
            for start in &all {
                let guess = start.apply(&mut problem).unwrap();
                let r = s.solve(&problem, &guess);
                its.push(r.iterations);
                costs.push(r.cost);
                ok += usize::from(r.status.is_solved());
            }
            its.sort();
            costs.sort_by(|a, b| a.total_cmp(b));
            println!(
                "{name:16} fddp         solved {ok}/{count} it median {} max {} cost median {:.4} time {:.2} s",
                its[count / 2],
                its[count - 1],
                costs[count / 2],
                t.elapsed().as_secs_f64()
            );
            let mut its = vec![];
            let mut costs = vec![];
            let mut ok = 0;
            let mut o = ShootingOptions::default();
            o.iterations = 500;
            let mut s = MultipleShooting::new(&problem, o);
            let t = Instant::now();
            for start in &all {
                let guess = start.apply(&mut problem).unwrap();
                let r = s.solve(&problem, &guess);
                its.push(r.iterations);
                costs.push(r.cost);
                ok += usize::from(r.status.is_solved());
            }
            its.sort();
            costs.sort_by(|a, b| a.total_cmp(b));
            println!(
                "{name:16} shooting     solved {ok}/{count} it median {} max {} cost median {:.4} time {:.2} s",
                its[count / 2],
                its[count - 1],
                costs[count / 2],
                t.elapsed().as_secs_f64()
            );
        }
    }
}
