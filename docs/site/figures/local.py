"""Figures of local learning, of memorisation, and of the way of a record."""

from .tools import COLOURS, lines, plt, save, table


def liars(_, folder):
    rows = table("bench/local/tables/liars.md", "accuracy")
    shares = ["nobody", "1 in 100", "5 in 100", "10 in 100"]
    figure, axes = plt.subplots()
    series = {}
    for way in ("mean of 4", "mean of 64", "median of 16 groups of 4"):
        mine = [row for row in rows if row["way"] == way]
        series[way] = ([0, 1, 5, 10], [min(float(row[share]) for row in mine) for share in shares])
    lines(axes, series, marker="o")
    axes.axhline(0.5, color="black", linewidth=1)
    axes.annotate("a coin", (8.8, 0.51))
    save(folder, "liars", figure, "devices that lie (%)", "accuracy, worst of five kinds of lies")


def moments(_, folder):
    rows = table("bench/local/tables/moments.md", "AMD EPYC")
    figure, axes = plt.subplots()
    series = {}
    for name in ("privunit", "djw", "gaussian", "coordinate_laplace"):
        mine = sorted(
            (float(row["epsilon"]), float(row["second moment"]))
            for row in rows
            if row["mechanism"] == name and row["d"] == "1000"
        )
        if mine:
            series[name] = zip(*mine)
    lines(axes, series, marker="o")
    axes.set_xscale("log")
    axes.set_yscale("log")
    save(folder, "moments", figure, "epsilon", "second moment of a report, d = 1000")


def exposure(_, folder):
    rows = table("bench/papers/tables/memorisation.md")
    figure, axes = plt.subplots()
    series = {}
    for setting, label in (
        ("without privacy", "without privacy"),
        ("DP-SGD, epsilon of the paper's noise 0.32", "epsilon 22.3"),
        ("DP-SGD", "epsilon 3.53"),
    ):
        mine = [row for row in rows if row["setting"] == setting]
        series[label] = (
            [int(row["insertions"]) for row in mine],
            [float(row["mean exposure (bits)"]) for row in mine],
        )
    lines(axes, series, marker="o")
    axes.axhline(1.44, color="black", linewidth=1)
    axes.annotate("a phrase that is not there", (9, 0.5))
    axes.set_ylim(0)
    save(folder, "exposure", figure, "times that a phrase was inserted", "mean exposure (bits)")


def path(_, folder):
    steps = [
        "file",
        "schema:\nbounds,\ncategories",
        "clipping,\nin integers",
        "exact sum",
        "noise",
        "model and\nreceipt",
    ]
    figure, axes = plt.subplots(figsize=(8.4, 2.4))
    axes.axis("off")
    axes.set_xlim(-0.6, 5.6)
    axes.set_ylim(-1.1, 1)
    for place, step in enumerate(steps):
        public = place == 5
        axes.text(
            place,
            0,
            step,
            ha="center",
            va="center",
            fontsize=9,
            bbox={
                "boxstyle": "round,pad=0.5",
                "facecolor": "#ffffff" if public else "#dbe9f4",
                "edgecolor": COLOURS[0],
            },
        )
        if place < 5:
            axes.annotate(
                "",
                (place + 0.66, 0),
                (place + 0.36, 0),
                arrowprops={"arrowstyle": "->", "color": "black"},
            )
    axes.axvline(4.5, color=COLOURS[1], linestyle="--")
    axes.text(2, -0.9, "private", ha="center", color=COLOURS[0])
    axes.text(5, -0.9, "public", ha="center", color=COLOURS[1])
    axes.text(4, 0.75, "the ledger booked the cost before", ha="center", fontsize=8)
    save(folder, "path", figure)


ALL = [liars, moments, exposure, path]
