"""Compares a rehearsal with the same fits made one by one:  rehearsed.py REPORT EPSILON METRIC FIGURES.json...

The last file is of the fit without protection."""
import json
import sys

from plan_numbers import rows_of

report, epsilon, metric, *files = sys.argv[1:]
[row] = [row for row in rows_of(json.load(open(report)), "rehearsal") if row[0] == float(epsilon)]
results = [json.load(open(name)) for name in files]
*fits, without = [result[metric] for result in results]
fits.sort()
baseline = results[-1].get("majority_share", 0)
expected = [float(epsilon), len(fits), fits[0], fits[len(fits) // 2], fits[-1], baseline, without]
print("same" if row == expected else (row, expected))
