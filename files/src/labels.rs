//! Names along the rows and columns of quantities.

use crate::constraints::Constraints;
use crate::quantity::Axis;
use gradyn::model::Model;
use unicode_width::UnicodeWidthStr;

/// The names that are not always the same.
#[derive(Clone, Debug)]
pub struct Labels {
    dofs: Vec<String>,
    /// Of constraints.
    rows: Vec<String>,
    bodies: Vec<String>,
}

/// Ten numbers of a body, as in regressors.
const PARAMETERS: [&str; 10] = ["m", "m cx", "m cy", "m cz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"];
const MOTION: [&str; 6] = ["vx", "vy", "vz", "wx", "wy", "wz"];

impl Labels {
    /// Of a model, whose degrees of freedom have these names.
    pub fn new(dofs: Vec<String>, constraints: &Constraints, model: &Model) -> Self {
        let bodies = model.bodies().iter().map(|body| body.name().to_owned()).collect();
        Self { dofs, rows: constraints.rows.clone(), bodies }
    }

    /// A name for each entry along an axis.
    pub fn along(&self, axis: Axis) -> Vec<String> {
        let each = |names: &[String], parts: &[&str]| {
            names.iter().flat_map(|name| parts.iter().map(move |part| format!("{name}.{part}"))).collect()
        };
        let fixed: &[&str] = match axis {
            Axis::Dofs => return self.dofs.clone(),
            Axis::DofPairs => {
                let pairs = self.dofs.iter().flat_map(|a| self.dofs.iter().map(move |b| format!("{a},{b}")));
                return pairs.collect();
            }
            Axis::Rows => return self.rows.clone(),
            Axis::Bodies => return each(&self.bodies, &PARAMETERS),
            Axis::Masses => return each(&self.bodies, &PARAMETERS[..4]),
            Axis::Placements => return each(&self.bodies, &MOTION),
            Axis::One => &[""],
            Axis::Wrench => &["fx", "fy", "fz", "nx", "ny", "nz"],
            Axis::Motion => &MOTION,
            Axis::Momentum => &["px", "py", "pz", "lx", "ly", "lz"],
            Axis::Space => &["x", "y", "z"],
            Axis::Homogeneous => &["x", "y", "z", "1"],
            Axis::Body => &PARAMETERS,
            Axis::Shape => &["alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3"],
        };
        fixed.iter().copied().map(String::from).collect()
    }
}

/// A name in exactly so many columns, its end cut off if need be.
pub fn fit(name: &str, width: usize) -> String {
    let mut text = String::new();
    if name.width() <= width {
        text.push_str(name);
    } else {
        for c in name.chars() {
            if format!("{text}{c}…").width() > width {
                break;
            }
            text.push(c);
        }
        text.push('…');
    }
    text.extend(std::iter::repeat_n(' ', width.saturating_sub(text.width())));
    text
}
