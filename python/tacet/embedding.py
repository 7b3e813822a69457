"""Vectors of words from private texts."""

from __future__ import annotations

import hashlib
import json
import os
from typing import (
    Any, Callable, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union)

import numpy as np

from . import _arguments, _engine, _records, _spending, _tables
from ._boundary import boundary, of_the_caller
from ._reports import Reports
from ._warn import warn
from .budgets import Budget, Ledger
from .errors import DataError, UsageError
from .receipts import Receipt

Paths = Union[str, "os.PathLike[str]"]
_PARAMETERS = {name.replace("-", "_"): name for name in _engine.word_parameters()}


class WordVectors(Reports):
    """Trained vectors of words: ``words``, ``vectors``, ``receipt`` and ``plan``.

    ``contexts`` are the vectors of words as contexts, their bias behind them. The names that gensim
    has work too: ``vectors["cat"]``, ``index_to_key``, ``key_to_index``, ``vector_size``.

    >>> found = embed(["the cat sat", "the dog sat"] * 500, epsilon=4, public_row_count=1000,
    ...               vocabulary=["the", "cat", "dog", "sat"], dim=8, steps=5)
    >>> found.vector_size, found.index_to_key[0]
    (8, 'the')
    """

    __slots__ = ("__weakref__", "_contexts", "_places", "_plan", "_receipt", "_vectors", "_words")

    _words: Tuple[str, ...]
    _vectors: Any
    _contexts: Any
    _receipt: str
    _plan: str
    _places: Mapping[str, int]

    def __new__(cls, found: Mapping[str, Any]) -> WordVectors:
        made = super().__new__(cls)
        words = tuple(found["words"])
        parts = {"words": words, "vectors": _read_only(found["vectors"]),
                 "contexts": _read_only(found["contexts"]), "receipt": str(found["receipt"]),
                 "plan": str(found["plan"]),
                 "places": {word: place for place, word in enumerate(words)}}
        for name, part in parts.items():
            object.__setattr__(made, f"_{name}", part)
        return made

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(
            f"{name} cannot be set: receipt and vectors belong together; vectors.copy() makes an "
            "array that you can change")

    def __reduce__(self) -> Any:
        found = {"words": self._words, "vectors": self._vectors, "contexts": self._contexts,
                 "receipt": self._receipt, "plan": self._plan}
        return _restored, (found, self._digest())

    def _digest(self) -> str:
        sums = hashlib.sha256()
        for part in (self._receipt, self._plan, json.dumps(self._words)):
            sums.update(part.encode() + b"\0")
        for array in (self._vectors, self._contexts):
            sums.update(f"{array.dtype.str}{array.shape}".encode() + array.tobytes())
        return sums.hexdigest()

    @property
    def words(self) -> List[str]:
        """The words in their order."""
        return list(self._words)

    @property
    def vectors(self) -> Any:
        """A row a word; not to be written to."""
        return self._vectors

    @property
    def contexts(self) -> Any:
        """The vectors of words as contexts, their bias behind them; not to be written to."""
        return self._contexts

    @property
    def receipt(self) -> Receipt:
        """What the vectors cost."""
        return Receipt(self._receipt)

    @property
    def plan(self) -> Dict[str, Any]:
        """What was chosen before a text was read."""
        plan: Dict[str, Any] = json.loads(self._plan)
        return plan

    @property
    def key_to_index(self) -> Dict[str, int]:
        """The place of each word."""
        return dict(self._places)

    @property
    def index_to_key(self) -> List[str]:
        """The words in their order."""
        return self.words

    @property
    def vector_size(self) -> int:
        """Numbers of a vector."""
        return int(self._vectors.shape[1])

    def __len__(self) -> int:
        return len(self._words)

    def __contains__(self, word: object) -> bool:
        return word in self._places

    def __getitem__(self, word: str) -> Any:
        return self._vectors[self._places[word]]

    def similarity(self, one: str, other: str) -> float:
        """Cosine of two words' vectors."""
        first, second = self[one].astype(np.float64), self[other].astype(np.float64)
        return float(first @ second / np.sqrt((first @ first) * (second @ second)))

    def save(self, path: Paths, *, format: str = "text", overwrite: bool = False) -> None:
        """Writes the file of ``tacet embed``, and the receipt beside it.

        ``format`` is "text" or "binary", which gensim's ``KeyedVectors.load_word2vec_format``
        reads, or "npy".
        """
        _engine.save_vectors(self.words, self.vectors, str(os.fspath(path)), format,
                             self.receipt.to_json(), overwrite)

    def save_word2vec_format(self, fname: Paths, binary: bool = False) -> None:
        """The same under gensim's name."""
        self.save(fname, format="binary" if binary else "text")

    def _reported(self) -> Tuple[str, bytes]:
        return "word vectors", self._receipt.encode()

    def _repr_html_(self) -> str:
        return self.receipt._repr_html_()

    def __repr__(self) -> str:
        return f"<tacet.WordVectors: {len(self)} words, {self.vector_size} numbers each>"


def _read_only(numbers: Any) -> Any:
    array = np.array(numbers)
    array.flags.writeable = False
    return array


def _restored(found: Mapping[str, Any], digest: str) -> WordVectors:
    made = WordVectors(found)
    if made._digest() != digest:
        raise DataError(
            "the receipt and the vectors of this pickle do not belong together: it was changed "
            "after it was written")
    return made


