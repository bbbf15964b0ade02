//! Which body of a tree stands in which lane of which rank, and the constants of four bodies at a time.

use crate::model::Model;
use crate::plan::BodyWalk;
use crate::plan::rows::{ABREAST, Four};
use crate::plan::states::{Kind, Table};
use gradyn_derivatives::simd::{Places, WIDTH};
use std::cmp::Reverse;

/// A robot of hinges whose branches go abreast.
#[derive(Clone, Debug)]
pub(crate) struct Ranks {
    /// Parents come before their children; a free base is the first, in all four lanes of its rank.
    pub(crate) ranks: Vec<Rank>,
    /// Is there a free base?
    pub(crate) floats: bool,
    /// Degrees of freedom.
    pub(crate) nv: usize,
    /// Steps towards the root, from each rank.
    steps: usize,
    /// If they are chains that hang from the base, the limbs, up to four at a time; else none.
    pub(crate) limbs: Vec<Limb>,
    /// Where the numbers of each rank come from.
    sources: Vec<Source>,
}

/// Which bodies a rank has the numbers of.
#[derive(Clone, Debug)]
struct Source {
    bodies: Bodies,
    /// How many lanes are not over.
    lanes: usize,
    /// The same of those between the rank and the root, or a free base: nearest first.
    above: Vec<Bodies>,
}

/// Four limbs, from the base outwards.
#[derive(Clone, Debug)]
pub(crate) struct Limb {
    pub(crate) places: Vec<Place>,
    /// Of each one the first degree of freedom, which the others follow.
    pub(crate) first: [usize; ABREAST],
    /// How many hinges each one has.
    pub(crate) lengths: [usize; ABREAST],
    /// Are there four, of so many hinges as any has, one after the other?
    pub(crate) packed: bool,
}

impl Limb {
    /// The hinges at some distance from the base. Limbs are filled up with their first.
    #[inline(always)]
    pub(crate) fn place(&self, n: usize) -> &Place {
        self.places.get(n).unwrap_or(&self.places[0])
    }

    /// One in lanes that have such a hinge.
    #[inline(always)]
    pub(crate) fn live(&self, n: usize) -> &Four {
        self.places.get(n).map_or(&Four::ZERO, |place| &place.live)
    }
}

/// Four hinges of limbs.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) rank: usize,
    /// Their degrees of freedom; lanes that are over repeat the first.
    pub(crate) rows: [usize; ABREAST],
    /// One in lanes that are not over.
    pub(crate) live: Four,
}

/// Up to four bodies as many joints from the root. Lanes without one hold a body without mass, which moves as that of the first.
#[derive(Clone, Debug)]
pub(crate) struct Rank {
    pub(crate) parent: Parent,
    /// Where each one's coordinates and velocities begin.
    pub(crate) q: [usize; ABREAST],
    pub(crate) v: [usize; ABREAST],
    /// Where the joints are mounted on the parents, row by row: the poses at `q = 0`.
    pub(crate) rotation: [Four; 9],
    pub(crate) translation: [Four; 3],
    /// Mass, first and second moments about the bodies' origins; of a free base a quarter in each lane.
    pub(crate) mass: Four,
    pub(crate) first: [Four; 3],
    pub(crate) second: [Four; 6],
    pub(crate) armature: Four,
    /// Is any of that not zero?
    pub(crate) has_armature: bool,
    /// Mass of the subtree.
    pub(crate) carried: Four,
    /// Between the rank and the root, or a free base: nearest first.
    pub(crate) above: Vec<Above>,
    /// Does it hang from a free base?
    pub(crate) on_base: bool,
}

/// What four bodies hang from, at some distance.
#[derive(Clone, Debug)]
pub(crate) struct Above {
    pub(crate) rank: usize,
    /// Of each lane that of its ancestor, where it is another one.
    pub(crate) of: Option<Box<Places>>,
    /// Where in the mass matrix the entries of each lane with its ancestor stand, above and below the diagonal; lanes that are over
    /// repeat the first.
    pub(crate) entries: [[usize; 2]; ABREAST],
    /// Where they are mounted on their parents.
    pub(crate) translation: [Four; 3],
}

