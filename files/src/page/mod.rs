//! What pages have in common: text and tables, plots, their style.

mod plot;
mod text;

pub use plot::{Line, Plot, Scale, Shade};
pub use text::{escape, row, table};

/// A page: one file, without a network. `title` is text; `style`, beside that of all pages, and `body` are as they are.
pub fn document(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n\
         <style>\n{STYLE}{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

/// Colors and type, for light and dark, screen and print.
const STYLE: &str = include_str!("style.css");
