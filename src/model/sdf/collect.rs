//! From elements to nodes: models, links, joints and frames by their full names, included files put in.

use super::element::{Element, Place, parse};
use super::error::{SdfError, SdfFault};
use super::frames::{Frames, Node, NodeKind, Reference, Scope, Target, WORLD};
use super::joint::RawJoint;
use super::options::SdfOptions;
use super::{inertial, joint};
use crate::model::source::guard::MAX_BYTES;
use crate::model::source::{Files, LoadReport, NoteKind, Owner, Rank};
use crate::spatial::Inertia;
use nalgebra::Vector3;
use std::sync::Arc;

/// Files within files.
const MAX_INCLUDES: usize = 20;

/// What a file and its included files hold.
pub(super) struct Collected {
    pub(super) frames: Frames,
    /// Name of the first model.
    pub(super) name: Option<String>,
    pub(super) gravity: Option<Vector3<f64>>,
    pub(super) links: Vec<RawLink>,
    pub(super) joints: Vec<RawJoint>,
    /// Numbers of nodes that are frames of the file, and their names.
    pub(super) named_frames: Vec<(String, usize)>,
    pub(super) report: LoadReport,
}

/// A link before poses are known.
pub(super) struct RawLink {
    pub(super) name: String,
    pub(super) node: usize,
    pub(super) inertia: Inertia<f64>,
    pub(super) is_static: bool,
}

pub(super) struct Collector<'o> {
    options: &'o SdfOptions,
    /// Files that are being read, the outer ones first.
    open: Vec<String>,
    of: Collected,
}

/// What an include says about the model that it puts in.
struct Overrides<'e> {
    include: &'e Element,
    name: Option<&'e str>,
    scope: usize,
}

impl<'o> Collector<'o> {
    pub(super) fn collect(text: &str, options: &'o SdfOptions) -> Result<Collected, SdfError> {
        let mut report = LoadReport::default();
        let root = parse(text, None, &mut report)?;
        let version = version(&root)?;
        let frames = Frames::new(root.place.clone(), version);
        let of = Collected {
            frames,
            name: None,
            gravity: None,
            links: Vec::new(),
            joints: Vec::new(),
            named_frames: Vec::new(),
            report,
        };
        let mut collector = Self { options, open: Vec::new(), of };
        collector.root(&root)?;
        Ok(collector.of)
    }

    /// The worlds and models of the file.
    fn root(&mut self, root: &Element) -> Result<(), SdfError> {
        let mut holders = vec![root];
        holders.extend(root.each("world"));
        let asked = self.options.model.as_deref();
        let models = |holder: &'_ Element| holder.each("model").count() + holder.each("include").count();
        let count: usize = holders.iter().map(|holder| models(holder)).sum();
        let is_asked = |name: &str| asked.is_none_or(|asked| asked == name);
        // Of one model alone, names stand as they are.
        let own = holders.iter().all(|holder| holder.child("joint").is_none() && holder.child("frame").is_none());
        let plain = own && (count == 1 || asked.is_some());
        let mut found = false;
        for holder in holders {
            let owner = holder.owner();
            if holder.spec.name == "world" {
                self.of.gravity = Some(holder.numbers("gravity", &owner)?.into());
            }
            for child in &holder.children {
                match child.spec.name {
                    "model" if is_asked(child.name()?) => {
                        found = true;
                        self.model(child, WORLD, plain, false, None)?;
                    }
                    "include" => {
                        let name = child.child("name").and_then(Element::text);
                        if asked.is_none() || name.is_some_and(is_asked) {
                            found = true;
                            self.include(child, WORLD, plain, false)?;
                        }
                    }
                    "joint" if asked.is_none() => self.joint(child, WORLD, false)?,
                    "frame" if asked.is_none() => self.frame(child, WORLD)?,
                    _ => {}
                }
            }
        }
        if found {
            return Ok(());
        }
        Err(root.place.fault(SdfFault::NoModel { asked: asked.unwrap_or_default().to_owned() }))
    }

    /// What a pose is relative to: as it says, or the default.
    fn relative_to(&mut self, element: &Element, scope: usize, default: Target) -> Target {
        let Some(pose) = element.child("pose") else { return default };
        if pose.attribute("frame").is_some() {
            let (owner, attribute) = (element.owner(), Some(String::from("frame")));
            let reason = "programs do not use it: the pose is relative to what it is without";
            let kind =
                NoteKind::NotUsed { owner, element: String::from("pose"), attribute, rank: Rank::Dubious, reason };
            self.of.report.push_in(pose.place.file.as_ref(), pose.place.line, kind);
        }
        match pose.attribute("relative_to") {
            Some(name) => Target::Name(Reference { scope, name: name.to_owned(), what: "relative_to" }),
            None => default,
        }
    }

