"""Every command that opens records, in every way that it releases something of them."""

import dataclasses

ADJACENCIES = ("add_remove", "zero_out", "replace_one")
PAID = "--epsilon 4 --delta 1e-5"
PURE = "--epsilon 4 --delta 0"
# (schema, options of `tacet train`)
TRAINING = [
    ("two", f"--method gradient {PAID}"),
    ("two", f"--method gradient --batch-size 20 --steps 20 {PAID}"),
    ("two", f"--method gradient --standardise private {PAID}"),
    ("two", f"--method gradient --batch-size 20 --sampling fixed_size --steps 20 {PAID}"),
    ("two", f"--method gradient --batch-size 20 --sampling partition --steps 20 {PAID}"),
    ("two", f"--method gradient --boost 0.3 {PAID}"),
    ("two", f"--method gradient --radius auto {PAID}"),
    ("rich", f"--method gradient --steps 10 {PAID}"),
    ("wide", f"--method gradient --feature-selection 0.3 {PAID}"),
    ("wide", f"--method gradient --projection countsketch --projection-width 64 {PAID}"),
    ("three", f"--method gradient --loss softmax --steps 10 {PAID}"),
    ("count", f"--method gradient --steps 10 {PAID}"),
    ("share", f"--method gradient --steps 10 {PAID}"),
    ("unit", f"--method gradient --steps 10 --max-records-per-unit 3 {PAID}"),
    ("two", f"--method objective {PAID}"),
    ("two", f"--method objective {PURE}"),
    ("unit", f"--method objective {PAID}"),
    ("two", f"--method regularized-output {PAID}"),
    ("two", f"--method regularized-output {PURE}"),
    ("line", f"--method gradient --curves 0.3 --steps 10 {PAID}"),
    ("line", f"--method adassp {PAID}"),
    ("two", f"--method wide --steps 10 {PAID}"),
    ("wide", f"--method wide --steps 10 --selection adafest {PAID}"),
    ("two", f"--method sparse-groups --group-column b --groups 3 --steps 20 {PAID}"),
    ("two", f"--method output {PAID}"),
    ("two", f"--method phased {PAID}"),
    ("line", f"--method inverse-sensitivity {PURE}"),
    ("two", f"--method ladder {PAID}"),
    ("two", f"--method localized {PAID}"),
    ("two", f"--method growth {PAID}"),
    ("two", f"--method phased-erm {PAID}"),
    ("line", f"--method inference {PAID}"),
    ("plain", f"--method inference {PAID}"),
    ("two", PAID),
]
# Groups of options that change what is read or written of records, under one adjacency each.
OPTIONS = [
    ("line", f"--curves auto {PAID}"),
    ("plain", f"--method gradient --knots 5 --steps 10 {PAID}"),
    ("three", f"--method gradient --class-weights x=3,y=1,z=2 --steps 10 {PAID}"),
    ("two", f"--method gradient --steps 10 --spool . --threads 3 {PAID}"),
    ("two", f"--method gradient --steps 10 --report page.html {PAID}"),
    ("rich", f"--method wide --steps 10 --hidden 4,3 --pooling mean --optimizer adam {PAID}"),
    ("unit", f"--method wide --steps 10 --max-records-per-unit 2 {PAID}"),
    ("unit", f"--method inference {PAID}"),
    ("count", f"--method inference {PAID}"),
    ("line", f"--method inference --errors symmetric --terms a {PAID}"),
    ("wide", f"--method adassp --feature-selection 0.3 {PAID}"),
]


@dataclasses.dataclass(frozen=True)
class Step:
    """One command; `kind` says which fields of it are released."""

    kind: str
    words: str
    shows: str = ""  # what it shows of records by purpose, a key of released.SHOWN
    without_records: bool = False  # data.csv and texts.txt are gone before


@dataclasses.dataclass(frozen=True)
class Case:
    """Commands that run one after the other in one folder."""

    name: str
    steps: tuple
    count_is_public: bool = False  # of records; then everything but the declared number is refused
    needs_records: bool = False  # and says so where there are none: their owner alone sees it
    quick: bool = True


# What is made of a result alone. With the records out of reach, nothing of them can enter.
AFTER = ("show model.json", "show model.json --json", "verify model.json",
         "account model.json --delta 1e-5", "report model.json --text", "report model.json --force",
         "export model.json --format c", "export model.json --format sql",
         "predict model.json public.csv --proba", "evaluate model.json public.csv --public")


def after(kind):
    return tuple(Step(kind + " after", words, without_records=True) for words in AFTER)


