"""Figures of what models are worth under a budget, and how much their numbers move."""

import csv

import numpy as np

from .tools import COLOURS, TREE, lines, plt, save, table

RUNS = 15  # of one setting, each with noise of its own
ADMISSIONS = """public_row_count = 4526
[target]
column = "admitted"
positive = "yes"
negative = "no"
[[column]]
name = "sex"
kind = "categorical"
categories = ["male", "female"]
[[column]]
name = "department"
kind = "categorical"
categories = ["A", "B", "C", "D", "E", "F"]
reference = "A"
"""


def peers(_, folder):
    rows = table("bench/speed/tables/python.md", "Scores beside diffprivlib")
    figure, panels = plt.subplots(1, 2, figsize=(8.4, 3.6), sharex=True)
    for axes, data, title in zip(panels, ("adult", "bank_marketing"), ("Adult", "bank marketing")):
        series = {}
        for way, label in (
            ("tacet", "tacet, delta 1e-5"),
            ("tacet, pure", "tacet, delta 0"),
            ("diffprivlib", "diffprivlib, delta 0"),
            ("diffprivlib, best of 5 C", "the same, best C in hindsight"),
        ):
            found = [row for row in rows if row["data"] == data and row["way"] == way]
            series[label] = (
                [float(row["epsilon"]) for row in found],
                [float(row["median"]) for row in found],
            )
        lines(axes, series, marker="o")
        axes.set_xscale("log")
        axes.set_title(title)
    save(folder, "peers", figure, "epsilon", "accuracy on other records")


def methods(_, folder):
    rows = table("bench/utility/tables/methods.md", "adult, accuracy, delta 1e-06")
    epsilons = [0.1, 0.5, 1, 2, 4]
    figure, axes = plt.subplots()
    series = {}
    for row in rows:
        try:
            values = [float(row[f"epsilon {epsilon:g}"]) for epsilon in epsilons]
        except (KeyError, ValueError):
            continue
        if row["method"] in (
            "gradient",
            "objective",
            "regularized-output",
            "output",
            "phased",
            "ladder",
        ):
            series[row["method"]] = (epsilons, values)
    lines(axes, series, marker="o")
    axes.axhline(0.8464, color="black", linewidth=1)
    axes.annotate("without privacy", (0.11, 0.8472))
    axes.set_xscale("log")
    save(folder, "methods", figure, "epsilon, delta 1e-6", "accuracy on Adult")


def coefficients(program, folder):
    figure, panels = plt.subplots(1, 3, figsize=(8.4, 3.4), sharey=True, sharex=True)
    for axes, epsilon in zip(panels, (0.5, 1, 4)):
        model = program.train(f"c{epsilon}.json", "--epsilon", epsilon, "--seed", 5)
        entries = [entry for entry in model["coefficients"] if entry["name"] != "(intercept)"]
        names = [
            entry["name"].replace("department=", "dept. ").replace("=female|male", "")
            for entry in entries
        ]
        axes.errorbar(
            [entry["estimate"] for entry in entries],
            range(len(entries)),
            xerr=[1.96 * entry["noise_sd"] for entry in entries],
            fmt="o",
            color=COLOURS[0],
            capsize=3,
        )
        axes.axvline(0, color="black", linewidth=1)
        axes.set_yticks(range(len(entries)), names)
        axes.set_title(f"epsilon {epsilon:g}")
    save(folder, "coefficients", figure, "log odds")


def repeated(program, folder):
    """The same coefficient in several runs, which differ in their noise alone."""
    figure, axes = plt.subplots()
    for place, epsilon in enumerate((0.25, 0.5, 1, 2, 4)):
        found = []
        for seed in range(RUNS):
            model = program.train("r.json", "--epsilon", epsilon, "--seed", seed + 1)
            found.append(
                next(
                    entry["estimate"]
                    for entry in model["coefficients"]
                    if entry["name"] == "department=E"
                )
            )
        spread = (np.arange(RUNS) - RUNS / 2) / 50
        axes.plot(place + spread, found, "o", markersize=3, color=COLOURS[0], alpha=0.7)
    axes.set_xticks(range(5), ["0.25", "0.5", "1", "2", "4"])
    save(folder, "repeated", figure, "epsilon", "coefficient of department E")


