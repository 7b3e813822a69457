"""What is declared once is the same everywhere, and what was fitted can be kept."""

from __future__ import annotations

import copy
import inspect
import json
import math
import pathlib
import pickle
import re
import subprocess
import sys
from decimal import Decimal
from typing import Any, Dict, List, Set

import joblib
import numpy as np
import pandas
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder

import tacet
from tacet import _engine, _options, _signature, events, schemas

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")
OWN = {"schema", "bounds", "target_bounds", "classes", "row_scaling", "intercept", "storage",
       "ledger", "data_set", "budget", "spool", "random_state", "n_jobs", "verbose", "callback"}


def arguments_of(function: Any) -> Set[str]:
    return set(inspect.signature(function).parameters) - {"self"}


def test_estimators_take_every_parameter_of_the_engine_and_nothing_else() -> None:
    known = {entry["name"].replace("-", "_") for entry in _engine.parameters()}
    assert arguments_of(tacet.LogisticRegression.__init__) == known | OWN


def test_the_declared_arguments_are_the_rows_of_the_table() -> None:
    assert pathlib.Path(_options.__file__).read_text("utf-8") == _signature.written(_engine)


def test_wide_estimators_take_every_parameter_of_wide_models() -> None:
    known = {entry["name"].replace("-", "_") for entry in _engine.parameters(wide=True)}
    assert arguments_of(tacet.WideClassifier.__init__) == known | OWN


def test_an_unknown_argument_is_an_error_that_names_the_class() -> None:
    with pytest.raises(TypeError, match=r"Ridge\.__init__\(\).*max_record_per_unit"):
        tacet.Ridge(epsilon=1, max_record_per_unit=1)  # type: ignore[call-arg]


def known_keys(**part: Any) -> Set[str]:
    """The keys that the engine lists where it meets one that it does not know."""
    with pytest.raises(tacet.DataError) as caught:
        _engine.Schema.from_json(json.dumps(part))
    found = re.search(r"known here: (.*)", str(caught.value))
    assert found, str(caught.value)
    return set(found.group(1).split(", "))


ODD = "zqxjkvwp"
COLUMNS = [schemas.numeric("a", 0, 1), schemas.date("a", "2020-01-01", "2021-01-01"),
           schemas.categorical("a", ["x"]), schemas.hashed("a"), schemas.text("a"),
           schemas.ids("a"), schemas.ids("a", count=5), schemas.crossed(["a", "b"]),
           schemas.ignored("a")]
TARGETS = [schemas.binary("t", "1"), schemas.multiclass("t", ["a", "b", "c"]),
           schemas.number("t", 0, 1), schemas.probability("t"), schemas.count("t", 9)]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column["kind"]))
def test_columns_have_an_argument_for_each_key(column: Any) -> None:
    keys = known_keys(column=[{**column, ODD: 1}]) - {"kind"}
    if column["kind"] != "crossed":
        keys -= {"names"}
    if "mean" in keys:
        keys |= {"standard_deviation"}  # asked for with the mean
    assert arguments_of(getattr(schemas, column["kind"])) == keys


def test_targets_have_an_argument_for_each_key() -> None:
    functions = (schemas.binary, schemas.multiclass, schemas.number, schemas.probability,
                 schemas.count)
    known = {"column", "kind", "positive", "classes", "lower", "class_weights"}
    for function, target in zip(functions, TARGETS):
        keys = known_keys(target={**target, ODD: 1})
        assert keys >= arguments_of(function), function
        known |= arguments_of(function)
        assert keys <= known, function


def test_schemas_have_an_argument_for_each_key() -> None:
    keys = known_keys(**{ODD: 1})
    fitted = {"cost", "curves", "projection", "selected_columns", "weight"}  # what others write, or refuse
    columns = {"column"}
    assert arguments_of(tacet.Schema.__init__) == keys - fitted - columns | {"columns"}


def test_features_have_an_argument_for_each_key() -> None:
    keys = known_keys(features={"count": 1, "lower": 0, "upper": 1, ODD: 1})
    assert arguments_of(schemas.numbered) == keys


@pytest.mark.parametrize("kind", events.KINDS, ids=lambda kind: str(kind.kind))
def test_events_are_those_of_the_engine(kind: Any) -> None:
    values = {"noise_multiplier": 1.5, "sigma": 2.0, "sensitivity": 1, "dimension": 1, "scale": 2.0,
              "epsilon": 0.5, "delta": 1e-6, "adjacency": "zero_out", "eta": 0.5, "gamma": 0.1,
              "score_bound": 1.0, "l2_sensitivity": 1.0, "range_sensitivity": 1.0, "candidates": 3,
              "support": 2, "rho": 0.1, "points": [(0.0, 0.1), (1.0, 0.01)], "lipschitz": 1.0,
              "smoothness": 1.0, "regularization": 1.0, "tolerance": 0.1, "output_sigma": 1.0,
              "local_epsilon": 1.0, "reports": 100, "rate": 0.1, "sample_size": 5,
              "population": 50, "assignment": "by_record", "count": 3, "law": "poisson",
              "mean": 2.0, "trials": 3, "probability": 0.5, "cap": 0, "max_records_per_unit": 1,
              "base": events.Gaussian(1.0), "parts": [events.Gaussian(1.0), events.Laplace(2.0)]}
    event = kind(**{name: values[name] for name in inspect.signature(kind).parameters})
    assert json.loads(event.to_json())["event"]["kind"] == kind.kind
    assert event == copy.deepcopy(event)


