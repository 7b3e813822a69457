"""Pages of the reference that are made from tables: the help of each command, the names of the
Python package, the public C++ headers."""

import re
import subprocess

import tacet

ENTRIES = ["reference/commands.md", "reference/python.rst", "reference/cpp.rst"]
GROUPS = (
    (
        "Estimators",
        [
            "LogisticRegression",
            "LinearSVC",
            "LinearClassifier",
            "LinearRegressor",
            "Ridge",
            "HuberRegressor",
            "QuantileRegressor",
            "PoissonRegressor",
            "WideClassifier",
            "WideRegressor",
            "public_evaluation",
        ],
    ),
    (
        "Schemas",
        [
            "Schema",
            "numeric",
            "categorical",
            "hashed",
            "text",
            "ids",
            "crossed",
            "date",
            "ignored",
            "binary",
            "multiclass",
            "number",
            "count",
            "numbered",
            "probability",
        ],
    ),
    ("Budgets", ["Budget", "Ledger"]),
    (
        "Planning and accounting",
        [
            "plan",
            "Plan",
            "rates",
            "account",
            "Account",
            "calibrate",
            "compose",
            "curve",
            "max_steps",
        ],
    ),
    (
        "Other releases",
        ["describe", "Summary", "quantile", "Quantile", "tune", "embed", "WordVectors"],
    ),
    ("Results", ["load", "Result", "Receipt", "verify", "Verdict"]),
    ("Tables", ["read_csv", "Table", "split"]),
    (
        "Errors",
        [
            "Error",
            "UsageError",
            "DataError",
            "BudgetError",
            "GuaranteeError",
            "NumericError",
            "IoError",
            "InternalError",
            "PrivacyWarning",
        ],
    ),
)
MODULES = ["errors", "estimators", "events", "inference", "local", "schemas"]


def write(site, program):
    site.write("reference/python.rst", python())
    site.write("reference/cpp.rst", headers(site.source))
    if program:
        site.write("reference/commands.md", commands(program))


def python():
    listed = {name for _, names in GROUPS for name in names} | set(MODULES)
    missing = sorted(set(tacet.__all__) ^ listed)
    if missing:
        raise SystemExit(f"generated.py and tacet.__all__ differ in {', '.join(missing)}")
    lines = [
        "Python: every public name",
        "=" * 25,
        "",
        "Each name has a page. `Working in Python <../python.html>`_ introduces them.",
        "",
    ]
    for title, names in GROUPS:
        lines += [
            title,
            "-" * len(title),
            "",
            ".. currentmodule:: tacet",
            "",
            ".. autosummary::",
            "   :toctree: python",
            "   :nosignatures:",
            "",
            *[f"   {name}" for name in names],
            "",
        ]
    for title, home, names in (
        (
            "Coefficients with intervals",
            "tacet.inference",
            ["Logit", "OLS", "Poisson", "RegressionResults"],
        ),
        ("Devices", "tacet.local", list(tacet.local.__all__)),
        ("Events", "tacet.events", [kind.__name__ for kind in tacet.events.KINDS]),
    ):
        lines += [
            title,
            "-" * len(title),
            "",
            f".. currentmodule:: {home}",
            "",
            ".. autosummary::",
            "   :toctree: python",
            "   :nosignatures:",
            "",
            *[f"   {name}" for name in names],
            "",
        ]
    return "\n".join(lines)


def headers(source):
    text = (source / "cmake" / "TacetHeaders.cmake").read_text("utf-8")
    lines = [
        "C++: every public header",
        "=" * 24,
        "",
        "These headers are installed. `The library <../library.html>`_ introduces them.",
        "",
    ]
    for name in re.findall(r"^\s+(tacet/\S+\.h)", text, re.MULTILINE):
        lines += [
            name,
            "-" * len(name),
            "",
            f".. doxygenfile:: {name.rsplit(chr(47), 1)[1]}",
            "   :project: tacet",
            "",
        ]
    return "\n".join(lines)


def commands(program):
    def said(*words):
        return subprocess.run(
            [program, *words, "--help"], capture_output=True, text=True, check=True
        ).stdout

    lines = [
        "# Commands",
        "",
        "What `tacet COMMAND --help` prints, for each command.",
        "",
        "```text",
        said().rstrip(),
        "```",
        "",
    ]
    for name in subcommands(said()):
        lines += [f"## tacet {name}", "", "```text", said(name).rstrip(), "```", ""]
        for inner in subcommands(said(name)):
            lines += [
                f"### tacet {name} {inner}",
                "",
                "```text",
                said(name, inner).rstrip(),
                "```",
                "",
            ]
    return "\n".join(lines)


def subcommands(text):
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    names = re.findall(r"^  (\w[\w-]*)  +", listed[1], re.MULTILINE) if listed else []
    return [name for name in names if name not in {"help", "version"}]