    /// A model within a scope; `plain`: its names stand without its own.
    fn model(
        &mut self,
        element: &Element,
        within: usize,
        plain: bool,
        is_static: bool,
        overrides: Option<&Overrides>,
    ) -> Result<(), SdfError> {
        let own_name = element.name()?;
        let name = overrides.and_then(|of| of.name).unwrap_or(own_name).to_owned();
        let owner = element.owner();
        let mut is_static = is_static || element.flag("static", &owner)?;
        let merge = match overrides {
            Some(of) => {
                is_static |= of.include.flag("static", &of.include.owner())?;
                of.include.flag_attribute("merge", &of.include.owner())?
            }
            None => false,
        };
        // An include's own pose counts instead of that of the model.
        let posed = overrides.filter(|of| of.include.child("pose").is_some()).map_or(element, |of| of.include);
        let pose = posed.pose(&owner, &mut self.of.report)?;
        let outer = self.of.frames.scopes.get(within).map_or(WORLD, |scope| scope.node);
        let relative_to = self.relative_to(posed, overrides.map_or(within, |of| of.scope), Target::Node(outer));
        let scope = self.of.frames.scopes.len();
        let placement = overrides
            .and_then(|of| of.include.child("placement_frame"))
            .and_then(Element::text)
            .or_else(|| element.attribute("placement_frame"));
        let placement = placement.map(|name| Reference { scope, name: name.to_owned(), what: "placement_frame" });
        let canonical = match element.attribute("canonical_link").map(str::to_owned).or_else(|| first_link(element)) {
            Some(name) => Target::Name(Reference { scope, name, what: "canonical_link" }),
            None => Target::Node(outer),
        };
        let node = Node {
            kind: NodeKind::Model,
            owner,
            place: element.place.clone(),
            pose,
            relative_to,
            attached_to: canonical,
            placement,
        };
        let known = format!("_merged__{name}__model__");
        let known = if merge { &known } else { &name };
        // Where its parts stand without its name, one of them may have it.
        let node = self.of.frames.add(within, Some(known.as_str()).filter(|_| merge || !plain), node)?;
        let around = self.of.frames.scopes.get(within).map_or("", |scope| scope.prefix.as_str()).to_owned();
        let prefix = if merge || plain { around } else { format!("{around}{name}::") };
        let version = self.of.frames.scopes.get(within).map_or((1, 12), |scope| scope.version);
        self.of.frames.scopes.push(Scope { prefix, node, version });
        self.of.name.get_or_insert(name);
        for child in &element.children {
            match child.spec.name {
                "link" => self.link(child, scope, is_static)?,
                "joint" => self.joint(child, scope, is_static)?,
                "frame" => self.frame(child, scope)?,
                "model" => self.model(child, scope, false, is_static, None)?,
                "include" => self.include(child, scope, false, is_static)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn link(&mut self, element: &Element, scope: usize, is_static: bool) -> Result<(), SdfError> {
        let owner = element.owner();
        let model = self.of.frames.scopes.get(scope).map_or(WORLD, |scope| scope.node);
        let name = self.of.frames.full(scope, element.name()?);
        let relative_to = self.relative_to(element, scope, Target::Node(model));
        let node = Node {
            kind: NodeKind::Link(self.of.links.len()),
            owner: owner.clone(),
            place: element.place.clone(),
            pose: element.pose(&owner, &mut self.of.report)?,
            relative_to,
            attached_to: Target::Node(WORLD),
            placement: None,
        };
        let node = self.of.frames.add(scope, Some(element.name()?), node)?;
        if element.name()? == "world" {
            let (element_name, attribute) = (String::from("link"), Some(String::from("name")));
            let reason = "SDF reserves it: joints of `world` are those of the world, and not of this link";
            let kind = NoteKind::NotUsed { owner, element: element_name, attribute, rank: Rank::Dubious, reason };
            self.of.report.push_in(element.place.file.as_ref(), element.place.line, kind);
        }
        let inertia = inertial::read(element, is_static, &mut self.of.report)?;
        self.of.links.push(RawLink { name, node, inertia, is_static });
        Ok(())
    }

    fn joint(&mut self, element: &Element, scope: usize, is_static: bool) -> Result<(), SdfError> {
        let owner = element.owner();
        let name = element.name()?;
        let child = Reference { scope, name: element.required("child")?.0.to_owned(), what: "child" };
        let relative_to = self.relative_to(element, scope, Target::Name(child.clone()));
        let at_child = element.child("pose").is_none();
        let node = Node {
            kind: NodeKind::Joint,
            owner: owner.clone(),
            place: element.place.clone(),
            pose: element.pose(&owner, &mut self.of.report)?,
            relative_to,
            attached_to: Target::Name(child.clone()),
            placement: None,
        };
        let node = self.of.frames.add_unless_taken(scope, name, node)?;
        let full = self.of.frames.full(scope, name);
        let version = self.of.frames.scopes.get(scope).map_or((1, 12), |scope| scope.version);
        let read = joint::read(element, (full, node, scope), child, at_child, version, &mut self.of.report)?;
        if let Some(joint) = read {
            self.of.joints.push(RawJoint { is_static, ..joint });
        }
        Ok(())
    }

    fn frame(&mut self, element: &Element, scope: usize) -> Result<(), SdfError> {
        let owner = element.owner();
        let name = element.name()?;
        let model = self.of.frames.scopes.get(scope).map_or(WORLD, |scope| scope.node);
        let attached_to = match element.attribute("attached_to") {
            Some(name) => Target::Name(Reference { scope, name: name.to_owned(), what: "attached_to" }),
            None => Target::Node(model),
        };
        let relative_to = self.relative_to(element, scope, attached_to.clone());
        let node = Node {
            kind: NodeKind::Frame,
            owner: owner.clone(),
            place: element.place.clone(),
            pose: element.pose(&owner, &mut self.of.report)?,
            relative_to,
            attached_to,
            placement: None,
        };
        let node = self.of.frames.add(scope, Some(name), node)?;
        let full = self.of.frames.full(scope, name);
        self.of.named_frames.push((full, node));
        Ok(())
    }

    /// Puts in the model of another file.
    fn include(&mut self, element: &Element, scope: usize, plain: bool, is_static: bool) -> Result<(), SdfError> {
        let (uri, place) = element.required("uri")?;
        let owner = Owner::Element("include".to_owned(), uri.to_owned());
        if self.open.iter().any(|open| open == uri) || self.open.len() >= MAX_INCLUDES {
            return Err(place.fault(SdfFault::Circle { owner, what: "include" }));
        }
        let text = read(self.options.files.as_ref().unwrap_or(&Files::none()), uri).map_err(|reason| {
            place.fault(SdfFault::Unreadable { owner: owner.clone(), uri: uri.to_owned(), reason })
        })?;
        let file: Arc<str> = uri.into();
        let root = parse(&text, Some(&file), &mut self.of.report)?;
        let own = version(&root)?;
        let no_model = || Place { file: Some(file.clone()), line: 1 }.fault(SdfFault::NoModel { asked: String::new() });
        let model = root.child("model").ok_or_else(no_model)?;
        self.open.push(uri.to_owned());
        // Names in the included file mean what they mean by its version.
        let outer = self.of.frames.scopes.get_mut(scope).map(|scope| std::mem::replace(&mut scope.version, own));
        let overrides = Overrides { include: element, name: element.child("name").and_then(Element::text), scope };
        let read = self.model(model, scope, plain, is_static, Some(&overrides));
        if let (Some(scope), Some(version)) = (self.of.frames.scopes.get_mut(scope), outer) {
            scope.version = version;
        }
        self.open.pop();
        read
    }
}

/// The text of the file that a URI names: a file of SDF, or a folder with a `model.sdf`, beside the file or beside its folder.
fn read(files: &Files, uri: &str) -> Result<String, String> {
    let path = uri.strip_prefix("model://").or_else(|| uri.strip_prefix("file://")).unwrap_or(uri);
    if path.contains("://") {
        return Err(String::from("nothing is fetched: give its content by `SdfOptions::files`"));
    }
    let inside = if path.ends_with(".sdf") { path.to_owned() } else { format!("{path}/model.sdf") };
    let mut read = files.read(&inside, MAX_BYTES);
    if read.is_err() && uri.starts_with("model://") {
        read = files.read(&format!("../{inside}"), MAX_BYTES).or(read);
    }
    String::from_utf8(read?).map_err(|_| String::from("it is not UTF-8 text"))
}

/// The first link of a model, or of the models in it.
fn first_link(model: &Element) -> Option<String> {
    if let Some(link) = model.child("link") {
        return link.attribute("name").map(str::to_owned);
    }
    model.each("model").find_map(|inner| Some(format!("{}::{}", inner.attribute("name")?, first_link(inner)?)))
}

/// The version of a file.
fn version(root: &Element) -> Result<(u32, u32), SdfError> {
    let found = root.attribute("version").unwrap_or_default();
    let numbers =
        found.trim().split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    numbers
        .filter(|version| ((1, 4)..=(1, 12)).contains(version))
        .ok_or_else(|| root.place.fault(SdfFault::Version { found: found.to_owned() }))
}
