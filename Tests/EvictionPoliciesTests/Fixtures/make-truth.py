#!/usr/bin/env python3
"""Makes truth.csv: miss counts of an independent simulator on traces that SyntheticTrace.swift also makes.

    python3 -m venv venv && venv/bin/pip install libcachesim==0.3.5
    venv/bin/python make-truth.py > truth.csv

Only policies with the same variant are listed: that package's S3-FIFO, LIRS and W-TinyLFU make other decisions.
"""

import libcachesim

REQUESTS = 20_000
SIZES = [1, 2, 10, 57, 200, 1000]
WEIGHTS = [60, 500, 5000, 40_000]
MASK = (1 << 64) - 1


class Draws:
    """Knuth's linear congruential generator; the upper 53 bits as a fraction."""

    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return (self.state >> 11) * 2.0**-53


def skewed(draws, count):
    fraction = draws.next()
    return int(fraction * fraction * fraction * count)


def objects(trace):
    draws = Draws(12345)
    for index in range(REQUESTS):
        if trace == "skewed":
            yield skewed(draws, 3000)
        elif trace == "loop":
            yield index % 300
        elif trace == "scan":
            # 500 objects that are never requested again, after every 1,500 requests.
            yield 2000 + index if index % 2000 >= 1500 else skewed(draws, 2000)
        elif trace == "shifting":
            yield index // 2000 * 400 + skewed(draws, 1500)
        elif trace == "mixed":
            kind = draws.next()
            other = skewed(draws, 1200)
            yield 5000 + index % 700 if kind < 0.3 else 10_000 + index if kind < 0.4 else other


def weight(number):
    return 1 + number * 7919 % 97


def misses(policy, size, requests, following, is_weighed, admission=None):
    cache = policy(cache_size=size, hashpower=16, admissioner=admission)
    request = libcachesim.Request()
    count = 0
    for index, number in enumerate(requests):
        request.obj_id = number + 1
        request.obj_size = weight(number) if is_weighed else 1
        request.next_access_vtime = following[index]
        request.clock_time = index
        count += 0 if cache.get(request) else 1
    return count


def next_requests(requests):
    following, last = [0] * len(requests), {}
    for index in reversed(range(len(requests))):
        following[index] = last.get(requests[index], (1 << 63) - 1)
        last[requests[index]] = index
    return following


POLICIES = {
    "lru": libcachesim.LRU, "fifo": libcachesim.FIFO, "clock": libcachesim.Clock, "sieve": libcachesim.Sieve,
    "lfu": libcachesim.LFU, "arc": libcachesim.ARC, "two-queue": libcachesim.TwoQ, "optimal": libcachesim.Belady,
}

# The policies whose evictions also agree under weights.
WEIGHED = ["lru", "fifo", "clock", "sieve", "lfu"]

# Admissions in front of LRU; they also refuse objects while there is room.
ADMISSIONS = {
    "second-request+lru": libcachesim.BloomFilterAdmissioner, "below-50+lru": lambda: libcachesim.SizeAdmissioner(50),
}

print("trace,policy,unit,capacity,misses")
for trace in ["skewed", "loop", "scan", "shifting", "mixed"]:
    requests = list(objects(trace))
    following = next_requests(requests)
    for name, policy in POLICIES.items():
        for size in SIZES:
            # With fewer entries the queues of 2Q have no share.
            if name == "two-queue" and size < 10:
                continue
            print(f"{trace},{name},entries,{size},{misses(policy, size, requests, following, False)}")
    for name in WEIGHED:
        for size in WEIGHTS:
            print(f"{trace},{name},weight,{size},{misses(POLICIES[name], size, requests, following, True)}")
    for name, admission in ADMISSIONS.items():
        for size in WEIGHTS:
            count = misses(libcachesim.LRU, size, requests, following, True, admission())
            print(f"{trace},{name},weight,{size},{count}")
