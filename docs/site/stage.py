"""Lays the pages out for Sphinx, and leaves the Markdown in the tree as people read it there.

    stage.py SOURCE FOLDER [PROGRAM]

Pages of docs/ come to the top of FOLDER; docs/README.md is the first page. Other files that a page
links to get a page below tree/: Markdown as it is, a source file with a number on each line, a
folder as a list. Links follow. A link `x.h#name` leads to the line of the source file that first has the
name; a name that is not there is an error. An index (README.md, or `x.md` beside a folder `x/`)
gets the pages that it links to as its entries, so a page that no index links to is one that Sphinx
complains of. `<!-- tab: Python -->` up to `<!-- end of tabs -->` become tabs. PROGRAM, if given, is
asked for the help of each command.
"""

import pathlib
import posixpath
import re
import shutil
import sys

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

import generated

FENCE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)[ \t]*$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")
TAB = re.compile(r"^<!-- tab: (.*?) -->$", re.MULTILINE)
SITE_ALONE = re.compile(r"^<!-- on the site:\n(.*?)^-->$", re.MULTILINE | re.DOTALL)
TABS = re.compile(r"^<!-- tab: .*?^<!-- end of tabs -->$", re.MULTILINE | re.DOTALL)
IMAGES = {".svg", ".png"}
TAKES_OTHERS = ("tutorials/", "reference/")  # indexes of pages that lie elsewhere
LARGEST = 400_000  # bytes of a source file that is shown


