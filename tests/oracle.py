"""What SPEC defines, as plain loops: the package is held against this, and this against SPEC.

Nothing here is fast or clever. Sections are those of SPEC. Throughout:

- a *ranking* is a list of rows ``(doc_id, score, rank)`` in the order of the input;
- ``grades`` is ``{doc_id: grade}``, the judgments of one request;
- ``items`` are the relevant items of a request in one run, by recall level: ``(position, grade)``,
  with the position None for an item that was not retrieved;
- ``p`` are their positions alone: p[0] is the SPEC's p_1;
- ``d`` holds the preferences of one measure: ``{(request, run_a, run_b): Δ}``, run_a < run_b.
"""

import math
import struct
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product

INF = math.inf
SAME = 1e-10
"""Aggregates that differ by no more are one number, summed in another order."""
TIE = 1e-12
"""A weighted preference or a difference of metrics as small as this is a tie (section 4)."""


# --- Section 2: from runs and qrels to positions ------------------------------------------------


def float32(score):
    """Round a score to single precision, as trec_eval up to 9.0.8 does (section 2)."""
    try:
        return struct.unpack("f", struct.pack("f", score))[0]
    except OverflowError:
        return math.copysign(INF, score)


def order(ranking, ties="doc_id_desc", score_type="float64"):
    """Order the documents by score, then by the tie policy; a document counts once (section 2)."""
    rows = list(ranking)
    if ties == "doc_id_desc":
        rows.sort(key=lambda row: row[0].encode(), reverse=True)
    elif ties == "doc_id_asc":
        rows.sort(key=lambda row: row[0].encode())
    elif ties == "rank":
        rows.sort(key=lambda row: row[2])
    comparable = float32 if score_type == "float32" else float
    rows.sort(key=lambda row: comparable(row[1]), reverse=True)  # keeps the order of equal scores
    return list(dict.fromkeys(doc_id for doc_id, _, _ in rows))


def is_relevant(grade, rel=None):
    """A positive grade, or, when rel is given, one from rel (section 1)."""
    return grade > 0 if rel is None else grade >= rel


def relevant_items(grades, rel=None):
    """R: the relevant documents with their grades (section 1)."""
    return {doc_id: grade for doc_id, grade in grades.items() if is_relevant(grade, rel)}


def position(ordered, doc_id):
    """The rank of a document from 1; None when it was not retrieved (section 1)."""
    return ordered.index(doc_id) + 1 if doc_id in ordered else None


def project(ordered, grades, rel=None):
    """The items by recall level; omitted ones last, in increasing order of grade (section 2)."""
    found, omitted = [], []
    for doc_id, grade in relevant_items(grades, rel).items():
        p = position(ordered, doc_id)
        (omitted if p is None else found).append((p, grade))
    return sorted(found) + sorted(omitted, key=lambda item: item[1])


def positions_of(items, grade=-INF):
    """p of R_λ: the positions of the items of a grade or above (sections 1 and 2)."""
    return [p for p, y in items if y >= grade]


def impute_pessimistic(items, n):
    """Omitted items take the last places of the corpus, n − (m − i) for level i (section 2)."""
    m = len(items)
    return [(n - (m - i) if p is None else p, y) for i, (p, y) in enumerate(items, start=1)]


def impute_optimistic(items, n_retrieved):
    """Omitted items take the places ñ+1, ñ+2 ..., the highest grade first (section 2)."""
    omitted = sorted((y for p, y in items if p is None), reverse=True)
    return [item for item in items if item[0] is not None] + [
        (n_retrieved + j, y) for j, y in enumerate(omitted, start=1)
    ]


def pool_size(orders, grades, rel=None):
    """The distinct items in the union of all rankings and relevant items (section 2)."""
    return len(set().union(*orders, relevant_items(grades, rel)))


def condensed(ranking, grades):
    """Without the unjudged documents; a negative grade says unjudged (sections 1 and 2)."""
    return [row for row in ranking if grades.get(row[0], -1) >= 0]


def tied_groups(ranking, score_type="float64"):
    """The documents of each score, the greatest first (section 2)."""
    comparable = float32 if score_type == "float32" else float
    groups = {}
    for doc_id, score, _ in sorted(ranking, key=lambda row: -comparable(row[1])):
        groups.setdefault(comparable(score), {})[doc_id] = None
    kept, seen = [], set()
    for group in groups.values():
        kept.append([doc_id for doc_id in group if doc_id not in seen])
        seen.update(group)
    return kept


def every_order(ranking, score_type="float64"):
    """All rankings that the order of equal scores leaves open."""
    for groups in product(*map(permutations, tied_groups(ranking, score_type))):
        yield [doc_id for group in groups for doc_id in group]


def extremes(answers, judgments, measure, *, rel=None, no_relevant="drop", score_type="float64"):
    """The least and the greatest mean over requests of one run that any order of ties can give."""
    least, greatest = [], []
    for query_id, grades in judgments.items():
        if relevant_items(grades, rel):
            orders = every_order(answers.get(query_id, []), score_type)
            values = [measure(project(ordered, grades, rel)) for ordered in orders]
            least.append(min(values))
            greatest.append(max(values))
        elif no_relevant == "zero":
            least.append(0.0)
            greatest.append(0.0)
    return math.fsum(least) / len(least), math.fsum(greatest) / len(greatest)


def coverage(answers, judgments, rel=None, score_type="float64"):
    """The counts of one run, from {query: ranking} and {query: grades} (section 2)."""
    counts = dict.fromkeys(["answered", "missing", "without_relevant"], 0)
    counts |= dict.fromkeys(["retrieved", "judged", "relevant_retrieved", "duplicates"], 0)
    counts |= {"unjudged_removed": 0}  # what `unjudged="remove"` counts; rankings are whole here
    counts["tied_relevant"] = counts["depth"] = counts["negative"] = counts["one_score"] = 0
    counts["own_first"] = 0
    for query_id, grades in judgments.items():
        ranking = answers.get(query_id, [])
        retrieved = {doc_id for doc_id, _, _ in ranking}
        relevant = relevant_items(grades, rel)
        counts["answered"] += bool(ranking)
        counts["missing"] += not ranking
        counts["without_relevant"] += not relevant
        counts["retrieved"] += len(retrieved)
        counts["depth"] = max(counts["depth"], len(retrieved))
        counts["negative"] += sum(grades.get(doc_id, 0) < 0 for doc_id in retrieved)
        counts["judged"] += sum(grades.get(doc_id, -1) >= 0 for doc_id in retrieved)
        counts["relevant_retrieved"] += len(retrieved & set(relevant))
        all_groups = [*filter(None, tied_groups(ranking, score_type))]
        counts["one_score"] += len(all_groups) == 1 and len(all_groups[0]) > 1
        first = [*all_groups[0]] if all_groups else []
        counts["own_first"] += first == [query_id] and query_id not in grades
        groups = [group for group in all_groups if len(group) > 1]
        counts["tied_relevant"] += sum(len({*group} & {*relevant}) for group in groups)
        counts["duplicates"] += len(ranking) - len(retrieved)
    counts["requests"] = len(judgments)
    counts["extra"] = len(set(answers) - set(judgments))
    return counts


# --- Section 3: metrics -------------------------------------------------------------------------


def recall_level(p, e, z):
    """μ = Σ_i e(p_i) · z(i, m); an item that was not retrieved has exposure 0 (section 3)."""
    m = len(p)
    return math.fsum(e(p[i - 1]) * z(i, m) for i in range(1, m + 1) if p[i - 1] is not None)


def cut(p, k):
    """Drop the positions beyond k and keep m: cut-offs (section 3)."""
    return [p_i if p_i is not None and p_i <= k else None for p_i in p]


def AP(p):
    """e = 1/p, z = i/m (section 3)."""
    return recall_level(p, lambda p: 1 / p, lambda i, m: i / m)


def RR(p, level=1):
    """e = 1/p, z = 1 if i = level (section 3)."""
    return recall_level(p, lambda p: 1 / p, lambda i, m: float(i == level))


def nDCG(items, k=INF, gain=lambda y: y):
    """Σ gain / log2(rank + 1) up to k, over that of the ideal, cut off too (section 3)."""
    ideal = sorted((y for _, y in items), reverse=True)
    seen = [(p, y) for p, y in items if p is not None and p <= k]
    best = [(p, y) for p, y in enumerate(ideal, start=1) if p <= k]
    return math.fsum(gain(y) / math.log2(p + 1) for p, y in seen) / math.fsum(
        gain(y) / math.log2(p + 1) for p, y in best
    )


def exponential_gain(y):
    """2^y − 1: the other gain of nDCG (section 3)."""
    return 2**y - 1


def RBP(p, gamma=0.8):
    """e = (1 − γ) γ^(p−1), z = 1 (section 3)."""
    return recall_level(p, lambda p: (1 - gamma) * gamma ** (p - 1), lambda i, m: 1)


def linear(p, n):
    """e = 1 − p/n, z = 1/m (section 3)."""
    return recall_level(p, lambda p: 1 - p / n, lambda i, m: 1 / m)


def R(p, k=INF):
    """e = 1 if p ≤ k, z = 1/m (section 3)."""
    return recall_level(p, lambda p: float(p <= k), lambda i, m: 1 / m)


