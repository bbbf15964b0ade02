//! The lane and group of each body of a tree, and the constants of four bodies at a time.

use crate::model::Model;
use crate::plan::rows::{BODIES, BodyRow};
use crate::plan::states::{LinkKind, StatesLayout};
use gradyn_derivatives::{Places, WIDTH};
use std::cmp::Reverse;

/// Degrees of freedom of a free base.
pub(crate) const BASE: usize = 6;
/// Hinges of a quadruped's leg.
pub(crate) const HINGES: usize = 3;
/// Degrees of freedom of a quadruped.
pub(crate) const NV: usize = BASE + BODIES * HINGES;

/// That of a hinge of a quadruped's leg.
#[inline(always)]
pub(crate) const fn row(leg: usize, hinge: usize) -> usize {
    BASE + HINGES * leg + hinge
}

/// Bodies of equal depth of a robot of hinges, side by side.
#[derive(Clone, Debug)]
pub(crate) struct BodiesLayout {
    /// Parents come before their children; a free base is the first, in all four lanes of its group.
    pub(crate) groups: Vec<BodyGroup>,
    /// Whether there is a free base.
    pub(crate) floats: bool,
    /// Degrees of freedom.
    pub(crate) nv: usize,
    /// Whether it is a free base with four legs of three hinges, one leg after the other.
    quadruped: bool,
    /// Where the numbers of each group come from.
    sources: Vec<Source>,
}

/// Which bodies a group has the numbers of.
#[derive(Clone, Debug)]
struct Source {
    bodies: Bodies,
    /// How many lanes are not over.
    lanes: usize,
}

/// Up to four bodies as many joints from the root. Lanes without one hold a body without mass, which moves as that of
/// the first.
#[derive(Clone, Debug)]
pub(crate) struct BodyGroup {
    pub(crate) parent: Parent,
    /// Where each one's coordinates and velocities begin.
    pub(crate) q: [usize; BODIES],
    pub(crate) v: [usize; BODIES],
    /// Where the joints are mounted on the parents, row by row: the poses at `q = 0`.
    pub(crate) rotation: [BodyRow; 9],
    pub(crate) translation: [BodyRow; 3],
    /// Mass, first and second moments about the bodies' origins; of a free base a quarter in each lane.
    pub(crate) mass: BodyRow,
    pub(crate) first: [BodyRow; 3],
    pub(crate) second: [BodyRow; 6],
    pub(crate) armature: BodyRow,
    /// Whether any of that is nonzero.
    pub(crate) has_armature: bool,
    /// Mass of the subtree.
    pub(crate) carried: BodyRow,
}

/// The parent of a group.
#[derive(Clone, Debug)]
pub(crate) enum Parent {
    World,
    /// That group, lane by lane.
    Same(usize),
    /// Other lanes of that group.
    Other {
        group: usize,
        /// Of each lane that of its parent.
        of: Box<Places>,
        /// Of each lane of the parents one child after the other.
        children: Vec<Places>,
    },
}

impl BodiesLayout {
    /// The groups of a tree, if it is one of hinges on a fixed base or a free one that nothing holds, and they are no
    /// more than half as many as its joints.
    pub(crate) fn new(model: &Model, layout: &StatesLayout) -> Option<Self> {
        let steps = &layout.steps;
        let floats = steps.first()?.link.kind == LinkKind::Free;
        let hinges = usize::from(floats)..steps.len();
        let hang = steps[hinges.clone()]
            .iter()
            .all(|step| step.link.kind == LinkKind::Hinge && (step.parent.is_some() || !floats));
        let held = floats && model.dofs.iter().any(|dof| dof.index < 6);
        if !hang || held || model.dofs.windows(2).any(|two| two[0].index == two[1].index) {
            return None;
        }
        // Long branches go with long ones, whatever their order: where some are left over, groups end soon.
        let mut height = vec![1; steps.len()];
        for (i, step) in steps.iter().enumerate().rev() {
            if let Some(parent) = step.parent {
                height[parent] = height[parent].max(1 + height[i]);
            }
        }
        let mut groups: Vec<(Bodies, usize, Parent)> = Vec::new();
        if floats {
            groups.push(([0; BODIES], 1, Parent::World));
            let mut children: Vec<_> = (1..steps.len()).filter(|i| steps[*i].parent == Some(0)).collect();
            children.sort_by_key(|i| Reverse(height[*i]));
            groups.extend(children.chunks(BODIES).map(|bodies| (filled(bodies), bodies.len(), Parent::Same(0))));
        } else {
            let mut roots: Vec<_> = (0..steps.len()).filter(|i| steps[*i].parent.is_none()).collect();
            roots.sort_by_key(|i| Reverse(height[*i]));
            groups.extend(roots.chunks(BODIES).map(|bodies| (filled(bodies), bodies.len(), Parent::World)));
        }
        let mut group = usize::from(floats);
        while let Some((bodies, lanes, _)) = groups.get(group) {
            let of = |lane: usize| (0..steps.len()).filter(move |i| steps[*i].parent == Some(bodies[lane]));
            // Lane after lane: first children before others.
            let mut children: Vec<(usize, usize)> = (0..*lanes)
                .flat_map(|lane| of(lane).enumerate().map(move |(n, child)| (n, (lane, child))))
                .map(|(n, (lane, child))| (n * BODIES + lane, child))
                .collect();
            children.sort_unstable_by_key(|(key, child)| (Reverse(height[*child]), *key));
            for some in children.chunks_mut(BODIES) {
                some.sort_unstable();
                let some: Vec<_> = some.iter().map(|(key, child)| (key % BODIES, *child)).collect();
                groups.push(hanging(group, &some));
            }
            group += 1;
        }
        if 2 * groups.len() > steps.len() {
            return None;
        }
        let quadruped = floats && groups.len() == 1 + HINGES && (1..=HINGES).all(|n| is_of_legs(&groups[n], n, layout));
        let mut sources = Vec::with_capacity(groups.len());
        let groups = groups.into_iter().map(|(bodies, lanes, parent)| {
            sources.push(Source { bodies, lanes });
            BodyGroup {
                parent,
                q: bodies.map(|i| steps[i].q),
                v: bodies.map(|i| steps[i].v),
                rotation: [BodyRow::ZERO; 9],
                translation: [BodyRow::ZERO; 3],
                mass: BodyRow::ZERO,
                first: [BodyRow::ZERO; 3],
                second: [BodyRow::ZERO; 6],
                has_armature: false,
                armature: BodyRow::ZERO,
                carried: BodyRow::ZERO,
            }
        });
        let groups = groups.collect();
        let mut groups = Self { groups, floats, nv: model.nv, quadruped, sources };
        groups.refresh(model, layout);
        Some(groups)
    }

