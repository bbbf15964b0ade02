//! Joints that follow others: who leads them in the end.

use super::draft::{Draft, finite, is_direction};
use super::{ModelBuilder, ModelError};
use crate::joint::{Joint, Mimic, mimic};
use gradyn_derivatives::Real;

impl<P: Real> ModelBuilder<P> {
    /// Makes mimic joints of the joints that follow others; for each the body whose joint leads in the end.
    pub(super) fn resolve_mimics(&mut self) -> Result<Vec<Option<usize>>, ModelError> {
        let rules: Vec<_> = self.bodies.iter().map(|draft| draft.mimic).collect();
        let mut leaders = vec![None; rules.len()];
        for (body, rule) in rules.iter().enumerate() {
            let Some((mut leader, mut k, mut b)) = *rule else { continue };
            let refuse = |reason| {
                let name = |i: usize| self.bodies.get(i).map_or_else(String::new, |d: &Draft<P>| d.joint_name.clone());
                ModelError::Mimic { joint: name(body), leader: name(rule.map_or(body, |r| r.0)), reason }
            };
            if leader == body {
                return Err(refuse("it would follow itself"));
            }
            // Up to the joint that leads in the end.
            let mut steps = 0;
            while let Some((next, k1, b1)) = rules[leader] {
                leader = next;
                (k, b) = mimic::compose((k, b), (k1, b1));
                steps += 1;
                if steps > rules.len() {
                    return Err(refuse("they follow each other in a circle"));
                }
            }
            finite("multiplier, through the joints that it follows,", &self.bodies[body].joint_name, &[k])?;
            finite("offset, through the joints that it follows,", &self.bodies[body].joint_name, &[b])?;
            let inner = match &self.bodies[body].joint {
                Joint::Elementary(kind) => *kind,
                Joint::Composite(_) | Joint::Mimic(_) => return Err(refuse("it is not of an elementary kind")),
            };
            let Some(mimic) = Mimic::new(inner, k, b) else {
                return Err(refuse("it has not exactly one coordinate itself"));
            };
            let by_direction = is_direction(&self.bodies[leader].joint);
            self.bodies[body].joint = Joint::Mimic(if by_direction { mimic.of_direction() } else { mimic });
            leaders[body] = Some(leader);
        }
        Ok(leaders)
    }
}
