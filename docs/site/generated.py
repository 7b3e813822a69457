"""Pages of the reference that are made from tables: the help of each command, the names of the
Python package, the public headers for C++ and C, the keys of each format, the errors."""

import importlib
import inspect
import json
import re
import subprocess

import errors
import tacet

ENTRIES = {
    "reference/README.md": [
        "reference/commands.md",
        "reference/python.rst",
        "reference/cpp.rst",
        "reference/c.md",
        "reference/keys.md",
        "reference/errors.md",
    ],
    "reference/errors.md": [f"reference/errors/{kind[1]}.md" for kind in errors.KINDS.values()],
}
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
    ("Records on several machines", ["Parts"]),
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
# Modules of the package, each with its title; the names of the first are in GROUPS.
MODULES = {
    "errors": None,
    "estimators": None,
    "schemas": None,
    "inference": "Coefficients with intervals",
    "audit": "Attacks on claims",
    "export": "Models without tacet",
    "mlflow": "MLflow",
    "local": "Devices",
    "events": "Events",
}
COMPATIBLE = "tacet.compat.diffprivlib"


def write(site, program):
    undocumented = sorted(without_docstring())
    if undocumented:
        raise SystemExit(f"public names without a docstring: {', '.join(undocumented)}")
    site.write("reference/python.rst", python())
    for place, text in headers(site.source):
        site.write(place, text)
    site.write("reference/c.md", c_header(site.source))
    site.write("reference/keys.md", keys(site.source))
    for place, text in errors.pages(site.source):
        site.write(place, text)
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
    for title, home in [
        *((title, f"tacet.{name}") for name, title in MODULES.items() if title),
        ("In the place of diffprivlib", COMPATIBLE),
    ]:
        names = names_of(home)
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


def names_of(home):
    """The public names of a module: `__all__`, or what is defined there."""
    module = importlib.import_module(home)
    if home == "tacet.events":
        return [kind.__name__ for kind in module.KINDS]
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == home
    ]


def without_docstring():
    """Public names of the package that say nothing, methods included."""
    homes = ["tacet", COMPATIBLE, *(f"tacet.{name}" for name in MODULES)]
    for home in homes:
        module = importlib.import_module(home)
        if not module.__doc__:
            yield home
        for name in names_of(home):
            value = getattr(module, name)
            if not (inspect.isclass(value) or inspect.isroutine(value)):
                continue
            if not inspect.getdoc(value):
                yield f"{home}.{name}"
            if inspect.isclass(value):
                for inner, method in vars(value).items():
                    public = not inner.startswith("_")
                    if public and callable(method) and not inspect.getdoc(getattr(value, inner)):
                        yield f"{home}.{name}.{inner}"


def headers(source):
    """(place, text) of the list of public headers and of a page for each."""
    text = (source / "cmake" / "TacetHeaders.cmake").read_text("utf-8")
    names = re.findall(r"^\s+(tacet/\S+\.h)", text, re.MULTILINE)
    lines = [
        "C++: every public header",
        "=" * 24,
        "",
        "These headers are installed. `The library <../library.html>`_ introduces them.",
        "",
        ".. toctree::",
        "   :maxdepth: 1",
        "",
        *[f"   cpp/{name[len('tacet/') : -len('.h')].replace('/', '-')}" for name in names],
        "",
    ]
    yield "reference/cpp.rst", "\n".join(lines)
    for name in names:
        file = name.rsplit("/", 1)[1]
        lines = [name, "=" * len(name), "", *words_of_header(source / name)]
        lines += [f".. doxygenfile:: {file}", "   :project: tacet", ""]
        place = name[len("tacet/") : -len(".h")].replace("/", "-")
        yield f"reference/cpp/{place}.rst", "\n".join(lines)


def words_of_header(path):
    """What a header says of itself, above its namespace or first of all: words, and an example as code."""
    text = path.read_text("utf-8")
    found = re.search(r"((?:^///.*\n)+)^namespace tacet", text, re.MULTILINE)
    found = found or re.match(r"#pragma once\n\n((?:///.*\n)+)\n", text)
    if not found:
        return []
    said, _, code = re.sub("^/// ?", "", found[1], flags=re.MULTILINE).partition("Example:\n")
    lines = [re.sub(r"`([^`]+)`", r"``\1``", said.strip()), ""]
    return [*lines, ".. code-block:: cpp", "", code.strip("\n"), ""] if code else lines