/// Whom a rank hangs from.
#[derive(Clone, Debug)]
pub(crate) enum Parent {
    World,
    /// That rank, lane by lane.
    Same(usize),
    /// Other lanes of that rank.
    Other {
        rank: usize,
        /// Of each lane that of its parent.
        of: Box<Places>,
        lanes: [usize; ABREAST],
        /// Of each lane of the parents one child after the other.
        children: Vec<Places>,
    },
}

impl Ranks {
    /// The ranks of a tree, if it is one of hinges on a fixed base or a free one that nothing holds, and they are no more than half as
    /// many as its joints.
    pub(crate) fn new(model: &Model, table: &Table) -> Option<Self> {
        let steps = &table.steps;
        let floats = steps.first()?.kind == Kind::Free;
        let hinges = usize::from(floats)..steps.len();
        let hang =
            steps[hinges.clone()].iter().all(|step| step.kind == Kind::Hinge && (step.parent.is_some() || !floats));
        let held = floats && model.dofs.iter().any(|dof| dof.index < 6);
        if !hang || held || model.dofs.windows(2).any(|two| two[0].index == two[1].index) {
            return None;
        }
        // Long branches go abreast with long ones, whatever their order: where some are left over, ranks end soon.
        let mut height = vec![1; steps.len()];
        for (i, step) in steps.iter().enumerate().rev() {
            if let Some(parent) = step.parent {
                height[parent] = height[parent].max(1 + height[i]);
            }
        }
        let mut ranks: Vec<(Bodies, usize, Parent)> = Vec::new();
        if floats {
            ranks.push(([0; ABREAST], 1, Parent::World));
            let mut children: Vec<_> = (1..steps.len()).filter(|i| steps[*i].parent == Some(0)).collect();
            children.sort_by_key(|i| Reverse(height[*i]));
            ranks.extend(children.chunks(ABREAST).map(|bodies| (filled(bodies), bodies.len(), Parent::Same(0))));
        } else {
            let mut roots: Vec<_> = (0..steps.len()).filter(|i| steps[*i].parent.is_none()).collect();
            roots.sort_by_key(|i| Reverse(height[*i]));
            ranks.extend(roots.chunks(ABREAST).map(|bodies| (filled(bodies), bodies.len(), Parent::World)));
        }
        let mut rank = usize::from(floats);
        while let Some((bodies, lanes, _)) = ranks.get(rank) {
            let of = |lane: usize| (0..steps.len()).filter(move |i| steps[*i].parent == Some(bodies[lane]));
            // Lane after lane: first children before others.
            let mut children: Vec<(usize, usize)> = (0..*lanes)
                .flat_map(|lane| of(lane).enumerate().map(move |(n, child)| (n, (lane, child))))
                .map(|(n, (lane, child))| (n * ABREAST + lane, child))
                .collect();
            children.sort_unstable_by_key(|(key, child)| (Reverse(height[*child]), *key));
            for some in children.chunks_mut(ABREAST) {
                some.sort_unstable();
                let some: Vec<_> = some.iter().map(|(key, child)| (key % ABREAST, *child)).collect();
                ranks.push(hanging(rank, &some));
            }
            rank += 1;
        }
        if 2 * ranks.len() > steps.len() {
            return None;
        }
        let above: Vec<Vec<(Above, Bodies)>> =
            (0..ranks.len()).map(|n| above(&ranks, n, usize::from(floats), table)).collect();
        let walked = above.iter().map(Vec::len).sum();
        let limbs = limbs(&ranks, usize::from(floats), table);
        let mut sources = Vec::with_capacity(ranks.len());
        let ranks = ranks.into_iter().zip(above).enumerate().map(|(n, ((bodies, lanes, parent), above))| {
            let (above, bodies_above) = above.into_iter().unzip();
            sources.push(Source { bodies, lanes, above: bodies_above });
            Rank {
                parent,
                q: bodies.map(|i| steps[i].q),
                v: bodies.map(|i| steps[i].v),
                rotation: [Four::ZERO; 9],
                translation: [Four::ZERO; 3],
                mass: Four::ZERO,
                first: [Four::ZERO; 3],
                second: [Four::ZERO; 6],
                has_armature: false,
                armature: Four::ZERO,
                carried: Four::ZERO,
                above,
                on_base: floats && n > 0,
            }
        });
        let ranks = ranks.collect();
        let mut ranks = Self { ranks, floats, nv: model.nv, steps: walked, limbs, sources };
        ranks.refresh(model, table);
        Some(ranks)
    }

