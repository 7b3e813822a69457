#!/usr/bin/env python3
"""A second opinion on privacy receipts: check_receipt.py FILE...

Compares what a file states with what its events cost by the papers named at each function, with no
code of tacet; docs/how-to/check-a-receipt.md explains it.
Exit code 0: supported, 5: not supported, 6: cannot judge, 2: no receipt; of several the worst."""
import collections
import json
import math
import re
import signal
import sys
import types

import numpy as np
from scipy import optimize, special, stats

CELLS = 16000  # into which the values of a noise are cut
POINTS = 2**18  # of the grid on which losses are added
REACH = 37.5  # standard deviations: beyond them nothing is left in double precision
AGREEMENT = 1e-3  # relative: two correct computations may differ by their own errors
SECONDS = 50  # for one file
PROMISE = r"\((\S+), (\S+)\)-differential privacy under (\w+) neighbours"
FIELDS = {"gaussian": 2, "laplace": 2, "discrete_laplace": 3, "discrete_gaussian": 4, "pure_dp": 3,
          "approximate_dp": 4, "bounded_range": 3, "composed": 2, "repeated": 3, "partitioned": 3,
          "poisson_sampled": 3, "fixed_size_sampled": 4, "randomly_repeated": 6,
          "shuffled_local": 3, "objective_perturbation": 7}  # of each event, and no others
STATED = ("pure_dp", "approximate_dp", "bounded_range")  # known by a guarantee alone
# Probabilities on two neighbouring data sets, and bounds of log(p/q), in ascending order.
Cells = collections.namedtuple("Cells", "p q low high")
class CannotJudge(Exception):
    """Nothing that this script knows decides about the event."""
def number(event, key, least=0.0, most=math.inf, kinds=(int, float)):
    """A field of an event; a value that no receipt has there (NaN, a sign, text) is an error."""
    value = math.inf if event[key] == "inf" else event[key]
    if (not isinstance(value, kinds) or isinstance(value, bool) or not least <= value <= most
            or math.copysign(1, value) < 0):
        raise ValueError(f"{event.get('kind', 'the receipt')} has {key} {event[key]!r}")
    return value
def count(event, key, least=1):
    return number(event, key, least, kinds=int)
def mass_between(law, edges):
    return np.where(edges[1:] <= 0, np.diff(law.cdf(edges)), -np.diff(law.cdf(-edges)))
def noise_of(event):
    """(move of one record, masses of cells around a value, log densities at their ends if any)."""
    kind = event["kind"]
    if kind in ("gaussian", "laplace"):  # rounded after adding: a function of the real noise
        scale = number(event, "noise_multiplier", 1e-3)
        law = stats.norm if kind == "gaussian" else stats.laplace
        end = 2 / scale + (REACH if kind == "gaussian" else 0)  # Laplace: constant losses beyond
        inner = np.linspace(-end, end, CELLS + 1)
        edges = np.concatenate(([-np.inf], inner, [np.inf]))
        return (1 / scale, lambda at: mass_between(law, edges - at),
                lambda at: law.logpdf(inner - at))
    if kind != "discrete_laplace" and (kind != "discrete_gaussian" or event["dimension"] != 1):
        raise CannotJudge(kind)
    power, name = (1, "scale") if kind == "discrete_laplace" else (2, "sigma")
    move, scale = count(event, "sensitivity", 0), number(event, name, 0.01)
    reach = math.ceil(min(2 * move + 2 * REACH * scale, 2**20))
    if reach == 2**20:
        raise CannotJudge(f"{kind} on so many integers")
    values = np.arange(-reach, reach + 1.0)
    whole = np.exp(-np.abs(values / scale)**power / power).sum()
    return move, lambda at: np.exp(-np.abs((values - at) / scale)**power / power) / whole, None
