//! The tree of bodies: frames, replicas and attached models worked out, names made.

use super::classes::MAIN;
use super::description::{BodyElement, JointElement, SiteElement};
use super::document::Document;
use super::element::{Element, Values, source};
use super::error::{Fault, MjcfError};
use super::inertial::{self, Geom, Inertial};
use super::load::{MAX_LEVELS, not_used};
use super::mesh::Meshes;
use super::place::Place;
use super::{joint, orientation};
use crate::model::source::{LoadReport, Owner, Rank, SourceError};
use crate::spatial::Transform;
use std::collections::HashMap;

/// The tree as it grows.
pub(super) struct Tree<'d> {
    pub(super) bodies: Vec<BodyElement>,
    pub(super) joints: Vec<JointElement>,
    pub(super) sites: Vec<SiteElement>,
    /// Indices by names.
    pub(super) body_names: HashMap<String, usize>,
    pub(super) joint_names: HashMap<String, usize>,
    pub(super) site_names: HashMap<String, usize>,
    /// Suffixes of the replicas of each name.
    pub(super) replicas: HashMap<String, Vec<String>>,
    /// Models that were put in, with what their names begin and end with.
    pub(super) attached: Vec<(&'d Document, Names)>,
    pub(super) report: LoadReport,
    pub(super) meshes: Meshes<'d>,
    /// Whether no joint moves a body.
    fixed: Vec<bool>,
    instances: usize,
}

/// What names begin and end with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) prefix: String,
    pub(super) suffix: String,
}

impl Names {
    pub(super) fn full(&self, name: &str) -> String {
        format!("{}{name}{}", self.prefix, self.suffix)
    }
}

/// Where an element stands.
#[derive(Clone)]
pub(super) struct Context<'d> {
    pub(super) document: &'d Document,
    /// The class of elements that name none.
    pub(super) class: usize,
    /// Pose of the frame in the body.
    pub(super) frame: Transform<f64>,
    pub(super) names: Names,
    pub(super) level: usize,
}

/// What a body holds, until it is complete.
#[derive(Default)]
pub(super) struct Content<'d> {
    pub(super) body: Option<usize>,
    pub(super) inertial: Option<Inertial>,
    pub(super) geoms: Vec<Geom<'d>>,
    pub(super) has_children: bool,
}

/// Bodies, joints, geoms and so on, those of replicas and attached models included: MuJoCo reads 65 534 bodies.
pub(super) const MAX_INSTANCES: usize = 1_000_000;

impl<'d> Tree<'d> {
    pub(super) fn of(document: &'d Document, meshes: Meshes<'d>) -> Result<Self, MjcfError> {
        let mut tree = Self {
            bodies: Vec::new(),
            joints: Vec::new(),
            sites: Vec::new(),
            body_names: HashMap::new(),
            joint_names: HashMap::new(),
            site_names: HashMap::new(),
            replicas: HashMap::new(),
            attached: vec![(document, Names::default())],
            report: LoadReport::default(),
            meshes,
            fixed: Vec::new(),
            instances: 0,
        };
        let context =
            Context { document, class: MAIN, frame: Transform::identity(), names: Names::default(), level: 0 };
        for world in document.root.each("worldbody") {
            tree.content(world, &mut Content::default(), &context)?;
        }
        tree.sort_joints();
        tree.name_the_nameless();
        Ok(tree)
    }

    /// Puts the joints into the order of their bodies, that of MuJoCo: in the file they may stand after bodies within their own.
    fn sort_joints(&mut self) {
        self.joints.sort_by_key(|joint| joint.body);
        let named = self.joints.iter().enumerate().filter(|(_, joint)| !joint.name.is_empty());
        self.joint_names = named.map(|(i, joint)| (joint.name.clone(), i)).collect();
    }

    /// What a body, a frame or a replica holds.
    pub(super) fn content(
        &mut self,
        within: &'d Element,
        content: &mut Content<'d>,
        context: &Context<'d>,
    ) -> Result<(), MjcfError> {
        for element in &within.children {
            self.count(element, context)?;
            match element.spec.name {
                "body" => self.body(element, content, context)?,
                "frame" => {
                    let inner = self.within_frame(element, context)?;
                    self.content(element, content, &inner)?;
                }
                _ => self.part(element, content, context)?,
            }
        }
        Ok(())
    }

