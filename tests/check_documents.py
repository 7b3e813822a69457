"""Runs the shell commands of a document in a scratch folder and fails on the first that fails.

    check_documents.py DOCUMENT SOURCE BUILD

Every ```sh block that calls `tacet`, or writes a table or a schema, is run, in order, in one shell,
as a reader would do it: in a folder that looks like the source tree, with the built program on the
path. Examples that stand indented, `    tacet train data.csv --schema s.toml`, are run one by one,
with and without what stands in brackets; the files that they name are those of stand_ins().
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

NUMBER = """
public_row_count = 1000
intercept = false
[format]
header = true
[target]
column = "wage"
lower = 0
upper = 100
[[column]]
name = "one"
kind = "numeric"
lower = 0
upper = 1
"""
TEXTS = """
public_row_count = 600
[target]
column = "kind"
positive = ["spam"]
negative = ["ham"]
[[column]]
name = "town"
kind = "categorical"
categories = ["a", "b", "c"]
[[column]]
name = "message"
kind = "text"
bits = 10
"""
GRID = """
[values]
clipping-norm = [0.5, 1]
steps = [50, 100]
"""
# What a block has that is run: a call, or a file that later calls read.
CALLED = r"^tacet |> \S+\.(csv|toml)\b"
# What a page supposes to have been done.
A_TASK = "tacet local task --schema s.toml --epsilon 4 --output task.json"
BEFORE = {"docs/how-to/deploy.md": A_TASK,
          "docs/how-to/bring-back.md": f"{A_TASK}\ntacet local enrol task.json --state task.state"}


def stand_ins(document, source, folder):
    """What pages call data.csv, s.toml and so on."""
    table = source / "data" / "berkeley1973.csv"
    schema = source / "data" / "schemas" / "berkeley1973.toml"
    for name in ("data.csv", "survey.csv", "people.csv"):
        shutil.copy(table, folder / name)
    shutil.copy(schema, folder / "s.toml")
    (folder / "grid.toml").write_text(GRID, encoding="utf-8")
    if document.endswith(("inverse-sensitivity.md", "methods/curves.md")):
        with_constant = document.endswith("curves.md")
        rows = [f"1,{k % 97}" for k in range(1000)]
        (folder / "data.csv").write_text("\n".join(["one,wage", *rows]) + "\n", encoding="utf-8")
        (folder / "s.toml").write_text(
            NUMBER.replace("intercept = false\n", "") if with_constant else NUMBER, "utf-8")
    words = ("bread", "milk", "prize", "free", "call", "now", "late", "home", "rain", "train")
    rows = [f"{'spam' if k % 3 == 0 else 'ham'},{'abc'[k % 3]},"
            f"{words[k % 10]} {words[k * 7 % 10]} {words[k * 3 % 10]}" for k in range(600)]
    text = "\n".join(["kind,town,message", *rows]) + "\n"
    for name in ("messages.csv", "text.csv", "posts.csv"):
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("sms_spam.toml", "posts.toml"):
        (folder / name).write_text(TEXTS, encoding="utf-8")
    if document.endswith("projections.md"):
        (folder / "s.toml").write_text(TEXTS, encoding="utf-8")
    (folder / "words.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    (folder / "texts.txt").write_text("\n".join(row.split(",")[2] for row in rows) + "\n",
                                      encoding="utf-8")


def indented(text):
    """The commands of an indented example, each once without and once with what is in brackets."""
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for block in re.findall(r"(?:^    .*\n)+", outside, re.MULTILINE):
        joined = re.sub(r"\\\n\s*", "", block)
        for line in joined.splitlines():
            line = line.strip()
            if not line.startswith("tacet "):
                continue
            plain = re.sub(r"\s*\[[^]]*\]", "", line)
            yield plain
            if plain != line:
                yield re.sub(r"[\[\]]", "", line)


def main(document, source, build):
    source, build = pathlib.Path(source), pathlib.Path(build)
    text = (source / document).read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
              if re.search(CALLED, block, re.MULTILINE)]
    examples = [f"rm -f model.json\n{command}" for command in indented(text)]
    if not blocks and not examples:
        sys.exit(f"{document} has no commands to run")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copytree(source / "data", folder / "data")  # an account marks the folder of its data
        for linked in ("docs", "examples"):
            (folder / linked).symlink_to(source / linked)
        stand_ins(document, source, folder)
        environment = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}")
        commands = "\n".join([BEFORE.get(document, ""), *blocks, *examples])
        with open(folder / "said", "w+", encoding="utf-8") as said:
            run = subprocess.Popen(["sh", "-eux", "-c", commands], cwd=folder, env=environment,
                                   stdout=said, stderr=subprocess.STDOUT, start_new_session=True)
            code = run.wait()
            try:  # what a document that failed has left running
                os.killpg(run.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            said.seek(0)
            print(said.read())
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
