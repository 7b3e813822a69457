"""Writes a C++ source with the examples of the headers, each as the body of a function.

    header_examples.py SOURCE OUTPUT

An example is the indented code in the comment after a line `/// Example:`. The build compiles what
is written, so that no example grows stale. Headers that users meet first must have one.
"""

import pathlib
import re
import sys

FIRST_MET = [
    "accounting/accountant.h", "accounting/filter.h", "accounting/memory_budget.h", "api/ledger.h",
    "api/mechanism.h", "api/model.h", "api/random.h", "api/release.h", "api/schema.h",
    "base/progress.h", "choose/request.h", "optimize/sums/vector_sum.h", "privacy/budget.h",
    "privacy/event.h", "privacy/receipt.h", "run/rows.h",
    "data/read/read_dataset.h", "data/schema/schema.h", "ledger/ledger_budget.h",
    "mechanism/noise/gaussian.h", "mechanism/point/quantile.h", "mechanism/select/exponential.h",
    "model/loss/loss.h", "model/model_file.h", "optimize/solver/certified_solver.h",
    "random/source/source.h",
]
EXAMPLE = re.compile(r"^/// Example:\n///\n((?:///(?:     .*)?\n)+)", re.MULTILINE)


def main(source, output):
    tree = pathlib.Path(source) / "tacet"
    includes, bodies = [], []
    for header in sorted(tree.rglob("*.h")):
        name = header.relative_to(tree).as_posix()
        found = EXAMPLE.findall(header.read_text(encoding="utf-8"))
        if name in FIRST_MET and not found:
            sys.exit(f"tacet/{name}: the header has no example at its head")
        if found:
            includes.append(f'#include "tacet/{name}"')
        for example in found:
            code = re.sub(r"^///(?:     )?", "", example, flags=re.MULTILINE)
            bodies.append(f"// tacet/{name}\nvoid example_{len(bodies)}() {{\n{code}}}")
    standard = [f"#include <{name}>" for name in ("cstdint", "string", "utility", "vector")]
    includes.append('#include "tacet/accounting/memory_budget.h"')
    text = "\n".join([*standard, "", *sorted(set(includes)), "", "namespace tacet {", "",
                      "\n\n".join(bodies), "", "}  // namespace tacet", ""])
    pathlib.Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
