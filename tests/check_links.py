"""Fails when a document or a comment points at a file of the tree that is not there, or at a
section, theorem or lemma that the note has not, or names a source file that a reader cannot follow.

    check_links.py SOURCE

Checked are

- relative links in Markdown files, and every `docs/....md` that is named anywhere in the sources, with
  what follows it: `docs/proofs/objective.md, section 3`, `..., Theorem B`. Sections and theorems are
  those that headings name.
- links to a name in a source file, `clip.h#clip_norm`, which need a line with that name there, and
  links to a section, `page.md#a-section` or `#a-section`, which need a heading.
- in docs/: a file or folder of the tree that stands in backquotes, `optimize/sums/cell_sum`, is a link;
  every page is linked by an index, which is a README.md, or `x.md` beside a folder `x/`; and below each
  figure a sentence says what to see.
- docs/library.md, which links every header that cmake/TacetHeaders.cmake installs.
"""

import os
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
NAME = re.compile(r"\]\(([^)#\s:]+)#([^)\s]+)\)")
SECTION = re.compile(r"\]\(([^)#\s:]*\.md|)#([^)\s]+)\)")
MENTION = re.compile(r"\bdocs/[\w/.-]+?\.md\b")
PLACE = re.compile(r"\b(docs/[\w/.-]+?\.md)\W{0,3},\s+(?:(section|theorem|lemma)s?\s+)?"
                   r"(\d+\w?|[A-Z])(?:\s+and\s+(\d+\w?|[A-Z]))?\b(?!\.\d)", re.IGNORECASE)
FIGURE = re.compile(r"^!\[[^\]]*\]\((\S+)\)\s*(.*)", re.MULTILINE)
NAMED = re.compile(r"(?<!\[)`((?!build/)[a-z_]+(?:/[\w.-]+)+)/?`")
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"^<!-- from: (\S+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ENDINGS = ("", ".h", ".cc", ".py")
COMMENT_BREAK = re.compile(r"\n\s*(?:///?|#)[ \t]?")
FOLDERS = ("tacet", "tests", "bench", "fuzz", "examples", "scripts", "cmake", "docs", "data")


def files(source):
    yield from (path for path in source.glob("*") if path.is_file())
    for folder in FOLDERS:
        yield from (path for path in (source / folder).rglob("*") if path.is_file())


def names_place(note, kind, place):
    """Whether a heading of the note is `## 3. ...` or names `Theorem B`."""
    headings = "\n".join(re.findall(r"^#+ .*$", note, re.MULTILINE))
    if kind.lower() == "section":
        return re.search(rf"^#+ {place}\. ", headings, re.MULTILINE) is not None
    return re.search(rf"\b{kind} {place}\b", headings, re.IGNORECASE) is not None


def missing_places(source, text):
    """Every `docs/....md, section 3` in the text whose note is there, but not the section."""
    for path, kind, *places in PLACE.findall(COMMENT_BREAK.sub(" ", text)):
        note = source / path
        if not note.exists():
            continue
        for place in filter(None, places):
            if not names_place(note.read_text(encoding="utf-8"), kind or "section", place):
                yield f"{path} has no {kind or 'section'} {place}"


def not_linked(source, text):
    """Every file or folder of the tree that the text of a document names without a link to it. Names
    stand as a reader of the tree says them: from its root, or from a module, without an ending."""
    for name in NAMED.findall(BLOCK.sub("", text)):
        places = (source / name, source / "tacet" / name)
        if any(place.with_name(place.name + ending).exists()
               for place in places for ending in ENDINGS):
            yield f"`{name}` is no link"
        elif places[1].parent.is_dir():
            yield f"`{name}` is no file of {places[1].parent.relative_to(source)}"


def missing_names(path, text):
    """Every link to a name in a source file that has no such name."""
    for target, name in NAME.findall(text):
        whole = path.parent / target
        if whole.suffix != ".md" and whole.is_file() and not re.search(
                rf"\b{re.escape(name)}\b", whole.read_text(encoding="utf-8")):
            yield f"{os.path.basename(target)} has no {name}"


