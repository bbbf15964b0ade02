//! Choices to make when a URDF file is read.

use crate::model::source::MimicForm;
use std::collections::BTreeMap;

/// How a `continuous` joint is represented.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContinuousForm {
    /// One coordinate, the angle in rad: a revolute joint without limits.
    #[default]
    Angle,
    /// Two coordinates, `(cos, sin)`, and one velocity: Pinocchio's choice.
    CosSin,
}

/// In which order joints, and so coordinates, are numbered. Always depth first: a parent comes before its children, and
/// a subtree is contiguous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointOrder {
    /// Children of a link in the order in which the file declares their joints.
    #[default]
    File,
    /// Children of a link in byte order of their joints' names: Pinocchio's choice.
    Pinocchio,
}

/// Choices to make when a URDF file is read.
///
/// ```
/// use gradyn::model::urdf::{JointOrder, UrdfOptions};
/// let options = UrdfOptions::new().floating_base(true).joint_order(JointOrder::Pinocchio);
/// assert!(options.floating_base && !options.strict);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UrdfOptions {
    /// Hang the root link from the world by a free-flyer named [`ROOT_JOINT`](super::ROOT_JOINT) instead of fixing it.
    /// Default: no.
    pub floating_base: bool,
    /// Make the first warning an error. Default: no.
    pub strict: bool,
    /// The form of `continuous` joints. Default: one angle.
    pub continuous: ContinuousForm,
    /// What becomes of joints that mimic others. Default: they follow.
    pub mimic: MimicForm,
    /// The order of joints. Default: as in the file.
    pub joint_order: JointOrder,
    /// Merge the links behind a fixed joint into the body they are fixed to; their names stay as frames. Default: yes.
    pub merge_fixed_joints: bool,
    /// Armature of joints by their names, one entry a degree of freedom, kg m² (kg), instead of what the file says. Default:
    /// none.
    pub armature: BTreeMap<String, Vec<f64>>,
}

impl Default for UrdfOptions {
    fn default() -> Self {
        Self {
            floating_base: false,
            strict: false,
            continuous: ContinuousForm::Angle,
            mimic: MimicForm::Follow,
            joint_order: JointOrder::File,
            merge_fixed_joints: true,
            armature: BTreeMap::new(),
        }
    }
}

/// A function for each option that sets it.
macro_rules! setters {
    ($($option:ident: $type:ty),+ $(,)?) => { $(
        #[doc = concat!("Sets [`", stringify!($option), "`](Self::", stringify!($option), ").")]
        #[must_use]
        pub fn $option(mut self, $option: $type) -> Self {
            self.$option = $option;
            self
        }
    )+ };
}

impl UrdfOptions {
    /// The defaults: fixed base, warnings allowed, angles, mimic joints that follow, file order, fixed joints merged.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        floating_base: bool, strict: bool, continuous: ContinuousForm, mimic: MimicForm, joint_order: JointOrder,
        merge_fixed_joints: bool,
    }

    /// Sets the armature of a joint, one entry a degree of freedom, not negative, kg m² (kg), instead of what the file says.
    /// That of a rotor of inertia `I` behind a gear of ratio `n` is `n² I`.
    #[must_use]
    pub fn armature(mut self, joint: impl Into<String>, armature: &[f64]) -> Self {
        self.armature.insert(joint.into(), armature.to_vec());
        self
    }
}
