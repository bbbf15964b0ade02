//! Giving changed parameters back to an MJCF file: numbers in the text change, and nothing else does.

mod bodies;
mod joints;
mod no_place;

use super::description::Description;
use super::error::MjcfError;
use super::load::Loader;
use super::options::MjcfOptions;
use super::place::Place;
use super::settings::Settings;
use crate::model::Model;
use crate::model::rewrite::edits::{EditTarget, Edits, Numbers};
use crate::model::rewrite::{RewriteError, Rewritten, same};
use crate::model::source::xml::{self, Reader, full_name};
use crate::model::source::{Owner, SourceError, guard};
use crate::spatial::Transform;
use roxmltree::Node;
use std::collections::HashMap;

/// Writes the parameters of a model into the text of the MJCF file that it was read from.
///
/// What `text` gives under `options` is compared with `model`, which has the same bodies, joints and frames. Numbers that differ are
/// replaced where they stand, by the shortest decimals that read back to them; attributes and elements that are missing are inserted.
/// All else stays, byte for byte: geoms, meshes, classes, actuators.
///
/// Written are:
/// - the inertia of bodies as their `inertial`, which is inserted where it came from geoms; a tensor that is not diagonal any more
///   becomes `fullinertia`;
/// - poses of bodies as `pos` and `quat`, and the axes of joints;
/// - `damping`, `armature`, `stiffness` and `springref` of hinges and slides, and `frictionloss` under
///   [`MjcfOptions::friction_width`];
/// - gravity.
///
/// The inertia of a body with others fixed to it is shared out as [`urdf::rewrite`](crate::model::urdf::rewrite) does it. What a class
/// of defaults says is overridden at the element itself.
///
/// ```
/// use gradyn::model::Model;
/// use gradyn::model::mjcf::{MjcfOptions, rewrite};
/// let text = r#"<mujoco> <!-- as measured -->
///   <worldbody>
///     <body name="rod">
///       <joint name="hinge" axis='0 1 0'/>
///       <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/>
///     </body>
///   </worldbody>
/// </mujoco>"#;
/// let options = MjcfOptions::new();
/// let model = Model::from_mjcf_text(text, &options)?.model;
/// let rod = model.body_id(0).expect("is there");
/// let identified = model.with_damping(rod, &[0.2])?;
///
/// let new = rewrite(text, &options, &identified)?;
/// assert_eq!(new.text, text.replace("'0 1 0'", "'0 1 0' damping=\"0.2\""));
/// assert_eq!(new.changes[0].to_string(), "line 4: joint `hinge`: joint damping 0 → 0.2, inserted");
/// assert_eq!(Model::from_mjcf_text(&new.text, &options)?.model, identified);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RewriteError::Mjcf`] for a text that cannot be read, before or after; [`RewriteError::Elsewhere`] for what stands in an included
/// file, in an attached model or in a replica; [`RewriteError::OtherTree`] for the model of another robot;
/// [`RewriteError::NegativeMass`] and [`RewriteError::Unwritable`] for what no file can say; [`RewriteError::NotReproduced`] where the
/// text, read again, does not give the number, as with `settotalmass`; under [`MjcfOptions::strict`], [`RewriteError::NotWritten`] for
/// the first thing that has no place in a file.
///
/// Cost: that of reading the text three times.
pub fn rewrite(text: &str, options: &MjcfOptions, model: &Model) -> Result<Rewritten, RewriteError> {
    let loaded = Model::from_mjcf_text(text, options)?;
    let base = loaded.model;
    same::tree(&base, model)?;
    let mut not_written = no_place::no_place(&base, model, &loaded.description, options);

    let checked = guard::check(text).map_err(of_source)?;
    let document = xml::document(&checked).map_err(of_source)?;
    let files = options.files.clone().unwrap_or_default();
    let settings = Settings::of(&Loader::new(&files).model(text, None)?)?;
    let description = &loaded.description;
    let root = document.root_element();
    let robot = Robot {
        nodes: Nodes::of(root, &Reader::new(&checked.text), description),
        description,
        places: &loaded.places,
        options,
        angle: settings.angle,
        base: &base,
        model,
    };
    let mut edits = Edits::new(&checked);
    bodies::inertias(&robot, &mut edits)?;
    bodies::poses(&robot, &mut edits)?;
    joints::constants(&robot, &mut edits)?;
    let owner = Owner::Robot(base.name().to_owned());
    let option = EditTarget { owner, parent: root, within: None, element: "option", whole_body: None };
    let (old, new) = (base.gravity(), model.gravity());
    edits.set(&option, &[Numbers { attribute: "gravity", old: old.as_slice(), new: new.as_slice() }]);
    let (text, changes) = edits.finish();

    let read = Model::from_mjcf_text(&text, options)?.model;
    same::frames(&base, &read, model, &mut not_written);
    same::numbers(&read, model, &not_written)?;
    same::springs_and_gravity(&read, model)?;
    if options.strict
        && let Some(first) = not_written.first()
    {
        return Err(RewriteError::NotWritten { first: Box::new(first.clone()), count: not_written.len() });
    }
    Ok(Rewritten { text, changes, not_written })
}

