"""Completes command lines in bash, zsh and fish, by what the build made of the program's options.

    check_completions.py FOLDER SHELL...       FOLDER has tacet.bash, _tacet and tacet.fish

A shell that is not installed is left out; without any the exit code is 77.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

SCHEMA = r"""name = "people"
[target]
column = "ill"
positive = "yes"
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 99
[[column]]
names = ["the town", 'code']
kind = "categorical"
categories = ["a"]
[[column]]
names = [
  "unit",  # not "note"
  "under",
]
kind = "ignored"
[[column]]
name = "quo\"ted"
kind = "ignored"
"""

# A line, what it completes to among others, and what it must not.
CASES = (
    ("tacet ", "train predict ledger schema help version", "init --json"),
    ("tacet tr", "train", "tune predict"),
    ("tacet p", "plan predict", "train"),
    ("tacet ledger ", "init show verify resolve cap", "train draft"),
    ("tacet ledger s", "show", "init"),
    ("tacet schema ", "draft fit check", "init"),
    ("tacet local re", "revoke reopen replay", "status"),
    ("tacet audit ", "one-run memorisation", "cap"),
    ("tacet help ", "train ledger", "--json"),
    ("tacet help acc", "account", "audit"),
    ("tacet train --ep", "--epsilon", "--delta"),
    ("tacet train --sche", "--schema", "--adjacency"),
    ("tacet train --help", "--help --help-all", "--json"),
    ("tacet train data.csv --led", "--ledger", "--schema"),
    ("tacet ledger cap --ov", "--override", "--cap"),
    ("tacet ledger init new.ledger --curr", "--currency", "--cap"),
    ("tacet export --f", "--format --force", "--dialect"),
    ("tacet export model.json --dia", "--dialect", "--format"),
    ("tacet train --adjacency ", "add_remove zero_out replace_one", "people.toml"),
    ("tacet train --adjacency z", "zero_out", "add_remove"),
    ("tacet train --method gr", "gradient", "auto"),
    ("tacet train --loss ", "logistic squared huber", "people.toml"),
    ("tacet train --model w", "wide", "linear"),
    ("tacet plan --standardise p", "private", "none"),
    ("tacet export --format ", "c sql coefficients", "people.toml"),
    ("tacet export --dialect d", "duckdb", "sqlite"),
    ("tacet ledger init --currency ", "zcdp gdp rdp pure basic", "people.toml"),
    ("tacet account --mechanism disc", "discrete_gaussian discrete_laplace", "gaussian"),
    ("tacet account --find s", "steps sampling-rate", "noise"),
    ("tacet schema fit --target-kind ", "number count probability", "people.toml"),
    ("tacet serve --log-format ", "text json", "people.toml"),
    ("tacet train --schema pe", "people.toml", "folder train"),
    ("tacet train -s pe", "people.toml", "folder"),
    ("tacet predict mo", "model.json", "people.toml predict"),
    ("tacet predict model.json --output pe", "people.toml", "model.json"),
    ("tacet quantile x.csv --schema people.toml --column ", "age ill", "people.toml people"),
    ("tacet quantile x.csv -s people.toml --column a", "age", "ill"),
    ("tacet quantile x.csv --schema people.toml --column co", "code", "age"),
    ("tacet quantile x.csv --schema people.toml --column un", "unit under", "note"),
    ("tacet evaluate m.json x.csv --by ", "", "people.toml"),
    ("tacet train --epsilon ", "", "people.toml add_remove"),
)

BASH = r"""
source "$1/tacet.bash"
COMP_WORDS=()
line=$2
spaced=${line//=/ = }
read -ra COMP_WORDS <<<"$spaced"
[[ $line == *' ' || $line == *= ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMP_LINE=$line COMP_POINT=${#line}
_tacet
printf '%s\n' "${COMPREPLY[@]}"
"""

# A shell in a terminal of its own, which prints what it would offer instead of completing.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; stty rows 50 columns 200"
zpty -w shell "fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'zstyle ":completion:*" completer _complete; setopt no_list_beep'
zpty -w shell 'compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  typeset -a found
  builtin compadd -A found "$@"
  for one in $found; do print -r -- "[[${one}]]"; done
}'
zpty -w shell 'shown() { print "<<"; compstate[insert]=; compstate[list]=; _main_complete; '\
'compstate[insert]=; compstate[list]=; print ">>"; }'
zpty -w shell 'zle -C shown complete-word shown; bindkey "^I" shown'
zpty -w shell 'print ready-$((40 + 2))'
while zpty -r shell line; do [[ $line == *ready-42* ]] && break; done
zpty -n -w shell "$2"$'\t'
while zpty -r shell line; do
  print -r -- "$line"
  [[ $line == *'>>'* ]] && break
done
zpty -d shell
"""

FISH = "source $argv[1]/tacet.fish; complete -C $argv[2]"


def run(command, folder):
    done = subprocess.run(command, cwd=folder, check=False, stdout=subprocess.PIPE, timeout=60,
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def bash(made, line, folder):
    text, errors = run(["bash", "--norc", "-c", BASH, "bash", made, line], folder)
    return {one.replace("\\ ", " ") for one in text.splitlines()}, errors


def zsh(made, line, folder):
    text, errors = run(["zsh", "-f", "-c", ZSH, "zsh", made, line], folder)
    text = text.replace("\r", "").rpartition("<<")[2]
    return {part.partition("]]")[0].rstrip("=").replace("\\ ", " ")
            for part in text.split("[[")[1:]}, errors


def fish(made, line, folder):
    text, errors = run(["fish", "--no-config", "-c", FISH, made, line], folder)
    return {one.partition("\t")[0] for one in text.splitlines()}, errors


def check(shell, complete, made, folder):
    """Lines that say which cases fail."""
    faults = []
    for line, wanted, unwanted in CASES:
        found, errors = complete(made, line, folder)
        missing = set(wanted.split()) - found
        strange = set(unwanted.split()) & found
        if missing or strange or errors.strip():
            faults.append(f"{shell}: '{line}' lacks {sorted(missing)}, must not have "
                          f"{sorted(strange)}; it has {sorted(found)[:20]} {errors[:300]}")
    found, _ = complete(made, "tacet quantile x.csv --schema people.toml --column t", folder)
    if "the town" not in found:
        faults.append(f"{shell}: a column with a blank in its name: {sorted(found)}")
    found, _ = complete(made, "tacet quantile x.csv --schema people.toml --column q", folder)
    if {one.replace("\\", "") for one in found} != {'quo"ted'}:
        faults.append(f"{shell}: a column with a quote in its name: {sorted(found)}")
    return faults


def main(made, asked):
    made = str(pathlib.Path(made).resolve())
    faults, shells = [], []
    with tempfile.TemporaryDirectory(prefix="tacet-completions-") as name:
        folder = pathlib.Path(name)
        (folder / "people.toml").write_text(SCHEMA, encoding="utf-8")
        (folder / "model.json").write_text("{}", encoding="utf-8")
        (folder / "folder").mkdir()
        for shell, complete in (("bash", bash), ("zsh", zsh), ("fish", fish)):
            if shell not in asked:
                continue
            if shutil.which(shell) is None:
                print(f"{shell} is not installed: left out")
                continue
            shells.append(shell)
            faults += check(shell, complete, made, folder)
    print("\n".join(faults) or f"{len(CASES) + 2} cases in each of {', '.join(shells)}")
    return 1 if faults else 0 if shells else 77


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
