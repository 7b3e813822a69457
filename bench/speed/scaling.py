#!/usr/bin/env python3
"""How a private step's time grows with records, columns, steps and threads: measured and drawn.

    bench/speed/scaling.py [--build FOLDER] [--judge-only] [--picture FILE]

Runs scaling_bench: 10^4 to 10^7 records of 54 columns, 20,000 records of 10 to 10^4 columns, 1 to
1,000 steps over 100,000 records, and 2,000,000 records on 1, 2, .. threads. Judged by the slopes
between settings on logarithmic axes (1 is linear):

 * records from 10^5 on, and steps: between 0.85 and 1.15;
 * columns from 100 on: at most 1.15;
 * two threads take at most 0.65 of the time of one, where the machine has two.

The result goes to bench/speed/tables/scaling.md, the picture to
docs/explanations/scaling.svg. Exit code 1 when something does not hold.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import origin, picture, tables  # noqa: E402


ABOUT = "Seconds against records, columns, steps and threads"
ROOT = pathlib.Path(__file__).resolve().parents[2]
# part -> where slopes count from, least and most slope
SLOPES = {"rows": (100_000, 0.85, 1.15), "columns": (100, 0, 1.15), "steps": (1, 0.85, 1.15)}
MAX_OF_TWO_THREADS = 0.65


def measured(program):
    run = subprocess.run([program], check=True, capture_output=True, text=True)
    parts = {}
    for line in run.stdout.splitlines():
        part, x, seconds = line.split()
        parts.setdefault(part, []).append([int(x), float(seconds)])
    return parts


def slope(first, second):
    return math.log(second[1] / first[1]) / math.log(second[0] / first[0])


def missed(parts):
    found = []
    for part, (begin, least, most) in SLOPES.items():
        points = [point for point in parts[part] if point[0] >= begin]
        whole = slope(points[0], points[-1])
        print(f"{part:8} slope {whole:.3f} from {points[0][0]} to {points[-1][0]}")
        if not least <= whole <= most:
            found.append(f"{part} grow with slope {whole:.2f}")
    threads = dict(map(tuple, parts["threads"]))
    if 2 in threads:
        share = threads[2] / threads[1]
        print(f"threads  two take {share:.2f} of one's time")
        if share > MAX_OF_TWO_THREADS:
            found.append(f"two threads take {share:.2f} of the time of one")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "bench")
    parser.add_argument("--judge-only", action="store_true", help="of what was measured before")
    parser.add_argument("--picture", type=pathlib.Path,
                        default=ROOT / "docs" / "explanations" / "scaling.svg")
    options = parser.parse_args()
    if options.judge_only:
        parts = json.loads(tables.raw("speed/scaling").read_text(encoding="utf-8"))
    else:
        parts = measured(options.build / "bench" / "scaling_bench")
        tables.save("speed/scaling", parts)
        tables.keep("speed/scaling", ABOUT, "bench/speed/scaling.py",
                    {origin.machine()["cpu"]: [{"what": part, "count": count, "seconds": seconds}
                                               for part, points in parts.items()
                                               for count, seconds in points]})
    for part, points in parts.items():
        print(f"{part:8} " + ", ".join(f"{x}: {1e3 * y:.3g} ms" for x, y in points))
    names = {"rows": "records", "columns": "columns", "steps": "steps", "threads": "threads"}
    panels = [(names[part], [(names[part], points)]) for part, points in parts.items()
              if len(points) > 1]
    options.picture.write_text(picture.drawn(panels, "how many", "seconds"), encoding="utf-8")
    found = missed(parts)
    sys.exit("bench: " + "; ".join(found) if found else 0)


if __name__ == "__main__":
    main()
