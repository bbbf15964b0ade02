//! The inertia of a body, shared out among the links that are fixed to each other.

use super::RewriteError;
use crate::model::source::{merge, physical};
use crate::spatial::{Inertia, Symmetric3, Transform, vector as v3};
use std::cmp::Ordering::Equal;

/// A link of a body.
pub(in crate::model) struct Part {
    /// Its number in the file.
    pub(in crate::model) link: usize,
    /// Its pose in the body.
    pub(in crate::model) pose: Transform<f64>,
    /// Its inertia, as the file has it.
    pub(in crate::model) inertia: Option<Inertia<f64>>,
}

/// A body, or what is fixed to the world.
pub(in crate::model) struct Shares<'n> {
    /// The link that gives it its name.
    pub(in crate::model) own: usize,
    /// Its links, in the file's order.
    pub(in crate::model) parts: Vec<Part>,
    pub(in crate::model) wanted: Inertia<f64>,
    pub(in crate::model) name: &'n str,
}

impl Shares<'_> {
    /// Whether its links have another inertia together than is wanted.
    pub(in crate::model) fn differ(&self) -> bool {
        self.distance(&self.sum(|part| part.inertia)) > 0.0
    }

    /// The link that takes the difference, and its new inertia in its own axes: the one that names the body, or else the heaviest
    /// that can take it. `name_of`: the name of a link.
    ///
    /// # Errors
    /// [`RewriteError::NegativeMass`] if none can.
    pub(in crate::model) fn taker(
        &self,
        name_of: impl Fn(usize) -> Option<String>,
    ) -> Result<Option<(&Part, Inertia<f64>)>, RewriteError> {
        let mut order: Vec<_> = self.parts.iter().collect();
        let mass = |part: &Part| part.inertia.map_or(0.0, |y| y.mass);
        order
            .sort_by(|a, b| (b.link == self.own, mass(b)).partial_cmp(&(a.link == self.own, mass(a))).unwrap_or(Equal));
        let rests: Vec<_> = order.into_iter().map(|part| (part, self.rest_without(part))).collect();
        let fits = |rest: &Inertia<f64>| {
            rest.mass >= 0.0 && physical::fault(rest.mass, physical::principal_moments(&rest.rotational)).is_none()
        };
        // What no rigid body has can still be written; a negative mass cannot.
        let chosen = rests.iter().find(|(_, rest)| fits(rest)).or(rests.iter().find(|(_, rest)| rest.mass >= 0.0));
        match (chosen, rests.first()) {
            (Some((part, rest)), _) => Ok(Some((part, *rest))),
            (None, Some((part, rest))) => Err(RewriteError::NegativeMass {
                body: self.name.to_owned(),
                mass: self.wanted.mass,
                link: name_of(part.link).unwrap_or_default(),
                left: rest.mass,
                others: self.wanted.mass - rest.mass,
            }),
            (None, None) => Ok(None),
        }
    }

    /// The name of the body, if the difference is that of several links together: the file cannot tell which of them has changed.
    pub(in crate::model) fn whole_body(&self) -> Option<String> {
        let weighs = |part: &&Part| part.inertia.is_some() || part.link == self.own;
        (self.parts.iter().filter(weighs).count() > 1).then(|| self.name.to_owned())
    }

    /// The sum over the links, as the reader forms it.
    pub(in crate::model) fn sum(&self, inertia: impl Fn(&Part) -> Option<Inertia<f64>>) -> Inertia<f64> {
        let each = self.parts.iter().filter_map(|part| inertia(part).map(|y| part.pose.act(y)));
        each.reduce(|sum, y| merge::sum(&sum, &y)).unwrap_or_else(Inertia::zero)
    }

    /// How far an inertia is from the wanted one: relative errors of mass, center of mass and tensor, added up.
    pub(in crate::model) fn distance(&self, y: &Inertia<f64>) -> f64 {
        let relative = |differences: &[f64], of: &[f64]| {
            let size: f64 = of.iter().map(|x| x.abs()).sum();
            differences.iter().map(|x| x.abs()).sum::<f64>() / if size > 0.0 { size } else { 1.0 }
        };
        let (w, dc, di) = (&self.wanted, v3::sub(y.com, self.wanted.com), y.rotational - self.wanted.rotational);
        relative(&[y.mass - w.mass], &[w.mass])
            + relative(dc.as_slice(), w.com.as_slice())
            + relative(&di.to_array(), &w.rotational.to_array())
    }

    /// What is left for one link, in the axes of its frame: the wanted inertia without the others. With `M = m + m₂`,
    /// `c = C + (m₂/m)(C − c₂)` and `I = I_M − I₂ + (m m₂/M) [c − c₂]×²`.
    fn rest_without(&self, part: &Part) -> Inertia<f64> {
        let (whole, others) = (&self.wanted, self.sum(|other| other.inertia.filter(|_| other.link != part.link)));
        let mut rest = *whole;
        rest.mass = whole.mass - others.mass;
        rest.rotational = whole.rotational - others.rotational;
        if others.mass > 0.0 {
            let away = v3::sub(whole.com, others.com);
            // Without mass there is no center.
            rest.com = if rest.mass > 0.0 {
                v3::scale_plus(others.mass / rest.mass, away, whole.com)
            } else {
                part.pose.translation
            };
            let apart = Symmetric3::minus_skew_squared(v3::sub(rest.com, others.com));
            rest.rotational =
                rest.rotational - apart.scale(rest.mass * (others.mass / whole.mass.max(f64::MIN_POSITIVE)));
        }
        part.pose.inv_act(rest)
    }
}
