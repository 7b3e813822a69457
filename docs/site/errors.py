"""Every message of an error, collected from the sources, with the remedy that it carries.

A message is the text that is given to `base::UsageError` and its siblings, or to a function that
ends in one (`fail`, `refuse`). Values that a message fills in are shown as three dots.
"""

import collections
import re

KINDS = {
    "Usage": (2, "usage", "A wrong option or value", "Correct the option that the message names."),
    "Data": (
        3,
        "data",
        "A file or a table that cannot be read",
        "Correct the file at the place that the message names.",
    ),
    "Budget": (
        4,
        "budget",
        "The budget does not cover it",
        "Ask for less epsilon or delta, or raise the cap with `tacet ledger cap`.",
    ),
    "Guarantee": (
        5,
        "guarantee",
        "No guarantee is proved",
        "Choose settings for which there is a proof, or restore the file that was changed.",
    ),
    "Numeric": (
        6,
        "numeric",
        "A number left its range",
        "Use narrower bounds, a smaller step size or a larger epsilon.",
    ),
    "Io": (
        7,
        "io",
        "The operating system refused",
        "Check the path, the rights and the free space, then run the command again.",
    ),
}
MODULES = {
    "base": "Files, threads and limits",
    "numeric": "Numbers",
    "random": "Random numbers",
    "privacy": "Releases, budgets and receipts",
    "accounting": "Accounting",
    "ledger": "Ledgers",
    "data": "Schemas and tables",
    "mechanism": "Mechanisms",
    "model": "Model files and exports",
    "optimize": "Sums and solvers",
    "learn": "Training",
    "choose": "`auto` and `tune`",
    "local": "Devices and servers",
    "audit": "Audits",
    "run": "Runs of a command",
    "api": "The library for C++",
    "capi": "The library for C",
    "report": "Reports and `verify`",
    "apps": "The command line",
}
# Where the errors of a module have another cause than most of their kind.
RECEIPT = "The file was changed or damaged. Take the original, or make it again."
INSTEAD = {
    ("Data", "privacy"): RECEIPT,
    ("Data", "learn"): RECEIPT,
    ("Data", "choose"): RECEIPT,
    ("Data", "report"): RECEIPT,
    ("Data", "ledger"): "Use this ledger no more. Run `tacet ledger verify`, and restore a back-up.",
    ("Io", "local"): "Check the server's address, the network and the folders that the message names, then try again.",
    ("Numeric", "accounting"): "Ask for fewer steps, more noise or a larger delta.",
    ("Budget", "local"): "Put back what the message names, or change the policy.",
}
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
THROWN = re.compile(rf"\b({'|'.join(KINDS)})(?:Error|Exceeded)\b\s*[({{]")
HELPER = re.compile(r"\[\[noreturn\]\][^;{]*?\b(\w+)\s*\(")


def closing(text, start):
    """Where the bracket that stands at `start` is closed; texts in quotes are skipped."""
    depth, at = 0, start
    while at < len(text):
        if text[at] == '"':
            at = STRING.match(text, at).end()
            continue
        if text[at] == "'" and re.match(r"'(\\.|[^'\\])'", text[at:]):
            at += text[at + 1 :].index("'", 1 if text[at + 1] == "\\" else 0) + 2
            continue
        depth += (text[at] in "({[") - (text[at] in ")}]")
        if depth == 0:
            return at
        at += 1
    return len(text)


def messages(arguments):
    """The messages in the arguments of a call: neighbouring texts are one, and so are texts that
    stand on both sides of a plus."""
    found, last = [], None
    for match in STRING.finditer(arguments):
        text = match[1].encode().decode("unicode_escape") if "\\" in match[1] else match[1]
        between = arguments[last:match.start()] if last is not None else ""
        if last is not None and not between.strip():
            found[-1] += text
        elif last is not None and between.count("+") >= 2 and "?" not in between:
            found[-1] += "{}" + text
        else:
            found.append(text)
        last = match.end()
    texts = [plain(text) for text in found]
    return [text for text in texts if len(text.split()) >= 3 and text[0] not in ",;.:)("]


def plain(text):
    text = text.replace("{{", "\0").replace("}}", "\1")
    text = re.sub(r"\{[^{}]*\}", "…", text).replace("\0", "{").replace("\1", "}")
    text = re.sub(r"^(…[:,]? ?)+", "", text)
    return " ".join(text.split())


def without_comments(text):
    return re.sub(r"^([^\"\n]*?)//.*$", r"\1", text, flags=re.MULTILINE)


