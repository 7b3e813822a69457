"""What an attacker would change in a genuine file, and what `verify` must say to it."""

import dataclasses

REFUSED = "refused"  # never "follows"
LISTED = "listed"  # or "follows" that names the parameter among what was not checked
FREE = "free"  # true after the change as before, or nothing in a file can tell
ALGORITHMS = ("gradient", "output", "phased", "inverse-sensitivity", "objective",
              "regularized-output", "ladder", "localized", "growth", "phased-erm", "adassp",
              "sparse-groups", "wide", "inference", "embed", "tune", "boosting", "radius-search", "banco",
              "local-sgd", "evaluation", "quantile by inverse sensitivity", "summary of a table",
              "schema fit", "sum")
ADJACENCIES = ("add_remove", "zero_out", "replace_one")


@dataclasses.dataclass
class Change:
    name: str
    document: object
    expected: str
    parameter: str = ""


def rounded(value):
    return float(f"{value:.5g}")


def nodes(tree, key):
    """All objects below that have the key."""
    if isinstance(tree, dict):
        if key in tree:
            yield tree
        for value in tree.values():
            yield from nodes(value, key)
    elif isinstance(tree, list):
        for value in tree:
            yield from nodes(value, key)


def numbers(tree, path=()):
    """(path, number) of every number below."""
    items = (tree.items() if isinstance(tree, dict) else
             enumerate(tree) if isinstance(tree, list) else ())
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from numbers(value, (*path, key))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield (*path, key), value


def put(tree, path, value):
    for key in path[:-1]:
        tree = tree[key]
    tree[path[-1]] = value


# Read by verify, and other values lead to the same events: what is promised does not go by them.
INERT = {("radius", "radii"), ("radius", "radius"), ("tune", "grid"), ("sparse-groups", "steps"),
         ("regularized-output", "smoothing_width"), ("regularized-output", "solver_tolerance")}


