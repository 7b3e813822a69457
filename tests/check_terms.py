"""Fails where a tutorial or a how-to page uses a term of the glossary before it links it.

    check_terms.py SOURCE [--mend]

An entry of docs/glossary.md may have a comment below its heading, `<!-- first use: slot, slots -->`. The
first of these words in the prose of a page has to stand in a link, or in italics where the page
itself says what it means. Prose is what is left of a page without headings, code, quotations, figures and tables. A
link into the glossary needs an entry there. With --mend the missing links are written.
"""

import pathlib
import re
import sys

INDEX = "docs/tutorials/README.md"
ENTRY = re.compile(r"^## (.+)\n(?:<!-- first use: (.+) -->\n)?", re.MULTILINE)
INTO = re.compile(r"\]\([^)\s]*glossary\.md#([^)\s]+)\)")
# What is no prose. Code in a line is, where a term is written as code.
HIDDEN = re.compile(r"^(?:```|~~~)[\s\S]*?^(?:```|~~~)[ \t]*$|^[#>|].*$|^    \S.*$|<!--[\s\S]*?-->"
                    r"|!\[[^\]]*\]\([^)]*\)|(?<=\])\([^)]*\)", re.MULTILINE)
LINKED = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]|(?<![*\w])\*[^*\n]{1,40}\*(?![*\w])")


def anchor(heading):
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


def entries(glossary):
    """(anchor, words) of each entry, in the order of the glossary."""
    return [(anchor(name), [word.strip() for word in (words or "").split(",") if word.strip()])
            for name, words in ENTRY.findall(glossary)]


def blanked(match):
    return re.sub(r"[^\n]", " ", match[0])


def first_use(text, words):
    """(begin, end, linked) of the first of the words in the prose of a page, or None."""
    prose = HIDDEN.sub(blanked, text)
    plain = re.sub(r"`[^`\n]*`", blanked, prose)
    found = []
    for word in words:
        pattern = re.escape(word).replace(r"\ ", r"\s+")
        whole = pattern if word.startswith("`") else rf"(?<![\w`-]){pattern}(?![\w`-])"
        match = re.search(whole, prose if word.startswith("`") else plain, re.IGNORECASE)
        if match:
            found.append(match.span())
    if not found:
        return None
    begin, end = min(found)
    linked = any(link.start() <= begin < link.end() for link in LINKED.finditer(prose))
    return begin, end, linked


def pages(source):
    """Tutorials, which an index lists, and how-to pages."""
    index = source / INDEX
    tutorials = re.findall(r"\]\(\.\./([\w-]+\.md)\)", index.read_text(encoding="utf-8")) if index.exists() else []
    yield from sorted({source / "docs" / name for name in tutorials})
    yield from (page for page in sorted((source / "docs" / "how-to").glob("*.md")) if page.name != "README.md")


def mended(text, glossary, place):
    """The page with a link at the first use of each term."""
    for name, words in glossary:
        use = first_use(text, words)
        if use and not use[2]:
            text = f"{text[:use[0]]}[{text[use[0]:use[1]]}]({place}#{name}){text[use[1]:]}"
    return text


def faults(page, text, glossary):
    known = {name for name, _ in glossary}
    yield from (f"{page}: the glossary has no {name}" for name in INTO.findall(text) if name not in known)
    for name, words in glossary:
        use = first_use(text, words)
        if use and not use[2]:
            line = text.count("\n", 0, use[0]) + 1
            yield f"{page}:{line}: '{text[use[0]:use[1]]}' is used before it is linked (glossary.md#{name})"


def main(source, *options):
    source = pathlib.Path(source)
    glossary = entries((source / "docs" / "glossary.md").read_text(encoding="utf-8"))
    found = []
    for page in pages(source):
        text = page.read_text(encoding="utf-8")
        if "--mend" in options:
            place = "glossary.md" if page.parent.name == "docs" else "../glossary.md"
            text = mended(text, glossary, place)
            page.write_text(text, encoding="utf-8")
        found += faults(page.relative_to(source), text, glossary)
    print("\n".join(found) or "each term is linked at its first use")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
