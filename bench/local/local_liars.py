#!/usr/bin/env python3
"""What lying devices do to the accuracy, by mechanism and by how a round's reports are put together.

    bench/local/local_liars.py BUILD SEEDS [MECHANISM...]

BUILD is a folder of the preset `bench` with local_lying, which says what is run: the randomisers and
learners that ship, made-up people, five kinds of lies. All MECHANISMs without one. Each replaces its
section of bench/local/tables/liars.md by medians of SEEDS populations. Some minutes a mechanism.
Exit code 1 where a bar is missed: where nobody lies, a way is at most 0.03 below the mean of as many
reports a round; of privunit, one liar in a hundred costs at most 0.05.
"""

import collections
import math
import pathlib
import statistics
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
import local_service  # noqa: E402
from common import tables  # noqa: E402

ABOUT = """Lying devices: accuracy by mechanism and by how a round's reports are put together

Randomisers, rounds and learners are those of `tacet serve`. A section is a mechanism; `accuracy` is
`privunit`, the default."""
MECHANISMS = ("privunit", "privunitg", "djw", "l2_laplace", "coordinate_laplace", "gaussian")
KINDS = ("constant", "flipped", "longest", "mimicry", "colluding")
SHARES = (0.01, 0.05, 0.1)
EPSILON = 4


def section(mechanism):
    return "accuracy" if mechanism == "privunit" else mechanism


def measured(build, mechanism, seeds):
    """{way: {(kind, share): (median accuracy, median refused)}}, the best rule, report_norm"""
    found, good = local_service.rows_of([local_service.program(build, "local_lying"), mechanism,
                                         seeds])
    if not good:
        sys.exit(f"local_lying {mechanism} failed")
    tables.save(f"local/liars_{mechanism}", found)
    cells = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in found:
        cells[row["way"]][row["lies"], row["share"]].append((row["accuracy"], row["refused"]))
    middle = {way: {key: [statistics.median(part) for part in zip(*values)]
                    for key, values in kept.items()} for way, kept in cells.items()}
    best = statistics.median({row["seed"]: row["best"] for row in found}.values())
    return middle, best, found[0]["report_norm"]


def rows(found):
    for way, cells in found.items():
        for kind in KINDS:
            row = {"way": way, "lies": kind, "nobody": cells["none", 0][0]}
            for share in SHARES:
                row[f"{share * 100:.0f} in 100"] = cells[kind, share][0]
            row["rounds refused at 10 in 100"] = cells[kind, SHARES[-1]][1]
            yield row


def possible(norm):
    """Of the mean gradient, in parts of its bound G (docs/proofs/banco.md, section 4)."""
    factor = (math.exp(EPSILON) + 1) / (math.exp(EPSILON) - 1)
    return [{"share of liars": f, "any aggregate errs by G times at least": f / (1 - f) * factor,
             "the mean by at most": f * (norm + 1)} for f in SHARES]


def faults(mechanism, found):
    for way, cells in found.items():
        honest = cells["none", 0][0]
        plain = found["mean of 4" if way == "mean of 4" else "mean of 64"]["none", 0][0]
        if honest < plain - 0.03:
            yield f"{mechanism}, {way}: {honest:.3f} where nobody lies, the mean {plain:.3f}"
        for kind in KINDS:
            if mechanism == "privunit" and cells[kind, 0.01][0] < honest - 0.05:
                yield f"{way}, {kind}, 1 in 100: {cells[kind, 0.01][0]:.3f}, not {honest:.3f}"


def main(arguments):
    mechanisms = arguments[2:] or MECHANISMS
    if len(arguments) < 2 or any(one not in MECHANISMS for one in mechanisms):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    missed = []
    for mechanism in mechanisms:
        found, best, norm = measured(pathlib.Path(arguments[0]).resolve(), mechanism, arguments[1])
        text = "\n\n".join([f"The best rule there is: {best:.4f}.", tables.markdown(rows(found)),
                            "What is possible, at least for a report that is purely private:"
                            if mechanism != "gaussian" else
                            "What is possible; the bound below is that of purely private reports:",
                            tables.markdown(possible(norm))])
        command = f"bench/local/local_liars.py BUILD {arguments[1]} {mechanism}"
        tables.keep("local/liars", ABOUT, command, {section(mechanism): text})
        missed += faults(mechanism, found)
    for fault in missed:
        print(f"MISSED: {fault}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
