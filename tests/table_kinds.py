"""Further tables for tables.py: what statistical programs, offices and web pages write beside values."""

import datetime

from written_tables import csv, changed, without, comma, grouped


def kinds(run, rows):
    table = without(rows, "visits", "share", "kind", "cost")
    few = [{n: row[n] for n in ("age", "income", "weight", "smoker", "ill")} for row in rows]
    beside_numbers(run, few)
    spans_of_time(run, few, rows)
    spelt_twice(run, few, rows)
    codes_of_characters(run, table)
    lines_that_are_no_records(run, table)
    ways_that_are_named(run, table)


def asked(run, name, content, *words, target="ill", options=()):
    """A draft is made, and says the words."""
    file = run.write("kind_" + name, content)
    found = run.run("schema", "draft", file, "--public", "--target", target, *options)
    said = found.stderr.decode()
    run.check("kind_" + name, found.returncode == 0, said)
    for word in words:
        run.check("kind_" + name, word in said, f"'{word}' is not in: {said}")
    return said


def beside_numbers(run, table):
    """Flags, units, limits, debits; where a key is named, it leads to the clean table's model."""
    clean, text = run.model("kind_clean", run.write("kind_clean", csv(table)), "ill")
    run.check("kind_clean", clean is not None, text)

    def flagged(**marks):
        """Every so-and-so-many-th weight has a mark behind it."""
        out = []
        for k, row in enumerate(table):
            mark = next((m for m, every in marks.values() if k % every == 0), "")
            out.append(dict(row, weight=row["weight"] + mark if row["weight"] else ":"))
        return csv(out)

    eurostat = flagged(p=(" p", 5), b=(" b", 7))
    asked(run, "flags", eurostat, 'weight: Numbers with "p", "b"', 'symbols = ["p", "b"]')
    run.same("kind_flags_said", eurostat, clean, "ill", "--symbol", "p", "--symbol", "b")
    said = asked(run, "flags_once", eurostat, options=("--symbol", "p", "--symbol", "b"))
    run.check("kind_flags_once", "several units" not in said, said)
    stars = flagged(p=("**", 7), b=("*", 5)).replace(",:,", ",,")
    asked(run, "stars", stars, 'symbols = [')
    run.same("kind_stars_said", stars, clean, "ill", "--symbol", "**", "--symbol", "*")
    run.same("kind_reasons", csv([dict(row, weight=row["weight"] or (":", ": c", ": u")[k % 3])
                                  for k, row in enumerate(table)]), clean, "ill")
    for name, mark in (("glued", "kg"), ("degrees", "\u00b0C"), ("squares", " m\u00b2"), ("fractions", " mg/dL")):
        content = csv(changed(table, weight=lambda t, mark=mark: t and t + mark))
        asked(run, name, content, f'symbols = ["{mark.strip()}"]')
        run.same(f"kind_{name}_said", content, clean, "ill", "--symbol", mark.strip())
    crowns = csv(changed(table, income=lambda t: grouped(".", ",")(t) + " kr.", weight=comma), ";")
    asked(run, "crowns", crowns, 'income: Numbers with "kr."')
    run.same("kind_crowns_said", crowns, clean, "ill", "--symbol", "kr.")
    run.same("kind_rupees", csv(changed(table, income=lambda t: "\u20b9" + t)), clean, "ill")
    run.same("kind_marked", csv(table).replace("\n", "\n\ufeff", 2), clean, "ill")
    pounds = [dict(row, weight=row["weight"] and row["weight"] + (" kg", " lb")[k % 2]) for k, row in enumerate(table)]
    asked(run, "two_units", csv(pounds), 'weight: Numbers with "kg", "lb"', "write all numbers in one")
    for name, spell in (("above", lambda t: "90+" if int(t) >= 90 else t),
                        ("older", lambda t: "90 or over" if int(t) >= 90 else t),
                        ("under", lambda t: "under 20" if int(t) < 20 else t)):
        asked(run, name, csv(changed(table, age=spell)), "age: Limits of a measurement")
    asked(run, "credits", csv(changed(table, income=lambda t: t + " CR" if float(t) > 6e4 else t)), "income: Negative")
    asked(run, "places", csv(changed(table, weight=lambda t: t and f"({t}, 8.5)")), "weight: Two numbers in a value")
    asked(run, "dash", csv(changed(table, income=lambda t: "\u2013" + t if float(t) > 6e4 else t)), "income: Negative")
    asked(run, "often_99", csv([dict(row, age="99" if k % 20 == 3 else row["age"]) for k, row in enumerate(table)]),
          "age: 99 is the largest number and occurs 15 times")
    run.check("kind_seldom_99", "99" not in asked(run, "seldom_99", csv([
        dict(row, age="99" if k == 3 else row["age"]) for k, row in enumerate(table)])), "a remark about one age")
    said = asked(run, "rooms", csv([dict(row, weight=f"{k % 97}{'ABCD'[k % 4]}") for k, row in enumerate(table)]))
    run.check("kind_rooms", "flags" not in said, said)
    asked(run, "percents", csv([dict(row, weight=row["weight"] and (row["weight"] + "%" if k % 3 else f".{row['age']}"))
                                for k, row in enumerate(table)]), 'weight: "%" stands behind some numbers')
    asked(run, "cut", csv(changed(table, income=lambda t: f"{1e10 * float(t):.5E}")), "income: Numbers such as",
          "did a spreadsheet cut the digits")
    negative = changed(table, income=lambda t: "-" + t if float(t) > 6e4 else t)
    below, text = run.model("kind_below", run.write("kind_below", csv(negative)), "ill")
    run.check("kind_below", below is not None, text)
    for name, sign in (("dollars", "-$"), ("dollars_before", "$-")):
        run.same("kind_" + name, csv(changed(negative, income=lambda t, sign=sign: t.replace("-", sign) if
                                             t[0] == "-" else "$" + t)), below, "ill")