def noise_pair(event, weights, both):
    """Noise around j records' move with weights[j], against noise around 0 or -j moves."""
    move, masses, density = noise_of(event)
    laws = weights, {-j: w for j, w in weights.items()} if both else {0: 1.0}
    p, q = (sum(w * masses(j * move) for j, w in law.items()) for law in laws)
    if density is None:
        p, q = p[(p > 0) & (q > 0)], q[(p > 0) & (q > 0)]
        return Cells(p, q, np.log(p / q), np.log(p / q))
    loss = np.subtract(*(special.logsumexp([math.log(w) + density(j * move)
                                            for j, w in law.items()], axis=0) for law in laws))
    first, last = (-np.inf, np.inf) if event["kind"] == "gaussian" else (loss[0], loss[-1])
    return Cells(p, q, np.append(first, loss), np.append(loss, last))
def stated_pair(event):
    """The worst pair: Kairouz, Oh, Viswanath 2015; bounded range: Dong, Durfee, Rogers 2020."""
    epsilon = number(event, "epsilon", 0, 700)
    if event["kind"] == "bounded_range" and epsilon > 1e-9:
        edges = np.linspace(-epsilon, epsilon, 4001)
        p = np.diff(np.exp(edges / 2)) / (2 * math.sinh(epsilon / 2))
        return Cells(p, p[::-1], edges[:-1], edges[1:])
    delta = number(event, "delta", 0, 1) if event["kind"] == "approximate_dp" else 0.0
    p = np.array([0, *((1 - delta) * special.expit([-epsilon, epsilon])), delta])
    loss = np.array([-np.inf, -epsilon, epsilon, np.inf])
    keep = slice(None) if delta > 0 else slice(1, 3)
    return Cells(p[keep], p[::-1][keep], loss[keep], loss[keep])
def pair_of(event, adjacency):
    samples = {"poisson_sampled": poisson_pair, "fixed_size_sampled": fixed_size_pair}
    if event["kind"] in samples:
        return samples[event["kind"]](event, adjacency)
    if event["kind"] not in STATED:
        return noise_pair(event, {1: 1.0}, adjacency == "replace_one")
    if event["adjacency"] != adjacency:
        raise CannotJudge(f"{event['kind']} for other neighbours")
    return stated_pair(event)
def mixed(cells, rate):
    """((1 - rate) Q + rate P, Q): a record that takes part with this probability."""
    with np.errstate(all="ignore"):
        loss = [np.log1p(rate * np.expm1(of)) for of in (cells.low, cells.high)]
    return Cells((1 - rate) * cells.q + rate * cells.p, cells.q, *loss)
def mirror(cells):
    return Cells(cells.q[::-1], cells.p[::-1], -cells.high[::-1], -cells.low[::-1])
def gathered(event):
    parts = flatten(event, "a sample")
    if not parts.leaves and 0 < parts.mu2 < math.inf:
        return {"kind": "gaussian", "noise_multiplier": 1 / math.sqrt(parts.mu2)}
    if parts.mu2 > 0 or list(parts.leaves.values()) != [1]:
        raise CannotJudge("releases of different kinds from one sample")
    return json.loads(*parts.leaves)
def poisson_pair(event, adjacency):
    """Every record joins by itself (Zhu, Dong, Wang 2022), a binomial number of those of a unit."""
    rate, base = number(event, "rate", 0, 1), gathered(event["base"])
    unit = count(event, "max_records_per_unit") if "max_records_per_unit" in event else 1
    if unit > (1000 if base["kind"] == "gaussian" else 1):
        raise CannotJudge(f"poisson_sampled {base['kind']} of units of {unit} records")
    if base["kind"] not in STATED:  # each record of a unit adds as much as any other
        weights = {j / unit: stats.binom.pmf(j, unit, rate) for j in range(unit + 1)}
        return noise_pair(base, {j: w for j, w in weights.items() if w > 0},
                          adjacency == "replace_one")
    if base["adjacency"] != adjacency or adjacency != "add_remove":
        raise CannotJudge(f"poisson_sampled {base['kind']} for these neighbours")
    return mixed(stated_pair(base), rate)