def training():
    for place, (schema, options) in enumerate(TRAINING):
        for adjacency in ADJACENCIES:
            words = f"train data.csv --schema {schema}.toml {options} --adjacency {adjacency}"
            seeded = f"{words} --seed 3 --force"
            kind = ("selected" if "selection 0" in options else
                    "chosen" if "boost" in options or "radius auto" in options else
                    "table" if "inference" in options else "train")
            steps = (Step(kind, seeded), Step(kind, f"{seeded} --json --output j.json"))
            secret = Step(kind, f"{words} --output s.json --explain")
            name = f"train {schema} {options} {adjacency}"
            # Where a unit has several records, neighbours differ in how many.
            public = adjacency != "add_remove" and "records-per-unit" not in options
            # Text and JSON in turn: each way of writing meets each kind of method.
            yield Case(name, (steps[place % 2],), public)
            yield Case(f"{name}, all ways", (*steps, secret, *after("train")), public, quick=False)
    for schema, options in OPTIONS:
        kind = ("selected" if "selection 0" in options else
                "table" if "inference" in options else "train")
        yield Case(f"options {schema} {options}", (Step(
            kind, f"train data.csv --schema {schema}.toml {options} --adjacency add_remove --seed 3"
        ),), quick=False)
    words = f"train data.csv --schema two.toml --method gradient {PAID}"
    yield Case("results alone", (Step("train", f"{words} --seed 3"), *after("train")))
    yield Case("unprotected", (Step("train", "train data.csv --schema two.toml --epsilon inf",
                                    shows="--epsilon inf"),), needs_records=True)


def releases():
    for adjacency in ADJACENCIES:
        public = adjacency != "add_remove"
        both = f"--adjacency {adjacency} --epsilon 1"
        for end in ("--seed 3", "--seed 3 --json", "--json"):
            quick = "--seed" in end
            for schema in ("rich", "unit"):
                yield Case(f"describe {schema} {both} {end}", (
                    Step("describe", f"describe data.csv --schema {schema}.toml {both} {end}"),),
                    public and schema != "unit", quick)
            yield Case(f"quantile {both} {end}", (
                Step("quantile",
                     f"quantile data.csv --schema two.toml --column a {both} {end}"),),
                public, quick)
            for model in ("two", "three", "line"):
                yield Case(f"evaluate {model} {both} {end}", (
                    Step("evaluate", f"evaluate {model}.json data.csv {both} --delta 1e-5 {end} "
                         f"--public-row-count 200"),), public, quick and model != "line")
    both = "--adjacency add_remove --epsilon 1 --seed 3"
    for kind, words in (
            ("describe", f"describe data.csv --schema rich.toml {both} --report page.html"),
            ("quantile", f"quantile data.csv --schema two.toml --column wage --q 0.9 --lower 0 "
             f"--upper 900 {both}"),
            ("evaluate", f"evaluate two.json data.csv {both} --delta 1e-5 --public-row-count 200 "
             "--by b --loss-cap 2 --threshold 0.4 --report page.html"),
            ("evaluate", f"evaluate three.json data.csv {both} --delta 1e-5 --public-row-count 200 "
             "--calibration --spool ."),
            ("fit", "schema fit data.csv --epsilon 10 --target y --target-kind number --unit person "
             "--categorical b --numeric a,wage --date when --ignore memo -o fit.toml --seed 3"),
            ("local", "local simulate data.csv --schema two.toml --epsilon 4 --shuffled --learner "
             "local-sgd --passes 2 --seed 3")):
        yield Case(f"options of {words}", (Step(kind, words),), "simulate" in words, quick=False)
    for end in ("--seed 3", ""):
        yield Case(f"schema fit {end}", (
            Step("fit", "schema fit data.csv --epsilon 10 --target two --positive p "
                 f"--public-row-count 200 -o fit.toml {end}"),), quick=end != "")
        yield Case(f"tune {end}", (
            Step("tune", "tune data.csv --schema two.toml --method gradient --grid grid.toml "
                 f"{PAID} {end}"),), quick=end != "")
        for mechanism in ("privunit", "l2_laplace"):
            yield Case(f"local simulate {mechanism} {end}", (
                Step("local", "local simulate data.csv --schema two.toml --epsilon 4 --mechanism "
                     f"{mechanism} {end}"),), True, quick=end != "")