def spans_of_time(run, table, rows):
    """Weeks, months, quarters and durations are no dates, and are said so, few or many."""
    def each(name, spell, *words):
        days = [dict(row, age=spell(datetime.date.fromisoformat(full["admitted"]))) for row, full in zip(table, rows)]
        asked(run, name, csv(days), *words)

    for name, form in (("month_short", "%b %y"), ("month_long", "%B %Y"), ("month_euro", "%YM%m"),
                       ("week", "%G-W%V"), ("week_day", "%G-W%V-%u"), ("year_day", "%Y-%j")):
        each(name, lambda day, form=form: day.strftime(form), "age: Weeks, months or quarters such as")
    each("quarter", lambda day: f"Q{(day.month + 2) // 3} {day.year}", "age: Weeks, months or quarters such as")
    each("quarter_behind", lambda day: f"{day.year} Q{(day.month + 2) // 3}", "age: Weeks, months or quarters such as")
    each("month_digits", lambda day: day.strftime("%Y%m"), "age: All numbers, from 2009", "a year and a month")
    each("day_digits", lambda day: day.strftime("%Y%j"), "age: All numbers, from 2009", "a day of the year")
    for name, form in (("hours", "{}:30:00"), ("of_day", "{}:30 PM"), ("letters", "{}h 30m"), ("iso", "PT{}H30M"),
                       ("days", "{} days 02:10:00"), ("months", "{}y 3m")):
        asked(run, "lasting_" + name, csv(changed(table, age=form.format)), "age: Times or durations such as")
    counts = asked(run, "no_months", csv([dict(row, income=str(200000 + 7 * k)) for k, row in enumerate(table)]))
    run.check("kind_no_months", "a year and" not in counts, counts)


def spelt_twice(run, table, rows):
    """A category that is misspelt is named, where a draft is made and where one is checked."""
    towns = [dict(row, weight=full["town"]) for row, full in zip(table, rows)]
    clean = csv(towns)
    run.check("kind_towns", "two " not in asked(run, "towns", clean), "a remark about clean towns")

    def with_town(**wrong):
        return csv([dict(row, weight=wrong.get(f"k{k}", row["weight"])) for k, row in enumerate(towns)])

    said = run.run("schema", "draft", "kind_towns.csv", "--public", "--target", "ill", "-o", "kind_towns.toml")
    run.check("kind_towns", said.returncode == 0, said.stderr.decode())
    for name, wrong, words in (("slip", {"k5": "Bren"}, ['"Bren" occurs once', '"Bern"']),
                               ("letter", {"k5": "Gen\u00e8v", "k9": "Gen\u00e8v"}, ["occurs twice"]),
                               ("accent", {"k5": "Zurich"}, ['"Zurich" occurs once', "Z\u00fcrich"]),
                               ("case", {"k5": "bern "}, ["one?"])):
        asked(run, name, with_town(**wrong), "weight: ", *words)
        checked = run.run("schema", "check", f"kind_{name}.csv", "--schema", "kind_towns.toml")
        told = " ".join(checked.stderr.decode().split())
        run.check("kind_checked_" + name, "weight: " in told and all(word in told for word in words), told)
        # What commands that are private print does not depend on it.
        said = [run.run("train", f"kind_{file}.csv", "--schema", "kind_towns.toml", "--epsilon", "1", "--delta", "1e-5",
                        "-o", "kind_private.json", "--force").stderr for file in (name, "towns")]
        run.check("kind_private_" + name, said[0].replace(f"kind_{name}".encode(), b"kind_towns") == said[1], said)
    sexes = [dict(row, smoker=("M", "F", "Male", "Female")[k % 4]) for k, row in enumerate(table)]
    asked(run, "initials", csv(sexes), 'smoker: "F" and "Female", "M" and "Male"')
    points = [dict(row, weight=("St. Gallen", "St Gallen", "Bern")[k % 3]) for k, row in enumerate(table)]
    asked(run, "points", csv(points), 'weight: "St Gallen" and "St. Gallen"')
    grades = asked(run, "grades", csv([dict(row, weight=("A", "A-", "B+", "B")[k % 4]) for k, row in enumerate(table)]))
    run.check("kind_grades", "weight:" not in grades, grades)
    for name, sign in (("choices", ";"), ("choices_comma", ", ")):
        answers = [dict(row, weight=sign.join(word for bit, word in enumerate(("red", "green", "blue"))
                                              if 1 + k % 7 >> bit & 1)) for k, row in enumerate(table)]
        asked(run, name, csv(answers), "weight: Several answers in a value", f'separator = "{sign[0]}"')
    for name in ("patient", "patient_id"):
        people = [{name: f"p{k * 37 % 100:03}", **row} for k, row in enumerate(table)]
        asked(run, "of_" + name, csv(people), f"{name}: Does it tell whose record this is", "unit")
    access = changed(table, ill=lambda t: "-1" if t == "yes" else "0")
    asked(run, "access", csv(access), '"-1" is the positive class')


