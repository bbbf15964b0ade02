//! The center of pressure of contacts on the ground.

use nalgebra::Vector3;

/// What the ground does to the robot at a contact, in axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactWrench {
    /// Where the contact is, m.
    pub place: Vector3<f64>,
    /// The force on the robot, N.
    pub force: Vector3<f64>,
    /// The moment about `place`, N m. Zero at a point.
    pub moment: Vector3<f64>,
}

/// The center of pressure of all contacts together, m: the point of a plane about which their moment has no part in the
/// plane.
///
/// ```text
/// o = Σ f_n,i p_i / Σ f_n,i ,    m_o = Σ τ_i + (p_i − o) × f_i ,    p = o + n × m_o / Σ f_n,i
/// ```
///
/// The plane goes through `o` and has the unit normal `n`, away from the ground; `f_n = n·f`. Of one surface with
/// `n = z` it is `(−τ_y, τ_x)/f_z` from the contact's place. `None` where the ground does not push, or a number is not
/// finite: there is no such point.
///
/// Source: P. Sardain and G. Bessonnet, *Forces acting on a biped robot. Center of pressure - zero moment point*, IEEE
/// Trans. Systems, Man, and Cybernetics A 34(5), 2004.
///
/// ```
/// use gradyn_trajectory::pressure::{ContactWrench, center_of_pressure};
/// use nalgebra::Vector3;
///
/// // Two feet, 0.2 m apart: the left one bears three quarters.
/// let foot = |y, force| ContactWrench { place: Vector3::new(0.0, y, 0.0), force: Vector3::z() * force, moment: Vector3::zeros() };
/// let p = center_of_pressure(&[foot(0.1, 300.0), foot(-0.1, 100.0)], &Vector3::z()).ok_or("no ground")?;
/// assert!((p.y - 0.05).abs() < 1e-15);
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn center_of_pressure(contacts: &[ContactWrench], normal: &Vector3<f64>) -> Option<Vector3<f64>> {
    let push: f64 = contacts.iter().map(|of| of.force.dot(normal)).sum();
    if !(push > 0.0 && push.is_finite()) {
        return None;
    }
    let o = contacts.iter().map(|of| of.place * of.force.dot(normal)).sum::<Vector3<f64>>() / push;
    let m_o: Vector3<f64> = contacts.iter().map(|of| of.moment + (of.place - o).cross(&of.force)).sum();
    let p = o + normal.cross(&m_o) / push;
    p.iter().all(|x| x.is_finite()).then_some(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moment of all wrenches about the point lies along the normal, whatever the forces are.
    #[test]
    fn no_moment_is_left_in_the_plane() {
        let normal = Vector3::new(0.2, -0.1, 1.0).normalize();
        let of = |place: [f64; 3], force: [f64; 3], moment: [f64; 3]| ContactWrench {
            place: place.into(),
            force: force.into(),
            moment: moment.into(),
        };
        let feet = [
            of([0.3, 0.1, 0.0], [10.0, -4.0, 90.0], [1.0, -2.0, 0.5]),
            of([-0.2, -0.1, 0.05], [-3.0, 2.0, 40.0], [0.3, 0.7, -0.2]),
        ];
        let p = center_of_pressure(&feet, &normal).expect("it pushes");
        let moment: Vector3<f64> = feet.iter().map(|of| of.moment + (of.place - p).cross(&of.force)).sum();
        // Rounding of a few products of size 10.
        assert!(moment.cross(&normal).norm() < 1e-13, "{moment}");
    }

    #[test]
    fn ground_that_pulls_has_no_center() {
        let zero = Vector3::zeros();
        let pulls = ContactWrench { place: zero, force: -Vector3::z(), moment: zero };
        let unknown = ContactWrench { place: zero, force: Vector3::z(), moment: Vector3::repeat(f64::NAN) };
        for contacts in [&[][..], &[pulls], &[unknown]] {
            assert_eq!(center_of_pressure(contacts, &Vector3::z()), None);
        }
    }
}
