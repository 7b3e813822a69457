"""Files with a receipt as an attacker would write them: with the sentence and the checksum that the
program itself would have written. Each is computed here from the documentation, not by the program;
whole() is tested against every genuine file.
"""

import copy
import hashlib
import json
import math

LOCAL_WORDS = (" Each person's own report was made private before it left the device: the same "
               "holds against whoever reads that report, the server too.")
LAST_WORDS = (
    "Two such results together cost the sum of both epsilons and both deltas. It holds against "
    "anyone who cannot break the stream cipher that the noise is drawn from; it does not cover "
    "what running time or memory reveal, nor what the data's owner publishes elsewhere.")


class Document:
    """What a file holds: a JSON tree and, for wide models, the numbers behind its first line."""

    def __init__(self, tree, numbers=None):
        self.tree = tree
        self.numbers = numbers

    @property
    def receipt(self):
        return self.tree["receipt"] if "receipt" in self.tree else self.tree

    @property
    def schema(self):
        return self.tree.get("schema")

    def copy(self):
        return Document(copy.deepcopy(self.tree), self.numbers)


def read(path):
    content = path.read_bytes()
    try:
        return Document(json.loads(content, parse_float=Spelled))
    except ValueError:  # a wide model's numbers lie behind the first line
        head, _, numbers = content.partition(b"\n")
        return Document(json.loads(head, parse_float=Spelled), numbers)


def rounded_up(value, digits):
    text = f"{value:.{digits}g}"
    if not math.isfinite(value) or float(text) >= value:
        return text
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    whole = int(mantissa.replace(".", "")) + 1
    return f"{float(f'{whole}e{int(power) - (digits - 1)}'):.{digits}g}"


def prg_share(epsilon, delta):
    """(1 + e^epsilon) delta, as privacy/prg_share.h states it, up to its last digits."""
    return delta * (1 + math.exp(epsilon))


def neighbours(receipt):
    unit = receipt["privacy_unit"]
    who = "one record" if unit == "record" else f"all records that share one value of '{unit}'"
    rows = receipt["public_row_count"]
    number = ("the number of records is kept secret too" if rows is None else
              f"{rows} is declared as the public number of records")
    return {"add_remove": f"whether {who} took part at all ({number})",
            "zero_out": f"whether {who} counted or was replaced by an empty one "
                        "(the number of records is public)",
            "replace_one": f"what {who} said (the number of records is public, and so is taking "
                           "part)"}[receipt["guarantee"]["adjacency"]]


def sentence(receipt):
    """As privacy/statement.cc words it."""
    guarantee = receipt["guarantee"]
    epsilon, delta = guarantee["epsilon"], guarantee["delta"]
    factor = rounded_up(math.exp(epsilon) * (1 + 1e-15), 4)
    text = (f"({rounded_up(epsilon, 6)}, {rounded_up(delta, 6)})-differential privacy under "
            f"{guarantee['adjacency']} neighbours. Someone who sees the result and knows everything "
            f"else cannot tell {neighbours(receipt)} much better than before: the "
            "probability of any conclusion is at most "
            f"e^{rounded_up(epsilon, 4)} = {factor} times what it would be otherwise")
    text += (f", plus {rounded_up(delta, 6)}. " if delta > 0 else ", with nothing added. ")
    if receipt["prg_slack"] > 0:
        share = rounded_up(prg_share(epsilon, receipt["prg_slack"]), 3)
        text += (f"What noise from the cipher adds, {share}, is part of that. " if delta > 0 else
                 f"That is for ideal noise; noise from the cipher adds {share} to delta 0. ")
    text += LAST_WORDS
    return text + (LOCAL_WORDS if receipt["sampling"] == "local" else "")


class Spelled(float):
    """A number of a file with its spelling there, which need not be the shortest."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self):
        return Spelled, (self.text,)


def canonical(tree):
    if isinstance(tree, dict):
        inner = (f"{json.dumps(key, ensure_ascii=False)}:{canonical(tree[key])}"
                 for key in sorted(tree, key=lambda name: name.encode()))
        return "{" + ",".join(inner) + "}"
    if isinstance(tree, list):
        return "[" + ",".join(map(canonical, tree)) + "]"
    if isinstance(tree, float):
        return getattr(tree, "text", repr(tree))
    return json.dumps(tree, ensure_ascii=False)


def checksum(document):
    content = {key: value for key, value in document.tree.items() if key != "checksum"}
    total = hashlib.sha256(canonical(content).encode())
    if document.numbers is not None:
        total.update(b"\n")
        total.update(document.numbers)
    return "sha256:" + total.hexdigest()


def whole(document):
    """The document with the sentence and the checksum of what it says now."""
    if "privacy" in document.tree:
        document.tree["privacy"] = sentence(document.receipt)
    if "checksum" in document.tree:
        document.tree["checksum"] = checksum(document)
    return document


def write(document, path):
    if document.numbers is None:
        path.write_text(json.dumps(document.tree), encoding="utf-8")
    else:
        head = json.dumps(document.tree, separators=(",", ":"), ensure_ascii=False)
        path.write_bytes(head.encode() + b"\n" + document.numbers)
