"""Functions of the package beside the program's commands: one seed, one result."""

from __future__ import annotations

import json
import pathlib
import warnings
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")
SEEDED: Dict[str, Any] = {"random_state": 7}


@pytest.fixture(scope="module")
def data_file(schema_file: pathlib.Path) -> pathlib.Path:
    return schema_file.parents[1] / "berkeley1973.csv"


@pytest.fixture(scope="module")
def model(berkeley: pandas.DataFrame, schema: tacet.Schema) -> Any:
    return tacet.LogisticRegression(epsilon=1, schema=schema, steps=20).fit(berkeley)


def test_verify_says_what_the_program_says(
    model: Any, program: Any, tmp_path: pathlib.Path
) -> None:
    model.save(tmp_path / "model.json")
    said = json.loads(program("verify", tmp_path / "model.json", "--json"))
    assert dict(tacet.verify(tmp_path / "model.json")) == said
    for result in (model, model.receipt_, json.loads(model.receipt_.to_json())):
        found = tacet.verify(result, protected=True)
        assert found.verdict == "follows" and found.recomputed == said["recomputed"]


def test_verify_refuses_what_does_not_follow(model: Any, tmp_path: pathlib.Path) -> None:
    forged = json.loads(model.receipt_.to_json())
    forged["guarantee"]["epsilon"] = 0.01
    with pytest.raises(tacet.GuaranteeError) as caught:
        tacet.verify(forged)
    assert caught.value.verdict is not None
    assert caught.value.verdict["verdict"] == "does not follow"
    seeded = tacet.LogisticRegression(epsilon=1, schema=tacet.Schema._of(model._model.schema),
                                      steps=5, random_state=1)
    seeded.fit(pandas.read_csv(pathlib.Path(__file__).parents[2] / "data/berkeley1973.csv"))
    assert tacet.verify(seeded).verdict == "unprotected"
    with pytest.raises(tacet.GuaranteeError, match="promises no privacy"):
        tacet.verify(seeded, protected=True)
    with pytest.raises(tacet.IoError):
        tacet.verify(tmp_path / "nothing.json")
    (tmp_path / "other.json").write_text("[1]")
    with pytest.raises(tacet.DataError):
        tacet.verify(tmp_path / "other.json")
    with pytest.raises(tacet.UsageError):
        tacet.verify(7)


def test_evaluate_finds_what_the_program_finds(
    model: Any, berkeley: pandas.DataFrame, data_file: pathlib.Path, program: Any,
    tmp_path: pathlib.Path,
) -> None:
    model.save(tmp_path / "model.json")
    cases: List[Tuple[Dict[str, Any], List[str]]] = [
        ({}, []), ({"by": "department", "threshold": 0.4}, ["--by=department", "--threshold=0.4"])]
    for options, words in cases:
        said = json.loads(program("evaluate", tmp_path / "model.json", data_file, "--epsilon=1",
                                  "--public-row-count=4526", "--seed=7", "--json", *words))
        target = model._model.schema.target
        forms = [(berkeley, None), (polars.from_pandas(berkeley), None),
                 (berkeley.drop(columns=target), berkeley[target])]
        for X, y in forms:
            found = model.evaluate(X, y, epsilon=1, public_row_count=4526, **SEEDED, **options)
            assert dict(found) == said
    loaded = tacet.load(tmp_path / "model.json")
    assert loaded.evaluate(berkeley, epsilon=1, public_row_count=4526, by="department",
                           threshold=0.4, **SEEDED) == found


@pytest.fixture
def numbers() -> Any:
    random = np.random.default_rng(3)
    X = random.random((400, 3))
    return X, 4 * X[:, 0] + 1


def test_evaluate_of_arrays(numbers: Any) -> None:
    X, y = numbers
    common: Dict[str, Any] = {"target_bounds": (0, 6), "public_row_count": 400}
    for bounds in ((0, 1), [(0, 1)] * 3):
        model = tacet.Ridge(epsilon=5, bounds=bounds, **common).fit(X, y)
        found = model.evaluate(X, y, epsilon=20, delta=1e-6)
        assert found.receipt.guarantee["epsilon"] <= 20
        assert found["r2"]["value"] <= 1 and found["r2"]["noise_sd"] > 0
        assert tacet.verify(found).verdict == "follows"
        with pytest.raises(tacet.DataError):
            model.evaluate(X, y[1:], epsilon=1, delta=1e-6)
        with pytest.raises(ValueError):
            model.evaluate(X[:, 1:], y, epsilon=1, delta=1e-6)


