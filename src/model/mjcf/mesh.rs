//! Masses of meshes: of bodies whose inertia comes from their shape.

use super::document::Document;
use super::element::{Element, Values, source};
use super::error::{Fault, MjcfError};
use super::files::Files;
use super::mesh_file::{self, Triangles};
use super::orientation::of_wxyz;
use crate::model::source::text::nearest;
use crate::model::source::{SourceError, guard};
use crate::spatial::{Symmetric3, vector as v3};
use nalgebra::Vector3;
use std::collections::HashMap;
use std::rc::Rc;

/// MuJoCo's bound for an area or a volume that is none.
const NONE: f64 = 1e-15;
/// Bytes of all mesh files of a model together.
const MAX_TOTAL: usize = 256 << 20;

/// The mass of a mesh by its density, about its center, in the axes of its file.
#[derive(Debug)]
pub(super) struct MeshMass {
    /// m³; of a surface alone m².
    pub(super) volume: f64,
    pub(super) center: Vector3<f64>,
    /// Moments of inertia for one kg/m³.
    pub(super) moments: Symmetric3<f64>,
}

/// Meshes that were read.
pub(super) struct Meshes<'d> {
    files: &'d Files,
    /// By document and name.
    read: HashMap<(*const Document, String), Rc<MeshMass>>,
    /// Bytes so far.
    bytes: usize,
}

impl<'d> Meshes<'d> {
    pub(super) fn new(files: &'d Files) -> Self {
        Self { files, read: HashMap::new(), bytes: 0 }
    }

    /// The mesh that a geom names.
    pub(super) fn find(&mut self, document: &Document, name: &str, geom: &Values) -> Result<Rc<MeshMass>, MjcfError> {
        let key = (std::ptr::from_ref(document), name.to_owned());
        if let Some(known) = self.read.get(&key) {
            return Ok(Rc::clone(known));
        }
        let Some(element) = document.mesh(name) else {
            let meshes = document.root.each("asset").flat_map(|section| section.each("mesh"));
            let nearest = nearest(name, meshes.filter_map(Element::name));
            let (owner, name) = (geom.element.owner(), name.to_owned());
            let fault = Fault::UnknownName { owner, attribute: "mesh", what: "mesh", name, nearest };
            return Err(fault.at(geom.place("mesh")));
        };
        let mesh = Rc::new(self.load(document, element)?);
        self.read.insert(key, Rc::clone(&mesh));
        Ok(mesh)
    }

    /// The first of these files that is there; else why the first one is not.
    fn first(&self, paths: &[String]) -> Result<(String, Vec<u8>), String> {
        let mut reason = None;
        for path in paths {
            match self.files.read(path, guard::MAX_BYTES) {
                Ok(bytes) => return Ok((path.clone(), bytes)),
                Err(why) => _ = reason.get_or_insert(why),
            }
        }
        Err(reason.unwrap_or_default())
    }

    fn load(&mut self, document: &Document, element: &Element) -> Result<MeshMass, MjcfError> {
        let class = document.classes.named(element, "class", super::classes::MAIN)?;
        let values = Values { element, defaults: document.classes.attributes(class, "mesh") };
        let file = values.text("file").unwrap_or_default().to_owned();
        let refuse = |reason: String| {
            let file = if file.is_empty() { element.name().unwrap_or_default().to_owned() } else { file.clone() };
            element.fault(Fault::File { element: "mesh", file, reason })
        };
        if values.text("builtin").is_some_and(|builtin| builtin != "none") {
            return Err(refuse("the shape of a builtin mesh is not known: write `inertial` of its body".into()));
        }
        let way = values.word("inertia")?;
        if way == "convex" {
            let reason = "its mass is that of its convex hull, which is not made: write `inertial` of its body";
            return Err(refuse(reason.into()));
        }
        let mut triangles = if file.is_empty() {
            inline(&values).map_err(refuse)?
        } else {
            let (path, bytes) = self
                .first(&document.mesh_paths(&file, element.place.file.as_deref()))
                .map_err(|reason| refuse(format!("cannot be read: {reason}")))?;
            self.bytes += bytes.len();
            if self.bytes > MAX_TOTAL {
                let (line, what) = (element.place.line, "bytes of meshes");
                return Err(source(&element.place, SourceError::TooLarge { line, what, limit: MAX_TOTAL }));
            }
            mesh_file::read(&path, &bytes).map_err(refuse)?
        };
        transform(&mut triangles, &values)?;
        mass(&triangles, way).map_err(refuse)
    }
}

/// The vertices and faces that the file itself has.
fn inline(values: &Values) -> Result<Triangles, String> {
    let error = |error: MjcfError| error.to_string();
    let vertices = values.list("vertex").map_err(error)?.unwrap_or_default();
    let faces = values.list("face").map_err(error)?.unwrap_or_default();
    if faces.is_empty() {
        return Err("it has no faces, and its convex hull is not made: write `inertial` of its body".into());
    }
    let vertex = |i: f64| {
        let i = if i >= 0.0 && i.fract() == 0.0 { i as usize } else { usize::MAX };
        let [x, y, z] = [0, 1, 2].map(|k| vertices.get(i.saturating_mul(3).saturating_add(k)).copied());
        // Single precision, as MuJoCo keeps them.
        Some(Vector3::new(x?, y?, z?).map(|x| f64::from(x as f32)))
    };
    let triangle = |face: &[f64]| match *face {
        [a, b, c] => Some([vertex(a)?, vertex(b)?, vertex(c)?]),
        _ => None,
    };
    let triangles: Option<Triangles> = faces.chunks(3).map(triangle).collect();
    triangles.ok_or_else(|| "a face is no three vertices that are there".into())
}

