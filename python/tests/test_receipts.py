"""Receipts say one thing: what is displayed is what is verified, of the model that is there."""

from __future__ import annotations

import copy
import copyreg
import json
import pickle
from typing import Any, Callable, Dict, List

import numpy as np
import pytest
from sklearn.base import clone

import tacet
from tacet.compat import diffprivlib

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

X = np.random.default_rng(0).random((200, 3))
Y = np.where(X[:, 0] > 0.5, "b", "a")
TEXTS = ["the cat sat", "the dog sat"] * 50


def model(epsilon: float) -> tacet.LogisticRegression:
    made = tacet.LogisticRegression(epsilon=epsilon, delta=1e-6, bounds=(0, 1),
                                    classes=["a", "b"], public_row_count=200, steps=5,
                                    row_scaling="const")
    made.fit(X, Y)
    return made


def described() -> Any:
    schema = tacet.Schema([tacet.numeric("a", 0, 1)])
    return tacet.describe({"a": X[:, 0]}, schema=schema, epsilon=1)


def vectors(epsilon: float) -> tacet.WordVectors:
    return tacet.embed(TEXTS, epsilon=epsilon, public_row_count=100, dim=4, steps=2,
                       vocabulary=["the", "cat", "dog", "sat"])


def forgeries(receipt: Any) -> List[Callable[[], Any]]:
    return [
        lambda: receipt["guarantee"].__setitem__("epsilon", 0.001),
        lambda: receipt["guarantee"].update(epsilon=0.001),
        lambda: receipt["guarantee"].pop("epsilon"),
        lambda: receipt.guarantee.clear(),
        lambda: dict.__setitem__(receipt["guarantee"], "epsilon", 0.001),
        lambda: dict.update(receipt["events"], kind="none"),
        lambda: receipt["events"]["event"].__setitem__("kind", "none"),
        lambda: setattr(receipt, "guarantee", {"epsilon": 0.001}),
        lambda: setattr(receipt, "_words", "{}"),
        lambda: setattr(receipt, "other", 1),
        lambda: vars(receipt).update(guarantee={"epsilon": 0.001}),
        lambda: receipt.__setitem__("guarantee", {"epsilon": 0.001}),
        lambda: type(receipt).__init__(receipt, "{}"),
        lambda: receipt._entries["guarantee"].update(epsilon=0.001),
    ]


def test_what_a_receipt_holds_takes_no_second_beginning() -> None:
    fitted = model(1)
    for result in (fitted.receipt_, described(), described().receipt):
        entries: List[Any] = [entry for entry in result.values() if isinstance(entry, (dict, list))]
        for entry in entries:
            before = json.dumps(entry)
            for forged in ({"epsilon": 0.001}, [], [("epsilon", 0.001)]):
                try:
                    type(entry).__init__(entry, forged)
                except TypeError:
                    pass
                assert json.dumps(entry) == before
            with pytest.raises(AttributeError):
                entry.epsilon = 0.001
            with pytest.raises(TypeError):
                vars(entry)


def shown(receipt: Any) -> List[str]:
    return [receipt.to_json(), json.dumps(dict(receipt)), repr(receipt), receipt.statement(),
            receipt._repr_html_(), json.dumps(receipt["guarantee"]), json.dumps(receipt.guarantee)]


def test_receipts_are_immutable_whatever_is_assigned() -> None:
    fitted = model(1)
    for receipt in (fitted.receipt_, described().receipt, vectors(4).receipt):
        before = shown(receipt)
        for forge in forgeries(receipt):
            try:
                forge()
            except (TypeError, AttributeError):
                pass
            assert shown(receipt) == before
    before = shown(fitted.receipt_)
    for forge in forgeries(fitted.receipt_):
        with pytest.raises((TypeError, AttributeError)):
            forge()
            raise TypeError("a copy was changed")
        assert shown(fitted.receipt_) == before
    assert tacet.verify(fitted).verdict == "follows"
    assert tacet.verify(fitted)["stated"] == tacet.verify(fitted.receipt_)["stated"]


def test_receipts_work_where_mappings_do() -> None:
    receipt = model(1).receipt_
    for copied in (copy.copy(receipt), copy.deepcopy(receipt),
                   pickle.loads(pickle.dumps(receipt))):
        assert copied == receipt and shown(copied) == shown(receipt)
    assert json.loads(json.dumps(dict(receipt))) == json.loads(receipt.to_json())
    guarantee = receipt["guarantee"]
    for copied in (copy.copy(guarantee), copy.deepcopy(guarantee),
                   pickle.loads(pickle.dumps(guarantee)), dict(guarantee)):
        assert copied == guarantee
    own = dict(guarantee)
    own["epsilon"] = 0  # a copy belongs to whom made it
    assert receipt["guarantee"] == guarantee and {**receipt}.keys() == dict(receipt).keys()