def P(p, k):
    """e = 1 if p ≤ k, z = 1/k (section 3)."""
    return recall_level(p, lambda p: float(p <= k), lambda i, m: 1 / k)


def Rprec(p):
    """e = 1 if p ≤ m, z = 1/m (section 3)."""
    return recall_level(p, lambda p_i: float(p_i <= len(p)), lambda i, m: 1 / m)


def TSE(p, e):
    """Total search efficiency, e(p_m): any e, z = 1 if i = m (section 3)."""
    return recall_level(p, e, lambda i, m: float(i == m))


def is_nonrelevant(grade, rel=None):
    """Judged, and not relevant; a negative grade says pooled, but unjudged (section 1)."""
    return grade >= 0 and not is_relevant(grade, rel)


def bpref(ordered, grades, rel=None, denominator=min):
    """1/m Σ over relevant items found of 1 − min(b, m)/min(m, N), as trec_eval (section 3)."""
    m = len(relevant_items(grades, rel))
    N = sum(is_nonrelevant(y, rel) for y in grades.values())
    terms, b = [], 0
    for doc_id in ordered:
        grade = grades.get(doc_id)
        if grade is not None and is_relevant(grade, rel):
            terms.append(1 - min(b, m) / denominator(m, N) if b else 1.0)
        elif grade is not None and is_nonrelevant(grade, rel):
            b += 1
    return math.fsum(terms) / m


def infAP(ordered, grades, rel=None, epsilon=1e-5):
    """Inferred average precision, as trec_eval (section 3)."""
    m = len(relevant_items(grades, rel))
    terms, relevant, nonrelevant, unjudged = [], 0, 0, 0
    for p, doc_id in enumerate(ordered, start=1):
        grade = grades.get(doc_id)
        if grade is None:
            continue
        if is_relevant(grade, rel):
            if p == 1:
                terms.append(1.0)
            else:
                pooled = (relevant + nonrelevant + unjudged) / (p - 1)
                precise = (relevant + epsilon) / (relevant + nonrelevant + 2 * epsilon)
                terms.append(1 / p + (p - 1) / p * pooled * precise)
            relevant += 1
        elif grade >= 0:
            nonrelevant += 1
        else:
            unjudged += 1
    return math.fsum(terms) / m


def judged_share(ordered, grades, k, denominator=min):
    """The judged documents of the first k, over k or the documents there are (section 3)."""
    n_judged = sum(grades.get(doc_id, -1) >= 0 for doc_id in ordered[:k])
    most = denominator(k, len(ordered))
    return n_judged / most if n_judged else 0.0


def Hole(ordered, grades, k=None):
    """The documents of the first k that nobody judged, over k or the documents there are."""
    k = len(ordered) if k is None else k
    return sum(grades.get(doc_id, -1) < 0 for doc_id in ordered[:k]) / k if k else 0.0


def RBP_residual(ordered, grades, gamma=0.8, k=None):
    """1 − Σ over judged documents of (1 − γ) γ^(p − 1)."""
    exposed = enumerate(ordered[:k])
    return 1 - math.fsum((1 - gamma) * gamma**n for n, d in exposed if grades.get(d, -1) >= 0)


def gRBP(items, gamma=0.8, greatest=4):
    """Σ y/max (1 − γ) γ^(p − 1)."""
    return math.fsum(
        y / greatest * (1 - gamma) * gamma ** (p - 1) for p, y in items if p is not None
    )


def ERR(items, k=INF, greatest=4):
    """Σ 1/p R Π over the items above of (1 − R), R = (2^y − 1)/2^max (section 3)."""
    total, arrives = 0.0, 1.0
    for p, y in sorted((p, y) for p, y in items if p is not None and p <= k):
        stops = (2**y - 1) / 2**greatest
        total += arrives * stops / p
        arrives *= 1 - stops
    return total


# Measures of trec_eval, ir_measures and cwl_eval that SPEC does not define. ``ordered`` is a
# ranking of documents and ``grades`` are {doc_id: grade}, as above.


def found_of(ordered, grades, rel=None):
    """r, ñ and m: the relevant documents retrieved, all retrieved, all relevant."""
    relevant = relevant_items(grades, rel)
    return sum(doc_id in relevant for doc_id in ordered), len(ordered), len(relevant)


def SetP(ordered, grades, rel=None, relative=False):
    """The precision of the set, or its share of the greatest one that ñ documents can have."""
    r, n, m = found_of(ordered, grades, rel)
    precision = r / n if n else 0.0
    if not relative or not precision:
        return precision
    return precision / (min(n, m) / n)


def SetF(ordered, grades, rel=None, beta=1):
    """(β + 1) P R / (β P + R)."""
    r, n, m = found_of(ordered, grades, rel)
    if not r:
        return 0.0
    precision, recall = r / n, r / m
    return (beta + 1) * precision * recall / (beta * precision + recall)


def SetAP(ordered, grades, rel=None):
    """Precision times recall."""
    r, n, m = found_of(ordered, grades, rel)
    return r / n * r / m if r else 0.0


def utility(ordered, grades, rel=None, worth=(1, -1, 0, 0), n=0):
    """The sum over the corpus of what each document is worth, retrieved or not, relevant or not."""
    relevant = set(relevant_items(grades, rel))
    cells = [len({*ordered} & relevant), len({*ordered} - relevant), len(relevant - {*ordered})]
    cells.append(n - sum(cells))
    return math.fsum(w * cell for w, cell in zip(worth, cells, strict=True) if w)


def F1(p, k):
    """The harmonic mean of P@k and R@k."""
    precision, recall = P(p, k), R(p, k)
    return 2 * precision * recall / (precision + recall) if precision else 0.0


def level_at(share, m, rounding):
    """The recall level at a share of m: the nearest one, halves up, or share · m + 0.9, cut."""
    if rounding == "up":
        return int(share * m + 0.9)
    below = int(share * m)
    return below + 1 if share * m - below >= 0.5 else below


def IPrec(ordered, grades, share, rel=None, rounding="nearest"):
    """The greatest precision at any rank from that of the recall level."""
    relevant = relevant_items(grades, rel)
    level, found, best = level_at(share, len(relevant), rounding), 0, 0.0
    for rank, doc_id in enumerate(ordered, start=1):
        found += doc_id in relevant
        if found >= level:
            best = max(best, found / rank)
    return best


def WSS(ordered, grades, percent, rel=None):
    """The share below the rank where recall reaches it, less what random order leaves unread."""
    relevant, read, found = relevant_items(grades, rel), len(ordered), 0
    for rank, doc_id in enumerate(ordered, start=1):
        found += doc_id in relevant
        if found / len(relevant) * 100 >= percent:
            read = rank
            break
    unread = (len(ordered) - read) / len(ordered) if ordered else 0.0
    return unread - (1 - percent / 100)


def eleven_point_average(ordered, grades, rel=None, rounding="nearest"):
    """The mean of the interpolated precision at 0, 0.1 ... 1."""
    shares = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    return math.fsum(IPrec(ordered, grades, share, rel, rounding) for share in shares) / 11


def Rprec_mult(p, multiple):
    """The precision of the first ⌊x m + 0.9⌋ ranks."""
    k = level_at(multiple, len(p), "up")
    return P(p, k) if k else 0.0


def binG(p):
    """1/m Σ 1/log2(2 + the documents above that are not relevant)."""
    return math.fsum(1 / math.log2(2 + r - i) for i, r in enumerate(p, start=1) if r) / len(p)


def gains_of(ordered, grades, rel=None, gains=None):
    """The gain at each rank, and the positive gains of all documents in decreasing order."""
    gains = gains or {}
    of = {d: float(gains.get(y, y)) for d, y in relevant_items(grades, rel).items()}
    return [of.get(d, 0.0) for d in ordered], sorted((g for g in of.values() if g), reverse=True)


def DCG(gains):
    """Σ gain / log2(rank + 1)."""
    return math.fsum(g / math.log2(rank + 1) for rank, g in enumerate(gains, start=1))


def ndcg_rel(ordered, grades, rel=None, gains=None):
    """The mean over documents with a gain of DCG/IDCG at their rank, or at the end."""
    got, ideal = gains_of(ordered, grades, rel, gains)
    if not ideal:
        return 0.0
    at = [DCG(got[:k]) / DCG(ideal[:k]) for k in range(1, len(got) + 1) if got[k - 1]]
    at += [DCG(got) / DCG(ideal)] * (len(ideal) - len(at))
    return math.fsum(at) / len(ideal)


def Rndcg(ordered, grades, rel=None, gains=None):
    """The mean of DCG/IDCG at the last rank of each gain in the ideal ranking, and at the end."""
    got, ideal = gains_of(ordered, grades, rel, gains)
    if not ideal:
        return 0.0
    ends = [k for k in range(1, len(ideal) + 1) if ideal[k - 1 : k] != ideal[k : k + 1]]
    at = [DCG(got[:k]) / DCG(ideal[:k]) for k in ends]
    at += [DCG(got) / DCG(ideal)] if len(got) > len(ideal) + 1 else []
    return math.fsum(at) / len(at)