def fixed_size_pair(event, adjacency):
    """A uniform subset (Balle, Barthe, Gaboardi 2018, Theorem 9)."""
    base, size = gathered(event["base"]), count(event, "population")
    share = number(event, "sample_size", 0, size, int) / size
    if adjacency == "add_remove" or (base["kind"] in STATED and adjacency != "replace_one"):
        raise CannotJudge(f"fixed_size_sampled {base['kind']} under {adjacency}")
    cells = mixed(pair_of(base, "replace_one"), share)
    up = Cells(*(column[cells.low > -1e-12] for column in cells))
    up = up._replace(low=np.maximum(up.low, 0))
    rest = max(0, 1 - up.p.sum() - up.q.sum())
    return Cells(*(np.concatenate((below, [middle], above)) for below, middle, above in
                   zip(mirror(up), (rest, rest, 0, 0), up)))
def flatten(event, adjacency, times=1, into=None):
    """Gaussian noise as a sum of mu^2 (Dong, Roth, Su 2019), other releases with their counts."""
    into = into or types.SimpleNamespace(mu2=0.0, leaves=collections.Counter(), loose=False)
    kind = event["kind"]
    if kind == "composed":
        for part in event["parts"]:
            flatten(part, adjacency, times, into)
    elif kind == "repeated":
        flatten(event["base"], adjacency, times * count(event, "count"), into)
    elif kind == "gaussian":
        scale = number(event, "noise_multiplier") / (2 if adjacency == "replace_one" else 1)
        into.mu2 += times / scale**2 if scale > 0 else math.inf
    elif kind == "partitioned":  # of each release as much as any block has
        blocks = [flatten(part, adjacency) for part in blocks_of(event, adjacency)]
        into.mu2 += times * max(block.mu2 for block in blocks)
        for leaf in set().union(*(block.leaves for block in blocks)):
            into.leaves[leaf] += times * max(block.leaves[leaf] for block in blocks)
        into.loose |= any(block.loose or block.leaves != blocks[0].leaves or
                          (block.leaves and block.mu2 != blocks[0].mu2) for block in blocks)
    else:
        into.leaves[json.dumps(event, sort_keys=True)] += times
    return into
def blocks_of(event, adjacency):
    fits = {"by_position": ("zero_out", "replace_one"), "by_record": ("add_remove", "zero_out")}
    if not event["parts"] or adjacency not in fits[event["assignment"]]:
        raise CannotJudge(f"blocks {event['assignment']} under {adjacency}")
    return event["parts"]
def split(cells, step):
    """(places, masses, infinite mass) that dominates the cells (Doroshenko et al. 2022)."""
    p, q, low, high = (column[cells.p > 0] for column in cells)
    low = np.where(np.isneginf(low), high, low)  # the lowest losses move up
    down, up = np.floor(low / step + 1e-9), np.ceil(high / step - 1e-9)
    with np.errstate(all="ignore"):  # 1e-12: what rounding may hide moves up with the rest
        above = (p * (1 + 1e-12) - np.exp(down * step) * q) / -np.expm1((down - up) * step)
    above = np.where(np.isposinf(down), p, np.where(up > down, np.clip(above, 0, p), 0))
    start, end = np.isfinite(down), np.isfinite(up)
    return (np.concatenate((down[start], up[end])).astype(np.int64),
            np.concatenate(((p - above)[start], above[end])), above[~end].sum())
