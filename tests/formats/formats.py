"""The schemas of docs/formats, and which of them a command's output has.

They are checked with the Python package jsonschema; without it `validators()` is None and tests say
that they were skipped.
"""

import functools
import json
import pathlib
import re

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


def _within(value, name):
    """A part of the schema `name` as it stands below `$defs` of a schema that has all of them."""
    if isinstance(value, list):
        return [_within(one, name) for one in value]
    if not isinstance(value, dict):
        return value
    made = {key: _within(one, name) for key, one in value.items() if key != "$id"}
    if isinstance(value.get("$ref"), str):
        base, _, pointer = value["$ref"].partition("#")
        made["$ref"] = f"#/$defs/{base.split(':')[2] if base else name}{pointer}"
    return made


@functools.cache
def validators():
    """By the name of the format; None where jsonschema is missing.

    All schemas stand in one, and refer to each other within it: versions before 4.18, which Debian 12 has,
    find nothing by names that are no addresses.
    """
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    known = {name: _within(schema, name) for name, schema in schemas().items()}
    return {name: jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": known})
            for name in known}


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


def expect_printed(arguments, text):
    """Ends a test where a command that succeeded prints other JSON than docs/formats say.

    Other commands and what goes into files are left alone; without jsonschema nothing is checked.
    """
    words = [str(word) for word in arguments]
    if "--json" not in words or not text or validators() is None:
        return
    try:
        check_printed(words, text if isinstance(text, str) else text.decode("utf-8"))
    except Fault as fault:
        raise SystemExit(f"tacet {' '.join(words)}: {fault}") from None
