"""Word vectors beside the program's."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List, Tuple

import numpy as np
import pandas
import polars
import pytest

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")
WORDS = ["the", "cat", "dog", "sat", "ran", "far"]


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> Tuple[pandas.DataFrame, pathlib.Path]:
    random = np.random.default_rng(6)
    texts = [" ".join(random.choice(WORDS + ["odd"], 6)) for _ in range(900)]
    frame = pandas.DataFrame({"author": [f"a{k}" for k in random.integers(0, 300, 900)],
                              "text": texts})
    folder = tmp_path_factory.mktemp("posts")
    frame.to_csv(folder / "posts.csv", index=False)
    (folder / "texts.txt").write_text("".join(f"{text}\n" for text in texts))
    (folder / "words.txt").write_text("".join(f"{word} {9 - k}\n" for k, word in enumerate(WORDS)))
    return frame, folder


COMMON: Dict[str, Any] = {"epsilon": 4, "public_row_count": 900, "dim": 6, "steps": 4}
CASES: List[Tuple[Dict[str, Any], List[str]]] = [
    ({"vocabulary": {word: 9 - k for k, word in enumerate(WORDS)}}, ["--vocabulary=words.txt"]),
    ({"vocabulary": {word: 9 - k for k, word in enumerate(WORDS)}, "min_count": 6, "sample": 0.1,
      "negatives_by_count": True},
     ["--vocabulary=words.txt", "--min-count=6", "--sample=0.1", "--negatives-by-count"]),
    ({"buckets": 3, "words": True}, ["--buckets=3", "--words"]),
    ({"select_vocabulary": 5}, ["--select-vocabulary=5"]),
]


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("unit", ["", "author"])
def test_vectors_are_the_programs(
    case: int, unit: str, posts: Any, program: Any, tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame, folder = posts
    options, words = CASES[case]
    monkeypatch.chdir(folder)
    if unit:
        words = [*words, "--text-column=text", "--unit=author"]
        options = {**options, "text_column": "text", "unit": "author"}
    data = "posts.csv" if unit else "texts.txt"
    program("embed", data, "--epsilon=4", "--public-row-count=900", "--dim=6", "--steps=4",
            "--seed=2", "--output", tmp_path / "program.vec", *words)
    forms: List[Any] = [data, frame, polars.from_pandas(frame)] if unit else [
        data, list(frame["text"]), frame["text"]]
    for k, texts in enumerate(forms):
        found = tacet.embed(texts, random_state=2, **COMMON, **options)
        found.save(tmp_path / f"{k}.vec")
        for ending in ("", ".receipt.json"):
            assert (tmp_path / f"{k}.vec{ending}").read_bytes() == \
                (tmp_path / f"program.vec{ending}").read_bytes()
    with pytest.raises(tacet.IoError):
        found.save(tmp_path / "0.vec")


def test_vectors_are_read_as_word2vecs(posts: Any, tmp_path: pathlib.Path) -> None:
    frame, _ = posts
    found = tacet.embed(frame["text"], vocabulary=WORDS, **COMMON)
    found.save_word2vec_format(tmp_path / "v.vec")
    lines = (tmp_path / "v.vec").read_text().splitlines()
    assert lines[0] == "6 6" and [line.split()[0] for line in lines[1:]] == found.index_to_key
    assert np.array_equal(np.array(lines[2].split()[1:], dtype=np.float32), found["cat"])
    found.save(tmp_path / "v.npy", format="npy")
    assert np.array_equal(np.load(tmp_path / "v.npy"), found.vectors)
    assert (tmp_path / "v.words.txt").read_text().split() == WORDS
    assert found.similarity("cat", "cat") == pytest.approx(1)
    assert tacet.verify(tmp_path / "v.vec.receipt.json", protected=True).verdict == "follows"
    assert tacet.verify(found.receipt).verdict == "follows"


def test_vectors_are_paid_for(posts: Any) -> None:
    frame, folder = posts
    budget = tacet.Budget(5, 1e-2)
    tacet.embed(frame["text"], vocabulary=WORDS, budget=budget, **COMMON)
    spent = budget.spent
    assert spent[0] == pytest.approx(4, rel=1e-2)
    with pytest.raises(tacet.BudgetError):
        tacet.embed(frame["text"], vocabulary=WORDS, budget=budget, **COMMON)
    authors = {"text_column": "text", "unit": "author"}
    wrongs: List[Dict[str, Any]] = [
        {}, {"vocabulary": WORDS, "buckets": 3}, {"vocabulary": []}, {"vocabulary": [1]},
        {"vocabulary": WORDS, "stepps": 3}, {"vocabulary": WORDS, "unit": "author"},
        {"vocabulary": WORDS, **authors},  # the budget protects records
        {"vocabulary": WORDS, "pairs_as_units": True, **authors}, {"buckets": 99},
        {"vocabulary": WORDS, "min_count": 2}, {"vocabulary": folder / "none.txt"}]
    for wrong in wrongs:
        with pytest.raises(tacet.Error):
            tacet.embed(frame["text"] if "unit" not in wrong else frame, budget=budget,
                        **{**COMMON, "epsilon": 0.5}, **wrong)
    with pytest.raises(tacet.UsageError):
        tacet.embed(frame, vocabulary=WORDS, budget=budget, **COMMON)
    assert budget.spent == spent
    assert json.loads(json.dumps(tacet.embed(["a b"] * 50, buckets=2, epsilon=1, steps=2,
                                             public_row_count=50).plan))["method"] == "embed"
