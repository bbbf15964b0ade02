//! Arrays as NumPy writes them: `.npy`, format versions 1 to 3.

use super::Array;

/// More numbers than this are refused: a gigabyte, whatever the size of a cell.
const MAX_NUMBERS: usize = 1 << 27;

/// More names than this are refused: a robot has as many joints at most.
const MAX_NAMES: usize = 1 << 16;

/// Reads one array.
pub(super) fn read(bytes: &[u8]) -> Result<Array, String> {
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or("it is no NumPy array")?;
    let truncated = || String::from("it is truncated within its header");
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [version, ..] if !(1..=3).contains(version) => {
            return Err(format!("it has format version {version}, expected 1, 2 or 3"));
        }
        _ => return Err(truncated()),
    };
    if rest.len() < length {
        return Err(truncated());
    }
    let (header, data) = rest.split_at(length);
    let header = Header::parse(&String::from_utf8_lossy(header))?;
    let count = header.shape.iter().try_fold(1_usize, |n, size| n.checked_mul(*size));
    let (kind, size) = header.kind()?;
    let most = if matches!(kind, Kind::Number(_)) { MAX_NUMBERS } else { MAX_NAMES };
    if let Some(count) = count.filter(|count| *count > most) {
        return Err(format!("it has {count} cells, expected {most} at most"));
    }
    let expected = count.and_then(|count| count.checked_mul(size)).ok_or("its shape is too large")?;
    if data.len() != expected {
        let what = if data.len() < expected { "it is truncated" } else { "it has bytes too many" };
        return Err(format!("{what}: expected {expected} bytes of numbers, found {}", data.len()));
    }
    if size == 0 {
        return Err(String::from("its cells are empty"));
    }
    let cells = data.chunks_exact(size);
    match kind {
        Kind::Number(read) => {
            let numbers: Vec<f64> = cells.map(|cell| read(cell, header.big_endian)).collect();
            let numbers = if header.fortran_order { row_major(&header.shape, &numbers) } else { numbers };
            Ok(Array::Numbers(header.shape, numbers))
        }
        Kind::Text => Ok(Array::Texts(
            cells
                .map(|cell| {
                    let characters = cell.chunks_exact(4).map(|c| number(c, header.big_endian, u32::from_le_bytes));
                    characters.take_while(|c| *c != 0).map(|c| char::from_u32(c).unwrap_or('\u{fffd}')).collect()
                })
                .collect(),
        )),
        Kind::Bytes => Ok(Array::Texts(
            cells
                .map(|cell| {
                    let end = cell.iter().position(|c| *c == 0).unwrap_or(cell.len());
                    String::from_utf8_lossy(&cell[..end]).into_owned()
                })
                .collect(),
        )),
    }
}

/// One array, as format version 1.
pub(super) fn write(array: &Array) -> Vec<u8> {
    let (descr, shape) = match array {
        Array::Numbers(shape, _) => (String::from("<f8"), shape.clone()),
        Array::Texts(texts) => {
            let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
            (format!("<U{width}"), vec![texts.len()])
        }
    };
    let mut sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    if shape.len() > 1 {
        sizes.truncate(sizes.len() - 2);
    }
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}", sizes.trim_end());
    // Magic, version and length take ten bytes; data begin at a multiple of 64, after the end of a line.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX);
    let mut bytes = [b"\x93NUMPY\x01\x00", &length.to_le_bytes()[..], header.as_bytes()].concat();
    match array {
        Array::Numbers(_, numbers) => numbers.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes())),
        Array::Texts(texts) => {
            let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
            for text in texts {
                let characters = text.chars().map(u32::from).chain(std::iter::repeat(0));
                characters.take(width).for_each(|c| bytes.extend_from_slice(&c.to_le_bytes()));
            }
        }
    }
    bytes
}

/// The dictionary before the data.
#[derive(Debug)]
struct Header {
    kind: char,
    size: usize,
    big_endian: bool,
    fortran_order: bool,
    shape: Vec<usize>,
}

/// How a cell is read.
enum Kind {
    Number(fn(&[u8], bool) -> f64),
    Text,
    Bytes,
}

