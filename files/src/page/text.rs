//! Text and tables in HTML.

use gradyn::text::one_line;

/// Text as HTML and XML take it; no control characters.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // These two are no characters of XML.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A row; what is good or bad of it is its class.
pub fn row(cells: &[String], good: Option<bool>) -> String {
    let class = match good {
        Some(false) => " class=\"bad\"",
        _ => "",
    };
    let cell = |text: &String| format!("<td>{}</td>", escape(text));
    format!("<tr{class}>{}</tr>\n", cells.iter().map(cell).collect::<String>())
}

/// A table of [`row`]s under a heading.
pub fn table(heading: &[&str], rows: impl Iterator<Item = String>) -> String {
    let heads: String = heading.iter().map(|text| format!("<th>{}</th>", escape(text))).collect();
    let body: String = rows.collect();
    format!("<div class=\"table\"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n")
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn nothing_of_a_name_is_markup() {
        assert_eq!(escape("<a b=\"c\">&\u{1b}\u{ffff}"), "&lt;a b=&quot;c&quot;&gt;&amp;\\u{1b}\u{fffd}");
    }
}
