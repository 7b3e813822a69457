"""What all figures share: the program, its tables, and one look that prints and needs no colour."""

import csv
import io
import json
import pathlib
import re
import subprocess
import tempfile

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

TREE = pathlib.Path(__file__).resolve().parents[3]
DELTA = "1e-5"
# Okabe and Ito (2008): apart for colour-blind readers too.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
STYLES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), "-"]

plt.rcParams.update(
    {
        "svg.hashsalt": "tacet",
        "svg.fonttype": "path",
        "font.size": 10,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.figsize": (6.4, 3.8),
        "legend.frameon": False,
        "lines.linewidth": 1.8,
    }
)


class Program:
    """The program in a scratch folder that looks like the tree."""

    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        for name in ("examples", "data"):
            (self.folder / name).symlink_to(TREE / name)
        with open(self.folder / "visits.csv", "w", encoding="utf-8") as out:
            subprocess.run(
                ["python3", str(TREE / "examples/visits/make_visits.py")], stdout=out, check=True
            )

    def text(self, *words):
        run = subprocess.run(
            [self.path, *map(str, words)],
            cwd=self.folder,
            text=True,
            capture_output=True,
            check=False,
        )
        if run.returncode != 0:
            raise SystemExit(f"figures: {' '.join(map(str, words))}\n{run.stderr}")
        return run.stdout

    def json(self, *words):
        return json.loads(self.text(*words, "--json"))

    def csv(self, *words):
        return list(csv.DictReader(io.StringIO(self.text(*words))))

    def train(
        self, name, *words, data="data/berkeley1973.csv", schema="data/schemas/berkeley1973.toml"
    ):
        """A model from a known seed: the figures are the same in each build."""
        self.text("train", data, "--schema", schema, "--output", name, "--force", "-q", *words)
        return self.json("show", name)


def table(name, heading=None):
    """The first table of a page of bench/ below a heading, as a list of mappings."""
    text = (TREE / name).read_text("utf-8")
    if heading:
        text = text[text.index(f"## {heading}\n") :]
    lines = re.search(r"^\|.*\n\|[-:| ]+\n((?:\|.*\n)+)", text, re.MULTILINE)[0].splitlines()
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row)) for row in cells[2:]]


def save(folder, name, figure, x=None, y=None, legend=True):
    for axes in figure.axes:
        if x and not axes.get_xlabel():
            axes.set_xlabel(x)
        if y and not axes.get_ylabel():
            axes.set_ylabel(y)
        if legend and axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=9)
    figure.tight_layout()
    figure.savefig(pathlib.Path(folder) / f"{name}.svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)


def lines(axes, series, **options):
    """One line per entry, each in a colour and a dash of its own."""
    for number, (label, (xs, ys)) in enumerate(series.items()):
        axes.plot(
            xs,
            ys,
            label=label,
            color=COLOURS[number % len(COLOURS)],
            linestyle=STYLES[number % len(STYLES)],
            **options,
        )
