"""Medians of per-round ratios, and intervals that assume nothing about the noise but that rounds are alike."""
import math
import random


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def order_interval(values, wanted=0.95):
    """(low, high, confidence): the narrowest symmetric pair of order statistics that holds the median so often.

    The number of values below the true median is binomial(n, 1/2). With fewer than six values no pair reaches 95 %:
    then it is the range, with the confidence that the range has.
    """
    ordered = sorted(values)
    n = len(ordered)
    below, trimmed = 0.0, 0
    for k in range((n - 1) // 2 + 1):
        tail = below + math.comb(n, k) / 2 ** n  # P(at most k values lie below the median)
        if 2 * tail > 1 - wanted:
            break
        below, trimmed = tail, k + 1
    lowest = max(trimmed - 1, 0)
    confidence = 1 - 2 * sum(math.comb(n, k) for k in range(lowest + 1)) / 2 ** n
    return ordered[lowest], ordered[n - 1 - lowest], max(confidence, 0.0)


def ratios(runs, base, measure):
    return [getattr(run, measure) / getattr(alone, measure) for run, alone in zip(runs, base)
            if run and alone and getattr(run, measure) is not None and getattr(alone, measure)]


def added(runs, base, measure):
    """What each round adds, as a part of the base of the same round; None where one of the two is missing."""
    return [getattr(run, measure) / getattr(alone, measure) - 1 if run and alone and getattr(alone, measure) else None
            for run, alone in zip(runs, base)]


def added_ratio(runs, peer, base, measure, draws=4000, wanted=0.95):
    """(ratio, low, high, rounds): the median of what `runs` adds over the median of what `peer` adds.

    The interval is a percentile bootstrap over rounds, with a fixed seed. It is not a median of ratios within rounds:
    where noise makes the peer add next to nothing in one round, that round's ratio would be anything. Where a draw says
    that the peer adds nothing, the ratio is infinite. None without rounds, or if the peer's median adds nothing.
    """
    pairs = [pair for pair in zip(added(runs, base, measure), added(peer, base, measure)) if None not in pair]
    if not pairs or median([theirs for _, theirs in pairs]) <= 0:
        return None
    generator = random.Random(1)

    def ratio(sample):
        theirs = median([t for _, t in sample])
        return median([o for o, _ in sample]) / theirs if theirs > 0 else math.inf
    drawn = sorted(ratio(generator.choices(pairs, k=len(pairs))) for _ in range(draws))
    cut = int(draws * (1 - wanted) / 2)
    return ratio(pairs), drawn[cut], drawn[-1 - cut], len(pairs)