def c_header(source):
    """tacet.h in pieces: what a comment says, then the declarations that it speaks of."""
    text = (source / "tacet" / "capi" / "tacet.h").read_text("utf-8")
    opening, _, rest = text.partition("#ifndef TACET_H")
    inside = rest[rest.index('extern "C" {') : rest.rindex("#ifdef __cplusplus")]
    lines = [
        "# C: every function",
        "",
        "The header is `tacet.h`, in C99. [How you call it](../how-to/from-c.md) from C and from other languages.",
        "",
        comment(opening),
        "",
    ]
    for block in re.split(r"\n(?=/\*)|\n\n", inside):
        match = re.match(r"\s*(/\*.*?\*/)?\s*(.*)", block, re.DOTALL)
        said, code = match[1], match[2].strip()
        if not re.match(r"(TACET_API|enum|typedef)", code):
            continue
        if not said:
            raise SystemExit(f"tacet.h says nothing of {code.splitlines()[0]}")
        lines += [f"## {title_of(code)}", "", comment(said), "", "```c", code, "```", ""]
    return "\n".join(lines)


def title_of(code):
    """What a block declares: its functions, else its types, else the first and the last constant."""
    functions = re.findall(r"^TACET_API .*?\b(tacet_\w+)\(", code, re.MULTILINE)
    of_types = r"^typedef (?:int|double) \(\*(\w+)\)|^(?:typedef uint64_t |\} )(\w+);"
    types = re.findall(of_types, code, re.MULTILINE)
    constants = re.findall(r"\b(TACET_[A-Z_]+) =", code)
    names = functions or [one or other for one, other in types]
    return ", ".join(names) or f"{constants[0]} to {constants[-1]}"


def comment(text):
    """The words of a comment without its stars, in its paragraphs."""
    words = re.sub(r"\s*\*/|/\*|^ \*", "", text, flags=re.MULTILINE)
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", words)).strip()


def keys(source):
    """The keys of each format, from its JSON schema."""
    lines = [
        "# Every key of each format",
        "",
        "The tables are made from the JSON schemas in [formats](../formats/README.md). The keys of a schema file "
        "are those of *Schema* here, in TOML. `[]` stands for each entry of a list.",
        "",
    ]
    for path in sorted((source / "docs" / "formats").glob("*.schema.json")):
        schema = json.loads(path.read_text("utf-8"))
        lines += [f"## {schema['title']}", "", schema.get("description", ""), ""]
        rows = list(rows_of(schema, schema, ""))
        for part in schema.get("$defs", {}).values() if not rows else ():
            rows += rows_of(part, schema, "")
        if rows:
            lines += ["| key | type | what it is |", "|---|---|---|", *dict.fromkeys(rows), ""]
    return "\n".join(lines)


def rows_of(schema, root, prefix, depth=0, always=True):
    required = set(schema.get("required", [])) if always else set()
    for name, value in schema.get("properties", {}).items():
        value, elsewhere = followed(value, root)
        said = value.get("description", "")
        if name in required:
            said = f"{said} Always there.".strip()
        yield f"| `{prefix}{name}` | {kind_of(value, elsewhere)} | {errors.cell(said)} |"
        if depth < 4 and not elsewhere:
            yield from rows_of(value, root, f"{prefix}{name}.", depth + 1, always)
            if isinstance(value.get("items"), dict):
                inner, other = followed(value["items"], root)
                if not other:
                    yield from rows_of(inner, root, f"{prefix}{name}[].", depth + 1, always)
    for word in ("oneOf", "anyOf", "allOf"):
        for part in schema.get(word, []):
            inner, other = followed(part, root)
            if not other and depth < 4:
                yield from rows_of(inner, root, prefix, depth + 1, always and word == "allOf")


def followed(value, root):
    """What a reference within the schema leads to; the name of another format otherwise."""
    if not isinstance(value, dict):
        return {}, None
    target = value.get("$ref", "")
    if target.startswith("#/$defs/"):
        return {**root["$defs"][target[len("#/$defs/") :]], **value}, None
    return value, target or None


def kind_of(value, elsewhere):
    if elsewhere:
        name = re.search(r"urn:tacet:([\w-]+)", elsewhere)
        return f"see {name[1]}" if name else "an object"
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return ", ".join(f"`{json.dumps(item)}`" for item in value["enum"])
    kinds = value.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    for word in ("anyOf", "oneOf"):
        kinds = kinds or [part.get("type") for part in value.get(word, []) if "type" in part]
    words = {"array": "list", "string": "text", "number": "number", "integer": "whole number"}
    said = " or ".join(dict.fromkeys(words.get(kind, kind) for kind in kinds)) or "any"
    limits = [
        f"{sign} {value[key]}"
        for key, sign in (
            ("minimum", "≥"),
            ("exclusiveMinimum", ">"),
            ("maximum", "≤"),
            ("exclusiveMaximum", "<"),
        )
        if key in value
    ]
    return ", ".join([said, *limits])


def commands(program):
    def said(*words):
        return subprocess.run(
            [program, *words, "--help-all"], capture_output=True, text=True, check=True
        ).stdout

    lines = [
        "# Commands",
        "",
        "What `tacet COMMAND --help-all` prints, for each command.",
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
