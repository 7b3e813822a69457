"""Prints options of any command whose help says neither what holds when they are left out nor that
they must be given, and names of the list below that no option has any more."""

import re
import subprocess

# Left out, these are not there: nothing stands in their place.
NO_DEFAULT = """
--alias --analogies --attest --buckets --by --candidates --cap --certificate --client-ca --columns
--contact --contexts --contrast --data --date --delta-each --end-mark --epsilon-each --export --ignore --key
--l2-sensitivity
--keep --ledger --min-count --missing --noise-multiplier --order --population --positive --purpose
--numbers --reason --reports --rho --sample --schema --sample-size --sampling-rate --scale --score-bound --seed
--sigma --similarity --state --stratify --support --target --target-epsilon --text-column
--token-file --total-epsilon --unit --vocabulary --without-ledger --admin
--thousands --symbol --comment --class --categorical --numeric
""".split()
# Where another option determines them, or they must be given in one of several ways.
NO_DEFAULT_IN = {
    "account": ["--delta", "--epsilon", "--mechanism"],
    "evaluate": ["--epsilon", "--public-row-count"],
    "ledger cap": ["--data-set", "--delta", "--epsilon"],
    "ledger init": ["--delta", "--epsilon"],
    "ledger show": ["--data-set"],
    "local account": ["--delta", "--epsilon"],
    "schema fit": ["--public-row-count"],
}


def commands(before=()):
    text = subprocess.run(["tacet", *before, "--help-all"], check=True, capture_output=True,
                          text=True).stdout
    inside = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    if not inside:
        yield " ".join(before), text
        return
    for name in re.findall(r"^  (\S+)", inside.group(1), re.MULTILINE):
        if before or name not in ("help", "version"):
            yield from commands((*before, name))


def options(text):
    """(name, all that help says of it) of every option that takes a value."""
    for entry in re.split(r"\n(?=  \S)", text.split("Examples:")[0]):
        line = " ".join(entry.split())
        found = re.match(r"(?:-\w,)?(--[\w-]+) [A-Z]{2}", line)
        if found:
            yield found.group(1), line


used = set()
shown = 0
for command, text in commands():
    for name, line in options(text):
        if "[default: " in line or "; default: " in line or "(required)" in line:
            shown += 1
        elif name in NO_DEFAULT_IN.get(command, ()):
            used.add((command, name))
        elif name in NO_DEFAULT:
            used.add(name)
        else:
            print(f"{command}: {line}")
for name in NO_DEFAULT:
    if name not in used:
        print(f"no option {name} without a default")
for command, names in NO_DEFAULT_IN.items():
    for name in names:
        if (command, name) not in used:
            print(f"no option {name} of {command} without a default")
print("enough" if shown > 250 else shown)