fn of_source(error: SourceError) -> MjcfError {
    MjcfError::Source { file: None, error: Box::new(error) }
}

/// The robot of the file, and the one that it is to become.
struct Robot<'a, 'i> {
    description: &'a Description,
    nodes: Nodes<'a, 'i>,
    /// Index in the model of the body that each body of the file is on, none for the world, and its pose there.
    places: &'a [(Option<usize>, Transform<f64>)],
    options: &'a MjcfOptions,
    /// What an angle of the file is in rad.
    angle: f64,
    base: &'a Model,
    model: &'a Model,
}

/// The elements of bodies and joints.
struct Nodes<'a, 'i> {
    bodies: Vec<Option<Node<'a, 'i>>>,
    joints: Vec<Option<Node<'a, 'i>>>,
}

impl<'a, 'i> Nodes<'a, 'i> {
    fn of(root: Node<'a, 'i>, reader: &Reader, description: &Description) -> Self {
        let (mut bodies, mut joints): (ByLine, ByLine) = Default::default();
        let worlds = root.children().filter(|child| child.is_element() && full_name(*child) == "worldbody");
        for node in worlds.flat_map(|world| world.descendants()).filter(Node::is_element) {
            let of_kind = match full_name(node) {
                "body" => &mut bodies,
                "joint" | "freejoint" => &mut joints,
                _ => continue,
            };
            of_kind.entry(reader.line(node)).or_default().push(node);
        }
        let of_bodies = description.bodies.iter().map(|body| (&body.place, body.name.as_str()));
        let of_joints = description.joints.iter().map(|joint| (&joint.place, joint.name.as_str()));
        Self { bodies: found(&bodies, of_bodies), joints: found(&joints, of_joints) }
    }
}

/// Elements by their lines.
type ByLine<'a, 'i> = HashMap<u32, Vec<Node<'a, 'i>>>;

/// The element of each; none for what stands in another file, and for what is one of several that an element makes.
fn found<'a, 'i, 'd>(
    nodes: &ByLine<'a, 'i>,
    wanted: impl Iterator<Item = (&'d Place, &'d str)>,
) -> Vec<Option<Node<'a, 'i>>> {
    let of = |(place, name): (&Place, &str)| {
        let there = nodes.get(&place.line).filter(|_| place.file.is_none())?;
        let named = there.iter().find(|node| node.attribute("name") == Some(name));
        // A name that the reader made belongs to an element without one.
        let mut nameless = there.iter().filter(|node| node.attribute("name").is_none_or(str::is_empty));
        named.or_else(|| nameless.next().filter(|_| nameless.next().is_none())).copied()
    };
    let all: Vec<_> = wanted.map(of).collect();
    let mut uses: HashMap<usize, usize> = HashMap::new();
    for node in all.iter().flatten() {
        *uses.entry(node.range().start).or_default() += 1;
    }
    all.into_iter().map(|node| node.filter(|node| uses.get(&node.range().start) == Some(&1))).collect()
}

/// What has no element of its own.
fn elsewhere(owner: Owner, place: &Place) -> RewriteError {
    let reason = match &place.file {
        Some(_) => format!("it stands in another file ({place})"),
        None => format!("{place} makes several, or holds several without names"),
    };
    RewriteError::Elsewhere { owner, reason }
}

/// The element, if it stands in its body itself.
fn in_body<'a, 'i>(node: Node<'a, 'i>, owner: &Owner) -> Result<Node<'a, 'i>, RewriteError> {
    let within = node.parent_element().map(full_name).unwrap_or_default();
    if matches!(within, "body" | "worldbody") {
        return Ok(node);
    }
    let reason = format!("it stands within `{within}`, which moves it");
    Err(RewriteError::Elsewhere { owner: owner.clone(), reason })
}
