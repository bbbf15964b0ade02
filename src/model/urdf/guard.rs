//! Bounds on the text, checked before the XML parser sees it.
//!
//! The parser takes time quadratic in the attributes of one element, and memory in proportion to namespaces times
//! elements. No robot comes near these bounds; a hostile file cannot hang the reader.

use super::error::UrdfError;

/// Bytes of text.
pub(super) const MAX_BYTES: usize = 64 << 20;
/// Elements, texts and comments.
pub(super) const MAX_NODES: usize = 4_000_000;
/// Attributes of one element.
const MAX_ATTRIBUTES: usize = 256;
/// Declarations of namespaces in the whole text.
const MAX_NAMESPACES: usize = 256;

/// Checks the text against the bounds. What is malformed is left to the parser, which stops there.
pub(super) fn check(text: &str) -> Result<(), UrdfError> {
    if text.len() > MAX_BYTES {
        return Err(UrdfError::TooLarge { line: 1, what: "bytes", limit: MAX_BYTES });
    }
    let mut namespaces = 0;
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('<') {
        let skip = if let Some(comment) = after.strip_prefix("!--") {
            comment.split_once("-->")
        } else if let Some(data) = after.strip_prefix("![CDATA[") {
            data.split_once("]]>")
        } else if let Some(instruction) = after.strip_prefix('?') {
            instruction.split_once("?>")
        } else {
            let tag = Tag::of(after);
            namespaces += tag.namespaces;
            let excess = [
                ("attributes of one element", tag.attributes, MAX_ATTRIBUTES),
                ("namespaces", namespaces, MAX_NAMESPACES),
            ];
            for (what, count, limit) in excess {
                if count > limit {
                    let before = text.len() - after.len();
                    let line = 1 + text.bytes().take(before).filter(|b| *b == b'\n').count();
                    return Err(UrdfError::TooLarge { line: line.try_into().unwrap_or(u32::MAX), what, limit });
                }
            }
            tag.end.and_then(|end| after.split_at_checked(end))
        };
        match skip {
            Some((_, after)) => rest = after,
            None => break,
        }
    }
    Ok(())
}

/// What a tag holds, and where it ends.
struct Tag {
    attributes: usize,
    namespaces: usize,
    end: Option<usize>,
}

impl Tag {
    /// Counts up to the first `>` outside quotes.
    fn of(text: &str) -> Self {
        let mut tag = Self { attributes: 0, namespaces: 0, end: None };
        let mut quote = None;
        let mut name = 0; // where the current word begins
        for (i, b) in text.bytes().enumerate() {
            match (quote, b) {
                (Some(q), _) if b == q => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(b),
                (None, b'=') => {
                    tag.attributes += 1;
                    let word = text.as_bytes().get(name..i).unwrap_or_default();
                    tag.namespaces += usize::from(word.starts_with(b"xmlns"));
                }
                (None, b'>') => {
                    tag.end = Some(i);
                    break;
                }
                // A blank before `=` does not end the name.
                (None, b' ' | b'\t' | b'\r' | b'\n') => {
                    let next = text.as_bytes().get(i + 1);
                    if !matches!(next, Some(b' ' | b'\t' | b'\r' | b'\n' | b'=')) {
                        name = i + 1;
                    }
                }
                (None, _) => {}
            }
            if quote.is_none() && matches!(b, b'"' | b'\'') {
                name = i + 1; // `a="1"b="2"`: refused by the parser, but counted
            }
        }
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_attributes_and_namespaces_are_refused_at_their_line() {
        let attributes = |n: usize| (0..n).map(|i| format!(" a{i} = '>{i}='")).collect::<String>();
        assert_eq!(check(&format!("<a>\n<b{}/></a>", attributes(MAX_ATTRIBUTES))), Ok(()));
        assert_eq!(
            check(&format!("<a>\n<b{}/></a>", attributes(MAX_ATTRIBUTES + 1))),
            Err(UrdfError::TooLarge { line: 2, what: "attributes of one element", limit: MAX_ATTRIBUTES })
        );
        let declared = |n: usize| (0..n).map(|i| format!("<b xmlns:n{i} ='x'/>\n")).collect::<String>();
        assert_eq!(check(&declared(MAX_NAMESPACES)), Ok(()));
        assert!(matches!(check(&declared(MAX_NAMESPACES + 1)), Err(UrdfError::TooLarge { line: 257, .. })));
    }

    #[test]
    fn comments_data_and_instructions_are_not_counted() {
        let many = "a='1' ".repeat(1000);
        let text = format!("<?xml {many}?><!-- <a {many}> --><a><![CDATA[<b {many}>]]></a>");
        assert_eq!(check(&text), Ok(()));
        for unfinished in ["<", "<!--", "<![CDATA[", "<?", "<a b='", "</", "<é", "a<b"] {
            assert_eq!(check(unfinished), Ok(()), "{unfinished}");
        }
    }
}