class Changes:
    """Collects the changes of one genuine document."""

    def __init__(self, setting, document):
        self.setting = setting
        self.original = document
        self.found = []

    def add(self, name, change, expected, parameter=""):
        document = self.original.copy()
        if change(document) is not False:
            self.found.append(Change(name, document, expected, parameter))

    def all(self):
        self.adjacency()
        self.units()
        self.names()
        self.events()
        self.moved_less()
        self.parameters()
        self.fields()
        self.fit()
        return self.found

    def adjacency(self):
        own = self.original.receipt["guarantee"]["adjacency"]
        for other in ADJACENCIES:
            if other == own:
                continue

            def everywhere(document, to=other, factor=1.0):
                receipt = document.receipt
                for node in nodes(receipt["events"], "adjacency"):
                    node["adjacency"] = to
                receipt["guarantee"]["adjacency"] = to
                receipt["guarantee"]["epsilon"] = rounded(
                    factor * receipt["guarantee"]["epsilon"])
                cost = (document.schema or {}).get("cost")
                if cost:
                    cost["adjacency"] = to
                    cost["events"] = cost["events"].replace(f'"{own}"', f'"{to}"')

            same = accepted(self.setting, own, other)
            noisy = enough(self.setting, own, other, self.original.receipt)
            allowed = FREE if same and noisy else REFUSED
            self.add(f"adjacency {other}", everywhere, allowed)
            self.add(f"adjacency {other} at 2.5 epsilon",
                     lambda d, to=other: everywhere(d, to, 2.5), FREE if same else REFUSED)

            def neighbours(document, version=None, to=other):
                everywhere(document, to)
                parameters = document.receipt["parameters"]
                if "distance_factor" not in parameters:
                    return False
                if version:
                    document.receipt["software_version"] = version
                    del parameters["distance_factor"], parameters["row_count_is"]
                else:
                    parameters["distance_factor"] = 2.0 if to == "replace_one" else 1.0
                    parameters["row_count_is"] = "secret" if to == "add_remove" else "public"
                return None

            self.add(f"adjacency {other} with its neighbours", neighbours, allowed)
            self.add(f"adjacency {other} of another version without neighbours",
                     lambda d, change=neighbours: change(d, "0.1.0"), REFUSED)

            def alone(document, to=other):
                document.receipt["guarantee"]["adjacency"] = to

            self.add(f"adjacency {other} of the guarantee alone", alone, allowed)

    def units(self):
        own = self.original.receipt["privacy_unit"]

        def unit(document, name, cap):
            document.receipt["privacy_unit"] = name
            parameters = document.receipt["parameters"]
            if cap is None:
                parameters.pop("max_records_per_unit", None)
            elif cap != "kept":
                parameters["max_records_per_unit"] = cap
            if document.schema is not None:
                document.schema.pop("unit", None)
                if name != "record":
                    document.schema["unit"] = name
                cost = document.schema.get("cost")
                if cost:
                    cost["unit"] = name

        if own == "record":
            self.add("unit person", lambda d: unit(d, "person", "kept"), REFUSED)
            self.add("unit person in the receipt alone",
                     lambda d: d.receipt.update(privacy_unit="person"), REFUSED)
            self.add("records per unit without a unit",
                     lambda d: d.receipt["parameters"].update(max_records_per_unit=1), REFUSED)
            return
        self.add("unit record", lambda d: unit(d, "record", "kept"), REFUSED)
        # Units protected is records protected; pairs of words are less than records.
        self.add("unit record without records per unit", lambda d: unit(d, "record", None),
                 REFUSED if own == "pair" else FREE)
        self.add("unit without records per unit", lambda d: unit(d, own, None), REFUSED)
        self.add("unit record in the receipt alone",
                 lambda d: d.receipt.update(privacy_unit="record"), REFUSED)

    def names(self):
        own = self.original.receipt["algorithm"]
        for name in (*ALGORITHMS, "nonsense", own + "2", own.upper()):
            if name != own:
                self.add(f"algorithm {name}",
                         lambda d, name=name: d.receipt.update(algorithm=name), REFUSED)

    def events(self):
        for path, value in numbers(self.original.receipt["events"]):
            if path[-1] == "version":
                continue
            for factor in (0.5, 0.99, 1.01, 2):
                new = (rounded(value * factor) if isinstance(value, float) else
                       value + (1 if factor > 1 else -1))
                if new == value or (isinstance(value, int) and factor in (0.5, 2)):
                    continue
                self.add(f"event {'.'.join(map(str, path))} {float(value):.6g} to {new:.6g}",
                         lambda d, path=path, new=new: put(d.receipt["events"], path, new), REFUSED)
                self.with_parameter(path, value, new)
        self.add("no events", lambda d: d.receipt["events"].update(
            event={"kind": "composed", "parts": []}), REFUSED)

    def with_parameter(self, path, value, new):
        """The same number wherever it stands among the parameters."""
        same = [at for at, number in numbers(self.original.receipt["parameters"])
                if number == value and isinstance(number, float)]
        if not same:
            return

        def both(document):
            for at in [*numbers(document.receipt["events"]), ]:
                if at[1] == value:
                    put(document.receipt["events"], at[0], new)
            for at in same:
                put(document.receipt["parameters"], at, new)

        cheaper = (new > value) == (path[-1] not in ("epsilon", "rate"))
        if "schema_fit" in self.original.receipt["parameters"] and new < 1.1 * value:
            return  # a fit and a run state their sum, of which the whole may take a little less
        self.add(f"event and parameter {path[-1]} {float(value):.6g} to {new:.6g}", both,
                 FREE if cheaper else REFUSED)

    def moved_less(self):
        """A record that is said to move the result half as far, in noise that stays as it is."""
        parameters = self.original.receipt["parameters"]
        for name in ("sensitivity", "last_sensitivity"):
            if name not in parameters or "noise_multiplier" not in parameters:
                continue

            def change(document, name=name):
                receipt = document.receipt
                own = receipt["parameters"]
                noise = own["noise_multiplier"]
                own[name] = own[name] / 2
                own["noise_multiplier"] = 2 * noise
                own["norm_bits"] -= 1
                for node in nodes(receipt["events"], "noise_multiplier"):
                    if node["noise_multiplier"] == noise:
                        node["noise_multiplier"] = 2 * noise
                receipt["guarantee"]["epsilon"] = rounded(0.55 * receipt["guarantee"]["epsilon"])

            self.add(f"half the {name}, twice the multiplier", change, REFUSED)

    def parameters(self):
        for name, value in self.original.receipt["parameters"].items():
            news = []
            if isinstance(value, bool):
                news = [not value]
            elif isinstance(value, int):
                news = [value + 1, value - 1, 2 * value + 3]
            elif isinstance(value, float):
                news = [rounded(0.5 * value), rounded(2 * value)] if value else [1.0]
            elif isinstance(value, str):
                news = ["x" + value, ""]
            elif isinstance(value, list):
                news = [value[:-1], value + value[:1]]
            # A record is in one batch a pass: the steps of a pass cost the same.
            inert = "blocks" in self.setting.note and name == "steps"
            expected = FREE if inert or (self.setting.method, name) in INERT else LISTED
            for new in news:
                self.add(f"parameter {name} {value!r:.40} to {new!r:.40}",
                         lambda d, name=name, new=new: d.receipt["parameters"].update({name: new}),
                         expected, name)
            # Nothing false is said by a receipt that says less, as long as its events follow.
            self.add(f"parameter {name} left out",
                     lambda d, name=name: d.receipt["parameters"].pop(name) and None, FREE)
        self.add("no parameters", lambda d: d.receipt.update(parameters={}), REFUSED)

    def fields(self):
        guarantee = self.original.receipt["guarantee"]

        def stated(**more):
            return lambda d: d.receipt["guarantee"].update(more)

        self.add("epsilon lower", stated(epsilon=rounded(0.9 * guarantee["epsilon"])), REFUSED)
        self.add("epsilon higher", stated(epsilon=rounded(1.1 * guarantee["epsilon"])), FREE)
        if guarantee["delta"] > 0:
            self.add("delta lower", stated(delta=rounded(0.1 * guarantee["delta"])), REFUSED)
            self.add("delta 0", stated(delta=0.0), REFUSED)
        self.add("no cipher", lambda d: d.receipt.update(prg_slack=0), REFUSED)
        for sampling in ("full_batch", "poisson", "fixed_size", "partition", "permutation", "local",
                         "nonsense"):
            if sampling != self.original.receipt["sampling"]:
                self.add(f"sampling {sampling}",
                         lambda d, sampling=sampling: d.receipt.update(sampling=sampling), REFUSED)
        self.add("calibration of a paper that nobody wrote",
                 lambda d: d.receipt.update(calibration="nobody1999"), REFUSED)
        self.add("unprotected but called protected",
                 lambda d: d.receipt.update(randomness="seeded: not private"), REFUSED)
        self.add("sentence of a newer version", self.other_words("9.9.9"), REFUSED)
        self.add("sentence", self.other_words(None), REFUSED)

    @staticmethod
    def other_words(version):
        def change(document):
            if "privacy" not in document.tree:
                return False
            if version:
                document.receipt["software_version"] = version
            document.words = "Nobody is protected by this. "
            return None
        return change

    def fit(self):
        """The cost that a fitted schema carries."""
        cost = (self.original.schema or {}).get("cost")
        if not cost:
            return
        self.add("no cost of the fit", lambda d: d.schema.pop("cost") and None, REFUSED)
        self.add("unit of the fit", lambda d: d.schema["cost"].update(unit="other"), REFUSED)
        self.add("adjacency of the fit", lambda d: d.schema["cost"].update(
            adjacency="zero_out" if cost["adjacency"] != "zero_out" else "add_remove"), REFUSED)
        self.add("cost of the fit halved",
                 lambda d: d.schema["cost"].update(epsilon=rounded(0.5 * cost["epsilon"])), FREE)


