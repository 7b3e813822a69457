"""What a result may tell of its records: the released fields, each with the reason.

This list is part of the guarantee. A field stands here only if every value in it went through a
mechanism that was paid for, or follows from such values alone, or from no record at all (a time, a
random name). Everything else of a result is compared byte for byte.
"""

import json
import re
import sqlite3

NOISY = "noisy numbers, paid for by the event in the receipt"
FOLLOWS = "computed from released numbers and public facts alone"
CLOCK = "a time, or a name drawn at random: no record decides it, and times are not compared"
CHOSEN = "chosen among public candidates by a private selection, which the receipt counts"

# Fields of JSON by command. The numbers, truth values and nulls below such a key are left out;
# names, texts, the lengths of lists and the keys below it are compared.
MODEL = {
    "coefficients": NOISY, "noise_stddevs": FOLLOWS, "estimate": NOISY, "noise_sd": FOLLOWS,
    "offset": NOISY, "target_mean": NOISY, "target_standard_deviation": NOISY, "whitening": NOISY,
}
JSON = {
    "train": {**MODEL, "mean": NOISY, "standard_deviation": NOISY, "scales": FOLLOWS},
    "chosen": MODEL,
    "table": {"coefficients": NOISY, "sampling_covariance": NOISY, "noise_covariance": FOLLOWS,
              "degrees_of_freedom": FOLLOWS, "residual_cut": NOISY, "residual_stddev": NOISY,
              "row_shape": FOLLOWS, "blurred_directions": FOLLOWS, "converged": FOLLOWS,
              "near_limit": FOLLOWS, "covariance": FOLLOWS, "term_tests": FOLLOWS},
    "tune": MODEL,
    "local": MODEL,
    "describe": {"records": NOISY, "quartiles": CHOSEN, "noisy_count": NOISY, "share": FOLLOWS,
                 "share_margin_in_records": FOLLOWS, "count_margin": FOLLOWS},
    "quantile": {"value": CHOSEN},
    "evaluate": {"value": NOISY, "noise_sd": FOLLOWS, "lower": FOLLOWS, "upper": FOLLOWS,
                 "actual_by_predicted": NOISY},
    "embed": {"words": CHOSEN},
    "audit": {"right": "guesses from released vectors", "epsilon_at_least": FOLLOWS},
}
# Fields that are left out whole, texts and structure too.
WHOLE = {
    "train": {"checksum": FOLLOWS, "seconds": CLOCK},
    "table": {"checksum": FOLLOWS, "seconds": CLOCK},
    # Of several runs one is chosen: which block or radius it had is released with it.
    "chosen": {"checksum": FOLLOWS, "seconds": CLOCK, "candidate": CHOSEN, "radius": CHOSEN},
    "selected": {"checksum": FOLLOWS, "seconds": CLOCK, "features": CHOSEN, "columns": CHOSEN,
                 "selected_columns": CHOSEN,
                 "step_size": FOLLOWS, "coefficients": NOISY, "noise_stddevs": FOLLOWS},
    "tune": {"checksum": FOLLOWS, "seconds": CLOCK, "candidate": CHOSEN,
             # Settings of the chosen candidate: public functions of the grid's.
             "noise_multiplier": CHOSEN, "steps": CHOSEN, "step_size": CHOSEN},
    "local": {"checksum": FOLLOWS, "seconds": CLOCK},
    # Null where the noisy number of records is too small.
    "evaluate": {name: FOLLOWS for name in (
        "accuracy", "majority_share", "auc", "brier_score", "mean_capped_loss", "sensitivity",
        "specificity", "precision", "f1", "rmse", "mae", "r2", "mean_error",
        "positive_fraction")},
    "embed": {"seconds": CLOCK},
    "audit": {"seconds": CLOCK},
    "ledger": {"time": CLOCK, "begun": CLOCK, "ended": CLOCK, "boot": CLOCK, "process": CLOCK,
               "process_start": CLOCK, "ledger": CLOCK, "key_digest": CLOCK, "ledger_name": CLOCK,
               "head": FOLLOWS, "hash": FOLLOWS, "output_sha256": FOLLOWS,
               "fingerprints": "keyed by a secret of the ledger, which stays with the owner of the "
                               "records; an empty file has one less"},
}
# Fields that are there only where released numbers allow it, each computed from them.
OPTIONAL = {"r_squared"}
# Pieces of text by command: (pattern, what stands for it, reason).
TIMES = (r"\b\d+(\.\d+)?(e[+-]?\d+)? (ms|s)\b", "TIME", CLOCK)
NUMBER = r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?"
TABLE = (r"^(Coefficients|Model)\n(?:.*\n)*?(?=^Model written)", r"\1\n", NOISY)
SIGNAL = (r"^signal .*\n(?: {10}.*\n)*", "signal\n", FOLLOWS)
TEXT = {
    "train": [TABLE, SIGNAL], "table": [TABLE], "selected": [TABLE, SIGNAL],
    "chosen": [TABLE, SIGNAL],
    "tune": [TABLE, SIGNAL], "local": [TABLE, SIGNAL],
    "describe": [(r"^about \d+ records", "about # records", NOISY),
                 (r"^column .*\n(?:.+\n)*", "TABLE\n", NOISY),
                 (r"^Each with a probability (?:.+\n)*", "MARGINS\n", FOLLOWS)],
    "quantile": [(rf"\A{NUMBER}\n\Z", "#\n", CHOSEN)],
    "evaluate": [(r"^ +estimate  noise sd.*\n(?:.+\n)*", "TABLE\n", NOISY),
                 (r"^The (interval holds|area under) (?:.+\n)*\n", "", FOLLOWS),
                 (r"(?<=\d-\d\.\d) .*$", " #", NOISY),
                 (r"^(actual|class|b) .*\n(?:.+\n)*", "TABLE\n", NOISY)],
    "embed": [(r"^Vectors of \d+ words", "Vectors of # words", CHOSEN),
              (r"^  words .*\n", "", CHOSEN)],
    "fit": [(r"nothing was found out about column [\s\S]*?\bwould do\s*", "", FOLLOWS),
            # What released lists and bounds look like.
            (r"^(?:The categories of '|The lower bound of '|Taken for texts, without)(?:.+\n)+\n?",
             "", FOLLOWS),
            (r'^id = "[0-9a-f]+"$', "id", CLOCK),
            # Columns that the noise hides are ignored: which ones is released too.
            (r"^(lower|upper) = .*\n", "", CHOSEN), (r"^\[\[column\]\]\n[\s\S]*", "", CHOSEN),
            (r"(?<=sha256: )[0-9a-f]+", "#", FOLLOWS)],
    "audit": [(r"^Guessed rightly.*\n", "", "guesses from released vectors"),
              (r"^Measured: .*\n", "", FOLLOWS),
              (r"^(inserted|not inserted) .*\n", "", "ranks by released vectors")],
    "ledger": [(r"(?<=schema fit )[0-9a-f]{16}", "NAME", CLOCK),
               (r"\b[0-9a-f]{64}\b", "HASH", CLOCK),
               (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?Z?", "TIME", CLOCK)],
}
# Commands that show records to their owner by purpose, and what they may show. Of these the exit
# code, the file names and standard error are compared, and nothing stands in TMPDIR.
SHOWN = {
    "schema check": ("stdout stderr", "exact counts of mapped values, for the owner"),
    "schema draft": ("stdout stderr exit", "bounds and categories of a file declared public"),
    "split": ("stdout files", "both parts hold records as they are, and their exact numbers"),
    "predict": ("stdout", "one answer per record, about that record"),
    "evaluate --public": ("stdout stderr", "exact figures of a file declared public"),
    "--epsilon inf": ("stdout files", "an unprotected model, which says so"),
}


def without(found, masked, whole):
    """A tree of JSON without what is released."""
    if isinstance(found, dict):
        return {key: "RELEASED" if key in whole else
                blurred(value) if key in masked else without(value, masked, whole)
                for key, value in found.items() if key not in OPTIONAL}
    if isinstance(found, list):
        return [without(value, masked, whole) for value in found]
    return found


def blurred(value):
    """Structure and texts alone."""
    if isinstance(value, dict):
        return {key: blurred(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [blurred(inner) for inner in value]
    return value if isinstance(value, str) else "#"


def compared_json(text, kind):
    kept = without(json.loads(text), JSON.get(kind, {}), WHOLE.get(kind, {}))
    words = json.dumps(kept, indent=1)
    return compared_text(words, kind) if kind == "ledger" else words


def compared_text(text, kind):
    for pattern, stands, _ in [*TEXT.get(kind, []), TIMES]:
        text = re.sub(pattern, stands, text, flags=re.MULTILINE)
    return re.sub(" +", " ", text)  # columns are as wide as their longest number


def compared_talk(text, kind):
    """Standard error, whose lines are broken where a released number makes them longer."""
    return " ".join(compared_text(text, kind).split())


def compared_output(content, kind):
    text = content.decode("utf-8", "backslashreplace")
    return compared_json(text, kind) if text[:1] in ("{", "[") else compared_text(text, kind)


def compared_file(name, content, kind):
    """What of a file has to be equal; binary numbers count with their length."""
    if name == ".tacet-ledgers":
        return compared_output(content, "ledger")
    if name.endswith((".ledger", ".db")):
        return compared_ledger(name, content)
    if name.endswith((".vec", ".npy", ".bin")):
        # As many lines as there are words, and as many numbers in each.
        rows = [len(line.split()) for line in content.split(b"\n")[1:]]
        return f"{rows[:1]}" if kind == "chosen words" else f"{len(rows)} {sorted(set(rows))}"
    if name.endswith(".html"):
        return "a page"  # made of the result beside it, words and pictures; marks are looked for
    first, _, rest = content.partition(b"\n")
    if b'"format":"tacet-model"' in first:
        return f"{compared_json(first, kind)}\n{len(rest)} bytes"
    return compared_output(content, kind)


def compared_ledger(name, content):
    """The rows of a journal; the pages of SQLite hold nothing else."""
    connection = sqlite3.connect(":memory:")
    connection.deserialize(content)
    rows = [row[0] for row in connection.execute("SELECT text FROM journal ORDER BY number")]
    connection.close()
    return "\n".join(compared_json(row, "ledger") for row in rows)