    /// The context within a frame.
    #[inline(never)] // As of bodies.
    fn within_frame(&self, element: &'d Element, context: &Context<'d>) -> Result<Context<'d>, MjcfError> {
        let mut inner = self.inner(element, context)?;
        inner.frame = context.frame * orientation::pose(&element.plain(), &context.document.settings)?;
        Ok(inner)
    }

    /// What is no body and no frame.
    #[inline(never)]
    fn part(
        &mut self,
        element: &'d Element,
        content: &mut Content<'d>,
        context: &Context<'d>,
    ) -> Result<(), MjcfError> {
        let own = context.document.classes.named(element, "class", context.class)?;
        let defaults = context.document.classes.attributes(own, element.spec.defaults);
        let values = Values { element, defaults };
        match element.spec.name {
            "joint" | "freejoint" => self.joint(values, content, context)?,
            "inertial" => {
                if content.body.is_none() {
                    return Err(misplaced(element, "the world has no inertia"));
                }
                content.inertial = Some(inertial::read(&values, &context.document.settings)?);
            }
            "geom" if content.body.is_some() => {
                content.geoms.push(Geom { values, document: context.document, frame: context.frame });
            }
            "site" => self.site(values, content, context)?,
            "replicate" => self.replicate(values, content, context)?,
            "attach" => self.attach(values, content, context)?,
            _ => {}
        }
        Ok(())
    }

    /// The context within an element that may say another class.
    pub(super) fn inner(&self, element: &Element, context: &Context<'d>) -> Result<Context<'d>, MjcfError> {
        let class = context.document.classes.named(element, "childclass", context.class)?;
        Ok(Context { class, level: context.level + 1, ..context.clone() })
    }

    /// Bounds what replicas and attached models make.
    #[inline(never)]
    pub(super) fn count(&mut self, element: &Element, context: &Context) -> Result<(), MjcfError> {
        self.instances += 1;
        let excess = [("elements", self.instances, MAX_INSTANCES), ("levels of elements", context.level, MAX_LEVELS)];
        for (what, count, limit) in excess {
            if count > limit {
                let line = element.place.line;
                return Err(source(&element.place, SourceError::TooLarge { line, what, limit }));
            }
        }
        Ok(())
    }

    pub(super) fn body(
        &mut self,
        element: &'d Element,
        content: &mut Content<'d>,
        context: &Context<'d>,
    ) -> Result<(), MjcfError> {
        let first_joint = self.joints.len();
        let (mut own, inner) = self.open(element, content, context)?;
        self.content(element, &mut own, &inner)?;
        self.close(element, &own, (first_joint, content.body.is_some()), context)
    }

    /// Adds a body: what it will hold, and the context within.
    #[inline(never)] // The frames of bodies within bodies are on the stack: the smaller the better.
    fn open(
        &mut self,
        element: &'d Element,
        content: &mut Content<'d>,
        context: &Context<'d>,
    ) -> Result<(Content<'d>, Context<'d>), MjcfError> {
        content.has_children = true;
        let own = orientation::pose(&element.plain(), &context.document.settings)?;
        let index = self.bodies.len();
        let name = element.name().map(|name| self.named(name, context)).unwrap_or_default();
        insert(&mut self.body_names, "body", &name, index, element, |i| self.bodies.get(i).map(|body| &body.place))?;
        let pose = context.frame * own;
        finite(element, &pose)?;
        self.bodies.push(BodyElement {
            place: element.place.clone(),
            name,
            parent: content.body,
            pose,
            inertia: crate::spatial::Inertia::zero(),
        });
        self.fixed.push(false); // until its joints are known
        let mut inner = self.inner(element, context)?;
        inner.frame = Transform::identity();
        let own = Content { body: Some(index), ..Content::default() };
        // Joints may stand after geoms and bodies: those of this body are looked for first.
        let parent_is_fixed = content.body.is_none_or(|parent| self.fixed.get(parent).copied().unwrap_or_default());
        if let Some(fixed) = self.fixed.get_mut(index) {
            *fixed = parent_is_fixed && !has_joint(element);
        }
        Ok((own, inner))
    }

    /// Checks the joints of a body whose content is known, and adds up its inertia.
    #[inline(never)]
    fn close(
        &mut self,
        element: &'d Element,
        own: &Content<'d>,
        (first_joint, has_parent): (usize, bool),
        context: &Context<'d>,
    ) -> Result<(), MjcfError> {
        let Some(index) = own.body else { return Ok(()) };
        let joints: Vec<usize> = (first_joint..self.joints.len())
            .filter(|j| self.joints.get(*j).is_some_and(|joint| joint.body == index))
            .collect();
        joint::check(&joints, &self.joints, has_parent, element)?;
        let is_fixed = self.fixed.get(index).copied().unwrap_or_default();
        let settings = &context.document.settings;
        let found = inertial::of_body(element, own.inertial, &own.geoms, settings, &mut self.meshes, is_fixed)?;
        if let Some(reason) = found.left_out {
            let kind = not_used(element.owner(), "geom", None, (Rank::Dubious, reason));
            self.report.push_in(element.place.file.as_ref(), element.place.line, kind);
        }
        if let Some(body) = self.bodies.get_mut(index) {
            body.inertia = found.inertia;
        }
        let align = joints.iter().filter_map(|j| self.joints.get(*j)).any(joint::is_free)
            && joint::aligned(element, settings.align_free)?;
        if align && !own.has_children {
            let reason = "the frame of the body stays where the file puts it: it is not moved to its center of mass";
            let kind = not_used(element.owner(), "freejoint", Some("align"), (Rank::ChangesDynamics, reason));
            self.report.push_in(element.place.file.as_ref(), element.place.line, kind);
        }
        Ok(())
    }

    fn joint(&mut self, values: Values<'d>, content: &Content, context: &Context<'d>) -> Result<(), MjcfError> {
        let element = values.element;
        let Some(body) = content.body else { return Err(misplaced(element, "the world has no joints")) };
        let name = element.name().map(|name| self.named(name, context)).unwrap_or_default();
        let index = self.joints.len();
        insert(&mut self.joint_names, "joint", &name, index, element, |i| {
            self.joints.get(i).map(|joint| &joint.place)
        })?;
        let read = joint::read(&values, &context.document.settings, &context.frame, &mut self.report)?;
        self.joints.push(JointElement { name, body, ..read });
        Ok(())
    }

    fn site(&mut self, values: Values<'d>, content: &Content, context: &Context<'d>) -> Result<(), MjcfError> {
        let element = values.element;
        let name = element.name().map(|name| self.named(name, context));
        let index = self.sites.len();
        let key = name.clone().unwrap_or_default();
        insert(&mut self.site_names, "site", &key, index, element, |i| self.sites.get(i).map(|site| &site.place))?;
        let settings = &context.document.settings;
        let own = match values.given::<6>("fromto")? {
            Some(ends) => inertial::between(&values, ends)?.0,
            None => orientation::pose(&values, settings)?,
        };
        let pose = context.frame * own;
        finite(element, &pose)?;
        self.sites.push(SiteElement { place: element.place.clone(), name, body: content.body, pose });
        Ok(())
    }

    /// The full name, which is remembered if it is a replica's.
    fn named(&mut self, name: &str, context: &Context) -> String {
        let Names { prefix, suffix } = &context.names;
        if !suffix.is_empty() {
            let suffixes = self.replicas.entry(format!("{prefix}{name}")).or_default();
            if suffixes.last() != Some(suffix) {
                suffixes.push(suffix.clone());
            }
        }
        context.names.full(name)
    }

    /// Names for what has none: its kind, and its number in MuJoCo.
    fn name_the_nameless(&mut self) {
        for (i, body) in self.bodies.iter_mut().enumerate().filter(|(_, body)| body.name.is_empty()) {
            body.name = unused(format!("body_{}", i + 1), &self.body_names);
            self.body_names.insert(body.name.clone(), i);
        }
        for (i, joint) in self.joints.iter_mut().enumerate().filter(|(_, joint)| joint.name.is_empty()) {
            joint.name = unused(format!("joint_{i}"), &self.joint_names);
            self.joint_names.insert(joint.name.clone(), i);
        }
    }
}

