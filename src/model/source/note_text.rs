//! What notes say, each in one line.

use super::note::{Note, NoteKind, Rank};
use super::text::Quoted;
use std::fmt;

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}, ", Quoted(file))?;
        }
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IgnoredElement { owner, element, known } => {
                let unknown = if *known { "" } else { "unknown " };
                write!(f, "{owner}: {unknown}element {} is ignored", Quoted(element))
            }
            Self::IgnoredAttribute { owner, element, attribute } => {
                write!(f, "{owner}: unknown attribute {} of {} is ignored", Quoted(attribute), Quoted(element))
            }
            Self::IgnoredText { owner, element } => write!(f, "{owner}: text in {} is ignored", Quoted(element)),
            Self::NotUsed { owner, element, attribute, rank, reason } => {
                write!(f, "{owner}: ")?;
                if let Some(attribute) = attribute {
                    write!(f, "{} of ", Quoted(attribute))?;
                }
                write!(f, "{}: {reason}", Quoted(element))?;
                if *rank == Rank::ChangesDynamics { f.write_str(" (changes the dynamics)") } else { Ok(()) }
            }
            Self::Unused { joint, joint_type, what } => {
                write!(f, "joint {}: `{what}` of a {joint_type} joint is ignored", Quoted(joint))
            }
            Self::LeftOverXacro { element } => {
                write!(
                    f,
                    "element {} of xacro is left over: it is ignored, and has no effect on the dynamics",
                    Quoted(element)
                )
            }
            Self::UndeclaredPrefix { prefix } => {
                write!(f, "namespace prefix {} is not declared: it is read as if it were", Quoted(prefix))
            }
            Self::RepeatedElement { owner, element, first_line } => {
                write!(f, "{owner}: a second element `{element}` is ignored: the first, in line {first_line}, counts")
            }
            Self::MissingMass { link } => write!(
                f,
                "link {}: `inertial` has no element `mass`: the mass is taken as 0, and the moments of inertia count",
                Quoted(link)
            ),
            Self::MissingInertia { link, mass } => {
                write!(
                    f,
                    "link {}: `inertial` has no element `inertia`: it is taken as a point of {mass} kg",
                    Quoted(link)
                )
            }
            Self::EmptyInertial { link } => {
                write!(f, "link {}: `inertial` has neither `mass` nor `inertia`: it is ignored", Quoted(link))
            }
            Self::ImpossibleSize { link, mass, moment, radius, reach } => write!(
                f,
                "link {}: mass {mass} kg and moment of inertia {moment:.4e} kg m² make a radius of gyration of {radius:.3} m, \
                 but the robot reaches no further than {reach:.3} m: is the file in g or mm?",
                Quoted(link)
            ),
            Self::QuaternionLength { owner, length } => {
                write!(f, "{owner}: `quat_xyzw` of `origin` has length {length}, not 1: it is scaled")
            }
            Self::UnphysicalInertia { link, mass, moments: [a, b, c], reason } => write!(
                f,
                "link {}: {reason} (mass {mass} kg, principal moments {a:.4e}, {b:.4e}, {c:.4e} kg m²)",
                Quoted(link)
            ),
            Self::MissingInertial { link, joint } => {
                write!(f, "link {}: it moves by joint {} but has no `inertial`", Quoted(link), Quoted(joint))
            }
            Self::NoInertiaAlongAxis { joint } => {
                write!(f, "joint {}: what it moves has no inertia along its motion", Quoted(joint))
            }
            Self::MissingLimits { joint } => write!(f, "joint {}: no position limits", Quoted(joint)),
            Self::LimitsReversed { joint, lower, upper } => write!(
                f,
                "joint {}: lower limit {lower} is above upper limit {upper}: they are exchanged",
                Quoted(joint)
            ),
            Self::PlanarWithoutAxis { joint } => write!(
                f,
                "joint {}: it is planar and has no `axis`: it moves in the plane of y and z, with the normal x that URDF specifies \
                 (other programs take x and y: write `<axis xyz=\"0 0 1\"/>` for these)",
                Quoted(joint)
            ),
            Self::MimicUndeclared { joint, target } => write!(
                f,
                "joint {}: it mimics joint {}, which is not declared: it moves by itself",
                Quoted(joint),
                Quoted(target)
            ),
            Self::MimicJumps { joint, target, multiplier } => write!(
                f,
                "joint {}: it follows {multiplier} times the angle of joint {}, whose coordinates are (cos, sin): its position jumps \
                 where that angle passes ±π",
                Quoted(joint),
                Quoted(target)
            ),
            Self::MimicLeftOut { joint, target } => {
                write!(f, "joint {}: it moves by itself, and does not mimic joint {}", Quoted(joint), Quoted(target))
            }
            Self::SpaceBeforeDeclaration => {
                f.write_str("white space stands before the XML declaration, where XML allows none: it is skipped")
            }
            Self::UnusedReduction { transmission, reason } => {
                write!(f, "transmission {}: its reduction is not used: {reason}", Quoted(transmission))
            }
            Self::UnusedRotor { transmission, reason } => {
                write!(f, "transmission {}: its rotor inertia is not used: {reason}", Quoted(transmission))
            }
            Self::GearRatioWithoutRotor { joint } => {
                write!(f, "joint {}: `gear_ratio` has no effect without `rotor_inertia`", Quoted(joint))
            }
            Self::MissingEffortLimit { joint } => {
                write!(f, "joint {}: no effort limit, or a negative one", Quoted(joint))
            }
            Self::MissingVelocityLimit { joint } => {
                write!(f, "joint {}: no velocity limit, or a negative one", Quoted(joint))
            }
            Self::ZeroEffortLimit { joint } => {
                write!(
                    f,
                    "joint {}: effort limit 0: its motor can do nothing, or the limit is not known",
                    Quoted(joint)
                )
            }
            Self::ZeroVelocityLimit { joint } => {
                write!(f, "joint {}: velocity limit 0: it stands still, or the limit is not known", Quoted(joint))
            }
            Self::NameOfLink { joint } => {
                write!(f, "joint {}: a link that it does not carry has the same name", Quoted(joint))
            }
            Self::SecondFloatingBase { joint } => {
                write!(f, "joint {}: it is floating, below a floating base that was asked for", Quoted(joint))
            }
        }
    }
}
