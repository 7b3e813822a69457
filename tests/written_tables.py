"""Invented records, and the ways in which people's programs write them."""

import datetime
import random

ROWS = 300
TOWNS = ["K\u00f6ln", "Z\u00fcrich", "Gen\u00e8ve", "Bern"]
MISSING = ""


def records():
    """The clean table: texts as the usual reader spells them, missing values empty."""
    draw = random.Random(48)
    out = []
    for k in range(ROWS):
        age = draw.randint(18, 95)
        income = round(draw.uniform(900, 98000), 2)
        town = draw.choice(TOWNS)
        day = datetime.date(2009, 1, 1) + datetime.timedelta(days=draw.randint(0, 1500))
        weight = MISSING if k % 7 == 3 else f"{draw.uniform(45, 120):.1f}"
        ill = age / 60 + draw.gauss(0, 0.6) > 1.1
        out.append({
            "age": str(age),
            "income": f"{income:.2f}",
            "town": town,
            "admitted": day.isoformat(),
            "weight": weight,
            "smoker": draw.choice("YN"),
            "visits": str(min(9, int(draw.expovariate(0.7)))),
            "share": f"{min(0.99, max(0.01, draw.gauss(age / 130, 0.1))):.3f}",
            "kind": draw.choice(["mild", "grave", "none at all"]),
            "cost": f"{income / 3 + 40 * age:.2f}",
            "ill": "yes" if ill else "no",
        })
    out[0]["town"], out[1]["town"] = TOWNS[0], TOWNS[1]
    out[0]["admitted"] = "2011-01-31"  # tells the order of day and month
    return out


def quoted(text, separator):
    special = separator in text or '"' in text or "\n" in text
    return '"' + text.replace('"', '""') + '"' if special else text


def csv(rows, separator=",", names=None, end="\n", always=False):
    names = names or list(rows[0])
    quote = (lambda t, _: f'"{t}"') if always else quoted
    lines = [separator.join(quote(name, separator) for name in names)]
    lines += [separator.join(quote(row[name], separator) for name in names) for row in rows]
    return end.join(lines) + end


def changed(rows, **rules):
    """The same records with some columns spelt by a function of their text."""
    return [{name: rules[name](text) if name in rules else text for name, text in row.items()}
            for row in rows]


def without(rows, *names):
    return [{n: t for n, t in row.items() if n not in names} for row in rows]


def comma(text):
    return text.replace(".", ",")


def grouped(sign, point="."):
    def spell(text):
        whole, _, rest = text.partition(".")
        groups = f"{int(whole):,}".replace(",", sign)
        return groups + (point + rest if rest else "")
    return spell


def dated(form):
    def spell(text):
        day = datetime.date.fromisoformat(text)
        months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
        return (form.replace("YYYY", str(day.year)).replace("YY", f"{day.year % 100:02d}")
                .replace("MON", months[day.month - 1]).replace("MM", f"{day.month:02d}")
                .replace("DD", f"{day.day:02d}").replace("m", str(day.month))
                .replace("d", str(day.day)))
    return spell


def absent(word):
    return lambda text: word if text == MISSING else text