def merge(cells, step):
    """The same from below, by cells put together: who sees less learns less."""
    atoms, p, q, target = [], 0.0, 0.0, 0
    for new_p, new_q in zip(*(column[cells.q > 1e-280].tolist() for column in cells[:2])):
        grown = math.exp(target * step) if p > 0 else 0.0
        if 0 < p and p + new_p > grown * (q + new_q) and new_p > grown * new_q:
            share = min(1, max(0, (grown * q - p) / (new_p - grown * new_q)))
            atoms.append((target, p + share * new_p))
            p, q, new_p, new_q = 0.0, 0.0, (1 - share) * new_p, (1 - share) * new_q
        fresh, p, q = p <= 1e-280, p + new_p, q + new_q
        if fresh and p > 1e-280:
            place = math.log(p / q) / step
            target = math.ceil(place + 0.2)
            if abs(place - round(place)) < 1e-9:  # an atom that stands on the grid
                atoms.append((round(place), p))
                p = q = 0.0
    if p > 0:  # what is left: its loss is lowered to the grid
        atoms.append((math.floor(math.log(p / q) / step), p))
    places, masses = map(np.array, zip(*atoms))
    return places.astype(np.int64), masses, cells.p[cells.q <= 0].sum()
def log_moment(leaves, theta):  # theta times the Renyi divergence of order theta + 1
    return sum(times * special.logsumexp(theta * high + log_p) for log_p, high, times in leaves)
def least(function):  # (argument, value) of the minimum over a tilt between e^-9 and e^12
    found = optimize.minimize_scalar(lambda x: function(math.exp(x)), bounds=(-9, 12),
                                     method="bounded", options={"xatol": 0.02})
    return math.exp(found.x), found.fun
def grid_epsilon(leaves, delta, side, frame):
    """epsilon at delta of a sum of losses: errors raise it on side 1 and lower it on side -1."""
    theta, centre, step, start = frame
    tau = 10 * 2.0**-53 * math.log2(POINTS)  # twice what is proved of a transform of radix 2
    transform, rounding, scale, infinite = 1.0, 0.0, 0.0, 0.0
    for cells, times in leaves:
        places, masses, never = (split if side > 0 else merge)(cells, step)
        logs = np.log(masses[masses > 0]) + theta * step * places[masses > 0]
        one, bins = special.logsumexp(logs), places[masses > 0] % POINTS
        factor = np.fft.rfft(np.bincount(bins, np.exp(logs - one), POINTS))
        transform = transform * factor**times
        rounding = rounding + times * (tau / (np.abs(factor) + tau) + tau)
        scale, infinite = scale + times * one, infinite + times * never
    error = 2.0 * np.mean(np.abs(transform) * (rounding + tau))
    masses = np.maximum(np.roll(np.fft.irfft(transform, POINTS), -start) + side * error, 0)
    losses = step * (start + np.arange(POINTS)) - centre
    with np.errstate(over="ignore", invalid="ignore"):
        # delta(epsilon): the sum of p above epsilon less e^epsilon times that of q.
        p = np.cumsum((masses * np.exp(-theta * losses))[::-1])[::-1]
        q = np.cumsum((masses * np.exp(-(theta + 1) * losses))[::-1])[::-1]
        outside = side * 2 * math.exp(-60) * np.exp(-theta * losses)  # wrapped around, or left out
        wanted = (delta - infinite) * math.exp(min(700, theta * centre - scale))
        reached = np.flatnonzero(p - np.exp(losses) * q + outside > wanted)
    k = reached[-1] if len(reached) else -1
    if wanted <= 0 or not 0 <= k < POINTS - 1:
        return 0.0 if side < 0 else max(0.0, losses[0] + centre) if k < 0 < wanted else math.inf
    inner = math.log(max(p[k + 1] + outside[k] - wanted, 1e-300) / max(q[k + 1], 1e-300))
    return max(0.0, centre + min(max(inner, losses[k]), losses[k + 1])) * (1 + side * 1e-8)
