//! What generated code carries for equal subtrees: registers of two or four numbers.

use std::fmt::Write as _;

/// C: vectors where the compiler has them, structures elsewhere.
pub(super) fn in_c(width: usize) -> String {
    let list = |of: &dyn Fn(usize) -> String| (0..width).map(of).collect::<Vec<_>>().join(", ");
    let (letters, typed) = (list(&|k| format!("x{k}")), list(&|k| format!("double x{k}")));
    let made = |numbers: &str| format!("{{\n  const gradyn_pack{width} r = {{{{{numbers}}}}};\n  return r;\n}}\n");
    let operations = [("ADD", '+'), ("SUB", '-'), ("MUL", '*'), ("DIV", '/')];
    let mut text = format!(
        "\n/* Numbers side by side, one of each equal part of the robot. */\n#if (defined(__GNUC__) || defined(__clang__)) && !defined(GRADYN_PLAIN)
typedef double gradyn_pack{width} __attribute__((vector_size({})));
#define GRADYN_SET{width}({letters}) ((gradyn_pack{width}){{{letters}}})
#define GRADYN_LANE{width}(p, k) ((p)[k])
#define GRADYN_NEG{width}(p) (-(p))\n",
        8 * width
    );
    for (name, sign) in operations {
        _ = writeln!(text, "#define GRADYN_{name}{width}(p, q) ((p) {sign} (q))");
    }
    _ = write!(
        text,
        "#else\ntypedef struct {{ double x[{width}]; }} gradyn_pack{width};
#define GRADYN_LANE{width}(p, k) ((p).x[k])
static inline gradyn_pack{width} GRADYN_SET{width}({typed}) {}",
        made(&letters)
    );
    let negative = list(&|k| format!("-p.x[{k}]"));
    _ = write!(text, "static inline gradyn_pack{width} GRADYN_NEG{width}(gradyn_pack{width} p) {}", made(&negative));
    for (name, sign) in operations {
        let numbers = list(&|k| format!("p.x[{k}] {sign} q.x[{k}]"));
        let head = format!("gradyn_pack{width} GRADYN_{name}{width}(gradyn_pack{width} p, gradyn_pack{width} q)");
        _ = write!(text, "static inline {head} {}", made(&numbers));
    }
    text.push_str("#endif\n");
    text
}

/// What functions in Rust with these registers are marked with.
pub(super) const ENABLED: &str = "#[target_feature(enable = \"avx2\")]\n";

/// Rust: those of processors with AVX2.
pub(super) fn in_rust(width: usize) -> String {
    let (name, register, half) = match width {
        2 => ("_mm", "__m128d", "p"),
        _ => ("_mm256", "__m256d", "if K < 2 { _mm256_castpd256_pd128(p) } else { _mm256_extractf128_pd::<1>(p) }"),
    };
    let reversed = (0..width).rev().map(|k| format!("x[{k}]")).collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "\nuse core::arch::x86_64::*;\n/// Numbers side by side, one of each equal part of the robot.\ntype Pack = {register};\n"
    );
    let mut function = |head: &str, body: &str| {
        _ = writeln!(text, "{ENABLED}#[inline]\n#[allow(dead_code)]\nfn {head} {{\n    {body}\n}}")
    };
    function(&format!("set(x: [f64; {width}]) -> Pack"), &format!("{name}_set_pd({reversed})"));
    function(
        "lane<const K: usize>(p: Pack) -> f64",
        &format!(
            "let half = {half};\n    _mm_cvtsd_f64(if K % 2 == 0 {{ half }} else {{ _mm_unpackhi_pd(half, half) }})"
        ),
    );
    function("neg(p: Pack) -> Pack", &format!("{name}_xor_pd(p, {name}_set1_pd(-0.0))"));
    for operation in ["add", "sub", "mul", "div"] {
        function(&format!("{operation}(p: Pack, q: Pack) -> Pack"), &format!("{name}_{operation}_pd(p, q)"));
    }
    text
}
