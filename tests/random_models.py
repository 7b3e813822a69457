"""Random schemas, records and settings of training for random_exports.py.

Everything is invented, and follows from a seed. The records hold what files hold: missing values in many
spellings, numbers beyond the bounds and beyond doubles, texts that are in no list.
"""

import datetime
import json
import math
import random
import re

BLANK = " \t"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
LARGEST = 1.7976931348623157e308
MISSING = ["", "NA", "-999"]
BOUNDS = [(0, 1), (-3, 5), (17, 90), (0, 9999), (0, 1e300), (-1e154, 1e300), (1e-300, 1e-299), (1e15, 1e15 + 1),
          (-1, 0), (0.1, 0.3), (1, 1.0000000000000002), (-90.5, -17.25), (2 ** 53, 2 ** 53 + 10), (-0.5, 0.5),
          (-1000, -998), (0, 255)]
STRANGE_NUMBERS = ["NaN", "nan", "inf", "-inf", "Infinity", "1e308", "-1e308", "1e400", "-1e400", "-0", "0", "5e-324",
                   "1e-400", " 5 ", "+3", "5.", ".5", "1e1", "0x10", "1,5", "abc", "\uff11", "1_0", "9" * 400,
                   "0." + "0" * 330 + "1", "\u0661", "5\n", "\u00a05", "1e", "--1", "+-1", "1e5.", "true", "1.5.2",
                   "", "NA", "-999", "-999.0", "-9.99e2", "007", "1d", "1f", "1E+2", "e5", ".", "-.", "+", "1 2",
                   "2.2250738585072014e-308", "0.1", "0.30000000000000004", "1e305", "1e-305"]
NAMES = ["x", "X", "age", "int", "select", "from", "table", "order", "group", "double", "r", "R", "R2", "tacet_row",
         "record", "column_1", "column_2", "a b", "a  b", 'quo"te', "it's", "x*/y", "x/*y", "-- c", "%s", "{}", "{0}",
         "$1", "caf\u00e9", "CAF\u00c9", "\u9009\u62e9", "\U0001f600", "\u202eabc", "tab\tname", "line\nname",
         "back\\slash", "??/", "1st", "_x", "__x", "features", "count", "share", "value", "missing", "found", "place",
         "label", "prediction", "probabilities", "margin", "tacet_keep0", "tacet_v0", "tacet_step_1", "id", "rowid",
         "oid", "unix", "NULL", "EOF", "a" * 70, "a" * 70 + "b", ";", "''", "`x`", "[x]", "a.b", "\u0130", "\u0131",
         "this", "class", "auto", "E1", "inf", "nan", "null", "true", " lead", "trail ", "#", "\ufeffbom", "e\u0301",
         "\u00e9"]
CATEGORIES = ["a", "A", "b's", 'say "x"', "a;b\\", "1", "2.5", "30", "1.0", "1e2", "-0", "0", "", " ", " a", "a ",
              "NA", "null", "NULL", "true", "TRUE", "line\nbreak", "tab\t", "caf\u00e9", "cafe\u0301", "\u9009\u62e9",
              "\U0001f600", "x" * 3000, "??/", "%s", "--", "/*", "*/", "\\", "'", "''", "E'x'", "$$", "inf", "nan",
              "-999", "007", "9007199254740993", "\u0661", "\uff11", "1_0", "10", "0x10", "16", "\r", "other", "else",
              "\u00df", "SS", "ss", "\x7f", "\x01", "2000-01-05", "0.1", "\ufffd", "\u202e", "1e23"]
