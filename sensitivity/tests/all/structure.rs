//! What torques can tell of inertias: by formula, by motions, and as Pinocchio counts it.

use crate::common::*;
use gradyn::joint::*;
use gradyn::{Inertia, Model, ModelBuilder, Transform};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::estimate::identifiability;
use gradyn_sensitivity::identify::{FoundBy, base_parameters_by_body, structure, structure_by_motions};
use nalgebra::{DMatrix, Vector3};
use serde_json::Value;

fn inertias(model: &Model) -> Parameters {
    Parameters::of(model).select("*.pi.*").expect("are there")
}

/// Formula and motions have the same rank, and the same space that cannot be told.
fn assert_same_structure(name: &str, model: &Model) -> usize {
    let p = inertias(model);
    let formula = structure(&p, &p.nominal(), 1).expect("runs");
    let motions = structure_by_motions(&p, &p.nominal(), 1).expect("runs");
    assert_eq!((formula.found_by, motions.found_by), (FoundBy::Formula, FoundBy::Motions), "{name}");
    assert_eq!(formula.rank, motions.rank, "{name}: formula against motions, {:e} {:e}", formula.gap, motions.gap);
    // Directions that count are longer than 1e-5 of a unit, rounding is 1e-15 times lengths of some meters.
    assert!(formula.gap > 1e6 && motions.gap > 1e6, "{name}: {:e} {:e}", formula.gap, motions.gap);
    let by_body = base_parameters_by_body(model).expect("no mimic joints");
    assert_eq!(by_body.iter().sum::<usize>(), formula.rank, "{name}: {by_body:?}");
    // As motions know the space to rounding by gap, 1e-9 and better, the one lies in the other to 1e-7.
    let (a, b) = (&formula.identifiability.null_space, &motions.identifiability.null_space);
    assert_eq!(a.shape(), b.shape(), "{name}");
    let apart = a - b * b.tr_mul(a);
    assert!(apart.is_empty() || apart.amax() < 1e-7, "{name}: {:e}", apart.amax());
    formula.rank
}

/// Base parameters of inertias, as Pinocchio's regressor and a singular value decomposition gave them; 43 is that of
/// Gaz et al. for the arm.
#[test]
fn base_parameters_of_known_robots() {
    for (name, floating, rank) in [
        ("pendulum", false, 3),
        ("double_pendulum", false, 6),
        ("ur5", false, 36),
        ("panda", false, 43),
        ("solo12", true, 94),
    ] {
        assert_eq!(assert_same_structure(name, &robot(name, floating)), rank, "{name}");
    }
    // Decompositions of the humanoid's 440 columns take half a minute: it is counted body by body only.
    let by_body = base_parameters_by_body(&robot("g1", true)).expect("no mimic joints");
    assert_eq!(by_body.iter().sum::<usize>(), 311);
}

#[test]
fn formula_and_motions_agree_on_all_robots() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../robots")).expect("is there") {
        let path = entry.expect("is there").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("is a name");
        let is_urdf = path.extension().is_some_and(|extension| extension == "urdf");
        for floating in [false, true] {
            // A robot that does not move tells nothing; joints that move with others have no formula; decompositions of
            // the humanoid's take long.
            if is_urdf && !["mimic", "g1"].contains(&name) && robot(name, floating).nv() > 0 {
                let rank = assert_same_structure(name, &robot(name, floating));
                assert!(rank > 0, "{name}");
            }
        }
    }
}

/// Random trees of all kinds of joints, with counts of Pinocchio 4.1.0: `data/base_parameters.py`.
#[test]
fn random_trees_have_the_counts_of_pinocchio() {
    let trees: Vec<Value> = serde_json::from_str(include_str!("../data/base_parameters.json")).expect("is JSON");
    assert!(trees.len() >= 20);
    for tree in &trees {
        let name = tree["name"].as_str().expect("has a name");
        let rank = assert_same_structure(name, &built(tree));
        assert_eq!(Some(rank as u64), tree["rank"].as_u64(), "{name}");
    }
}

fn numbers_of<const N: usize>(value: &Value) -> [f64; N] {
    std::array::from_fn(|k| value[k].as_f64().expect("is a number"))
}

fn built(tree: &Value) -> Model {
    let axis = |value: &Value| Axis::along(numbers_of::<3>(value).into()).expect("is a direction");
    let transform = |value: &Value| {
        let [x, y, z, roll, pitch, yaw] = numbers_of(value);
        Transform::from_rpy([roll, pitch, yaw], Vector3::new(x, y, z))
    };
    let mut builder = ModelBuilder::new("tree");
    builder.set_gravity(numbers_of::<3>(&tree["gravity"]).into());
    let mut keys = Vec::new();
    for (i, joint) in tree["joints"].as_array().expect("is a list").iter().enumerate() {
        let first = axis(&joint["axes"][0]);
        let second = axis(&joint["axes"][1]);
        let kind: Joint = match joint["kind"].as_str().expect("is a name") {
            "revolute" => Revolute { axis: first }.into(),
            "prismatic" => Prismatic { axis: first }.into(),
            "helical" => Helical { axis: first, pitch: joint["pitch"].as_f64().expect("is a number") }.into(),
            "spherical" => Spherical.into(),
            "zyx" => SphericalZyx.into(),
            "universal" => Universal { first, second }.into(),
            "translation" => Translation.into(),
            "planar" => Planar::new(Axis::Z).into(),
            "free" => FreeFlyer.into(),
            "fixed" => Fixed.into(),
            "row" => Composite::with_placements([
                (Transform::identity(), Revolute { axis: first }.into()),
                (transform(&joint["between"]), Prismatic { axis: second }.into()),
            ])
            .into(),
            other => panic!("no kind `{other}`"),
        };
        let parent = joint["parent"].as_u64().map(|parent| keys[parent as usize]);
        let inertia = Inertia::solid_box(1.0 + i as f64, [0.1, 0.2, 0.3]).expect("is a body");
        let (name, joint_name) = (format!("body{i}"), format!("joint{i}"));
        let at = transform(&joint["placement"]);
        keys.push(builder.add_body(parent, name, joint_name, at, kind, inertia).expect("builds"));
    }
    builder.build().expect("builds")
}

