//! Readable text for the main types, one line each; `{:.3}` sets the digits of every number.

use super::{Force, Inertia, Motion, Quaternion, Symmetric3, Transform};
use std::fmt::{Display, Formatter, Result};

/// `[a, b, …]`, each number with the format's own options.
fn list<T: Display>(f: &mut Formatter<'_>, numbers: &[&T]) -> Result {
    f.write_str("[")?;
    for (k, x) in numbers.iter().enumerate() {
        if k > 0 {
            f.write_str(", ")?;
        }
        x.fmt(f)?;
    }
    f.write_str("]")
}

impl<T: Display> Display for Motion<T> {
    /// `linear [x, y, z], angular [x, y, z]`
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("linear ")?;
        list(f, &[&self.linear[0], &self.linear[1], &self.linear[2]])?;
        f.write_str(", angular ")?;
        list(f, &[&self.angular[0], &self.angular[1], &self.angular[2]])
    }
}

impl<T: Display> Display for Force<T> {
    /// `force [x, y, z], moment [x, y, z]`
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("force ")?;
        list(f, &[&self.linear[0], &self.linear[1], &self.linear[2]])?;
        f.write_str(", moment ")?;
        list(f, &[&self.angular[0], &self.angular[1], &self.angular[2]])
    }
}

impl<T: Display> Display for Quaternion<T> {
    /// `xyzw [x, y, z, w]`
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("xyzw ")?;
        list(f, &[&self.vector[0], &self.vector[1], &self.vector[2], &self.w])
    }
}

impl<T: Display> Display for Symmetric3<T> {
    /// The three rows: `[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]`
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("[")?;
        list(f, &[&self.xx, &self.xy, &self.xz])?;
        f.write_str(", ")?;
        list(f, &[&self.xy, &self.yy, &self.yz])?;
        f.write_str(", ")?;
        list(f, &[&self.xz, &self.yz, &self.zz])?;
        f.write_str("]")
    }
}

impl<T: Display> Display for Transform<T> {
    /// `position [x, y, z], rotation [[…], […], […]]`, the rotation by rows.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let r = &self.rotation;
        f.write_str("position ")?;
        list(f, &[&self.translation[0], &self.translation[1], &self.translation[2]])?;
        f.write_str(", rotation [")?;
        for i in 0..3 {
            if i > 0 {
                f.write_str(", ")?;
            }
            list(f, &[&r[(i, 0)], &r[(i, 1)], &r[(i, 2)]])?;
        }
        f.write_str("]")
    }
}

impl<T: Display> Display for Inertia<T> {
    /// `mass m, mass center [x, y, z], rotational [[…], […], […]]`
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("mass ")?;
        self.mass.fmt(f)?;
        f.write_str(", mass center ")?;
        list(f, &[&self.com[0], &self.com[1], &self.com[2]])?;
        f.write_str(", rotational ")?;
        self.rotational.fmt(f)
    }
}
