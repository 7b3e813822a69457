#!/usr/bin/env python3
"""Writes tacet/random/exact/inverse_normal_table.inc: the approximations of the inverse normal
distribution function that the rounded Gaussian sampler evaluates in doubles.

Centre, |U - 1/2| <= 7/16: z = q P(r)/Q(r), r = 49/256 - q^2, rational minimax by Remez exchange
on the relative error; once as exact as doubles are, once coarser, for noise on fewer grid points.
Tail, 2^-30 <= t < 2^-4 for the tail probability t: one polynomial in t - centre for each sixteenth
of an octave, by interpolation at Chebyshev points.

The errors printed here are measured, not proved; inverse_normal_certificate_test.cc proves the
bounds that the sampler relies on. Needs mpmath.
"""
import sys

from mpmath import mp, mpf

mp.dps = 60
CENTRE_DEGREE = 7
COARSE_DEGREE = 5
TAIL_DEGREE = 7
PIECES = 16  # pieces per octave of the tail
FIRST_OCTAVE, LAST_OCTAVE = 30, 5  # t in [2^-30, 2^-4)
CENTRE_SQUARE = mpf(49) / 256
# Relative error allowed to the approximation, its evaluation and the product with sigma together;
# the certificate proves it.
ALLOWANCE = mpf(2) ** (-49)
# Of the wider bounds: which words the draws of one stream take depends on these, so they stay.
WIDE_ALLOWANCE = mpf(2) ** (-46)
COARSE_ALLOWANCE = mpf(2) ** mpf("-36.9")


def normal_upper_quantile(t):
    """z with P(Z > z) = t, for 0 < t <= 1/2."""
    z = mp.sqrt(-2 * mp.log(t)) if t < mpf("0.02") else (mpf("0.5") - t) * mp.sqrt(2 * mp.pi)
    for _ in range(200):
        step = (mp.erfc(z / mp.sqrt(2)) / 2 - t) * mp.sqrt(2 * mp.pi) * mp.exp(z * z / 2)
        step = max(min(step, mpf(1) / 2), -mpf(1) / 2)
        z += step
        if abs(step) < mpf(10) ** (-50):
            return z
    raise ArithmeticError("Newton's iteration did not settle")


def centre_ratio(r):
    """z(q)/q as a function of r = 49/256 - q^2."""
    q2 = CENTRE_SQUARE - r
    if q2 < mpf(10) ** (-25):
        return mp.sqrt(2 * mp.pi) * (1 + mp.pi * q2 / 3)
    q = mp.sqrt(q2)
    return normal_upper_quantile(mpf("0.5") - q) / q


def horner(coefficients, x):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def solve_reference(points, values, degree, levelled):
    """P, Q and the levelled error with P/Q = f (1 + (-1)^i E) at the reference points."""
    error = levelled
    for _ in range(30):
        size = 2 * degree + 2
        a, b = mp.matrix(size, size), mp.matrix(size, 1)
        for i, (x, f) in enumerate(zip(points, values)):
            sign = 1 if i % 2 == 0 else -1
            g = f * (1 + sign * error)
            for j in range(degree + 1):
                a[i, j] = x**j
            for j in range(1, degree + 1):
                a[i, degree + j] = -g * x**j
            # Linearised in E about the last value: f (1 + s E) Q, with Q of the last round.
            q_last = horner(solve_reference.q, x) if solve_reference.q else mpf(1)
            a[i, size - 1] = -f * sign * q_last
            b[i] = g
        solution = mp.lu_solve(a, b)
        p = [solution[j] for j in range(degree + 1)]
        q = [mpf(1)] + [solution[degree + j] for j in range(1, degree + 1)]
        solve_reference.q = q
        correction = solution[size - 1]
        error += correction
        if abs(correction) < abs(error) * mpf(10) ** (-12):
            break
    return p, q, error


def remez(degree):
    hi = CENTRE_SQUARE
    size = 2 * degree + 2
    points = [hi * (1 - mp.cos(mp.pi * i / (size - 1))) / 2 for i in range(size)]
    grid = [hi * (1 - mp.cos(mp.pi * i / 1200)) / 2 for i in range(1201)]
    truth = [centre_ratio(x) for x in grid]
    solve_reference.q = None
    error = mpf(0)
    for _ in range(12):
        values = [centre_ratio(x) for x in points]
        p, q, error = solve_reference(points, values, degree, error)
        stddev = [horner(p, x) / horner(q, x) / f - 1 for x, f in zip(grid, truth)]
        extrema, start = [], 0
        for i in range(1, len(grid) + 1):
            if i == len(grid) or (stddev[i] > 0) != (stddev[start] > 0):
                best = max(range(start, i), key=lambda k: abs(stddev[k]))
                extrema.append(best)
                start = i
        worst = max(abs(d) for d in stddev)
        if len(extrema) < size:
            break
        while len(extrema) > size:
            ends = (extrema[0], extrema[-1])
            extrema.remove(min(ends, key=lambda k: abs(stddev[k])))
        points = [grid[k] for k in extrema]
        if worst < abs(error) * mpf("1.01"):
            break
    print(f"centre: degree {degree}, relative error {mp.nstr(worst, 4)} "
          f"= 2^{mp.nstr(mp.log(worst, 2), 5)}", file=sys.stderr)
    return p, q