def one_way(leaves, delta):
    """(lower, upper) end for one order; first guess: Canonne, Kamath, Steinke 2020."""
    finite = [(np.log(cells.p[keep]), cells.high[keep], times) for cells, times in leaves
              for keep in [(cells.p > 0) & np.isfinite(cells.high)]]
    guess = least(lambda t: (log_moment(finite, t) - math.log(delta * (t + 1))) / t
                  + math.log(t / (t + 1)))[1]
    low, high = 0.0, math.inf
    for _ in range(2):  # then from the first result
        theta, here = least(lambda t: log_moment(finite, t) - t * guess)
        here += theta * guess - 60
        top, bottom = (sign * least(lambda s: (log_moment(finite, theta + sign * s) - here) / s)[1]
                       for sign in (1, -1))
        step = max(top - bottom, 1e-9) * 1.01 / POINTS
        for atom in [cells.high[-1] for cells, _ in leaves if len(cells.p) == 2 and cells.high[-1]]:
            step = min(step, atom / math.ceil(atom / step))  # the losses of a pure guarantee
        frame = theta, guess, step, math.floor(bottom / step)
        high = min(high, grid_epsilon(leaves, delta, 1, frame))
        low = max(low, grid_epsilon(leaves, delta, -1, frame))
        guess = min(high, guess)
    return low, high
def gaussian_delta(epsilon, mu):
    """Balle, Wang 2018, Theorem 8, for every real epsilon."""
    if mu == 0:
        return np.maximum(0.0, -np.expm1(epsilon))
    first = special.log_ndtr(mu / 2 - epsilon / mu)
    second = epsilon + special.log_ndtr(-mu / 2 - epsilon / mu)
    return np.exp(first) * -np.expm1(np.minimum(second - first, 0))
def root(delta_at, delta):  # where a falling delta(epsilon) reaches delta; 0 is never reached
    top = next((e for e in (0.0, *2.0**np.arange(10)) if delta_at(e) <= delta > 0), math.inf)
    return top if top in (0, math.inf) else optimize.brentq(
        lambda e: delta_at(e) - delta, 0, top, rtol=1e-12, xtol=1e-14)
def composition(event, adjacency, delta):
    parts = flatten(event, adjacency)
    leaves = [(pair_of(json.loads(leaf), adjacency), times) for leaf, times in parts.leaves.items()]
    if delta == 0 or not leaves or math.isinf(parts.mu2):  # pure epsilons add up; or a closed form
        exact = sum(times * max(-cells.low[0], cells.high[-1]) for cells, times in leaves)
        if parts.mu2 > 0 or (exact > 0 and "discrete_gaussian" in str(parts.leaves)):
            exact = math.inf if delta == 0 or math.isinf(parts.mu2) else root(
                lambda e: float(gaussian_delta(e, math.sqrt(parts.mu2))), delta)
        return 0.0 if parts.loose else exact * (1 - 1e-9), exact * (1 + 1e-9)
    if parts.mu2 > 0:
        noise = {"kind": "gaussian", "noise_multiplier": 1 / math.sqrt(parts.mu2)}
        leaves.append((noise_pair(noise, {1: 1.0}, False), 1))
    low, high = map(max, zip(one_way(leaves, delta),
                             one_way([(mirror(cells), times) for cells, times in leaves], delta)))
    return 0.0 if parts.loose or "bounded_range" in str(parts.leaves) else low, high
def tuned_epsilon(event, adjacency, delta):
    """The best of K runs, K random (Papernot, Steinke 2022; Koskela, Redberg, Wang 2024)."""
    base = event["base"]
    runs = [flatten(run, adjacency) for run in
            (blocks_of(base, adjacency) if base["kind"] == "partitioned" else [base])]
    if any(run.leaves for run in runs) or event["law"] != "truncated_negative_binomial":
        raise CannotJudge("randomly_repeated runs of such kinds, or by such a law")
    mu, eta, gamma = max(run.mu2 for run in runs)**0.5, event["eta"], number(event, "gamma", 0, 1)
    law = stats.nbinom(eta, gamma) if number(event, "eta") else stats.logser(1 - gamma)
    present = -math.expm1(eta * math.log(gamma)) if eta else 1.0
    shift = (1 + eta) * optimize.brentq(
        lambda x: gamma * math.expm1(x) - (1 - gamma) * gaussian_delta(x, mu), 0, -math.log(gamma))
    beyond = law.sf(event["cap"]) / present if count(event, "cap", 0) else 0.0
    return 0.0, root(lambda e: float(law.mean() / present * gaussian_delta(e - shift, mu)
                                     + (1 + math.exp(e)) * beyond), delta)
