//! Files of meshes: STL (binary and text), OBJ, and MuJoCo's MSH. In single precision, as MuJoCo keeps them.

use nalgebra::Vector3;

/// Faces by their corners, m.
pub(super) type Triangles = Vec<[Vector3<f64>; 3]>;

/// Reads a mesh by the ending of its name.
pub(super) fn read(path: &str, bytes: &[u8]) -> Result<Triangles, String> {
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let triangles = match ending.as_str() {
        "stl" => stl(bytes)?,
        "obj" => obj(bytes)?,
        "msh" => msh(bytes)?,
        _ => return Err(format!("its ending is `{ending}`: expected stl, obj or msh")),
    };
    if triangles.is_empty() {
        return Err("it has no faces".into());
    }
    if triangles.iter().flatten().flat_map(|vertex| vertex.iter()).any(|x| !x.is_finite()) {
        return Err("a coordinate of it is not finite".into());
    }
    Ok(triangles)
}

/// Four bytes at a place.
fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok()
}

fn float(bytes: &[u8], at: usize) -> Option<f64> {
    four(bytes, at).map(|four| f64::from(f32::from_le_bytes(four)))
}

fn integer(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(i32::from_le_bytes(four(bytes, at)?)).ok()
}

fn corner(bytes: &[u8], at: usize) -> Option<Vector3<f64>> {
    Some(Vector3::new(float(bytes, at)?, float(bytes, at + 4)?, float(bytes, at + 8)?))
}

/// Binary if its size is what the number of its faces says, else text.
fn stl(bytes: &[u8]) -> Result<Triangles, String> {
    let faces =
        integer(bytes, 80).filter(|faces| faces.checked_mul(50).and_then(|n| n.checked_add(84)) == Some(bytes.len()));
    if let Some(faces) = faces {
        let face = |i: usize| {
            let at = 84 + 50 * i;
            Some([corner(bytes, at + 12)?, corner(bytes, at + 24)?, corner(bytes, at + 36)?])
        };
        return (0..faces).map(face).collect::<Option<_>>().ok_or_else(|| "it ends within a face".into());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is neither a binary STL of its size nor text")?;
    let mut corners = Vec::new();
    let mut words = text.split_ascii_whitespace();
    while let Some(word) = words.next() {
        if word == "vertex" {
            let mut number = || words.next().and_then(|word| word.parse::<f32>().ok()).map(f64::from);
            let (x, y, z) = (number(), number(), number());
            let (Some(x), Some(y), Some(z)) = (x, y, z) else {
                return Err("a vertex of it is no three numbers".into());
            };
            corners.push(Vector3::new(x, y, z));
        }
    }
    let faces = corners.chunks(3).map(|corners| corners.try_into().ok());
    faces.collect::<Option<_>>().ok_or_else(|| "a face of it has not three vertices".into())
}

/// The faces of the first object: MuJoCo reads no other.
fn obj(bytes: &[u8]) -> Result<Triangles, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text")?;
    let mut vertices: Vec<Vector3<f64>> = Vec::new();
    let mut faces: Vec<[i64; 3]> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let mut number = || words.next().and_then(|word| word.parse::<f64>().ok()).map(|x| f64::from(x as f32));
                let (Some(x), Some(y), Some(z)) = (number(), number(), number()) else {
                    return Err(format!("line {}: a vertex is no three numbers", n + 1));
                };
                vertices.push(Vector3::new(x, y, z));
            }
            Some("o" | "g") if !faces.is_empty() => break,
            Some("f") => {
                let index = |word: &str| {
                    let index: i64 = word.split('/').next()?.parse().ok()?;
                    // Negative ones count from the last vertex so far.
                    Some(if index < 0 { vertices.len() as i64 + index } else { index - 1 })
                };
                let corners: Option<Vec<i64>> = words.map(index).collect();
                match corners.as_deref() {
                    Some(&[a, b, c]) => faces.push([a, b, c]),
                    Some(&[a, b, c, d]) => faces.extend([[a, b, c], [a, c, d]]),
                    _ => return Err(format!("line {}: a face is not of three or four vertices", n + 1)),
                }
            }
            _ => {}
        }
    }
    let vertex = |i: i64| usize::try_from(i).ok().and_then(|i| vertices.get(i)).copied();
    let face = |[a, b, c]: &[i64; 3]| Some([vertex(*a)?, vertex(*b)?, vertex(*c)?]);
    faces.iter().map(face).collect::<Option<_>>().ok_or_else(|| "a face of it has a vertex that is not there".into())
}