def codes_of_characters(run, table):
    """Characters that are written as codes, or that were lost."""
    for name, change, word in (
            ("html", lambda t: t.replace("\u00f6", "&ouml;"), "html.unescape"),
            ("json", lambda t: t.replace("\u00f6", "\\u00f6"), "UTF-8"),
            ("of_r", lambda t: t.replace("\u00f6", "<U+00F6>"), "fileEncoding"),
            ("address", lambda t: t.replace("\u00f6", "%C3%B6"), "urllib"),
            ("mail", lambda t: t.replace("\u00f6", "=C3=B6"), "quopri"),
            ("lost", lambda t: t.replace("\u00f6", "?"), "was a character lost")):
        asked(run, name, change(csv(table)), "[format]: ", word)
    asked(run, "utf_7", csv(table, ";").encode("utf-7"), "K+APY-ln", "iconv -f UTF-7")


def lines_that_are_no_records(run, table):
    """A second line of names, names again, notes at the end."""
    text = csv(table).split("\n")
    names = list(table[0])
    questions = ",".join(f'"How is {name}?"' for name in names)
    keys = ",".join('"{""ImportId"":""%s""}"' % name for name in names)
    for name, lines in (("questions", [questions]), ("qualtrics", [questions, keys]), ("types", [
            "int,float,str,date,float,str,str"])):
        asked(run, name, "\n".join([text[0], *lines, *text[1:]]), "[format]: ", "In line 2 there are texts in",
              "sed '2d'")
    asked(run, "again", "\n".join([*text[:99], text[0], *text[99:]]),
          "The line of names comes again once, first in line 100")
    draft = ("schema", "draft", "FILE", "--public", "--target", "ill")
    for name, lines in (("note", ["", "Source: the office"]), ("rows", ["", "300 rows selected."])):
        run.refused("kind_" + name, "\n".join([*text[:-1], *lines]) + "\n", ["303:1", "A note or a sum"], *draft)
    longer = list(text)
    longer[7] += ",more"
    run.refused("kind_longer", "\n".join(longer), ["kind_longer.csv:8", "in double quotes"], *draft)
    asked(run, "target_alone", "ill\n" + "\n".join(row["ill"] for row in table) + "\n", "nothing to predict from")


def ways_that_are_named(run, table):
    """Files that are refused with the key or command that helps."""
    text = csv(table).split("\n")
    draft = ("schema", "draft", "FILE", "--public", "--target", "ill")
    run.refused("kind_capitals", "\n".join([text[0].upper(), *text[1:]]), ["the nearest is 'ILL'"], *draft)
    run.refused("kind_unseen", csv(table).replace("ill", "ill\u200b", 1), ["marks that nobody sees"], *draft)
    run.refused("kind_lines_quoted", "\n".join(f'"{line}"' for line in text[:-1]) + "\n",
                ["each line is enclosed in quotes", "sed"], *draft)
    run.refused("kind_records_quoted", "\n".join([text[0], *(f'"{line}"' for line in text[1:-1])]) + "\n",
                ["quotes stand around whole lines"], *draft)
    run.refused("kind_other_names", "\n".join([text[0].replace(",", ";"), *text[1:]]),
                ["other characters stand between the names", "1s/;/,/g"], *draft)
    run.refused("kind_two_bars", csv(table, "||"), ["Two separators between fields"], *draft)
    run.refused("kind_no_names", "\n".join(text[1:]), ["first line is taken for a record"], *draft)
    run.refused("kind_access_file", b"\0\1\0\0Standard ACE DB\0" + bytes(80), ["Access", "mdb-export"], *draft)
