"""Whether figures tell the truth: places in pixels, put back through the printed axes, are the numbers of report.json.

Each kind of figure is known by its name; one that is not known is a fault, so that none stays unread."""
import datetime
import math
import re

HALF_PIXEL = 0.5
NORMAL = 1.959963984540054  # 95 % of a normal law lie within
EPOCH = datetime.date(1970, 1, 1)
SHARES = {"accuracy", "majority share", "sensitivity (recall)", "specificity", "precision", "F1", "AUC", "R2",
          "explained deviance (D2)"}
MAX_LEVELS, MAX_BARS = 40, 30


def number(text):
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return (datetime.date.fromisoformat(text) - EPOCH).days
    return float(text)


class Axis:
    """From numbers to pixels, read from the ticks that a reader sees: linear, or by powers."""

    def __init__(self, ticks):
        values = [(number(text), place) for text, place in ticks]
        self.low, self.high, self.by_powers = values[0], values[-1], False
        self.by_powers = self.low[0] > 0 and self._worst(values) > HALF_PIXEL
        worst = self._worst(values)
        if worst > HALF_PIXEL:
            raise AssertionError(f"ticks {ticks} are neither equal steps nor powers, by {worst:.2f} pixels")

    def _worst(self, values):
        return max(abs(self.place(value) - place) for value, place in values)

    def place(self, value):
        (a, from_place), (b, to_place) = self.low, self.high
        if math.isnan(value):
            return from_place
        value = min(max(value, a), b)
        share = math.log(value / a) / math.log(b / a) if self.by_powers else (value - a) / (b - a)
        return from_place + share * (to_place - from_place)


def finite(cell):
    """A number of report.json, where what JSON has no number for is a word."""
    if cell is None:
        return math.inf
    return float(cell)


class Check:
    def __init__(self, figure, image):
        self.name, self.rows, self.header = figure["figure"], figure["numbers"]["rows"], figure["numbers"]["header"]
        self.image, self.compared, self.worst = image, 0, 0.0
        self.x = Axis([(text, x) for text, x, _ in image["x"]]) if image["x"] else None
        self.y = Axis([(text, y) for text, _, y in image["y"]]) if image["y"] else None

    def same(self, found, wanted, what):
        far = abs(found - wanted)
        self.compared += 1
        self.worst = max(self.worst, far)
        if far > HALF_PIXEL:
            raise AssertionError(f"{self.name}: {what} is {far:.2f} pixels from its number")

    def path(self, corners, points, what):
        if len(corners) != len(points):
            raise AssertionError(f"{self.name}: {what} has {len(corners)} corners, not {len(points)}")
        for (x, y), (value, height) in zip(corners, points):
            self.same(x, self.x.place(value), what)
            self.same(y, self.y.place(height), what)

    def curve(self, spans, line, band):
        """Of (x, low, middle, high)."""
        self.path(line, [(x, middle) for x, _, middle, _ in spans], "a line")
        if band:
            self.path(band, [(x, high) for x, _, _, high in spans] + [(x, low) for x, low, _, _ in reversed(spans)],
                      "a band")

    def levels(self, marks):
        """Of (value, low, high) from the top."""
        if len(self.image["dots"]) != len(marks):
            raise AssertionError(f"{self.name}: {len(self.image['dots'])} dots, not {len(marks)}")
        intervals = iter(self.image["intervals"])
        for (x, _), (value, low, high) in zip(self.image["dots"], marks):
            self.same(x, self.x.place(value), "a dot")
            if low is not None:
                start, end = next(intervals)
                self.same(start[0], self.x.place(low), "an interval")
                self.same(end[0], self.x.place(high), "an interval")


def epsilon(check):
    names = list(dict.fromkeys(row[0] for row in check.rows))
    for name, line, band in zip(names, check.image["lines"], check.image["bands"], strict=True):
        check.curve([(row[1], finite(row[2]), finite(row[3]), finite(row[3])) for row in check.rows
                     if row[0] == name and row[1] > 0], line, band)


def steps(points):
    out = [points[0]]
    for (_, before), (x, y) in zip(points, points[1:]):
        out += [(x, before), (x, y)]
    return out


def budget(check):
    spent, cap = check.image["lines"][:2]
    every = len(check.rows) // 1500 + 1
    kept = [k for k in range(len(check.rows)) if k % every == 0 or k == len(check.rows) - 1]
    check.path(spent, steps([(0, 0.0)] + [(k + 1, finite(check.rows[k][2])) for k in kept]), "what is spent")
    first = cap[0]
    check.same(first[0], check.x.place(0), "the first cap")
    for k, (x, y) in zip(kept, cap[2::2]):
        check.same(x, check.x.place(k + 1), "a cap")
        check.same(y, check.y.place(finite(check.rows[k][3])), "a cap")


def column(check, output):
    noisy = any(name.startswith("noise sd") for name in check.header)
    curve = check.header[0] == "number"
    width = 2 if noisy else 1
    first = (2 if curve else 1) + output * width
    if curve:
        rows = [row for row in check.rows if row[0] != "missing"]
    else:
        rows = [row for row in check.rows if row[0] not in ("(any other)", "(missing)")]
        other = [row for row in check.rows if row[0] in ("(any other)", "(missing)")]
        if len(rows) > MAX_LEVELS:
            rows = sorted(rows, key=lambda row: -abs(row[first]))[:MAX_LEVELS]
        rows = sorted(rows + other, key=lambda row: -row[first])
    spans = []
    for row in rows:
        ends = (row[first] - NORMAL * row[first + 1], row[first] + NORMAL * row[first + 1]) if noisy else (None, None)
        spans.append((row[first], *ends))
    if curve:
        check.curve([(row[0], low, middle, high) for row, (middle, low, high) in zip(rows, spans)],
                    check.image["lines"][0], check.image["bands"][0] if noisy else None)
    elif check.image["squares"]:
        cells(check, [row[first] for row in check.rows])
    else:
        check.levels(spans)


