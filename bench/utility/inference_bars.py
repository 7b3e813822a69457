"""Which of the bars of inference.py its cells miss, as sentences."""


def low_coefficients(cells):
    """Item 2: the exact binomial test against 91 %."""
    from scipy.stats import binom
    tests = sum(len(cell.stated) for cell in cells)
    for cell in cells:
        for k, (held, stated) in enumerate(zip(cell.held, cell.stated)):
            if stated and binom.cdf(held, stated, 0.91) < 0.001 / tests:
                item = 4 if k == 0 and cell.kind == "linear" else 2
                yield f"item {item}: {cell}: coefficient {k} holds {held} of {stated}"


def missed_of_tables(cells):
    near = [cell for cell in cells if cell.relative_noise < 0.15]
    for cell in near:
        if not 93 <= cell.slopes(cell.held) <= 97:
            yield f"item 1: {cell}: {cell.slopes(cell.held):.1f} %"
    yield from low_coefficients(near)
    yield from lost_coefficients(cells)
    far = [cell for cell in cells if 0.15 <= cell.relative_noise <= 0.3]
    stated = sum(cell.stated[1:].sum() for cell in far)
    held = sum(cell.held[1:].sum() for cell in far)
    if stated and not 92 <= 100 * held / stated <= 98:
        yield f"item 3: {100 * held / stated:.1f} %"


def lost_coefficients(cells):
    """Item 9: what is stated at epsilon and not at four times as much, by Fisher's exact test."""
    from scipy.stats import fisher_exact
    pairs = [(less, more) for less in cells for more in cells
             if (less.name, less.rows) == (more.name, more.rows)
             and more.epsilon == 4 * less.epsilon]
    tests = sum(len(less.stated) for less, _ in pairs)
    for less, more in pairs:
        for k, (before, after) in enumerate(zip(less.stated, more.stated)):
            counts = [[before, less.runs - before], [after, more.runs - after]]
            if fisher_exact(counts, alternative="greater").pvalue < 0.001 / tests:
                yield (f"item 9: {more}: coefficient {k} is stated {after} times in {more.runs}, and "
                       f"{before} times in {less.runs} at a quarter of the epsilon")


def missed_of_laws(cells):
    for cell in cells:
        row = cell.row()
        if not 93 <= row["coverage"] <= 97:
            yield f"{cell}: {row['coverage']:.1f} %"
        if not cell.known:
            continue
        if not 92 <= row["contrast"] <= 97:
            yield f"{cell}: contrasts {row['contrast']:.1f} %"
        if row["width bar"] and row["width"] > row["width bar"]:
            yield f"{cell}: width {row['width']:.2f}"
        if row["AdaSSP's width"] and len(cell.stated) == 11 and cell.rows == 10_000:
            if 3 * row["width"] > row["AdaSSP's width"]:
                yield f"{cell}: AdaSSP's intervals are less than three times as wide"
        if len(cell.stated) == 11 and cell.rows == 10_000 and cell.epsilon == 1 and row["naive"] > 92:
            yield f"{cell}: the naive formula holds {row['naive']:.1f} %"
    yield from low_coefficients(cells)
    size = 100 * sum(c.null_found for c in cells) / max(1, sum(c.nulls for c in cells))
    family = 100 * sum(c.family_errors for c in cells) / max(1, sum(c.families for c in cells))
    if size > 6.5:
        yield f"the 5 % Wald test finds {size:.1f} %"
    if family > 7:
        yield f"Holm's family error is {family:.1f} %"


def missed_of_alike(cells):
    alike = [cell for cell in cells if "alike" in cell.name]
    for cell in alike:
        if cell.stated.sum() and cell.slopes(cell.held) < 93:
            yield f"item 6: {cell}: {cell.slopes(cell.held):.1f} %"
    yield from (fault.replace("item 2", "item 6") for fault in low_coefficients(alike))


def missed_of_limits(cells):
    for cell in cells:
        if cell.kind != "logistic" or not cell.stated.sum():
            continue
        if cell.held.sum() and cell.slopes(cell.held) < 91:
            yield f"item 7: {cell}: {cell.slopes(cell.held):.1f} %"
        share = cell.stated.sum() / (cell.runs * len(cell.stated))
        if "stated" in cell.name and share < 0.95:
            yield f"item 7: {cell}: {100 * share:.0f} % stated"


MISSED = {"untouched": missed_of_tables, "known": missed_of_tables,
          "classes": missed_of_laws, "numbers": missed_of_laws, "alike": missed_of_alike,
          "limits": missed_of_limits}