class Site:
    def __init__(self, source, folder):
        self.source, self.folder = source, folder
        self.done, self.waiting, self.links, self.broken = set(), [], {}, []

    def place(self, path):
        """Where the file or folder `path` of the tree comes to."""
        path = posixpath.normpath(path)
        whole = self.source / path
        if whole.is_dir():
            readme = posixpath.join(path, "README.md")
            if (self.source / readme).exists():
                return self.place(readme)
            return f"tree/{path}/index.md"
        if path == "docs/README.md":
            return "index.md"
        place = path[len("docs/") :] if path.startswith("docs/") else f"tree/{path}"
        return place if whole.suffix == ".md" or whole.suffix in IMAGES else f"{place}.md"

    def line_of(self, path, name):
        for number, line in enumerate((self.source / path).read_text("utf-8").splitlines(), 1):
            if re.search(rf"\b{re.escape(name)}\b", line):
                return number
        self.broken.append(f"{path} has no {name}")
        return 1

    def rewrite(self, page, text):
        here = posixpath.dirname(self.place(page))

        def link(match):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), match[1]))
            if path.startswith("..") or not (self.source / path).exists():
                self.broken.append(f"{page}: there is no {path}")
                return match[0]
            self.want(path)
            self.links.setdefault(self.place(page), []).append(self.place(path))
            target, anchor = posixpath.relpath(self.place(path), here or "."), match[2] or ""
            if anchor and (self.source / path).is_file() and not path.endswith(".md"):
                line = self.line_of(path, anchor[1:])
                return f"]({self.url(target)}#L-{line})"
            if anchor and anchor[1:].startswith("L-"):
                return f"]({self.url(target)}{anchor})"
            return f"]({target}{anchor})"

        parts = FENCE.split(text)
        return "".join(
            part if number % 2 else LINK.sub(link, part) for number, part in enumerate(parts)
        )

    @staticmethod
    def url(target):
        return "url:" + target[: -len(".md")] + ".html"

    def want(self, path):
        if path not in self.done:
            self.done.add(path)
            self.waiting.append(path)

    def write(self, place, text):
        whole = self.folder / place
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(text, encoding="utf-8")

    def page(self, path):
        whole = self.source / path
        if whole.is_dir():
            if not (whole / "README.md").exists():
                self.listing(path)
            else:
                self.want(posixpath.join(path, "README.md"))
        elif whole.suffix == ".md":
            text = self.rewrite(path, tabs(whole.read_text("utf-8")))
            self.write(self.place(path), SITE_ALONE.sub(r"\1", text))
        elif whole.suffix in IMAGES:
            target = self.folder / self.place(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(whole, target)
        else:
            self.write(self.place(path), shown(whole, path))

    def listing(self, path):
        """A folder without a README: its files, each with a link."""
        lines = [f"---\norphan: true\n---\n# {path}\n"]
        for entry in sorted((self.source / path).iterdir()):
            if entry.is_file() and not entry.name.startswith("."):
                name = posixpath.join(path, entry.name)
                self.want(name)
                target = posixpath.relpath(self.place(name), f"tree/{path}")
                lines.append(f"- [`{entry.name}`]({target})")
        self.write(f"tree/{path}/index.md", "\n".join(lines) + "\n")

    def indexes(self):
        """Adds to each index the entries that it links to, nearest index first."""
        pages = {
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.suffix in {".md", ".rst"}
        }
        claimed, entries = set(), {}
        inside = sorted(
            (
                page
                for page in pages
                if not page.startswith("tree/") and page != "index.md" and is_index(page, pages)
            ),
            key=lambda page: -page.count("/"),
        )
        for own in (True, False):
            for index in [*inside, "index.md"]:
                root = folder_of(index)
                for target in self.links.get(index, []):
                    mine = target.startswith(root + "/") if root else True
                    if own and (index == "index.md" or not mine):
                        continue
                    if not own and index in inside and not index.startswith(TAKES_OTHERS):
                        continue
                    if (
                        target in pages
                        and target not in claimed
                        and target != index
                        and target.endswith(".md")
                        and not target.startswith("tree/")
                    ):
                        claimed.add(target)
                        entries.setdefault(index, []).append(target)
        for index, made in generated.ENTRIES.items():
            entries.setdefault(index, []).extend(page for page in made if page in pages)
        notes = sorted(
            page for page in pages if page.startswith("tree/") and not orphan(self.folder / page)
        )
        self.write(
            "tree/index.md",
            "# Files of the tree that pages link to\n\nThey stand here as "
            "in the source tree: notes of its folders, tables of measurements.\n",
        )
        entries["tree/index.md"] = notes
        entries["index.md"].append("tree/index.md")
        for index, targets in entries.items():
            base = posixpath.dirname(index) or "."
            lines = [posixpath.relpath(target, base) for target in targets]
            text = (self.folder / index).read_text("utf-8")
            block = "\n".join(["", "```{toctree}", ":hidden:", "", *lines, "```", ""])
            self.write(index, text + block)


def is_index(page, pages):
    folder = page[: -len(".md")]
    return page.endswith("/README.md") or any(other.startswith(folder + "/") for other in pages)


def folder_of(index):
    if index.endswith("/README.md"):
        return posixpath.dirname(index)
    return "" if index == "index.md" else index[: -len(".md")]


def orphan(path):
    return "orphan: true" in path.read_text("utf-8")[:40]


def tabs(text):
    def group(match):
        inner = match[0][: match[0].rindex("<!-- end")]
        pieces = TAB.split(inner)[1:]
        made = ["::::{tab-set}"]
        for title, body in zip(pieces[::2], pieces[1::2]):
            made += [f":::{{tab-item}} {title}", body.strip("\n"), ":::"]
        return "\n".join([*made, "::::"])

    return TABS.sub(group, text)


def shown(whole, path):
    """A source file as a page, a number and an anchor on each line."""
    head = f"---\norphan: true\n---\n# {posixpath.basename(path)}\n\n`{path}`\n\n"
    data = whole.read_bytes()
    if len(data) > LARGEST or b"\0" in data[:1000]:
        return head + f"A file of {len(data):,} bytes, which is not shown here.\n"
    text = data.decode("utf-8", "replace")
    try:
        lexer = get_lexer_for_filename(whole.name)
    except ClassNotFound:
        lexer = TextLexer()
    made = highlight(
        text,
        lexer,
        HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True, wrapcode=True),
    )
    made = re.sub(r"\n\n+", lambda blank: blank[0].replace("\n\n", "\n&#8203;\n"), made)
    return f'{head}````{{raw}} html\n<div class="source">{made}</div>\n````\n'


def main(source, folder, program=None):
    site = Site(pathlib.Path(source).resolve(), pathlib.Path(folder).resolve())
    shutil.rmtree(site.folder, ignore_errors=True)
    for page in sorted((site.source / "docs").rglob("*.md")):
        site.want(page.relative_to(site.source).as_posix())
    while site.waiting:
        site.page(site.waiting.pop())
    generated.write(site, program)
    site.indexes()
    print("\n".join(sorted(set(site.broken))))
    return 1 if site.broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
