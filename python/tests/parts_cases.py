"""What is trained over parts in the tests of engines, and how it is divided: for pytest, and for the
program that mpi4py starts on each rank (python -m mpi4py.futures parts_cases.py FOLDER)."""

from __future__ import annotations

import functools
import os
import pathlib
import sys
import warnings
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

import numpy as np
import pandas
import parts_load

import tacet

YES = tacet.binary("y", positive="yes", negative="no")
ADULT = pathlib.Path(os.environ.get("TACET_DATA", "/nowhere")) / "adult/adult.train.csv.gz"
ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclass
class Case:
    """Records, and an estimator of them; whole: parts have all records of each unit."""

    frame: pandas.DataFrame
    made: Callable[[], Any]
    whole: Optional[str] = None
    evaluated: bool = True
    load: Callable[[str], Any] = parts_load.table
    extra: Dict[str, Any] = field(default_factory=dict)

    def divided(self, count: int, folder: pathlib.Path) -> List[str]:
        """Files of the records at random, the last of them empty where there are many."""
        random = np.random.default_rng(count)
        most = max(1, count - (count > 5))
        if self.whole is None:
            places = random.integers(0, most, len(self.frame))
        else:
            units, numbers = np.unique(self.frame[self.whole], return_inverse=True)
            places = random.integers(0, most, len(units))[numbers]
        folder.mkdir(parents=True, exist_ok=True)
        paths = [str(folder / f"part-{k}.csv") for k in range(count)]
        for k, path in enumerate(paths):
            self.frame[places == k].to_csv(path, index=False)
        return paths

    def parts(self, count: int, folder: pathlib.Path, engine: Any) -> tacet.Parts:
        return tacet.Parts(self.divided(count, folder), self.load, on=engine, whole=self.whole)


def _table(rows: int) -> pandas.DataFrame:
    random = np.random.default_rng(9)
    frame = pandas.DataFrame({
        "a": random.uniform(0, 100, rows).round(2), "f": random.normal(size=rows).round(3),
        "c": random.choice(["u", "v", "w"], rows)})
    frame["y"] = np.where(frame["a"] + random.normal(0, 20, rows) > 50, "yes", "no")
    return frame


def _columns() -> List[Any]:
    return [tacet.numeric("a", 0, 100), tacet.numeric("f", -2, 2),
            tacet.categorical("c", ["u", "v", "w"])]


def released() -> Case:
    """By `auto`, with released means and counts of categories."""
    schema = tacet.Schema(_columns(), target=YES, public_row_count=3000)
    return Case(_table(3000), lambda: tacet.LogisticRegression(
        epsilon=1, delta=1e-6, schema=schema, random_state=7))


def classes() -> Case:
    frame = _table(2000)
    frame["y"] = frame["c"]
    schema = tacet.Schema(_columns()[:2], public_row_count=2000,
                          target=tacet.multiclass("y", ["u", "v", "w"]))
    return Case(frame, lambda: tacet.LinearClassifier(
        epsilon=1, delta=1e-6, schema=schema, random_state=7, method="gradient", steps=15))


def words() -> Case:
    """Hashed text, of which columns are kept that occur often: a sparse table."""
    random = np.random.default_rng(2)
    often = [f"w{k}" for k in range(30)]
    frame = pandas.DataFrame({
        "text": [" ".join(random.choice(often, 6)) for _ in range(2000)],
        "y": random.choice(["yes", "no"], 2000)})
    schema = tacet.Schema([tacet.text("text", bits=10)], target=YES, public_row_count=2000)
    return Case(frame, lambda: tacet.LogisticRegression(
        epsilon=4, delta=1e-6, schema=schema, random_state=7, method="gradient", steps=15,
        feature_selection="auto"))


def sparse() -> Case:
    random = np.random.default_rng(3)
    frame = pandas.DataFrame({
        "ids": [";".join(map(str, random.integers(0, 500, 5))) for _ in range(1500)],
        "y": random.choice(["yes", "no"], 1500)})
    schema = tacet.Schema([tacet.ids("ids", separator=";", max_ids=5, count=500)], target=YES,
                          public_row_count=1500)
    return Case(frame, lambda: tacet.LinearSVC(
        epsilon=1, delta=1e-6, schema=schema, random_state=7, method="gradient", steps=15))


