"""What bench/speed/python.py runs in an environment of its own, a process each:

    python_sides.py prepare DATA FOLDER         tables as arrays for both packages (needs tacet)
    python_sides.py ours FOLDER DATA SEEDS      models of this package
    python_sides.py theirs FOLDER SEEDS         models of diffprivlib
    python_sides.py fit-array NPY ROWS          processor seconds of a fit from an array, and so on

Each prints one line of JSON.
"""

import json
import os
import pathlib
import sys
import threading
import time
import warnings

import numpy as np

EPSILONS = (0.1, 1, 4)
STRENGTHS = (0.01, 0.1, 1, 10, 100)  # of C, whose default is 1
SETS = {"adult": "accuracy", "bank_marketing": "accuracy", "california_housing": "r2"}
DELTA = 1e-5


def frames(name, data):
    """Training and test records; where there is no published test part every fifth record tests."""
    import pandas

    def read(path):
        return pandas.read_csv(path, keep_default_na=False, na_values=[""])

    folder = data / {"adult": "adult", "bank_marketing": "bank_marketing",
                     "california_housing": "california_housing"}[name]
    if name == "adult":
        return read(folder / "adult.train.csv.gz"), read(folder / "adult.test.csv.gz")
    file, = folder.glob("*.csv.gz")
    table = read(file)
    tests = np.arange(len(table)) % 5 == 4
    return table[~tests].reset_index(drop=True), table[tests].reset_index(drop=True)


def schema_of(name):
    import tacet

    return getattr(tacet.schemas, name)()


def encoded(table, columns):
    """Numbers from 0 to 1 by their public bounds, categories as indicators: no entry is larger than
    1, and a row no longer than the root of the number of columns."""
    parts = []
    for column in columns:
        for name in column.get("names", [column.get("name")]):
            if column["kind"] == "categorical":
                known = column["categories"]
                words = table[name].astype(str).str.strip().to_numpy()
                parts += [(words == category).astype(float) for category in known]
            elif column["kind"] == "numeric":
                lower, upper = column["lower"], column["upper"]
                values = table[name].to_numpy(dtype=float)
                fill = column.get("fill", (lower + upper) / 2)
                values = np.clip(np.where(np.isnan(values), fill, values), lower, upper)
                if column.get("log1p"):
                    lower, upper = 0.0, np.log1p(upper - lower)
                    values = np.log1p(values - column["lower"])
                parts.append((values - lower) / (upper - lower))
    return np.column_stack(parts)


def target_of(table, target):
    values = table[target["column"]]
    if "positive" not in target:
        return values.to_numpy(dtype=float)
    positive = target["positive"]
    known = positive if isinstance(positive, list) else [positive]
    return values.astype(str).str.strip().isin(known).to_numpy().astype(int)


def prepare(data, folder):
    for name in SETS:
        keys = schema_of(name).to_dict()
        columns = [column for column in keys["column"] if column["kind"] != "ignored"]
        train, test = frames(name, data)
        target = keys["target"]
        np.savez(folder / f"{name}.npz",
                 X=encoded(train, columns), y=target_of(train, target),
                 X_test=encoded(test, columns), y_test=target_of(test, target),
                 norm=np.sqrt(sum(len(column.get("names", [0])) for column in columns)),
                 bounds=[target.get("lower", 0), target.get("upper", 1)])
    return {"sets": list(SETS)}


def timed(fit):
    begun = time.perf_counter()
    model = fit()
    return model, time.perf_counter() - begun


def row(name, way, epsilon, runs):
    scores, seconds = zip(*runs)
    return {"data": name, "metric": SETS[name], "way": way, "epsilon": epsilon,
            "scores": [round(float(score), 5) for score in scores],
            "seconds": round(float(np.median(seconds)), 4)}


def ours(folder, data, seeds):
    import tacet

    warnings.simplefilter("ignore", tacet.PrivacyWarning)
    rows = []
    ways = {"tacet": {"delta": DELTA, "adjacency": "add_remove"}, "tacet, pure": {"delta": 0}}
    for name in SETS:
        schema = schema_of(name)
        train, test = frames(name, data)
        kind = tacet.LogisticRegression if schema.classes else tacet.Ridge
        truth = test[schema.target].astype(str).str.strip(". ").to_numpy() if schema.classes \
            else test[schema.target].to_numpy()
        for way, law in ways.items():
            for epsilon in EPSILONS:
                runs = []
                for seed in range(1, seeds + 1):
                    model = kind(epsilon=epsilon, schema=schema, threads=1, random_state=seed,
                                 public_row_count=len(train), **law)
                    fitted, seconds = timed(lambda model=model: model.fit(train))
                    runs.append((fitted.score(test, truth), seconds))
                rows.append(row(name, way, epsilon, runs))
    return {"rows": rows, "version": tacet.__version__}


