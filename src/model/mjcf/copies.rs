//! Replicas of a part of the tree, and models that are attached to it.

use super::classes::{Classes, MAIN};
use super::document::attach_owner;
use super::element::{Element, Values};
use super::error::{Fault, MjcfError};
use super::orientation;
use super::tree::{Content, Context, MAX_INSTANCES, Names, Tree, misplaced};
use crate::model::source::text::nearest;
use crate::spatial::{Transform, vector as v3};

impl<'d> Tree<'d> {
    pub(super) fn replicate(
        &mut self,
        values: Values<'d>,
        content: &mut Content<'d>,
        context: &Context<'d>,
    ) -> Result<(), MjcfError> {
        let element = values.element;
        let settings = &context.document.settings;
        if values.find("count").is_none() {
            return Err(values.lacks("count"));
        }
        let count = values.number("count")?;
        if !(1.0..=MAX_INSTANCES as f64).contains(&count) || count.fract() != 0.0 {
            return Err(values.bad("count", count, "expected a whole number from 1"));
        }
        let count = count as usize;
        let (offset, euler) = (values.vector("offset")?, values.array::<3>("euler")?);
        let separator = values.text("sep").unwrap_or_default();
        let digits = count.to_string().len();
        let mut position = v3::zero();
        for k in 0..count {
            self.count(element, context)?;
            let turned = orientation::euler(euler.map(|angle| k as f64 * angle), settings);
            let mut inner = self.inner(element, context)?;
            inner.frame = context.frame * Transform::new(turned, position);
            inner.names.suffix = format!("{separator}{k:0digits$}{}", context.names.suffix);
            self.content(element, content, &inner)?;
            position = v3::add(position, v3::rotate(&turned, offset));
        }
        Ok(())
    }

    pub(super) fn attach(
        &mut self,
        values: Values<'d>,
        content: &mut Content<'d>,
        context: &Context<'d>,
    ) -> Result<(), MjcfError> {
        let element = values.element;
        let model = values.text("model");
        let document = match model {
            None => context.document,
            Some(name) => context.document.models.get(name).ok_or_else(|| {
                let nearest = nearest(name, context.document.models.keys().map(String::as_str));
                let (owner, name) = (attach_owner(name), name.to_owned());
                element.fault(Fault::UnknownName { owner, attribute: "model", what: "model", name, nearest })
            })?,
        };
        let prefix = values.text("prefix").unwrap_or_default();
        let names = Names { prefix: format!("{}{prefix}", context.names.prefix), ..context.names.clone() };
        if model.is_some() {
            self.attached.push((document, names.clone()));
        }
        let mut inner = Context { document, class: MAIN, frame: context.frame, names, level: context.level + 1 };
        let worlds = || document.root.each("worldbody");
        let Some((what, name)) = ["body", "frame"].into_iter().find_map(|what| Some((what, values.text(what)?))) else {
            if model.is_none() {
                return Err(misplaced(element, "expected `model`, or `body` or `frame` of this model"));
            }
            for world in worlds() {
                self.content(world, content, &inner)?;
            }
            return Ok(());
        };
        let found = worlds().find_map(|world| find(world, what, name, &document.classes, MAIN));
        let Some((found, class)) = found else {
            let (owner, name) = (attach_owner(model.unwrap_or_default()), name.to_owned());
            return Err(element.fault(Fault::UnknownName { owner, attribute: what, what, name, nearest: None }));
        };
        inner.class = class;
        if what == "body" {
            return self.body(found, content, &inner);
        }
        inner.class = document.classes.named(found, "childclass", class)?;
        inner.frame = inner.frame * orientation::pose(&found.plain(), &document.settings)?;
        self.content(found, content, &inner)
    }
}

/// The body or frame of a name, and the class of what names none there.
fn find<'d>(
    within: &'d Element,
    what: &'static str,
    name: &str,
    classes: &Classes,
    class: usize,
) -> Option<(&'d Element, usize)> {
    within.children.iter().filter(|child| matches!(child.spec.name, "body" | "frame")).find_map(|child| {
        if child.spec.name == what && child.name() == Some(name) {
            return Some((child, class));
        }
        // A class that is not there is found when its body is read.
        let class = classes.named(child, "childclass", class).unwrap_or(class);
        find(child, what, name, classes, class)
    })
}