def test_evaluate_is_paid_for(numbers: Any, tmp_path: pathlib.Path) -> None:
    X, y = numbers
    model = tacet.Ridge(epsilon=5, bounds=(0, 1), target_bounds=(0, 6), public_row_count=400)
    model.fit(X, y)
    budget = tacet.Budget(1, 1e-5)
    model.evaluate(X, y, epsilon=0.75, delta=1e-6, budget=budget)
    assert budget.spent[0] == pytest.approx(0.75, rel=1e-2)
    with budget, pytest.raises(tacet.BudgetError):
        model.evaluate(X, y, epsilon=0.75, delta=1e-6)
    with pytest.raises(tacet.UsageError):
        model.evaluate(X, y, epsilon=0.1, delta=1e-6, budget=budget, **SEEDED)
    spent = budget.spent
    wrongs: List[Dict[str, Any]] = [
        {"delta": None}, {"epsilon": -1}, {"threshold": 0.5}, {"by": "x"}, {"adjacency": "any"},
        {"loss_cap": -1}]
    for wrong in wrongs:
        asked: Dict[str, Any] = {"epsilon": 0.1, "delta": 1e-6, "budget": budget}
        with pytest.raises(tacet.Error):
            model.evaluate(X, y, **{**asked, **wrong})
    assert budget.spent == spent
    ledger = tacet.Ledger.create(tmp_path / "a.ledger")
    ledger.enrol("people", epsilon=3, delta=1e-5)
    model.evaluate(X, y, epsilon=1, delta=1e-6, ledger=ledger)
    run, = ledger.show()[0]["runs"]
    assert run["command"] == "evaluate" and run["state"] == "committed"
    ledger.enrol("others", epsilon=3, delta=1e-5)
    with pytest.raises(tacet.BudgetError):  # these records are the people's
        model.evaluate(X, y, epsilon=1, delta=1e-6, ledger=ledger, data_set="others")
    with pytest.raises(tacet.UsageError):
        model.evaluate(X, y, epsilon=1, delta=1e-6, ledger=ledger)
    assert ledger.show()[0]["spent"]["value"] == pytest.approx(1)


@pytest.fixture(scope="module")
def people() -> pandas.DataFrame:
    random = np.random.default_rng(11)
    ages = random.integers(18, 90, 6000)
    return pandas.DataFrame({
        "who": [f"p{k}" for k in random.integers(0, 3000, 6000)],
        "age": ages,
        "pay": np.round(random.gamma(2, 900, 6000), 2),
        "town": random.choice(["Rome", "Oslo", "", "Bern"], 6000, p=[0.5, 0.3, 0.1, 0.1]),
        "ok": random.random(6000) < 0.4,
        "born": pandas.to_datetime("2020-01-01") - pandas.to_timedelta(ages * 365, unit="D"),
    })


