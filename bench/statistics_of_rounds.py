"""Medians of per-round ratios, and intervals that assume nothing about the noise but that rounds are alike."""
import math


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def order_interval(values, wanted=0.95):
    """(low, high, confidence): the narrowest symmetric pair of order statistics that holds the median so often.

    The number of values below the true median is binomial(n, 1/2). With fewer than six values no pair reaches 95 %: then
    it is the range, with the confidence that the range has.
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


def added_ratios(runs, peer, base, measure):
    """For each round: what `runs` adds to the base over what `peer` adds. A round in which the peer adds nothing says nothing."""
    out = []
    for run, other, alone in zip(runs, peer, base):
        if run and other and alone:
            added_by_peer = getattr(other, measure) - getattr(alone, measure)
            if added_by_peer > 0:
                out.append((getattr(run, measure) - getattr(alone, measure)) / added_by_peer)
    return out
