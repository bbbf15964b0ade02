//! What an MJCF file holds together.

use super::Constraint;
use crate::model::mjcf::{Equality, Loaded};
use crate::spatial::Transform;

impl Loaded {
    /// Points and frames that the file holds together (`connect`, `weld`), with their names, or `equality_N`, counted from 0 among all
    /// equalities. Those that are not active are left out. MuJoCo's are soft: these hold.
    ///
    /// ```
    /// use gradyn::model::{Model, mjcf::MjcfOptions};
    /// let text = r#"<mujoco><worldbody>
    ///     <body name="crank"><joint/><geom size="0.1"/></body> <body name="rod" pos="1 0 0"><joint/><geom size="0.1"/></body>
    /// </worldbody><equality><connect name="pin" body1="crank" body2="rod" anchor="0.5 0 0"/></equality></mujoco>"#;
    /// let loaded = Model::from_mjcf_text(text, &MjcfOptions::new())?;
    /// let constraints = loaded.constraints();
    /// assert_eq!((constraints[0].0.as_str(), constraints[0].1.rows()), ("pin", 3));
    /// # Ok::<(), gradyn::MjcfError>(())
    /// ```
    #[must_use]
    pub fn constraints(&self) -> Vec<(String, Constraint)> {
        let seat = |body: Option<usize>| match body.and_then(|i| self.places.get(i)) {
            Some((place, pose)) => (place.and_then(|i| self.model.body_id(i)), *pose),
            None => (None, Transform::identity()),
        };
        let of = |holds: &Equality| match holds {
            Equality::Connect { bodies, points } => {
                let [(a, x_a), (b, x_b)] = bodies.map(seat);
                Some(Constraint::point(a, x_a.point(points[0]), b, x_b.point(points[1])))
            }
            Equality::Weld { bodies, frames } => {
                let [(a, x_a), (b, x_b)] = bodies.map(seat);
                Some(Constraint::frame(a, x_a * frames[0], b, x_b * frames[1]))
            }
            Equality::Joint { .. } => None,
        };
        let active = self.description.equalities.iter().enumerate().filter(|(_, equality)| equality.active);
        let named = |n: usize, name: &Option<String>| name.clone().unwrap_or_else(|| format!("equality_{n}"));
        active.filter_map(|(n, equality)| Some((named(n, &equality.name), of(&equality.holds)?))).collect()
    }
}
