//! Parameters of a robot, by name.

mod chart;
mod kind;
mod motors;
mod parameter;
mod priors;
mod robot;
mod values;

pub(crate) use chart::Chain;
pub(crate) use kind::Kind;
pub(crate) use motors::{Motor, scaled};
pub use parameter::Parameter;

use crate::error::SensitivityError;
use glob::{MatchOptions, Pattern};
use gradyn::Model;
use gradyn::model::ParameterId;
use std::sync::OnceLock;

/// All parameters of a robot.
///
/// | name | varies | unit |
/// |---|---|---|
/// | `LINK.mass` | mass; center of mass and moments about it are held constant | kg |
/// | `LINK.density` | a factor of mass and moments | 1 |
/// | `LINK.com.{x,y,z}` | center of mass; moments about it are held constant | m |
/// | `LINK.inertia.{xx,xy,yy,xz,yz,zz}` | moments about the center of mass | kg m² |
/// | `LINK.pi.{m,mx,…,Izz}` | linear parameters, moments about the origin | |
/// | `LINK.log_cholesky.{alpha,d1,…,t3}` | physical for any value (Rucker & Wensing 2022) | |
/// | `LINK.payload.{m,cx,cy,cz}` | a point mass on the link | kg, m |
/// | `JOINT.placement.{x,y,z,rx,ry,rz}` | `placement ∘ exp(ξ)` | m, rad |
/// | `JOINT.axis.{1,2}` | the axis, along two tangents of the sphere | rad |
/// | `JOINT.{armature,damping,friction}`, `friction_width` | | |
/// | `JOINT.rotor_inertia` | armature, divided by the square of the gear ratio, of joints with a rotor | kg m² |
/// | `JOINT.torque_constant` | torque of a motor per unit of its control | |
/// | `JOINT.pitch`, `JOINT.ratio`, `JOINT.offset` | of helical and mimic joints | |
/// | `FRAME.placement.{x,…,rz}` | a tool, a contact point | m, rad |
/// | `gravity.{x,y,z}` | | m/s² |
/// | `JOINT.torque_offset` | bias of the torque sensor; only in fits | N m, N |
/// | `state.{q,v}.DOF` | `q ⊕ δ` and `v + δ` at the start | |
#[must_use]
pub fn parameters_of(model: &Model) -> Vec<Parameter> {
    kind::all(model)
}

/// Selected parameters of one robot, in an order. Tied ones vary together, as one.
#[derive(Clone, Debug)]
pub struct Parameters {
    robot: Model,
    /// All parameters of the robot.
    all: Vec<Parameter>,
    /// The selected ones: each is a group of parameters that move together, by their indices among all; the first gives
    /// name and value.
    chosen: Vec<Vec<usize>>,
    /// The same in the form of the setters; computed on demand.
    groups: OnceLock<robot::Groups>,
    /// Elements whose placements are not parameters of the robot, and why.
    fixed: Vec<(String, String)>,
}