def G(ordered, grades, rel=None, gains=None):
    """Σ gain / log2(2 + what the ideal ranking has cost so far − what was gained so far)."""
    got, ideal = gains_of(ordered, grades, rel, gains)
    total, cost, gained = 0.0, 0.0, 0.0
    for rank, gain_here in enumerate(got):
        cost += max(ideal[rank], 1) if rank < len(ideal) else 1
        gained += gain_here
        if gain_here:
            total += gain_here / math.log2(2 + cost - gained)
    return total / math.fsum(ideal) if ideal else 0.0


def Q(ordered, grades, rel=None, beta=1, k=None, gains=None):
    """The mean over documents with a gain of (number + β gains so far) / (rank + β ideal gains)."""
    got, ideal = gains_of(ordered, grades, rel, gains)
    ratios = [
        (sum(g > 0 for g in got[:rank]) + beta * math.fsum(got[:rank]))
        / (rank + beta * math.fsum(ideal[:rank]))
        for rank, here in enumerate(got[:k], start=1)
        if here
    ]
    return math.fsum(ratios) / min(len(ideal), k or len(ideal)) if ideal else 0.0


CONTINUATIONS = {
    "SDCG": lambda i, g, G, k: math.log2(i + 1) / math.log2(i + 2) if i < k else 0,
    "BPM": lambda i, g, G, k, T=1: float(G < T - TIE and i < k),
    "INST": lambda i, g, G, T=1: ((i + T + T - G - 1) / (i + T + T - G)) ** 2,
    "INSQ": lambda i, g, G, T=1: ((i + 2 * T - 1) / (i + 2 * T)) ** 2,
    "NERR8": lambda i, g, G, k: 1 - g if i < k else 0,
    "NERR9": lambda i, g, G, k: i / (i + 1) * (1 - g) if i < k else 0,
    "NERR10": lambda i, g, G, p=0.9: p * (1 - g),
    "NERR11": lambda i, g, G, T=1: ((i + 2 * T - 1) / (i + 2 * T)) ** 2 * (1 - g),
}
"""C(i), of the rank, the gain there and the gains up to there (Azzopardi et al., SIGIR 2019)."""


def user_model(ordered, grades, continuation, *, greatest, least=0, rel=None, depth=1000):
    """Σ W(i) g(i), with W(i) ∝ C(1) ⋯ C(i − 1) over the ranks 1 to depth."""
    relevant = relevant_items(grades, rel)
    seen, gained, total, gain_of_seen = 1.0, 0.0, [], []
    for i in range(1, depth + 1):
        grade = relevant.get(ordered[i - 1], least) if i <= len(ordered) else least
        g = max(grade - least, 0) / (greatest - least)
        gained += g
        total.append(seen)
        gain_of_seen.append(seen * g)
        seen *= continuation(i, g, gained)
    return math.fsum(gain_of_seen) / math.fsum(total)


def truncated_overlap(a, b, p, depth):
    """Σ_{d≤D} p^(d−1) |first d of a ∩ first d of b| / d."""
    return math.fsum(p ** (d - 1) * len({*a[:d]} & {*b[:d]}) / d for d in range(1, depth + 1))


def ideal_rankings(grades, rel=None):
    """All rankings of the relevant documents by decreasing grade."""
    relevant = relevant_items(grades, rel)
    by_grade = [
        [d for d, y in relevant.items() if y == grade]
        for grade in sorted(set(relevant.values()), reverse=True)
    ]
    for groups in product(*map(permutations, by_grade)):
        yield [d for group in groups for d in group]


def Compat(ordered, grades, rel=None, p=0.95, normalize=True):
    """The greatest overlap with an ideal ranking (Clarke, Smucker & Vtyurina, CIKM 2020)."""
    depth = max(len(ordered), len(relevant_items(grades, rel)))
    ideals = list(ideal_rankings(grades, rel))
    best = max(truncated_overlap(ordered, ideal, p, depth) for ideal in ideals)
    if normalize:
        return best / truncated_overlap(ideals[0], ideals[0], p, depth)
    return best / math.fsum(p ** (d - 1) for d in range(1, depth + 1))


def Accuracy(ordered, grades, rel=None, k=None):
    """The share of pairs of a relevant and another document of the first k that are in order."""
    relevant = relevant_items(grades, rel)
    first = [d in relevant for d in ordered[:k]]
    pairs = [a > b for a, b in combinations(first, 2) if a != b]
    return sum(pairs) / len(pairs) if pairs else float(any(first))


def nonrelevant_retrieved(ordered, grades, rel=None):
    """The documents retrieved that are judged not relevant."""
    return sum(is_nonrelevant(grades.get(d, -1), rel) for d in ordered)


def PRES(p, k):
    """1 − (Σ r_i/m − (m + 1)/2)/k, r_i = k + i of items beyond k (Magdy & Jones 2010)."""
    m = len(p)
    r = [k + i if p_i is None or p_i > k else p_i for i, p_i in enumerate(p, start=1)]
    return 1 - (sum(r) / m - (m + 1) / 2) / k


def yaap(p):
    """ln((1 + s) / (1 + m − s)), s = Σ i/p_i."""
    s = math.fsum(i / r for i, r in enumerate(p, start=1) if r)
    return math.log((1 + s) / (1 + len(p) - s))


SEARCH_LENGTHS = {
    "ISL": lambda p: p[0],
    "TSL": lambda p: p[-1],
    "ASL": lambda p: sum(p) / len(p),
    "SL1": lambda p: p[0] - 1,
    "SL3": lambda p: p[-1] - len(p),
    "RE": lambda p: sum(p) / len(p) - (len(p) + 1) / 2,
}
"""Of imputed positions (section 3)."""


def subsets(p):
    """All non-empty subsets of positions, each in order."""
    for size in range(1, len(p) + 1):
        yield from (list(u) for u in combinations(p, size))


def worst_case(p, metric):
    """min over the non-empty subsets u of R of μ(π, u) (section 3)."""
    return min(metric(u) for u in subsets(p))


def provider_exposure(items, owners, e):
    """η(π, v) = Σ of e(p) over the relevant items of v, of {doc_id: p} (section 3)."""
    exposure = {}
    for doc_id, p in items.items():
        for provider in owners[doc_id]:
            exposure.setdefault(provider, []).append(0.0 if p is None else e(p))
    return {provider: math.fsum(terms) for provider, terms in exposure.items()}


# --- Section 3: metrics by subtopic (ndeval) -----------------------------------------------------
#
# ``ordered`` is a ranking of documents; ``judged`` is {subtopic: {doc_id: grade}} of its request;
# sums are exact, so that ties of gains are.


def relevant_by_subtopic(judged, rel=None):
    """The relevant documents of each subtopic that has one."""
    found = {t: set(relevant_items(grades, rel)) for t, grades in judged.items()}
    return {t: documents for t, documents in found.items() if documents}


def mean_over_subtopics(ordered, judged, metric, rel=None):
    """The mean over subtopics with relevant documents of a metric of the positions."""
    subtopics = relevant_by_subtopic(judged, rel)
    values = [metric(positions_of(project(ordered, judged[t], rel))) for t in subtopics]
    return math.fsum(values) / len(subtopics)


def strec(ordered, judged, k, rel=None):
    """The share of subtopics with a relevant document among the first k."""
    subtopics = relevant_by_subtopic(judged, rel)
    return sum(bool({*ordered[:k]} & documents) for documents in subtopics.values()) / len(
        subtopics
    )


def MAP_IA(ordered, judged, rel=None):
    """The mean of AP over subtopics."""
    return mean_over_subtopics(ordered, judged, AP, rel)


def P_IA(ordered, judged, k, rel=None):
    """The mean of P@k over subtopics."""
    return mean_over_subtopics(ordered, judged, lambda p: P(p, k), rel)


def WorstIntents(ordered, judged, share=0.5, rel=None):
    """The mean of AP over the worst share of the subtopics, the last one in part."""
    subtopics = relevant_by_subtopic(judged, rel)
    rising = sorted(AP(positions_of(project(ordered, judged[t], rel))) for t in subtopics)
    target = max(share * len(rising), 1)
    counted = [min(1, max(0, target - place)) for place in range(len(rising))]
    return math.fsum(x * c for x, c in zip(rising, counted, strict=True)) / target


def gain(doc_id, above, subtopics, alpha):
    """Σ_t (1 − α)^(documents above that serve t) over the subtopics that a document serves."""
    return sum(
        Fraction(1 - alpha) ** len(documents & {*above})
        for documents in subtopics.values()
        if doc_id in documents
    )


def novelty(ordered, subtopics, alpha, discount, k=INF):
    """Σ_{r≤k} gain(r) · discount(r)."""
    return math.fsum(
        gain(doc_id, ordered[: r - 1], subtopics, alpha) * discount(r)
        for r, doc_id in enumerate(ordered, start=1)
        if r <= k
    )


def greedy_ideal(subtopics, alpha):
    """At each rank a document of the greatest gain, of several that of the greatest id."""
    left, ordered = set().union(*subtopics.values()), []
    while left:
        best = max(left, key=lambda d: (gain(d, ordered, subtopics, alpha), d.encode()))
        ordered.append(best)
        left.remove(best)
    return ordered


