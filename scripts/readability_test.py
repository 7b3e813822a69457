#!/usr/bin/env python3
"""What scripts/readability counts: known texts with known numbers."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "readability"


def measured(text, *options):
    """(exit code, words, words per sentence, longest, ease) of a page with this text."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.md"
        page.write_text(text, encoding="utf-8")
        run = subprocess.run(
            [sys.executable, str(SCRIPT), *options, str(page)],
            check=False,
            capture_output=True,
            text=True,
        )
        row = next(line.split() for line in run.stdout.splitlines() if line.endswith("page.md"))
        return run.returncode, int(row[0]), float(row[1]), int(row[2]), float(row[3])


class ReadabilityTest(unittest.TestCase):
    def test_the_formula_is_that_of_flesch(self):
        # Six words and six syllables in one sentence: 206.835 - 1.015 * 6 - 84.6.
        self.assertEqual(measured("The cat sat on the mat.")[1:], (6, 6.0, 6, 116.1))
        # Nine words, two sentences, 12 syllables: 206.835 - 1.015 * 4.5 - 84.6 * 12 / 9.
        self.assertEqual(
            measured("A little noise is added. It hides each record.")[1:], (9, 4.5, 5, 89.5)
        )

    def test_code_tables_headings_and_quotes_are_not_read(self):
        prose = "The cat sat on the mat."
        for other in (
            "```sh\nverylongword --option\n```\n",
            "| a | b |\n|---|---|\n| long words here | x |\n",
            "# A heading of seven words in all\n",
            "> Quoted words are not ours.\n",
            "    tacet indented command line\n",
            "$$\\sum_i x_i$$\n",
        ):
            found = measured(f"{prose}\n\n{other}\n{prose}\n")
            self.assertIn(found[1], (12, 13), other)  # a formula by itself counts as one word

    def test_code_in_a_line_is_one_word_and_links_are_their_text(self):
        self.assertEqual(measured("Call `tacet train --epsilon 1` with [a file](b.md).")[1], 5)

    def test_items_of_a_list_end_sentences(self):
        self.assertEqual(measured("You need\n\n- a table\n- a schema\n")[1:4], (6, 2.0, 2))

    def test_the_limit_is_an_exit_code(self):
        long = "word " * 30 + "end."
        self.assertEqual(measured(long)[0], 0)
        self.assertEqual(measured(long, "--limit")[0], 1)
        self.assertEqual(measured("The cat sat on the mat.", "--limit")[0], 0)
        hard = "Institutional considerations necessitate organisational reconfiguration."
        self.assertEqual(measured(hard, "--limit")[0], 1)


if __name__ == "__main__":
    unittest.main()