def metrics(check):
    check.levels([(row[1], row[3], row[4]) for row in check.rows if row[0] in SHARES])


def calibration(check):
    rows = [row for row in check.rows if not isinstance(row[4], str)]
    steps_up = [(x, row[0], row[1]) for row in check.rows for x in row[:2]]
    check.path(check.image["bands"][0], [(x, high) for x, _, high in steps_up] +
               [(x, low) for x, low, _ in reversed(steps_up)], "what is predicted")
    check.image["dots"].pop(0)  # the legend's, which is drawn first
    dots(check, [((row[0] + row[1]) / 2, min(max(row[4], 0), 1), row[6], row[7]) for row in rows])


def confusion(check):
    for text, row in zip(check.image["cells"], check.rows, strict=True):
        if abs(float(text) - row[2]) > 0.5:
            raise AssertionError(f"{check.name}: a cell says {text} for {row[2]}")
        check.compared += 1


def summary(check):
    rows = check.rows
    if len(rows) > MAX_BARS:
        least = sorted((row[1] for row in rows), reverse=True)[MAX_BARS - 1]
        equal = MAX_BARS - sum(row[1] > least for row in rows)
        among = [k for k, row in enumerate(rows) if row[1] == least][:equal]
        rows = [row for k, row in enumerate(rows) if row[1] > least or k in among]
    for (start, end), row in zip(check.image["bars"], rows, strict=True):
        check.same(start[0], check.x.place(0), "a bar")
        check.same(end[0], check.x.place(max(row[1], 0)), "a bar")
    for (low, high), row in zip(check.image["intervals"], rows, strict=True):
        check.same(low[0], check.x.place(max(row[1] - row[2], 0)), "an interval")
        check.same(high[0], check.x.place(max(row[1] + row[2], 0)), "an interval")


def dots(check, points):
    """Marks at (x, y), with an interval upwards where both ends are given."""
    if len(check.image["dots"]) != len(points):
        raise AssertionError(f"{check.name}: {len(check.image['dots'])} dots, not {len(points)}")
    intervals = iter(check.image["intervals"])
    for (x, y), (value, height, low, high) in zip(check.image["dots"], points):
        check.same(x, check.x.place(value), "a dot")
        check.same(y, check.y.place(height), "a dot")
        if low is not None:
            ends = sorted(end for _, end in next(intervals))
            for end, wanted in zip(ends, sorted((check.y.place(low), check.y.place(high)))):
                check.same(end, wanted, "an interval")


NOISE, EXCESS, RECORDS = 3, 6, 7  # columns of what an epsilon buys


def buys(check, output):
    """The noise and the records that it takes, where noise is stated; then the excess risk, where a bound is proved."""
    stated = any(isinstance(row[NOISE], float) for row in check.rows)
    place = [NOISE, RECORDS, EXCESS][output] if stated else EXCESS
    points = [(row[0], row[place]) for row in check.rows if not isinstance(row[place], str)]
    check.path(check.image["lines"][-1], points, "a line")
    if place != EXCESS:
        dots(check, [(x, y, None, None) for x, y in points])


def rehearsal(check):
    without, baseline, medians = check.image["lines"]
    ends = (check.rows[0], check.rows[-1])
    check.path(without, [(row[0], row[6]) for row in ends], "without protection")
    check.path(baseline, [(row[0], row[5]) for row in ends], "the baseline")
    check.path(medians, [(row[0], row[3]) for row in check.rows], "the medians")
    dots(check, [(row[0], row[3], row[2], row[4]) for row in check.rows])


def cells(check, values):
    """The numbers in a heat map, to the digits that it writes; those of small cells are left out."""
    check.compared += check.image["squares"]
    texts = check.image["cells"]
    if texts and len(texts) != len(values):
        raise AssertionError(f"{check.name}: {len(texts)} cells, not {len(values)}")
    for text, value in zip(texts, values):
        if abs(float(text) - value) > 0.005 * abs(value) + 1e-9:
            raise AssertionError(f"{check.name}: a cell says {text} for {value}")


KINDS = [(r"rehearsal", rehearsal), (r"epsilon-delta", epsilon), (r"budget", budget), (r"evaluation-\d+-metrics", metrics),
         (r"evaluation-\d+-confusion", confusion),
         (r"evaluation-\d+-calibration", calibration), (r"summary-\d+-column-\d+", summary)]


def figures_of(blocks):
    for block in blocks:
        if "figure" in block:
            yield block
        yield from figures_of(block.get("blocks", []))


def compare(report, images):
    """Numbers that were compared, and how far the farthest was off in pixels. `images` are those of each figure."""
    figures = [one for section in report["sections"] for one in figures_of(section["blocks"])]
    if len(figures) != len(images):
        raise AssertionError(f"{len(images)} figures, not {len(figures)}")
    compared, worst = 0, 0.0
    for figure, drawn in zip(figures, images):
        for output, image in enumerate(drawn):
            check = Check(figure, image)
            if re.fullmatch(r"model-\d+-column-\d+", check.name):
                column(check, output)
            elif check.name == "epsilon-buys":
                buys(check, output)
            else:
                [kind] = [kind for name, kind in KINDS if re.fullmatch(name, check.name)]
                kind(check)
            if not check.compared:
                raise AssertionError(f"{check.name}: nothing was compared")
            compared += check.compared
            worst = max(worst, check.worst)
    return compared, worst