def tail_piece(low, high):
    """Coefficients in powers of (t - centre), lowest first."""
    centre, half = (low + high) / 2, (high - low) / 2
    n = TAIL_DEGREE + 1
    nodes = [mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    a = mp.matrix(n, n)
    b = mp.matrix(n, 1)
    for i, x in enumerate(nodes):
        for j in range(n):
            a[i, j] = x**j
        b[i] = normal_upper_quantile(centre + half * x)
    scaled = mp.lu_solve(a, b)
    coefficients = [float(scaled[j] / half**j) for j in range(n)]
    worst = mpf(0)
    for i in range(41):
        s = half * (mpf(i) / 20 - 1)
        exact = normal_upper_quantile(centre + s)
        worst = max(worst, abs(horner([mpf(c) for c in coefficients], s) / exact - 1))
    return coefficients, worst


def bound(z, half_cell, allowance=ALLOWANCE):
    """Error of the inverse for sigma = 1: the allowance, and half a cell of U over the density;
    a tenth more covers the roundings in comparing with it."""
    density = mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)
    return (z * allowance + half_cell / density) * mpf("1.1")


def write_array(out, name, rows):
    out.write(f"alignas(64) inline constexpr double {name} = {{\n")
    for i in range(0, len(rows), 4):
        out.write("    " + ", ".join(float(v).hex() for v in rows[i:i + 4]) + ",\n")
    out.write("};\n")


def main():
    centre = remez(CENTRE_DEGREE)
    coarse = remez(COARSE_DEGREE)
    pieces, bounds, margins = [], [], []
    worst = mpf(0)
    places = [(octave, i) for octave in range(FIRST_OCTAVE, LAST_OCTAVE - 1, -1)
              for i in range(PIECES)]
    # One piece beyond the top, for tail probabilities that round up to 2^-4.
    for octave, i in places + [(LAST_OCTAVE - 1, 0)]:
        base = mpf(2) ** (-octave)
        coefficients, error = tail_piece(base * (1 + mpf(i) / PIECES),
                                         base * (1 + mpf(i + 1) / PIECES))
        pieces.append(coefficients)
        # The cell may reach a little below the piece.
        z = normal_upper_quantile(base * (1 + mpf(i) / PIECES) * (1 - mpf(2) ** (-33)))
        bounds.append(bound(z, mpf(2) ** (-65), WIDE_ALLOWANCE))
        margins.append(bound(z, mpf(2) ** (-65)))
        worst = max(worst, error)
    print(f"tail: {len(pieces)} pieces, relative error {mp.nstr(worst, 4)} "
          f"= 2^{mp.nstr(mp.log(worst, 2), 5)}", file=sys.stderr)
    # Cells of the centre, 52 bits of U, reach 2^-52 beyond 7/16 at most.
    z_centre = normal_upper_quantile(mpf(1) / 16 - mpf(2) ** (-51))
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("// Made by scripts/make_inverse_normal.py; do not edit.\n// clang-format off\n")
        out.write("// Margins bound |A(centre of cell) - inverse(U)| for every U of the cell, sigma = 1. "
                  "Bounds are wider\n// ones, on which the words depend that draws of one stream "
                  "take.\n")
        for name, (p, q), allowance in (("centre", centre, ALLOWANCE),
                                        ("coarse", coarse, COARSE_ALLOWANCE)):
            write_array(out, f"{name}_numerator[{len(p)}]", p)
            write_array(out, f"{name}_denominator[{len(q)}]", q)
            if name == "centre":
                write_array(out, "centre_bound[1]", [bound(z_centre, mpf(2) ** (-53), WIDE_ALLOWANCE)])
            write_array(out, f"{name}_margin[1]", [bound(z_centre, mpf(2) ** (-53), allowance)])
        write_array(out, f"tail_bounds[{len(bounds)}]", bounds)
        write_array(out, f"tail_margins[{len(margins)}]", margins)
        out.write("// Coefficient i of piece j is at [j * tail_terms + i].\n")
        flat = [coefficient for piece in pieces for coefficient in piece]
        write_array(out, f"tail_coefficients[{len(flat)}]", flat)
        out.write("// clang-format on\n")


if __name__ == "__main__":
    main()