def helpers(text):
    """Functions that end in an error, with its kind."""
    for match in HELPER.finditer(text):
        end = closing(text, match.end() - 1)
        body = text.find("{", end)
        if body < 0 or ";" in text[end:body]:
            continue
        thrown = THROWN.search(text, body, closing(text, body))
        if thrown:
            yield match[1], thrown[1]


def collect(source):
    """{kind: {module: {message, ...}}}"""
    texts = {
        path: without_comments(path.read_text("utf-8"))
        for path in sorted((source / "tacet").rglob("*"))
        if path.suffix in {".h", ".cc"}
        and not path.stem.endswith("_test")
        and "test" not in path.relative_to(source).parts
    }
    everywhere = collections.defaultdict(set)
    for text in texts.values():
        for name, kind in helpers(text):
            everywhere[name].add(kind)
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for path, text in texts.items():
        module = path.relative_to(source / "tacet").parts[0]
        known = {name: min(kinds) for name, kinds in everywhere.items() if len(kinds) == 1}
        known.update(dict(helpers(text)))
        calls = [(match.start(), match.end() - 1, match[1]) for match in THROWN.finditer(text)]
        if known:
            named = re.compile(rf"\b({'|'.join(map(re.escape, known))})\(")
            calls += [(m.start(), m.end() - 1, known[m[1]]) for m in named.finditer(text)]
        for _, bracket, kind in calls:
            for message in messages(text[bracket : closing(text, bracket) + 1]):
                found[kind][module].add(message)
    return found


def parted(message, otherwise):
    """What went wrong, and what to do: behind a semicolon, or in a second sentence."""
    match = re.match(r"(.+?[^.;])(?:; |\. (?=[A-Z`]))(.+)$", message)
    if match and len(match[1].split()) >= 3 and re.search(r"\w\w", match[2]):
        said = re.sub(r"^(…\. )+", "", match[2])
        return match[1], said[0].upper() + said[1:].rstrip(".") + "."
    return message, otherwise


def pages(source):
    """(place, text) of the page of exit codes and of one page for each kind of error."""
    found = collect(source)
    rows = ["| code | what happened | how many messages |", "|---|---|---|"]
    for kind, (code, name, title, _) in KINDS.items():
        count = sum(len(texts) for texts in found[kind].values())
        rows.append(f"| {code} | [{title}](errors/{name}.md) | {count} |")
        yield f"reference/errors/{name}.md", page(kind, found[kind])
    yield (
        "reference/errors.md",
        "\n".join(
            [
                "# Errors",
                "",
                "Each error ends a command with an exit code. In Python it is [an exception](../python.md#errors), in C++ one of "
                "`tacet::base`, in C a number that is not 0. The message says where, what was given, and what is allowed.",
                "",
                *rows,
                "",
                "Exit code 0 means that the command is done, and 130 that you interrupted it. Exit code 1 means that memory ran "
                "out, or that tacet has a fault. The message says which. Please report a fault with the command and the message. "
                "Nothing private is in it.",
                "",
                "Errors are one line of text on standard error, also with `--json`. There are no errors as JSON, so let scripts "
                "decide by the exit code. Only the server of local learning answers a refused request by "
                "[JSON](../formats/error.schema.json).",
                "",
                "Three dots stand for a value that the message fills in: a name, a number, or a place in a file. These pages "
                "are collected from the sources. The program writes options with hyphens, and Python as arguments.",
                "",
            ]
        ),
    )


def page(kind, modules):
    code, _, title, otherwise = KINDS[kind]
    lines = [f"# {title} (exit code {code})", "", otherwise, ""]
    for module, heading in MODULES.items():
        if not modules.get(module):
            continue
        lines += [f"## {heading}", "", "| message | what to do |", "|---|---|"]
        usual = INSTEAD.get((kind, module), otherwise)
        for message in sorted(modules[module], key=lambda text: text.strip("…'` ").lower()):
            what, remedy = parted(message, usual)
            lines.append(f"| {cell(what)} | {cell(remedy)} |")
        lines.append("")
    return "\n".join(lines)


def cell(text):
    """Plain text in a table; what stands in backquotes is code."""
    pieces = re.split(r"(`[^`]+`)", text)
    return "".join(
        piece.replace("|", "\\|")
        if number % 2
        else re.sub(r"([\\*_<>\[\]$`|#~])", r"\\\1", piece)
        for number, piece in enumerate(pieces)
    )
