"""Plants terms without a link and demands that check_terms reports each of them, and nothing else."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_terms import entries, faults, first_use, mended  # noqa: E402

GLOSSARY = entries("""# Glossary

## Hat functions
<!-- first use: hat functions, spline basis -->

Tents.

## PRG slack
<!-- first use: `prg_slack` -->

## State

Not looked for.
""")


def found(text):
    return [fault.partition(": ")[2] for fault in faults("page.md", text, GLOSSARY)]


class CheckTermsTest(unittest.TestCase):
    def test_entries_have_an_anchor_and_words(self):
        self.assertEqual(GLOSSARY, [("hat-functions", ["hat functions", "spline basis"]),
                                    ("prg-slack", ["`prg_slack`"]), ("state", [])])

    def test_a_term_without_a_link_is_found(self):
        wanted = ["'Spline\nbasis' is used before it is linked (glossary.md#hat-functions)"]
        self.assertEqual(found("# A\n\nSpline\nbasis, then [hat functions](glossary.md#hat-functions)."), wanted)
        self.assertEqual(len(found("The receipt states `prg_slack`.")), 1)

    def test_a_linked_or_defined_term_passes(self):
        for text in ("[Hat functions](glossary.md#hat-functions), and hat functions again.",
                     "See [what hat functions are](../curves.md).", "*Hat functions* are tents.",
                     "# Hat functions\n\n```\nhat functions\n```\n\n| hat functions |\n", "The state.",
                     "`hat functions` as code", "prg_slack without code", "what-hat functions-mean"):
            self.assertEqual(found(text), [], text)

    def test_a_long_caption_defines_nothing(self):
        self.assertEqual(len(found("*What to see: the hat functions of each column rise with age.*")), 1)

    def test_a_link_to_no_entry_is_found(self):
        self.assertEqual(found("[x](../glossary.md#nothing)"), ["the glossary has no nothing"])

    def test_mending_writes_the_missing_links(self):
        text = mended("Hat functions and `prg_slack`.", GLOSSARY, "glossary.md")
        self.assertEqual(text, "[Hat functions](glossary.md#hat-functions) and [`prg_slack`](glossary.md#prg-slack).")
        self.assertEqual(found(text), [])
        self.assertIsNone(first_use("nothing", ["hat functions"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
