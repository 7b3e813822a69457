"""A page of section 5 from a page of the documentation, which is in a small part of Markdown:
headings, paragraphs, lists, tables, examples, links, and words in backquotes or asterisks.
"""

import re

import troff

LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
ITEM = re.compile(r"^( *)(?:[-*]|\d+\.) +")


def inline(text):
    """A paragraph without its links; asterisks outside of backquotes are gone."""
    text = LINK.sub(r"\1", " ".join(text.split()))
    parts = re.split(r"(`[^`]*`)", text)
    plain = [part if part.startswith("`") else re.sub(r"\*\*?([^*\s][^*]*)\*\*?", r"\1", part)
             for part in parts]
    return troff.words("".join(plain))


def cells(row):
    """Of a line of a table; a bar within backquotes does not end one."""
    parts = re.split(r"(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*$)", row.strip())
    return [part.strip().replace("\\|", "|") for part in parts[1:-1]]


def table(rows):
    """Each row is a paragraph behind its first cell; further cells stand behind their header."""
    header = cells(rows[0])
    out = []
    for row in map(cells, rows[2:]):
        rest = [cell if k == 1 else f"{header[k]}: {cell}"
                for k, cell in enumerate(row) if k > 0 and cell]
        text = ". ".join(part.rstrip(".") for part in rest)
        out.append(f".TP\n{inline(row[0])}\n{inline(text + '.') if text else chr(92) + '&'}\n")
    return "".join(out)


def blocks(text):
    """[(kind, lines)] of the page, in order."""
    lines = text.split("\n")
    at = 0

    def taken(holds):
        nonlocal at
        first = at
        while at < len(lines) and holds(lines[at]):
            at += 1
        return lines[first:at]

    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("```"):
            at += 1
            yield "example", taken(lambda one: not one.startswith("```"))
            at += 1
        elif line.startswith("    "):
            yield "example", [one[4:] for one in taken(lambda one: one[:4].isspace())]
        elif line.startswith("#"):
            at += 1
            yield "heading", [line]
        elif line.startswith("|"):
            yield "table", taken(lambda one: one.startswith("|"))
        elif ITEM.match(line):
            at += 1
            more = taken(lambda one: one.startswith("  ") and not ITEM.match(one))
            yield "item", [ITEM.sub("", line), *more]
        else:
            at += 1
            more = taken(lambda one: one.strip() and not ITEM.match(one)
                         and one[0] not in "#|" and not one.startswith("```"))
            yield "text", [line, *more]


def page(name, summary, text, release):
    """The whole of tacet-NAME(5)."""
    out = [troff.title(name, "5", release), ".SH NAME\n",
           f"{troff.escaped(name)} \\- {troff.words(summary)}\n", ".SH DESCRIPTION\n"]
    for kind, lines in blocks(text):
        if kind == "example":
            out.append(troff.example("\n".join(lines)))
        elif kind == "heading":
            depth = len(lines[0]) - len(lines[0].lstrip("#"))
            words = lines[0].lstrip("# ").replace("`", "")
            if depth > 1:
                macro, words = (".SH", words.upper()) if depth == 2 else (".SS", words)
                out.append(f"{macro} {troff.words(words)}\n")
        elif kind == "table":
            out.append(table(lines))
        elif kind == "item":
            out.append(f".IP \\(bu 3\n{inline(' '.join(lines))}\n")
        else:
            out.append(f".PP\n{inline(' '.join(lines))}\n")
    return "".join(out)