# Beyond these neighbours a method or a release has no proof.
PUBLIC_COUNT = ("zero_out", "replace_one")
COUNT_MUST_BE_PUBLIC = ("output", "phased", "inverse-sensitivity", "ladder", "localized", "growth",
                        "phased-erm")
CHOICES = ("tune", "boost", "radius")


def accepted(setting, own, other):
    """Whether a run under `other` would have released the same numbers, by the same rules."""
    method, note = setting.method, setting.note
    if note == "paper" and method in ("gradient", "output"):
        return False  # the paper is about replace_one
    if method == "gradient" and note in ("fixed", "blocks"):
        return other != "add_remove"  # a record more displaces others
    if method in COUNT_MUST_BE_PUBLIC:
        return other != "add_remove"
    if method in (*CHOICES, "regularized-output", "evaluate", "describe"):
        # Blocks, means and exact counts of a public number of records; random draws, sums and noisy counts
        # of a secret one. Evaluations and summaries of the one are not those of the other.
        if method == "describe" and note != "fitted":
            return own in PUBLIC_COUNT and other in PUBLIC_COUNT
        if method == "evaluate":
            # A record without a target adds nothing, as the empty record of zero_out and as none.
            return "replace_one" not in (own, other)
        return note != "fitted" and other != "add_remove"
    if method == "quantile":
        return "replace_one" not in (own, other)  # another loss orders the answers there
    if method == "inference":
        return "replace_one" not in (own, other)  # whose shares of a release are others
    if method == "sparse-groups":
        return other != "replace_one"
    if method == "fitted":
        return "replace_one" not in (own, other)  # no schema is fitted under it
    return method != "local"


def enough(setting, own, other, receipt):
    """Whether noise made for `own` protects as much between neighbours of `other`. Of events that
    state no adjacency the accountant knows it."""
    if setting.method == "adassp":
        return own != "replace_one"  # its second moments lie less than twice as far apart there
    if setting.method == "describe":
        return own != "add_remove"  # elsewhere a value goes and another one comes
    stated = any(nodes(receipt["events"], "adjacency"))
    return not stated or other != "replace_one"