def exact_ideal(subtopics, alpha, discount, k):
    """The ranking with the greatest sum, of all rankings."""
    documents = sorted(set().union(*subtopics.values()))
    orders = permutations(documents, min(k, len(documents)))
    return max(orders, key=lambda ordered: novelty([*ordered], subtopics, alpha, discount, k))


def normalised_novelty(ordered, judged, alpha, discount, k=INF, ideal=None, rel=None):
    """The sum over that of an ideal ranking, or, for None, of all subtopics at every rank."""
    subtopics = relevant_by_subtopic(judged, rel)
    total = novelty(ordered, subtopics, alpha, discount, k)
    if ideal == "greedy":
        return total / novelty(greedy_ideal(subtopics, alpha), subtopics, alpha, discount, k)
    if ideal == "exact":
        best = [*exact_ideal(subtopics, alpha, discount, k)]
        return total / novelty(best, subtopics, alpha, discount, k)
    most = math.fsum((1 - alpha) ** (r - 1) * discount(r) for r in range(1, k + 1))
    return total / (len(subtopics) * most)


def ERR_IA(ordered, judged, k, alpha=0.5, ideal=None, rel=None):
    """discount = 1/r; with an ideal nERR-IA."""
    return normalised_novelty(ordered, judged, alpha, lambda r: 1 / r, k, ideal, rel)


def alpha_DCG(ordered, judged, k, alpha=0.5, ideal=None, rel=None):
    """discount = 1/log2(r + 1); with an ideal alpha-nDCG."""
    return normalised_novelty(ordered, judged, alpha, lambda r: 1 / math.log2(r + 1), k, ideal, rel)


def NRBP(ordered, judged, alpha=0.5, beta=0.5, rel=None):
    """(1 − (1 − α) β)/T Σ_r gain(r) β^(r − 1)."""
    subtopics = relevant_by_subtopic(judged, rel)
    total = novelty(ordered, subtopics, alpha, lambda r: beta ** (r - 1))
    return (1 - (1 - alpha) * beta) * total / len(subtopics)


def nNRBP(ordered, judged, alpha=0.5, beta=0.5, ideal="greedy", rel=None):
    """The sum over that of an ideal ranking."""
    discounts = lambda r: beta ** (r - 1)  # noqa: E731
    return normalised_novelty(ordered, judged, alpha, discounts, 99, ideal, rel)


# --- Sections 4 and 18: preferences -------------------------------------------------------------


def sgn(x):
    """−1, 0 or 1."""
    return (x > 0) - (x < 0)


def composed(deltas):
    """The sign of the first Δ that is not 0, and its place from 1; None has no value, and ties."""
    for place, delta in enumerate(deltas, 1):
        if delta is not None and delta != 0:
            return sgn(delta), place
    return (None if all(delta is None for delta in deltas) else 0), None


def as_number(p):
    """A null compares as worse than every rank (section 2)."""
    return INF if p is None else p


def s(a, b):
    """s_i = sgn(p′_i − p_i), nulls are +∞ and equal to one another (section 4)."""
    return [
        (as_number(x) < as_number(y)) - (as_number(x) > as_number(y))
        for x, y in zip(a, b, strict=True)
    ]


def thresholds(items, rel=None):
    """The distinct positive grades of the request; with rel, that one (section 4)."""
    return sorted({y for _, y in items}) if rel is None else [rel]


def RPP(a, b, rel=None):
    """Σ_λ Σ_i s_{i,λ} over Σ_λ m_λ, exactly, for uniform p(i | λ) (section 4)."""
    levels = [s(positions_of(a, y), positions_of(b, y)) for y in thresholds(a, rel)]
    return Fraction(sum(map(sum, levels)), sum(map(len, levels)))


def weighted_RPP(a, b, weight, rel=None):
    """Σ_λ p(λ) Σ_i p(i | λ) s_{i,λ}, p(λ) ∝ m_λ, p(i | λ) ∝ weight(i, m_λ) (section 4)."""
    levels = [s(positions_of(a, y), positions_of(b, y)) for y in thresholds(a, rel)]
    total = sum(map(len, levels))
    terms = []
    for s_λ in levels:
        m = len(s_λ)
        norm = math.fsum(weight(i, m) for i in range(1, m + 1))
        terms += [m / total * weight(i, m) / norm * s_λ[i - 1] for i in range(1, m + 1)]
    return tie(math.fsum(terms))


def dcgRPP(a, b, rel=None):
    """p(i | λ) ∝ 1/log2(i+1) (section 4)."""
    return weighted_RPP(a, b, lambda i, m: 1 / math.log2(i + 1), rel)


def invRPP(a, b, rel=None):
    """p(i | λ) ∝ 1/i (section 4)."""
    return weighted_RPP(a, b, lambda i, m: 1 / i, rel)


def populations_by_subtopic(a, b, judged, rel=None):
    """s of each subtopic, and of the one that any relevant item satisfies (section 4, ST-RPP).

    ``a`` and ``b`` are rankings of documents.
    """
    greatest = {}
    for grades in judged.values():
        for doc_id, grade in grades.items():
            greatest[doc_id] = max(grade, greatest.get(doc_id, -INF))
    lists = [greatest, *(judged[t] for t in relevant_by_subtopic(judged, rel))]
    return [
        s(*(positions_of(project(ordered, grades, rel)) for ordered in (a, b))) for grades in lists
    ]


def ST_RPP(a, b, judged, rel=None):
    """Σ_t Σ_i s_{i,t} over Σ_t m_t, exactly (section 4)."""
    populations = populations_by_subtopic(a, b, judged, rel)
    return Fraction(sum(map(sum, populations)), sum(map(len, populations)))


def weighted_ST_RPP(a, b, judged, weight, rel=None):
    """Σ_t p(t) Σ_i p(i|t) s_{i,t}, p(t) ∝ m_t, p(i|t) ∝ weight(i) (section 4)."""
    populations = populations_by_subtopic(a, b, judged, rel)
    total = sum(map(len, populations))
    terms = []
    for s_t in populations:
        norm = math.fsum(weight(i) for i in range(1, len(s_t) + 1))
        terms += [len(s_t) / total * weight(i) / norm * s_it for i, s_it in enumerate(s_t, start=1)]
    return tie(math.fsum(terms))


def tie(delta):
    """|Δ| ≤ 1e-12 is a tie and stored as 0 (section 4)."""
    return 0.0 if abs(delta) <= TIE else delta


def deciding_level(a, b, largest):
    """The largest, or smallest, i from 1 with s_i ≠ 0; None if there is none (section 4)."""
    differing = [i for i, s_i in enumerate(s(a, b), start=1) if s_i != 0]
    if not differing:
        return None
    return max(differing) if largest else min(differing)


def lexicographic(a, b, largest):
    """s_k at the level that decides; 0 if there is none (section 4)."""
    k = deciding_level(a, b, largest)
    return 0 if k is None else s(a, b)[k - 1]


def lexicographic_size(a, b, largest, f=lambda p: 1 / p):
    """f(p_k) − f(p′_k) at the level that decides, f(null) = 0 (section 4: rrLP, rrLR)."""
    k = deciding_level(a, b, largest)
    if k is None:
        return 0.0
    x, y = a[k - 1], b[k - 1]
    return (0.0 if x is None else f(x)) - (0.0 if y is None else f(y))


def LR(a, b):
    """Lexirecall: the sign at the largest level that differs (section 4)."""
    return lexicographic(a, b, largest=True)


def LP(a, b):
    """Lexiprecision: the sign at the smallest level that differs (section 4)."""
    return lexicographic(a, b, largest=False)


def rrLR(a, b):
    """1/p_k − 1/p′_k at lexirecall's level (section 4)."""
    return lexicographic_size(a, b, largest=True)


def rrLP(a, b):
    """1/p_k − 1/p′_k at lexiprecision's level (section 4)."""
    return lexicographic_size(a, b, largest=False)


def interleaved(first, second, *, to_the_end=True):
    """Balanced interleaving: in turn, a document once (section 4).

    When one list is exhausted, the other goes on, or, for the user of ranks, reading ends.
    """
    shown, i, j = {}, 0, 0
    while i < len(first) or j < len(second):
        if not to_the_end and (i == len(first) or j == len(second)):
            break
        if j == len(second) or (i == j and i < len(first)):
            document, i = first[i], i + 1
        else:
            document, j = second[j], j + 1
        shown.setdefault(document)
    return list(shown)


def clicks_prefer(a, b, clicked):
    """sgn(hits(π, k_c) − hits(π′, k_c)), a and b are {document: rank} (section 4)."""
    if not clicked:
        return 0
    k = min(ranks.get(clicked[-1], INF) for ranks in (a, b))
    hits_a, hits_b = (sum(ranks.get(x, INF) <= k for x in clicked) for ranks in (a, b))
    return sgn(hits_a - hits_b)


def signs_by_rank(a, b, shown, relevant):
    """For every rank c that the user may read down to, which ranking the clicks prefer."""
    ranks_a, ranks_b = ({x: rank for rank, x in enumerate(of, start=1)} for of in (a, b))
    clicked, signs = [], []
    for document in shown:
        clicked += [document] if document in relevant else []
        signs.append(clicks_prefer(ranks_a, ranks_b, clicked))
    return signs