def shuffled_epsilon(event, adjacency, delta):
    """Clones among the other reports hide one (Feldman, McMillan, Talwar 2021)."""
    local, reports = number(event, "local_epsilon", 1e-9, 600), count(event, "reports")
    if adjacency != "replace_one" or reports > 10**9:
        raise CannotJudge(f"shuffled_local under {adjacency}")
    truth, clones = special.expit(local), stats.binom(reports - 1, math.exp(-local))
    low, high = clones.mean() + np.array([-1, 1]) * (12 * clones.std() + 400)
    others = np.arange(max(0, low // 1), min(reports - 1, high) + 1)
    def delta_at(e):
        big = math.exp(e)
        k = (others + 1) * (big * truth - 1 + truth) / ((1 + big) * (2 * truth - 1)) // 1 + 1
        one, two = (stats.binom.sf(k - shift, others, 0.5) for shift in (2, 1))
        each = truth * one + (1 - truth) * two - big * ((1 - truth) * one + truth * two)
        weights = clones.pmf(others)
        return float((weights * np.maximum(each, 0)).sum() + max(0, 1 - weights.sum()))
    exact = min(local, root(lambda e: delta_at(e) if e < local else 0.0, delta))
    return exact * (1 - 1e-6), exact * (1 + 1e-6)
def objective_epsilon(event, adjacency, delta):
    """Objective perturbation (Kifer, Smith, Thakurta 2012; Redberg, Koskela, Wang 2023)."""
    strength = number(event, "regularization", 1e-300)
    s = number(event, "lipschitz") / number(event, "sigma", 1e-300)
    c = math.log1p(number(event, "smoothness") / strength)
    mu = 2 * number(event, "tolerance") / (strength * number(event, "output_sigma", 1e-300))
    edges = np.linspace(0, REACH, 4001)
    mass = 2 * mass_between(stats.norm, edges)
    means = np.clip(-2 * np.diff(stats.norm.pdf(edges)) / mass, edges[:-1], edges[1:])
    share = (means - edges[:-1]) / np.diff(edges)
    def mean_delta(e, move):  # convex in the loss: the chord of each cell lies above
        ends = gaussian_delta(e - c - move**2 / 2 - move * edges, mu)
        return float((mass * ((1 - share) * ends[:-1] + share * ends[1:])).sum())
    def delta_at(e):  # a replaced record moves by 2 s cos t and 2 s sin t, at a right angle
        if adjacency != "replace_one":
            return mean_delta(e, s)
        moves = 2 * s * np.exp(1j * np.linspace(0, math.pi / 4, 65))
        along, across = ([mean_delta(e, move) for move in of] for of in (moves.real, moves.imag))
        return max(map(sum, zip(along, across[1:]))) - float(gaussian_delta(e - c, mu))
    exact = root(delta_at, delta)  # the chords cost less than a tenth of AGREEMENT
    return exact * (1 - AGREEMENT), exact
def cost(event, adjacency, delta):  # (lower, upper) end of epsilon
    if event["kind"] == "composed" and len(event["parts"]) == 1:
        return cost(event["parts"][0], adjacency, delta)
    if event["kind"] == "partitioned":
        ends = [cost(part, adjacency, delta) for part in blocks_of(event, adjacency)]
        return tuple(map(max, zip(*ends)))
    own = {"randomly_repeated": tuned_epsilon, "shuffled_local": shuffled_epsilon,
           "objective_perturbation": objective_epsilon}
    return own.get(event["kind"], composition)(event, adjacency, delta)
def read(path):  # the receipt; (epsilon, delta, adjacency) of it and of the sentence beside it
    def once(pairs):
        found = dict(pairs)
        unit = found.get("kind") == "poisson_sampled" and "max_records_per_unit" in found
        if not len(pairs) == len(found) <= FIELDS.get(found.get("kind"), len(found)) + unit:
            raise ValueError(f"a key occurs twice, or none of its event: {list(found)}")
        return found
    with open(path, "rb") as file:
        content, rest = file.read(2**27), b""
    if not content.startswith((b"{\n", b"{\r")):
        content, _, rest = content.partition(b"\n")
    tree = json.loads(content, object_pairs_hook=once)
    receipt = tree.get("receipt", tree)
    stated = receipt["guarantee"]
    claims = [(number(stated, "epsilon"), number(stated, "delta", 0, 1), stated["adjacency"])]
    claims += [(float(epsilon), float(delta), adjacency)
               for epsilon, delta, adjacency in re.findall(PROMISE, tree.get("privacy", ""))]
    if (any(claim[2] not in ("add_remove", "zero_out", "replace_one") or 0 < claim[1] < 1e-290
            for claim in claims) or {x.get("version") for x in (receipt, receipt["events"])} != {1}
            or not re.match(PROMISE + "|UNPROTECTED|No privacy|$", tree.get("privacy", ""))
            or (rest.strip() and tree["model"]["kind"] != "wide")):  # its numbers follow a line
        raise ValueError("unknown version, neighbours or sentence, tiny delta, or further lines")
    return receipt, claims
def judge_claim(receipt, epsilon, delta, adjacency):  # (exit code, answer)
    said = f"stated: epsilon {epsilon:.9g} at delta {delta:.9g} under {adjacency}"
    share = number(receipt, "prg_slack", 0, 1) * (1 + math.exp(min(epsilon, 700)))  # the cipher's
    if receipt["protected"] is not True:
        return 6, "cannot judge: it states itself that nothing is protected"
    if share >= (delta or 1e-12) or receipt["randomness"] != "secure":
        return 5, f"not supported: noise of a known seed, or too few bits of it ({said})"
    try:
        low, high = cost(receipt["events"]["event"], adjacency, delta - share if delta else 0.0)
    except CannotJudge as reason:
        return 6, f"cannot judge: {reason} ({said})"
    if epsilon < low:
        return 5, f"not supported: at least {low:.9g} ({said})"
    if high <= epsilon * (1 + AGREEMENT):
        return 0, f"supported: at most {high:.9g} ({said})"
    return 6, f"cannot judge: at least {low:.9g}, at most {high:.9g} ({said})"
def judge(path):  # the worst answer to what a receipt and its sentence state
    try:
        receipt, claims = read(path)
        answers = [judge_claim(receipt, *claim) for claim in claims]
        return max(answers, key=lambda answer: (0, 6, 5).index(answer[0]))
    except CannotJudge as reason:
        return 6, f"cannot judge: {reason}"
    except Exception as error:  # pylint: disable=broad-exception-caught
        return 2, f"no receipt: {error!r}"
def in_time(path):  # within a minute, where the system has alarms
    def stop(*_):
        raise CannotJudge(f"it takes more than {SECONDS} seconds")
    alarm = getattr(signal, "alarm", int)
    if alarm is not int:
        signal.signal(signal.SIGALRM, stop)
    alarm(SECONDS)
    code, answer = judge(path)
    alarm(0)
    return code, answer.encode("unicode_escape").decode()  # a text of the file adds no line
if __name__ == "__main__":
    results = [in_time(name) for name in sys.argv[1:]] or [(2, __doc__)]
    sys.stdout.reconfigure(errors="backslashreplace")
    for name, (_, answer) in zip(sys.argv[1:] or ["usage"], results):
        print(f"{name}: {answer}")
    sys.exit(max((code for code, _ in results), key=(0, 6, 5, 2).index))