    /// The numbers of the ranks, of a robot of the same joints, and its table.
    pub(crate) fn refresh(&mut self, model: &Model, table: &Table) {
        let (steps, floats) = (&table.steps, self.floats);
        let weights = |i: usize| (i..model.bodies[i].subtree_end).map(|i| steps[i].mass.mass).sum::<f64>();
        let translation = |bodies: Bodies| std::array::from_fn(|k| Four(bodies.map(|i| steps[i].translation[k])));
        for (n, (rank, Source { bodies, lanes, above })) in self.ranks.iter_mut().zip(&self.sources).enumerate() {
            let (bodies, lanes) = (*bodies, *lanes);
            let four = |x: &dyn Fn(usize) -> f64| Four(bodies.map(x));
            // A quarter of what stands in all lanes; nothing in lanes that are over.
            let share = |lane: usize| if floats && n == 0 { 0.25 } else { f64::from(u8::from(lane < lanes)) };
            let of_mass = |x: &dyn Fn(usize) -> f64| Four(std::array::from_fn(|lane| share(lane) * x(bodies[lane])));
            let second = |i: usize| steps[i].mass.second.to_array();
            let armature = |i: usize| {
                let mine = model.dofs.iter().find(|dof| dof.index == steps[i].v && steps[i].kind == Kind::Hinge);
                mine.map_or(0.0, |dof| dof.mass())
            };
            rank.rotation = std::array::from_fn(|k| four(&|i| steps[i].rotation[(k / 3, k % 3)]));
            rank.translation = translation(bodies);
            rank.mass = of_mass(&|i| steps[i].mass.mass);
            rank.first = std::array::from_fn(|k| of_mass(&|i| steps[i].mass.first[k]));
            rank.second = std::array::from_fn(|k| of_mass(&|i| second(i)[k]));
            rank.has_armature = bodies[..lanes].iter().any(|i| armature(*i) != 0.0);
            // Lanes that are over divide by something.
            rank.armature = Four(std::array::from_fn(|lane| if lane < lanes { armature(bodies[lane]) } else { 1.0 }));
            rank.carried = of_mass(&weights);
            for (to, bodies) in rank.above.iter_mut().zip(above) {
                to.translation = translation(*bodies);
            }
        }
    }

    fn hinges(&self) -> usize {
        self.nv - if self.floats { 6 } else { 0 }
    }

    /// What the plan asks of them.
    pub(crate) fn walk(&self) -> BodyWalk {
        let (ranks, steps, hinges) = (self.ranks.len(), self.steps, self.hinges());
        BodyWalk { ranks, steps, hinges, limbs: !self.limbs.is_empty() }
    }
}

/// Limbs, if no rank hangs from other lanes than its own.
fn limbs(ranks: &[(Bodies, usize, Parent)], base: usize, table: &Table) -> Vec<Limb> {
    let mut limbs: Vec<Limb> = Vec::new();
    for (rank, (bodies, lanes, parent)) in ranks.iter().enumerate().skip(base) {
        let rows = bodies.map(|i| table.steps[i].v);
        let live = |lane: usize| lane < *lanes;
        let ones = Four(std::array::from_fn(|lane| f64::from(u8::from(live(lane)))));
        let place = Place { rank, rows, live: ones };
        let limb = match parent {
            Parent::Same(of) if *of >= base => {
                let carries = |limb: &&mut Limb| limb.places.last().is_some_and(|place| place.rank == *of);
                let Some(limb) = limbs.iter_mut().find(carries) else { return Vec::new() };
                limb
            }
            Parent::World | Parent::Same(_) => {
                limbs.push(Limb { places: Vec::new(), first: rows, lengths: [0; ABREAST], packed: false });
                let Some(limb) = limbs.last_mut() else { return Vec::new() };
                limb
            }
            Parent::Other { .. } => return Vec::new(),
        };
        let follows = |lane: usize| rows[lane] == limb.first[lane] + limb.places.len();
        if !(0..ABREAST).filter(|lane| live(*lane)).all(follows) {
            return Vec::new();
        }
        for lane in 0..*lanes {
            limb.lengths[lane] += 1;
        }
        limb.places.push(place);
    }
    let most = limbs.iter().map(|limb| limb.places.len()).max().unwrap_or(0);
    if most > crate::kernels::by_copy::bodies::limbs::LONG {
        return Vec::new();
    }
    let filled_up_to = crate::kernels::by_copy::bodies::limbs::filled_up_to(most);
    for Limb { first, lengths, packed, .. } in &mut limbs {
        *packed = (0..ABREAST).all(|k| lengths[k] == filled_up_to && first[k] == first[0] + k * filled_up_to);
    }
    limbs
}

