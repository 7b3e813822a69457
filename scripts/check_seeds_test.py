"""Plants tests that could fail at random and demands that check_seeds reports each of them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "check_seeds"


def check(text):
    """Runs the script over a tree with one test; returns (exit code, lines with findings)."""
    with tempfile.TemporaryDirectory() as folder:
        tests = pathlib.Path(folder) / "tests" / "cli"
        tests.mkdir(parents=True)
        (tests / "one.test").write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, str(SCRIPT), folder], check=False,
                             capture_output=True, text=True)
        found = [int(line.split(":")[1]) for line in run.stdout.splitlines() if ".test:" in line]
        return run.returncode, found


class CheckSeedsTest(unittest.TestCase):
    def assert_clean(self, text):
        self.assertEqual(check(text), (0, []))

    def assert_found(self, text, *lines):
        self.assertEqual(check(text), (1, list(lines)))

    def test_figures_of_an_unseeded_release_are_found(self):
        self.assert_found("--- run: tacet quantile a.csv --epsilon 1\n--- stdout\n42\n", 1)
        self.assert_found("--- run: tacet evaluate m.json a.csv --epsilon 9 --delta 1e-5\n"
                          "--- stdout has\naccuracy 0.9\n", 1)
        self.assert_found("--- run: tacet evaluate m.json a.csv --epsilon 1e-3 --delta 1e-5\n"
                          "--- stdout has\naccuracy lost in the noise\n", 1)
        self.assert_found("--- run: tacet schema fit a.csv --epsilon 1 | python3 -c \"print(15 <= "
                          "t['lower'] <= 22)\"\n--- stdout\nTrue\n", 1)

    def test_noise_is_followed_through_files(self):
        fit = "--- run: tacet schema fit a.csv --epsilon 8 --output s.toml\n"
        read = "--- run: python3 -c \"s=load('s.toml'); print(s['lower'] < 22)\"\n--- stdout\nTrue\n"
        self.assert_found(fit + read, 2)
        train = "--- run: tacet train a.csv --schema s --epsilon 1\n"
        evaluate = "--- run: tacet evaluate model.json a.csv --public\n--- stdout has\naccuracy 0.9\n"
        self.assert_found("first line\n" + train + evaluate, 3)
        self.assert_found(train + "--- run: tacet train a.csv --epsilon 1 -o b.json\n"
                          "--- run: cmp model.json b.json; grep coefficients model.json\n", 3)

    def test_seeds_and_reasons_satisfy_it(self):
        self.assert_clean("--- run: tacet quantile a.csv --epsilon 1 --seed 1\n--- stdout\n42\n")
        self.assert_clean("--- run: tacet train a.csv --epsilon inf\n--- run: tacet evaluate "
                          "model.json a.csv --public\n--- stdout\naccuracy 1\n")
        self.assert_clean("#: Unseeded: the grid has one point.\n--- run: tacet quantile a.csv "
                          "--epsilon 1\n--- stdout\n42\n")
        self.assert_clean("--- run: tacet train a.csv --epsilon 1\n--- run: tacet train a.csv "
                          "--epsilon 1 --seed 1 --force; tacet evaluate model.json a.csv "
                          "--public\n--- stdout has\naccuracy 0.9\n")

    def test_a_reason_counts_for_one_run_alone(self):
        run = "--- run: tacet quantile a.csv --epsilon 1\n--- stdout\n42\n"
        self.assert_found("#: Unseeded: the grid has one point.\n" + run + run, 5)
        self.assert_found("#: Unseeded:\n" + run, 2)

    def test_what_compares_no_figure_or_is_to_fail_is_left_alone(self):
        self.assert_clean("--- run: tacet train a.csv --epsilon 1\n--- present: model.json\n")
        self.assert_clean("--- run: tacet quantile a.csv --epsilon 0\n--- exit: 2\n--- stdout\n1\n")
        self.assert_clean("--- run: tacet train a.csv --epsilon 1\n--- stdout has\n"
                          "public row count 50\n")

    def test_a_tree_without_tests_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, str(SCRIPT), folder], check=False,
                                 capture_output=True)
        self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main()