def test_events_of_every_law_can_be_said() -> None:
    for law, more in (("truncated_negative_binomial", {"eta": 0.5, "gamma": 0.1}),
                      ("binomial", {"trials": 3, "probability": 0.5})):
        event = events.RandomlyRepeated(law, events.Gaussian(3.0), **more)  # type: ignore[arg-type]
        assert json.loads(event.to_json())["event"]["law"] == law


def test_accounting_finds_what_the_program_finds(program: Any, tmp_path: pathlib.Path) -> None:
    event = events.Repeated(100, events.PoissonSampled(0.01, events.Gaussian(1.1)))
    found = tacet.account(event, delta=1e-6)
    path = tmp_path / "event.json"
    path.write_text(event.to_json())
    told = json.loads(program("account", path, "--delta=1e-6", "--json"))
    assert found.epsilon == told["epsilon"] and found.route == told["route"]
    assert 0 < found.lower <= found.epsilon
    assert tacet.account(event, epsilon=found.epsilon).delta <= 1.01e-6
    noise = tacet.calibrate(
        lambda s: events.Repeated(100, events.PoissonSampled(0.01, events.Gaussian(s))),
        epsilon=found.epsilon, delta=1e-6)
    assert abs(noise / 1.1 - 1) < 2e-3


def test_errors_are_those_that_python_knows() -> None:
    for kind, base in ((tacet.UsageError, ValueError), (tacet.DataError, ValueError),
                       (tacet.GuaranteeError, ValueError), (tacet.BudgetError, RuntimeError),
                       (tacet.NumericError, ArithmeticError), (tacet.IoError, OSError)):
        assert issubclass(kind, base) and issubclass(kind, tacet.Error)
    with pytest.raises(tacet.DataError) as caught:
        tacet.account(events.Gaussian(-1.0), delta=0)
    assert caught.value.kind == "data" and "noise_multiplier" in str(caught.value)
    with pytest.raises(tacet.IoError):
        tacet.load("/nowhere/model.json")


@pytest.fixture
def fitted(berkeley: pandas.DataFrame, schema: tacet.Schema) -> tacet.LogisticRegression:
    model = tacet.LogisticRegression(epsilon=1, schema=schema, random_state=1, steps=10)
    model.fit(berkeley)
    return model


def test_models_survive_files_pickles_and_processes(
    fitted: Any, berkeley: pandas.DataFrame, tmp_path: pathlib.Path, program: Any
) -> None:
    expected = fitted.predict_proba(berkeley)
    fitted.save(tmp_path / "model.json")
    with pytest.raises(tacet.IoError):
        fitted.save(tmp_path / "model.json")
    loaded = tacet.load(tmp_path / "model.json")
    assert np.array_equal(loaded.predict_proba(berkeley), expected)
    assert loaded.predict(berkeley).tolist() == fitted.predict(berkeley).tolist()
    for copied in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert np.array_equal(copied.predict_proba(berkeley), expected)
    parts = np.array_split(np.arange(len(berkeley)), 2)
    found = joblib.Parallel(n_jobs=2)(
        joblib.delayed(fitted.predict_proba)(berkeley.iloc[part]) for part in parts)
    assert np.array_equal(np.concatenate(found), expected)
    assert "UNPROTECTED" in program("verify", tmp_path / "model.json")  # a seed


def receipt_text(path: pathlib.Path) -> str:
    """A model file's receipt as it stands there, with the indentation of a text of its own."""
    lines = path.read_text().splitlines()
    first, last = lines.index(' "receipt": {'), lines.index(" },", lines.index(' "receipt": {'))
    inner = (line[1:] for line in lines[first + 1:last])
    return "\n".join(["{", *(2 * line[:len(line) - len(line.lstrip())] + line.lstrip()
                             for line in inner), "}"])


def test_receipts_are_the_files_own(fitted: Any, tmp_path: pathlib.Path) -> None:
    fitted.save(tmp_path / "model.json")
    receipt = json.loads((tmp_path / "model.json").read_text())["receipt"]
    assert dict(fitted.receipt_) == receipt
    assert fitted.receipt_.to_json() == receipt_text(tmp_path / "model.json")
    assert fitted.receipt_.algorithm == receipt["algorithm"]
    assert "UNPROTECTED" in fitted.receipt_.statement()  # a seed protects nobody
    assert "<script" not in fitted.receipt_._repr_html_()


