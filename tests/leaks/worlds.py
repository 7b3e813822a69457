"""Data sets that differ in one record, and the public files beside them.

Every text of a record holds MARK and every number out of bounds holds DIGITS, so that anything of a
record that comes out can be recognised. Each marked text occurs once or twice: what most records
share may be released.
"""

import dataclasses

MARK = "Qzgeheimxq"
DIGITS = "739173917391"
DECLARED = 200
CHANGED = 57  # the record that another one stands for; it is the only one of its unit
UNITS = DECLARED // 2 + 1
HEAD = "a,b,two,class,y,person,memo,wage,when,count"
WORDS = [f"w{i}" for i in range(30)]

# Schemas name columns in another order than the file: nothing depends on it.
NUMBER = '[[column]]\nname = "a"\nkind = "numeric"\nlower = 0\nupper = 1\n'
WAGE = '[[column]]\nname = "wage"\nkind = "numeric"\nlower = 0\nupper = 1000\n'
CATEGORY = '[[column]]\nname = "b"\nkind = "categorical"\ncategories = ["u", "v", "w"]\n'
HASHED = '[[column]]\nname = "{}"\nkind = "hashed"\nbits = {}\n'
DATE = '[[column]]\nname = "when"\nkind = "date"\nlower = "2020-01-01"\nupper = "2021-01-01"\n'
TEXT = '[[column]]\nname = "memo"\nkind = "text"\nbits = 6\n'
ALL = NUMBER + WAGE + CATEGORY + HASHED.format("person", 4)
TARGETS = {
    "two": '[target]\ncolumn = "two"\npositive = "p"\nnegative = "n"\n',
    "three": '[target]\ncolumn = "class"\nclasses = ["x", "y", "z"]\n',
    "line": '[target]\ncolumn = "y"\nlower = 0\nupper = 5\n',
    "count": '[target]\ncolumn = "count"\nkind = "count"\nupper = 10\n',
    "share": '[target]\ncolumn = "a"\nkind = "probability"\n',
}
SCHEMAS = {
    "two": ("two", "", ALL), "three": ("three", "", ALL), "line": ("line", "", NUMBER),
    "count": ("count", "", NUMBER + CATEGORY), "share": ("share", "", WAGE + CATEGORY),
    "unit": ("two", 'unit = "person"\n', NUMBER + WAGE + CATEGORY),
    "rich": ("two", "", ALL + DATE + TEXT),
    "wide": ("two", "", NUMBER + CATEGORY + HASHED.format("person", 10)),
    "plain": ("two", "", NUMBER + CATEGORY),
}


@dataclasses.dataclass(frozen=True)
class World:
    """Records, and by what they differ from those of the first world."""

    name: str
    records: tuple  # lines of data.csv
    texts: tuple  # lines of texts.txt
    count_differs: bool = False
    unit_lost: bool = False  # of a table with a unit column it has one unit less


def uniform(state=7):
    """Numbers in [0, 1) from a small linear congruence: the same in every Python."""
    while True:
        state = (state * 1103515245 + 12345) % 2**31
        yield state / 2**31


def ordinary(number, draw):
    a, b, c, d = (next(draw) for _ in range(4))
    # The smallest grid step of a released quantile is far above the mark's distance from a record.
    wage = f"{DIGITS}.25" if number % 5 == 0 else f"{1000 * c:.2f}"
    person = "alone" if number == CHANGED else number // 2
    return (f"{a:.3f},{'uvw'[int(3 * b)]},{'np'[a + b > 1]},{'xyz'[int(3 * c)]},"
            f"{3 * a + 2 * b:.3f},{MARK}{person},{MARK} note {number},{wage},"
            f"2020-0{1 + int(9 * d)}-11,{int(9 * c)}")


# A value that no schema expects in every column: the count of such values must show nowhere.
HOSTILE = (f'{DIGITS}.5,"{MARK} ""b""\n{MARK}","{MARK}<script>","=cmd|{MARK}",-{DIGITS},'
           f'"{MARK}\u00e9\u202e","{MARK * 400}",1e400,{MARK}-13-99,NaN')
EMPTY = ",,,,,,,,,"
EMPTY_OF_UNIT = f",,,,,{MARK}alone,,,,"
OTHER = f"0.001,w,n,z,0.1,{MARK}other,{MARK} other,3.5,2020-12-24,9"
TEXT_OTHER = f"w3 w3 w3 w3 {MARK}other"
TEXT_HOSTILE = "w1 " * 300 + f"\u202e{MARK} {DIGITS}"


def worlds():
    """The first world, and its neighbours."""
    draw = uniform()
    records = [ordinary(number, draw) for number in range(DECLARED)]
    texts = [" ".join(WORDS[int(30 * next(draw) ** 2)] for _ in range(5)) + f" {MARK}{number // 2}"
             for number in range(DECLARED)]

    def with_changed(name, record, text, unit_lost=False):
        changed, spoken = list(records), list(texts)
        changed[CHANGED], spoken[CHANGED] = record, text
        return World(name, tuple(changed), tuple(spoken), unit_lost=unit_lost)

    def with_more(name, record, text):
        return World(name, (*records, record), (*texts, text), count_differs=True)

    first = World("first", tuple(records), tuple(texts))
    return first, [
        with_changed("another record", OTHER, TEXT_OTHER),
        with_changed("a hostile record", HOSTILE, TEXT_HOSTILE),
        with_changed("an empty record", EMPTY, "", unit_lost=True),
        with_changed("an empty record of its unit", EMPTY_OF_UNIT, ""),
        with_more("one record more", OTHER, TEXT_OTHER),
        with_more("a hostile record more", HOSTILE, TEXT_HOSTILE),
        World("half of the records", tuple(records[:DECLARED // 2]), tuple(texts[:DECLARED // 2]),
              count_differs=True),
        World("no record", (), (), count_differs=True),
    ]


def write_records(folder, world):
    (folder / "data.csv").write_text("\n".join([HEAD, *world.records]) + "\n", encoding="utf-8")
    (folder / "texts.txt").write_text("".join(f"{line}\n" for line in world.texts),
                                      encoding="utf-8")


def write_public(folder):
    """Schemas, a grid, words and records that are nobody's."""
    for name, (target, unit, columns) in SCHEMAS.items():
        used = {line.split('"')[1] for line in (columns + TARGETS[target] + unit).splitlines()
                if line.startswith(("name", "column", "unit"))}
        ignored = ", ".join(f'"{c}"' for c in HEAD.split(",") if c not in used)
        (folder / f"{name}.toml").write_text(
            f"{unit}public_row_count = {UNITS if unit else DECLARED}\n{TARGETS[target]}"
            f'[[column]]\nnames = [{ignored}]\nkind = "ignored"\n{columns}', encoding="utf-8")
    (folder / "grid.toml").write_text("[values]\nsteps = [3, 5]\n", encoding="utf-8")
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in WORDS), encoding="utf-8")
    (folder / "public.csv").write_text(
        f"{HEAD}\n0.5,u,p,x,2,nobody,nothing,10,2020-02-02,1\n"
        "0.25,v,n,y,1,somebody,something,20,2020-03-03,2\n", encoding="utf-8")
    (folder / "policy.toml").write_text(
        'largest_epsilon = 4\nall_tasks_epsilon = 8\nmechanisms = ["privunit"]\n', encoding="utf-8")