def rankOI(a, b, relevant):
    """E_c over the ranks of both outcomes, averaged, exactly; a and b are lists (section 4)."""
    lists = [interleaved(*both, to_the_end=False) for both in ((a, b), (b, a))]
    outcomes = [signs_by_rank(a, b, shown, relevant) for shown in lists]
    return sum(Fraction(sum(signs), max(1, len(signs))) for signs in outcomes) / 2


def signs_by_clicks(a, b, shown, relevant):
    """For every number c of items that the user may want, which ranking the clicks prefer."""
    ranks_a, ranks_b = ({x: rank for rank, x in enumerate(of, start=1)} for of in (a, b))
    signs = []
    for c in range(1, len(relevant) + 1):
        clicked = []
        for document in shown:
            if document in relevant:
                clicked.append(document)
            if len(clicked) == c:
                break
        signs.append(clicks_prefer(ranks_a, ranks_b, clicked) if len(clicked) == c else 0)
    return signs


def OI(a, b, relevant):
    """E_c of both outcomes, averaged, exactly, for uniform c; a and b are lists (section 4)."""
    lists = [interleaved(*both) for both in ((a, b), (b, a))]
    outcomes = [signs_by_clicks(a, b, shown, relevant) for shown in lists]
    return sum(Fraction(sum(signs), max(1, len(relevant))) for signs in outcomes) / 2


def dcgOI(a, b, relevant):
    """The same for c ∝ 1/log2(c+1) (section 4)."""
    weights = [1 / math.log2(c + 1) for c in range(1, len(relevant) + 1)]
    expected = [0.0]
    for first, second in ((a, b), (b, a)):
        signs = signs_by_clicks(a, b, interleaved(first, second), relevant)
        terms = [weight * sign for weight, sign in zip(weights, signs, strict=True)]
        expected += [math.fsum(terms) / math.fsum(weights)] if weights else []
    return tie(math.fsum(expected) / 2)


def leximin_weights(m, n):
    """w_1 to w_m, with Δ = 1/(n + 1), as fractions (section 4, metric lexirecall)."""
    Δ = Fraction(1, n + 1)
    later = [Δ ** (m - i) / (1 + Δ) ** (m + 1 - i) for i in range(2, m + 1)]
    return [(Δ / (1 + Δ)) ** (m - 1), *later]


def metric_LR(p, n):
    """−Σ w_i p_i of positions that are all known, exactly (section 4, metric lexirecall)."""
    return -sum(w * p_i for w, p_i in zip(leximin_weights(len(p), n), p, strict=True))


def lexicographic_rank(p, others, largest):
    """1, and 1 for each vector among others that p is preferred to, counted once (section 4)."""
    return 1 + sum(lexicographic(p, list(q), largest) > 0 for q in set(map(tuple, others)))


def levels(a, b):
    """(λ, i, the i-th item of R_λ in a, in b, s_i), for each λ and i (section 4)."""
    rows = []
    for grade in thresholds(a):
        own, other = ([item for item in items if item[1] >= grade] for items in (a, b))
        signs = s(positions_of(own), positions_of(other))
        numbers = range(1, len(own) + 1)
        rows += zip([grade] * len(own), numbers, own, other, signs, strict=True)
    return rows


# --- Section 5: from preferences to systems -----------------------------------------------------


def requests(d):
    """The requests of a table of preferences."""
    return sorted({q for q, _, _ in d})


def runs(d):
    """The runs of a table of preferences."""
    return sorted({run for _, a, b in d for run in (a, b)})


def delta(d, q, a, b):
    """Δ(π, π′) = −Δ(π′, π); a run against itself is tied (section 4)."""
    if a == b:
        return 0.0
    return d[q, a, b] if a < b else -d[q, b, a]


def win_rate(d, a, b):
    """n, wins, losses, ties, the share won (ties half) and the mean preference of a pair."""
    of_pair = [delta(d, q, a, b) for q in requests(d)]
    n, wins = len(of_pair), sum(x > 0 for x in of_pair)
    losses = sum(x < 0 for x in of_pair)
    return {
        "n": n,
        "wins": wins,
        "losses": losses,
        "ties": n - wins - losses,
        "win_rate": (wins + (n - wins - losses) / 2) / n,
        "mean_preference": math.fsum(of_pair) / n,
    }


def half_win_rate(d, a, b):
    """The share of requests won, ties as half wins (section 5)."""
    return win_rate(d, a, b)["win_rate"]


def request_win_rate(d, q, a):
    """Σ over the other runs of Δ(π, π′) in one request (section 5)."""
    return math.fsum(delta(d, q, a, b) for b in runs(d) if b != a)


def same(x, y):
    """Equal but for the rounding of sums."""
    return abs(x - y) <= SAME


def same_probability(x, y):
    """Equal but for the rounding of products, which keeps small numbers apart."""
    return math.isclose(x, y, rel_tol=SAME)


def mid_ranks(values, same=same):
    """1 for the greatest; equal ones share the mean of their ranks: {name: rank} (section 5)."""
    ranks = {}
    for name, x in values.items():
        greater = sum(y > x and not same(x, y) for y in values.values())
        equal = sum(same(x, y) for y in values.values())
        ranks[name] = greater + (equal + 1) / 2
    return ranks


def mean_preference_of_runs(d):
    """The mean preference over the other runs and the requests (section 5)."""
    rates = {a: [request_win_rate(d, q, a) for q in requests(d)] for a in runs(d)}
    return {a: math.fsum(x) / len(x) / (len(runs(d)) - 1) for a, x in rates.items()}


def win_rate_of_runs(d):
    """Mean over the other runs of the share of requests won, ties half (section 5)."""
    values = {}
    for a in runs(d):
        rates = [half_win_rate(d, a, b) for b in runs(d) if b != a]
        values[a] = math.fsum(rates) / len(rates)
    return values


def ranks_in_request(d, q):
    """The runs' mid-ranks by per-request win rate (section 5)."""
    return mid_ranks({a: request_win_rate(d, q, a) for a in runs(d)})


def borda(d):
    """Mean over requests of S − mid-rank by per-request win rate (section 5)."""
    ranked = [ranks_in_request(d, q) for q in requests(d)]
    return {a: math.fsum(len(runs(d)) - r[a] for r in ranked) / len(ranked) for a in runs(d)}


def mean_rank(d):
    """Minus the mean over requests of the mid-rank by per-request win rate (section 11)."""
    return {a: points - len(runs(d)) for a, points in borda(d).items()}


def mean_z(d):
    """Mean over requests of (x − mean)/sd, x the request win rate; 0 where all tie (section 11)."""
    values = {a: [] for a in runs(d)}
    for q in requests(d):
        x = {a: request_win_rate(d, q, a) for a in runs(d)}
        mean = math.fsum(x.values()) / len(x)
        sd = math.sqrt(math.fsum((y - mean) ** 2 for y in x.values()) / (len(x) - 1))
        for a, y in x.items():
            values[a].append((y - mean) / sd if tie(max(x.values()) - min(x.values())) else 0.0)
    return {a: math.fsum(z) / len(z) for a, z in values.items()}


def leximin(x):
    """S − mid-rank by the values (request, run): value, sorted from the worst (section 19)."""
    names = sorted({run for _, run in x})
    rising = {a: sorted(value for (_, run), value in x.items() if run == a) for a in names}

    def first_difference(a, b):
        apart = (tie(y - z) for y, z in zip(rising[a], rising[b], strict=True))
        return next((d for d in apart if d), 0)

    above = {a: [sgn(first_difference(a, b)) for b in names if b != a] for a in names}
    return {a: sum((1 + sign) / 2 for sign in signs) for a, signs in above.items()}


def majority(d, a, b):
    """1 when more requests prefer a to b than b to a, −1 when fewer, else 0 (section 5)."""
    return sgn(sum(sgn(delta(d, q, a, b)) for q in requests(d)))


def copeland(d):
    """Pairs of runs won by majority of requests, minus lost (section 5)."""
    return {a: sum(majority(d, a, b) for b in runs(d) if b != a) for a in runs(d)}


def bradley_terry(d):
    """Strengths of greatest likelihood, Σ β = 0; None if there are none (section 12).

    Each request counts once, by the sign of its preference, a tie half a win for each. Zermelo's
    iteration: e^β of a run is its wins over Σ n / (e^β of the run + e^β of the other).
    """
    won = {
        (a, b): sum((1 + sgn(delta(d, q, a, b))) / 2 for q in requests(d))
        for a in runs(d) for b in runs(d) if a != b
    }  # fmt: skip
    reached = {a: {a} for a in runs(d)}
    for _ in runs(d):
        for a, b in won:
            if won[a, b] > 0:
                reached[a] |= reached[b]
    if any(len(others) < len(runs(d)) for others in reached.values()):
        return None
    strength = dict.fromkeys(runs(d), 1.0)
    for _ in range(20_000):
        new = {}
        for a in runs(d):
            others = [b for b in runs(d) if b != a]
            met = sum(len(requests(d)) / (strength[a] + strength[b]) for b in others)
            new[a] = sum(won[a, b] for b in others) / met
        scale = math.prod(new.values()) ** (1 / len(new))
        new = {a: x / scale for a, x in new.items()}
        moved = max(abs(new[a] / strength[a] - 1) for a in new)
        strength = new
        if moved < 1e-14:
            break
    return {a: math.log(x) for a, x in strength.items()}