def test_seeds_and_infinity_mark_for_ever(berkeley: pandas.DataFrame, schema: tacet.Schema) -> None:
    for more in ({"random_state": 1, "epsilon": 1}, {"epsilon": float("inf")}):
        with pytest.warns(tacet.PrivacyWarning, match="NONE"):
            model = tacet.LogisticRegression(schema=schema, **more).fit(berkeley)
        assert model.receipt_["unprotected_reason"]
    assert not tacet.LogisticRegression(schema=schema, epsilon=1).fit(berkeley).receipt_.get(
        "unprotected_reason")


def test_nothing_public_is_taken_from_the_data() -> None:
    X, y = np.zeros((20, 2)), np.array(["a", "b"] * 10)
    known: Dict[str, Any] = {"epsilon": 1, "bounds": (0, 1), "classes": ["a", "b"],
                             "public_row_count": 20}
    tacet.LogisticRegression(**known).fit(X, y)
    for missing, words in (("epsilon", "epsilon is missing"), ("bounds", "schema"),
                           ("classes", "observed"), ("public_row_count", "observed")):
        with pytest.raises(tacet.UsageError, match=words):
            tacet.LogisticRegression(**{**known, missing: None}).fit(X, y)
    with pytest.raises(tacet.UsageError, match="target_bounds"):
        tacet.Ridge(epsilon=1, bounds=(0, 1), public_row_count=20).fit(X, X[:, 0])
    for observed in ("classes", "public_row_count"):
        with pytest.warns(tacet.PrivacyWarning, match=observed):
            model = tacet.LogisticRegression(**{**known, observed: "observed"}).fit(X, y)
        assert observed in model.receipt_["notes"]["purpose"]
    del known["public_row_count"]
    tacet.LogisticRegression(**known, adjacency="replace_one").fit(X, y)


def test_scores_warn_unless_the_records_are_public(fitted: Any, berkeley: pandas.DataFrame) -> None:
    import warnings

    target = berkeley["admitted"]
    with pytest.warns(tacet.PrivacyWarning, match="public_evaluation"):
        found = fitted.score(berkeley, target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with tacet.public_evaluation():
            assert fitted.score(berkeley, target) == found


def test_units_are_protected_together(berkeley: pandas.DataFrame) -> None:
    part = tacet.categorical("sex", ["male", "female"], coding="sign")
    target = tacet.binary("admitted", positive="yes", negative="no")
    schema = tacet.Schema([part], target=target, unit="who", public_row_count=400)
    names = np.arange(len(berkeley)) // 10
    known: Dict[str, Any] = {"epsilon": 1, "schema": schema, "random_state": 1, "steps": 10}
    by_argument = tacet.LogisticRegression(**known).fit(berkeley, units=names)
    by_column = tacet.LogisticRegression(**known).fit(berkeley.assign(who=names))
    assert by_argument.receipt_["privacy_unit"] == "who"
    assert np.array_equal(by_argument.encoded_coef_, by_column.encoded_coef_)
    with pytest.raises(tacet.DataError, match="who"):
        tacet.LogisticRegression(**known).fit(berkeley)


def test_pipelines_and_clones(berkeley: pandas.DataFrame, schema: tacet.Schema) -> None:
    model = tacet.LogisticRegression(epsilon=1, schema=schema, random_state=2, steps=10)
    piped = make_pipeline(FunctionTransformer(), clone(model)).fit(berkeley, berkeley["admitted"])
    assert (piped.predict(berkeley) == model.fit(berkeley).predict(berkeley)).all()


def test_columns_go_through_a_transformer_of_columns(berkeley: pandas.DataFrame) -> None:
    ones = OneHotEncoder(categories=[list("ABCDEF")], sparse_output=True)  # public categories
    columns = ColumnTransformer([("department", ones, ["department"]),
                                 ("sex", OrdinalEncoder(categories=[["male", "female"]]), ["sex"])])
    model = tacet.LogisticRegression(epsilon=5, bounds=(0, 1), classes=["no", "yes"],
                                     public_row_count=4526)
    piped = make_pipeline(columns, model).fit(berkeley, berkeley["admitted"])
    assert piped[-1].n_features_in_ == 7
    assert (piped.predict(berkeley) == berkeley["admitted"]).mean() > 0.6


def test_units_go_through_metadata_routing(berkeley: pandas.DataFrame) -> None:
    schema = tacet.Schema([tacet.categorical("sex", ["male", "female"], coding="sign")], unit="who",
                          target=tacet.binary("admitted", positive="yes", negative="no"),
                          public_row_count=400)
    names = np.arange(len(berkeley)) // 10
    model = tacet.LogisticRegression(epsilon=1, schema=schema, random_state=1, steps=5)
    expected = clone(model).fit(berkeley, units=names).encoded_coef_
    with sklearn.config_context(enable_metadata_routing=True):
        piped = make_pipeline(FunctionTransformer(), model.set_fit_request(units=True))
        piped.fit(berkeley, berkeley["admitted"], units=names)
        scores = cross_val_score(piped, berkeley, berkeley["admitted"], cv=2,
                                 params={"units": names})
    assert np.array_equal(piped[-1].encoded_coef_, expected) and len(scores) == 2


def test_importing_takes_no_time_and_no_scikit_learn() -> None:
    words = "import sys, tacet; sys.exit('sklearn' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", words], check=False).returncode == 0


