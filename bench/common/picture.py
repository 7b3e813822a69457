"""Lines on logarithmic axes as SVG text, for pictures that stand in docs: nothing to install."""

import math
from html import escape

COLOURS = ("#111111", "#0072b2", "#d55e00", "#009e73", "#cc79a7")
WIDTH, HEIGHT, LEFT, TOP, GAP = 360, 300, 62, 34, 24


class Axis:
    """From the powers of ten around the values to a stretch of the picture."""

    def __init__(self, values, begin, end):
        self.low = math.floor(math.log10(min(values)) + 1e-9)
        self.high = max(self.low + 1, math.ceil(math.log10(max(values)) - 1e-9))
        self.begin, self.end = begin, end

    def at(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def powers(self):
        return range(self.low, self.high + 1)


def text(x, y, words, place="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{place}"{more}>{escape(words)}</text>'


def power(x, y, exponent, place):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{place}">10'
            f'<tspan dy="-4" font-size="8">{exponent}</tspan></text>')


def panel(title, lines, left, scales):
    across, up = scales
    right, bottom = left + WIDTH, TOP + HEIGHT
    parts = [text(left + WIDTH / 2, TOP - 12, title),
             f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>']
    for exponent in across.powers():
        x = across.at(10.0 ** exponent)
        parts += [f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="#ddd"/>',
                  power(x, bottom + 16, exponent, "middle")]
    for exponent in up.powers():
        y = up.at(10.0 ** exponent)
        parts += [f'<path d="M{left} {y:.1f}H{right}" stroke="#ddd"/>',
                  power(left - 6, y + 4, exponent, "end")]
    for (_, points), colour in zip(lines, COLOURS):
        places = [(across.at(x), up.at(y)) for x, y in points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in places]
    return parts


def drawn(panels, across, up):
    """Panels (title, lines) side by side, a line being (name, [(x, y), ..]); one scale upwards."""
    every = [point for _, lines in panels for _, points in lines for point in points]
    height = Axis([y for _, y in every], TOP + HEIGHT, TOP)
    width = LEFT + len(panels) * (WIDTH + LEFT) - LEFT + GAP
    total = TOP + HEIGHT + 62
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{total}" fill="white"/>']
    for k, (title, lines) in enumerate(panels):
        left = LEFT + k * (WIDTH + LEFT)
        scale = Axis([x for x, _ in every], left, left + WIDTH)
        parts += panel(title, lines, left, (scale, height))
        parts.append(text(left + WIDTH / 2, TOP + HEIGHT + 32, across))
    parts.append(text(14, TOP + HEIGHT / 2, up, more=f' transform="rotate(-90 14 {TOP + HEIGHT / 2})"'))
    names = [name for name, _ in panels[0][1]]
    for k, (name, colour) in enumerate(zip(names, COLOURS)):
        x = LEFT + k * (width - LEFT) / len(names)
        parts += [f'<path d="M{x:.1f} {total - 12}h22" stroke="{colour}" stroke-width="2"/>',
                  text(x + 28, total - 8, name, "start")]
    return "\n".join([*parts, "</svg>"]) + "\n"
