//! What is seen in the text before the XML parser reads it: its size, a document type, prefixes that nobody declares.
//!
//! The parser takes time quadratic in the attributes of one element, and memory in proportion to namespaces times
//! elements. No robot comes near the bounds below; a hostile file cannot hang the reader.

use super::error::SourceError;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Bytes of text.
pub(in crate::model) const MAX_BYTES: usize = 64 << 20;
/// Elements, texts and comments.
pub(in crate::model) const MAX_NODES: usize = 4_000_000;
/// Bytes of the name of a robot, link or joint: notes repeat it.
pub(in crate::model) const MAX_NAME: usize = 1024;
/// Attributes of one element.
const MAX_ATTRIBUTES: usize = 256;
/// Declarations of namespaces in the whole text, those that are added included.
const MAX_NAMESPACES: usize = 256;

/// The namespaces that undeclared prefixes get begin with this; the prefix follows.
pub(in crate::model) const UNDECLARED: &str = "urn:gradyn:undeclared-prefix:";

/// The text as the parser gets it: the root element declares every prefix that is used and that it does not declare
/// itself. Nothing else changes, and no line moves.
#[derive(Debug)]
pub(in crate::model) struct Checked<'a> {
    pub(in crate::model) text: Cow<'a, str>,
    /// Where declarations were added, and how many bytes.
    pub(in crate::model) added: Option<(usize, usize)>,
    /// Where the XML declaration has another name, [`LATE`], for white space stands before it.
    pub(in crate::model) late: Option<usize>,
}

/// The name of an XML declaration.
pub(in crate::model) const DECLARATION: &str = "xml";
/// Its name after white space, where XML allows none: as long, and that of an instruction that nobody reads.
const LATE: &str = "xm_";

/// Where the name of an XML declaration stands that comes after white space.
fn late(text: &str) -> Option<usize> {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n');
    let own = text.trim_start_matches('\u{feff}');
    let rest = own.trim_start_matches(blank);
    let after = rest.strip_prefix("<?")?.strip_prefix(DECLARATION)?;
    let is_late = rest.len() < own.len() && after.starts_with(blank);
    is_late.then_some(text.len() - rest.len() + "<?".len())
}

/// Checks the text against the bounds. What is malformed is left to the parser, which stops there.
pub(in crate::model) fn check(text: &str) -> Result<Checked<'_>, SourceError> {
    let mut checked = bounded(text)?;
    checked.late = late(text);
    if let Some(at) = checked.late {
        checked.text.to_mut().replace_range(at..at + LATE.len(), LATE);
    }
    Ok(checked)
}

fn bounded(text: &str) -> Result<Checked<'_>, SourceError> {
    if text.len() > MAX_BYTES {
        return Err(SourceError::TooLarge { line: 1, what: "bytes", limit: MAX_BYTES });
    }
    let line_at = |position: usize| {
        let line = 1 + text.bytes().take(position).filter(|b| *b == b'\n').count();
        line.try_into().unwrap_or(u32::MAX)
    };
    let mut namespaces = 0;
    let mut root = None; // where its name ends
    let (mut used, mut declared) = (BTreeSet::new(), BTreeSet::new());
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('<') {
        let start = text.len() - after.len();
        let skip = if let Some(comment) = after.strip_prefix("!--") {
            comment.split_once("-->")
        } else if let Some(data) = after.strip_prefix("![CDATA[") {
            data.split_once("]]>")
        } else if let Some(instruction) = after.strip_prefix('?') {
            instruction.split_once("?>")
        } else if after.starts_with("!DOCTYPE") {
            return Err(SourceError::DocumentType { line: line_at(start) });
        } else {
            let tag = Tag::of(after, |name| match name.split_once(':') {
                Some(("xmlns", prefix)) if root.is_none() => _ = declared.insert(prefix),
                Some((prefix, local)) if is_prefix(prefix) && !local.is_empty() && used.len() <= MAX_NAMESPACES => {
                    used.insert(prefix);
                }
                _ => {}
            });
            root = root.or(tag.name.map(|end| start + end));
            namespaces += tag.namespaces;
            let excess = [
                ("attributes of one element", tag.attributes, MAX_ATTRIBUTES),
                ("namespaces", namespaces, MAX_NAMESPACES),
            ];
            for (what, count, limit) in excess {
                if count > limit {
                    return Err(SourceError::TooLarge { line: line_at(start), what, limit });
                }
            }
            tag.end.and_then(|end| after.split_at_checked(end))
        };
        match skip {
            Some((_, after)) => rest = after,
            None => break,
        }
    }
    let mut declarations = String::new();
    for prefix in used.difference(&declared) {
        namespaces += 1;
        // Writing to a string does not fail.
        let _ = write!(declarations, " xmlns:{prefix}=\"{UNDECLARED}{prefix}\"");
    }
    if namespaces > MAX_NAMESPACES {
        return Err(SourceError::TooLarge { line: 1, what: "namespaces", limit: MAX_NAMESPACES });
    }
    match root.and_then(|end| Some((end, text.split_at_checked(end)?))) {
        Some((end, (before, after))) if !declarations.is_empty() => {
            let text = [before, &declarations, after].concat().into();
            Ok(Checked { text, added: Some((end, declarations.len())), late: None })
        }
        _ => Ok(Checked { text: text.into(), added: None, late: None }),
    }
}

