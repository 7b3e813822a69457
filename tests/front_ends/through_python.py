"""The requests of settings.py as a user of the Python package makes them."""

import csv
import pathlib
import warnings
from typing import Any, Dict

import tacet

from settings import NUMBERS, SEED, Setting

KINDS: Dict[str, Any] = {"number": tacet.LinearRegressor, "probability": tacet.LinearRegressor,
                         "count": tacet.PoissonRegressor}


def table(folder: pathlib.Path) -> Dict[str, Any]:
    with open(folder / "table.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) if name in NUMBERS else row[name] for row in rows]
            for name in rows[0]}


def train(folder: pathlib.Path, setting: Setting, output: pathlib.Path) -> None:
    schema = tacet.Schema.load(folder / f"{setting.schema}.toml")
    values = {name.replace("-", "_"): value for name, value in setting.values.items()}
    values["epsilon"] = float(values["epsilon"])
    columns = table(folder)
    wanted = {name: columns[name] for name in [*schema.columns, schema.target, schema.unit]
              if name is not None}
    kind = KINDS.get(setting.schema, tacet.LinearClassifier)
    model = kind(schema=schema, adjacency=setting.adjacency, random_state=SEED, **values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if setting.tuned:
            model = tacet.tune(model, wanted, grid=folder / "grid.toml")
        else:
            model.fit(wanted)
    model.save(output)