def beats_by_win_rate(d):
    """The pairs (b, a) where more requests rank b over a by win rate (section 5, MC4)."""
    ranked = [ranks_in_request(d, q) for q in requests(d)]
    return {
        (b, a)
        for a, b in permutations(runs(d), 2)
        if sum(r[b] < r[a] for r in ranked) > sum(r[a] < r[b] for r in ranked)
    }


def beats_by_preference(d):
    """The pairs (b, a) where more requests prefer b to a by the sign of Δ (section 5, MC4)."""
    return {(b, a) for a, b in permutations(runs(d), 2) if majority(d, b, a) > 0}


def transitions(names, beats):
    """From a pick b uniformly among all runs; move if b beats a, else stay (section 5, MC4)."""
    chain = {}
    for a in names:
        for b in names:
            chain[a, b] = 1 / len(names) if (b, a) in beats else 0.0
        chain[a, a] = 1 - math.fsum(chain[a, b] for b in names if b != a)
    return chain


def step(chain, v):
    """One step of a chain from the probabilities v."""
    return {b: math.fsum(v[a] * chain[a, b] for a in v) for b in v}


def mc4_iterations(names, beats, iterations):
    """The probabilities after so many steps from the uniform vector (section 5, MC4)."""
    chain, v = transitions(names, beats), dict.fromkeys(names, 1 / len(names))
    for _ in range(iterations):
        v = step(chain, v)
    return v


def stationary(chain, names):
    """The stationary distribution of an irreducible chain, by power iteration."""
    v, change = dict.fromkeys(names, 1 / len(names)), 1.0
    while change > 1e-15:
        following = step(chain, v)
        change = max(abs(following[a] - v[a]) for a in names)
        total = math.fsum(following.values())  # 1, but for rounding, which adds up over the steps
        v = {a: x / total for a, x in following.items()}
    return v


def mc4_teleport(names, beats, probability):
    """The stationary distribution when each step may jump to any run (section 5, MC4)."""
    chain = transitions(names, beats)
    jumping = {edge: (1 - probability) * x + probability / len(names) for edge, x in chain.items()}
    return stationary(jumping, names)


def reachable(names, beats):
    """The pairs (a, b) such that the chain can get from a to b, in no step or more."""
    reach = {(a, a) for a in names} | {(a, b) for b, a in beats}
    while True:
        more = {(a, c) for a, b in reach for start, c in reach if start == b} - reach
        if not more:
            return reach
        reach |= more


def components(names, reach):
    """The strongly connected components: runs that reach one another, as frozensets."""
    return {frozenset(b for b in names if {(a, b), (b, a)} <= reach) for a in names}


def ending(names, beats):
    """The exact probability that the chain from the uniform vector ends in each closed component.

    A closed component is one that is not left (section 5, MC4). From a the chain ends in it with
    the mean of the probabilities from the runs that beat a: linear equations, by Gauss and Jordan.
    """
    reach = reachable(names, beats)
    closed = {
        part for part in components(names, reach) if {b for a, b in reach if a in part} <= part
    }
    left = [a for a in names if not any(a in part for part in closed)]
    probability = {}
    for part in closed:
        equations = []
        for a in left:
            row = {b: Fraction(-((b, a) in beats)) for b in left}
            row[a] = Fraction(sum((b, a) in beats for b in names))
            equations.append([*row.values(), Fraction(sum((b, a) in beats for b in part))])
        for k in range(len(left)):
            pivot = next(n for n in range(k, len(left)) if equations[n][k])
            equations[k], equations[pivot] = equations[pivot], equations[k]
            equations[k] = [x / equations[k][k] for x in equations[k]]
            for n in range(len(left)):
                if n != k:
                    times = equations[n][k]
                    pairs = zip(equations[n], equations[k], strict=True)
                    equations[n] = [x - times * y for x, y in pairs]
        probability[part] = (len(part) + sum(row[-1] for row in equations)) / len(names)
    return probability


def mc4(names, beats):
    """Components by reachability, within them the stationary distribution (section 5, MC4).

    The layer of a component is the longest way from it, over components, to one that is not left;
    those that are not left are ordered by the probability that the chain ends there. The value of a
    run is the number of layers below its own, plus its share of its own.
    """
    reach = reachable(names, beats)
    parts = components(names, reach)
    probability = ending(names, beats)

    def steps_down(part):
        after = [other for other in parts - {part} if (min(part), min(other)) in reach]
        return 1 + max(map(steps_down, after)) if after else 0

    keys = {part: (-steps_down(part), probability.get(part, 0)) for part in parts}
    values = {}
    for part in parts:
        inside = stationary(transitions(part, beats), part)
        below = len({key for key in keys.values() if key < keys[part]})
        beside = sum(len(other) for other in parts if keys[other] == keys[part])
        for a in part:
            values[a] = below + inside[a] * len(part) / beside
    return values


def majority_cycles(d):
    """The sets of runs that majorities put into a cycle (section 5, Copeland)."""
    beats = beats_by_preference(d)
    return {part for part in components(runs(d), reachable(runs(d), beats)) if len(part) > 1}


def tie_rate(d):
    """The share of pairs of rankings of one request with Δ = 0 (section 5)."""
    return sum(x == 0 for x in d.values()) / len(d)


def agreement(d, other):
    """The pairs of rankings that d tells apart, and those of them that other agrees on (section 5).

    A tie of the other, or a request that it says nothing about, is no agreement.
    """
    apart = [key for key in d if d[key] != 0]
    return len(apart), sum(sgn(d[key]) == sgn(other.get(key, 0)) for key in apart)


def system_agreement(d, other):
    """The same of pairs of runs, by the sign of their mean preference (section 5)."""

    def means(d):
        pairs = combinations(runs(d), 2)
        return {(0, a, b): tie(win_rate(d, a, b)["mean_preference"]) for a, b in pairs}

    return agreement(means(d), means(other))


def kendall_tau_b(x, y):
    """(concordant − discordant) / √(pairs untied in x · pairs untied in y); None if 0 (section 5).

    x and y are {run: rank}.
    """
    signs = [(sgn(x[a] - x[b]), sgn(y[a] - y[b])) for a, b in combinations(sorted(x), 2)]
    untied_x, untied_y = sum(u != 0 for u, _ in signs), sum(v != 0 for _, v in signs)
    if untied_x * untied_y == 0:
        return None
    return sum(u * v for u, v in signs) / math.sqrt(untied_x * untied_y)


# --- Section 6: significance and discriminative power --------------------------------------------


def t_cdf_inside(t, ν):
    """P(|T| ≤ t) for Student's t with ν degrees of freedom (Abramowitz & Stegun 26.7.3-4)."""
    θ = math.atan(t / math.sqrt(ν))
    term, total = (math.cos(θ), 0.0) if ν % 2 else (1.0, 0.0)
    for k in range(1 + ν % 2, ν, 2):
        total += term
        term *= math.cos(θ) ** 2 * k / (k + 1)
    if ν % 2:
        return 2 / math.pi * (θ + math.sin(θ) * total)
    return math.sin(θ) * total


def t_quantile_inside(probability, ν):
    """The t with P(|T| ≤ t) = probability, by bisection."""
    low, high = 0.0, 1e9
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf_inside(middle, ν) < probability else (low, middle)
    return low


def t_test(d_q, alpha=0.05):
    """Student's t, paired: t = d̄ / (sd/√Q); sd = 0: p = 1 if d̄ = 0, else 2^(1−Q) (section 6).

    Equal differences have the interval of bets, and none where no bounds of the measure are known.
    """
    Q = len(d_q)
    mean = math.fsum(d_q) / Q
    if Q == 1:
        return {"mean_difference": mean, "p_value": 1.0}
    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in d_q) / (Q - 1))
    if max(d_q) - min(d_q) <= TIE:  # the mean's rounding is no spread
        sd = 0.0
    half = t_quantile_inside(1 - alpha, Q - 1) * sd / math.sqrt(Q)
    result = {"mean_difference": mean, "ci_low": mean - half, "ci_high": mean + half}
    if sd == 0:
        size = math.copysign(INF, mean) if mean else None
        ends = {"ci_low": None, "ci_high": None}
        p = 0.5 ** (Q - 1) if mean else 1.0
        return result | ends | {"effect_size": size, "statistic": size, "p_value": p}
    t = mean / (sd / math.sqrt(Q))
    p = 1 - t_cdf_inside(abs(t), Q - 1)
    return result | {"effect_size": mean / sd, "statistic": t, "p_value": p}


