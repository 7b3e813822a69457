"""With one seed the model file of a fit is that of the program, byte by byte."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Callable, Dict, List

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse

import tacet

METHODS: Dict[str, Dict[str, Any]] = {
    "auto": {}, "gradient": {}, "output": {}, "phased": {}, "objective": {},
    "regularized-output": {}, "ladder": {}, "localized": {}, "adassp": {}, "growth": {},
    "phased-erm": {}, "inverse-sensitivity": {}, "sparse-groups": {"group_column": "department"},
}
pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")


def columns_of(frame: pandas.DataFrame) -> Dict[str, Any]:
    return {name: frame[name].to_numpy() for name in frame}


def words_of(options: Dict[str, Any]) -> List[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]


FORMS: Dict[str, Callable[[pandas.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "categoricals": lambda frame: frame.astype("category"),
    "another index": lambda frame: frame.set_index(np.arange(len(frame))[::-1]),
    "polars": polars.from_pandas,
    "pyarrow": lambda frame: pyarrow.Table.from_pandas(frame, preserve_index=False),
    "columns": columns_of,
}


def saved(model: Any, path: pathlib.Path) -> bytes:
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_trains_the_same_model(
    method: str, program: Any, berkeley: pandas.DataFrame, schema_file: pathlib.Path,
    tmp_path: pathlib.Path,
) -> None:
    options = METHODS[method]
    words = words_of(options)
    program("train", schema_file.parents[1] / "berkeley1973.csv", "--schema", schema_file,
            "--epsilon=1", "--method", method, "--seed=7", "--output", tmp_path / "program.json",
            *words)
    model = tacet.LogisticRegression(
        epsilon=1, method=method, schema=tacet.Schema.load(schema_file), random_state=7, **options)
    model.fit(berkeley)
    assert saved(model, tmp_path / "python.json") == (tmp_path / "program.json").read_bytes()


def test_another_order_is_all_that_a_file_says_more(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    found = []
    for k, frame in enumerate((berkeley, berkeley[["department", "sex", "admitted"]])):
        model = tacet.LogisticRegression(epsilon=1, schema=schema, random_state=3, steps=20)
        found.append(json.loads(saved(model.fit(frame), tmp_path / f"{k}.json")))
        del found[k]["checksum"]
    assert found[1].pop("python") == {"columns": ["department", "sex"], "values": "records"}
    assert found[0] == found[1]


LONG = bool(os.environ.get("TACET_LONG"))
ON_ADULT = {**METHODS, "sparse-groups": {"group_column": "workclass"}}
QUICK = ("auto", "output", "objective", "adassp")
ADULT = pathlib.Path(os.environ.get("TACET_DATA", "/nowhere")) / "adult/adult.train.csv.gz"


@pytest.mark.skipif(not ADULT.exists(), reason="TACET_DATA has no adult")
@pytest.mark.parametrize("method", ON_ADULT if LONG else QUICK)
def test_adult_trains_the_same_model(method: str, program: Any, tmp_path: pathlib.Path) -> None:
    schema = pathlib.Path(__file__).parents[2] / "data/schemas/adult.toml"
    options = ON_ADULT[method]
    program("train", ADULT, "--schema", schema, "--epsilon=1", "--method", method, "--seed=7",
            "--output", tmp_path / "program.json", *words_of(options))
    expected = (tmp_path / "program.json").read_bytes()
    read = tacet.Schema.load(schema)
    frame = pandas.read_csv(ADULT, na_filter=False)[[*read.columns, read.target]]
    forms = [frame, polars.from_pandas(frame), pyarrow.Table.from_pandas(frame), columns_of(frame)]
    for k, table in enumerate(forms):
        model = tacet.LogisticRegression(epsilon=1, method=method, schema=tacet.Schema.load(schema),
                                         random_state=7, **options)
        assert saved(model.fit(table), tmp_path / f"{k}.json") == expected


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_trains_the_same_model(
    form: str, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    def fitted(table: Any, **more: Any) -> bytes:
        model = tacet.LogisticRegression(epsilon=1, schema=schema, random_state=3, steps=20)
        return saved(model.fit(table, **more), tmp_path / f"{len(list(tmp_path.iterdir()))}.json")

    expected = fitted(berkeley)
    assert fitted(FORMS[form](berkeley)) == expected
    target = berkeley[schema.target].to_numpy()
    assert fitted(FORMS[form](berkeley.drop(columns=schema.target)), y=target) == expected


def bounded(**more: Any) -> tacet.LogisticRegression:
    return tacet.LogisticRegression(epsilon=1, bounds=(-1, 2), classes=["a", "b"], steps=10,
                                    public_row_count=300, random_state=5, **more)


@pytest.fixture(scope="module")
def numbers() -> Any:
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 4)) * (random.random((300, 4)) < 0.5)
    return X, np.where(X[:, 0] > 0, "b", "a")


def coefficients(X: Any, y: Any, **more: Any) -> Any:
    model = bounded(**more).fit(X, y)
    return np.append(model.encoded_coef_, model.encoded_intercept_)


def test_layouts_of_arrays_do_not_matter(numbers: Any, tmp_path: pathlib.Path) -> None:
    X, y = numbers
    expected = coefficients(X, y)
    wide = np.zeros((600, 8))
    wide[::2, ::2] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    np.save(tmp_path / "x.npy", X)
    for form in (np.asfortranarray(X), X.astype(">f8"), wide[::2, ::2], read_only,
                 pandas.DataFrame(X).to_numpy(), np.load(tmp_path / "x.npy", mmap_mode="r")):
        assert np.array_equal(coefficients(form, y), expected)


def test_sparse_matrices_equal_dense_ones(numbers: Any) -> None:
    X, y = numbers
    expected = coefficients(X, y)
    coo = scipy.sparse.coo_matrix(X)
    shuffled = np.random.default_rng(2).permutation(coo.nnz)
    halves = scipy.sparse.coo_matrix(
        (np.concatenate([coo.data / 2, coo.data[shuffled] / 2]),
         (np.concatenate([coo.row, coo.row[shuffled]]),
          np.concatenate([coo.col, coo.col[shuffled]]))), shape=coo.shape)
    for form in (scipy.sparse.csr_matrix(X), scipy.sparse.csc_matrix(X), coo, halves,
                 scipy.sparse.csr_array(X)):
        assert np.array_equal(coefficients(form, y), expected)
    assert np.array_equal(coefficients(scipy.sparse.csr_matrix(X), y, storage="sparse"), expected)


def test_threads_do_not_matter(numbers: Any) -> None:
    X, y = numbers
    assert len({coefficients(X, y, threads=threads).tobytes() for threads in (1, 2, 3)}) == 1


def test_bounds_a_column_equal_a_schema(numbers: Any) -> None:
    X, y = numbers
    pairs = [(-1, 1), (-2, 2), (0, 3), (-1, 5)]
    known: Dict[str, Any] = {"epsilon": 1, "steps": 10, "public_row_count": 300, "random_state": 5}
    model = tacet.LogisticRegression(bounds=pairs, classes=["a", "b"], **known).fit(X, y)
    schema = tacet.Schema([tacet.numeric(f"x{k}", *pair) for k, pair in enumerate(pairs)],
                          target=tacet.binary("target", positive="b", negative="a"))
    named = tacet.LogisticRegression(schema=schema, **known).fit(X, y)
    assert np.array_equal(model.encoded_coef_, named.encoded_coef_)
    assert (model.predict(X) == named.predict(X)).all()


def test_booleans_are_classes(numbers: Any) -> None:
    X, y = numbers
    truth = y == "b"
    expected = coefficients(X, y)
    known: Dict[str, Any] = {"epsilon": 1, "bounds": (-1, 2), "steps": 10, "random_state": 5,
                             "public_row_count": 300}
    for labels in (truth, truth.astype(int), truth.astype(float)):
        model = tacet.LogisticRegression(classes="observed", **known).fit(X, labels)
        assert np.array_equal(np.append(model.encoded_coef_, model.encoded_intercept_), expected)
        assert model.predict(X).dtype == labels.dtype
    columns = {"x": X[:, 0], "y": truth}
    for positive, negative in (("TRUE", "False"), ("1", "0")):
        schema = tacet.Schema([tacet.numeric("x", -1, 2)], public_row_count=300,
                              target=tacet.binary("y", positive=positive, negative=negative))
        model = tacet.LogisticRegression(epsilon=5, schema=schema).fit(columns)
        assert (model.predict(columns)[X[:, 0] > 1] == model.classes_[1]).all()


def test_missing_targets_are_no_error(numbers: Any) -> None:
    X = numbers[0]
    known: Dict[str, Any] = {"epsilon": 1, "bounds": (-1, 2), "target_bounds": (-1, 1), "steps": 5,
                             "public_row_count": 300, "random_state": 1}
    missing: List[Any] = [np.nan, None, 0.0]
    targets = [np.append(X[1:, 0].astype(object), value) for value in missing]
    found = [tacet.Ridge(**known).fit(X, target).encoded_coef_ for target in targets]
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])  # a target that is there teaches something
