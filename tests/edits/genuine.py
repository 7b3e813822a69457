"""One genuine file of every method and every release, of every adjacency that it takes, of records
and of units, pure and approximate: written by the program itself, with noise that nobody knows.
"""

import dataclasses
import os
import pathlib
import subprocess
import sys

from documents import read

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "formats"))
import formats  # noqa: E402  pylint: disable=wrong-import-position

ADJACENCIES = ("add_remove", "zero_out", "replace_one")
ROWS = 400
COLUMNS = """
[[column]]
name = "a"
kind = "numeric"
lower = 0
upper = 1

[[column]]
name = "b"
kind = "categorical"
categories = ["u", "v", "w"]
"""
HASHED = '\n[[column]]\nname = "person"\nkind = "hashed"\nbits = 6\n'
TARGETS = {"two": '[target]\ncolumn = "two"\npositive = "p"\nnegative = "n"\n',
           "three": '[target]\ncolumn = "class"\nclasses = ["x", "y", "z"]\n',
           "number": '[target]\ncolumn = "y"\nlower = 0\nupper = 10\n'}
# Method and its options beyond a budget; whoever is not here takes none.
EXTRA = {"gradient": "--steps 5 --knots none", "sparse-groups":
         "--group-column b --groups 2 --steps 5", "wide": "--steps 5",
         "inverse-sensitivity": "--l2 1", "inference": "--terms a"}
METHODS = ("gradient", "output", "phased", "inverse-sensitivity", "objective",
           "regularized-output", "ladder", "localized", "growth", "phased-erm", "adassp",
           "sparse-groups", "wide", "inference")
APPROXIMATE = "--epsilon 4 --delta 1e-5"
PURE = "--epsilon 4 --delta 0"
WORDS = "king queen man woman".split()


@dataclasses.dataclass(frozen=True)
class Setting:
    """A command that writes or prints a file with a receipt."""

    method: str  # or release
    adjacency: str
    unit: bool
    pure: bool
    command: str  # FILE stands for the file
    note: str = ""  # what tells it from others of these four
    receipt_of: str = ""  # suffix of the file that has the receipt

    @property
    def name(self):
        words = [self.method, self.adjacency, "unit" if self.unit else "record",
                 "pure" if self.pure else "approximate"]
        return " ".join(words + ([self.note] if self.note else []))


def write_inputs(folder):
    state = 12345
    lines = ["y,a,b,person,class,two"]
    texts = []
    for row in range(ROWS):
        values = []
        for _ in range(4):
            state = (state * 1103515245 + 12345) % 2**31
            values.append(state / 2**31)
        lines.append(f"{6 * values[0] + 4 * values[1]:.3f},{values[0]:.3f},"
                     f"{'uvw'[int(3 * values[2])]},p{int(80 * values[3])},"
                     f"{'xyz'[int(3 * values[0])]},{'np'[values[0] + values[1] > 1]}")
        texts.append(f"author{row % 40},{WORDS[row % 4]} {WORDS[int(4 * values[0])]}")
    (folder / "data.csv").write_text("\n".join(lines) + "\n")
    (folder / "texts.csv").write_text("\n".join(["author,text", *texts]) + "\n")
    (folder / "words.txt").write_text("\n".join(WORDS) + "\n")
    (folder / "grid.toml").write_text("[values]\nsteps = [3, 5]\n")
    for name, target in TARGETS.items():
        for unit in (False, True):
            ignored = [c for c in ("y", "person", "class", "two")
                       if f'"{c}"' not in target and not (unit and c == "person")]
            quoted = ", ".join(f'"{c}"' for c in ignored)
            head = 'unit = "person"\n' if unit else ""
            (folder / f"{name}{'_unit' if unit else ''}.toml").write_text(
                f"{head}public_row_count = {ROWS}\n\n{target}\n[[column]]\nnames = [{quoted}]\n"
                f'kind = "ignored"\n{COLUMNS}')
    two = (folder / "two.toml").read_text()
    (folder / "hashed.toml").write_text(two.replace(', "person"', "") + HASHED)


def of_methods():
    for method in METHODS:
        for adjacency in ADJACENCIES:
            for unit in (False, True):
                for pure in (False, True):
                    schema = ("number" if method in ("adassp",) else "two")
                    schema += "_unit" if unit else ""
                    cap = "--max-records-per-unit 3" if unit else ""
                    yield Setting(method, adjacency, unit, pure,
                                  f"train data.csv --schema {schema}.toml --method {method} "
                                  f"--adjacency {adjacency} {PURE if pure else APPROXIMATE} {cap} "
                                  f"{EXTRA.get(method, '')} --output FILE")