    /// The numbers of the groups, of a robot of the same joints, and its layout for states.
    pub(crate) fn refresh(&mut self, model: &Model, layout: &StatesLayout) {
        let (steps, floats) = (&layout.steps, self.floats);
        let weights = |i: usize| (i..model.bodies[i].subtree_end).map(|i| steps[i].link.mass.mass).sum::<f64>();
        for (n, (group, Source { bodies, lanes })) in self.groups.iter_mut().zip(&self.sources).enumerate() {
            let (bodies, lanes) = (*bodies, *lanes);
            let four = |x: &dyn Fn(usize) -> f64| BodyRow(bodies.map(x));
            // A quarter of what stands in all lanes; nothing in lanes that are over.
            let share = |lane: usize| if floats && n == 0 { 0.25 } else { f64::from(u8::from(lane < lanes)) };
            let of_mass = |x: &dyn Fn(usize) -> f64| BodyRow(std::array::from_fn(|lane| share(lane) * x(bodies[lane])));
            let second = |i: usize| steps[i].link.mass.second.to_array();
            let armature = |i: usize| {
                let mine =
                    model.dofs.iter().find(|dof| dof.index == steps[i].v && steps[i].link.kind == LinkKind::Hinge);
                mine.map_or(0.0, |dof| dof.mass())
            };
            group.rotation = std::array::from_fn(|k| four(&|i| steps[i].link.rotation[(k / 3, k % 3)]));
            group.translation = std::array::from_fn(|k| four(&|i| steps[i].link.translation[k]));
            group.mass = of_mass(&|i| steps[i].link.mass.mass);
            group.first = std::array::from_fn(|k| of_mass(&|i| steps[i].link.mass.first[k]));
            group.second = std::array::from_fn(|k| of_mass(&|i| second(i)[k]));
            group.has_armature = bodies[..lanes].iter().any(|i| armature(*i) != 0.0);
            // Lanes that are over divide by something.
            group.armature =
                BodyRow(std::array::from_fn(|lane| if lane < lanes { armature(bodies[lane]) } else { 1.0 }));
            group.carried = of_mass(&weights);
        }
    }

    /// Whether it is a quadruped: a free base with four legs of three hinges.
    pub(crate) fn is_quadruped(&self) -> bool {
        self.quadruped
    }
}

/// Whether the hinges of group `n` are in the four legs of a quadruped.
fn is_of_legs((bodies, lanes, parent): &(Bodies, usize, Parent), n: usize, layout: &StatesLayout) -> bool {
    let in_place = |(leg, body): (usize, &usize)| layout.steps[*body].v == row(leg, n - 1);
    *lanes == BODIES && matches!(parent, Parent::Same(of) if of + 1 == n) && bodies.iter().enumerate().all(in_place)
}

/// The body of each lane.
type Bodies = [usize; BODIES];

/// Bodies of a group; lanes that are over repeat the first.
fn filled(bodies: &[usize]) -> Bodies {
    std::array::from_fn(|lane| *bodies.get(lane).unwrap_or(&bodies[0]))
}