/// Moves, turns and scales as the asset says.
fn transform(triangles: &mut Triangles, values: &Values) -> Result<(), MjcfError> {
    let (position, scale) = (values.vector("refpos")?, values.vector("scale")?);
    let zero = || Fault::Zero { owner: values.element.owner(), attribute: "refquat" }.at(values.place("refquat"));
    let rotation = of_wxyz(values.array("refquat")?).ok_or_else(zero)?;
    for triangle in triangles {
        for vertex in triangle.iter_mut() {
            *vertex = v3::rotate_back(&rotation, v3::sub(*vertex, position)).component_mul(&scale);
        }
        if scale.x * scale.y * scale.z < 0.0 {
            triangle.swap(1, 2); // a mirror turns faces over
        }
    }
    Ok(())
}

/// Area, twice the area times the normal, and center of a triangle.
fn measure([a, b, c]: &[Vector3<f64>; 3]) -> (f64, Vector3<f64>, Vector3<f64>) {
    let normal = v3::cross(v3::sub(*b, *a), v3::sub(*c, *a));
    let length = v3::norm_squared(normal).sqrt();
    let center = v3::scale(1.0 / 3.0, v3::add(v3::add(*a, *b), *c));
    // MuJoCo leaves out faces that are next to nothing.
    if length < NONE { (0.0, v3::zero(), center) } else { (0.5 * length, normal, center) }
}

/// The mass of the pyramids from a point to all faces: of `exact` with their signs, of `legacy` all positive, of `shell` the faces
/// alone.
fn mass(triangles: &Triangles, way: &str) -> Result<MeshMass, String> {
    let (mut area, mut middle) = (0.0, v3::zero());
    for triangle in triangles {
        let (own, _, center) = measure(triangle);
        area += own;
        middle = v3::scale_plus(own, center, middle);
    }
    if !area.is_finite() || area < NONE {
        return Err(format!("the area of its surface is {area} m²"));
    }
    let middle = v3::scale(1.0 / area, middle);
    let part = |triangle: &[Vector3<f64>; 3], from: Vector3<f64>| {
        let (area, normal, center) = measure(triangle);
        let volume = v3::dot(v3::sub(center, from), normal) / 6.0;
        let weight = match way {
            "shell" => area,
            "legacy" => volume.abs(),
            _ => volume,
        };
        (weight, center)
    };
    let (mut whole, mut moment) = (0.0, v3::zero());
    for triangle in triangles {
        let (weight, center) = part(triangle, middle);
        whole += weight;
        // The center of a pyramid; MuJoCo takes it of surfaces too.
        moment = v3::add(moment, v3::scale(weight, v3::add(v3::scale(0.75, center), v3::scale(0.25, middle))));
    }
    if !whole.is_finite() || whole < NONE {
        return Err(format!("its volume is {whole} m³: are its faces turned inward? Try `inertia=\"shell\"`"));
    }
    let center = v3::scale(1.0 / whole, moment);
    let mut volume = 0.0;
    let mut second: Symmetric3<f64> = Symmetric3::zero();
    let parts = if way == "shell" { 12.0 } else { 20.0 };
    for triangle in triangles {
        let about = triangle.map(|vertex| v3::sub(vertex, center));
        let (weight, _) = part(&about, v3::zero());
        volume += weight;
        let sum = v3::add(v3::add(about[0], about[1]), about[2]);
        // Σ over pairs of vertices: that of the sum, and of each once more.
        for one in [sum, about[0], about[1], about[2]] {
            let s = Symmetric3::<f64>::square_of(one).scale(weight / parts);
            second = Symmetric3::new(
                second.xx + s.xx,
                second.xy + s.xy,
                second.xz + s.xz,
                second.yy + s.yy,
                second.yz + s.yz,
                second.zz + s.zz,
            );
        }
    }
    let moments = second.trace_minus();
    if !(volume.is_finite() && volume > 0.0 && moments.matrix().iter().all(|x| x.is_finite())) {
        return Err("its moments of inertia are not finite".into());
    }
    Ok(MeshMass { volume, center, moments })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve triangles of a box with edges 2a, 2b, 2c about a point.
    fn block([a, b, c]: [f64; 3], at: Vector3<f64>) -> Triangles {
        let corner = |k: usize| {
            let side = |bit: usize, half: f64| if k & bit == 0 { -half } else { half };
            v3::add(at, Vector3::new(side(1, a), side(2, b), side(4, c)))
        };
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        quads.iter().flat_map(|[p, q, r, s]| [[*p, *q, *r], [*p, *r, *s]]).map(|t| t.map(corner)).collect()
    }

    #[test]
    fn a_box_of_triangles_has_the_mass_of_a_box() {
        let (edges, at) = ([0.1, 0.2, 0.3], Vector3::new(1.0, -2.0, 0.5));
        for way in ["legacy", "exact"] {
            let mesh = mass(&block(edges, at), way).expect("has a volume");
            let m = 8.0 * 0.1 * 0.2 * 0.3;
            // A few roundings of numbers near one.
            assert!((mesh.volume - m).abs() < 1e-14 && (mesh.center - at).norm() < 1e-13, "{mesh:?}");
            let expected = m / 3.0 * (0.2_f64.powi(2) + 0.3_f64.powi(2));
            assert!((mesh.moments.xx - expected).abs() < 1e-14 && mesh.moments.xy.abs() < 1e-14, "{mesh:?}");
        }
        let turned: Triangles = block(edges, at).into_iter().map(|[a, b, c]| [a, c, b]).collect();
        assert!(mass(&turned, "exact").is_err() && mass(&turned, "legacy").is_ok());
        let shell = mass(&block(edges, v3::zero()), "shell").expect("has an area");
        assert!((shell.volume - 8.0 * (0.02 + 0.06 + 0.03)).abs() < 1e-14);
    }
}