def theirs(folder, seeds):
    import diffprivlib
    import sklearn
    from diffprivlib.models import LinearRegression, LogisticRegression

    warnings.simplefilter("ignore")
    rows = []
    for name, metric in SETS.items():
        kept = np.load(folder / f"{name}.npz")
        X, y, X_test, y_test = (kept[key] for key in ("X", "y", "X_test", "y_test"))
        for epsilon in EPSILONS:
            best = {}
            for strength in STRENGTHS if metric == "accuracy" else (1,):
                runs = []
                for seed in range(1, seeds + 1):
                    if metric == "accuracy":
                        model = LogisticRegression(epsilon=epsilon, data_norm=float(kept["norm"]),
                                                   C=strength, random_state=seed)
                    else:
                        model = LinearRegression(epsilon=epsilon, bounds_X=(0, 1),
                                                 bounds_y=tuple(kept["bounds"]), random_state=seed)
                    fitted, seconds = timed(lambda model=model: model.fit(X, y))
                    runs.append((fitted.score(X_test, y_test), seconds))
                found = row(name, "diffprivlib", epsilon, runs)
                best[np.median(found["scores"])] = {
                    **found, "way": f"diffprivlib, best of {len(STRENGTHS)} C", "C": strength}
                if strength == 1:
                    rows.append(found)
            if metric == "accuracy":
                rows.append(best[max(best)])
    return {"rows": rows, "version": diffprivlib.__version__, "scikit-learn": sklearn.__version__}


# Speed and memory: each in a process of its own, one thread of work.

FIT = {"epsilon": 1, "delta": 1e-6, "threads": 1, "random_state": 1}


def array_model(rows, **more):
    import tacet

    warnings.simplefilter("ignore", tacet.PrivacyWarning)
    return tacet.LogisticRegression(bounds=(-1, 1), classes=[0, 1], public_row_count=rows,
                                    **{**FIT, **more})


def array_of(path):
    return np.load(path), np.load(path.with_suffix(".labels.npy"))


def warm_up(rows=1000):
    """Loads everything that a first fit loads."""
    X = np.linspace(-1, 1, rows * 2).reshape(rows, 2)
    array_model(rows).fit(X, np.arange(rows) % 2).predict(X)


def cpu_of(work):
    begun = time.process_time()
    work()
    return time.process_time() - begun


def fit_array(path):
    X, y = array_of(path)
    warm_up()
    model = array_model(len(X))
    return {"cpu_seconds": cpu_of(lambda: model.fit(X, y))}


def fit_adult(path):
    import pandas
    import tacet

    train = pandas.read_csv(path, na_filter=False)
    warm_up()
    schema = tacet.schemas.adult()
    model = tacet.LogisticRegression(schema=schema, **FIT)
    return {"cpu_seconds": cpu_of(lambda: model.fit(train))}


def predict_array(path):
    X, y = array_of(path)
    model = array_model(len(X), steps=5).fit(X, y)
    found = []
    for _ in range(5):
        begun = time.perf_counter()
        model.predict(X)
        found.append(len(X) / (time.perf_counter() - begun))
    return {"rows_per_second": float(np.median(found))}


def busy_thread(path):
    """Seconds of a fit alone, and beside a thread that computes in Python; in turns."""
    X, y = array_of(path)
    X, y = np.ascontiguousarray(X[:100000]), y[:100000]
    warm_up()
    model = array_model(len(X), steps=300, callback=lambda *_: None)
    ended = threading.Event()

    def spin():
        while not ended.is_set():
            sum(range(1000))

    ratios = []
    for _ in range(5):
        alone = timed(lambda: model.fit(X, y))[1]
        ended.clear()
        other = threading.Thread(target=spin)
        other.start()
        beside = timed(lambda: model.fit(X, y))[1]
        ended.set()
        other.join()
        ratios.append(beside / alone)
    return {"ratio": float(np.median(ratios)), "seconds_alone": alone}


def status(key):
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key)) * 1024


def peak_of(work):
    """Bytes beyond what is held before, at the most."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    held = status("VmRSS")
    work()
    return status("VmHWM") - held


def memory_array(path):
    X, y = array_of(path)
    warm_up()
    model = array_model(len(X), steps=5)
    return {"bytes": peak_of(lambda: model.fit(X, y)), "encoded": len(X) * (2 * 55 + 16)}


def memory_arrow(path):
    import polars
    import tacet

    X, y = array_of(path)
    names = [f"x{k}" for k in range(X.shape[1])]
    table = polars.DataFrame({**{name: X[:, k].copy() for k, name in enumerate(names)}, "y": y})
    del X
    schema = tacet.Schema([tacet.numeric(name, -1, 1) for name in names], public_row_count=len(y),
                          target=tacet.binary("y", positive="1", negative="0"))
    warm_up()
    # Without splines: encoded records are then as wide as the array's.
    model = tacet.LogisticRegression(schema=schema, steps=5, knots="none", **FIT)
    return {"bytes": peak_of(lambda: model.fit(table)), "encoded": len(y) * (2 * 55 + 16)}


ALONE = {"fit-array": fit_array, "fit-adult": fit_adult, "predict-array": predict_array,
         "busy-thread": busy_thread, "memory-array": memory_array, "memory-arrow": memory_arrow}


def main(what, *words):
    if what in ALONE:
        return ALONE[what](pathlib.Path(words[0]))
    if what == "prepare":
        return prepare(pathlib.Path(words[0]), pathlib.Path(words[1]))
    if what == "ours":
        return ours(pathlib.Path(words[0]), pathlib.Path(words[1]), int(words[2]))
    return theirs(pathlib.Path(words[0]), int(words[1]))


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    print(json.dumps(main(*sys.argv[1:])))