impl Parameters {
    /// An empty selection of this robot.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        Self {
            robot: model.clone(),
            all: kind::all(model),
            chosen: Vec::new(),
            groups: OnceLock::new(),
            fixed: Vec::new(),
        }
    }

    /// Takes `NAME.placement.*` from the list: that of a fixed joint, whose link is a part of its parent body. Its
    /// placement would move frames and a part of the inertia of that body, which the model does not store separately.
    /// Selecting one is an error with `reason`.
    #[must_use]
    pub fn without_placement(mut self, name: &str, reason: &str) -> Self {
        self.fixed.push((format!("{name}.placement."), reason.to_owned()));
        self
    }

    /// The reason why it is not in the list, if it is not.
    fn left_out(&self, index: usize) -> Option<&str> {
        let parameter = &self.all[index];
        let fits = |(start, _): &&(String, String)| {
            matches!(parameter.kind, Kind::Robot(ParameterId::FramePlacement(..)))
                && parameter.name.starts_with(start.as_str())
        };
        self.fixed.iter().find(fits).map(|(_, reason)| reason.as_str())
    }

    /// All parameters of the robot that can be selected, in its order.
    pub fn listed(&self) -> impl Iterator<Item = &Parameter> + '_ {
        (0..self.all.len()).filter(|i| self.left_out(*i).is_none()).map(|i| &self.all[i])
    }

    /// Selects the parameters for which a function returns a number, and returns these numbers. Charts are not checked.
    pub(crate) fn with_each(mut self, of: impl Fn(Kind, f64) -> Option<f64>) -> (Self, Vec<f64>) {
        let number = |(i, p): (usize, &Parameter)| Some((vec![i], of(p.kind, p.nominal)?));
        let (chosen, numbers) = self.all.iter().enumerate().filter_map(number).unzip();
        (self.chosen, self.groups) = (chosen, OnceLock::new());
        (self, numbers)
    }

    /// Adds all whose names fit a pattern, in the order of the robot: `*`, `?`, `[2-7]`, `[!x]`. Those already selected
    /// keep their positions.
    ///
    /// ```
    /// # use gradyn::{Model, UrdfOptions};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    /// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    /// use gradyn_sensitivity::Parameters;
    /// let p = Parameters::of(&model).select("panda_link[2-7].mass")?.select("gravity.z")?;
    /// assert_eq!(p.len(), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SensitivityError::Unknown`] if none fits, with the nearest name; [`SensitivityError::Pattern`] for an invalid
    /// pattern; [`SensitivityError::Overlap`] if two charts describe the inertia of one body;
    /// [`SensitivityError::Chart`] for log-Cholesky parameters of an inertia that is not physical.
    pub fn select(mut self, pattern: &str) -> Result<Self, SensitivityError> {
        self.groups = OnceLock::new();
        for index in self.named(pattern)? {
            if !self.chosen.iter().any(|members| members.contains(&index)) {
                self.admit(index)?;
                self.chosen.push(vec![index]);
            }
        }
        Ok(self)
    }

    /// All of the robot that fit a pattern, by their indices among all.
    fn named(&self, pattern: &str) -> Result<Vec<usize>, SensitivityError> {
        let refuse_fixed = |index: usize, reason: &str| {
            SensitivityError::Other(format!("`{}` is not a parameter: {reason}", self.all[index].name))
        };
        if let Some(index) = self.all.iter().position(|parameter| parameter.name == pattern) {
            return self.left_out(index).map_or(Ok(vec![index]), |reason| Err(refuse_fixed(index, reason)));
        }
        let refuse =
            |e: glob::PatternError| SensitivityError::Pattern { pattern: pattern.to_owned(), reason: e.msg.to_owned() };
        let glob = Pattern::new(pattern).map_err(refuse)?;
        let fits = |i: &usize| glob.matches_with(&self.all[*i].name, MatchOptions::new());
        let found: Vec<usize> = (0..self.all.len()).filter(fits).collect();
        let listed: Vec<usize> = found.iter().copied().filter(|i| self.left_out(*i).is_none()).collect();
        match (listed.is_empty(), found.first()) {
            (false, _) => Ok(listed),
            (true, None) => Err(self.unknown(pattern)),
            (true, Some(i)) => Err(refuse_fixed(*i, self.left_out(*i).unwrap_or_default())),
        }
    }

    /// Those selected that fit a pattern, by their indices among the selected; tied ones by the name of the first.
    ///
    /// # Errors
    /// As [`select`](Self::select), and [`SensitivityError::Other`] if none that fits is selected.
    pub fn fitting(&self, pattern: &str) -> Result<Vec<usize>, SensitivityError> {
        let named = self.named(pattern)?;
        let found: Vec<usize> = (0..self.len()).filter(|k| named.contains(&self.chosen[*k][0])).collect();
        if found.is_empty() {
            return Err(SensitivityError::Other(format!("`{pattern}` fits none of the selected parameters")));
        }
        Ok(found)
    }

    /// Adds your own parameter, which is not a robot's: a restitution, a height of the ground.
    /// [`Event`](crate::rollout::Event)s get its value.
    ///
    /// # Errors
    /// [`SensitivityError::Other`] if the name is taken.
    pub fn own(mut self, name: &str, value: f64, unit: &'static str) -> Result<Self, SensitivityError> {
        if self.all.iter().any(|p| p.name == name) {
            return Err(SensitivityError::Other(format!("a parameter `{name}` already exists")));
        }
        self.all.push(Parameter { name: name.to_owned(), kind: Kind::Own(unit), nominal: value });
        self.chosen.push(vec![self.all.len() - 1]);
        self.groups = OnceLock::new();
        Ok(self)
    }

    /// Selects all patterns of a comma-separated list.
    ///
    /// # Errors
    /// As [`select`](Self::select).
    pub fn select_all(self, patterns: &str) -> Result<Self, SensitivityError> {
        patterns.split(',').map(str::trim).filter(|p| !p.is_empty()).try_fold(self, Self::select)
    }

    fn unknown(&self, pattern: &str) -> SensitivityError {
        let similarity = |name: &str| strsim::jaro_winkler(&name.to_lowercase(), &pattern.to_lowercase());
        let best = self.listed().map(|p| p.name.as_str()).max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
        // Names of one robot share their beginnings, so less is not similar.
        let nearest = best.filter(|name| similarity(name) > 0.7).map(str::to_owned);
        SensitivityError::Unknown { pattern: pattern.to_owned(), robot: self.robot.name().to_owned(), nearest }
    }

    /// Checks that this one may be varied together with those that already are.
    fn admit(&self, index: usize) -> Result<(), SensitivityError> {
        let (new, chart_of) = (&self.all[index], |kind: Kind| kind.robot().and_then(ParameterId::chart));
        if let Kind::Robot(ParameterId::LogCholesky(body, _)) = new.kind
            && let Err(error) = self.robot.bodies()[body.index()].inertia().log_cholesky()
        {
            return Err(SensitivityError::Chart { name: new.name.clone(), error: error.into() });
        }
        let armature = |kind: Kind| match kind.robot() {
            Some(ParameterId::Armature(body, k) | ParameterId::RotorInertia(body, k)) => Some((body, k)),
            _ => None,
        };
        let mut chosen = self.chosen.iter().flatten().map(|i| &self.all[*i]);
        if let Some(dof) = armature(new.kind)
            && let Some(old) = chosen.find(|old| old.kind != new.kind && armature(old.kind) == Some(dof))
        {
            return Err(SensitivityError::SameNumber { first: old.name.clone(), second: new.name.clone() });
        }
        let (Some(body), Some(chart)) = (new.kind.inertia_of(), chart_of(new.kind)) else { return Ok(()) };
        for old in self.chosen.iter().flatten().map(|i| &self.all[*i]) {
            if old.kind.inertia_of() == Some(body) && chart_of(old.kind).is_some_and(|other| other != chart) {
                return Err(SensitivityError::Overlap {
                    body: self.robot.bodies()[body].name().to_owned(),
                    first: old.name.clone(),
                    second: new.name.clone(),
                });
            }
        }
        Ok(())
    }

    /// Makes `right` deviate from its value by as much as `left` does; with a `*` in both, ties each pair with the same
    /// match.
    ///
    /// # Errors
    /// [`SensitivityError::Unknown`] if one of the names does not exist; [`SensitivityError::Tie`] if one is tied to
    /// itself, or units differ.
    pub fn tie(mut self, left: &str, right: &str) -> Result<Self, SensitivityError> {
        self.groups = OnceLock::new();
        let pairs: Vec<(usize, usize)> = match (left.split_once('*'), right.split_once('*')) {
            (Some(left), Some((before, behind))) => {
                let middle = |name: &str| {
                    name.strip_prefix(left.0).and_then(|rest| rest.strip_suffix(left.1)).map(str::to_owned)
                };
                let of = |i: usize| {
                    let other = format!("{before}{}{behind}", middle(&self.all[i].name)?);
                    Some((i, self.all.iter().position(|p| p.name == other)?))
                };
                self.chosen.iter().filter_map(|members| of(members[0])).collect()
            }
            _ => {
                let find = |name: &str| self.all.iter().position(|p| p.name == name).ok_or_else(|| self.unknown(name));
                vec![(find(left)?, find(right)?)]
            }
        };
        if pairs.is_empty() {
            return Err(self.unknown(right));
        }
        for (a, b) in pairs {
            let refuse = |reason| SensitivityError::Tie {
                left: self.all[a].name.clone(),
                right: self.all[b].name.clone(),
                reason,
            };
            if a == b {
                return Err(refuse("a parameter follows itself"));
            }
            if self.all[a].kind.unit() != self.all[b].kind.unit() {
                return Err(refuse("their units differ"));
            }
            let leader = self.chosen.iter().position(|members| members.contains(&a));
            let leader = leader.ok_or_else(|| refuse("the first has not been selected"))?;
            if self.chosen[leader].contains(&b) {
                continue;
            }
            if self.chosen.iter().any(|members| members.contains(&b) && members.len() > 1) {
                return Err(refuse("the second leads others, or follows"));
            }
            self.admit(b)?;
            self.chosen.retain(|members| members != &[b]);
            let leader = self.chosen.iter().position(|members| members.contains(&a)).unwrap_or(0);
            self.chosen[leader].push(b);
        }
        Ok(self)
    }

    /// The given robot.
    #[must_use]
    pub fn robot(&self) -> &Model {
        &self.robot
    }
    /// The number of parameters that vary.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chosen.len()
    }
    /// Whether no parameter has been selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }
    /// The selected parameters; of tied ones the first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Parameter> + '_ {
        self.chosen.iter().map(|members| &self.all[members[0]])
    }
    /// Their names.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.iter().map(|p| p.name.clone()).collect()
    }
    /// Their values in the given robot.
    #[must_use]
    pub fn nominal(&self) -> Vec<f64> {
        self.iter().map(|p| p.nominal).collect()
    }
    /// Parameters that move with the `index`-th, itself first.
    #[must_use]
    pub fn tied(&self, index: usize) -> Vec<&Parameter> {
        self.chosen.get(index).map_or(Vec::new(), |members| members.iter().map(|i| &self.all[*i]).collect())
    }

    /// The bodies, by their indices, whose inertias vary.
    #[must_use]
    pub fn bodies(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.chosen.iter().flatten().filter_map(|i| self.all[*i].kind.inertia_of()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether one of them, including tied ones, is of such a kind.
    pub(crate) fn any(&self, is: impl Fn(Kind) -> bool) -> bool {
        self.chosen.iter().flatten().any(|i| is(self.all[*i].kind))
    }

    /// Whether the inertias of all bodies with mass can be scaled by one factor.
    pub(crate) fn scale_all_inertias(&self) -> bool {
        let names: Vec<String> = self.names();
        let varies = |body: &gradyn::model::Body| {
            let of = |chart: &str, number: &str| names.contains(&format!("{}.{chart}.{number}", body.name()));
            body.inertia().mass <= 0.0 || of("log_cholesky", "alpha") || of("pi", "m") && of("pi", "Izz")
        };
        !names.is_empty() && self.robot.bodies().iter().all(varies)
    }

    /// Whether any of them moves a joint other than by its coordinates: a placement, an axis, a pitch, a ratio or an
    /// offset.
    #[must_use]
    pub fn moves_geometry(&self) -> bool {
        (0..self.len()).any(|k| self.one_moves_geometry(k))
    }

    /// Whether all are inertias, friction, damping and armature, or of frames and the start: what the standard
    /// regressor of a robot without springs and friction curves multiplies.
    pub(crate) fn are_standard(&self) -> bool {
        !self.moves_geometry()
            && !self.robot.has_springs()
            && self.robot.friction_curves().is_empty()
            && !self.any(|kind| {
                use ParameterId::{
                    FrictionAsymmetry, FrictionWidth, Gravity, SpringReference, Stiffness, Stribeck, StribeckVelocity,
                };
                let curve = matches!(kind, Kind::Robot(Stribeck(..) | StribeckVelocity(..) | FrictionAsymmetry(..)));
                let spring = matches!(kind, Kind::Robot(Stiffness(..) | SpringReference(..)));
                curve || spring || matches!(kind, Kind::Robot(FrictionWidth | Gravity(_)))
            })
    }

    pub(crate) fn one_moves_geometry(&self, index: usize) -> bool {
        let moves = |kind| matches!(kind, Kind::Robot(ParameterId::Placement(..))) || changes_joint(kind);
        self.chosen.get(index).is_some_and(|members| members.iter().any(|i| moves(self.all[*i].kind)))
    }

    /// Whether it is a friction, damping or armature, which are nonnegative.
    pub(crate) fn is_never_negative(&self, index: usize) -> bool {
        self.chosen.get(index).is_some_and(|members| members.iter().any(|i| self.all[*i].is_never_negative()))
    }

    fn check(&self, found: usize) -> Result<(), SensitivityError> {
        let expected = self.len();
        if found == expected { Ok(()) } else { Err(SensitivityError::Length { what: "parameters", expected, found }) }
    }
}

/// Whether it is an axis, a pitch, a ratio or an offset of a joint: workspaces depend on these.
fn changes_joint(kind: Kind) -> bool {
    use ParameterId::{Axis, Offset, Pitch, Ratio};
    matches!(kind, Kind::Robot(Axis(..) | Pitch(..) | Ratio(_) | Offset(_)))
}