def of_choices():
    for adjacency in ADJACENCIES:
        for unit in (False, True):
            head = f"data.csv --schema two{'_unit' if unit else ''}.toml --method gradient"
            tail = (f"--adjacency {adjacency} {APPROXIMATE} --knots none --output FILE"
                    + (" --max-records-per-unit 3" if unit else ""))
            yield Setting("tune", adjacency, unit, False, f"tune {head} --grid grid.toml {tail}")
            for option in ("boost 0.3", "radius auto"):
                yield Setting(option.split()[0], adjacency, unit, False,
                              f"train {head} --{option} --steps 3 {tail}")
            # A method that draws one record of each unit, in each run by a random draw.
            yield Setting("boost", adjacency, unit, False,
                          f"train data.csv --schema two{'_unit' if unit else ''}.toml "
                          f"--method objective --boost 0.3 --adjacency {adjacency} {APPROXIMATE} "
                          "--output FILE", "drawn")
        gradient = "train data.csv --method gradient --steps 3"
        for note, more in (("sampled", "--schema two.toml --batch-size 50 --knots none"),
                           ("fixed", "--schema two.toml --batch-size 50 --sampling fixed_size --knots none"),
                           ("blocks", "--schema two.toml --batch-size 50 --sampling partition --knots none"),
                           ("standardised", "--schema two.toml --standardise private --knots none"),
                           ("kept", "--feature-selection 0.5 --schema hashed.toml"),
                           ("paper", "--schema two.toml --calibration paper --knots none --radius 2")):
            yield Setting("gradient", adjacency, False, False,
                          f"{gradient} {more} --adjacency {adjacency} {APPROXIMATE} --output FILE",
                          note)
        yield Setting("gradient", adjacency, True, False,
                      f"{gradient} --schema two_unit.toml --standardise private --knots none "
                      f"--max-records-per-unit 3 --adjacency {adjacency} {APPROXIMATE} "
                      "--output FILE", "standardised")
        for method in ("output", "objective", "localized", "growth", "phased-erm", "adassp"):
            schema = "number" if method == "adassp" else "two"
            yield Setting(method, adjacency, False, False,
                          f"train data.csv --schema {schema}.toml --method {method} --calibration "
                          f"paper --adjacency {adjacency} {APPROXIMATE} --output FILE", "paper")
        yield Setting("gradient", adjacency, False, False,
                      f"train data.csv --schema three.toml --loss softmax --steps 3 "
                      f"--adjacency {adjacency} {APPROXIMATE} --output FILE", "classes")
    for note, more in (("banco", ""), ("sgd", "--learner local-sgd --step-size 0.3"),
                       ("laplace", "--mechanism l2_laplace"),
                       ("gaussian", "--mechanism gaussian --delta 1e-5")):
        yield Setting("local", "replace_one", False, note != "gaussian",
                      f"local simulate data.csv --schema two.toml --epsilon 4 {more} "
                      "--output FILE", note)


def of_releases():
    for adjacency in ADJACENCIES:
        for unit in (False, True):
            suffix = "_unit" if unit else ""
            for pure in (False, True):
                budget = f"--adjacency {adjacency} {PURE if pure else APPROXIMATE}"
                caps = (("", ""), ("three", " --max-records-per-unit 3")) if unit else (("", ""),)
                for note, cap in caps:
                    yield Setting("describe", adjacency, unit, pure,
                                  f"describe data.csv --schema two{suffix}.toml {budget}{cap} "
                                  "--json", note)
                if not pure:
                    for schema in TARGETS:
                        yield Setting("evaluate", adjacency, unit, pure,
                                      f"evaluate {schema}{suffix}.json data.csv {budget} --json",
                                      schema)
            yield Setting("quantile", adjacency, unit, True,
                          f"quantile data.csv --schema two{suffix}.toml --column a --epsilon 1 "
                          f"--adjacency {adjacency} --json")
            for pure in (False, True):
                of = "add_remove" if adjacency == "replace_one" else adjacency
                fit = f"fit_{of}{suffix}{'_pure' if pure else ''}.toml"
                train = f"--schema {fit} --adjacency {adjacency} {PURE if pure else APPROXIMATE}"
                method = "objective" if pure else "gradient --steps 3 --knots none"
                yield Setting("fitted", adjacency, unit, pure,
                              f"train data.csv {train} --method {method} --output FILE"
                              + (" --max-records-per-unit 2" if unit else ""))
                yield Setting("describe", adjacency, unit, pure,
                              f"describe data.csv {train} --json", "fitted")
    for adjacency in ADJACENCIES:
        for unit, option in (("author", "--unit author"), ("", ""), ("pair", "--pairs-as-units")):
            yield Setting("embed", adjacency, unit == "author", False,
                          f"embed texts.csv --text-column text --vocabulary words.txt {option} "
                          f"--adjacency {adjacency} {APPROXIMATE} --public-row-count 400 --dim 3 "
                          "--steps 5 --batch-size 40 --output FILE", unit, ".receipt.json")


def settings():
    return [*of_methods(), *of_choices(), *of_releases()]


class Maker:
    """Runs the program in a folder of its own."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)
        self.environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8",
                            "NO_COLOR": "1"}
        write_inputs(self.folder)

    def run(self, command):
        done = subprocess.run([self.program, *command.split()], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL, check=False,
                              capture_output=True, text=True)
        if done.returncode == 0:
            formats.expect_printed(command.split(), done.stdout)
        return done

    def prepare(self):
        """Models to evaluate and schemas that were fitted."""
        for schema in TARGETS:
            for suffix in ("", "_unit"):
                self.must(f"train data.csv --schema {schema}{suffix}.toml --method gradient "
                          f"--knots none --steps 3 {APPROXIMATE} --output {schema}{suffix}.json")
        for adjacency in ADJACENCIES[:2]:  # a fit of added records serves replaced ones
            for suffix, unit in (("", ""), ("_unit", "--unit person --max-records-per-unit 2")):
                for kind, delta in (("", "1e-5"), ("_pure", "0")):
                    self.must(f"schema fit data.csv --target two --positive p --epsilon 10 "
                              f"--delta {delta} --adjacency {adjacency} {unit} "
                              f"--ignore y class{'' if unit else ' person'} "
                              f"--public-row-count {ROWS} "
                              f"--output fit_{adjacency}{suffix}{kind}.toml")

    def must(self, command):
        done = self.run(command)
        if done.returncode != 0:
            raise RuntimeError(f"{command}: {done.stderr}")

    def make(self, setting):
        """The document, or None where the program refuses the setting."""
        name = setting.name.replace(" ", "_") + ".json"
        done = self.run(setting.command.replace("FILE", name))
        path = self.folder / (name + setting.receipt_of)
        if done.returncode != 0:
            return None, done.stderr
        if "FILE" not in setting.command:
            path.write_text(done.stdout, encoding="utf-8")
        return read(path), ""
