"""Plants broken links and citations and demands that check_links reports each of them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "check_links.py"
NOTE = """# A note

## 1. First

## 3b. Third

## Theorem A: something

## What is bounded (Lemma 2)
"""


def check(name, text, *others):
    """Runs the script over a tree with a note and files; returns (exit code, findings)."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs" / "proofs").mkdir(parents=True)
        (root / "docs" / "proofs" / "note.md").write_text(NOTE, encoding="utf-8")
        for name_of, text_of in ((name, text), *others):
            path = root / name_of
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text_of, encoding="utf-8")
        run = subprocess.run([sys.executable, str(SCRIPT), folder], check=False,
                             capture_output=True, text=True)
        return run.returncode, [line.partition(": ")[2] for line in run.stdout.splitlines()
                                if ": " in line]


class CheckLinksTest(unittest.TestCase):
    def test_what_is_there_passes(self):
        for text in ("// docs/proofs/note.md", "// docs/proofs/note.md, section 1.",
                     "// (docs/proofs/note.md, 3b)", "/// docs/proofs/note.md,\n/// section 1",
                     "// docs/proofs/note.md, Theorem A", "// docs/proofs/note.md, lemma 2"):
            self.assertEqual(check("tacet/a.h", text), (0, []), text)
        self.assertEqual(check("docs/b.md", "[the note](proofs/note.md)"), (0, []))

    def test_a_missing_note_is_found(self):
        self.assertEqual(check("tacet/a.h", "// docs/proofs/other.md, section 1"),
                         (1, ["there is no docs/proofs/other.md"]))
        self.assertEqual(check("docs/b.md", "[a](proofs/other.md)"),
                         (1, ["there is no docs/proofs/other.md"]))

    def test_a_figure_without_a_sentence_is_found(self):
        drawn = ("docs/a.svg", "<svg/>")
        self.assertEqual(check("docs/b.md", "![A](a.svg)\n\n*What to see: it falls.*\n", drawn), (0, []))
        self.assertEqual(check("docs/b.md", "![A](a.svg)\n\nMore.\n", drawn),
                         (1, ["nothing says what to see in a.svg"]))

    def test_an_installed_header_that_the_library_does_not_list_is_found(self):
        installed = ("cmake/TacetHeaders.cmake", "set(TACET_PUBLIC_HEADERS\n    tacet/a.h)\n")
        self.assertEqual(check("docs/library.md", "[a](../tacet/a.h)", installed, ("tacet/a.h", "")), (0, []))
        self.assertEqual(check("docs/library.md", "a.h", installed, ("tacet/a.h", "")),
                         (1, ["tacet/a.h is installed and not listed"]))

    def test_a_source_file_in_a_document_is_a_link(self):
        self.assertEqual(check("docs/b.md", "see `docs/proofs/note.md`"),
                         (1, ["`docs/proofs/note.md` is no link"]))
        self.assertEqual(check("docs/b.md", "see `docs/proofs/note` and `ratio/of`"), (0, []))
        self.assertEqual(check("docs/b.md", "[`docs/proofs/note.md`](proofs/note.md)"), (0, []))
        self.assertEqual(check("docs/b.md", "```sh\nls `docs/proofs/note.md`\n```"), (0, []))
        self.assertEqual(check("tacet/a.h", "// `tacet/a.h`"), (0, []))

    def test_a_link_to_a_name_needs_the_name(self):
        self.assertEqual(check("docs/b.md", "[a](proofs/note.txt#clip) [b](proofs/note.md#1-first)"),
                         (1, ["there is no docs/proofs/note.txt"]))
        self.assertEqual(check("docs/b.md", "[a](c.txt#clip)", ("docs/c.txt", "x = clip(1)")),
                         (0, []))
        self.assertEqual(check("docs/b.md", "[a](c.txt#clip)", ("docs/c.txt", "x = clips(1)")),
                         (1, ["c.txt has no clip"]))

    def test_a_link_to_a_section_needs_the_heading(self):
        for link, broken in (("docs/proofs/note.md#1-first", []), ("#here-it-is", []),
                             ("docs/proofs/note.md#what-is-bounded-lemma-2", []),
                             ("docs/proofs/note.md#second", ["note.md has no section second"]),
                             ("#there", ["page.md has no section there"])):
            self.assertEqual(check("page.md", f"## Here it is\n\n[it]({link})"),
                             (1 if broken else 0, broken), link)

    def test_every_page_is_linked_by_an_index(self):
        linked = ("docs/README.md", "[the note](proofs/note.md) [b](b.md)")
        self.assertEqual(check("docs/b.md", "text", linked), (0, []))
        self.assertEqual(check("docs/c.md", "[b](README.md)",
                               ("docs/README.md", "[n](proofs/note.md)")),
                         (1, ["no index links to it"]))
        # Another page is no index, but one beside a folder of its name is.
        self.assertEqual(check("docs/b.md", "[d](d.md)", linked, ("docs/d.md", "")),
                         (1, ["no index links to it"]))
        self.assertEqual(check("docs/b.md", "[d](b/d.md)", linked, ("docs/b/d.md", "")), (0, []))

    def test_a_quoted_block_stands_in_its_file(self):
        page = "<!-- from: ../a/main.cc -->\n```cpp\nint x = 1;\n  f(x);\n```\n"
        self.assertEqual(check("docs/b.md", page, ("a/main.cc", "{\n    int x = 1;\n    f(x);\n}")), (0, []))
        self.assertEqual(check("docs/b.md", page, ("a/main.cc", "int x = 2;\nf(x);")),
                         (1, ["a block is not in main.cc: int x = 1;"]))
        self.assertEqual(check("docs/b.md", page), (1, ["there is no ../a/main.cc to quote"]))

    def test_a_missing_section_is_found(self):
        for text, what in (("// docs/proofs/note.md, section 2", "section 2"),
                           ("// (docs/proofs/note.md, 4)", "section 4"),
                           ("/// docs/proofs/note.md,\n/// sections 1 and 7", "section 7"),
                           ("// docs/proofs/note.md, Theorem B", "Theorem B"),
                           ("# docs/proofs/note.md, Theorems A and C", "Theorem C")):
            self.assertEqual(check("tacet/a.h", text),
                             (1, [f"docs/proofs/note.md has no {what}"]), text)


if __name__ == "__main__":
    unittest.main()
