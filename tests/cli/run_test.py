#!/usr/bin/env python3
"""The runner must fail what should fail: every expectation is planted wrong once."""

import pathlib
import tempfile
import unittest

import run

PROGRAM = pathlib.Path("/bin/true")  # the planted tests need no tacet

HOLDS = [
    "--- run: echo one; echo two >&2; exit 3\n--- exit: 3\n--- stdout\none\n--- stderr\n{{t.o}}\n",
    "--- run: printf 'a\\nb\\nc\\n'\n--- stdout\na\n...\nc\n",
    "--- run: printf 'a\\nb\\nc\\n'\n--- stdout has\na\nc\n--- stderr lacks\nx\n",
    "--- file: f\nline\n--- run: cat f\n--- stdout\nline\n--- present: f\n--- absent: g\n",
    "--- file: f (no final newline)\na\n--- run: printf a > g\n--- same: f g\n",
]

FAILS = [
    "--- run: true\n--- exit: 1\n",
    "--- run: false\n",
    "--- run: echo a\n--- stdout\nb\n",
    "--- run: echo a\n--- stdout\n",
    "--- run: printf 'a\\nb\\n'\n--- stdout\na\n",
    "--- run: printf 'a\\nb\\n'\n--- stdout has\nb\na\n",
    "--- run: echo a >&2\n--- stderr lacks\na\n",
    "--- run: true\n--- present: f\n",
    "--- run: touch f\n--- absent: f\n",
    "--- run: echo a > f; echo b > g\n--- same: f g\n",
    "--- run: touch .model.json.1-0.tmp\n",
    "--- run: kill -9 $$\n--- exit: -9\n",
    "--- run: true\n--- interrupt when: never\n",
    "--- frobnicate: x\n",
    "only a comment\n",
]


class Runner(unittest.TestCase):
    def outcome(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "planted.test"
            path.write_text(text, encoding="utf-8")
            try:
                return run.run_test(path, PROGRAM) > 0
            except run.Failure:
                return False

    def test_what_holds_passes(self):
        for text in HOLDS:
            self.assertTrue(self.outcome(text), text)

    def test_what_does_not_hold_fails(self):
        for text in FAILS:
            self.assertFalse(self.outcome(text), text)


if __name__ == "__main__":
    unittest.main()
