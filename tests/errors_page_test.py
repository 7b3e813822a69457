"""The page of errors: messages are whole, have their kind, and a remedy.

    errors_page_test.py SOURCE
"""

import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else __file__).resolve()
SOURCE = SOURCE if SOURCE.is_dir() else SOURCE.parents[1]
sys.path.insert(0, str(SOURCE / "docs" / "site"))

import errors  # noqa: E402


def collected(text):
    """What is found in a tree with one file of this text."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "tacet" / "learn").mkdir(parents=True)
        (root / "tacet" / "learn" / "a.cc").write_text(text, encoding="utf-8")
        return {kind: dict(modules) for kind, modules in errors.collect(root).items()}


class ErrorsPageTest(unittest.TestCase):
    def test_neighbouring_texts_are_one_message_and_values_are_dots(self):
        text = 'throw base::UsageError("delta must be "\n  "below 1, got {}; 0 asks for pure privacy", delta);'
        self.assertEqual(collected(text), {"Usage": {"learn": {
            "delta must be below 1, got …; 0 asks for pure privacy"}}})

    def test_a_function_that_throws_hands_on_its_kind(self):
        text = ('[[noreturn]] void refuse(std::string_view what) { throw base::GuaranteeError("{}: {}", name, what); }\n'
                'void f() { refuse("a unit column has no proof here"); }')
        self.assertIn("a unit column has no proof here", collected(text)["Guarantee"]["learn"])

    def test_comments_and_short_texts_are_no_messages(self):
        self.assertEqual(collected('// throw base::UsageError("this is no message at all")\nbase::DataError("two words")'), {})

    def test_what_went_wrong_is_told_from_what_to_do(self):
        self.assertEqual(errors.parted("the file is too long; split it in two parts", "-"),
                         ("the file is too long", "Split it in two parts."))
        self.assertEqual(errors.parted("the file is too long", "Look at it."), ("the file is too long", "Look at it."))

    def test_the_tree_has_its_errors_on_the_pages(self):
        found = errors.collect(SOURCE)
        self.assertEqual(set(found), set(errors.KINDS))
        self.assertEqual({module for modules in found.values() for module in modules} - set(errors.MODULES), set())
        counts = {kind: sum(map(len, modules.values())) for kind, modules in found.items()}
        self.assertGreater(sum(counts.values()), 1000)
        for place, text in errors.pages(SOURCE):
            for line in text.splitlines():
                if line.startswith("| ") and place != "reference/errors.md":
                    self.assertTrue(all(cell.strip() for cell in line.strip("|").split(" | ")), line)


if __name__ == "__main__":
    unittest.main()
