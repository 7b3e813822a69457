#!/usr/bin/env python3
"""hardening.py must find what is missing: a program is built without each part of it once."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import hardening

COMPILER = sys.argv.pop(1)

SOURCE = """
#include <stdio.h>
#include <string.h>
int main(int count, char** words) {
  char text[64];
  strcpy(text, words[count - 1]);
  return puts(text) < 0;
}
"""

GOOD = ["-O2", "-fPIE", "-pie", "-fstack-protector-strong", "-U_FORTIFY_SOURCE",
        "-D_FORTIFY_SOURCE=2", "-Wl,-z,relro,-z,now,-z,noexecstack"]

FAULTS = {
    "PIE": ["-no-pie"],
    "RELRO": ["-Wl,-z,norelro"],
    "immediate binding": ["-Wl,-z,lazy"],
    "a stack that is not executable": ["-Wl,-z,execstack"],
    "the stack protector": ["-fno-stack-protector"],
    "FORTIFY": ["-U_FORTIFY_SOURCE"],
}


class Hardening(unittest.TestCase):
    def lacks(self, flags):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "planted.cc"
            source.write_text(SOURCE, encoding="utf-8")
            program = pathlib.Path(folder) / "planted"
            subprocess.run([COMPILER, *flags, str(source), "-o", str(program)], check=True,
                           stderr=subprocess.DEVNULL)
            return hardening.missing(program)

    def test_what_is_hardened_passes(self):
        self.assertEqual(self.lacks(GOOD), [])

    def test_each_missing_part_is_named(self):
        for name, flags in FAULTS.items():
            self.assertIn(name, self.lacks(GOOD + flags), name)


if __name__ == "__main__":
    unittest.main()
