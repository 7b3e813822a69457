"""Problems whose truth is known: records on a sphere or a subspace, sparse records of Zipf's law.

Each writer makes files of a training and a test half and a schema, the same for the same seed.
"""

import array
import math
import random


def npy(path, values, shape, kind):
    head = f"{{'descr': '{'<f4' if kind == 'f' else '<f8'}', 'fortran_order': False, " \
           f"'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        array.array(kind, values).tofile(file)


def on_sphere(source, dimension):
    x = [source.gauss(0, 1) for _ in range(dimension)]
    norm = math.sqrt(sum(v * v for v in x))
    return [v / norm for v in x]


def rows_of_problem(rows, columns, rank, source):
    """Rows on the unit sphere, of a subspace where rank > 0; y = clip(1.5 <x, theta> + 0.1 N)."""
    basis = [on_sphere(source, columns) for _ in range(rank)]
    for i, b in enumerate(basis):  # orthonormal, by Gram and Schmidt
        for other in basis[:i]:
            dot = sum(p * q for p, q in zip(b, other))
            b[:] = [p - dot * q for p, q in zip(b, other)]
        norm = math.sqrt(sum(p * p for p in b))
        b[:] = [p / norm for p in b]
    theta = on_sphere(source, rank or columns)
    for _ in range(2 * rows):  # half of them test
        z = on_sphere(source, rank or columns)
        y = 1.5 * sum(p * q for p, q in zip(z, theta)) + 0.1 * source.gauss(0, 1)
        x = z if not rank else [sum(c * b for c, b in zip(z, column)) for column in zip(*basis)]
        yield x, max(-1.0, min(1.0, y))


def write_problem(folder, name, shape, seed, shares=()):
    """Files of a training and a test half, and of the first shares of the training half."""
    rows, columns, rank = shape
    made = list(rows_of_problem(rows, columns, rank, random.Random(seed)))
    files = []
    parts = [("train", made[:rows]), ("test", made[rows:])]
    parts += [(f"part{share}", made[:round(share * rows)]) for share in shares]
    for part, records in parts:
        path = folder / f"{part}.npy"
        npy(path, [v for x, _ in records for v in x], (len(records), columns), "f")
        npy(folder / f"{part}.labels.npy", [y for _, y in records], (len(records),), "d")
        files.append(path)
    schema = folder / "problem.toml"
    schema.write_text(f"""name = "{name}"
public_row_count = {rows}
intercept = false
[format]
kind = "npy"
[target]
lower = -1
upper = 1
[features]
count = {columns}
lower = -1
upper = 1
""", encoding="utf-8")
    return schema, *files


def write_sparse(folder, seed, rows=4000, columns=50000, ones=20):
    """Rows of 20 ones at columns of Zipf's law; labels of a logistic model of norm 10.

    A hard problem: without privacy .684 are told right, since a weight says little of 20 in a row and
    most columns are rare. Descent is ahead of output perturbation on it, the columns worth having of
    both.
    """
    source = random.Random(seed)
    weights = [1 / (j + 1) for j in range(columns)]
    cumulative = [0.0]
    for w in weights:
        cumulative.append(cumulative[-1] + w)
    theta = [source.gauss(0, 1) for _ in range(columns)]
    files = []
    for part in ("train", "test"):
        lines = []
        for _ in range(rows):
            chosen = set()
            while len(chosen) < ones:
                chosen.add(source.choices(range(columns), cum_weights=cumulative[1:])[0])
            margin = sum(theta[j] for j in chosen) * 10 / ones
            label = "+1" if source.random() < 1 / (1 + math.exp(-margin)) else "-1"
            lines.append(label + "".join(f" {j + 1}:1" for j in sorted(chosen)) + "\n")
        path = folder / f"sparse_{part}.libsvm"
        path.write_text("".join(lines), encoding="utf-8")
        files.append(path)
    schema = folder / "sparse.toml"
    schema.write_text(f"""name = "sparse"
public_row_count = {rows}
row_scaling = "const"
intercept = false
[format]
kind = "libsvm"
[target]
positive = "+1"
negative = "-1"
[features]
count = {columns}
lower = 0
upper = 1
max_nonzero = {ones}
""", encoding="utf-8")
    return schema, *files
