"""Runs run_tests over a build of small programs and reads what it says at the end."""

import os
import pathlib
import re
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


def run(tier, tests=TESTS):
    """Exit code and last lines of the script, copied beside a build folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "scripts").mkdir()
        shutil.copy(SCRIPT, root / "scripts")
        build = root / "build" / "release"
        build.mkdir(parents=True)
        (build / "CTestTestfile.cmake").write_text(tests, encoding="utf-8")
        done = subprocess.run([sys.executable, str(root / "scripts" / "run_tests"), "release", tier],
                              check=False, capture_output=True, text=True, env=dict(os.environ))
        return done.returncode, done.stdout.split("The slowest ten:")[-1].splitlines()


class RunTestsTest(unittest.TestCase):
    def test_the_end_says_which_programs_took_longest(self):
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

    def test_only_the_slowest_ten_and_those_that_failed_are_listed(self):
        tests = "".join(f'add_test(slow{i} "sleep" "0.2")\n' for i in range(10))
        tests += 'add_test(quick "true")\nadd_test(broken "false")\n'
        code, lines = run("all", tests)
        self.assertEqual(code, 1)
        times = [line for line in lines if re.search(r"(passed|FAILED), \d+\.\d s$", line)]
        self.assertEqual([line.split()[0][:4] for line in times], ["slow"] * 10 + ["brok"])


if __name__ == "__main__":
    unittest.main()