@pytest.fixture(scope="module")
def people_file(people: pandas.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("people") / "people.csv"
    people.to_csv(path, index=False)
    return path


def people_schema(**more: Any) -> tacet.Schema:
    return tacet.Schema(
        [tacet.numeric("age", 18, 90), tacet.numeric("pay", 0, 20000, log1p=True),
         tacet.categorical("town", ["Rome", "Oslo"]),
         tacet.date("born", "1930-01-01", "2020-01-01")],
        target=tacet.binary("ok", positive="True", negative="False"), public_row_count=6000, **more)


def forms_of(frame: pandas.DataFrame) -> List[Any]:
    return [frame, polars.from_pandas(frame), pyarrow.Table.from_pandas(frame),
            {name: frame[name].to_numpy() for name in frame}]


@pytest.mark.parametrize("unit", [None, "who"])
def test_describe_finds_what_the_program_finds(
    unit: Any, people: pandas.DataFrame, people_file: pathlib.Path, program: Any,
    tmp_path: pathlib.Path,
) -> None:
    people_schema(unit=unit).save(tmp_path / "s.toml")
    schema = tacet.Schema.load(tmp_path / "s.toml")
    more: Dict[str, Any] = {} if unit is None else {"max_records_per_unit": 2}
    words = [] if unit is None else ["--max-records-per-unit=2"]
    said = json.loads(program("describe", people_file, "--schema", tmp_path / "s.toml",
                              "--epsilon=1", "--delta=1e-7", "--seed=3", "--json", *words))
    for data in [people_file, *forms_of(people)]:
        found = tacet.describe(data, schema=schema, epsilon=1, delta=1e-7, random_state=3, **more)
        assert dict(found) == said
    assert found.receipt.unprotected_reason
    secure = tacet.describe(people, schema=schema, epsilon=1, **more)
    assert tacet.verify(secure, protected=True).verdict == "follows"


def test_quantile_finds_what_the_program_finds(
    people: pandas.DataFrame, people_file: pathlib.Path, program: Any, tmp_path: pathlib.Path
) -> None:
    people_schema().save(tmp_path / "s.toml")
    schema = tacet.Schema.load(tmp_path / "s.toml")
    for column, more in (("age", {}), ("pay", {"q": 0.9, "upper": 9000.0, "step": 10.0}),
                         ("born", {"adjacency": "add_remove"})):
        words = [f"--{name}={value}" for name, value in more.items()]
        said = json.loads(program("quantile", people_file, "--schema", tmp_path / "s.toml",
                                  "--column", column, "--epsilon=0.5", "--seed=3", "--json",
                                  *words))
        for data in [people_file, *forms_of(people)]:
            asked: Dict[str, Any] = dict(more)
            found = tacet.quantile(data, column, schema=schema, epsilon=0.5, random_state=3,
                                   **asked)
            assert dict(found) == said
    assert found["date"] == said["date"] and float(found) == said["value"]


@pytest.mark.parametrize("unit", ["", "who"])
def test_fitted_schemas_are_the_programs(
    unit: str, people: pandas.DataFrame, people_file: pathlib.Path, program: Any
) -> None:
    words = ["--unit=who", "--max-records-per-unit=2"] if unit else []
    more: Dict[str, Any] = {"unit": "who", "max_records_per_unit": 2} if unit else {}
    said = program("schema", "fit", people_file, "--epsilon=4", "--target=ok", "--positive=True",
                   "--public-row-count=6000", "--ignore=born", "--seed=3", *words)
    for data in [people_file, *forms_of(people.assign(ok=people["ok"].astype(str)))]:
        schema = tacet.Schema.fit(data, epsilon=4, target="ok", positive="True", ignore=["born"],
                                  public_row_count=6000, random_state=3, **more)
        assert schema.to_toml() == said
    assert schema.receipt is not None and schema.receipt.unprotected_reason


def test_a_fit_of_a_schema_is_booked_once(people: pandas.DataFrame, tmp_path: pathlib.Path) -> None:
    ledger = tacet.Ledger.create(tmp_path / "a.ledger")
    ledger.enrol("people", epsilon=5, delta=1e-4)
    paid: Dict[str, Any] = {"ledger": ledger, "data_set": "people"}
    schema = tacet.Schema.fit(people[["age", "pay", "ok"]], epsilon=2, target="ok",
                              positive="true", public_row_count=6000, **paid)
    for _ in range(2):
        model = tacet.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, **paid).fit(people)
    assert [run["state"] for run in ledger.show()[0]["runs"]] == ["committed"] * 3
    assert ledger.show()[0]["spent"]["value"] == pytest.approx(4, rel=1e-2)
    assert tacet.verify(model, protected=True).verdict == "follows"
    budget = tacet.Budget(5, 1e-4)
    tacet.describe(people, schema=schema, epsilon=1, budget=budget)
    assert budget.spent[0] == pytest.approx(3, rel=1e-2)


