"""Plans, tuning, splits and word vectors beside the program's."""

from __future__ import annotations

import json
import os
import pathlib
import pickle
import re
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse

import tacet
from tacet import splitting

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")


def test_plans_are_the_programs(schema: tacet.Schema, schema_file: pathlib.Path, program: Any
                                ) -> None:
    cases: List[Tuple[Dict[str, Any], List[str]]] = [
        ({"epsilon": 1}, ["--epsilon=1"]),
        ({"epsilon": 0.5, "method": "gradient", "steps": 7, "clipping_norm": 0.5},
         ["--epsilon=0.5", "--method=gradient", "--steps=7", "--clipping-norm=0.5"]),
        ({"total_epsilon": 2, "delta": 0}, ["--total-epsilon=2", "--delta=0"])]
    for options, words in cases:
        said = json.loads(program("plan", "--schema", schema_file, "--json", *words))
        planned = dict(tacet.plan(schema, **options))
        # Each front end spells parameters as its users type them.
        said["reasons"] = [re.sub(r"--([a-z][a-z-]*)", lambda name: f"`{name[1].replace('-', '_')}`",
                                  reason) for reason in said["reasons"]]
        assert planned == said
    wrongs: List[Dict[str, Any]] = [{}, {"epsilon": 1, "total_epsilon": 1},
                                    {"epsilon": 1, "stepps": 3}]
    for wrong in wrongs:
        with pytest.raises(tacet.UsageError):
            tacet.plan(schema, **wrong)


def test_rates_are_the_programs(program: Any) -> None:
    said = json.loads(program("rates", "--rows", "1000,1e6", "--columns", 50, "--epsilon", "0.1,1",
                              "--radius", 2, "--row-norm", 3, "--json"))
    assert tacet.rates([1000, 1e6], 50, epsilon=[0.1, 1], radius=2, row_norm=3) == said
    wrongs: List[Dict[str, Any]] = [{"rank": 60}, {"epsilon": 0}, {"slope": float("inf")},
                                    {"radius": "x"}]
    for wrong in wrongs:
        with pytest.raises(tacet.UsageError):
            tacet.rates(10, 50, **wrong)


GRID = """[values]
steps = [5, 10]
clipping-norm = [0.5, 1]
[weights]
steps = [1, 2]
"""


def test_tuned_models_are_the_programs(
    berkeley: pandas.DataFrame, schema_file: pathlib.Path, program: Any, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "grid.toml").write_text(GRID)
    program("tune", schema_file.parents[1] / "berkeley1973.csv", "--schema", schema_file, "--grid",
            tmp_path / "grid.toml", "--epsilon=2", "--trials=3", "--seed=5", "--output",
            tmp_path / "program.json")
    schema = tacet.Schema.load(schema_file)
    lists = {"steps": [5, 10], "clipping_norm": [0.5, 1]}
    grids: List[Dict[str, Any]] = [{"grid": tmp_path / "grid.toml"},
                                   {"grid": lists, "weights": {"steps": [1, 2]}}]
    for k, grid in enumerate(grids):
        for j, (X, y) in enumerate([(berkeley, None),
                                    (berkeley.drop(columns="admitted"), berkeley["admitted"])]):
            model = tacet.LogisticRegression(epsilon=2, schema=schema, random_state=5)
            tuned = tacet.tune(model, X, y, trials=3, **grid)
            tuned.save(tmp_path / f"{k}{j}.json")
            assert (tmp_path / f"{k}{j}.json").read_bytes() == \
                (tmp_path / "program.json").read_bytes()
    assert not hasattr(model, "coef_") and tuned.plan_["method"] == "tune"