/// What is said to be told is told: base combinations are a basis of what torques depend on, in names.
#[test]
fn base_combinations_are_those_of_a_book() {
    let model = robot("double_pendulum", false);
    let p = inertias(&model);
    let found = structure(&p, &p.nominal(), 1).expect("runs");
    assert_eq!(found.can_tell.len(), 6);
    let rows = found.identifiability.can_tell.iter().enumerate();
    let mut basis = DMatrix::zeros(6, p.len());
    rows.for_each(|(row, entries)| entries.iter().for_each(|(k, x)| basis[(row, *k)] = *x));
    // At right angles to what cannot be told, and independent. Entries below 1e-6 are left out, of numbers about one.
    assert!((&basis * &found.identifiability.null_space).amax() < 1e-6);
    assert_eq!(identifiability(&basis, 1e-9).expect("runs").rank, 6);
    // Masses behind a length are counted with the moment about the axis before it.
    let second = found.can_tell.iter().filter(|text| text.contains("` + ") || text.contains("` - "));
    assert!(second.count() > 0, "{:?}", found.can_tell);
}

/// Parts of the inertias, other charts, and what formulas are not for.
#[test]
fn parts_charts_and_what_falls_back() {
    let model = robot("panda", false);
    for (pattern, by) in [
        ("panda_link[35].pi.*", FoundBy::Formula),
        ("panda_link[2-6].log_cholesky.*", FoundBy::Formula),
        ("*.payload.*", FoundBy::Formula),
        ("*.mass", FoundBy::Formula),
        ("*.friction", FoundBy::Motions),
        ("*.placement.rz", FoundBy::Motions),
    ] {
        let p = Parameters::of(&model).select(pattern).expect("are there");
        // A payload of no mass has no center; here each has one.
        let at: Vec<f64> =
            p.iter().map(|x| x.nominal() + if x.name().contains("payload") { 0.1 } else { 0.0 }).collect();
        let found = structure(&p, &at, 2).expect("runs");
        assert_eq!(found.found_by, by, "{pattern}");
        assert_eq!(found.rank, structure_by_motions(&p, &at, 2).expect("runs").rank, "{pattern}");
    }
    let mimic = robot("mimic", false);
    let p = inertias(&mimic);
    assert_eq!(structure(&p, &p.nominal(), 1).expect("runs").found_by, FoundBy::Motions);
    assert_eq!(base_parameters_by_body(&mimic), None);
    let none = Parameters::of(&model);
    let error = structure(&none, &[], 1).expect_err("has none").to_string();
    assert!(error.contains("no parameters"), "{error}");
    let error = structure(&inertias(&model), &[0.0], 1).expect_err("are seventy").to_string();
    assert!(error.contains("70"), "{error}");
}

/// Mirrors, lengths in other units and a robot on another wall do not change what can be told; without gravity less
/// can.
#[test]
fn frames_and_units_do_not_matter() {
    let model = robot("ur5", false);
    let scaled = |factor: f64| {
        let mut builder = ModelBuilder::new("scaled");
        builder.set_gravity(model.gravity() * factor);
        let mut keys = Vec::new();
        for body in model.bodies() {
            let parent = body.parent().map(|parent| keys[parent.index()]);
            let mut at = *body.placement();
            at.translation *= factor;
            let (name, joint) = (body.name().to_owned(), body.joint_name().to_owned());
            let inertia = Inertia::solid_sphere(1.0, factor).expect("is a body");
            keys.push(builder.add_body(parent, name, joint, at, body.joint().clone(), inertia).expect("builds"));
        }
        base_parameters_by_body(&builder.build().expect("builds"))
    };
    let own = base_parameters_by_body(&model);
    for factor in [1e-6, 1e-3, 1e3, 1e6] {
        assert_eq!(scaled(factor), own, "{factor}");
    }
    // The first joint's axis is vertical: without gravity the second one loses nothing, it swings in a plane that
    // turns. A pendulum loses its first moments.
    let pendulum = robot("pendulum", false);
    assert_eq!(base_parameters_by_body(&pendulum), Some(vec![3]));
    assert_eq!(base_parameters_by_body(&pendulum.with_gravity(Vector3::zeros())), Some(vec![1]));
}
