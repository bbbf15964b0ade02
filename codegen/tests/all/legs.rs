//! Equal legs side by side in registers: the same bits.

use crate::common::{folder, record};
use crate::compiled::{bits, bits_of_c, compile_rust, entries, main_of, states};
use gradyn::joint::{FreeFlyer, Joint, JointKind};
use gradyn::model::mjcf::MjcfOptions;
use gradyn::spatial::Transform;
use gradyn::{Model, ModelBuilder, UrdfOptions};
use gradyn_codegen::Function;
use gradyn_codegen::emit::{self, Options};
use testing::{every_joint, inertia, path, rng, robot, transform};

fn solo12() -> Model {
    robot("solo12", &UrdfOptions::new().floating_base(true))
}

/// Two legs and two arms.
fn g1() -> Model {
    robot("g1", &UrdfOptions::new().floating_base(true))
}

/// A body that floats with so many limbs of the same joints, which have nothing else in common.
fn limbs(count: usize, seed: u64) -> Model {
    let rng = &mut rng(seed);
    let mut builder = ModelBuilder::new(format!("limbs {seed}"));
    let base = builder.add_body(None, "base", "float", Transform::identity(), FreeFlyer, inertia(rng)).expect("fits");
    let kinds: Vec<Joint> = every_joint(rng).into_iter().filter(|joint| JointKind::<f64>::nv(joint) > 0).collect();
    let chosen = (0..3).map(|k| kinds[(seed as usize * 5 + k * 7) % kinds.len()].clone()).collect::<Vec<_>>();
    for limb in 0..count {
        let mut parent = base;
        for (k, joint) in chosen.iter().enumerate() {
            let (x, y) = (transform(rng), inertia(rng));
            let name = format!("{limb}.{k}");
            parent = builder.add_body(Some(parent), &name, format!("j{name}"), x, joint.clone(), y).expect("fits");
            builder.set_damping(parent, &vec![0.1; JointKind::<f64>::nv(joint)]).expect("fits");
        }
    }
    builder.build().expect("builds")
}

fn functions(model: &Model, names: &[&str]) -> Vec<Function> {
    names.iter().map(|name| record(model, name)).collect()
}

fn with_legs(model: &Model) -> Options {
    Options { legs: true, ..Options::of(model) }
}

/// Statements of numbers and of registers, those that parts of a function read from each other included.
fn statements(code: &str) -> [usize; 2] {
    let begins = |with: &str| code.lines().filter(|line| line.starts_with(with)).count();
    [begins("  const double x"), begins("  const gradyn_pack")]
}

#[test]
fn most_of_a_quadruped_is_in_registers() {
    for (model, at_most) in [(solo12(), 0.4), (go1(), 0.4), (g1(), 0.7)] {
        let function = functions(&model, &["rnea"]);
        let [all, none] = statements(&emit::c(&function, &Options::of(&model)).expect("is written"));
        let [trunk, legs] = statements(&emit::c(&function, &with_legs(&model)).expect("is written"));
        assert_eq!(none, 0);
        let share = (trunk + legs) as f64 / all as f64;
        assert!(share < at_most && legs > 0, "{}: {trunk} and {legs} of {all}", model.name());
    }
}

fn go1() -> Model {
    Model::from_mjcf_file(path("robots/go1.xml"), &MjcfOptions::new()).expect("reads").model
}

#[test]
fn c_gives_the_same_bits() {
    let names = ["rnea", "aba", "crba", "rnea_derivatives"];
    let mut models = vec![(solo12(), &names[..]), (g1(), &names[..1])];
    models.extend((0..4).map(|seed| (limbs(4, seed), &names[..2])));
    models.extend([2, 3, 5].map(|count| (limbs(count, count as u64), &names[..2])));
    for (k, (model, names)) in models.iter().enumerate() {
        let functions = functions(model, names);
        let states = states(model, &functions);
        let code = emit::c(&functions, &with_legs(model)).expect("is written");
        assert!(code.contains("gradyn_pack"), "{}", model.name());
        // With vectors of the compiler, and without.
        for (flags, what) in [(&["-O1"][..], "vectors"), (&["-O0", "-DGRADYN_PLAIN"][..], "structures")] {
            if what == "structures" && k > 0 {
                continue;
            }
            let found = bits_of_c(&folder(&format!("legs_c{k}")), &code, (&functions, &states), flags);
            assert!(found == entries(&functions, &states), "{}, {what}", model.name());
        }
    }
}

/// On processors with AVX2.
#[test]
fn rust_gives_the_same_bits() {
    #[cfg(target_arch = "x86_64")]
    for (k, (model, names)) in
        [(solo12(), ["rnea", "rnea_derivatives"]), (g1(), ["rnea", "crba"])].into_iter().enumerate()
    {
        if !std::is_x86_feature_detected!("avx2") {
            return;
        }
        let functions = functions(&model, &names);
        let states = states(&model, &functions);
        let code = emit::rust(&functions, &with_legs(&model)).expect("is written");
        assert!(code.contains("#![forbid(unsafe_code)]") && code.contains("#[target_feature(enable = \"avx2\")]"));
        let main = main_of(&functions, &states, "f64");
        let main: String = main
            .lines()
            .map(|line| match line.trim_start().starts_with("generated::") {
                true => format!("unsafe {{ {line} }}\n"),
                false => format!("{line}\n"),
            })
            .collect();
        let printed = compile_rust(&folder(&format!("legs_rust{k}")), &code, &main);
        let found: Vec<u64> = printed.lines().map(|line| u64::from_str_radix(line, 16).expect("is a number")).collect();
        assert!(found == bits(&functions, &states), "{}", model.name());
    }
}

/// Arms have no equal parts: the same file. And what cannot go together is an error.
#[test]
fn robots_without_legs_are_as_they_were() {
    let panda = crate::common::panda();
    let function = functions(&panda, &["rnea"]);
    for write in [emit::c, emit::rust] {
        let [with, without] = [with_legs(&panda), Options::of(&panda)].map(|options| write(&function, &options));
        assert_eq!(with.expect("is written"), without.expect("is written"));
    }
    let model = solo12();
    let error = emit::rust(&functions(&model, &["rnea"]), &Options { lanes: Some(4), ..with_legs(&model) });
    assert!(error.expect_err("is refused").to_string().contains("legs share registers of one state"));
}
