//! What a residual is made of, as its kind asks for it.

use super::contacts::HeldContact;
use super::goal::Goal;
use super::named;
use super::source::{Sign, Table};
use super::start::Start;
use super::surface;
use crate::error::Error;
use gradyn::dynamics::ReferenceFrame;
use gradyn::model::FrameId;
use gradyn_trajectory::residual::Capsule;
use nalgebra::{Matrix3, Vector3};

/// What a residual is made of.
pub(super) struct ResidualSpec<'a, 'b> {
    pub(super) table: &'a Table<'b>,
    pub(super) start: &'a Start,
    pub(super) frame: Option<FrameId>,
    pub(super) contact: Option<&'a HeldContact>,
    pub(super) goal: &'a Goal,
}

impl<'a> ResidualSpec<'a, '_> {
    pub(super) fn frame(&self) -> Result<FrameId, Error> {
        self.frame.ok_or_else(|| self.table.refuse("missing key `frame`, expected the name of a link or joint"))
    }

    pub(super) fn contact(&self) -> Result<&'a str, Error> {
        Ok(&self.held()?.contact.name)
    }

    pub(super) fn held(&self) -> Result<&'a HeldContact, Error> {
        self.contact.ok_or_else(|| self.table.refuse("missing key `contact`, expected the name of a contact"))
    }

    /// `normal`: that of the contact, if nothing is said.
    pub(super) fn normal(&self) -> Result<Vector3<f64>, Error> {
        self.table.get("normal").map_or_else(|| Ok(self.held()?.contact.normal), |item| surface::normal(&item))
    }

    /// `inside`: whether the facets lie inside of the cone. They do by default.
    pub(super) fn inside(&self) -> Result<bool, Error> {
        self.table.get("inside").map_or(Ok(true), |item| item.flag())
    }

    /// `axes` of a sole, and the frame that they follow. Of these only the normal then counts.
    pub(super) fn sole(&self) -> Result<(Matrix3<f64>, Option<FrameId>), Error> {
        let (held, normal, item) = (self.held()?, self.normal()?, self.table.get("axes"));
        let refuse = |why: String| match self.table.get("axes").or_else(|| self.table.get("normal")) {
            Some(item) => item.refuse(why),
            None => self.table.refuse(why),
        };
        if item.map_or(Ok(0), |item| item.one_of("axes", &["frame", "world"]))? == 1 {
            let axes = surface::axes_along(normal, Vector3::x());
            return axes.map(|axes| (axes, None)).ok_or_else(|| {
                refuse(String::from(
                    "the normal is along the world's x axis, which leaves a sole in its axes no direction",
                ))
            });
        }
        let x = surface::frame_axes(held, self.start).map(|axes| axes.column(0).into_owned());
        if x.is_some_and(|x| surface::axes_along(normal, x).is_none()) {
            let frame = self.start.model.frames()[held.frame.index()].name();
            return Err(refuse(format!(
                "the x axis of `{frame}` is along the normal at the start, which leaves the sole of `{}` no direction: \
                 `axes = \"world\"`, or a contact of another frame",
                held.contact.name
            )));
        }
        Ok((surface::any_axes(normal), Some(held.frame)))
    }

    /// `axes` of a pyramid, which are constant: the frame's x as it is at the start, or y where x is along the normal;
    /// or those of the world.
    pub(super) fn pyramid(&self) -> Result<Matrix3<f64>, Error> {
        let (held, normal) = (self.held()?, self.normal()?);
        let at_start = self.table.get("axes").map_or(Ok(0), |item| item.one_of("axes", &["start", "world"]))? == 0;
        let frame = surface::frame_axes(held, self.start).filter(|_| at_start);
        let along = |k: usize| frame.and_then(|axes| surface::axes_along(normal, axes.column(k).into_owned()));
        Ok(along(0).or_else(|| along(1)).unwrap_or_else(|| surface::any_axes(normal)))
    }

    /// A number that is not negative, and must be there if it has no default.
    pub(super) fn number(&self, key: &str, default: Option<f64>) -> Result<f64, Error> {
        match (self.table.get(key), default) {
            (Some(item), _) => item.number(Sign::NotNegative),
            (None, Some(default)) => Ok(default),
            (None, None) => self.table.need(key, "a number, m").and_then(|item| item.number(Sign::NotNegative)),
        }
    }

    pub(super) fn reference(&self) -> Result<ReferenceFrame, Error> {
        let all = [ReferenceFrame::LocalWorldAligned, ReferenceFrame::Local, ReferenceFrame::World];
        let item = self.table.get("reference");
        Ok(all[item.map_or(Ok(0), |item| item.one_of("reference", &all.map(ReferenceFrame::name)))?])
    }

    /// `{ frame, from, to, radius }`: without a frame it is fixed to the world, without `to` it is a sphere.
    pub(super) fn capsule(&self, key: &str) -> Result<Capsule, Error> {
        let what = "a capsule: { frame, from, to, radius }";
        let table = self.table.need(key, what)?.table(what)?;
        table.only(&["frame", "from", "to", "radius"])?;
        let from = table.get("from").map_or(Ok(Vector3::zeros()), |item| item.vector("x, y, z, m"))?;
        let to = table.get("to").map_or(Ok(from), |item| item.vector("x, y, z, m"))?;
        let radius = table.need("radius", "m")?.number(Sign::NotNegative)?;
        match table.get("frame") {
            None => Ok(Capsule::fixed([from, to], radius)),
            Some(item) => {
                let name = item.text("the name of a link or joint")?;
                Ok(Capsule::new(named::frame(&item, name, &self.start.model)?, [from, to], radius))
            }
        }
    }
}