def sign_test(d_q):
    """Wins against losses, binomial, two-sided, ties left out; win odds (section 6)."""
    wins, losses = sum(x > 0 for x in d_q), sum(x < 0 for x in d_q)
    ties, n = len(d_q) - wins - losses, wins + losses
    tail = sum(math.comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n
    odds = (wins + ties / 2) / (losses + ties / 2) if losses + ties else INF
    return {"effect_size": odds, "statistic": wins, "p_value": min(1.0, 2 * tail)}


def bonferroni(p_values):
    """p times the number of comparisons of the family (section 6)."""
    return [min(1.0, p * len(p_values)) for p in p_values]


def holm(p_values):
    """Step down: the smallest p times N, the next times N − 1 ..., never less (section 6)."""
    ascending = sorted(range(len(p_values)), key=lambda j: p_values[j])
    adjusted, reached = [0.0] * len(p_values), 0.0
    for done, j in enumerate(ascending):
        reached = max(reached, min(1.0, p_values[j] * (len(p_values) - done)))
        adjusted[j] = reached
    return adjusted


def power(p_adjusted, alpha):
    """Share of pairs of runs with corrected p < α (section 6)."""
    return sum(p < alpha for p in p_adjusted) / len(p_adjusted)


# --- Section 6: paired tests --------------------------------------------------------------------


def extreme(value, observed, alternative):
    """Whether a value is as far out as the observed one, but for rounding."""
    if alternative == "greater":
        return value >= observed - 1e-12
    if alternative == "less":
        return value <= observed + 1e-12
    return abs(value) >= abs(observed) - 1e-12


def mean_of(values):
    """Their mean."""
    return math.fsum(values) / len(values)


def randomization(differences, alternative="two-sided"):
    """The share of all ways to choose signs whose mean is as extreme as the observed one."""
    observed = mean_of(differences)
    ways = list(product((1, -1), repeat=len(differences)))
    means = [mean_of([s * d for s, d in zip(way, differences, strict=True)]) for way in ways]
    return sum(extreme(mean, observed, alternative) for mean in means) / len(ways)


def t_statistic(values):
    """mean / (sd / √n), 0 for no mean and ±∞ for no spread."""
    mean, n = mean_of(values), len(values)
    variance = math.fsum((x - mean) ** 2 for x in values) / (n - 1)
    if variance < 1e-25:
        return 0.0 if abs(mean) < 1e-12 else math.copysign(math.inf, mean)
    return mean / math.sqrt(variance / n)


def bootstrap(differences, counts, alternative="two-sided"):
    """(1 + count) / (1 + B): t of the centred differences, drawn as often as ``counts`` say."""
    observed, mean = t_statistic(differences), mean_of(differences)
    drawn = [
        [d - mean for d, times in zip(differences, row, strict=True) for _ in range(int(times))]
        for row in counts
    ]
    found = sum(extreme(t_statistic(values), observed, alternative) for values in drawn)
    return (1 + found) / (1 + len(drawn))


def hsd_randomized(d):
    """Tukey's HSD over all permutations of the runs within each request: {pair: p} (section 6).

    p = (1 + #{others ≥ |d̄_ab|}) / (1 + others): the permutation that changes nothing is the 1.
    """
    names, queries = runs(d), requests(d)

    def means(orders):
        """orders[j][a] is the run whose label is put on a in request j."""
        sums = {pair: [] for pair in combinations(names, 2)}
        for q, order in zip(queries, orders, strict=True):
            for a, b in sums:
                x, y = order[a], order[b]
                sums[a, b].append(d[q, x, y] if (q, x, y) in d else -d[q, y, x])
        return {pair: abs(math.fsum(values)) / len(queries) for pair, values in sums.items()}

    every = [dict(zip(names, order, strict=True)) for order in permutations(names)]
    trials = [max(means(orders).values()) for orders in product(every, repeat=len(queries))]
    observed = means([dict(zip(names, names, strict=True))] * len(queries))
    return {
        pair: sum(x >= difference - TIE for x in trials) / len(trials)
        for pair, difference in observed.items()
    }


def mean_square_error(values):
    """MSE of value = request + run: {(request, run): value}, (S−1)(Q−1) d.f. (section 6)."""
    queries, names = sorted({q for q, _ in values}), sorted({run for _, run in values})
    of_request = {q: math.fsum(values[q, run] for run in names) / len(names) for q in queries}
    of_run = {run: math.fsum(values[q, run] for q in queries) / len(queries) for run in names}
    grand = math.fsum(of_run.values()) / len(names)
    squares = [(values[q, r] - of_request[q] - of_run[r] + grand) ** 2 for q, r in values]
    return math.fsum(squares) / ((len(names) - 1) * (len(queries) - 1))


def asl_curve(p_values):
    """(place, share, p) of all pairs, from the smallest p (section 6)."""
    n = len(p_values)
    return [(place, place / n, p) for place, p in enumerate(sorted(p_values), start=1)]


def smallest_differences(differences, p_adjusted, alpha):
    """The least |mean difference| with p < α, and the largest of the others (section 6)."""
    sizes = list(zip(map(abs, differences), p_adjusted, strict=True))
    significant = [size for size, p in sizes if p < alpha]
    others = [size for size, p in sizes if not p < alpha]
    return min(significant, default=None), max(others, default=None)


def mean_in_half(d_q, half):
    """The mean of {request: d} over a half of the requests, 0 for a tie, None without any."""
    inside = [x for q, x in d_q.items() if q in half]
    return tie(math.fsum(inside) / len(inside)) if inside else None


def half_means(by_pair, halves):
    """For each split, the means of every pair that has requests in both halves."""
    means = [
        [(mean_in_half(d_q, first), mean_in_half(d_q, second)) for d_q in by_pair]
        for first, second in halves
    ]
    return [[pair for pair in of_split if None not in pair] for of_split in means]


def is_swap(first, second):
    """The signs are opposite (section 6)."""
    return sgn(first) * sgn(second) < 0


def swap_rates(by_pair, halves):
    """Share of pairs × splits that swap, that tie, and the sd over splits (section 6)."""
    splits = [of_split for of_split in half_means(by_pair, halves) if of_split]
    every = [pair for of_split in splits for pair in of_split]
    if not every:
        return {"swap_rate": None, "tie_rate": None, "swap_rate_sd": None}
    rates = [sum(is_swap(*pair) for pair in of_split) / len(of_split) for of_split in splits]
    mean = math.fsum(rates) / len(rates)
    spread = math.fsum((rate - mean) ** 2 for rate in rates)
    return {
        "swap_rate": sum(is_swap(*pair) for pair in every) / len(every),
        "tie_rate": sum(0 in pair for pair in every) / len(every),
        "swap_rate_sd": math.sqrt(spread / (len(rates) - 1)) if len(rates) > 1 else None,
    }


def swap_curve(by_pair, halves, bins):
    """(low, high, n, swap rate) of bins of the first half's |mean difference| (section 6)."""
    firsts = [mean_in_half(d_q, first) for first, _ in halves for d_q in by_pair]
    largest = max(abs(x) for x in firsts if x is not None)
    edges = [largest * k / bins for k in range(bins + 1)] if largest else [0.0, 0.0]
    cells = [[] for _ in edges[1:]]
    for of_split in half_means(by_pair, halves):
        for first, second in of_split:
            below = [k for k in range(len(cells)) if edges[k] <= abs(first) + TIE]
            cells[below[-1]].append(is_swap(first, second))
    return [
        (low, high, len(cell), sum(cell) / len(cell) if cell else None)
        for low, high, cell in zip(edges, edges[1:], cells, strict=False)
    ]


def normal_cdf(x):
    """Φ(x)."""
    return math.erfc(-x / math.sqrt(2)) / 2


def t_power(effect, n, alpha):
    """P(|T| > t), T noncentral: E[Φ(δ − ts) + Φ(−δ − ts)] over s = √(χ²/ν), by Simpson's rule."""
    ν, δ = n - 1, effect * math.sqrt(n)
    t = t_quantile_inside(1 - alpha, ν)
    steps, end = 4000, 1 + 12 / math.sqrt(ν)
    total = 0.0
    for k in range(steps + 1):
        s = end * k / steps
        log_c = math.log(2) + ν / 2 * math.log(ν / 2) - math.lgamma(ν / 2)
        density = math.exp(log_c - ν * s * s / 2 + (ν - 1) * math.log(s)) if s else 0.0
        density = math.exp(log_c) if s == 0 and ν == 1 else density
        weight = 1 if k in (0, steps) else 4 if k % 2 else 2
        total += weight * density * (normal_cdf(δ - t * s) + normal_cdf(-δ - t * s))
    return total * end / steps / 3


def simulated_power(d_q, samples, alpha):
    """The share of samples, lists of indices of requests, that all sign flips reject."""
    rejected = 0
    for sample in samples:
        drawn = [0.0 if abs(d_q[q]) <= TIE else d_q[q] for q in sample]
        sums = [
            math.fsum(s * x for s, x in zip(way, drawn, strict=True))
            for way in product((1, -1), repeat=len(drawn))
        ]
        extreme = sum(abs(total) >= abs(sums[0]) - TIE for total in sums)
        rejected += extreme / len(sums) < alpha
    return rejected / len(samples)


# --- Section 5, again: Kemeny's order ------------------------------------------------------------


def kemeny(d, votes="win_rate"):
    """The mean place of a run in the orders of the least cost, with a minus sign.

    Placing a before b costs the number of requests that rank b over a.
    """
    if votes == "win_rate":
        ranked = [ranks_in_request(d, q) for q in requests(d)]
        against = {(a, b): sum(r[b] < r[a] for r in ranked) for a, b in permutations(runs(d), 2)}
    else:
        against = {
            (a, b): sum(delta(d, q, b, a) > 0 for q in requests(d))
            for a, b in permutations(runs(d), 2)
        }
    costs = {
        order: sum(against[pair] for pair in combinations(order, 2))
        for order in permutations(runs(d))
    }
    best = [order for order, cost in costs.items() if cost == min(costs.values())]
    return {a: -sum(order.index(a) + 1 for order in best) / len(best) for a in runs(d)}


# --- Section 5, again: coefficients between orderings --------------------------------------------


def spearman(x, y):
    """Pearson's correlation of the mid-ranks x and y, {run: rank}; None if one has no spread."""
    mean_x, mean_y = (sum(ranks.values()) / len(ranks) for ranks in (x, y))
    spread_x = math.fsum((x[a] - mean_x) ** 2 for a in x)
    spread_y = math.fsum((y[a] - mean_y) ** 2 for a in x)
    if spread_x * spread_y == 0:
        return None
    shared = math.fsum((x[a] - mean_x) * (y[a] - mean_y) for a in x)
    return shared / math.sqrt(spread_x * spread_y)


def tau_ap(truth, y):
    """2/n Σ C/(p − 1) − 1 over the n runs that are not tied first in y; None if one is all tied.

    p − 1 runs are above the run in y; C of them are above it in the truth.
    """
    if len(set(truth.values())) < 2 or len(set(y.values())) < 2:
        return None
    shares = []
    for a in y:
        above = [b for b in y if y[b] < y[a]]
        if above:
            shares.append(sum(truth[b] < truth[a] for b in above) / len(above))
    return 2 / len(shares) * math.fsum(shares) - 1


def tau_ap_symmetric(x, y):
    """The mean of both directions."""
    one, other = tau_ap(x, y), tau_ap(y, x)
    return None if one is None else (one + other) / 2


def at_depth(ranks, d):
    """The runs whose group of ties begins at rank d or before."""
    return {a for a in ranks if 1 + sum(ranks[b] < ranks[a] for b in ranks) <= d}


def rbo(x, y, p=0.9):
    """A_n p^n + (1 − p)/p Σ A_d p^d, A_d = 2 |X ∩ Y| / (|X| + |Y|); None below two runs."""
    n = len(x)
    if n < 2:
        return None
    agreement = {}
    for d in range(1, n + 1):
        in_x, in_y = at_depth(x, d), at_depth(y, d)
        agreement[d] = 2 * len(in_x & in_y) / (len(in_x) + len(in_y))
    weighted = math.fsum(agreement[d] * p**d for d in agreement)
    return agreement[n] * p**n + (1 - p) / p * weighted


# --- Section 7: less data ------------------------------------------------------------------------


def left(weights, n_kept):
    """{items that stay: probability}, exactly, of {item: weight}: labels are removed (section 7).

    One after another with probability ∝ weight; when all that are left have none, uniformly.
    """
    if len(weights) == n_kept:
        return {frozenset(weights): Fraction(1)}
    total, stay = sum(weights.values()), {}
    for item, weight in weights.items():
        first = Fraction(weight, total) if total else Fraction(1, len(weights))
        others = {x: w for x, w in weights.items() if x != item}
        for items, share in left(others, n_kept).items() if first else ():
            stay[items] = stay.get(items, 0) + first * share
    return stay


# --- Section 10: decisions ----------------------------------------------------------------------


def rbo_extrapolated(one, other, p=0.9):
    """RBO_ext of two lists without ties, term by term (Webber et al. 2010, equation 32)."""
    short, long = sorted([one, other], key=len)
    s, n = len(short), len(long)
    if n == 0:
        return None
    if s == 0:
        return 0.0
    x = {d: len({*short[:d]} & {*long[:d]}) for d in range(1, n + 1)}
    terms = [x[d] / d * p**d for d in range(1, n + 1)]
    terms += [x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1)]
    return (1 - p) / p * math.fsum(terms) + ((x[n] - x[s]) / n + x[s] / s) * p**n


