//! Records and fields of CSV.

/// A field as RFC 4180 wants it.
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// The fields of each record and the line it begins on, from 1 on, by RFC 4180, but for what separates fields. Empty
/// lines are skipped, and a byte order mark.
///
/// # Errors
/// A text that ends within quotes.
pub fn records(text: &str, separator: char) -> Result<Vec<(usize, Vec<String>)>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut records = Vec::new();
    let (mut line, mut began) = (1, 1);
    let (mut fields, mut field) = (Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = characters.next() {
        if c == '\n' {
            line += 1;
        }
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            _ if quoted => field.push(c),
            c if c == separator => fields.push(std::mem::take(&mut field)),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' => {
                fields.push(std::mem::take(&mut field));
                push(&mut records, began, std::mem::take(&mut fields));
                began = line;
            }
            _ => field.push(c),
        }
    }
    if quoted {
        return Err(format!("line {began}: the text ends within quotes"));
    }
    fields.push(field);
    push(&mut records, began, fields);
    Ok(records)
}

fn push(records: &mut Vec<(usize, Vec<String>)>, line: usize, fields: Vec<String>) {
    if fields.len() > 1 || fields.iter().any(|field| !field.trim().is_empty()) {
        records.push((line, fields));
    }
}

#[cfg(test)]
mod tests {
    use super::{field, records};

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!((field("elbow"), field("a,\"b\"")), ("elbow".into(), "\"a,\"\"b\"\"\"".into()));
    }

    #[test]
    fn fields_are_split_as_the_standard_says() {
        let text = "a,b\r\n\n\"x,\"\"y\"\"\",\"two\nlines\"\n1,";
        let expected: [(usize, &[&str]); 3] = [(1, &["a", "b"]), (3, &["x,\"y\"", "two\nlines"]), (5, &["1", ""])];
        let found = records(text, ',').expect("is good");
        assert_eq!(found.len(), 3);
        for ((line, fields), (expected_line, expected)) in found.iter().zip(expected) {
            assert_eq!(
                (*line, fields.iter().map(String::as_str).collect::<Vec<_>>()),
                (expected_line, expected.into())
            );
        }
        assert!(records("a,\"b", ',').is_err());
    }
}
