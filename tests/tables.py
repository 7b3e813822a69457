"""Tables as people export them: each is read as the clean one, or refused with the key that helps.

    tables.py TACET

The records are invented. One table is written in some fifty ways: separators, decimal commas, thousands,
currencies, encodings, dates, missing values, codes, comments. Of each the program drafts a schema, trains
with a known seed and evaluates, and where the values are the same as in the clean table, so are the model's
coefficients, bit by bit. Fits with the option that the file needs find the same columns.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

from table_fits import fits
from table_kinds import kinds
from table_runner import Runner, numbers_of
from written_tables import ROWS, records, csv, changed, without, comma, grouped, dated, absent


def spellings(run, rows):
    """Ways to write numbers, texts and dates."""
    table = without(rows, "visits", "share", "kind", "cost")
    clean, text = run.model("clean", run.write("clean", csv(table)), "ill")
    run.check("clean", clean is not None, text)

    def same(name, content, *options, keys=()):
        run.same(name, content, clean, "ill", *options, keys=keys)

    european = changed(table, income=comma, weight=comma)
    same("semicolon", csv(table, ";"))
    same("tab", csv(table, "\t"))
    same("bar", csv(table, "|"))
    same("crlf", csv(table, end="\r\n"))
    same("all_quoted", csv(table, always=True))
    same("mark", b"\xef\xbb\xbf" + csv(table).encode())
    same("decimal_comma", csv(european, ";"), keys=['decimal = ","'])
    same("decimal_comma_quoted", csv(european, ","), keys=['decimal = ","'])
    same("one_decimal_comma", csv(changed(table, weight=comma), ";"))
    german = changed(table, income=grouped(".", ","), weight=comma)
    same("german", csv(german, ";"), keys=['decimal = ","', 'thousands = "."'])
    same("thousands", csv(changed(table, income=grouped(","))), keys=['thousands = ","'])
    same("thousands_blank", csv(changed(european, income=lambda t: grouped(" ", ",")(
        t.replace(",", "."))), ";"), keys=['thousands = " "'])
    same("thousands_swiss", csv(changed(table, income=grouped("'"))), keys=["thousands = \"'\""])
    same("thousands_narrow", csv(changed(table, income=grouped("\u202f"))))
    same("dollars", csv(changed(table, income=lambda t: "$" + grouped(",")(t))),
         keys=['symbols = ["$"]', 'thousands = ","'])
    same("euros", csv(changed(german, income=lambda t: grouped(".", ",")(
        t.replace(".", "").replace(",", ".")) + " \u20ac"), ";"), keys=["symbols"])
    same("percent", csv(changed(table, weight=lambda t: t and t + " %")), keys=['"%"'])
    for encoding in ("latin-1", "cp1252"):
        same("in_" + encoding, csv(table).encode(encoding), keys=['encoding = "windows-1252"'])
    same("utf_16", csv(table).encode("utf-16"), keys=['encoding = "utf-16"'])
    same("utf_16_tabs", csv(table, "\t").encode("utf-16"), keys=['encoding = "utf-16"'])
    same("utf_16_big", b"\xfe\xff" + csv(table).encode("utf-16-be"))
    for name, form, key in (
            ("dots", "DD.MM.YYYY", "%d.%m.%Y"), ("dots_short", "d.m.YY", "%d.%m.%y"),
            ("american", "m/d/YY", "%m/%d/%y"), ("american_long", "MM/DD/YYYY", "%m/%d/%Y"),
            ("british", "DD/MM/YYYY", "%d/%m/%Y"), ("slashes", "YYYY/MM/DD", "%Y/%m/%d"),
            ("oracle", "DD-MON-YY", "%d-%b-%y"), ("sas", "DDMONYYYY", "%d%b%Y")):
        same("dates_" + name, csv(changed(table, admitted=dated(form))), keys=[key])
    same("dates_am", csv(changed(table, admitted=lambda t: dated("m/d/YYYY")(t) + " 12:00:00 AM")),
         keys=["%m/%d/%Y %I:%M:%S %p"])
    same("dates_pm", csv(changed(table, admitted=lambda t: dated("m/d/YYYY")(t) + " 1:05 pm")))
    same("apostrophes", csv(changed(table, income=lambda t: "'" + t)), "--symbol", "'")
    same("stamps", csv(changed(table, admitted=lambda t: t + "T10:30:00Z")))
    same("stamps_blank", csv(changed(table, admitted=lambda t: t + " 23:59:59.123")))
    same("stamps_zone", csv(changed(table, admitted=lambda t: t + "T10:30:00+02:00")))
    french = changed(european, income=lambda t: grouped("\u00a0", ",")(t.replace(",", ".")) + "\u00a0\u20ac")
    same("french", csv(french, ";"), keys=['decimal = ","'])
    for name, time, key in (
            ("minutes", " 8:15", "%d.%m.%Y %H:%M"), ("seconds", " 08:15:12", "%d.%m.%Y %H:%M:%S"),
            ("parts", " 08:15:12.5", "%d.%m.%Y %H:%M:%S.%f")):
        same("dates_" + name, csv(changed(table, admitted=lambda t, time=time: dated("DD.MM.YYYY")(t) + time)),
             keys=[key])
    for name, form, key in (
            ("american_time", "m/d/YY 8:15", "%m/%d/%y %H:%M"), ("german_time", "DD.MM.YY 08:15", "%d.%m.%y %H:%M"),
            ("no_comma", "MON d YYYY", "%b %d %Y"), ("apart", "d. m. YYYY", "%d. %m. %Y"),
            ("sas_time", "DDMONYYYY:08:15:00", "%d%b%Y:%H:%M:%S"),
            ("dashes_time", "DD-MM-YYYY 8:15", "%d-%m-%Y %H:%M")):
        same("dates_" + name, csv(changed(table, admitted=dated(form))), keys=[key])
    same("stamps_universal", csv(changed(table, admitted=lambda t: t + " 10:20:30 UTC")))
    same("single_quotes", "\n".join(",".join(f"'{text}'" for text in line.split(",")) for line in
                                    csv(table).splitlines()) + "\n", keys=["quote = \"'\""])
    for name, separator in (("comma", ", "), ("bar", " | ")):
        same("padded_" + name, csv(table).replace(",", separator), keys=["trim = true"])
    same("padded_quotes", csv(table, always=True).replace(",", ", "), keys=["trim = true"])
    same("mark_comments", b"\xef\xbb\xbf# made by a program\n" + csv(table).encode(), keys=['comment = "#"'])
    named, text = run.model("named", run.write("named", csv([
        {"#age": row["age"], **without([row], "age")[0]} for row in table])), "ill")
    run.check("named_with_sign", named is not None and 'name = "#age"' in text and
              "comment" not in text, text)
    for name, word in (("star", "*"), ("copy", "\\N"), ("spoken", "(null)"), ("office", "#NULL!"), ("blank", " ")):
        same("missing_" + name, csv(changed(table, weight=absent(word))))
    for name, word in (("na", "NA"), ("dot", "."), ("n_a", "n/a"), ("dash", "-"), ("question", "?"),
                       ("nines", "-999"), ("nines_point", "-999.0"), ("unknown", "unknown"),
                       ("null", "NULL")):
        same("missing_" + name, csv(changed(table, weight=absent(word))))
    same("comments", "# made by a program, with one \" in it\n# and another line\n" + csv(table),
         keys=['comment = "#"'])
    run.refused("comments_within", csv(table).replace("\n", "\n# half\n", 2),
                ["comments_within.csv:2"], "schema", "draft", "FILE", "--public", "--target", "ill",
                "-o", "comments_within.toml", code=(3,))
    for name, sign in (("unbroken", "\u00a0"), ("marked", "\u200b")):
        same("padded_" + name, csv(changed(table, income=lambda t, sign=sign: sign + t)))
    same("dates_plain", csv(changed(table, admitted=dated("YYYY-m-d"))), keys=["%Y-%m-%d"])
    same("dates_stamp", csv(changed(table, admitted=dated("YYYYMMDD103000"))), keys=["%Y%m%d%H%M%S"])
    same("dates_point", csv(changed(table, admitted=dated("MON. d, YYYY"))), keys=["%b. %d, %Y"])
    for name, word in (("sas", ".A"), ("stata", ".z"), ("blank_unbroken", "\u00a0"), ("en_dash", "\u2013"),
                       ("not_done", "not done"), ("refused", "Refused"), ("fault", "1.#IND")):
        same("missing_" + name, csv(changed(table, weight=absent(word))))
    same("packed", __import__("gzip").compress(csv(table).encode()))


def targets(run, rows):
    """What is predicted."""
    inputs = ("age", "weight", "smoker")

    def table(target, spell=lambda t: t):
        names = inputs + (target,)
        return changed([{n: row[n] for n in names} for row in rows], **{target: spell})

    costs, text = run.model("costs", run.write("costs", csv(table("cost"))), "cost")
    run.check("costs", costs is not None, text)
    run.same("cost_dollars", csv(table("cost", lambda t: "$" + grouped(",")(t))), costs, "cost")
    run.same("cost_comma", csv(changed(table("cost", comma), weight=comma), ";"), costs, "cost")
    for target, key in (("visits", 'kind = "count"'), ("share", 'kind = "probability"'),
                        ("kind", "classes = [")):
        found, text = run.model(target, run.write(target, csv(table(target))), target)
        run.check(target, found is not None and key in text, text)
    flags, text = run.model("flags", run.write("flags", csv(table("ill"))), "ill")
    for name, yes, no in (("y_n", "Y", "N"), ("t_f", "T", "F"), ("one_zero", "1", "0"),
                          ("words", "Yes", "No"), ("truth", "TRUE", "FALSE")):
        spell = lambda t, yes=yes, no=no: yes if t == "yes" else no
        found, text = run.model(name, run.write(name, csv(table("ill", spell))), "ill")
        run.check(name, found is not None and found[0] == flags[0], text)
    for name, yes, no in (("ja_nein", "ja", "nein"), ("letters", "J", "N"), ("floats", "1.0", "0.0")):
        spell = lambda t, yes=yes, no=no: yes if t == "yes" else no
        found, text = run.model(name, run.write(name, csv(table("ill", spell))), "ill")
        run.check(name, found is not None and found[0] == flags[0], text)
    for name, yes, no in (("labelled", "1 = yes", "2 = no"), ("brackets", "(1) yes", "(0) no"),
                          ("signs", "+1", "-1"), ("boxes", "Checked", "Unchecked")):
        spell = lambda t, yes=yes, no=no: yes if t == "yes" else no
        found, text = run.model("which_" + name, run.write("which_" + name, csv(table("ill", spell))), "ill")
        run.check("which_" + name, found is not None and found[0] == flags[0], text)
    numbers = [dict(row, ill=("1", "1.0")[k % 2] if row["ill"] == "yes" else ("0", "0.0")[k % 2])
               for k, row in enumerate(table("ill"))]
    found, text = run.model("two_spellings", run.write("two_spellings", csv(numbers)), "ill")
    run.check("two_spellings", found is not None and found[0] == flags[0], text)
    holes = [dict(row, cost=row["cost"] if k % 5 else "") for k, row in enumerate(table("cost"))]
    found, text = run.model("holes", run.write("holes", csv(holes)), "cost")
    run.check("holes", found is not None and found[1]["records"] == ROWS - (ROWS + 4) // 5 and
              found[1]["records_without_target"] == (ROWS + 4) // 5, f"{found} {text}")
    nines = changed(holes, cost=absent("-999"))
    run.same("holes_nines", csv(nines), found, "cost")


def combined(run, rows):
    """Whole exports: each draws a separator, quotes, numbers, dates, missing values and characters."""
    table = without(rows, "visits", "share", "kind", "cost")
    clean, text = run.model("combined_clean", run.write("combined_clean", csv(table)), "ill")
    run.check("combined_clean", clean is not None, text)
    draw = random.Random(148)
    for k in range(24):
        european = draw.random() < 0.5
        point, sign = (",", draw.choice([".", " ", "\u00a0"])) if european else (".", draw.choice([",", "'"]))
        before, behind = draw.choice([("", ""), ("$", ""), ("", " EUR"), ("", "\u00a0\u20ac"), ("CHF ", "")])
        spell = grouped(sign, point)
        income = lambda t, spell=spell, ends=(before, behind): ends[0] + spell(t) + ends[1]
        weight = comma if european else str
        word = draw.choice(["", "NA", ".", "n/a", "-999", "NULL", "-", "?"])
        form = draw.choice(["YYYY-MM-DD", "DD.MM.YYYY", "MON d, YYYY", "MM/DD/YYYY 10:30", "YYYY-MM-DDT10:30:00.25Z"])
        content = csv(changed(table, income=income, weight=lambda t, w=word, s=weight: s(t) if t else w,
                              admitted=dated(form)), draw.choice(";\t|" if european else ",;\t"),
                      end=draw.choice(["\n", "\r\n"]), always=draw.random() < 0.4)
        encoding = draw.choice(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
        run.same(f"combined_{k}", content.encode(encoding), clean, "ill")


def codes(run, rows):
    """Numbers that are no quantities."""
    table = [dict(age=row["age"], postal_code=f"{(37 + 911 * (k % 9)):05d}",
                  admission_type_id=str(1 + k % 6), icd10=f"E{10 + k % 5}.{k % 3}", site="A",
                  patient_id=str(7000 + k), ill=row["ill"]) for k, row in enumerate(rows)]
    found, text = run.model("codes", run.write("codes", csv(table)), "ill")
    run.check("codes", found is not None, text)
    columns = {part.split('"')[1]: part for part in text.split("[[column]]\nname = ")[1:]}
    for name in ("postal_code", "admission_type_id", "icd10"):
        run.check("codes", 'kind = "categorical"' in columns[name], columns[name])
    for name in ("site", "patient_id"):
        run.check("codes", 'kind = "ignored"' in columns[name], columns[name])
    run.check("codes", '"00037"' in text, text)


def refusals(run, rows):
    table = without(rows, "visits", "share", "kind", "cost")
    draft = ("schema", "draft", "FILE", "--public", "--target", "ill")
    vague = [dict(row, admitted=f"{1 + k % 12}/{1 + k % 11}/2011") for k, row in enumerate(table)]
    run.refused("vague_dates", csv(vague), ["--date-format", "%m/%d/%Y", "%d/%m/%Y"], *draft)
    said, text = run.model("vague_said", run.write("vague_said", csv(vague)), "ill",
                           "--date-format", "%m/%d/%Y")
    run.check("vague_said", said is not None and "%m/%d/%Y" in text, text)
    halves = [dict(row, income=f"{1 + k % 8},{100 + k}")
              for k, row in enumerate(without(table, "weight"))]
    run.refused("vague_commas", csv(halves, ";"), ["--decimal", "--thousands"], *draft)
    strange = [dict(row, income="soon" if k == 4 else row["income"]) for k, row in enumerate(table)]
    run.refused("strange_target", csv(strange), ["strange_target.csv:6", "'income'", '"soon"'],
                "schema", "draft", "FILE", "--public", "--target", "income")
    run.refused("caret", csv(table, "^"), ["--separator"], *draft)
    run.refused("date_target", csv(table), ["'admitted' is a date"], "schema", "draft", "FILE", "--public",
                "--target", "admitted")
    run.refused("short_years", csv(changed(table, admitted=dated("DD-MM-YY"))),
                ["--date-format", "%d-%m-%y", "%y-%m-%d"], *draft)
    run.refused("one_record", "\n".join(csv(table).split("\n")[:2]) + "\n", ["in every record"], *draft)
    run.refused("utf_32", csv(table).encode("utf-32"), ["UTF-32", "iconv"], *draft)
    run.refused("lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n", ["git lfs pull"], *draft)
    run.refused("json_list", json.dumps(rows[:3]), ["JSON", "duckdb"], *draft)
    run.refused("json_lines", json.dumps(rows[0]) + "\n" + json.dumps(rows[1]), ["JSON", "duckdb"],
                *draft)
    run.refused("parquet", b"PAR1" + bytes(80), ["Parquet", "duckdb"], *draft)
    run.refused("sheet", b"PK\x03\x04" + bytes(80), ["spreadsheet", "CSV"], *draft)
    run.refused("sqlite", b"SQLite format 3\0" + bytes(80), ["SQLite", "sqlite3 -header -csv"],
                *draft)
    run.refused("two_files", csv(table), ["one file of records"], "schema", "draft", "FILE", "other.csv",
                "--public", "--target", "ill")
    base = run.run("schema", "draft", "clean.csv", "--public", "--target", "ill", "-o", "base.toml")
    run.check("base", base.returncode == 0, base.stderr.decode())
    utf_16 = csv(table).encode("utf-16")
    run.refused("utf_16_train", utf_16, ["encoding", "utf-16"], "train", "FILE", "--schema",
                "base.toml", "--epsilon", "1", "-o", "none.json")
    # The line of names alone says which separator a file has.
    file = run.write("other_separator", csv(table, ";"))
    found = run.run("train", file, "--schema", "base.toml", "--epsilon", "1", "--delta", "1e-5",
                    "--seed", "3", "-o", "other_separator.json", "--quiet")
    run.check("other_separator", found.returncode == 0, found.stderr.decode())
    clean = numbers_of(json.loads((run.scratch / "clean.json").read_text()))
    other = numbers_of(json.loads((run.scratch / "other_separator.json").read_text()))
    run.check("other_separator", clean == other, "another model")


def doubts(run, rows):
    """What would be drafted as something else is said where the draft is made."""
    table = [{n: row[n] for n in ("age", "income", "weight", "visits", "ill")} for row in rows]

    def signed(row):
        return f"{float(row['income']) - 40000:.2f}"

    def asked(name, content, *words, target="ill"):
        file = run.write("doubt_" + name, content)
        found = run.run("schema", "draft", file, "--public", "--target", target)
        said = found.stderr.decode()
        run.check(name, found.returncode == 0, said)
        for word in words:
            run.check(name, word in said, f"'{word}' is not in: {said}")
        return said

    said = asked("nothing", csv(table))
    run.check("doubt_nothing", said.count("\n") == 1, said)
    behind = [dict(row, income=signed(row).replace("-", "") + "-" * (signed(row)[0] == "-"))
              for row in table]
    asked("minus_behind", csv(behind), "income: Negative numbers such as")
    brackets = [dict(row, income=f"({signed(row)[1:]})" if signed(row)[0] == "-" else signed(row))
                for row in table]
    asked("brackets", csv(brackets), "income: Negative numbers such as (")
    money = [dict(row, income=f"(${grouped(',')(signed(row)[1:])})" if signed(row)[0] == "-" else
                  "$" + grouped(",")(signed(row))) for row in table]
    asked("money", csv(money), "income: Negative numbers such as ($")
    for name, spell in (("francs", lambda t: "Fr. " + grouped("'")(t)), ("arabic", lambda t: "".join(
            chr(0x660 + int(c)) if c.isdigit() else c for c in t)), ("debit", lambda t: t + " DR"),
                        ("weekday", lambda t: "Mon " + t + " h")):
        said = asked(name, csv(changed(table, income=spell)))
        run.check(name, "income:" in said, said)
    mixed = [dict(row, age=("2011-01-31", "31.01.2011", "soon")[k // 9 % 3] if k % 9 == 0 else
                  f"201{k % 9}-03-{1 + k % 28:02}") for k, row in enumerate(table)]
    asked("mixed_dates", csv(mixed), "age: ", " dates among ")
    ends = [dict(row, age="9999-12-31" if k % 9 == 0 else f"201{k % 9}-03-{1 + k % 28:02}")
            for k, row in enumerate(table)]
    asked("endless", csv(ends), "age: Some dates are 9999-12-31")
    for name, zero in (("arabic", 0x660), ("devanagari", 0x966), ("wide", 0xff10)):
        spell = lambda t, zero=zero: "".join(chr(zero + int(c)) if c.isdigit() else c for c in t)
        asked("digits_" + name, csv(changed(table, age=spell)), "age: Digits of another script",
              "".join(chr(zero + k) for k in range(10)))
    asked("pair", csv(changed(table, visits=lambda t: f"{110 + 5 * int(t)}/{70 + int(t)}")), "visits: Two numbers")
    asked("lira", csv(changed(table, income=lambda t: "\u20b8" + t)), 'symbols = ["\u20b8"]')
    for name, word in (("typing", "640"), ("code", "777"), ("largest", "2147483647")):
        asked("far_" + name, csv([dict(row, age=word if k % 50 == 9 else row["age"]) for k, row in
                                  enumerate(table)]), f"age: {word}, in line 11, is far from all others")
    asked("lone_zeros", csv(changed(table, weight=absent("0"))), "weight: 0 stands apart")
    asked("currencies", csv([dict(row, income=("$" if k % 2 else "\u20ac") + row["income"])
                             for k, row in enumerate(table)]), 'income: "\u20ac" and "$" stand beside')
    for name, form, order in (("dmy", "DDMMYYYY", "%d%m%Y"), ("ymd", "YYMMDD", "%y%m%d")):
        days = [dict(row, age=dated(form)(full["admitted"])) for row, full in zip(table, rows)]
        asked("digits_" + name, csv(days), "age: All numbers", f'date_format = "{order}"')
    births = [dict(row, age="{2}.{1}.{0}".format(50 + int(full["admitted"][2:4]), *full["admitted"].replace(
        "02-29", "02-28").split("-")[1:])) for row, full in zip(table, rows)]
    asked("births", csv(births), "age: Years of two digits")
    asked("sums", csv([*table, dict.fromkeys(table[0], "") | {"income": "1"}, dict.fromkeys(table[0], "") | {"income": "2"}]),
          "[format]: The last 2 records, from line 302 on")
    asked("subtotal", csv([dict(row, age="Total" if k % 50 == 9 else "ABC"[k % 3]) for k, row in
                           enumerate(table)]), 'age: "Total" is a category')
    asked("mixed_flags", csv([dict(row, age=("True", "TRUE", "1")[k % 3]) for k, row in enumerate(table)]),
          'age: ', '"TRUE" and "True"')
    asked("unseen", csv([dict(row, age="Bern" + "\u00a0\u200b"[k % 2] * (k % 3 == 0)) for k, row in
                         enumerate(table)]), "age: ", "two categories: one?")
    asked("accents", csv([dict(row, age=("K\u00f6ln", "Ko\u0308ln")[k % 2]) for k, row in enumerate(table)]),
          "age: ", "an accent is a character of its own")
    asked("inches", csv(changed(table, age=lambda t: "pipe")).replace("pipe", '5" pipe'),
          "[format]: Quotes stand within values, the first in line 2")
    late = csv(table).split("\n")
    late[1], late[4] = '"' + late[1], late[4].replace(",", '",', 1)
    asked("swallowed", "\n".join(late), "'age' in line 2 goes on for 4 lines")
    asked("rare", csv([dict(row, ill="yse" if k in (7, 99) else "n0" if k in (8, 44) else row["ill"])
                       for k, row in enumerate(table)]), '[target]: The class "n0" occurs in 2 of 300')
    asked("nines", csv([dict(row, ill="9" if k % 20 == 3 else "01"[k % 2]) for k, row in enumerate(table)]),
          "[target]: Whole numbers, taken for classes", "missing value")
    for name, yes, no in (("codes", "1", "2"), ("states", "sick", "well")):
        spell = lambda t, yes=yes, no=no: yes if t == "yes" else no
        asked("which_" + name, csv(changed(table, ill=spell)), f'[target]: "{no}" is the positive class')
    asked("numbers", csv([dict(row, age=str(7000 + 3 * k)) for k, row in enumerate(table)]),
          "age: Every value occurs once")
    asked("empty_lines", csv(table) + ",,,,\n,,,,\n", "There are 2 records without any value, the first in line 302")
    damaged = csv([dict(row, income="K\u00f6ln") for row in table]).encode()
    asked("damaged", damaged.replace("\u00f6".encode(), b"\xf6", 1), "[format]: ",
          "In line 3 two characters stand for one")
    for name, word in (("dash", "-"), ("copy", "unknown"), ("code", "-999")):
        asked("class_" + name, csv([dict(row, ill=word if k % 9 == 0 else row["ill"]) for k, row in
                                    enumerate(table)]), "[target]: ", word)
    asked("class_once", csv([dict(row, ill="maybe" if k == 9 else row["ill"]) for k, row in
                             enumerate(table)]), '[target]: The class "maybe" occurs once')
    asked("formulas", csv(changed(table, visits=lambda t: f'="0{t}"')), "visits: Formulas of a spreadsheet")
    asked("units", csv(changed(table, weight=lambda t: t and t + " kg")), 'symbols = ["kg"]')
    asked("limits", csv(changed(table, weight=lambda t: t and (f"<{t}" if float(t) < 60 else t))),
          "weight: Limits of a measurement such as <")
    asked("survey", csv([dict(row, visits="-8" if k % 9 == 0 else "-9" if k % 11 == 0 else
                              row["visits"]) for k, row in enumerate(table)]),
          "visits: Below 0 there are -9, -8 alone: codes for a missing value?")
    units = {"age": "years", "income": "EUR", "weight": "kg", "visits": "", "ill": ""}
    asked("second_line", csv([units, *table]), "age: 300 numbers and one text, \"years\" in line 2")
    total = dict.fromkeys(table[0], "") | {"income": "14321000.50"}
    asked("sum", csv([*table, total]), "[format]: The last record, in line 302, has values in 1 of 5")
    total["age"] = "Total"
    asked("total", csv([*table, total]), 'age: 300 numbers and one text, "Total" in line 302')
    kinds = [dict(row, ill=("TRUE", "true", "1")[k % 3] if row["ill"] == "yes" else
                  ("FALSE", "false", "0")[k % 3]) for k, row in enumerate(table)]
    asked("truth", csv(kinds), '[target]: "FALSE" and "false" are two classes: one?')
    short = csv(table).split("\n")
    short[5] = short[5].split(",", 1)[1]
    asked("short", "\n".join(short), "those behind it stand in wrong columns")
    draft = ("schema", "draft", "FILE", "--public", "--target", "ill")
    run.refused("row_numbers", csv([{"": str(k), **row} for k, row in enumerate(table)]),
                ["column 1", "row.names = FALSE", "index=False"], *draft)
    text = csv(table).split("\n")
    run.refused("row_names", "\n".join([text[0], *(f'"{k}",{line}' for k, line in
                                                   enumerate(text[1:-1]))]),
                ["row.names = FALSE"], *draft)
    run.refused("commas_behind", csv(table).replace("\n", ",\n"), ["end with a separator"], *draft)
    run.refused("marked_target", csv(changed(table, income=lambda t: "'" + t)),
                ["symbols = [\"'\"]"], "schema", "draft", "FILE", "--public", "--target", "income")


def drawings(run, rows):
    """What programs draw on a screen, and quotes that are not closed, are named."""
    table = without(rows, "visits", "share", "kind", "cost")
    names = list(table[0])
    draft = ("schema", "draft", "FILE", "--public", "--target", "ill")
    widths = {n: max(len(n), *(len(row[n]) for row in table)) for n in names}
    head = dict(zip(names, names))

    def drawn(bar, before="", behind=""):
        return [before + bar.join(row[n].ljust(widths[n]) for n in names) + behind for row in [head, *table]]

    psql = drawn(" | ", " ")
    run.refused("psql", "\n".join([psql[0], "-+-".join("-" * widths[n] for n in names), *psql[1:]]) +
                f"\n({len(table)} rows)\n", ["psql.csv:2", "format csv"], *draft)
    rule = "+" + "+".join("-" * (widths[n] + 2) for n in names) + "+"
    lines = drawn(" | ", "| ", " |")
    run.refused("mysql", "\n".join([rule, lines[0], rule, *lines[1:], rule]) + "\n",
                ["mysql.csv:1", "mysql -B"], *draft)
    run.refused("boxes", "\n".join(drawn(" \u2502 ")) + "\n", ["boxes.csv:1", "sqlite3 -csv"], *draft)
    mark = "\n".join([lines[0], "|" + "|".join("-" * (widths[n] + 2) for n in names) + "|", *lines[1:]]) + "\n"
    run.refused("markdown", mark, ["markdown.csv:2", "sed -e '2d'"], *draft)
    # The way that is named leads to the clean table.
    plain = subprocess.run(["sed", "-e", "2d", "-e", "s/^ *| *//", "-e", "s/ *| *$//", "-e", "s/ *| */|/g"],
                           input=mark.encode(), stdout=subprocess.PIPE, check=True).stdout
    clean, text = run.model("drawn_clean", run.write("drawn_clean", csv(table)), "ill")
    run.check("drawn_clean", clean is not None, text)
    run.same("markdown_plain", plain, clean, "ill")
    tabs = csv(table, "\t").split("\n")
    run.refused("dashes", "\n".join([tabs[0], "\t".join("-" * len(n) for n in names), *tabs[1:]]),
                ["dashes.csv:2", "sed '2d'"], *draft)
    run.refused("fixed", "\n".join(drawn("  ")) + "\n", ["read_fwf"], *draft)
    text = csv(table).split("\n")
    run.refused("separators_behind", "\n".join([text[0], *(line + ",," for line in text[1:-1])]) + "\n",
                ["2 more separators", "sed 's/[,]{2}$//'"], *draft)

    def quoted_at(*places, spell):
        out = list(text)
        for k in places:
            fields = out[k].split(",")
            fields[2] = spell(fields[2])
            out[k] = ",".join(fields)
        return "\n".join(out)

    run.refused("unclosed", quoted_at(5, spell=lambda t: '"' + t), ["unclosed.csv:6:", "never closed"], *draft)
    run.refused("unclosed_twice", quoted_at(5, 9, spell=lambda t: '"' + t), ["unclosed_twice.csv:10:", "4 lines above"], *draft)
    run.same("two_marks", "\ufeff\ufeff" + csv(table), clean, "ill")


def encodings(run, rows):
    """What is no UTF-8 is never taken silently for windows-1252."""
    table = without(rows, "visits", "share", "kind", "cost")
    draft = ("schema", "draft", "FILE", "--public", "--target", "ill")
    towns = {"cp437": None, "cp850": None, "mac_roman": None,
             "cp1251": "\u041c\u043e\u0441\u043a\u0432\u0430", "koi8_r": "\u041e\u043c\u0441\u043a",
             "cp1253": "\u0391\u03b8\u03ae\u03bd\u03b1", "shift_jis": "\u6771\u4eac", "gbk": "\u5317\u4eac",
             "big5": "\u53f0\u5317", "euc_jp": "\u5927\u962a", "euc_kr": "\uc11c\uc6b8",
             "iso2022_jp": "\u4eac\u90fd"}
    for encoding, town in towns.items():
        spelt = changed(table, town=lambda t, town=town: town if town and not t.isascii() else t)
        run.refused("in_" + encoding, csv(spelt).encode(encoding), ["iconv", f"in_{encoding}.csv:"], *draft)
    # Letters that differ alone are shown to a person.
    spelt = changed(table, town=lambda t: t if t.isascii() else "Plze\u0148")
    file = run.write("in_cp1250", csv(spelt).encode("cp1250"))
    said = run.run("schema", "draft", file, "--public", "--target", "ill").stderr.decode()
    run.check("in_cp1250", '"Plze\u00f2"' in said and "iconv" in said, said)
    said = run.run("schema", "draft", file, "--public", "--target", "ill", "--encoding", "windows-1252").stderr.decode()
    run.check("in_cp1250_said", "iconv" not in said, said)


def main(tacet):
    with tempfile.TemporaryDirectory() as scratch:
        run = Runner(str(pathlib.Path(tacet).resolve()), pathlib.Path(scratch))
        rows = records()
        for part in (spellings, combined, targets, codes, refusals, drawings, encodings, doubts, kinds, fits):
            part(run, rows)
    if run.failed:
        sys.exit(f"{len(run.failed)} of {run.done} checks failed: " +
                 ", ".join(sorted({line.split(':')[0] for line in run.failed})))
    print(f"{run.done} checks hold")


if __name__ == "__main__":
    main(*sys.argv[1:])
