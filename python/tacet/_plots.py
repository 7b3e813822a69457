"""Figures with matplotlib, drawn from the numbers of a report."""

from __future__ import annotations

import importlib
import re
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence

from .errors import UsageError

_NORMAL = 1.959963984540054  # 95 % of a normal law lie within
_MAX_PANELS = 12
_MAX_LEVELS = 40
_OUTSIDE = ("(any other)", "(missing)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class Figure(NamedTuple):
    """One of a report's figures."""

    name: str
    title: str
    stands_out: bool  # from privacy's noise
    caption: str
    header: List[str]
    rows: List[List[Any]]


class Panel(NamedTuple):
    """What one output of a model adds along one column."""

    figure: Figure
    output: str  # "" where there is one
    first: int  # the place of its numbers in a row

    @property
    def has_noise(self) -> bool:
        header = self.figure.header
        return self.first + 1 < len(header) and header[self.first + 1].startswith("noise sd")


def pyplot() -> Any:
    """matplotlib's, imported where something is drawn alone."""
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise UsageError("plots need the package matplotlib: pip install matplotlib") from None


def plain(text: str) -> str:
    """A text of others, which matplotlib does not take for mathematics or lines of its own."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return (shown if len(shown) <= 60 else shown[:57] + "...").replace("$", r"\$")


def figures(blocks: Sequence[Dict[str, Any]], stands_out: bool = True) -> Iterator[Figure]:
    """All figures of a section. Those that are folded away cannot be told from noise."""
    for block in blocks:
        if "figure" in block:
            numbers = block["numbers"]
            yield Figure(block["figure"], block["title"], stands_out, numbers["caption"],
                         numbers["header"], numbers["rows"])
        yield from figures(block.get("blocks", []), stands_out and "summary" not in block)


def section(report: Dict[str, Any], name: str) -> List[Dict[str, Any]]:
    """The blocks of a section; none where there is none."""
    return [block for one in report["sections"] if one["section"] == name
            for block in one["blocks"]]


def panels(report: Dict[str, Any], columns: Optional[Sequence[str]]) -> List[Panel]:
    """Those of these columns; without names those that stand out from noise, else the first."""
    found = [one for one in figures(section(report, "model")) if one.rows]
    if not found:
        raise UsageError("this model does not add up what its columns say, so that no panel of one "
                         "column would show it")
    if columns is None:
        some = [one for one in found if one.stands_out] or found
        return [panel for one in some for panel in _outputs(one)][:_MAX_PANELS]
    asked = [columns] if isinstance(columns, str) else list(columns)
    chosen = []
    for column in asked:
        known = [one for one in found if _is_called(one.title, str(column))]
        if not known:
            raise UsageError(f"there is no panel of a column {column!r}; there are "
                             f"{', '.join(repr(one.title) for one in found[:20])}")
        chosen.append(known[0])
    return [panel for one in chosen for panel in _outputs(one)]


def _is_called(title: str, column: str) -> bool:
    return title == column or title.endswith("...") and column.startswith(title[:-3])


def _outputs(figure: Figure) -> List[Panel]:
    return [Panel(figure, name[len("adds: "):], place) for place, name in enumerate(figure.header)
            if name == "adds" or name.startswith("adds: ")]


def draw_panels(report: Dict[str, Any], columns: Optional[Sequence[str]], axes: Any) -> Any:
    """A panel an axes; without axes on a new figure. The axes, in the order of the panels."""
    drawn = panels(report, columns)
    places = _axes(axes, len(drawn))
    for panel, ax in zip(drawn, places):
        title = panel.figure.title + (f": {panel.output}" if panel.output else "")
        if panel.figure.header[0] == "number":
            _draw_curve(panel, ax)
        else:
            _draw_levels(panel, ax)
        _finish(ax, title, report)
    return places


def _axes(axes: Any, count: int) -> List[Any]:
    if axes is None:
        across = min(count, 3)
        down = -(-count // across)
        made, grid = pyplot().subplots(down, across, squeeze=False, layout="constrained",
                                       figsize=(4.2 * across, 3.2 * down))
        flat = list(grid.ravel())
        for spare in flat[count:]:
            made.delaxes(spare)
        return flat[:count]
    pyplot()
    flat = list(axes.ravel()) if hasattr(axes, "ravel") else \
        list(axes) if isinstance(axes, (list, tuple)) else [axes]
    if len(flat) < count:
        raise UsageError(f"{count} panels need as many axes, got {len(flat)}")
    return flat[:count]


def _finish(ax: Any, title: str, report: Dict[str, Any]) -> None:
    """The title, with the banner of what protects nobody or is not confirmed."""
    banner = report.get("banner", "")
    if banner:
        ax.set_title(f"{plain(title)}\n{plain(banner.split('.')[0])}", color="#b3141c")
    else:
        ax.set_title(plain(title))


def _draw_curve(panel: Panel, ax: Any) -> None:
    rows = [row for row in panel.figure.rows if row[0] != "missing"]
    x = [row[0] for row in rows]
    adds = [row[panel.first] for row in rows]
    if panel.has_noise:
        far = [_NORMAL * row[panel.first + 1] for row in rows]
        ax.fill_between(x, [a - f for a, f in zip(adds, far)], [a + f for a, f in zip(adds, far)],
                        alpha=0.22, linewidth=0, color="#0a61c9", label="noise, 95 %")
    ax.plot(x, adds, color="#0a61c9")
    ax.axhline(0, color="#57606a", linewidth=0.8)
    if rows and all(_DATE.fullmatch(str(row[1])) for row in rows):
        ax.xaxis_date()
    ax.set_xlabel(plain(panel.figure.title))
    ax.set_ylabel(_adds(panel.figure))


def _draw_levels(panel: Panel, ax: Any) -> None:
    first = panel.first
    inside = [row for row in panel.figure.rows if row[0] not in _OUTSIDE]
    outside = [row for row in panel.figure.rows if row[0] in _OUTSIDE]
    inside = sorted(inside, key=lambda row: -abs(row[first]))[:_MAX_LEVELS]
    rows = sorted(inside + outside, key=lambda row: float(row[first]))
    places = list(range(len(rows)))
    far = [_NORMAL * row[first + 1] for row in rows] if panel.has_noise else None
    ax.errorbar([row[first] for row in rows], places, xerr=far, fmt="o", color="#0a61c9",
                markersize=4)
    ax.set_yticks(places, labels=[plain(str(row[0])) for row in rows])
    ax.axvline(0, color="#57606a", linewidth=0.8)
    ax.set_xlabel(_adds(panel.figure))


def _adds(figure: Figure) -> str:
    return plain(figure.caption.replace("What each value adds", "adds", 1))


def draw_coefficients(report: Dict[str, Any], axes: Any) -> Any:
    """A regression table: estimates with their intervals."""
    [table] = [block["table"] for block in section(report, "model")
               if block.get("table", {}).get("header", [""])[0] == "name"]
    place = {name: k for k, name in enumerate(table["header"])}
    rows = [row for row in table["rows"] if isinstance(row[place["std. error"]], (int, float))]
    [ax] = _axes(axes, 1)
    heights = list(range(len(rows)))[::-1]
    estimates = [row[place["estimate"]] for row in rows]
    below = [e - row[place["from"]] for e, row in zip(estimates, rows)]
    above = [row[place["to"]] - e for e, row in zip(estimates, rows)]
    ax.errorbar(estimates, heights, xerr=[below, above], fmt="o", color="#0a61c9", markersize=4)
    ax.set_yticks(heights, labels=[plain(row[0]) for row in rows])
    ax.axvline(0, color="#57606a", linewidth=0.8)
    ax.set_xlabel("coefficient, 95 % interval")
    _finish(ax, table["caption"], report)
    return [ax]


def has_coefficients(report: Dict[str, Any]) -> bool:
    return any(block.get("table", {}).get("header", [""])[0] == "name"
               for block in section(report, "model"))


def draw_budget(report: Dict[str, Any], ax: Any) -> Any:
    """What was spent, run by run, below the cap."""
    [figure] = [one for one in figures(section(report, "budget")) if one.name == "budget"]
    [ax] = _axes(ax, 1)
    runs = list(range(len(figure.rows) + 1))
    spent = [0.0, *(_number(row[2]) for row in figure.rows)]
    ax.step(runs, spent, where="post", color="#0a61c9", label=plain(figure.header[2]))
    if figure.rows:
        ax.step(runs[1:], [_number(row[3]) for row in figure.rows], where="post", linestyle=":",
                color="#1a7037", label=plain(figure.header[3]))
    ax.set_xlabel("runs, in the order they were booked")
    ax.set_ylim(bottom=0)
    ax.legend()
    _finish(ax, figure.title, report)
    return ax


_EPSILON, _NOISE = "epsilon", "noise in the coefficient of a usual column"


def draw_plan(report: Dict[str, Any], ax: Any) -> Any:
    """Privacy's noise in the coefficient of a usual column at each epsilon."""
    found = [one for one in figures(section(report, "buys")) if one.name == "epsilon-buys"]
    place = {name: k for k, name in enumerate(found[0].header)} if found else {}
    rows = [row for row in (found[0].rows if found else [])
            if isinstance(row[place[_NOISE]], (int, float))]
    if not rows:
        raise UsageError("this plan states no noise of its coefficients before it has run, so that "
                         "there is nothing to draw; its report says what else is known")
    [ax] = _axes(ax, 1)
    ax.plot([row[place[_EPSILON]] for row in rows], [row[place[_NOISE]] for row in rows],
            marker="o", color="#0a61c9")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("epsilon")
    ax.set_ylabel("noise in the coefficient of a usual column,\nin standardised units")
    _finish(ax, found[0].title, report)
    return ax


def draw_audit(found: Dict[str, Any], ax: Any) -> Any:
    """What tests may tell of one record, and what they told."""
    points = found["points"]
    [ax] = _axes(ax, 1)
    alarms = [point["alarms"] for point in points]
    ax.plot(alarms, [point["min_misses_claimed"] for point in points], color="#0a61c9",
            label="claimed: no test is below")
    ax.plot(alarms, [point["misses"] for point in points], marker="o", linestyle="",
            color="#1a7037", markersize=4, label="measured")
    ax.set_xlabel("share of false alarms")
    ax.set_ylabel("share of misses")
    ax.legend()
    ax.set_title(plain(f"Audit of {found['audit']}"))
    return ax


def _number(cell: Any) -> float:
    """JSON has words for what it has no number for."""
    return float("inf") if cell is None else float(cell)