IDS = ["1", "2", "07", "7.0", "a", "B", "b", "\u00fc", "NA", "-1", "900", "3", "4", "5", "x y", "1e1", "30"]
WORDS = ["Pain", "pain", "no", "\u00c4rger", "\u00e4rger", "don't", "x1", "a-b", "42", "NA", "\U0001f600", "!"]
DATES = ["2011-01-01", "2013-12-31", "2012-02-29", "2013-02-29", "2000-00-10", "9999-12-31", "2011-01-01 10:00",
         "2012-06-07T23:59:59", "2012-6-7", "2012/06/07", "07.06.2012", " 2012-06-07", "2012-06-07 ", "20120607", "",
         "NA", "-999", "epoch", "now", "infinity", "10000-01-01", "2012-06-07Z", "2012-06-07x", "2012-06-07T",
         "2012-13-01", "2012-04-31", "1969-12-31", "1582-10-10", "0004-02-29", "-2012-06-07", "2456086",
         "2012-06-07 BC", "2012-06-07T23:59:59+14:00", "2012-06-07T10:00Z", "June 7 2012"]
METHODS = {
    "two": ["auto", "gradient", "gradient", "output", "phased", "objective", "regularized-output", "ladder", "localized",
            "growth", "phased-erm", "wide", "wide", "wide", "sparse-groups", "inverse-sensitivity"],
    "several": ["auto", "gradient", "gradient", "output", "phased", "wide"],
    "number": ["auto", "gradient", "gradient", "gradient", "gradient", "wide", "output", "phased", "regularized-output",
               "ladder", "adassp", "wide"],
    "count": ["auto", "gradient", "regularized-output"],
    "probability": ["auto", "gradient", "gradient"],
}
CLASS_LOSSES = [None, None, "logistic", "hinge", "smoothed_hinge"]
NUMBER_LOSSES = [None, None, "squared", "huber", "absolute", "pinball", "smoothed_pinball", "epsilon_insensitive",
                 "log_cosh", "pseudo_huber"]


def number_of(text):
    """The number that fills a text, as data/encode/value_index.h; NaN for none."""
    text = text.strip(BLANK)
    if not NUMBER.fullmatch(text):
        return math.nan
    return min(LARGEST, max(-LARGEST, float(text)))


