"""The schemas of docs/formats, and which of them a command's output has.

They are checked with the Python package jsonschema; without it `validators()` is None and tests say
that they were skipped.
"""

import functools
import json
import pathlib
import re
import warnings

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "formats"
ROW = re.compile(r"^\| \[[a-z-]+\]\(([a-z-]+)\.schema\.json\) \|.*\| ?(.*)\|$", re.MULTILINE)


class Fault(Exception):
    """A text that is no JSON, or not of its schema."""


def _refuse(word):
    raise Fault(f"{word} is no JSON")


def parse(text):
    """The value of a JSON text; Fault for what RFC 8259 does not allow, NaN say."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        raise Fault(f"not JSON: {error}") from None


@functools.cache
def schemas():
    return {path.name.split(".")[0]: json.loads(path.read_text(encoding="utf-8"))
            for path in sorted(FOLDER.glob("*.schema.json"))}


@functools.cache
def validators():
    """By the name of the format; None where jsonschema is missing."""
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    known = schemas()
    make = jsonschema.Draft202012Validator
    try:
        import referencing  # pylint: disable=import-outside-toplevel
    except ImportError:  # before version 4.18
        warnings.simplefilter("ignore", DeprecationWarning)
        store = {schema["$id"]: schema for schema in known.values()}
        return {name: make(schema, resolver=jsonschema.RefResolver(schema["$id"], schema, store))
                for name, schema in known.items()}
    registry = referencing.Registry().with_resources(
        (schema["$id"], referencing.Resource.from_contents(schema)) for schema in known.values())
    return {name: make(schema, registry=registry) for name, schema in known.items()}


def check(name, value):
    """Fault where the value is not of the format."""
    import jsonschema  # pylint: disable=import-outside-toplevel
    error = jsonschema.exceptions.best_match(validators()[name].iter_errors(value))
    if error is not None:
        place = "".join(f"[{part!r}]" for part in error.absolute_path)
        raise Fault(f"{place or 'the whole'} is not of the format '{name}': {error.message[:500]}")


@functools.cache
def commands():
    """[(words of a command, its options but --json, name)] as docs/formats/README.md has them."""
    found = []
    for name, where in ROW.findall((FOLDER / "README.md").read_text(encoding="utf-8")):
        for words in re.findall(r"`tacet ([^`]*) --json`", where):
            parts = words.split()
            options = {word for word in parts if word.startswith("--")}
            found.append((" ".join(word for word in parts if word not in options), options, name))
    # What has more options is looked for first.
    return sorted(found, key=lambda row: -len(row[1]))


def format_of(arguments, value):
    """Of what a command with these arguments printed; None for a command without a line."""
    if isinstance(value, dict) and value.get("format") == "tacet-model":
        return "model"
    if isinstance(value, dict) and "algorithm" in value and "events" in value:
        return "receipt"
    for words, options, name in commands():
        if arguments[:len(words.split())] == words.split() and options <= set(arguments):
            return name
    return None


def check_printed(arguments, text):
    """Fault where the output of a command with --json is not as docs/formats say."""
    value = parse(text)
    name = format_of(arguments, value)
    if name is None:
        raise Fault("docs/formats/README.md has no line for this command")
    check(name, value)
