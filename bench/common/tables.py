"""Tables of measurements: a room keeps Markdown in git, the raw numbers stay below build/.

A page has a section for each part of a measurement. A part that is measured again replaces its
section; the others stay as they are. Each section says on which machine, when, from which commit and
by which command it was made.
"""

import json
import re

from common import origin

ROOT = origin.ROOT
RAW = ROOT / "build" / "results"


def raw(name):
    """Where the numbers of a measurement such as "speed/readers" go; git ignores this folder."""
    path = RAW / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def page(name):
    """The page of a measurement, which git keeps: bench/speed/tables/readers.md."""
    room, measurement = name.split("/")
    return ROOT / "bench" / room / "tables" / f"{measurement}.md"


def cell(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        numbers = value and all(isinstance(each, (int, float)) for each in value)
        return f"{cell(min(value))} to {cell(max(value))}" if numbers else "; ".join(map(cell, value))
    return str(value).replace("|", "\\|").replace("\n", " ")


def flat(row, prefix=""):
    """A row whose values are no dictionaries: {"a": {"b": 1}} becomes {"a, b": 1}."""
    found = {}
    for key, value in row.items():
        if isinstance(value, dict):
            found |= flat(value, f"{prefix}{key}, ")
        else:
            found[prefix + str(key)] = value
    return found


def markdown(rows):
    """Rows, each a dictionary, as one table; its columns are their keys in order of appearance."""
    rows = [flat(row) for row in rows]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    columns = [key for key in columns if any(row.get(key) not in (None, []) for row in rows)]
    def is_number(key):
        return all(isinstance(row.get(key, 0), (int, float, type(None))) for row in rows)
    lines = ["| " + " | ".join(key.replace("_", " ") for key in columns) + " |",
             "|" + "|".join("---:" if is_number(key) else "---" for key in columns) + "|"]
    lines += ["| " + " | ".join(cell(row.get(key)) for key in columns) + " |" for row in rows]
    return "\n".join(lines)


def source(command, where=None):
    """One line: machine, cores, commit, day, command."""
    where = where or origin.origin()
    machine = where.get("machine", {})
    parts = [machine.get("cpu"), f"{machine['cores']} cores" if "cores" in machine else None,
             where.get("commit") and "commit " + where["commit"]
             + (" and what was not committed" if where.get("uncommitted_changes") else ""),
             where.get("date"), f"`{command}`"]
    return "Measured on " + ", ".join(part for part in parts if part) + "."


def sections_of(text):
    """{"title of the section": its text} of a page, in order."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2])))


def keep(name, about, command, sections, where=None):
    """Writes sections {title: rows, or text} into the page; `about` is its title and first words."""
    path = page(name)
    known = sections_of(path.read_text("utf-8")) if path.exists() else {}
    for title, content in sections.items():
        text = content if isinstance(content, str) else markdown(content)
        known[title] = f"{source(command, where)}\n\n{text.strip()}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join([f"# {about.strip()}", *(f"## {title}\n\n{text}" for title, text
                                                        in known.items())]) + "\n", "utf-8")


def keep_page(name, text, command, where=None):
    """Writes a page that is made as a whole, its source below its title."""
    title, rest = text.split("\n", 1)
    path = page(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{title}\n\n{source(command, where)}\n{rest.rstrip()}\n", "utf-8")


def save(name, result):
    """Writes the raw numbers; returns them."""
    raw(name).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return result