def test_every_name_is_there() -> None:
    names: List[str] = list(tacet.__all__)
    homes = {name for home in tacet._HOMES.values() for name in home}
    assert set(names) == homes | set(tacet._MODULES)
    for name in names:
        assert getattr(tacet, name) is not None
    assert tacet.__version__ == _engine.version


def test_plans_are_the_programs_and_read_nothing(program: Any, schema_file: pathlib.Path) -> None:
    known: Dict[str, Any] = {"epsilon": 1, "steps": 30}
    plan = tacet.LogisticRegression(schema=tacet.Schema.load(schema_file), **known).plan()
    told = json.loads(
        program("plan", "--schema", schema_file, "--epsilon=1", "--steps=30", "--json"))
    assert plan["method"] == told["method"] and plan["settings"]["steps"] == 30
    bounded = tacet.LogisticRegression(bounds=(0, 1), classes=[0, 1], public_row_count=500, **known)
    assert bounded.plan(n_features=4) == bounded.plan(np.int64(4))  # type: ignore[arg-type]
    assert bounded.plan(n_features=4)["epsilon"] <= 1
    with pytest.raises(tacet.UsageError, match="number of columns"):
        bounded.plan(np.zeros((10, 4)))  # type: ignore[arg-type]
    for observed in ("classes", "public_row_count"):
        with pytest.raises(tacet.UsageError, match="reads no records"):
            bounded.set_params(**{observed: "observed"}).plan(n_features=4)


def test_effects_are_in_original_units(fitted: Any) -> None:
    first = fitted.effects_[0][0]
    assert first["name"] == "sex=female|male" and first["step"] == "male to female"
    # One effect and one odds ratio of each column, whatever the length of a row.
    assert first["odds_ratio"] == pytest.approx(math.exp(first["effect"])) and first["noise_sd"] > 0
    # The intercept comes last, and every other column has its line.
    assert len(fitted.effects_[0]) == len(fitted.encoded_names_) + 1


def test_effects_of_curves_are_one_line_each() -> None:
    draw = np.random.default_rng(3)
    X = draw.uniform(0, 100, (2000, 1))
    y = np.where(np.abs(X[:, 0] - 50) < 25, "in", "out")
    model = tacet.LogisticRegression(epsilon=8, bounds={0: (0, 100)}, classes=["out", "in"], knots=8,
                                     public_row_count=2000, random_state=1).fit(X, y)
    curve = model.effects_[0][0]
    assert curve["range"] == pytest.approx(curve["max"] - curve["min"]) and curve["direction"]
    assert "step" not in curve and len(model.effects_[0]) == 2


def test_the_catalogue_has_the_schemas_of_the_sources() -> None:
    from conftest import ROOT

    names = {path.stem for path in (ROOT / "data/schemas").glob("*.toml")}
    assert set(schemas.catalogue()) == names
    assert schemas.adult() == tacet.Schema.load(ROOT / "data/schemas/adult.toml")


def test_equal_values_are_one_unit_and_missing_ones_are_nobodys() -> None:
    from tacet._columns import unit_names

    same = [1, 1.0, True, np.int64(1), np.float64(1), np.bool_(True), Decimal("1.00")]
    for units in (same, same[::-1]):
        assert unit_names(units) == ["1"] * len(same)
    missing = [None, float("nan"), pandas.NA, pandas.NaT, Decimal("NaN"), Decimal("sNaN"),
               np.datetime64("NaT")]
    assert unit_names(missing) == [None] * len(missing)
    assert unit_names(["a", "1", 2.5, float("inf")]) == ["a", "1", "2.5", "inf"]
    assert len(set(unit_names([10**400, 10**5000, -10**5000]))) == 3
    assert unit_names([(1, 2), (1, 2), (1, 3)]) == ["(1, 2)", "(1, 2)", "(1, 3)"]
    dates = np.array(["2020-01-01", "NaT"], dtype="M8[ns]")
    assert unit_names(dates)[1] is None and unit_names(dates)[0] is not None