/// The ranks between rank `n` and the root, or the first `end` of them, and their bodies, above those of the lanes.
fn above(ranks: &[(Bodies, usize, Parent)], n: usize, end: usize, table: &Table) -> Vec<(Above, Bodies)> {
    let (mut all, mut lane_of, mut rank) = (Vec::new(), std::array::from_fn::<usize, ABREAST, _>(|lane| lane), n);
    while let Parent::Same(of) | Parent::Other { rank: of, .. } = &ranks[rank].2
        && *of >= end
    {
        if let Parent::Other { lanes, .. } = &ranks[rank].2 {
            lane_of = lane_of.map(|lane| lanes[lane]);
        }
        rank = *of;
        let places = std::array::from_fn(|lane| lane_of.get(lane).copied());
        let bodies = lane_of.map(|lane| ranks[rank].0[lane]);
        let above = Above {
            rank,
            of: lane_of.iter().enumerate().any(|(lane, of)| lane != *of).then(|| Box::new(Places::new(places))),
            entries: std::array::from_fn(|lane| {
                let lane = if lane < ranks[n].1 { lane } else { 0 };
                let [i, j] = [bodies[lane], ranks[n].0[lane]].map(|body| table.steps[body].v);
                [i + table.nv * j, j + table.nv * i]
            }),
            translation: [Four::ZERO; 3],
        };
        all.push((above, bodies));
    }
    all
}

/// The body of each lane.
type Bodies = [usize; ABREAST];

/// Bodies of a rank; lanes that are over repeat the first.
fn filled(bodies: &[usize]) -> Bodies {
    std::array::from_fn(|lane| *bodies.get(lane).unwrap_or(&bodies[0]))
}

/// A rank of children of another, each with the lane of its parent.
fn hanging(rank: usize, children: &[(usize, usize)]) -> (Bodies, usize, Parent) {
    let bodies: Vec<_> = children.iter().map(|(_, child)| *child).collect();
    let same = children.iter().enumerate().all(|(lane, (parent, _))| lane == *parent);
    if same {
        return (filled(&bodies), bodies.len(), Parent::Same(rank));
    }
    let lanes: [usize; ABREAST] = std::array::from_fn(|lane| children.get(lane).unwrap_or(&children[0]).0);
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
    (filled(&bodies), bodies.len(), Parent::Other { rank, of: Box::new(Places::new(of)), lanes, children: rounds })
}

#[cfg(test)]
mod tests {
    use super::Ranks;
    use crate::joint::{Axis, FreeFlyer, Joint, Prismatic, Revolute};
    use crate::model::{BodyKey, ModelBuilder};
    use crate::plan::states::Table;
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

    /// How many ranks, if they pay.
    fn ranks(builder: ModelBuilder) -> Option<usize> {
        let model = builder.build().expect("builds");
        Ranks::new(&model, &Table::new(&model)?).map(|ranks| ranks.ranks.len())
    }

    #[test]
    fn limbs_go_abreast_where_that_halves_the_steps() {
        let of = |n, joints| ranks(limbs(FreeFlyer.into(), n, joints, |_| hinge()).0);
        assert_eq!([of(4, 3), of(2, 6), of(3, 6), of(1, 7), of(5, 3)], [Some(4), None, Some(7), None, Some(7)]);
        assert_eq!(ranks(limbs(hinge(), 4, 3, |_| hinge()).0), Some(4));
    }

