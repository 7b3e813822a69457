"""Runs the program on files of tables.py, and keeps what did not hold."""

import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "formats"))
import formats  # noqa: E402  pylint: disable=wrong-import-position


class Runner:
    def __init__(self, tacet, scratch):
        self.tacet, self.scratch, self.failed, self.done = tacet, scratch, [], 0

    def run(self, *words, data=None):
        done = subprocess.run([self.tacet, *map(str, words)], cwd=self.scratch, check=False,
                              input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode == 0:
            formats.expect_printed(words, done.stdout)
        return done

    def check(self, name, holds, what):
        self.done += 1
        if not holds:
            self.failed.append(f"{name}: {what}")
            print(f"FAILED {name}: {what}", flush=True)

    def write(self, name, content):
        file = self.scratch / f"{name}.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file.name

    def model(self, name, file, target, *options):
        """The trained model's numbers, and its evaluation; nothing where a command fails."""
        schema, output = f"{name}.toml", f"{name}.json"
        drafted = self.run("schema", "draft", file, "--public", "--target", target, "-o", schema,
                           *options)
        if drafted.returncode != 0:
            return None, drafted.stderr.decode()
        trained = self.run("train", file, "--schema", schema, "--epsilon", "1", "--delta", "1e-5",
                           "--seed", "3", "-o", output, "--force", "--quiet")
        if trained.returncode != 0:
            return None, trained.stderr.decode()
        scored = self.run("evaluate", output, file, "--public", "--json", "--quiet")
        if scored.returncode != 0:
            return None, scored.stderr.decode()
        model = json.loads((self.scratch / output).read_text())
        figures = json.loads(scored.stdout)
        for key in ("mapped",):
            figures.pop(key, None)
        return (numbers_of(model), figures), (self.scratch / schema).read_text()

    def same(self, name, content, clean, target, *options, keys=()):
        file = self.write(name, content)
        found, text = self.model(name, file, target, *options)
        self.check(name, found is not None, text)
        if found is None:
            return
        self.check(name, found == clean, "another model than that of the clean table\n" + text)
        for key in keys:
            self.check(name, key in text, f"{key} is not in the draft\n{text}")

    def refused(self, name, content, words, *command, code=(2, 3)):
        file = self.write(name, content)
        found = self.run(*[file if word == "FILE" else word for word in command])
        said = found.stderr.decode()
        self.check(name, found.returncode in code, f"exit {found.returncode}: {said}")
        for word in words:
            self.check(name, word in said, f"'{word}' is not in: {said}")


def numbers_of(model):
    """Everything that training computed: not the schema, which says how the file is spelt."""
    found = {}

    def walk(node, path):
        if isinstance(node, dict):
            for key, value in node.items():
                if key not in ("schema", "receipt", "description", "name", "classes"):
                    walk(value, path + "/" + key)
        elif isinstance(node, list):
            found[path] = node
        elif isinstance(node, (int, float)):
            found[path] = node

    walk(model, "")
    return found