def intervals(program, folder):
    (program.folder / "admissions.toml").write_text(ADMISSIONS, encoding="utf-8")
    figure, axes = plt.subplots()
    for place, epsilon in enumerate((1, 2, 4, 8)):
        model = program.train(
            "t.json",
            "--epsilon",
            epsilon,
            "--delta",
            "1e-6",
            "--method",
            "inference",
            "--terms",
            "sex + department",
            "--seed",
            3,
            schema="admissions.toml",
        )
        row = next(
            entry for entry in model["table"]["coefficients"] if entry["name"] == "sex=female"
        )
        if not row["identified"]:
            continue
        axes.plot([place, place], [row["low"], row["high"]], color=COLOURS[0], linewidth=2)
        axes.plot([place], [row["estimate"]], "o", color=COLOURS[0])
        axes.annotate(f"+{100 * row['widened_by_noise']:.0f} %", (place + 0.05, row["high"]))
    axes.axhline(0, color="black", linewidth=1)
    axes.set_xticks(range(4), ["1", "2", "4", "8"])
    axes.set_xlim(-0.5, 3.6)
    save(folder, "intervals", figure, "epsilon, delta 1e-6", "women against men, log odds (95 %)")


def effect(program, folder):
    """An effect as the report draws it, with the band of privacy's noise."""
    schema = (TREE / "examples/visits/visits.toml").read_text("utf-8")
    figure, panels = plt.subplots(1, 2, figsize=(8.4, 3.4), sharey=True)
    (program.folder / "curve.toml").write_text(schema, encoding="utf-8")
    for axes, epsilon in zip(panels, (1, 4)):
        program.text(
            "train",
            "visits.csv",
            "--schema",
            "curve.toml",
            "--epsilon",
            epsilon,
            "--knots",
            5,
            "--seed",
            2,
            "--output",
            "e.json",
            "--force",
            "-q",
        )
        program.text(
            "report", "e.json", "--numbers", f"n{epsilon}", "--output", "e.html", "--force", "-q"
        )
        for name in sorted((program.folder / f"n{epsilon}").glob("*.csv")):
            with open(name, encoding="utf-8") as lines_of:
                rows = list(csv.DictReader(lines_of))
            if "number" not in rows[0] or rows[-2]["number"] != "100":
                continue
            points = [row for row in rows if row["number"] not in ("", "missing")]
            noise = next(key for key in rows[0] if key and key.startswith("noise sd"))
            xs = np.array([float(row["number"]) for row in points])
            ys = np.array([float(row["adds"]) for row in points])
            sd = np.array([float(row[noise]) for row in points])
            axes.fill_between(xs, ys - 1.96 * sd, ys + 1.96 * sd, color=COLOURS[5], alpha=0.4)
            axes.plot(xs, ys, color=COLOURS[0])
        axes.set_title(f"epsilon {epsilon}")
        axes.axhline(0, color="black", linewidth=1)
    save(folder, "effect", figure, "age", "adds to the log odds")


def quantiles(program, folder):
    schema = (TREE / "examples/visits/visits.toml").read_text("utf-8")
    (program.folder / "records.toml").write_text(
        "\n".join(line for line in schema.splitlines() if not line.startswith("unit")),
        encoding="utf-8",
    )
    with open(program.folder / "visits.csv", encoding="utf-8") as rows:
        ages = sorted(float(row["age"]) for row in csv.DictReader(rows) if row["age"].isdigit())
    figure, axes = plt.subplots()
    for place, epsilon in enumerate((0.01, 0.03, 0.1, 1)):
        found = []
        for seed in range(RUNS):
            answer = program.json(
                "quantile",
                "visits.csv",
                "--schema",
                "records.toml",
                "--column",
                "age",
                "--epsilon",
                epsilon,
                "--adjacency",
                "add_remove",
                "--seed",
                seed + 1,
                "--step",
                "0.5",
            )
            found.append(answer["value"])
        axes.plot(
            place + (np.arange(RUNS) - RUNS / 2) / 50,
            found,
            "o",
            markersize=3,
            color=COLOURS[0],
            alpha=0.7,
        )
    axes.axhline(ages[len(ages) // 2], color="black", linewidth=1)
    axes.annotate("exact median", (-0.45, ages[len(ages) // 2] + 0.4))
    axes.set_xticks(range(4), ["0.01", "0.03", "0.1", "1"])
    save(folder, "quantiles", figure, "epsilon", "released median of age")


def units(program, folder):
    counts = [1, 2, 3, 5]
    noise = [
        program.json(
            "describe",
            "visits.csv",
            "--schema",
            "examples/visits/visits.toml",
            "--epsilon",
            1,
            "--max-records-per-unit",
            count,
            "--seed",
            1,
        )["count_margin"]
        for count in counts
    ]
    figure, axes = plt.subplots()
    axes.plot(counts, noise, "o-", color=COLOURS[0])
    axes.set_ylim(0)
    save(folder, "units", figure, "visits per patient that count", "margin of a count, epsilon 1")


ALL = [peers, methods, coefficients, repeated, intervals, effect, quantiles, units]
