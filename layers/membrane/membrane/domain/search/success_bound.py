"""The lower bound of a success rate: so good is a skill at least, by the uses that were counted.

The bound is the 10 % quantile of the Beta posterior of the success rate. The prior is Beta(1, 1):
before the first use, every rate is equally likely. A skill with 9 successes of 10 has a bound of
0.69, with 1 success of 1 of 0.32, without a use of 0.1.
"""

from functools import lru_cache
from itertools import count
from math import exp, lgamma, log

LOWER = 0.1
"""The probability that the true success rate is below the bound."""

MAX_USES = 1_000
"""Of more uses, the bound is that of MAX_USES with the same rate; a bound rests on no more."""

_PRIOR = 1.0
_EXACT = 1e-12
_TINY = 1e-300


@lru_cache(maxsize=1 << 12)
def success_bound(successes: float, failures: float) -> float:
    """The success rate that is exceeded with a probability of 90 %.

    The counts may be fractions. The bound rises with every success and falls with every failure.
    """
    surplus = max(1.0, (successes + failures) / MAX_USES)
    return _quantile(_PRIOR + successes / surplus, _PRIOR + failures / surplus)


def _quantile(a: float, b: float) -> float:
    """Newton's method within a bracket, which a step outside halves."""
    low, high, rate = 0.0, 1.0, a / (a + b)
    while high - low > _EXACT:
        missing = _cumulative(rate, a, b) - LOWER
        low, high = (low, rate) if missing > 0 else (rate, high)
        step = missing / max(_density(rate, a, b), _TINY)
        if abs(step) < _EXACT:
            break
        rate -= step
        if not low < rate < high:
            rate = (low + high) / 2
    return rate


def _density(x: float, a: float, b: float) -> float:
    constant = lgamma(a + b) - lgamma(a) - lgamma(b)
    return exp(constant + (a - 1) * log(x) + (b - 1) * log(1 - x))


def _cumulative(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function (DLMF 8.17.22, and 8.17.4 above the mean)."""
    scale = _density(x, a, b) * x * (1 - x)
    if x < (a + 1) / (a + b + 2):
        return scale / (a * _fraction(x, a, b))
    return 1 - scale / (b * _fraction(1 - x, b, a))


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of DLMF 8.17.22, by the method of Lentz."""
    value = c = 1.0
    d = 0.0
    for step in count(1):
        term = _term(step, x, a, b)
        d = 1 / (1 + term * d)
        c = 1 + term / c
        value *= c * d
        if abs(c * d - 1) < _EXACT:
            break
    return value


def _term(step: int, x: float, a: float, b: float) -> float:
    """The partial numerator of DLMF 8.17.23."""
    m, is_odd = divmod(step, 2)
    if is_odd:
        return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
