"""Lines over logarithmic axes, as SVG."""

import math

COLORS = ["#0b6e99", "#c4532d", "#4b8b3b", "#8457a8", "#a88a1f"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 70, 210, 36, 48
DECADES = {-2: "10 ns", -1: "100 ns", 0: "1 µs", 1: "10 µs", 2: "100 µs", 3: "1 ms", 4: "10 ms", 5: "100 ms"}


def plot(title, x_label, series, path, x_ticks):
    """series: (name, color, dashed, [(x, y in µs)])."""
    points = [p for *_, line in series for p in line]
    if not points:
        return
    xs, ys = [math.log10(x) for x, _ in points], [math.log10(y) for _, y in points]
    x0, x1 = min(xs), max(xs)
    y0, y1 = math.floor(min(ys)), math.ceil(max(ys))

    def x_of(x):
        return LEFT + (math.log10(x) - x0) / ((x1 - x0) or 1) * (WIDTH - LEFT - RIGHT)

    def y_of(y):
        return HEIGHT - BOTTOM - (math.log10(y) - y0) / ((y1 - y0) or 1) * (HEIGHT - TOP - BOTTOM)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{title}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{x_label}</text>',
    ]
    for decade in range(y0, y1 + 1):
        y = y_of(10.0**decade)
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{DECADES.get(decade, "")}</text>')
    for x, name in x_ticks:
        out.append(f'<text x="{x_of(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{name}</text>')
    for k, (name, color, dashed, line) in enumerate(series):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        stroke = f'stroke="{color}" stroke-width="2"{dash}'
        path_points = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in line)
        out.append(f'<polyline points="{path_points}" fill="none" {stroke}/>')
        out += [f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3" fill="{color}"/>' for x, y in line]
        y = TOP + 10 + 18 * k
        out.append(f'<line x1="{WIDTH - RIGHT + 14}" x2="{WIDTH - RIGHT + 38}" y1="{y}" y2="{y}" {stroke}/>')
        out.append(f'<text x="{WIDTH - RIGHT + 44}" y="{y + 4}">{name}</text>')
    path.write_text("\n".join([*out, "</svg>"]) + "\n")
