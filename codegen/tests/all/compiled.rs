//! Generated code, compiled, gives what the recorded function gives, bit for bit.

use crate::common::{folder, inputs, panda, record, run, slices, trees};
use gradyn::Model;
use gradyn_codegen::emit::{self, Options};
use gradyn_codegen::{Function, QUANTITIES};
use std::path::Path;
use std::process::Command;

/// Prints the bits of all outputs of all functions at these inputs: a program around generated Rust.
pub(crate) fn main_of(functions: &[Function], states: &[Vec<Vec<Vec<f64>>>], real: &str) -> String {
    let mut text = format!(
        "mod generated;\nfn show(x: &[{real}]) {{ for x in x {{ println!(\"{{:x}}\", x.to_bits()); }} }}\nfn main() {{\n"
    );
    for (function, states) in functions.iter().zip(states) {
        for inputs in states {
            text.push_str("    {\n");
            let mut arguments = Vec::new();
            for x in inputs {
                arguments.push(format!("&{x:?}"));
            }
            for (k, output) in function.outputs().iter().enumerate() {
                text += &format!("        let mut o{k} = [0.0; {}];\n", output.port.len());
                arguments.push(format!("&mut o{k}"));
            }
            text += &format!("        generated::{}({});\n", function.name(), arguments.join(", "));
            for k in 0..function.outputs().len() {
                text += &format!("        show(&o{k});\n");
            }
            text.push_str("    }\n");
        }
    }
    text + "}\n"
}

pub(crate) fn compile_rust(folder: &Path, code: &str, main: &str) -> String {
    std::fs::write(folder.join("generated.rs"), code).expect("is written");
    std::fs::write(folder.join("main.rs"), main).expect("is written");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let program = folder.join("main");
    run(Command::new(rustc)
        .current_dir(folder)
        .args(["--edition", "2024", "-C", "opt-level=1", "main.rs", "-o"])
        .arg(&program));
    run(&mut Command::new(program))
}

pub(crate) fn states(model: &Model, functions: &[Function]) -> Vec<Vec<Vec<Vec<f64>>>> {
    functions.iter().map(|function| (0..3).map(|seed| inputs(model, function, seed)).collect()).collect()
}

/// Signs of zeros are kept by generated code, as by the graph.
pub(crate) fn bits(functions: &[Function], states: &[Vec<Vec<Vec<f64>>>]) -> Vec<u64> {
    let mut all = Vec::new();
    for (function, states) in functions.iter().zip(states) {
        for inputs in states {
            let outputs = function.evaluate(&slices(inputs)).expect("fits");
            all.extend(outputs.concat().iter().map(|x| x.to_bits()));
        }
    }
    all
}

/// The functions that panda's code has, and those of a tree with every joint.
fn functions(model: &Model) -> Vec<Function> {
    let names = QUANTITIES.map(|(name, _)| name.to_owned()).into_iter();
    let mut all: Vec<Function> = names.map(|name| record(model, &name)).collect();
    all.extend(["rnea_derivatives", "aba_derivatives", "energy_derivatives"].map(|name| record(model, name)));
    // Some in pieces of 2 000 statements.
    assert!(all.iter().any(|function| function.graph().nodes().len() > 3000));
    all
}

#[test]
fn rust_gives_the_same_bits() {
    for (k, model) in [panda(), trees().remove(3)].iter().enumerate() {
        let functions = functions(model);
        let states = states(model, &functions);
        let code = emit::rust(&functions, &Options::of(model)).expect("is written");
        let printed = compile_rust(&folder(&format!("rust{k}")), &code, &main_of(&functions, &states, "f64"));
        let found: Vec<u64> = printed.lines().map(|line| u64::from_str_radix(line, 16).expect("is a number")).collect();
        assert_eq!(found, bits(&functions, &states), "{}", model.name());
    }
}

/// Several states at once, and with the standard library's square root: the same bits.
#[test]
fn lanes_and_the_standard_library_change_nothing() {
    let model = panda();
    let small = record(&model, "aba");
    let states: Vec<Vec<Vec<f64>>> = (0..4).map(|seed| inputs(&model, &small, seed)).collect();
    let code = emit::rust(std::slice::from_ref(&small), &Options { lanes: Some(4), std: true, ..Options::of(&model) });
    let code = code.expect("is written");
    let lanes = |k: usize| {
        let numbers = (0..7).map(|i| format!("{:?}", states.iter().map(|x| x[k][i]).collect::<Vec<f64>>()));
        format!("[{}]", numbers.collect::<Vec<_>>().join(", "))
    };
    let main = format!(
        "mod generated;\nfn main() {{\n    let mut ddq = [[0.0; 4]; 7];\n    generated::aba(&{}, &{}, &{}, &mut ddq);\n    for s in 0..4 {{ for x in ddq {{ println!(\"{{:x}}\", x[s].to_bits()); }} }}\n}}\n",
        lanes(0),
        lanes(1),
        lanes(2)
    );
    let printed = compile_rust(&folder("lanes"), &code, &main);
    let found: Vec<u64> = printed.lines().map(|line| u64::from_str_radix(line, 16).expect("is a number")).collect();
    assert_eq!(found, bits(&[small], &[states]));
}