def jaccard(one, other):
    """|X ∩ Y| / |X ∪ Y|; None for two empty lists."""
    union = {*one} | {*other}
    return len({*one} & {*other}) / len(union) if union else None


def overlap_of_tops(one, other):
    """|X ∩ Y| over the length of the longer list; None for two empty lists."""
    longer = max(len(one), len(other))
    return len({*one} & {*other}) / longer if longer else None


def tau_of_common(one, other):
    """Kendall's τ of the documents that both lists have; None for fewer than two."""
    common = [d for d in one if d in other]
    if len(common) < 2:
        return None
    pairs = [*combinations(common, 2)]
    alike = sum(other.index(a) < other.index(b) for a, b in pairs)
    return (2 * alike - len(pairs)) / len(pairs)


def tau_ap_of_common(one, other):
    """τ_AP of the documents that both lists have, the mean of both directions."""
    common = {d for d in one if d in other}
    return tau_ap_symmetric(*({d: ranking.index(d) for d in common} for ranking in (one, other)))


def holes(rankings, judged, depth, gamma):
    """Each unjudged document of a top ``depth``: runs, best position and weight over all runs.

    ``rankings`` are the documents of each run for one request.
    """
    found = {d for ranking in rankings.values() for d in ranking[:depth]} - {*judged}
    places = {d: [r.index(d) + 1 for r in rankings.values() if d in r] for d in found}
    return {
        d: (
            sum(p <= depth for p in ps),
            min(ps),
            math.fsum((1 - gamma) * gamma ** (p - 1) for p in ps),
        )
        for d, ps in places.items()
    }


def cohens_kappa(pairs, disagreement):
    """1 − observed / expected disagreement over all pairings of the judges' grades; None if 0/0.

    ``pairs`` are (grade by a, grade by b); ``disagreement`` takes the places of two grades in the
    order of all grades given.
    """
    place = {grade: n for n, grade in enumerate(sorted({g for pair in pairs for g in pair}))}
    observed = math.fsum(disagreement(place[x], place[y]) for x, y in pairs) / len(pairs)
    all_pairings = [disagreement(place[x], place[y]) for x, _ in pairs for _, y in pairs]
    expected = math.fsum(all_pairings) / len(pairs) ** 2
    return None if expected == 0 else 1 - observed / expected


def krippendorffs_alpha(pairs):
    """1 − observed / expected δ² of ordinal data, from the matrix of coincidences; None if 0/0."""
    grades = sorted({g for pair in pairs for g in pair})
    coincidences = Counter((x, y) for a, b in pairs for x, y in ((a, b), (b, a)))
    n = {g: sum(coincidences[g, other] for other in grades) for g in grades}
    total = sum(n.values())

    def distance(c, k):
        between = sum(n[g] for g in grades if min(c, k) <= g <= max(c, k))
        return 0 if c == k else (between - (n[c] + n[k]) / 2) ** 2

    cells = [(c, k) for c in grades for k in grades]
    observed = math.fsum(coincidences[c, k] * distance(c, k) for c, k in cells) / total
    expected = math.fsum(n[c] * n[k] * distance(c, k) for c, k in cells) / (total * (total - 1))
    return None if expected == 0 else 1 - observed / expected


def category(difference_a, difference_b, reject_a, reject_b):
    """The agreement of two conclusions about one pair of runs."""
    if difference_a == 0 or difference_b == 0:
        return "TIE"
    how_sure = {(True, True): "A", (False, False): "P"}.get((reject_a, reject_b), "M")
    return how_sure + ("A" if (difference_a > 0) == (difference_b > 0) else "D")


def joint_t(differences, signs, alternative):
    """|Σ s d| / √Σ d² (one-sided: with its sign), 0 where all d are 0; a gap (None) counts as 0."""
    known = [(s, 0.0 if d is None else d) for s, d in zip(signs, differences, strict=True)]
    size = math.sqrt(math.fsum(d * d for _, d in known))
    t = math.fsum(s * d for s, d in known) / size if size else 0.0
    return {"two-sided": abs(t), "greater": t, "less": -t}[alternative]


def joint_flips(pairs, alternative="two-sided"):
    """For each pair p, p by step-down max-t, and the least of both, over all choices of signs."""
    n = len(pairs[0])
    ways = [[joint_t(d, way, alternative) for d in pairs] for way in product((1, -1), repeat=n)]
    t = [joint_t(d, [1] * n, alternative) for d in pairs]
    most = [joint_t([None if x is None else abs(x) for x in d], [1] * n, "greater") for d in pairs]
    falling = sorted(range(len(pairs)), key=lambda k: -t[k])

    def reaches(members, limit):
        return sum(max(way[k] for k in members) >= limit - 1e-12 for way in ways) / len(ways)

    adjusted, before = {}, 0.0
    for place, k in enumerate(falling):
        adjusted[k] = before = max(before, reaches(falling[place:], t[k]))
    return [
        (reaches([k], t[k]), adjusted[k], reaches([k], most[k]), reaches(falling, most[k]))
        for k in range(len(pairs))
    ]