def test_a_first_record_is_no_line_of_names(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("alice,rome,teacher\n" * 3000)
    wrongs: List[Callable[[], object]] = [
        lambda: tacet.Schema.fit(file, epsilon=1, header=False),
        lambda: tacet.Schema.draft(file, public=True, header=False)]
    for spend in wrongs:
        with pytest.raises(tacet.UsageError, match="first record"):
            spend()


def test_whoever_makes_errors_of_warnings_keeps_what_was_paid(
    people: pandas.DataFrame, capsys: Any
) -> None:
    budget = tacet.Budget(5, 1e-4)
    table = people[["age", "pay"]].assign(gone=np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = tacet.Schema.fit(table, epsilon=4, public_row_count=6000, budget=budget)
    assert budget.spent[0] > 0 and schema.columns == ["age", "pay"]
    assert "about column 'gone', which is ignored" in capsys.readouterr().err


def test_parts_of_a_file_with_an_account_name_it(tmp_path: pathlib.Path, program: Any,
                                                 people_file: pathlib.Path) -> None:
    data = tmp_path / "people.csv"
    data.write_bytes(people_file.read_bytes())
    program("ledger", "init", tmp_path / "a.ledger", "--data-set=people", "--epsilon=2",
            "--delta=1e-6", "--data", data)
    with pytest.warns(tacet.PrivacyWarning, match="account 'people'"):
        tacet.split(data)


def test_files_keep_their_accounts(
    people: pandas.DataFrame, people_file: pathlib.Path, program: Any, tmp_path: pathlib.Path
) -> None:
    data = tmp_path / "people.csv"
    data.write_bytes(people_file.read_bytes())
    program("ledger", "init", tmp_path / "a.ledger", "--data-set=people", "--epsilon=2",
            "--delta=1e-6", "--data", data)
    schema = people_schema()
    asked: Dict[str, Any] = {"schema": schema, "epsilon": 1.0, "delta": 0.0}
    with pytest.raises(tacet.BudgetError):
        tacet.describe(data, **asked)
    with pytest.raises(tacet.BudgetError):
        tacet.Schema.draft(data, public=True)
    with pytest.raises(tacet.BudgetError):
        tacet.describe(data, budget=tacet.Budget(9), **asked)
    ledger = tacet.Ledger(tmp_path / "a.ledger")
    tacet.describe(data, ledger=ledger, **asked)
    assert ledger.show()[0]["spent"]["value"] == pytest.approx(1)
    with pytest.raises(tacet.BudgetError):
        tacet.quantile(data, "age", schema=schema, epsilon=1.5, adjacency="add_remove",
                       ledger=ledger)


def test_drafts_are_the_programs(
    people: pandas.DataFrame, people_file: pathlib.Path, program: Any
) -> None:
    frame = people.assign(ok=people["ok"].map({True: "True", False: "False"}))
    said = program("schema", "draft", people_file, "--public", "--target=ok")
    assert tacet.Schema.draft(people_file, public=True, target="ok").remarks == said
    for data in forms_of(frame):
        drafted = tacet.Schema.draft(data, public=True, target="ok")
        expected = tacet.Schema.draft(people_file, public=True, target="ok").to_dict()
        assert {**drafted.to_dict(), "name": expected["name"]} == expected
    with pytest.raises(tacet.UsageError):
        tacet.Schema.draft(frame)


def test_what_is_wrong_costs_nothing(people: pandas.DataFrame, tmp_path: pathlib.Path) -> None:
    budget = tacet.Budget(5, 1e-4)
    schema = people_schema()
    paid: Dict[str, Any] = {"budget": budget}
    wrongs: List[Callable[[], object]] = [
        lambda: tacet.describe(people, schema=schema, epsilon=0, **paid),
        lambda: tacet.describe(people, schema=schema, epsilon=1, delta=2, **paid),
        lambda: tacet.describe(people, schema=schema, epsilon=1, adjacency="x", **paid),
        lambda: tacet.describe(people, schema=schema, epsilon=1, max_records_per_unit=2, **paid),
        lambda: tacet.describe(people.drop(columns="age"), schema=schema, epsilon=1, **paid),
        lambda: tacet.describe(people.to_numpy(), schema=schema, epsilon=1, **paid),
        lambda: tacet.describe(tmp_path / "none.csv", schema=schema, epsilon=1, **paid),
        lambda: tacet.describe({"age": [[1, 2]]}, schema=schema, epsilon=1, **paid),
        lambda: tacet.quantile(people, "town", schema=schema, epsilon=1, **paid),
        lambda: tacet.quantile(people, "age", schema=schema, epsilon=1, q=2, **paid),
        lambda: tacet.quantile(people, "age", schema=people_schema(unit="who"), epsilon=1,
                               adjacency="add_remove", **paid),
        lambda: tacet.Schema.fit(people, epsilon=1, target="nowhere", **paid),
        lambda: tacet.Schema.fit(people, epsilon=1, coverage=2, **paid),
        lambda: tacet.Schema.fit(people, epsilon=1, max_records_per_unit=2, **paid),
        lambda: tacet.Schema.fit(people.to_numpy(), epsilon=1, **paid),
        lambda: tacet.Schema.fit(people, epsilon=1, **paid),  # has a column of dates
        lambda: tacet.describe(people.assign(age=people["born"]), schema=schema, epsilon=1,
                               adjacency="add_remove", **paid),
        lambda: tacet.quantile(people.assign(born=people["age"]), "born", schema=schema, epsilon=1,
                               adjacency="add_remove", **paid),
    ]
    for wrong in wrongs:
        with pytest.raises(tacet.Error):
            wrong()
    assert budget.spent == (0, 0)


def test_dates_of_pythons_own_are_dates(people: pandas.DataFrame) -> None:
    schema = people_schema()
    own = people.assign(born=people["born"].dt.date)
    for column in ("born", "age"):
        found = [tacet.quantile(data, column, schema=schema, epsilon=1, random_state=2)
                 for data in (people, own)]
        assert found[0] == found[1]


def test_accounts_know_the_same_records_whatever_reads_them(
    people: pandas.DataFrame, tmp_path: pathlib.Path
) -> None:
    ledger = tacet.Ledger.create(tmp_path / "a.ledger")
    for name in ("people", "others"):
        ledger.enrol(name, epsilon=9, delta=1e-4)
    schema = people_schema()
    tacet.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, ledger=ledger,
                             data_set="people").fit(people)
    asked: Dict[str, Any] = {"schema": schema, "epsilon": 1, "ledger": ledger}
    with pytest.raises(tacet.BudgetError):
        tacet.describe(people[people.columns[::-1]], data_set="others", **asked)
    with pytest.raises(tacet.BudgetError):
        tacet.quantile(people, "age", adjacency="add_remove", data_set="others", **asked)
    tacet.describe(people, data_set="people", **asked)
    assert [account["spent"]["value"] for account in ledger.show()] == \
        [pytest.approx(2, rel=1e-2), 0]
