"""`schema fit` on the messy files of tables.py, with the option that each of them needs."""

import json

from table_runner import numbers_of
from written_tables import csv, changed, comma, grouped, dated, absent


def fits(run, rows):
    """With the option that a file needs a fit finds what it finds of the clean table."""
    table = [{n: row[n] for n in ("age", "income", "weight", "town", "cost")} for row in rows] * 4

    def fit(name, content, *options):
        """What is found of the columns, and the model that is trained on it."""
        file = run.write("fit_" + name, content)
        schema, output = f"fit_{name}.toml", f"fit_{name}.json"
        found = run.run("schema", "fit", file, "--epsilon", "20", "--delta", "1e-4", "--seed", "5", "-o", schema,
                        "--public-row-count", str(len(table)), *(options or ("--target", "cost")))
        trained = run.run("train", file, "--schema", schema, "--epsilon", "1", "--delta", "1e-5", "--seed", "3",
                          "-o", output, "--quiet")
        if found.returncode != 0 or trained.returncode != 0:
            run.check("fit_" + name, False, found.stderr.decode() + trained.stderr.decode())
            return None
        columns = (run.scratch / schema).read_text().split("[[column]]", 1)[1]
        return columns, numbers_of(json.loads((run.scratch / output).read_text()))

    clean = fit("clean", csv(table))
    to = ("--target", "cost")
    european = changed(table, income=comma, weight=comma, cost=comma)
    for name, content, options in (
            ("semicolon", csv(table, ";"), to),
            ("comma", csv(european, ";"), to + ("--decimal", ",")),
            ("thousands", csv(changed(table, income=grouped(","), cost=grouped(","))),
             to + ("--thousands", ",")),
            ("dollars", csv(changed(table, cost=lambda t: "$" + t)), to + ("--symbol", "$")),
            ("latin", csv(table).encode("latin-1"), to + ("--encoding", "latin-1")),
            ("utf_16", csv(table).encode("utf-16"), to + ("--encoding", "utf-16")),
            ("nines", csv(changed(table, weight=absent("-999"))), to + ("--missing", "-999")),
            ("comments", "# one\n" + csv(table), to + ("--comment", "#")),
            ("german", csv(changed(table, income=grouped(".", ","), weight=comma, cost=grouped(".", ",")), ";"),
             to + ("--decimal", ",", "--thousands", ".")),
            ("swiss", csv(changed(table, income=grouped("'"))), to + ("--thousands", "'")),
            ("unbroken", csv(changed(table, income=grouped("\u00a0"))), to + ("--thousands", "\u00a0")),
            ("euros", csv(changed(european, cost=lambda t: t + " \u20ac"), ";").encode("cp1252"),
             to + ("--decimal", ",", "--symbol", "\u20ac", "--encoding", "windows-1252")),
            ("bars", csv(table, "|"), to), ("tabs", csv(table, "\t"), to), ("ends", csv(table, end="\r\n"), to),
            ("quoted", csv(table, always=True), to), ("marks", "\ufeff\ufeff" + csv(table), to),
            ("padded", csv(table).replace(",", ", "), to + ("--trim",)),
            ("carets", csv(table, "^"), to + ("--separator", "^")),
            ("flags", csv([dict(row, weight=row["weight"] + (" p", " b", "")[k % 3] if row["weight"] else ":")
                           for k, row in enumerate(table)]), to + ("--symbol", "p", "--symbol", "b", "--missing", ":")),
            ("crowns", csv(changed(european, cost=lambda t: t + " kr."), ";"), to + ("--decimal", ",", "--symbol", "kr.")),
            ("codes", csv([dict(row, weight=row["weight"] or ("-998", "-999")[k % 2]) for k, row in
                           enumerate(table)]), to + ("--missing", "-999", "--missing", "-998"))):
        run.check("fit_" + name, fit(name, content, *options) == clean, "other columns or another model")
    fit_dates(run, [dict(row, admitted=full["admitted"]) for row, full in zip(table, rows * 4)])
    texts = run.run("schema", "fit", run.write("fit_texts", csv(changed(
        table, cost=lambda t: "$" + t))), "--epsilon", "20", "--delta", "1e-4", "--seed", "5",
        "--target", "cost", "-o", "texts.toml")
    said = texts.stderr.decode()
    run.check("fit_texts", "The schema has no target" in said and "--symbol" in said, said)
    # What released lists look like is said, and a line of names that lacks a column is described.
    few = [dict(row, income=f"{1 + k % 9},5", weight=row["weight"] or "-999") for k, row in enumerate(table)]
    said = run.run("schema", "fit", run.write("fit_few", csv(few, ";")), "--epsilon", "20", "--delta", "1e-4",
                   "--seed", "5", "--target", "cost", "-o", "few.toml").stderr.decode()
    said = " ".join(said.split())
    run.check("fit_few", "'income'" in said and 'fit again with --decimal ","' in said, said)
    run.check("fit_few", "The lower bound of 'weight'" in said, said)
    for name, content, way in (("title", "Report\n" + csv(table), "--separator"),
                               ("notes", "# a, b\n" + csv(table), "--comment"),
                               ("blanks", csv(table).replace(",", ", "), "--trim"),
                               ("sep", "sep=;\n" + csv(table, ";"), "tail -n +2"),
                               ("single", csv(table).replace(",", "','"), "--quote")):
        run.refused("fit_" + name, content if name != "single" else "\n".join(
            f"'{line}'" for line in content.splitlines()) + "\n", [way], "schema", "fit", "FILE", "--epsilon", "1",
            "--target", "cost", "-o", "nobody.toml")
    run.refused("fit_nobody", csv(table), ["no column 'costs'", "'cost'"], "schema", "fit", "FILE",
                "--epsilon", "1", "--target", "costs", "-o", "nobody.toml")


def fit_dates(run, table):
    """Dates are read by the format that is said."""
    def columns(name, content, *options):
        found = run.run("schema", "fit", run.write("fit_" + name, content), "--epsilon", "20", "--delta", "1e-4",
                        "--seed", "5", "--target", "cost", "--json", "--quiet", *options)
        return json.loads(found.stdout)["column"] if found.returncode == 0 else found.stderr

    clean = columns("days", csv(table), "--date", "admitted")
    run.check("fit_days", any(column.get("kind") == "date" for column in clean), clean)
    for name, form, order in (("dots", "DD.MM.YYYY", "%d.%m.%Y"), ("american", "m/d/YY", "%m/%d/%y")):
        found = columns(name, csv(changed(table, admitted=dated(form))), "--date", "admitted", "--date-format", order)
        run.check("fit_" + name, found == clean, found)
    said = run.run("schema", "fit", run.write("fit_unsaid", csv(changed(table, admitted=lambda t: dated("DD.MM.YYYY")(
        t[:8] + "13")))), "--epsilon", "20", "--delta", "1e-4", "--seed", "5", "--target", "cost", "-o", "unsaid.toml")
    said = " ".join(said.stderr.decode().split())
    run.check("fit_unsaid", '--date "admitted" and --date-format "%d.%m.%Y"' in said, said)