ATTRIBUTES = ["receipt_", "coef_", "coef_noise_", "intercept_", "encoded_coef_",
              "encoded_coef_noise_", "encoded_intercept_", "effects_", "encoded_names_"]


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_what_an_estimator_tells_is_that_of_its_model(name: str) -> None:
    small, large = model(0.5), model(8)
    expected = repr(getattr(large, name))
    with pytest.raises(AttributeError):
        setattr(large, name, getattr(small, name))
    attributes: Dict[str, Any] = large.__dict__
    attributes[name] = getattr(small, name)
    assert repr(getattr(large, name)) == expected
    del attributes[name]
    told = getattr(large, name)
    if isinstance(told, np.ndarray):
        told[...] = 0
    assert repr(getattr(large, name)) == expected
    assert not hasattr(clone(large), name)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_a_pickle_whose_parts_were_exchanged_fails(name: str) -> None:
    small, large = model(0.5), model(8)
    state: Dict[str, Any] = large.__getstate__()
    state[name] = getattr(small, name)
    made = tacet.LogisticRegression.__new__(tacet.LogisticRegression)
    with pytest.raises(tacet.DataError, match=name):
        made.__setstate__(state)
    honest = pickle.loads(pickle.dumps(large))
    assert repr(getattr(honest, name)) == repr(getattr(large, name))
    assert (honest.predict(X) == large.predict(X)).all()


def test_a_pickled_model_with_another_receipt_fails() -> None:
    small, large = model(0.5), model(8)
    reduced: Any = copyreg.dispatch_table[type(large._model)](large._model)
    made_of, (words,) = reduced
    forged = json.loads(words)
    forged["receipt"] = json.loads(small._model.receipt)
    with pytest.raises(tacet.DataError, match="checksum"):
        made_of(json.dumps(forged).encode())
    # Another model brings its own receipt along.
    state = large.__getstate__()
    state["_model"] = small._model
    made = tacet.LogisticRegression.__new__(tacet.LogisticRegression)
    made.__setstate__(state)
    assert shown(made.receipt_) == shown(small.receipt_)
    assert (made.encoded_coef_ == small.encoded_coef_).all()


def test_a_class_that_shows_another_receipt_is_not_verified() -> None:
    small = model(0.5)

    class Sneaky(tacet.LogisticRegression):
        receipt_ = small.receipt_

    sneaky = Sneaky(epsilon=8, delta=1e-6, bounds=(0, 1), classes=["a", "b"],
                    public_row_count=200, steps=5).fit(X, Y)
    with pytest.raises(tacet.GuaranteeError, match="receipt"):
        tacet.verify(sneaky)


def test_results_are_immutable() -> None:
    found = described()
    before = found.to_json()
    for forge in (lambda: found["receipt"]["guarantee"].update(epsilon=0.001),
                  lambda: found["columns"].append({}), lambda: found["columns"].clear(),
                  lambda: setattr(found, "receipt", None), lambda: setattr(found, "records", 5)):
        with pytest.raises((TypeError, AttributeError)):
            forge()
    assert found.to_json() == before and json.dumps(dict(found)) == json.dumps(json.loads(before))
    assert pickle.loads(pickle.dumps(found)) == found == copy.deepcopy(found)


def test_vectors_and_their_receipt_stay_together() -> None:
    small, large = vectors(1), vectors(9)
    for name in ("receipt", "vectors", "contexts", "words", "plan", "key_to_index"):
        with pytest.raises(AttributeError):
            setattr(large, name, getattr(small, name))
    with pytest.raises(ValueError):
        large.vectors[0] = 0
    again = pickle.loads(pickle.dumps(large))
    assert (again.vectors == large.vectors).all() and again.receipt == large.receipt
    reduced: Any = large.__reduce__()
    restore, (found, digest) = reduced
    with pytest.raises(tacet.DataError, match="belong together"):
        restore({**found, "receipt": small.receipt.to_json()}, digest)


def test_moved_estimators_show_and_verify_the_receipt_of_their_model() -> None:
    moved = diffprivlib.LinearRegression(epsilon=1, bounds_X=(0, 1), bounds_y=(0, 1))
    assert not hasattr(moved, "receipt_")
    moved.fit(X, X[:, 0])
    with pytest.raises(AttributeError):
        setattr(moved, "receipt_", model(0.1).receipt_)
    assert tacet.verify(moved).verdict == "follows"