/// Without the standard library, as a library of its own; and in single precision, to the digits that has.
#[test]
fn core_alone_and_single_precision() {
    let model = testing::robot("solo12", &gradyn::UrdfOptions::new().floating_base(true));
    let functions = [record(&model, "rnea"), record(&model, "crba")];
    let options = Options::of(&model);
    let code = emit::rust(&functions, &options).expect("is written");
    let folder = folder("core");
    let library = format!("#![no_std]\n{}", code.replace("//!", "//"));
    std::fs::write(folder.join("lib.rs"), library).expect("is written");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    run(Command::new(&rustc).current_dir(&folder).args(["--edition", "2024", "--crate-type", "lib", "lib.rs"]));
    let single = emit::rust(&functions, &Options { precision: emit::Precision::F32, ..options }).expect("is written");
    let states = states(&model, &functions);
    let printed = compile_rust(&folder, &single, &main_of(&functions, &states, "f32"));
    let mut found = printed.lines().map(|line| f32::from_bits(u32::from_str_radix(line, 16).expect("is a number")));
    for (function, states) in functions.iter().zip(&states) {
        for inputs in states {
            for expected in function.evaluate(&slices(inputs)).expect("fits") {
                let scale = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                for x in expected {
                    let found = f64::from(found.next().expect("is printed"));
                    assert!((found - x).abs() <= 1e-5 * scale, "{}: {found} {x}", function.name());
                }
            }
        }
    }
}

/// The inputs of a function, at several states.
pub(crate) type States = Vec<Vec<Vec<f64>>>;

/// What C prints as CasADi calls it: the bits of all entries of all outputs.
pub(crate) fn bits_of_c(
    folder: &Path,
    code: &str,
    (functions, states): (&[Function], &[States]),
    flags: &[&str],
) -> Vec<u64> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    std::fs::write(folder.join("generated.c"), code).expect("is written");
    let mut main = String::from(
        "#include <stdio.h>\n#include <string.h>\n#include \"generated.c\"\nstatic double w[100000];\nstatic void show(const double* x, int n) { for (int i = 0; i < n; ++i) { unsigned long long b; memcpy(&b, x + i, 8); printf(\"%llx\\n\", b); } }\nint main(void) {\n",
    );
    for (function, states) in functions.iter().zip(states) {
        for inputs in states {
            main.push_str("  {\n");
            let names: Vec<String> = (0..inputs.len()).map(|i| format!("i{i}")).collect();
            for (name, x) in names.iter().zip(inputs) {
                main += &format!(
                    "    static const double {name}[] = {{{}}};\n",
                    x.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ")
                );
            }
            let outs: Vec<String> = (0..function.outputs().len()).map(|o| format!("o{o}")).collect();
            for (o, name) in outs.iter().enumerate() {
                main += &format!("    static double {name}[{}];\n", function.pattern(o).len().max(1));
            }
            main += &format!(
                "    const double* arg[] = {{{}}};\n    double* res[] = {{{}}};\n    {}(arg, res, 0, w, 0);\n",
                names.join(", "),
                outs.join(", "),
                function.name()
            );
            for (o, name) in outs.iter().enumerate() {
                main += &format!("    show({name}, {});\n", function.pattern(o).len());
            }
            main.push_str("  }\n");
        }
    }
    main.push_str("  return 0;\n}\n");
    std::fs::write(folder.join("main.c"), main).expect("is written");
    let program = folder.join("main");
    run(Command::new(&compiler)
        .current_dir(folder)
        .args(["-std=c99", "-Wall", "-Wno-unused-function", "-ffp-contract=off"])
        .args(flags)
        .args(["main.c", "-lm", "-o"])
        .arg(&program));
    let printed = run(&mut Command::new(&program));
    printed.lines().map(|line| u64::from_str_radix(line, 16).expect("is a number")).collect()
}

/// The entries that C has, by the graph.
pub(crate) fn entries(functions: &[Function], states: &[Vec<Vec<Vec<f64>>>]) -> Vec<u64> {
    let mut all = Vec::new();
    for (function, states) in functions.iter().zip(states) {
        for inputs in states {
            let outputs = function.evaluate(&slices(inputs)).expect("fits");
            for (o, output) in outputs.iter().enumerate() {
                all.extend(function.pattern(o).iter().map(|k| output[*k].to_bits()));
            }
        }
    }
    all
}

/// C as CasADi calls it, its patterns, and its pieces: the same bits.
#[test]
fn c_gives_the_same_bits() {
    for (k, model) in [panda(), trees().remove(3)].iter().enumerate() {
        let functions = functions(model);
        let states = states(model, &functions);
        let code = emit::c(&functions, &Options::of(model)).expect("is written");
        let found = bits_of_c(&folder(&format!("c{k}")), &code, (&functions, &states), &["-O1"]);
        assert_eq!(found, entries(&functions, &states), "{}", model.name());
    }
}

/// Products and sums in one operation: other last digits.
#[test]
fn fused_products() {
    let model = testing::robot("ur5", &gradyn::UrdfOptions::new());
    let functions = [record(&model, "rnea"), record(&model, "rnea_derivatives")];
    let states = states(&model, &functions);
    let options = Options { fuse: true, std: true, ..Options::of(&model) };
    let code = emit::rust(&functions, &options).expect("is written");
    assert!(code.contains("f64::mul_add("));
    let printed = compile_rust(&folder("fused"), &code, &main_of(&functions, &states, "f64"));
    let mut found = printed.lines().map(|line| f64::from_bits(u64::from_str_radix(line, 16).expect("is a number")));
    for (function, states) in functions.iter().zip(&states) {
        for inputs in states {
            for expected in function.evaluate(&slices(inputs)).expect("fits") {
                let scale = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                // Some hundred roundings.
                assert!(expected.iter().all(|x| (found.next().expect("is printed") - x).abs() <= 1e-13 * scale));
            }
        }
    }
    let code = emit::c(&functions, &options).expect("is written");
    assert!(code.contains("fma("));
}
