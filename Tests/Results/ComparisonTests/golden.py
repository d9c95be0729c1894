"""Prints the golden values of the tests of statistics, from scipy 1.17.1 and numpy 2.4.6.

Intervals are those of Hodges and Lehmann: scipy has the tests, and the interval is the set of shifts that the exact
test does not reject, found here by testing every candidate.
"""
import numpy as np
from scipy import stats

a = [10.1, 9.7, 10.4, 10.0, 9.9, 10.2, 9.8, 10.6]
b = [10.9, 11.2, 10.5, 10.8, 11.5, 10.7, 11.1]
print("U [1..5] v [6..10]", stats.mannwhitneyu(range(1, 6), range(6, 11), method="exact").pvalue)
print("U a v b", stats.mannwhitneyu(b, a, alternative="greater", method="exact").pvalue)
print("U b - 0.53 v a", stats.mannwhitneyu(np.array(b) - 0.53, a, alternative="greater", method="exact").pvalue)

differences = np.sort(np.subtract.outer(b, a).ravel())
print("shift", np.median(differences))


def interval(differences, refuted, error):
    """The outermost differences at which neither one-sided test is below half the error."""
    kept = [d for d in differences if not refuted(d, error / 2)]
    return min(kept), max(kept)


def refuted(shift, error):
    tiny = 1e-9
    greater = stats.mannwhitneyu(np.array(b) - shift - tiny, a, alternative="greater", method="exact").pvalue
    less = stats.mannwhitneyu(np.array(b) - shift + tiny, a, alternative="less", method="exact").pvalue
    return min(greater, less) <= error


print("interval 5 %", interval(differences, refuted, 0.05))
print("interval 0.1 %", interval(differences, refuted, 0.001))

d = [0.21, -0.03, 0.34, 0.18, 0.09, 0.27, 0.14, -0.05, 0.31, 0.12]
print("W", stats.wilcoxon(d, alternative="greater", method="exact").pvalue)
walsh = np.sort([(x + y) / 2 for i, x in enumerate(d) for y in d[i:]])
print("pseudo-median", np.median(walsh))


def refuted_pairs(shift, error):
    tiny = 1e-9
    greater = stats.wilcoxon(np.array(d) - shift - tiny, alternative="greater", method="exact").pvalue
    less = stats.wilcoxon(np.array(d) - shift + tiny, alternative="less", method="exact").pvalue
    return min(greater, less) <= error


print("interval of pairs 5 %", interval(walsh, refuted_pairs, 0.05))

p = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216]
adjusted = stats.false_discovery_control(p, method="bh")
print("found by Benjamini and Hochberg at 5 %", sum(adjusted <= 0.05), "at 10 %", sum(adjusted <= 0.1))

rng = np.random.default_rng(1)
x, y = rng.normal(size=60), rng.normal(0.3, size=55)
print("normal approximation", stats.mannwhitneyu(y, x, alternative="greater", method="asymptotic").pvalue,
      "exact", stats.mannwhitneyu(y, x, alternative="greater", method="exact").pvalue,
      "U", stats.mannwhitneyu(y, x).statistic)
