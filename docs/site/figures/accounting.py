"""Figures of what a guarantee means and what releases cost."""

import numpy as np

from .tools import COLOURS, DELTA, TREE, lines, plt, save


def guess(_, folder):
    xs = np.linspace(0, 8, 200)
    figure, axes = plt.subplots()
    axes.plot(xs, 100 / (1 + np.exp(-xs)), color=COLOURS[0])
    for epsilon in (0.1, 1, 4):
        share = 100 / (1 + np.exp(-epsilon))
        axes.plot([epsilon], [share], "o", color=COLOURS[1])
        axes.annotate(f"{share:.0f} %", (epsilon, share), (epsilon + 0.15, share - 5))
    save(folder, "guess", figure, "epsilon", "right guesses, at most (%)")


def attacker(_, folder):
    alarms = np.linspace(0, 1, 400)
    figure, axes = plt.subplots(figsize=(4.8, 4.2))
    series = {}
    for epsilon in (4, 1, 0.1):
        found = np.minimum(np.exp(epsilon) * alarms, 1 - np.exp(-epsilon) * (1 - alarms))
        series[f"epsilon {epsilon:g}"] = (100 * alarms, 100 * found)
    lines(axes, series)
    axes.plot([0, 100], [0, 100], color="grey", linewidth=1)
    save(
        folder,
        "attacker",
        figure,
        "of those who did not take part, suspected (%)",
        "of those who did, found at most (%)",
    )


def delta_curve(program, folder):
    figure, axes = plt.subplots()
    series = {}
    for label, words in (
        ("one Gaussian release, multiplier 5", ("--noise-multiplier", 5)),
        ("the same, 4 times", ("--noise-multiplier", 5, "--steps", 4)),
        ("the same, 16 times", ("--noise-multiplier", 5, "--steps", 16)),
    ):
        rows = program.csv("account", "--mechanism", "gaussian", *words, "--curve")
        points = [
            (float(row["delta"]), float(row["epsilon_upper"]))
            for row in rows
            if float(row["delta"]) > 0
        ]
        series[label] = zip(*points)
    lines(axes, series)
    axes.set_xscale("log")
    save(folder, "epsilon-delta", figure, "delta", "epsilon")


def composition(program, folder):
    counts = [1, 2, 4, 8, 16, 32, 64]
    each = program.json(
        "account", "--mechanism", "gaussian", "--target-epsilon", 1, "--delta", DELTA
    )["noise_multiplier"]
    joint = [
        program.json(
            "account",
            "--mechanism",
            "gaussian",
            "--noise-multiplier",
            each,
            "--steps",
            count,
            "--delta",
            DELTA,
        )["epsilon"]
        for count in counts
    ]
    figure, axes = plt.subplots()
    lines(
        axes,
        {
            "sum of the epsilons": (counts, counts),
            "joint account of the same runs": (counts, joint),
        },
        marker="o",
    )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    save(folder, "composition", figure, "runs of epsilon 1", "epsilon of all, delta 1e-5")


def sampling(program, folder):
    rates = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1]
    figure, axes = plt.subplots()
    series = {}
    for steps in (100, 1000, 10000):
        costs = [
            program.json(
                "account",
                "--mechanism",
                "gaussian",
                "--noise-multiplier",
                4,
                "--sampling-rate",
                rate,
                "--steps",
                steps,
                "--delta",
                DELTA,
            )["epsilon"]
            for rate in rates
        ]
        series[f"{steps} steps"] = (rates, costs)
    lines(axes, series, marker="o")
    axes.set_xscale("log")
    axes.set_yscale("log")
    save(
        folder, "sampling", figure, "share of the records in a step", "epsilon, noise multiplier 4"
    )


def noise_for_epsilon(program, folder):
    wanted = [0.1, 0.2, 0.5, 1, 2, 4, 8]
    figure, axes = plt.subplots()
    series = {}
    for adjacency in ("add_remove", "replace_one"):
        found = [
            program.json(
                "account",
                "--mechanism",
                "gaussian",
                "--target-epsilon",
                epsilon,
                "--delta",
                DELTA,
                "--adjacency",
                adjacency,
            )["noise_multiplier"]
            for epsilon in wanted
        ]
        series[adjacency] = (wanted, found)
    lines(axes, series, marker="o")
    axes.set_xscale("log")
    axes.set_yscale("log")
    save(folder, "noise-for-epsilon", figure, "epsilon, delta 1e-5", "noise multiplier")


def records(program, folder):
    counts = [500, 1000, 3000, 10000, 30000, 100000]
    figure, axes = plt.subplots()
    series = {}
    for epsilon in (0.1, 1, 4):
        noise = []
        for count in counts:
            plan = program.json(
                "plan",
                "--schema",
                "data/schemas/berkeley1973.toml",
                "--epsilon",
                epsilon,
                "--delta",
                "1e-6",
                "--public-row-count",
                count,
                "--method",
                "gradient",
            )
            noise.append(
                plan["noise_multiplier"] * plan["clipping_norm"] / count / plan["steps"] ** 0.5
            )
        series[f"epsilon {epsilon:g}"] = (counts, noise)
    lines(axes, series, marker="o")
    axes.set_xscale("log")
    axes.set_yscale("log")
    save(folder, "records", figure, "records", "noise in the mean gradient, all steps")


def budget(program, folder):
    (program.folder / "applicants.csv").write_bytes((TREE / "data/berkeley1973.csv").read_bytes())
    program.text(
        "ledger",
        "init",
        "budget.ledger",
        "--data-set",
        "applicants",
        "--data",
        "applicants.csv",
        "--currency",
        "gdp",
        "--epsilon",
        3,
        "--delta",
        DELTA,
    )
    plain, joint = [0.0], [0.0]
    for number, epsilon in enumerate((0.5, 0.5, 1, 0.5, 1, 0.5)):
        program.text(
            "train",
            "applicants.csv",
            "--schema",
            "data/schemas/berkeley1973.toml",
            "--epsilon",
            epsilon,
            "--delta",
            DELTA,
            "--ledger",
            "budget.ledger",
            "--output",
            f"run{number}.json",
            "-q",
        )
        plain.append(plain[-1] + epsilon)
        promises = program.json("ledger", "show", "budget.ledger")["accounts"][0]["promises"]
        joint.append(
            next(
                promise["epsilon_of_spent"]
                for promise in promises
                if promise["delta"] == float(DELTA)
            )
        )
    figure, axes = plt.subplots()
    axes.step(
        range(7), plain, where="post", color=COLOURS[1], linestyle="--", label="sum of the epsilons"
    )
    axes.step(range(7), joint, where="post", color=COLOURS[0], label="what the ledger counts (gdp)")
    axes.axhline(3, color="black", linewidth=1)
    axes.annotate("cap", (0, 3.05))
    save(folder, "budget", figure, "runs", "epsilon at delta 1e-5")


ALL = [guess, attacker, delta_curve, composition, sampling, noise_for_epsilon, records, budget]