def sections(page):
    """What links call the headings of a page: as GitHub does, and as docutils does."""
    for heading in re.findall(r"^#+ +(.*?)[ #]*$", BLOCK.sub("", page), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        yield re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        yield re.sub(r"[^a-z0-9]+", "-", words).strip("-")


def missing_sections(path, text):
    """Every link to a section of a page that has no such heading."""
    for target, section in SECTION.findall(BLOCK.sub("", text)):
        whole = path.parent / target if target else path
        if whole.is_file() and section not in sections(whole.read_text(encoding="utf-8")):
            yield f"{os.path.basename(whole)} has no section {section}"


def missing_quotes(path, text):
    """Every block that says which file it quotes, and is not there; how far lines are indented is free."""
    def plain(block):
        return "\n".join(line.strip() for line in block.strip().splitlines())
    for target, block in QUOTED.findall(text):
        whole = path.parent / target
        if whole.is_file() and plain(block) not in plain(whole.read_text(encoding="utf-8")):
            yield f"a block is not in {os.path.basename(target)}: {block.strip().splitlines()[0].strip()}"
        elif not whole.is_file():
            yield f"there is no {target} to quote"


def unreached(source):
    """Every page of docs/ that no index links to; nothing where docs/ has no README.md yet."""
    docs = source / "docs"
    if not (docs / "README.md").exists():
        return
    pages = set(docs.rglob("*.md"))
    reached = {docs / "README.md"}
    for index in pages:
        if index.name == "README.md" or index.with_suffix("").is_dir():
            reached |= {(index.parent / target).resolve()
                        for target in LINK.findall(index.read_text(encoding="utf-8"))}
    yield from sorted(page.relative_to(source) for page in pages - reached)


def unlisted_headers(source):
    """Every header that is installed, and that the page of the library does not link; nothing where there is no list."""
    installed, page = source / "cmake" / "TacetHeaders.cmake", source / "docs" / "library.md"
    if not installed.exists():
        return
    linked = page.read_text(encoding="utf-8") if page.exists() else ""
    for header in re.findall(r"^\s+(tacet/[\w/]+\.h)\b", installed.read_text(encoding="utf-8"), re.MULTILINE):
        if f"](../{header})" not in linked:
            yield f"docs/library.md: {header} is installed and not listed"


def main(source):
    source = pathlib.Path(source).resolve()
    broken = []
    for path in sorted(files(source)):
        if path.suffix not in {".md", ".h", ".cc", ".py", ".txt", ".cmake", ".toml", ""}:
            continue
        if path.name in {"check_links.py", "check_links_test.py"}:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a corpus file
        targets = {source / target for target in MENTION.findall(text)}
        if path.suffix == ".md":
            targets |= {path.parent / target for target in LINK.findall(text)
                        if not re.match(r"[a-z]+:", target)}
        broken += [f"{path.relative_to(source)}: there is no {os.path.relpath(target, source)}"
                   for target in sorted(targets) if not target.exists()]
        broken += [f"{path.relative_to(source)}: {what}" for what in missing_places(source, text)]
        if path.suffix == ".md":
            broken += [f"{path.relative_to(source)}: {what}" for what in missing_names(path, text)]
            broken += [f"{path.relative_to(source)}: {what}" for what in missing_sections(path, text)]
            broken += [f"{path.relative_to(source)}: {what}" for what in missing_quotes(path, text)]
        if path.suffix == ".md" and path.is_relative_to(source / "docs"):
            broken += [f"{path.relative_to(source)}: {what}" for what in not_linked(source, text)]
            broken += [f"{path.relative_to(source)}: nothing says what to see in {figure}"
                       for figure, below in FIGURE.findall(text) if not below.startswith("*What to see: ")]
    broken += [f"{page}: no index links to it" for page in unreached(source)]
    broken += unlisted_headers(source)
    print("\n".join(broken) or "every link leads somewhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
