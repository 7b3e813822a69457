"""Fails when a document or a comment points at a file of the tree that is not there.

    check_links.py SOURCE

Checked are relative links in Markdown files and every `docs/....md` that is named anywhere in the
sources.
"""

import os
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MENTION = re.compile(r"\bdocs/[\w/.-]+?\.md\b")
FOLDERS = ("tacet", "tests", "bench", "fuzz", "examples", "scripts", "cmake", "docs", "data")


def files(source):
    yield from (path for path in source.glob("*") if path.is_file())
    for folder in FOLDERS:
        yield from (path for path in (source / folder).rglob("*") if path.is_file())


def main(source):
    source = pathlib.Path(source).resolve()
    broken = []
    for path in sorted(files(source)):
        if path.suffix not in {".md", ".h", ".cc", ".py", ".txt", ".cmake", ".toml", ""}:
            continue
        if path == pathlib.Path(__file__).resolve():
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
    print("\n".join(broken) or "every link leads somewhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
