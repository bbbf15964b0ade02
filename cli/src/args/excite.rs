//! The arguments of `gradyn excite`.

use crate::args::{ConstraintArgs, RobotArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = concat!(
    "Joint limits are those of the robot's file, and of --limits: JOINT.KIND=VALUE, separated by commas, KIND one of position\n",
    "(LEAST..GREATEST), velocity, acceleration, effort; JOINT may be a pattern, later ones win. --share keeps a margin to all limits.\n",
    "Collisions of links with each other, or with the ground, are not checked: inspect the motion before a robot runs it.\n\n",
    "With --floating-base and feet that are held (--contact, --contact-frame, --constraints), the base and joints that no foot needs move by\n",
    "series, and the legs follow. A point or frame without `to_placement` is held where --start has it. The base is limited to 0.1 m and 0.3 rad\n",
    "each way, in the axes in which it stands; --limits 'root_joint.v?.position=-0.05..0.05' says otherwise. Limits of effort are of motors,\n",
    "while the feet bear the smallest forces that carry the base: columns f.FRAME.x, .y, .z[, .rx, .ry, .rz]. Whether feet slip or pull at\n",
    "the ground is not checked.\n\n",
    "The file of --csv has the columns that `gradyn identify --data` reads: time, q.JOINT, v.JOINT, a.JOINT, tau.JOINT (predicted).\n",
    "Exit codes: 0 found, 1 the optimizer did not converge or the motion does not identify everything that motions can (the answer is\n",
    "still written, within all limits), 2 bad input. Docs: docs/sensitivity.md.\n\n",
    "Example:\n  gradyn excite robots/panda.urdf --parameters '*.pi.*' --period 10 --harmonics 5 --rate 100 \\\n",
    "    --limits '*.acceleration=10,panda_joint4.position=-2.5..-0.5' --csv motion.csv --report page.html\n",
    "  gradyn excite robots/solo12.urdf --floating-base --contact FL_FOOT --contact FR_FOOT --contact HL_FOOT --contact HR_FOOT \\\n",
    "    --start 0,0,0.3,0,0,0,1,0,0.6,-1.2,0,0.6,-1.2,0,0.6,-1.2,0,0.6,-1.2 --parameters '*.mass' --csv motion.csv",
))]
pub(crate) struct Excite {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    #[command(flatten)]
    pub(crate) held: ConstraintArgs,
    /// The parameters that the motion must identify, as for `sensitivity`
    #[arg(long, value_name = "LIST")]
    pub(crate) parameters: String,
    /// Period after which the motion returns to its start, s
    #[arg(long, allow_hyphen_values = true, value_name = "S", default_value_t = 10.0)]
    pub(crate) period: f64,
    /// Sines and cosines of each joint, 2 to 50
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) harmonics: usize,
    /// Samples per second
    #[arg(long, allow_hyphen_values = true, value_name = "HZ", default_value_t = 100.0)]
    pub(crate) rate: f64,
    /// Limits in addition to those of the robot's file, or instead of them
    #[arg(long, allow_hyphen_values = true, value_name = "LIST", value_delimiter = ',')]
    pub(crate) limits: Vec<String>,
    /// The share of each limit that the motion may use
    #[arg(long, allow_hyphen_values = true, value_name = "SHARE", default_value_t = 0.9)]
    pub(crate) share: f64,
    /// Standard deviation of measured torques, N m or N: of all, or JOINT=VALUE, separated by commas
    #[arg(long, allow_hyphen_values = true, value_name = "LIST", value_delimiter = ',', default_value = "0.1")]
    pub(crate) noise: Vec<String>,
    /// Start and end of the motion, one number per joint [default: chosen]; with contacts the pose in which the robot
    /// stands, as q has it: of the base x, y, z, qx, qy, qz, qw
    #[arg(long, allow_hyphen_values = true, value_name = "Q", value_delimiter = ',')]
    pub(crate) start: Option<Vec<f64>>,
    /// Seed of the initial random motion
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Iteration limit of the optimizer
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) iterations: usize,
    /// Write the motion with its predicted torques
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write a page that needs no network
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Output file of the answer; `-` is standard output [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