def days_of(text):
    """The day that a text in ISO 8601 begins with, since 1970-01-01."""
    text = text.strip(BLANK)
    if not re.fullmatch(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?", text, re.ASCII):
        return math.nan
    if text.startswith("0000"):  # a leap year as 2000, which Python's calendar lacks
        try:
            return (datetime.date.fromisoformat("2000" + text[4:10]) - datetime.date(1970, 1, 1)).days - 5 * 146097.0
        except ValueError:
            return math.nan
    try:
        return float((datetime.date.fromisoformat(text[:10]) - datetime.date(1970, 1, 1)).days)
    except ValueError:
        return math.nan


def bucket(text, bits):
    mask = 2 ** 64 - 1
    value = 0xcbf29ce484222325
    for byte in text.encode("utf-8"):
        value = (value ^ byte) * 0x100000001b3 & mask
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & mask
    value = (value ^ value >> 27) * 0x94d049bb133111eb & mask
    return (value ^ value >> 31) >> 64 - bits


def quoted(text):
    """A text of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def spelt(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(spelt, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    return repr(value)


def table_of(mark, keys):
    return mark + "\n" + "".join(f"{key} = {spelt(value)}\n" for key, value in keys.items())


class Column:
    """A column of the file: its rule, and how its values are drawn."""

    def __init__(self, draw, name, kind, missing):
        self.draw, self.name, self.kind, self.rule = draw, name, kind, {"name": name, "kind": kind}
        self.missing = list(missing)
        getattr(self, "_" + kind)()
        if kind in ("numeric", "hashed", "ids", "text") and draw.random() < 0.2:
            self.rule["missing"] = draw.sample(["5", "n/a", "0", "a", "7.0", "none", "1e400"], 2)
            self.missing += self.rule["missing"]

    def _chance(self, share):
        return self.draw.random() < share

    def _numeric(self):
        draw, rule = self.draw, self.rule
        self.lower, self.upper = lower, upper = draw.choice(BOUNDS)
        rule.update(lower=lower, upper=upper)
        inside = [lower, upper, lower + (upper - lower) * draw.random()]
        if lower > -1 and 1 + upper != 1 and lower < 1e9 and self._chance(0.3):
            rule["log1p"] = True
        if self._chance(0.2):
            rule["typical"] = draw.choice(inside)
        elif self._chance(0.3):
            rule["centre"] = self._chance(0.5)
        if self._chance(0.4):
            rule["fill"] = draw.choice([*inside, "lower", "middle", "upper"])
        if self._chance(0.3):
            rule["missing_indicator"] = True
        shape = draw.choice(["line", "line", "knots", "bins", "edges", "period", "free"])
        if shape == "line":
            rule["knots"] = 0
        elif shape == "knots":
            rule["knots"] = draw.choice([2, 3, 7, 64])
        elif shape == "bins":
            rule.update(knots=0, bins=draw.choice([2, 5, 40]))
        elif shape == "edges":
            rule.update(knots=0, edges=sorted({lower + (upper - lower) * draw.random() for _ in range(3)} - {lower, upper}))
        elif shape == "period" and "log1p" not in rule:
            is_small = upper - lower < 1e4 and abs(upper) < 1e4
            rule["period"] = draw.choice([1, 12, 0.3, 365.25]) if is_small else upper / 2 - lower / 2
            for key in ("typical", "centre"):
                rule.pop(key, None)
        if (rule.get("bins") or rule.get("edges")) and self._chance(0.4):
            rule["bins_only"] = True
            for key in ("typical", "centre"):
                rule.pop(key, None)

    def _date(self):
        rule = self.rule
        rule.update(lower=self.draw.choice(["2011-01-01", "2011-01-01", "0000-01-01"]),
                    upper=self.draw.choice(["2013-12-31", "2011-01-02", "9999-12-31"]))
        shape = self.draw.choice(["line", "knots", "bins", "period"])
        rule.update({"line": {"knots": 0}, "knots": {"knots": 5}, "bins": {"knots": 0, "bins": 3},
                     "period": {"period": 365.25}}[shape])
        if self._chance(0.3):
            rule["missing_indicator"] = True
        if self._chance(0.3) and shape != "period":
            rule["typical"] = "2011-01-02"
        if self._chance(0.3):
            rule["fill"] = self.draw.choice(["2011-01-01", "lower", "upper", "middle"])

    def _categorical(self):
        draw, rule = self.draw, self.rule
        count = draw.choice([1, 2, 2, 3, 5, 10, 20])
        rule["categories"] = draw.sample(CATEGORIES, count)
        if self._chance(0.05):
            rule["categories"] += [f"town {7 * k}" for k in range(1000)]
        if count == 2 and len(rule["categories"]) == 2 and self._chance(0.4):
            rule["coding"] = "sign"
        elif self._chance(0.4):
            rule["other"] = "column"
        if self._chance(0.2):
            rule["embedding"] = draw.choice([0, 1, 3])

    def _hashed(self):
        self.rule["bits"] = self.draw.choice([1, 3, 8, 13])

    def _text(self):
        self.rule["bits"] = self.draw.choice([1, 4, 9])

    def _ids(self):
        self.rule["separator"] = self.draw.choice([" ", ";", "|"])
        self.rule["max_ids"] = self.draw.choice([1, 3, 64])
        if self._chance(0.5):
            self.rule["count"] = self.draw.choice([1, 8, 100])
        else:
            self.rule["bits"] = self.draw.choice([1, 4, 9])

    def _ignored(self):
        pass

    # ---- values

    def value(self, draw):
        kind = self.kind
        if kind == "numeric":
            return self._number(draw)
        if kind == "date":
            if draw.random() < 0.4:
                return draw.choice(DATES)
            return f"{draw.randint(2010, 2014)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        if kind == "categorical":
            return draw.choice(self.rule["categories"]) if draw.random() < 0.6 else draw.choice(CATEGORIES)
        if kind == "ids":
            mark = self.rule["separator"]
            return mark.join(draw.choice(IDS) for _ in range(draw.randint(0, 6)))
        if kind == "text":
            return draw.choice([" ", ", ", "\n"]).join(draw.choice(WORDS) for _ in range(draw.randint(0, 5)))
        return draw.choice(CATEGORIES)

    def _number(self, draw):
        if draw.random() < 0.25:
            return draw.choice(STRANGE_NUMBERS)
        span = self.upper - self.lower
        value = draw.choice([
            self.lower, self.upper, self.lower + span * draw.uniform(-0.2, 1.2), self.lower + span * draw.random(),
            *self.rule.get("edges", []), math.nextafter(self.lower, -math.inf), math.nextafter(self.upper, math.inf)])
        return f"{value:.4g}" if draw.random() < 0.2 else repr(float(value)) if math.isfinite(value) else "inf"

    def is_number(self):
        return self.kind in ("numeric", "date")

    def is_missing(self, text):
        return text in self.missing or text == ""

    def number(self, text):
        """What a struct of C and a graph take for a number or a date."""
        return days_of(text) if self.kind == "date" else number_of(text)

    def buckets(self, text):
        """What a graph takes for words and ids."""
        rule = self.rule
        if self.kind == "text":
            if self.is_missing(text):
                return []
            small = re.sub("[A-Z]+", lambda found: found[0].lower(), text)
            return sorted({bucket(word, rule["bits"]) for word in re.findall("[a-z0-9\u0080-\U0010ffff]+", small)})
        found = []
        for one in text.split(rule["separator"]):
            one = one.strip(BLANK)
            if one == "" or one in self.missing:
                continue
            if "count" in rule:
                number = number_of(one)
                if not (number >= 0 and number < rule["count"] and number == int(number)):
                    continue
                place = int(number)
            else:
                place = bucket(one, rule["bits"])
            if place not in found:
                found.append(place)
        return found[:rule["max_ids"]]


class Case:
    """A schema, records and settings of training from one seed."""

    count = 0  # of features without names

    def __init__(self, seed, count=120):
        draw = self.draw = random.Random(seed)
        self.missing = draw.choice([MISSING, MISSING, [""], ["", "?", "0", "-999.50"], ["", "NA", "inf", "1e400"],
                                    ["x'y", "1e2", ""]])
        numbers_alone = draw.random() < 0.25
        kinds = ["numeric"] if numbers_alone else ["numeric"] * 3 + ["categorical"] * 3 + ["date"]
        if draw.random() < 0.4 and not numbers_alone:
            kinds += 2 * ["hashed", "text", "ids", "ignored"]
        names = draw.sample(NAMES, draw.randint(1, 7))
        self.columns = [Column(draw, name, draw.choice(kinds), self.missing) for name in names]
        self.target, self.task = self._target()
        self.options = self._options()
        self.crossed = None
        if draw.random() < 0.5 and "hashed" in kinds:
            texts = [one.name for one in self.columns if one.kind in ("categorical", "hashed", "ignored")]
            if len(texts) > 1:
                self.crossed = {"kind": "crossed", "names": texts[:2], "bits": draw.choice([2, 9])}
        self.schema = self._schema(count)
        self.train = [self._record(draw, True) for _ in range(count)]
        self.new = [self._record(draw, False) for _ in range(400)]

    @staticmethod
    def written(rows):
        """Records as a file."""
        lines = [rows[0].keys(), *(row.values() for row in rows)]
        return "".join(",".join('"' + text.replace('"', '""') + '"' for text in line) + "\n" for line in lines)

    def _target(self):
        draw = self.draw
        task = draw.choice(["two", "two", "several", "number", "count", "probability"])
        if task == "two":
            positive = draw.choice(["yes", "1", "it's", "\u00fc\n"])
            return {"column": "the target", "positive": [positive], "negative": ["no"]}, task
        if task == "several":
            return {"column": "the target", "classes": ["a", "b's", 'c "d"', "\u9009", "1"][:draw.randint(3, 5)]}, task
        if task == "number":
            lower, upper = draw.choice([(0, 10), (-1, 1), (-5.5, 1e6)])
            return {"column": "the target", "lower": lower, "upper": upper}, task
        return {"column": "the target", "kind": task, **({"upper": 20} if task == "count" else {})}, task

    def _options(self):
        draw = self.draw
        method = draw.choice(METHODS[self.task])
        options = ["--epsilon", draw.choice(["4", "40", "inf"] if method in ("auto", "gradient", "wide") else ["4", "40"])]
        if options[1] != "inf" and draw.random() < 0.8:
            options += ["--seed", "7"]
        if method != "auto":
            options += ["--method", method]
        loss = draw.choice({"two": CLASS_LOSSES, "several": [None, "softmax", "logistic", "hinge"], "number": NUMBER_LOSSES,
                            "count": [None, "extended_poisson"], "probability": [None]}[self.task])
        if loss and method in ("auto", "gradient"):
            options += ["--loss", loss]
        if method == "gradient":
            if self.task == "number" and draw.random() < 0.5:
                options += ["--curves", "0.4"]
            for name, values in (("--standardise", ["private", "means"]), ("--knots", ["none", "5"])):
                if draw.random() < 0.35 and "--curves" not in options:
                    options += [name, draw.choice(values)]
        if self.task == "count" and method != "auto":
            options += ["--radius", "3"]
        if method == "wide":
            options += ["--model", "wide", "--steps", "4", "--dim", draw.choice(["1", "3"]),
                        "--hidden", draw.choice(["none", "3", "4,2"]),
                        "--pooling", draw.choice(["sum", "mean"]), "--linear-part", draw.choice(["present", "absent"])]
            sides = self.columns[::2], self.columns[1::2]
            if self.task == "two" and all(any(one.kind in ("categorical", "hashed") for one in side) for side in sides):
                left, right = (",".join(one.name for one in side if one.kind != "ignored") for side in sides)
                options[-6:] = ["--head", "two-tower", "--left", left, "--right", right]
        if method == "sparse-groups":
            options += ["--group-column", self.columns[0].name]
        has_choice = any(one.kind in ("hashed", "text", "ids") for one in self.columns)
        if draw.random() < 0.3 and options[1] != "inf" and has_choice:
            options += ["--feature-selection", "0.3"]
        if self.task in ("two", "several") and draw.random() < 0.1 and method in ("gradient", "objective"):
            names = self.target.get("classes") or ["no"]
            options += ["--class-weights", f"{names[0]}=2"]
        return options

    def _schema(self, count):
        draw = self.draw
        keys = {"public_row_count": count, "missing": self.missing, "intercept": draw.random() < 0.8,
                "row_scaling": "clip1" if "--standardise" in self.options else draw.choice(["clip1", "const"])}
        free = [one for one in self.columns if one.kind == "categorical" and one.rule.get("coding") != "sign"
                and len(one.rule["categories"]) < 60]
        if len(free) > 1 and draw.random() < 0.6:
            keys["interactions"] = [[free[0].name, free[1].name]]
        text = "".join(f"{key} = {spelt(value)}\n" for key, value in keys.items())
        text += table_of("[target]", self.target)
        for one in self.columns:
            text += table_of("[[column]]", one.rule)
        if self.crossed:
            text += table_of("[[column]]", self.crossed)
        return text

    def _record(self, draw, is_taught):
        row = {one.name: one.value(draw) for one in self.columns}
        if is_taught:
            row["the target"] = self._answer(draw, row)
        return row

    def _answer(self, draw, row):
        """Something that the first column tells of."""
        first = self.columns[0]
        value = first.number(row[first.name]) if first.kind in ("numeric", "date") else float(len(row[first.name]) % 7) / 7
        if first.kind == "numeric" and value == value and self.task:
            value = (value / 2 - first.lower / 2) / ((first.upper / 2 - first.lower / 2) or 1)
        share = min(1.0, max(0.0, (0.3 if value != value else value) + draw.gauss(0, 0.2)))
        target = self.target
        if self.task == "two":
            return target["positive"][0] if share > 0.5 else "no"
        if self.task == "several":
            return target["classes"][min(len(target["classes"]) - 1, int(share * len(target["classes"])))]
        if self.task == "number":
            return repr(target["lower"] + share * (target["upper"] - target["lower"]))
        return str(round(share * 20)) if self.task == "count" else repr(share)


class NumberedCase:
    """Features without names, in a LIBSVM file."""

    columns = ()

    def __init__(self, seed, count=120):
        draw = random.Random(seed)
        self.count = draw.choice([1, 3, 20])
        lower, upper = draw.choice([(0, 1), (-3, 5), (-0.5, 0), (0, 1e300), (0, 255)])
        self.task = draw.choice(["two", "several", "number"])
        self.target = {"two": {"positive": ["1"], "negative": ["-1"]}, "several": {"classes": ["1", "2", "3"]},
                       "number": {"lower": -1, "upper": 4}}[self.task]
        keys = {"public_row_count": count, "row_scaling": draw.choice(["clip1", "const"]), "intercept": draw.random() < 0.7}
        features = {"count": self.count, "lower": lower, "upper": upper}
        if draw.random() < 0.3:
            features["max_nonzero"] = draw.randint(1, self.count)
        self.schema = ("".join(f"{key} = {spelt(value)}\n" for key, value in keys.items())
                       + table_of("[format]", {"kind": "libsvm"}) + table_of("[features]", features)
                       + table_of("[target]", self.target))
        self.options = ["--epsilon", draw.choice(["4", "40", "inf"])]
        kind = draw.choice(["auto", "gradient", "standardised", "wide", "wide", "chosen", "curves"])
        if kind == "gradient" or self.options[1] == "inf" and kind in ("auto", "chosen"):
            self.options += ["--method", "gradient"]
        elif kind == "standardised":
            self.options += ["--method", "gradient", "--standardise", "private"]
        elif kind == "chosen":
            self.options += ["--feature-selection", "0.3"]
        elif kind == "curves":
            self.options += ["--method", "gradient", "--curves", "0.3"]
        elif kind == "wide":
            self.options += ["--model", "wide", "--method", "wide", "--steps", "4",
                             "--hidden", draw.choice(["none", "3", "4,2"]), "--linear-part", draw.choice(["present", "absent"])]
        if self.options[1] != "inf":
            self.options += ["--seed", "5"]
        self.train = [self._record(draw, lower, upper, True) for _ in range(count)]
        self.new = [self._record(draw, lower, upper, False) for _ in range(300)]

    def _record(self, draw, lower, upper, is_taught):
        values = {k: draw.choice([lower, upper, 0, lower + (upper - lower) * draw.uniform(-0.2, 1.2), 5e-324, -1e308])
                  for k in range(self.count) if draw.random() < 0.7}
        share = min(1.0, max(0.0, (values.get(0, lower) / 2 - lower / 2) / (upper / 2 - lower / 2))) + draw.gauss(0, 0.2)
        label = {"two": "1" if share > 0.5 else "-1", "several": str(1 + min(2, max(0, int(share * 3)))),
                 "number": repr(share * 3)}[self.task]
        return {"label": label if is_taught else "1", "values": values}

    @staticmethod
    def written(rows):
        return "".join(" ".join([row["label"], *(f"{k + 1}:{value!r}" for k, value in row["values"].items())]) + "\n"
                       for row in rows)


def case(seed):
    return NumberedCase(seed) if seed % 8 == 7 else Case(seed)


def variants(seed):
    """Cases of one kind: the program may refuse what the first ones draw."""
    return (case(seed + 1000 * attempt) for attempt in range(10))