/// A group of children of another, each with the lane of its parent.
fn hanging(group: usize, children: &[(usize, usize)]) -> (Bodies, usize, Parent) {
    let bodies: Vec<_> = children.iter().map(|(_, child)| *child).collect();
    let same = children.iter().enumerate().all(|(lane, (parent, _))| lane == *parent);
    if same {
        return (filled(&bodies), bodies.len(), Parent::Same(group));
    }
    let lanes: [usize; BODIES] = std::array::from_fn(|lane| children.get(lane).unwrap_or(&children[0]).0);
    let of: [Option<usize>; WIDTH] = std::array::from_fn(|lane| lanes.get(lane).copied());
    let mut rounds = Vec::new();
    loop {
        let round: [Option<usize>; WIDTH] = std::array::from_fn(|parent| {
            let mut mine = children.iter().enumerate().filter(|(_, child)| child.0 == parent);
            mine.nth(rounds.len()).map(|(lane, _)| lane)
        });
        if round.iter().all(Option::is_none) {
            break;
        }
        rounds.push(Places::new(round));
    }
    (filled(&bodies), bodies.len(), Parent::Other { group, of: Box::new(Places::new(of)), children: rounds })
}

#[cfg(test)]
mod tests {
    use super::BodiesLayout;
    use crate::joint::{Axis, FreeFlyer, Joint, Prismatic, Revolute};
    use crate::model::{BodyKey, ModelBuilder};
    use crate::plan::states::StatesLayout;
    use crate::spatial::{Inertia, Symmetric3, Transform};
    use nalgebra::Vector3;

    /// So many limbs of so many joints on a base, and the base.
    fn limbs(base: Joint, limbs: usize, joints: usize, joint: impl Fn(usize) -> Joint) -> (ModelBuilder, BodyKey) {
        let mut builder = ModelBuilder::new("limbs");
        let inertia = Inertia::new(1.0, Vector3::new(0.1, 0.2, 0.3), Symmetric3::diagonal(0.1, 0.1, 0.1));
        let x = Transform::from_translation(Vector3::new(0.0, 0.1, 0.2));
        let root = builder.add_body(None, "base", "root", x, base, inertia).expect("fits");
        for limb in 0..limbs {
            let mut last = root;
            for k in 0..joints {
                let name = format!("{limb}.{k}");
                last = builder.add_body(Some(last), &name, format!("to {name}"), x, joint(k), inertia).expect("fits");
            }
        }
        (builder, root)
    }

    fn hinge() -> Joint {
        Revolute { axis: Axis::Y }.into()
    }

    /// How many groups, if they pay.
    fn groups(builder: ModelBuilder) -> Option<usize> {
        let model = builder.build().expect("builds");
        BodiesLayout::new(&model, &StatesLayout::new(&model)?).map(|groups| groups.groups.len())
    }

    #[test]
    fn limbs_go_abreast_where_that_halves_the_steps() {
        let of = |n, joints| groups(limbs(FreeFlyer.into(), n, joints, |_| hinge()).0);
        assert_eq!([of(4, 3), of(2, 6), of(3, 6), of(1, 7), of(5, 3)], [Some(4), None, Some(7), None, Some(7)]);
        assert_eq!(groups(limbs(hinge(), 4, 3, |_| hinge()).0), Some(4));
    }

    #[test]
    fn long_branches_go_abreast_whatever_their_order() {
        // Six branches of one and four joints: the four long ones go together, before or after the short ones.
        let of = |long: [usize; 4]| {
            let mut builder = ModelBuilder::new("branches");
            let inertia = Inertia::new(1.0, Vector3::zeros(), Symmetric3::diagonal(0.1, 0.1, 0.1));
            let mut add = |parent, name: String| {
                let to = format!("to {name}");
                builder.add_body(parent, name, to, Transform::identity(), hinge(), inertia).expect("fits")
            };
            let root = add(None, "root".into());
            for branch in 0..6 {
                let joints = if long.contains(&branch) { 4 } else { 1 };
                (0..joints).fold(root, |last, k| add(Some(last), format!("{branch}.{k}")));
            }
            groups(builder)
        };
        assert_eq!([of([0, 1, 2, 3]), of([2, 3, 4, 5]), of([0, 2, 3, 5])], [Some(6); 3]);
    }

    #[test]
    fn four_legs_of_three_hinges_on_a_free_base_are_a_quadruped() {
        let of = |(builder, _): (ModelBuilder, BodyKey)| {
            let model = builder.build().expect("builds");
            BodiesLayout::new(&model, &StatesLayout::new(&model).expect("is of hinges"))
                .expect("has limbs")
                .is_quadruped()
        };
        let afloat = |n, joints| limbs(FreeFlyer.into(), n, joints, |_| hinge());
        assert_eq!([of(afloat(4, 3)), of(afloat(4, 2)), of(afloat(4, 4))], [true, false, false]);
        assert_eq!([of(afloat(3, 3)), of(afloat(5, 3)), of(afloat(8, 3))], [false; 3]);
        assert!(!of(limbs(hinge(), 4, 3, |_| hinge())));
    }

    #[test]
    fn other_joints_and_bases_that_are_held_keep_to_other_forms() {
        let slides = |k| if k == 2 { Prismatic { axis: Axis::X }.into() } else { hinge() };
        assert_eq!(groups(limbs(FreeFlyer.into(), 4, 3, slides).0), None);
        let (mut held, base) = limbs(FreeFlyer.into(), 4, 3, |_| hinge());
        held.set_armature(base, &[0.1; 6]).expect("fits");
        assert_eq!(groups(held), None);
    }
}
