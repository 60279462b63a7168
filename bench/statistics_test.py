"""The figures of compare.py on rounds whose truth is known. Run: python3 bench/statistics_test.py"""
import os
import random
import sys
import unittest
from types import SimpleNamespace

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from statistics_of_rounds import added_ratio, median, order_interval, ratios  # noqa: E402


def rounds(values):
    return [SimpleNamespace(wall=value) if value else None for value in values]


class OrderInterval(unittest.TestCase):
    def test_ranks_are_those_of_the_sign_test(self):
        # Tables of the sign test: n = 6 the range, n = 9 the 2nd, n = 15 the 4th, n = 25 the 8th value from either end.
        for n, rank in ((6, 1), (8, 1), (9, 2), (15, 4), (25, 8)):
            low, high, confidence = order_interval(range(1, n + 1))
            self.assertEqual((low, high), (rank, n + 1 - rank), n)
            self.assertGreaterEqual(confidence, 0.95)

    def test_too_few_rounds_are_said(self):
        for n in range(1, 6):
            low, high, confidence = order_interval(range(n))
            self.assertEqual((low, high), (0, n - 1))
            self.assertLess(confidence, 0.95)

    def test_holds_the_median_as_often_as_it_says(self):
        generator = random.Random(5)
        held = 0
        for _ in range(4000):
            low, high, _ = order_interval([generator.expovariate(1) for _ in range(15)])
            held += low <= 0.6931471805599453 <= high
        self.assertAlmostEqual(held / 4000, 0.9648, delta=0.011)  # 3.8 standard errors


class Ratios(unittest.TestCase):
    def test_within_rounds_and_without_failures(self):
        self.assertEqual(ratios(rounds([2, None, 9]), rounds([1, 2, 3]), "wall"), [2, 3])
        self.assertEqual(median([3, 1, 2, 10]), 2.5)

    def test_added_is_relative_to_the_peer(self):
        base, ours, theirs = rounds([1, 2, 4, 1, 2, 4]), rounds([1.5, 3, 6, 1.5, 3, 6]), rounds([3, 6, 12, 3, 6, 12])
        value, low, high, n = added_ratio(ours, theirs, base, "wall")
        self.assertEqual((value, low, high, n), (0.25, 0.25, 0.25, 6))

    def test_a_peer_that_adds_nothing_says_nothing(self):
        self.assertIsNone(added_ratio(rounds([2, 2]), rounds([1, 1]), rounds([1, 1]), "wall"))
        self.assertIsNone(added_ratio(rounds([None]), rounds([1]), rounds([1]), "wall"))


if __name__ == "__main__":
    unittest.main()