def curves() -> Case:
    """A number by `auto`: means, second moments, and then curves with a category among them."""
    frame = _table(3000)
    frame["y"] = (frame["a"] * frame["f"]).clip(-100, 100).round(2)
    schema = tacet.Schema(_columns(), target=tacet.number("y", -100, 100), public_row_count=3000)
    return Case(frame, lambda: tacet.Ridge(
        epsilon=2, delta=1e-6, schema=schema, random_state=7, curves="auto", steps=20))


def squares(adjacency: str) -> Case:
    random = np.random.default_rng(4)
    frame = pandas.DataFrame({"a": random.integers(0, 100, 2000), "b": random.integers(0, 50, 2000)})
    frame["y"] = frame["a"] // 2 + frame["b"]
    schema = tacet.Schema([tacet.numeric("a", 0, 100), tacet.numeric("b", 0, 50)],
                          target=tacet.number("y", 0, 100), public_row_count=2000)
    return Case(frame, lambda: tacet.Ridge(epsilon=2, delta=1e-6, schema=schema, random_state=7,
                                           method="adassp", adjacency=adjacency))


def visits() -> Case:
    random = np.random.default_rng(5)
    frame = pandas.DataFrame({
        "who": [f"p{k // 3}" for k in range(900)], "x": random.uniform(size=900).round(3),
        "y": random.choice(["yes", "no"], 900)})
    schema = tacet.Schema([tacet.numeric("x", 0, 1)], unit="who", public_row_count=300, target=YES)
    return Case(frame, lambda: tacet.LogisticRegression(
        epsilon=1, delta=1e-6, schema=schema, random_state=7, method="gradient", steps=15,
        max_records_per_unit=2), whole="who", evaluated=False)


def adult() -> Case:
    read = tacet.Schema.load(ROOT / "data/schemas/adult.toml")
    frame = pandas.read_csv(ADULT, dtype=str, na_filter=False)[[*read.columns, read.target]]
    return Case(frame, lambda: tacet.LogisticRegression(
        epsilon=1, schema=tacet.Schema.load(ROOT / "data/schemas/adult.toml"), random_state=7),
        load=parts_load.words)


CASES: Dict[str, Callable[[], Case]] = {
    "released": released, "curves": curves, "classes": classes, "words": words, "sparse": sparse, "visits": visits,
    **{f"adassp-{adjacency}": functools.partial(squares, adjacency)
       for adjacency in ("add_remove", "zero_out", "replace_one")},
    **({"adult": adult} if ADULT.exists() else {}),
}


def expect_same(case: Case, counts: List[int], folder: pathlib.Path, engine: Any) -> None:
    """The model and the figures of one table, byte for byte."""
    whole = case.made().fit(case.frame)
    figures = dict(whole.evaluate(case.frame, epsilon=1, delta=1e-6, random_state=3)) \
        if case.evaluated else None
    for count in counts:
        parts = case.parts(count, folder / str(count), engine)
        found = case.made().fit(parts)
        assert found._model.to_bytes() == whole._model.to_bytes(), count
        if figures is not None:
            again = found.evaluate(parts, epsilon=1, delta=1e-6, random_state=3)
            assert dict(again) == figures, count


def main() -> None:
    from mpi4py import MPI
    from mpi4py.futures import MPIPoolExecutor

    folder = pathlib.Path(sys.argv[1])
    warnings.simplefilter("ignore")
    with MPIPoolExecutor() as pool:
        workers = pool.num_workers
        assert workers == MPI.COMM_WORLD.Get_size() - 1, "the other ranks are the workers"
        for name in sys.argv[2:]:
            expect_same(CASES[name](), [1, 4, 9], folder / name, pool)
    print(f"{len(sys.argv) - 2} cases on {workers} workers")


if __name__ == "__main__":
    main()
