"""Takes rows, tests and mechanisms away from a small tree and demands that check_audits says so."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "check_audits"
ROW = """[[audit]]
name = "{name}"
kind = "{kind}"
files = [{files}]
pair = "one bound apart"
statistic = "threshold"
runs = [10, 100]
adjacencies = ["add_remove"]
units = ["record"]
privacy = ["pure"]
reached = 0.7
tests = ["Law.Holds"]
"""
ROWS = [ROW.format(name="noise", kind="mechanism", files='"noise/gaussian.cc"'),
        ROW.format(name="phased-erm", kind="method", files=""),
        ROW.format(name="djw", kind="local", files="")]
TREE = {
    "tacet/mechanism/noise/gaussian.cc": "open(AccessKeys::key())",
    "tacet/mechanism/noise/gaussian_test.cc": "TEST(Law, Holds) {}",
    "tacet/mechanism/local/local_spec.h": '{LocalMechanism::djw, "djw"},',
    "tacet/learn/method.cc": "table{\n&phased_erm_method,\n};",
    "tests/audits/registry.toml": "".join(ROWS),
}


def check(**changes):
    """Findings about the tree with these files changed; `/` and `.` are `__` and `_x_` in names."""
    with tempfile.TemporaryDirectory() as folder:
        tree = {**TREE, **{name.replace("__", "/").replace("_x_", "."): text
                           for name, text in changes.items()}}
        for name, text in tree.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, str(SCRIPT), folder], check=False,
                             capture_output=True, text=True)
        return run.returncode, run.stdout


class CheckAuditsTest(unittest.TestCase):
    def assert_found(self, words, **changes):
        code, said = check(**changes)
        self.assertEqual(code, 1, said)
        self.assertIn(words, said)

    def test_a_certificate_has_a_row_with_the_share_that_is_asserted(self):
        searched = {"tacet__audit__attacks__sensitivity_search_test_x_cc":
                    '    {"sums, replaced", 0.8, 3, sums_apart},\n'}
        row = '\n[[search]]\ncertificate = "sums, replaced"\nreached = %s\n'
        for words, rows in (
                ("is searched and has no row", ""),
                ("sums, replaced: 0.7 is stated, 0.8 asserted", row % 0.7),
                ("less than 0.9 of the bound needs a reason", row % 0.8)):
            self.assert_found(words, **searched,
                              tests__audits__registry_x_toml="".join(ROWS) + rows)
        code, said = check(**searched, tests__audits__registry_x_toml="".join(ROWS) + row % 0.8 +
                           'why = "by its geometry"\n')
        self.assertEqual(code, 0, said)

    def assert_row_found(self, words, old, new):
        self.assert_found(words, tests__audits__registry_x_toml="".join(ROWS).replace(old, new))

    def test_a_whole_tree_has_no_finding(self):
        self.assertEqual(check(), (0, "check_audits: whatever releases something has a row\n"))

    def test_what_has_no_row_is_found(self):
        for place, words in enumerate(("gaussian.cc holds the key to private values and has no",
                                       "method phased-erm has no row",
                                       "local randomiser djw has no row")):
            rows = "".join(row for k, row in enumerate(ROWS) if k != place)
            self.assert_found(words, tests__audits__registry_x_toml=rows)

    def test_a_new_file_a_new_method_and_a_new_randomiser_are_found(self):
        self.assert_found("noise/other.h holds",
                          tacet__mechanism__noise__other_x_h="AccessKeys::key()")
        self.assert_found("learn/other.cc holds the key to private values outside",
                          tacet__learn__other_x_cc="AccessKeys::key()")
        self.assert_found("method new has no row",
                          tacet__learn__method_x_cc="table{&phased_erm_method, &new_method}")
        both = '{LocalMechanism::djw, "djw"}, {LocalMechanism::other, "new"},'
        self.assert_found("local randomiser new has no row",
                          tacet__mechanism__local__local_spec_x_h=both)

    def test_rows_of_what_is_gone_are_found(self):
        self.assert_found("has a row and holds no key", tacet__mechanism__noise__gaussian_x_cc="")
        self.assert_found("there is no method phased-erm", tacet__learn__method_x_cc="table{}")
        self.assert_found("there is no test Law.Holds",
                          tacet__mechanism__noise__gaussian_test_x_cc="TEST(Law, Held) {}")

    def test_rows_that_say_too_little_are_found(self):
        self.assert_row_found("'pair' is missing", 'pair = "one bound apart"', "")
        self.assert_row_found("says neither", "reached = 0.7", "")
        self.assert_row_found("a share lies above 0", "reached = 0.7", "reached = 1.7")
        attacked = 'reached = 0.7\nattacks = ["djw"]\n'
        self.assert_row_found("do not name the same attacks", "reached = 0.7", attacked)
        self.assert_row_found("needs a reason", "reached = 0.7", attacked + "shares = {djw = 0.4}")
        self.assert_row_found("a share lies above 0", "reached = 0.7", attacked + "shares = {djw = 2}")
        self.assert_row_found("'some' is no value of privacy", '"pure"', '"some"')
        self.assert_row_found("stands there twice", '"djw"', '"noise"')


if __name__ == "__main__":
    unittest.main()
