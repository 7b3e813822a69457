"""What the front ends are compared by: tables that are made here, their schemas, and requests."""

import json
import pathlib
import random
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

ROWS = 1200
SEED = 7

COLUMNS = """
public_row_count = 1200
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 100
[[column]]
name = "weight"
kind = "numeric"
lower = 0
upper = 150
[[column]]
name = "ward"
kind = "categorical"
categories = ["a", "b", "c", "d"]
"""
NOTE = """[[column]]
name = "note"
kind = "hashed"
bits = 13
"""
TARGETS = {
    "classes": 'column = "ill"\npositive = ["yes"]\nnegative = ["no"]\n',
    "several": 'column = "state"\nclasses = ["well", "ill", "gone"]\n',
    "number": 'column = "days"\nlower = 0\nupper = 30\n',
    "count": 'column = "visits"\nkind = "count"\nupper = 9\n',
    "probability": 'column = "risk"\nkind = "probability"\n',
}
NUMBERS = ("age", "weight", "days", "visits", "risk")
GRID = "[values]\nsteps = [5, 10]\nclipping-norm = [0.5, 1]\n"


class Setting(NamedTuple):
    """One request; `values` by the names of `tacet train`."""

    schema: str
    values: Dict[str, Any]
    adjacency: Optional[str] = None
    tuned: bool = False

    def name(self) -> str:
        words = [f"{name}={value}" for name, value in self.values.items()]
        return " ".join([self.schema, *words, self.adjacency or "usual", *["tune"] * self.tuned])

    def command(self, folder: pathlib.Path) -> Tuple[str, List[str]]:
        """The program's command, and its words but for the output."""
        words = [str(folder / "table.csv"), f"--schema={folder / self.schema}.toml",
                 f"--seed={SEED}"]
        words += [f"--{name}={value}" for name, value in self.values.items()]
        if self.adjacency:
            words.append(f"--adjacency={self.adjacency}")
        if self.tuned:
            words.append(f"--grid={folder / 'grid.toml'}")
        return "tune" if self.tuned else "train", words


def _settings() -> List[Setting]:
    found = []

    def add(schema: str, adjacency: Optional[str] = None, tuned: bool = False,
            **values: Any) -> None:
        words = {name.replace("_", "-"): value for name, value in values.items()}
        words.setdefault("epsilon", 1)
        found.append(Setting(schema, words, adjacency, tuned))

    # What is chosen where nobody says how, for each kind of target, neighbours and budget.
    for schema in TARGETS:
        add(schema)
    for adjacency in ("add_remove", "replace_one", "zero_out"):
        add("classes", adjacency, delta=1e-6)
    for schema in ("classes", "number", "probability"):
        add(schema, delta=0)
    add("classes", epsilon=0.02)
    add("number", epsilon=0.02)
    add("number", epsilon=20)
    add("classes", epsilon="inf")
    add("wordy")
    add("units")
    add("units", "add_remove", delta=0)
    # Methods.
    for method in ("gradient", "output", "phased", "objective", "regularized-output", "localized",
                   "adassp", "growth", "ladder", "phased-erm", "inverse-sensitivity"):
        add("classes", method=method)
    add("classes", method="sparse-groups", group_column="ward")
    add("classes", method="objective", delta=0)
    add("number", method="adassp")
    add("several", method="output")
    add("several", method="phased", l2=0.01)
    # Losses.
    for loss in ("smoothed_hinge", "hinge", "power_hinge"):
        add("classes", loss=loss)
    for loss in ("huber", "absolute", "log_cosh"):
        add("number", loss=loss)
    add("number", loss="pinball", loss_parameter=0.9)
    # Options of one method or another.
    add("classes", steps=20, clipping_norm=0.5, averaging="last")
    add("classes", method="gradient", batch_size=60, sampling="poisson", steps=30)
    add("classes", class_weights="yes=1,no=0.5")
    add("classes", knots=8)
    add("number", knots="none")
    add("classes", method="gradient", standardise="auto")
    add("wordy", method="gradient", feature_selection=0.3)
    add("wordy", method="gradient", projection="auto")
    add("units", max_records_per_unit=3)
    add("classes", method="phased-erm", radius="auto", epsilon=20)
    add("classes", method="objective", boost=0.1)
    add("classes", method="gradient", tuned=True, delta=1e-6)
    return found


SETTINGS = _settings()


def same_model(expected: pathlib.Path, found: pathlib.Path) -> bool:
    """Byte by byte. The exception is a model of a constant: Python notes which columns an array has
    to have that the model does not read, under `python`, and the checksum covers that."""
    if found.read_bytes() == expected.read_bytes():
        return True
    one, other = (json.loads(path.read_bytes()) for path in (expected, found))
    form = other.pop("python", None)
    del one["checksum"], other["checksum"]
    return form is not None and not one["schema"]["column"] and one == other


def write(folder: pathlib.Path) -> None:
    """The table, the grid, and a schema of each name."""
    draw = random.Random(1)
    lines = ["age,weight,ward,note,person,ill,state,days,visits,risk"]
    for row in range(ROWS):
        age, weight, ward = draw.randrange(100), draw.randrange(40, 150), draw.choice("abcd")
        sick = age + draw.randrange(60) > 90
        lines.append(",".join(map(str, (
            age, weight, ward, f"w{draw.randrange(300)}", f"p{row // 3}", "yes" if sick else "no",
            ("gone" if age > 80 else "ill") if sick else "well",
            min(30, round(age / 5 + 3 * draw.random(), 2)), min(9, age // 15 + draw.randrange(3)),
            round(min(1, age / 120 + 0.2 * draw.random()), 3)))))
    (folder / "table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "grid.toml").write_text(GRID, encoding="utf-8")
    schemas = {name: (COLUMNS, target) for name, target in TARGETS.items()}
    schemas["wordy"] = (COLUMNS + NOTE, TARGETS["classes"])
    schemas["units"] = ('unit = "person"\n' + COLUMNS.replace("1200", "400"), TARGETS["classes"])
    for name, (columns, target) in schemas.items():
        text = f'name = "{name}"\n{columns}[target]\n{target}'
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