@boundary
def embed(
    texts: Any,
    *,
    epsilon: float,
    vocabulary: Union[Sequence[str], Mapping[str, int], Paths, None] = None,
    buckets: Optional[int] = None,
    min_count: Optional[int] = None,
    sample: Optional[float] = None,
    negatives_by_count: bool = False,
    text_column: str = "",
    unit: str = "",
    words: bool = False,
    max_words: Optional[int] = None,
    pairs_as_units: bool = False,
    threads: Optional[int] = None,
    ledger: Optional[Ledger] = None,
    data_set: Optional[str] = None,
    budget: Optional[Budget] = None,
    random_state: Any = None,
    callback: Optional[Callable[[str, int, int], object]] = None,
    **options: Any,
) -> WordVectors:
    """Trains vectors of words on private texts.

    Words and their counts must be public: a vocabulary taken from the texts would tell what is in
    them, unless that is paid for (``select_vocabulary``).

    Parameters
    ----------
    texts : sequence of str, frame, Arrow table, mapping of columns, or path
        One text per record; of a table those in ``text_column``. A path is that of a text with a
        document per line, or of a table (.csv, .tsv).
    epsilon : float
        Bound on the privacy loss.
    vocabulary : sequence of str, mapping of str to int, or path
        Public words, perhaps with public counts, or a file of them.
    buckets : int, optional
        Instead of a list: 2 ** buckets vectors, words sharing one by a public hash.
    min_count, sample, negatives_by_count
        By public counts: which words are left out, which tokens at random, and how words against
        pairs are drawn.
    text_column, unit : str
        Columns of a table; all texts of one value of ``unit`` are protected together.
    words : bool
        Tokens are runs of letters and digits in lower case, instead of all between blanks.
    max_words : int, optional
        A text counts with its first so many words, 10000 by default.
    pairs_as_units : bool
        Protects each pair of words by itself: neither a text nor its author is protected.
    ledger, data_set, budget, random_state, callback, threads
        As those of estimators.
    **options
        The other options of ``tacet embed``: delta, public_row_count, dim, window, steps,
        epochs, selection, select_vocabulary and so on.

    Returns
    -------
    WordVectors
        With one seed the file that it saves is the program's, byte by byte.

    Examples
    --------
    >>> import tacet
    >>> found = embed(["the cat sat", "the dog sat"] * 500, epsilon=4, public_row_count=1000,
    ...               vocabulary=["the", "cat", "dog", "sat"], dim=8, steps=5)
    >>> found.vectors.shape, "cat" in found
    ((4, 8), True)
    """
    said = _engine.Texts()
    _take_vocabulary(said, vocabulary)
    said.buckets = _spending.optional_count("buckets", buckets)
    said.min_count = _spending.optional_count("min_count", min_count)
    said.sample = None if sample is None else _spending.number("sample", sample)
    said.negatives_by_count = bool(negatives_by_count)
    said.split_words = bool(words)
    said.max_words = _spending.optional_count("max_words", max_words)
    said.pairs_as_units = bool(pairs_as_units)
    said.unit_column = unit
    if unit and not text_column:
        raise UsageError("unit names a column of a table; text_column is missing")
    records, said.text_column = _records_of(texts, text_column, unit,
                                              ledger is not None)
    values = {"epsilon": _arguments.option(epsilon)}
    for name, value in options.items():
        if name not in _PARAMETERS:
            raise UsageError(f"embed has no option {name!r}")
        if value is not None:
            values[_PARAMETERS[name]] = _arguments.option(value)
    protects = "pair" if pairs_as_units else unit or "record"
    paid = _spending.Paid(ledger, data_set, budget, random_state)
    if "adjacency" in _PARAMETERS and "adjacency" not in values:
        counted = _spending.adjacency(None, "", paid, protects)
        values.update({"adjacency": counted} if counted else {})
    context = _spending.context(paid, protects)
    context.threads = _arguments.thread_count(threads, None)
    if np.isinf(_spending.number("epsilon", epsilon)):
        warn("PRIVACY: NONE (epsilon inf: trained without noise; the vectors may reveal any text)")
    if pairs_as_units:
        warn("PRIVACY: of single pairs of words; neither a sentence nor its author is protected")
    return WordVectors(_engine.embed(records, said, values, context, of_the_caller(callback)))


def _take_vocabulary(said: _engine.Texts, vocabulary: Any) -> None:
    if vocabulary is None:
        return
    if _records.is_path(vocabulary):
        said.word_file = str(os.fspath(vocabulary))
        return
    listed = list(vocabulary)
    if not listed:
        raise UsageError("the vocabulary has no word")
    if not all(isinstance(word, str) for word in listed):
        raise UsageError("words of the vocabulary are texts")
    said.words = listed
    if isinstance(vocabulary, Mapping):
        said.counts = [_spending.count("a count", vocabulary[word]) for word in listed]


def _records_of(texts: Any, text_column: str, unit: str, whole: bool) -> Any:
    """The texts for the engine, and the column that has them."""
    path = _records.path_of(texts)
    if path is not None:
        return path, text_column
    if text_column:
        read = [text_column, *([unit] if unit else [])]
        return _tables.named_columns(texts, read, whole=whole), text_column
    if _records.column_names(texts) is not None:
        raise UsageError("text_column is missing: which column of the table holds the texts")
    return _tables.named_columns({"text": list(texts)}), "text"