def test_none_in_a_grid_leaves_the_choice_to_the_plan(
    berkeley: pandas.DataFrame, schema_file: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    schema = tacet.Schema.load(schema_file)
    candidates: List[Dict[str, Any]] = [
        {"clipping_norm": 1, "weight": 2}, {"clipping_norm": None, "weight": 1},
        {"steps": 10, "clipping_norm": 1, "weight": 6},
        {"steps": 10, "clipping_norm": None, "weight": 3}]
    grids: List[Dict[str, Any]] = [
        {"grid": {"steps": [None, 10], "clipping_norm": [1, None]},
         "weights": {"steps": [1, 3], "clipping_norm": [2, 1]}},
        {"grid": candidates}]
    found = []
    for k, grid in enumerate(grids):
        model = tacet.LogisticRegression(epsilon=2, schema=schema, random_state=5)
        tacet.tune(model, berkeley, trials=3, **grid).save(tmp_path / f"{k}.json")
        found.append((tmp_path / f"{k}.json").read_bytes())
    assert found[0] == found[1] and b"defaults" in found[0]
    model = tacet.LogisticRegression(epsilon=2, schema=schema, steps=7)
    with pytest.raises(tacet.UsageError, match="steps is an argument of the estimator and in the grid"):
        tacet.tune(model, berkeley, grid={"steps": [None]}, trials=3)
    with pytest.raises(tacet.UsageError, match="steps has 2 values and 1 weights"):
        tacet.tune(model, berkeley, grid={"steps": [None, 2]}, weights={"steps": [1]}, trials=3)


def test_tuning_is_paid_once() -> None:
    random = np.random.default_rng(1)
    X = random.random((3000, 3))
    y = np.where(X[:, 0] > 0.5, "b", "a")
    budget = tacet.Budget(2, 1e-5)
    model = tacet.LogisticRegression(epsilon=1, delta=1e-6, bounds=(0, 1), classes=["a", "b"],
                                     public_row_count=3000, budget=budget)
    candidates: List[Dict[str, Any]] = [{"steps": 5, "weight": 2},
                                        {"steps": 9, "method": "gradient"}]
    tuned = tacet.tune(model, X, y, grid=candidates, trials=2)
    assert budget.spent == pytest.approx((1, 1e-6), rel=1e-2)
    assert tacet.verify(tuned, protected=True).verdict == "follows"
    assert set(tuned.predict(X)) <= {"a", "b"}
    spent = budget.spent
    wrongs: List[Dict[str, Any]] = [
        {"grid": {}}, {"grid": {"stepps": [1]}}, {"grid": {"steps": 5}}, {"grid": [{"steps": [5]}]},
        {"grid": [3]}, {"grid": candidates, "law": "any"}, {"grid": candidates, "score": "any"},
        {"grid": candidates, "trials": 0.5}, {"grid": candidates, "holdout": 2},
        {"grid": candidates, "weights": {"steps": [1]}}, {"grid": {"steps": [True]}}]
    for wrong in wrongs:
        with pytest.raises(tacet.Error):
            tacet.tune(model, X, y, **wrong)
    assert budget.spent == spent


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Tuple[pandas.DataFrame, pathlib.Path]:
    random = np.random.default_rng(4)
    frame = pandas.DataFrame({"person": [f"p{k}" for k in random.integers(0, 200, 1000)],
                              "answer": random.choice(["yes", "no", "maybe"], 1000),
                              "number": random.integers(0, 9, 1000)})
    path = tmp_path_factory.mktemp("survey") / "survey.csv"
    frame.to_csv(path, index=False)
    return frame, path


@pytest.mark.parametrize("how", [{}, {"by": "person", "test": 0.3}, {"stratify": "answer"},
                                 {"stratify": "number", "seed": 9}])
def test_splits_are_the_programs(how: Dict[str, Any], survey: Any, program: Any,
                                 tmp_path: pathlib.Path) -> None:
    frame, path = survey
    names = tmp_path / "train.csv", tmp_path / "test.csv"
    program("split", path, "--train-output", names[0], "--test-output", names[1],
            *(f"--{name}={value}" for name, value in how.items()))
    expected = [pandas.read_csv(name) for name in names]
    forms: List[Any] = [frame, frame.set_index(np.arange(len(frame))[::-1]),
                        polars.from_pandas(frame), pyarrow.Table.from_pandas(frame),
                        {name: frame[name].to_numpy() for name in frame}]
    for data in forms:
        parts = tacet.split(data, **how)
        for part, one in zip(parts, expected):
            assert isinstance(part, type(data))
            found = pandas.DataFrame({name: np.asarray(part[name]) for name in frame})
            assert found.equals(one.astype(found.dtypes.to_dict()))
    own = tacet.split(path, train_output=str(tmp_path / "a.csv"),
                      test_output=str(tmp_path / "b.csv"), **how)
    assert [pathlib.Path(name).read_bytes() for name in own] == [n.read_bytes() for n in names]


def test_splits_of_arrays(survey: Any, tmp_path: pathlib.Path) -> None:
    X = np.arange(100).reshape(50, 2)
    train, test = tacet.split(X)
    assert len(train) == 40 and len(test) == 10
    assert np.array_equal(np.sort(np.concatenate([train, test]), axis=0), X)
    sparse = tacet.split(scipy.sparse.csr_matrix(X))
    assert np.array_equal(sparse[1].toarray(), test)
    with pytest.warns(tacet.PrivacyWarning, match="NOT PRIVATE"):
        tacet.split(X)
    wrongs: List[Callable[[], object]] = [
        lambda: tacet.split(X, by="a"), lambda: tacet.split(X, test=1.0),
        lambda: tacet.split(X[:1]), lambda: tacet.split(survey[0], by="nobody"),
        lambda: tacet.split(survey[0], by="person", stratify="answer"),
        lambda: tacet.split(X, train_output="a"), lambda: tacet.split(tmp_path / "none.csv")]
    for wrong in wrongs:
        with pytest.raises(tacet.Error):
            wrong()
    assert splitting._part_name("a/b.csv.gz", "test") == "a/b_test.csv"


def test_parts_do_not_replace_the_records_nor_each_other(survey: Any, tmp_path: pathlib.Path) -> None:
    path, link = tmp_path / "records.csv", tmp_path / "link.csv"
    path.write_bytes(pathlib.Path(survey[1]).read_bytes())
    os.link(path, link)
    before = path.read_bytes()
    for names in ((path, tmp_path / "t.csv"), (tmp_path / "t.csv", link), (tmp_path / "t.csv", tmp_path / "." / "t.csv")):
        with pytest.raises(tacet.UsageError, match="name other files"):
            tacet.split(path, train_output=str(names[0]), test_output=str(names[1]), overwrite=True)
    assert path.read_bytes() == before and not (tmp_path / "t.csv").exists()


def test_audits_are_the_programs(program: Any, tmp_path: pathlib.Path) -> None:
    assert tacet.audit.list() == json.loads(program("audit", "list", "--json"))["audits"]
    said = json.loads(program("audit", "run", "gaussian", "--epsilon=2", "--delta=1e-6",
                              "--trials=3000", "--audit-seed=4", "--json"))
    known: Dict[str, Any] = {"epsilon": 2, "delta": 1e-6, "trials": 3000, "audit_seed": 4}
    for threads in (1, 2):
        found = dict(tacet.audit.run("gaussian", threads=threads, **known))
        assert {**found, "seconds": 0} == {**said, "seconds": 0}
    path = tmp_path / "s.toml"
    schema = tacet.Schema([tacet.numeric("x", 0, 1)], public_row_count=8,
                          target=tacet.binary("y", positive="1", negative="0"))
    path.write_text(schema.to_toml())
    said = json.loads(program("audit", "train", "--schema", path, "--method=output", "--epsilon=1",
                              "--delta=1e-5", "--trials=300", "--json"))
    attacked = tacet.audit.train(schema, epsilon=1, delta=1e-5, method="output", trials=300)
    assert {**dict(attacked), "seconds": 0} == {**said, "seconds": 0}
    attacked.report(tmp_path / "page.html")
    assert "claimed: no test is below" in (tmp_path / "page.html").read_text()
    with pytest.raises(tacet.IoError):
        attacked.report(tmp_path / "page.html")
    assert pickle.loads(pickle.dumps(attacked)) == attacked


@pytest.mark.parametrize("wrong, words", [
    (lambda: tacet.audit.run("nothing"), "there is no audit 'nothing'; there are gaussian"),
    (lambda: tacet.audit.run("laplace", delta=1e-5), "laplace is pure: leave out delta"),
    (lambda: tacet.audit.run("output", adjacency="add_remove"), "proved under replace_one"),
    (lambda: tacet.audit.run("gaussian", confidence=1), "between 0 and 1, got 1"),
    (lambda: tacet.audit.run("laplace", epsilon=20, trials=1000), "no number of trials could refute epsilon 20"),
    (lambda: tacet.audit.run("laplace", trials=10), "must be at least 100, got 10"),
    (lambda: tacet.audit.run("laplace", audit_seed=-1), "audit_seed must be from 0"),
    (lambda: tacet.audit.train(tacet.schemas.adult(), epsilon=float("inf")), "without noise"),
    (lambda: tacet.audit.train(tacet.schemas.adult(), epsilon=1, step=3), "no option 'step'"),
])
def test_audits_refuse_what_makes_no_sense(wrong: Callable[[], object], words: str) -> None:
    with pytest.raises(tacet.UsageError, match=re.escape(words)):
        wrong()
