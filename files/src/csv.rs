//! Fields of CSV.

/// A field as RFC 4180 wants it.
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!((field("elbow"), field("a,\"b\"")), ("elbow".into(), "\"a,\"\"b\"\"\"".into()));
    }
}
