"""Runs run_tests over a build of three small programs and reads what it says at the end."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "run_tests"
TESTS = """
add_test(fast "true")
set_tests_properties(fast PROPERTIES LABELS quick)
add_test(slow "sleep" "0.3")
set_tests_properties(slow PROPERTIES LABELS quick)
add_test(heavy "false")
set_tests_properties(heavy PROPERTIES LABELS long)
"""


def run(tier):
    """Exit code and last lines of the script, copied beside a build folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "scripts").mkdir()
        shutil.copy(SCRIPT, root / "scripts")
        build = root / "build" / "release"
        build.mkdir(parents=True)
        (build / "CTestTestfile.cmake").write_text(TESTS, encoding="utf-8")
        done = subprocess.run([sys.executable, str(root / "scripts" / "run_tests"), "release", tier],
                              check=False, capture_output=True, text=True, env=dict(os.environ))
        return done.returncode, done.stdout.split("Time of each program")[-1].splitlines()


class RunTestsTest(unittest.TestCase):
    def test_the_end_says_how_long_each_program_took(self):
        code, lines = run("quick")
        self.assertEqual(code, 0)
        self.assertRegex(lines[1], r"^slow +passed, 0\.[3-9] s$|^slow +passed, [1-9].* s$")
        self.assertRegex(lines[2], r"^fast +passed, \d+\.\d s$")
        self.assertRegex(lines[-1], r"quick tier: .* passed in \d+ s$")

    def test_a_program_that_fails_is_named(self):
        code, lines = run("all")
        self.assertEqual(code, 1)
        self.assertRegex("\n".join(lines), r"(?m)^heavy +FAILED, \d+\.\d s$")
        self.assertIn("FAILED in", lines[-1])


if __name__ == "__main__":
    unittest.main()
