//! A name that may have been meant.

/// "; did you mean …?", if one of the names, or what stands after its last slash, is near.
pub fn nearest<'n>(found: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let whole = |name: &str| strsim::jaro_winkler(&name.to_lowercase(), &found.to_lowercase());
    let similarity = |name: &str| name.rsplit_once('/').map_or(0.0, |(_, last)| whole(last)).max(whole(name));
    let nearest = names.map(|name| (similarity(name), name)).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)));
    let (_, name) = nearest.filter(|(similarity, _)| *similarity > 0.8)?;
    Some(format!("; did you mean `{name}`?"))
}
