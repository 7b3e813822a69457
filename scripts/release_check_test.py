#!/usr/bin/env python3
"""What scripts/release_check finds in small trees: before the date, after it, and without addresses."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "release_check"
LOADER = importlib.machinery.SourceFileLoader("release_check", str(SCRIPT))
NOTES = "/".join(("docs", "releases", "1.2.0.md"))
URLS = "[project.urls]\n" + "".join(f'{name} = "https://tacet.example/{name}"\n'
                                    for name in ("Homepage", "Source", "Issues", "Changelog"))


class ReleaseCheckTest(unittest.TestCase):
    def setUp(self):
        self.check = importlib.util.module_from_spec(importlib.util.spec_from_loader("release_check", LOADER))
        LOADER.exec_module(self.check)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.check.ROOT = self.root = pathlib.Path(folder.name)
        self.write("CMakeLists.txt", "project(tacet VERSION 1.2.0 LANGUAGES CXX)\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def verdicts(self):
        return [self.check.verdict(run()) for run in (
            self.check.faults_of_changes, self.check.faults_of_notes, self.check.faults_of_kept_files)]

    def test_before_its_date_everything_waits(self):
        self.write("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n### Privacy\n")
        self.assertEqual(self.verdicts(), ["waits for the date"] * 3)
        # What is wrong besides is no matter of the date.
        self.write("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n### New\n")
        self.assertEqual(self.verdicts()[0], "FAILED")

    def test_a_dated_version_needs_notes_and_kept_files(self):
        self.write("CHANGELOG.md", "# Changes\n\n## 1.2.0 (2026-01-02)\n\n### Privacy\n\n## 1.1.0 (2025-01-01)\n")
        self.assertEqual(self.verdicts(), ["held", "FAILED", "FAILED"])
        self.write(NOTES, "It has no date yet.\n")
        self.write("tests/formats/released/1.2.0/expected.json", "{}\n")
        self.assertEqual(self.verdicts(), ["held", "FAILED", "held"])
        self.write(NOTES, "It is of the second of January.\n")
        self.assertEqual(self.verdicts(), ["held", "held", "held"])

    def test_another_version_on_top_is_a_fault(self):
        for head in ("1.1.0 (2026-01-02)", "1.2.0", "1.2.0 (soon)"):
            self.write("CHANGELOG.md", f"# Changes\n\n## {head}\n\n### Privacy\n")
            self.assertEqual(self.verdicts()[0], "FAILED", head)

    def test_addresses_have_one_place(self):
        self.write("pyproject.toml", '[project]\nname = "tacet"\n')
        fault, = self.check.faults_of_addresses()
        self.assertIn("Homepage, Source, Issues, Changelog", fault)
        self.write("pyproject.toml", '[project]\nname = "tacet"\n' + URLS)
        self.assertEqual(self.check.faults_of_addresses(), [])
        self.write("pyproject.toml", '[project]\nname = "tacet"\n' + URLS.replace("https://tacet.example/Issues", "soon"))
        fault, = self.check.faults_of_addresses()
        self.assertIn("lacks Issues:", fault)


if __name__ == "__main__":
    unittest.main()