def texts():
    base = "--epsilon 4 --delta 1e-5 --public-row-count 200 --dim 3 --steps 5 --batch-size 40"
    listed = f"embed texts.txt --vocabulary words.txt {base} --output v.vec"
    chosen = f"embed texts.txt --select-vocabulary 20 {base} --output v.vec"
    for adjacency in ADJACENCIES:
        public = adjacency != "add_remove"
        tail = f"--adjacency {adjacency} --seed 3"
        yield Case(f"embed {adjacency}", (Step("embed", f"{listed} {tail}"),), public)
        yield Case(f"embed {adjacency}, adafest",
                   (Step("embed", f"{listed} --selection adafest {tail} --json"),), public)
        yield Case(f"embed {adjacency}, chosen words",
                   (Step("embed", f"{chosen} {tail}"),), public, quick=False)
    for options in ("--vocabulary words.txt --model cbow --negatives-by-count --optimizer adam",
                    "--buckets 6 --words --max-words 4 --selection sparse_vector --selected 3",
                    "--vocabulary words.txt --pairs-as-units",
                    "--vocabulary words.txt --selection adafest_plus --second-clip aggregate "
                    "--aggregate-norm 1"):
        yield Case(f"options of embed {options}", (Step(
            "embed", f"embed texts.txt {options} {base} --output v.vec --seed 3"),), quick=False)
    yield Case("options of embed, a table", (Step(
        "embed", f"embed data.csv --text-column memo --unit person --vocabulary words.txt {base} "
        "--output v.vec --seed 3"),), quick=False)
    near = Step("embed after", "neighbours v.vec w1 w2", without_records=True)
    yield Case("embed, secret", (Step("embed", listed), near))
    yield Case("audit one-run of a table", (Step(
        "audit", "audit one-run data.csv --schema wide.toml --method gradient --steps 3 --epsilon 4 "
        "--delta 1e-5 --canaries 20 --public --seed 3"),))
    for command in ("one-run --canaries 20", "memorisation --canaries 20 --phrases 30"):
        yield Case(f"audit {command}", (
            Step("audit", f"audit {command} texts.txt --vocabulary words.txt --epsilon 4 --delta "
                 "1e-5 --public-row-count 200 --dim 3 --steps 5 --seed 3"),))


def shown():
    """Commands that show records by purpose: nothing of them may stand elsewhere."""
    yield Case("schema check", (Step("check", "schema check data.csv --schema two.toml",
                                     shows="schema check"),))
    yield Case("schema draft", (Step("draft", "schema draft data.csv --public",
                                     shows="schema draft"),), needs_records=True)
    yield Case("split", (Step("split", "split data.csv --test 0.5", shows="split"),),
               needs_records=True)
    yield Case("options of split", (Step("split", "split data.csv --test 0.5 --by person",
                                         shows="split"),), needs_records=True, quick=False)
    yield Case("options of predict", (Step("predict", "predict two.json data.csv --noise --mapped "
                                           "--spool .", shows="predict"),), quick=False)
    yield Case("predict", (Step("predict", "predict two.json data.csv", shows="predict"),))
    yield Case("evaluate --public", (Step("evaluate", "evaluate two.json data.csv --public",
                                          shows="evaluate --public"),), needs_records=True)


def booked():
    """With an account: the noise is secret, since seeded noise has no cost that fits."""
    init = Step("ledger", "ledger init b.ledger --data-set s --data data.csv --epsilon 30 "
                "--delta 1e-3")
    paid = ("--ledger b.ledger",)
    steps = [init]
    for kind, words in (
            ("train", f"train data.csv --schema two.toml --method gradient {PAID}"),
            ("describe", "describe data.csv --schema two.toml --epsilon 1"),
            ("quantile", "quantile data.csv --schema two.toml --column a --epsilon 1 --adjacency "
             "add_remove"),
            ("evaluate", "evaluate two.json data.csv --epsilon 1 --delta 1e-5"),
            ("fit", "schema fit data.csv --epsilon 1 --target two --positive p -o fit.toml"),
            ("tune", "tune data.csv --schema two.toml --method gradient --grid grid.toml "
             f"--output t.json {PAID}")):
        steps.append(Step(kind, " ".join((words, *paid))))
    refused = Step("train", "train data.csv --schema two.toml --method gradient --epsilon 50 "
                   "--delta 1e-5 --output n.json --ledger b.ledger")
    look = Step("check", "schema check data.csv --schema two.toml --ledger b.ledger "
                "--attested-look=bounds", shows="schema check")
    owner = tuple(Step("ledger", words) for words in (
        "ledger show b.ledger", "ledger show b.ledger --json", "ledger verify b.ledger",
        "ledger cap b.ledger --cap 40 --override --reason more",
        "ledger resolve b.ledger --run 99 --aborted-unreleased --attest no"))
    page = Step("train after", "report --ledger b.ledger --text")
    yield Case("booked", (*steps, refused, look, *owner, page))


def public_commands():
    """Commands that open no records: they run beside them all the same."""
    words = ("plan --schema two.toml --epsilon 1 --explain", "rates --schema two.toml --epsilon 1",
             "local plan --schema two.toml --epsilon 4", "local account --epsilon 4",
             "local task --schema two.toml --epsilon 4", "help train", "version", "audit list",
             "audit run laplace --trials 500",
             "audit train --schema two.toml --method gradient --steps 2 --epsilon 1 --delta 1e-5 "
             "--trials 300")
    yield Case("no records", tuple(Step("public", line) for line in words))


def cases():
    return [*training(), *releases(), *texts(), *shown(), *booked(), *public_commands()]


# Models of the first world, for commands that look at records with one.
MODELS = tuple(f"train data.csv --schema {schema}.toml --method gradient --steps 5 {PAID} --seed 3 "
               f"--output {schema}.json" for schema in ("two", "three", "line"))
