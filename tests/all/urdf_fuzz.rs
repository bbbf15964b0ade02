//! Robot files with random faults: nothing panics, and what loads is sane.

use crate::faults::{Random, are_refused_or_sane};
use gradyn::model::Model;
use gradyn::model::urdf::{ContinuousForm, JointOrder, Loaded, MimicForm, UrdfError, UrdfOptions};
use gradyn::once;
use std::fs;
use std::path::Path;

const VALUES: [&str; 31] = [
    "",
    " ",
    "0",
    "-0",
    "1",
    "-1",
    "1e308",
    "-1e308",
    "1e-320",
    "1e154",
    "nan",
    "inf",
    "1e999",
    "0 0 0",
    "1 0 0",
    "1e200 0 0",
    "0 1e-300 1",
    "1 2",
    "1 2 3 4",
    "heavy",
    "fixed",
    "floating",
    "planar",
    "continuous",
    "base",
    "&#10;",
    "&unknown;",
    "é\u{2028}",
    "${x}",
    "0 0 0 1",
    "shoulder",
];
const JUNK: [&str; 20] = [
    "<a>",
    "</link>",
    "<link name='x'/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "<?xml?>",
    "<!DOCTYPE r [<!ENTITY e 'x'>]>",
    "&lt;",
    "<joint name='k' type='fixed'><parent link='base'/><child link='x'/></joint>",
    "<mimic joint='wrist'/>",
    "\0",
    "<a:b c:d='1'/>",
    " a:b='1'",
    " xmlns:a='u'",
    "<transmission name='t'><joint name='elbow'/><actuator><rotor_inertia value='1e-5'/></actuator></transmission>",
    "<drake:gear_ratio value='3'/>",
    "<dynamics armature='1' gear_ratio='-2'/>",
    "<origin quat_xyzw='0 0 1 1'/>",
    "<inertial><mass value='1'/></inertial>",
];

/// Applies one fault.
fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    if text.is_empty() {
        return;
    }
    let at = random.below(text.len());
    match random.below(9) {
        0 => text[at] ^= 1 << random.below(8),
        1 => text[at] = random.next() as u8,
        2 => drop(text.drain(at..(at + 1 + random.below(40)).min(text.len()))),
        3 => {
            let part = text[at..(at + 1 + random.below(200)).min(text.len())].to_vec();
            let to = random.below(text.len());
            text.splice(to..to, part);
        }
        4 => {
            let junk = random.pick(&JUNK).repeat(1 + random.below(3) * random.below(200));
            text.splice(at..at, junk.into_bytes());
        }
        5 => text.truncate(at),
        // A value for another, of this file or of the list.
        6 | 7 => {
            let values = quoted(text);
            if !values.is_empty() {
                let target = values[random.below(values.len())].clone();
                let value = match random.below(4) {
                    0 => random.pick(&VALUES).as_bytes().to_vec(),
                    1 => "7".repeat(random.below(2000)).into_bytes(),
                    _ => text[values[random.below(values.len())].clone()].to_vec(),
                };
                text.splice(target, value);
            }
        }
        // An element removed, doubled or moved.
        _ => {
            let elements = elements(text);
            if !elements.is_empty() {
                let range = elements[random.below(elements.len())].clone();
                let element = text[range.clone()].to_vec();
                if random.below(3) > 0 {
                    text.drain(range.clone());
                }
                if random.below(3) > 0 && !text.is_empty() {
                    let to = random.below(2) * random.below(text.len());
                    let to = text[to..].iter().position(|b| *b == b'<').map_or(0, |p| p + to);
                    text.splice(to..to, element);
                }
            }
        }
    }
}

/// Where the attributes' values stand.
fn quoted(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let quotes: Vec<_> = text.iter().enumerate().filter(|(_, b)| **b == b'"').map(|(i, _)| i).collect();
    quotes.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]).collect()
}

/// Where elements on lines of their own stand: from `<` to the end of the line, or to the closing tag.
fn elements(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(|b| *b == b'\n') {
        let trimmed = line.trim_ascii();
        if trimmed.starts_with(b"<") && trimmed.ends_with(b"/>") {
            found.push(start..start + line.len());
        } else if trimmed.starts_with(b"<joint") || trimmed.starts_with(b"<link") || trimmed.starts_with(b"<inertial") {
            let close: &[u8] = if trimmed.starts_with(b"<joint") {
                b"</joint>"
            } else if trimmed.starts_with(b"<inertial") {
                b"</inertial>"
            } else {
                b"</link>"
            };
            if let Some(end) = text[start..].windows(close.len()).position(|w| w == close) {
                found.push(start..start + end + close.len());
            }
        }
        start += line.len();
    }
    found
}

/// Lengths agree, numbers are finite, and inverse dynamics gives numbers or says why not.
fn assert_sane(loaded: &Loaded) {
    let model = &loaded.model;
    let (nq, nv) = (model.nq(), model.nv());
    let limits = model.limits();
    assert_eq!([limits.q_lower.len(), limits.q_upper.len()], [nq; 2]);
    assert!(limits.q_lower.iter().zip(&limits.q_upper).all(|(lower, upper)| lower <= upper));
    for (i, body) in model.bodies().iter().enumerate() {
        assert!(body.q_range().end <= nq && body.v_range().end <= nv);
        assert!(body.parent().is_none_or(|parent| parent.index() < i));
        assert!(body.inertia().mass >= 0.0 && body.inertia().mass.is_finite());
        assert!(body.placement().translation.iter().all(|x| x.is_finite()));
        assert!(model.find_frame(body.name()).is_some() && model.find_frame(body.joint_name()).is_some());
    }
    let q: Vec<f64> = model.neutral();
    assert!(model.check_configuration(&q).is_ok());
    if let Ok(tau) = once::rnea(model, &q, &vec![1.0; nv], &vec![1.0; nv], &[]) {
        assert!(tau.iter().all(|x| x.is_finite()));
    }
    assert!(loaded.report.notes().iter().all(|note| !note.to_string().contains('\n') && note.line > 0));
    let _ = loaded.report.to_string();
}

#[test]
fn files_with_random_faults_are_refused_or_give_a_sane_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let robots =
        ["continuous", "floating", "mimic", "panda", "planar", "pendulum"].map(|name| format!("robots/{name}"));
    let others = ["good/mimic_continuous", "good/quat", "good/rotors", "warn/two_inertials", "warn/undeclared_prefix"];
    let others = others.map(|name| format!("tests/urdf/{name}"));
    let robots: Vec<_> =
        robots.iter().chain(&others).map(|name| fs::read(folder.join(format!("{name}.urdf"))).unwrap()).collect();
    let damaged = |random: &mut Random| {
        let mut text = robots[random.below(robots.len())].clone();
        for _ in 0..1 + random.below(2) * random.below(4) {
            mutate(&mut text, random);
        }
        String::from_utf8_lossy(&text).into_owned()
    };
    let read = |text: &str, random: &mut Random| {
        let options = UrdfOptions::new()
            .floating_base(random.below(2) == 0)
            .merge_fixed_joints(random.below(2) == 0)
            .mimic(if random.below(4) == 0 { MimicForm::Independent } else { MimicForm::Follow })
            .continuous(if random.below(2) == 0 { ContinuousForm::Angle } else { ContinuousForm::CosSin })
            .joint_order(if random.below(2) == 0 { JointOrder::File } else { JointOrder::Pinocchio });
        Model::from_urdf_text(text, &options).map(|loaded| assert_sane(&loaded))
    };
    are_refused_or_sane(damaged, read, |error| matches!(error, UrdfError::Model(_)));
}