/// The name, or the same with as many `_` as make it new.
pub(super) fn unused<V>(mut name: String, taken: &HashMap<String, V>) -> String {
    while taken.contains_key(&name) {
        name.push('_');
    }
    name
}

/// Whether a joint is among what an element holds, in frames and replicas too.
fn has_joint(element: &Element) -> bool {
    element.children.iter().any(|child| match child.spec.name {
        "joint" | "freejoint" => true,
        "frame" | "replicate" => has_joint(child),
        _ => false,
    })
}

/// Gives a name to an index, unless it is empty.
fn insert<'p>(
    names: &mut HashMap<String, usize>,
    what: &'static str,
    name: &str,
    index: usize,
    element: &Element,
    place: impl Fn(usize) -> Option<&'p Place>,
) -> Result<(), MjcfError> {
    if name.is_empty() {
        return Ok(());
    }
    if let Some(first) = names.insert(name.to_owned(), index) {
        let (name, first) = (name.to_owned(), place(first).cloned().unwrap_or_default());
        return Err(element.fault(Fault::DuplicateName { what, name, first }));
    }
    Ok(())
}

pub(super) fn misplaced(element: &Element, reason: &'static str) -> MjcfError {
    element.fault(Fault::Misplaced { owner: element.owner(), reason })
}

/// A pose composed of finite ones may overflow.
pub(super) fn finite(element: &Element, pose: &Transform<f64>) -> Result<(), MjcfError> {
    if pose.translation.iter().chain(pose.rotation.iter()).all(|x| x.is_finite()) {
        return Ok(());
    }
    Err(element.fault(Fault::Overflow { owner: element.owner(), what: "its pose" }))
}

/// What messages call a body.
pub(super) fn body_owner(name: &str) -> Owner {
    Owner::Element("body".to_owned(), name.to_owned())
}