impl Header {
    /// `{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }`
    fn parse(text: &str) -> Result<Self, String> {
        let after = |key: &str| {
            let start = text.find(&format!("'{key}'"))? + key.len() + 2;
            text[start..].trim_start().strip_prefix(':').map(str::trim_start)
        };
        let wrong = || String::from("its header is not as NumPy writes it");
        let descr = after("descr").ok_or_else(wrong)?;
        let descr = descr.strip_prefix('\'').and_then(|rest| rest.split('\'').next());
        let descr = descr.ok_or("it holds records, expected real numbers")?;
        let mut characters = descr.chars();
        let order = characters.next().ok_or_else(wrong)?;
        let kind = characters.next().ok_or_else(wrong)?;
        let size = if kind == 'O' { 8 } else { characters.as_str().parse().map_err(|_| wrong())? };
        let order_text = after("fortran_order").ok_or_else(wrong)?;
        let fortran_order = order_text.starts_with("True");
        if !fortran_order && !order_text.starts_with("False") {
            return Err(wrong());
        }
        let shape = after("shape").and_then(|rest| rest.strip_prefix('(')).and_then(|rest| rest.split(')').next());
        let sizes = shape.ok_or_else(wrong)?.split(',').map(str::trim).filter(|size| !size.is_empty());
        let shape = sizes.map(|size| size.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
        Ok(Self { kind, size, big_endian: order == '>', fortran_order, shape })
    }

    fn kind(&self) -> Result<(Kind, usize), String> {
        #[expect(clippy::cast_precision_loss, reason = "to the nearest, as any decimal number")]
        let kind = match (self.kind, self.size) {
            ('f', 8) => Kind::Number(|cell, big| number(cell, big, f64::from_le_bytes)),
            ('f', 4) => Kind::Number(|cell, big| number(cell, big, f32::from_le_bytes).into()),
            ('i', 8) => Kind::Number(|cell, big| number(cell, big, i64::from_le_bytes) as f64),
            ('i', 4) => Kind::Number(|cell, big| number(cell, big, i32::from_le_bytes).into()),
            ('i', 2) => Kind::Number(|cell, big| number(cell, big, i16::from_le_bytes).into()),
            ('i', 1) => Kind::Number(|cell, big| number(cell, big, i8::from_le_bytes).into()),
            ('u', 8) => Kind::Number(|cell, big| number(cell, big, u64::from_le_bytes) as f64),
            ('u', 4) => Kind::Number(|cell, big| number(cell, big, u32::from_le_bytes).into()),
            ('u', 2) => Kind::Number(|cell, big| number(cell, big, u16::from_le_bytes).into()),
            ('u' | 'b', 1) => Kind::Number(|cell, big| number(cell, big, u8::from_le_bytes).into()),
            ('U', characters) => {
                return Ok((Kind::Text, characters.checked_mul(4).ok_or("its cells are too large")?));
            }
            ('S', _) => Kind::Bytes,
            ('O', _) => {
                return Err(String::from(
                    "it holds Python objects, expected real numbers, or text (`dtype=str`) for names",
                ));
            }
            (kind, size) => {
                return Err(format!("it has the type `{kind}{size}`, expected real numbers such as `f8`"));
            }
        };
        Ok((kind, self.size))
    }
}

/// A number from its bytes, which are `N`.
fn number<const N: usize, T>(cell: &[u8], big_endian: bool, from: fn([u8; N]) -> T) -> T {
    let mut bytes = [0; N];
    bytes.copy_from_slice(cell);
    if big_endian {
        bytes.reverse();
    }
    from(bytes)
}

/// The same array with its last axis the fastest, from one with its first axis the fastest.
fn row_major(shape: &[usize], numbers: &[f64]) -> Vec<f64> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for size in shape {
        strides.push(stride);
        stride *= size;
    }
    let mut at = vec![0_usize; shape.len()];
    let mut out = Vec::with_capacity(numbers.len());
    for _ in 0..numbers.len() {
        out.push(numbers[at.iter().zip(&strides).map(|(at, stride)| at * stride).sum::<usize>()]);
        for (at, size) in at.iter_mut().zip(shape).rev() {
            *at += 1;
            if *at < *size {
                break;
            }
            *at = 0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(header: &str, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(header.len()).expect("short").to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
    }

    fn array(shape: &[usize], numbers: &[f64]) -> Result<Array, String> {
        Ok(Array::Numbers(shape.to_vec(), numbers.to_vec()))
    }

    #[test]
    fn both_orders_and_both_ends_are_read() {
        let little: Vec<u8> = [1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let c = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", &little);
        assert_eq!(read(&c), array(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        let fortran = npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }\n", &little);
        assert_eq!(read(&fortran), array(&[2, 3], &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0]));
        let cube = npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 1, 2), }", &[1, 2, 3, 4]);
        assert_eq!(read(&cube), array(&[2, 1, 2], &[1.0, 3.0, 2.0, 4.0]));
        let big = npy("{'descr': '>i2', 'fortran_order': False, 'shape': (1,), }", &[1, 2]);
        assert_eq!(read(&big), array(&[1], &[258.0]));
        let single = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", &1.5_f32.to_le_bytes());
        assert_eq!(read(&single), array(&[], &[1.5]));
        let names = npy("{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }", b"a\0\0\0b\0\0\0c\0\0\0\0\0\0\0");
        assert_eq!(read(&names), Ok(Array::Texts(vec!["ab".into(), "c".into()])));
        let bytes = npy("{'descr': '|S2', 'fortran_order': False, 'shape': (2,), }", b"abc\0");
        assert_eq!(read(&bytes), Ok(Array::Texts(vec!["ab".into(), "c".into()])));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |bytes: &[u8]| read(bytes).expect_err("is wrong");
        assert!(error(b"PK").contains("no NumPy array"));
        let whole = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", &[0; 16]);
        assert!(error(&whole[..20]).contains("truncated within its header"));
        assert!(error(&whole[..whole.len() - 1]).contains("expected 16 bytes of numbers, found 15"));
        assert!(error(&npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", &[])).contains("objects"));
        assert!(error(&npy("{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }", &[])).contains("`c16`"));
        assert!(error(&npy("{'descr': [('x', '<f8')], 'shape': (2,), }", &[])).contains("records"));
        let names = npy("{'descr': '|S1', 'fortran_order': False, 'shape': (256, 257), }", &[0; 256 * 257]);
        assert!(error(&names).contains("65792 cells, expected 65536"));
        let bytes = npy("{'descr': '|i1', 'fortran_order': False, 'shape': (134217729,), }", &[]);
        assert!(error(&bytes).contains("expected 134217728 at most"));
        let huge = "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296), }";
        assert!(error(&npy(huge, &[])).contains("too large"));
    }
}