    #[test]
    fn long_limbs_are_not_shallow() {
        let of = |n, joints| {
            let model = limbs(FreeFlyer.into(), n, joints, |_| hinge()).0.build().expect("builds");
            Ranks::new(&model, &Table::new(&model).expect("is of hinges"))
                .map(|ranks| [false, true].map(|by_eight| ranks.walk().mass_matrix_pays(by_eight)))
        };
        // So many limbs of so many joints have 0 + 1 + 2 + … steps: n (n − 1) / 2 for up to four of them.
        assert_eq!([of(4, 3), of(4, 11), of(4, 12)], [Some([true; 2]), Some([true; 2]), Some([true, false])]);
        assert_eq!([of(4, 17), of(4, 18), of(2, 9)], [Some([true, false]), Some([false; 2]), None]);
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
            ranks(builder)
        };
        assert_eq!([of([0, 1, 2, 3]), of([2, 3, 4, 5]), of([0, 2, 3, 5])], [Some(6); 3]);
    }

    #[test]
    fn long_or_few_limbs_pay_where_registers_hold_four() {
        let of = |n, joints| {
            let model = limbs(FreeFlyer.into(), n, joints, |_| hinge()).0.build().expect("builds");
            let walk = Ranks::new(&model, &Table::new(&model).expect("is of hinges")).expect("has limbs").walk();
            [false, true].map(|by_eight| {
                [walk.derivatives_pay(by_eight), walk.inverse_pays(by_eight), walk.forward_derivatives_pay(by_eight)]
            })
        };
        assert_eq!(of(4, 3), [[true; 3], [true, true, false]]);
        assert_eq!(of(4, 6), [[true; 3], [false; 3]]);
        assert_eq!(of(6, 3), [[true, true, false], [false; 3]]);
        // 91 steps of 56 hinges.
        assert_eq!(of(4, 14), [[false; 3]; 2]);
    }

    #[test]
    fn chains_on_the_base_are_limbs() {
        let of = |(mut builder, base): (ModelBuilder, BodyKey), more: bool, forks: bool| {
            if more {
                // Two that end before the one after them goes on.
                let x = Transform::identity();
                let inertia = Inertia::new(1.0, Vector3::zeros(), Symmetric3::diagonal(0.1, 0.1, 0.1));
                for name in ["short", "long"] {
                    builder.add_body(Some(base), name, format!("to {name}"), x, hinge(), inertia).expect("fits");
                }
                let long = builder.add_body(Some(base), "a", "to a", x, hinge(), inertia).expect("fits");
                builder.add_body(Some(long), "b", "to b", x, hinge(), inertia).expect("fits");
                if forks {
                    builder.add_body(Some(long), "c", "to c", x, hinge(), inertia).expect("fits");
                }
            }
            let model = builder.build().expect("builds");
            let ranks = Ranks::new(&model, &Table::new(&model).expect("is of hinges")).expect("has limbs");
            let packed: Vec<_> = ranks.limbs.iter().map(|limb| limb.packed).collect();
            (ranks.walk().limbs, packed)
        };
        let afloat = |n, joints| limbs(FreeFlyer.into(), n, joints, |_| hinge());
        assert_eq!(of(afloat(4, 3), false, false), (true, vec![true]));
        // Two more than go abreast, and limbs that are filled up to six hinges.
        assert_eq!(of(afloat(6, 3), false, false), (true, vec![true, false]));
        assert_eq!(of(afloat(4, 4), false, false), (true, vec![false]));
        assert_eq!(of(afloat(4, 3), true, false), (true, vec![true, false]));
        // Longer than any that go this way; on a base that turns by a hinge; a limb that forks.
        assert_eq!(of(afloat(4, 7), false, false), (false, vec![]));
        assert_eq!(of(limbs(hinge(), 4, 3, |_| hinge()), false, false), (false, vec![]));
        assert_eq!(of(afloat(4, 3), true, true), (false, vec![]));
    }

    #[test]
    fn other_joints_and_bases_that_are_held_keep_to_other_forms() {
        let slides = |k| if k == 2 { Prismatic { axis: Axis::X }.into() } else { hinge() };
        assert_eq!(ranks(limbs(FreeFlyer.into(), 4, 3, slides).0), None);
        let (mut held, base) = limbs(FreeFlyer.into(), 4, 3, |_| hinge());
        held.set_armature(base, &[0.1; 6]).expect("fits");
        assert_eq!(ranks(held), None);
    }
}
