//! Morris's plane: mean effects by how much they scatter.

use crate::page::{Line, Plot, escape};
use crate::sensitivity::answer::Answer;

/// So many points have a name beside the picture.
const NAMED: usize = 5;

/// The section, if there are effects.
pub(super) fn section(answer: &Answer) -> String {
    if answer.plane.is_empty() {
        return String::new();
    }
    let most = answer.plane.iter().map(|(_, mean, sd)| mean.max(*sd)).fold(0.0_f64, f64::max);
    let plot = Plot {
        x: format!("mean effect, {}", answer.plane_unit),
        y: format!("scatter of effects, {}", answer.plane_unit),
        // Above this line, a parameter acts by far less than linearly, or with others.
        lines: vec![Line { class: "guide", points: vec![(0.0, 0.0), (most, most)] }],
        dots: answer.plane.iter().map(|(_, mean, sd)| (*mean, *sd)).collect(),
        ..Plot::default()
    };
    let mut largest: Vec<_> = answer.plane.iter().collect();
    largest.sort_by(|a, b| b.1.total_cmp(&a.1));
    let names: Vec<String> =
        largest.iter().take(NAMED).map(|(name, ..)| format!("<code>{}</code>", escape(name))).collect();
    let caption = format!(
        "Effects are by {}. A dot a parameter; from the right: {}. Far below the dotted line effects are the same everywhere; near it or above, \
         they hang on the other parameters.",
        answer.per,
        names.join(", ")
    );
    format!("<h2>Effects and their scatter</h2>\n<div class=\"figures\">\n{}</div>\n", plot.figure(&caption))
}