/// Numbers of vertices, normals, texture coordinates and faces, then all of them.
fn msh(bytes: &[u8]) -> Result<Triangles, String> {
    let counts = [0, 4, 8, 12].map(|at| integer(bytes, at));
    let [Some(vertices), Some(normals), Some(textures), Some(faces)] = counts else {
        return Err("it has no header of four numbers".into());
    };
    let size = [(vertices, 12), (normals, 12), (textures, 8), (faces, 12)]
        .into_iter()
        .try_fold(16usize, |sum, (count, bytes)| sum.checked_add(count.checked_mul(bytes)?));
    if size != Some(bytes.len()) {
        return Err(format!("it has {} bytes, which is not what its header says", bytes.len()));
    }
    let first = 16 + 12 * (vertices + normals) + 8 * textures;
    let vertex = |at: usize| {
        let i = integer(bytes, at).filter(|i| *i < vertices)?;
        corner(bytes, 16 + 12 * i)
    };
    let face = |i: usize| {
        let at = first + 12 * i;
        Some([vertex(at)?, vertex(at + 4)?, vertex(at + 8)?])
    };
    (0..faces).map(face).collect::<Option<_>>().ok_or_else(|| "a face of it has a vertex that is not there".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJ: &str = "# one\no a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3 4//1\no b\nf 1 2 -2\n";

    #[test]
    fn every_format_gives_the_same_faces() {
        let square = read("a.obj", OBJ.as_bytes()).expect("reads");
        assert_eq!(square.len(), 2);
        let mut binary = vec![0; 80];
        binary.extend(2_i32.to_le_bytes());
        let mut text = "solid a\n".to_owned();
        for face in &square {
            binary.extend([0; 12]);
            for corner in face {
                corner.iter().for_each(|x| binary.extend((*x as f32).to_le_bytes()));
                text.push_str(&format!("vertex {} {} {}\n", corner.x, corner.y, corner.z));
            }
            binary.extend([0; 2]);
        }
        let mut msh: Vec<u8> = [4_i32, 0, 0, 2].iter().flat_map(|n| n.to_le_bytes()).collect();
        for vertex in [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]] {
            vertex.iter().for_each(|x| msh.extend(x.to_le_bytes()));
        }
        [0_i32, 1, 2, 0, 2, 3].iter().for_each(|n| msh.extend(n.to_le_bytes()));
        for (name, bytes) in [("a.stl", &binary), ("b.STL", &text.into_bytes()), ("c.msh", &msh)] {
            assert_eq!(read(name, bytes).as_ref(), Ok(&square), "{name}");
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let mut huge = vec![0; 80];
        huge.extend(i32::MAX.to_le_bytes());
        let files: [(&str, &[u8]); 8] = [
            ("a.stl", b""),
            ("a.stl", &huge),
            ("a.stl", b"vertex 1 2"),
            ("a.stl", b"vertex 1 2 nan vertex 1 2 3 vertex 1 2 3"),
            ("a.obj", b"v 1 2\n"),
            ("a.obj", b"f 1 2 3\n"),
            ("a.msh", &[255; 16]),
            ("a.dae", b"<x/>"),
        ];
        for (name, bytes) in files {
            assert!(read(name, bytes).is_err(), "{name} {bytes:?}");
        }
    }
}
