//! Equal subtrees of a robot: the legs of a quadruped, the arms of a humanoid.

use gradyn::joint::{Joint, JointKind};
use gradyn::{Model, model::Body};

/// Which coordinates and degrees of freedom of equal subtrees correspond. Subtrees are equal if joints of the same kinds hang from each
/// other in the same way; their constants may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EqualParts {
    /// How many there are of each: 2 or 4.
    pub(crate) width: usize,
    /// Of each coordinate: a number for its place in its subtree, and which of the equal subtrees it is.
    pub(crate) q: Vec<Option<Place>>,
    /// The same of each degree of freedom.
    pub(crate) v: Vec<Option<Place>>,
}

/// A place that equal subtrees have, and which of them it is.
pub(crate) type Place = (u32, u8);

impl EqualParts {
    /// Those of a robot, if it has some: fours if there are any, else pairs.
    pub(crate) fn of(model: &Model) -> Option<Self> {
        let shapes = shapes(model);
        [4, 2].into_iter().find_map(|width| Self::of_width(model, &shapes, width))
    }

    fn of_width(model: &Model, shapes: &[String], width: usize) -> Option<Self> {
        let bodies = model.bodies();
        let mut found = Self { width, q: vec![None; model.nq()], v: vec![None; model.nv()] };
        let (mut next, mut any) = (0, false);
        // Outermost first: what is within equal subtrees has its place by these.
        let mut taken = vec![false; bodies.len()];
        for b in 0..bodies.len() {
            let alike = |other: &usize| !taken[*other] && bodies[*other].parent() == bodies[b].parent();
            let group: Vec<usize> =
                (b..bodies.len()).filter(alike).filter(|other| shapes[*other] == shapes[b]).take(width).collect();
            if taken[b] || group.len() < width {
                continue;
            }
            let size = subtree(model, b).len();
            for (lane, root) in group.into_iter().enumerate() {
                let mut place = next;
                for (k, body) in bodies.iter().enumerate().skip(root).take(size) {
                    taken[k] = true;
                    if body.owns_coordinates() {
                        let ranges = [(body.q_range(), &mut found.q), (body.v_range(), &mut found.v)];
                        for (range, to) in ranges {
                            for i in range {
                                to[i] = Some((place, lane as u8));
                                place += 1;
                                any = true;
                            }
                        }
                    }
                }
            }
            next += (model.nq() + model.nv()) as u32;
        }
        any.then_some(found)
    }
}

/// The places of a body and all that it carries.
fn subtree(model: &Model, b: usize) -> std::ops::Range<usize> {
    model.body_id(b).map_or(0..0, |body| model.subtree(body))
}

/// How each body's subtree looks: the kinds of its joints, and which hangs from which.
fn shapes(model: &Model) -> Vec<String> {
    let bodies = model.bodies();
    let mut shapes = vec![String::new(); bodies.len()];
    for (b, body) in bodies.iter().enumerate().rev() {
        let children = subtree(model, b).filter(|k| bodies[*k].parent().map(|parent| parent.index()) == Some(b));
        let children: Vec<&str> = children.map(|k| shapes[k].as_str()).collect();
        shapes[b] = format!("({} {})", kind(body), children.concat());
    }
    shapes
}

/// The kind of a joint; parts of one that has several.
fn kind(body: &Body) -> String {
    match body.joint() {
        Joint::Composite(joint) => joint.parts().iter().map(|part| part.joint.name()).collect(),
        joint => format!("{}{}", joint.kind(), JointKind::<f64>::nq(joint)),
    }
}