/// Whether this is a prefix that may be declared. `xml` and `xmlns` always are; others are left to the parser.
fn is_prefix(prefix: &str) -> bool {
    let is_letter = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    let follows = |b: u8| is_letter(b) || b.is_ascii_digit() || matches!(b, b'-' | b'.');
    !matches!(prefix, "xml" | "xmlns")
        && prefix.len() <= MAX_NAME
        && prefix.bytes().next().is_some_and(is_letter)
        && prefix.bytes().all(follows)
}

/// What a tag holds, and where it ends.
pub(in crate::model) struct Tag {
    attributes: usize,
    namespaces: usize,
    /// Where its name ends; none for a closing tag.
    name: Option<usize>,
    /// Where its `>` stands.
    pub(in crate::model) end: Option<usize>,
}

impl Tag {
    /// Reads up to the first `>` outside quotes, and calls with its name and those of its attributes.
    pub(in crate::model) fn of<'a>(text: &'a str, mut on_name: impl FnMut(&'a str)) -> Self {
        let blank = |b: u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
        let own = text.bytes().position(|b| blank(b) || matches!(b, b'/' | b'>')).unwrap_or(text.len());
        on_name(text.get(..own).unwrap_or_default());
        let mut tag = Self { attributes: 0, namespaces: 0, name: (own > 0).then_some(own), end: None };
        let mut quote = None;
        let mut name = 0; // where the current word begins
        for (i, b) in text.bytes().enumerate() {
            match (quote, b) {
                (Some(q), _) if b == q => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(b),
                (None, b'=') => {
                    tag.attributes += 1;
                    let word = text.get(name..i).unwrap_or_default().trim_ascii_end();
                    tag.namespaces += usize::from(word.starts_with("xmlns"));
                    on_name(word);
                }
                (None, b'>') => {
                    tag.end = Some(i);
                    break;
                }
                // A blank before `=` does not end the name.
                (None, _) if blank(b) => {
                    let next = text.as_bytes().get(i + 1);
                    if !next.is_some_and(|b| blank(*b) || *b == b'=') {
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

    fn outcome(text: &str) -> Result<String, SourceError> {
        check(text).map(|checked| checked.text.into_owned())
    }

    #[test]
    fn many_attributes_and_namespaces_are_refused_at_their_line() {
        let attributes = |n: usize| (0..n).map(|i| format!(" a{i} = '>{i}='")).collect::<String>();
        assert!(check(&format!("<a>\n<b{}/></a>", attributes(MAX_ATTRIBUTES))).is_ok());
        assert_eq!(
            outcome(&format!("<a>\n<b{}/></a>", attributes(MAX_ATTRIBUTES + 1))),
            Err(SourceError::TooLarge { line: 2, what: "attributes of one element", limit: MAX_ATTRIBUTES })
        );
        let declared = |n: usize| (0..n).map(|i| format!("<b xmlns:n{i} ='x'/>\n")).collect::<String>();
        assert!(check(&declared(MAX_NAMESPACES)).is_ok());
        assert!(matches!(check(&declared(MAX_NAMESPACES + 1)), Err(SourceError::TooLarge { line: 257, .. })));
        let used = |n: usize| (0..n).map(|i| format!("<n{i}:b/>\n")).collect::<String>();
        assert!(check(&used(MAX_NAMESPACES)).is_ok());
        assert!(matches!(check(&used(MAX_NAMESPACES + 1)), Err(SourceError::TooLarge { what: "namespaces", .. })));
    }

    #[test]
    fn comments_data_and_instructions_are_not_counted() {
        let many = "a='1' x:y='2' ".repeat(1000);
        let text = format!("<?xml {many}?><!-- <!DOCTYPE a> <a {many}> --><a><![CDATA[<b {many}>]]></a>");
        assert_eq!(outcome(&text), Ok(text.clone()));
        for unfinished in ["<", "<!--", "<![CDATA[", "<?", "<a b='", "</", "<é", "a<b", "<x:", "<:x", "<a é:b='1'"] {
            assert_eq!(outcome(unfinished), Ok(unfinished.to_owned()), "{unfinished}");
        }
    }

    #[test]
    fn prefixes_that_are_used_are_declared_at_the_root_unless_it_does() {
        let text = "<?xml version='1.0'?>\n<robot\nxmlns:a='u' a:x='1'\nb:y = '2' xml:lang='en'><c:d/><e xmlns:f='v' f:z='>'/></robot>";
        let added = format!(" xmlns:b=\"{UNDECLARED}b\" xmlns:c=\"{UNDECLARED}c\" xmlns:f=\"{UNDECLARED}f\"");
        assert_eq!(outcome(text), Ok(text.replacen("<robot", &format!("<robot{added}"), 1)));
        assert_eq!(check(text).map(|checked| checked.added), Ok(Some((28, added.len()))));
    }

    #[test]
    fn a_document_type_is_named_at_its_line() {
        assert_eq!(
            outcome("<!-- -->\n\n<!DOCTYPE r [<!ENTITY a 'b'>]><r/>"),
            Err(SourceError::DocumentType { line: 3 })
        );
    }
}
