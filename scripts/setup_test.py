"""Runs scripts/setup against make-believe machines: stand-ins for dpkg-query, apt-get, apt-cache,
sudo and id that log how they were called and answer from a list of installed packages."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "setup"

DPKG_QUERY = """#!/bin/sh
shift 3
for package in "$@"; do
  if grep -qxF "$package" "$MACHINE/installed"; then echo "installed $package"; else code=1; fi
done
exit ${code:-0}
"""
APT_GET = """#!/bin/sh
echo "apt-get $*" >> "$MACHINE/log"
case " $* " in
  *" update "*) cp "$MACHINE/archive" "$MACHINE/known" ;;
  *" install "*)
    [ ! -e "$MACHINE/stale" ] || { rm "$MACHINE/stale"; exit 100; }
    for word in "$@"; do
      if grep -qxF "$word" "$MACHINE/archive"; then echo "$word" >> "$MACHINE/installed"; fi
    done ;;
esac
"""
APT_CACHE = """#!/bin/sh
if grep -qxF "$2" "$MACHINE/known"; then
  printf '%s:\\n  Installed: (none)\\n  Candidate: 1.0\\n' "$2"
fi
"""
SUDO = """#!/bin/sh
echo "sudo" >> "$MACHINE/log"
exec "$@"
"""


class SetupTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.machine = pathlib.Path(self.folder.name)
        self.bin = self.machine / "bin"
        self.bin.mkdir()
        for tool in ("sh", "grep", "sed", "cat", "cp", "rm", "env", "uname"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.tool("dpkg-query", DPKG_QUERY)
        self.tool("apt-get", APT_GET)
        self.tool("apt-cache", APT_CACHE)
        self.be(user=0)
        self.system("debian", "12")
        self.wanted = subprocess.run([str(SCRIPT), "--list"], check=True, capture_output=True,
                                     text=True).stdout.split()
        self.lists(installed=[], known=self.wanted, archive=self.wanted)

    def tool(self, name, text):
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)

    def be(self, user):
        self.tool("id", f"#!/bin/sh\necho {user}\n")

    def system(self, name, version):
        (self.machine / "os-release").write_text(
            f'ID={name}\nVERSION_ID="{version}"\nPRETTY_NAME="{name} {version}"\n')

    def lists(self, **files):
        for name, words in files.items():
            (self.machine / name).write_text("".join(word + "\n" for word in words))

    def run_setup(self, *arguments, **environment):
        environment = dict(PATH=str(self.bin), MACHINE=str(self.machine),
                           TACET_OS_RELEASE=str(self.machine / "os-release"), **environment)
        run = subprocess.run([str(SCRIPT), *arguments], env=environment, check=False,
                             capture_output=True, text=True)
        log = self.machine / "log"
        return run, log.read_text().splitlines() if log.exists() else []

    def test_nothing_missing_means_no_call_of_apt_and_no_word(self):
        self.lists(installed=self.wanted)
        self.be(user=1000)  # no sudo on this machine, and none is needed
        run, log = self.run_setup()
        self.assertEqual((run.returncode, run.stdout, run.stderr, log), (0, "", "", []))

    def test_only_what_is_missing_is_installed_and_a_second_run_does_nothing(self):
        self.lists(installed=[word for word in self.wanted if word != "libhwy-dev"])
        run, log = self.run_setup()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(log), 1)
        self.assertTrue(log[0].endswith("install -y --no-install-recommends libhwy-dev"), log)
        run, log = self.run_setup()
        self.assertEqual((run.returncode, len(log)), (0, 1))

    def test_lists_that_do_not_know_a_package_are_updated_first(self):
        self.lists(known=[])
        run, log = self.run_setup()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(log[0].endswith(" update"), log)
        self.assertIn(" install ", log[1])

    def test_a_stale_list_is_updated_and_tried_once_more(self):
        (self.machine / "stale").touch()
        run, log = self.run_setup()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([line.split()[4] for line in log], ["install", "update", "install"])

    def test_a_package_the_archive_lacks_is_named(self):
        without = [word for word in self.wanted if word != "libtomlplusplus-dev"]
        self.lists(known=without, archive=without)
        run, log = self.run_setup()
        self.assertEqual(run.returncode, 1)
        self.assertIn("apt has no package libtomlplusplus-dev", run.stderr)
        self.assertEqual(len(log), 1)

    def test_sudo_is_used_only_when_not_root(self):
        self.tool("sudo", SUDO)
        _, log = self.run_setup()
        self.assertNotIn("sudo", log)
        self.lists(installed=[])
        self.be(user=1000)
        run, log = self.run_setup()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("sudo", log)

    def test_neither_root_nor_sudo_names_the_command_to_run(self):
        self.be(user=1000)
        run, log = self.run_setup()
        self.assertEqual((run.returncode, log), (1, []))
        self.assertIn("apt-get install " + self.wanted[0], run.stderr)

    def test_another_system_gets_a_clear_word_and_the_names(self):
        for tool in ("dpkg-query", "apt-get", "apt-cache"):
            (self.bin / tool).unlink()
        self.system("fedora", "40")
        run, _ = self.run_setup()
        self.assertEqual(run.returncode, 1)
        self.assertIn("fedora 40 has no apt", run.stderr)
        for word in self.wanted:
            self.assertIn(word, run.stderr)
        run, _ = self.run_setup(TACET_SETUP="skip")
        self.assertEqual(run.returncode, 0)

    def test_a_system_that_is_too_old_is_refused(self):
        for name, version in [("debian", "11"), ("ubuntu", "22.04")]:
            self.system(name, version)
            run, log = self.run_setup()
            self.assertEqual((run.returncode, log), (1, []))
            self.assertIn("too old", run.stderr)

    def test_ubuntu_and_unknown_relatives_are_served(self):
        for name, version in [("ubuntu", "24.04"), ("debian", "13")]:
            self.system(name, version)
            self.lists(installed=[])
            run, _ = self.run_setup()
            self.assertEqual(run.returncode, 0, run.stderr)

    def test_purposes_add_up_and_unknown_ones_are_refused(self):
        run, _ = self.run_setup("--list", "build", "fuzz", "bench")
        self.assertEqual(run.stdout.split(),
                         self.wanted + ["clang-14", "libclang-rt-14-dev", "libbenchmark-dev",
                                        "liblinear-dev", "fasttext", "python3-numpy", "libopenblas0-pthread"])
        run, _ = self.run_setup("cooking")
        self.assertEqual(run.returncode, 1)
        self.assertIn("unknown purpose 'cooking'", run.stderr)


if __name__ == "__main__":
    unittest.main()
