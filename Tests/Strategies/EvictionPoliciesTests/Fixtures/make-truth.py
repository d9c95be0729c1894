#!/usr/bin/env python3
"""Makes truth.csv: miss counts of an independent simulator on traces that SyntheticTrace.swift also makes.

    python3 -m venv venv && venv/bin/pip install libcachesim==0.3.5
    venv/bin/python make-truth.py > truth.csv

Only policies with the same variant are listed: that package's CAR, CLOCK-Pro, LFUDA, LIRS and W-TinyLFU make other
decisions.
"""

import ctypes

import libcachesim
from libcachesim.cache import CacheBase, _create_common_params
from libcachesim.libcachesim_python import SLRU_init
from libcachesim import libcachesim_python

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
    cache = policy(cache_size=size, hashpower=16, **({"admissioner": admission} if admission else {}))
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


def segmented(shares):
    """Segmented LRU with these shares of the capacity, from the lowest segment upwards."""
    def make(cache_size, hashpower):
        return CacheBase(SLRU_init(_create_common_params(cache_size, hashpower=hashpower), f"seg-size={shares}"))
    return make


class AgingLFU:
    """LFU with dynamic aging: GDSF for objects of one size, which evicts before a new object is inserted."""

    def __init__(self, cache_size, hashpower):
        self.cache = libcachesim.GDSF(cache_size=cache_size, hashpower=hashpower)

    def get(self, request):
        if self.cache.find(request) is not None:
            return True
        while self.cache.need_eviction(request):
            self.cache.evict(request)
        self.cache.insert(request)
        return False


def multi_queue(lifetime):
    return lambda cache_size, hashpower: libcachesim.MQ(cache_size=cache_size, hashpower=hashpower, lifetime=lifetime)


class Parameters(ctypes.Structure):
    _fields_ = [("cache_size", ctypes.c_uint64), ("ttl", ctypes.c_uint64), ("hashpower", ctypes.c_int32),
                ("considers_metadata", ctypes.c_bool)]


class NativeRequest(ctypes.Structure):
    """The first fields of the library's request, and room for the others."""

    _fields_ = [("clock_time", ctypes.c_int64), ("hash", ctypes.c_uint64), ("obj_id", ctypes.c_uint64),
                ("obj_size", ctypes.c_int64), ("rest", ctypes.c_uint8 * 512)]


def native(symbol):
    """A policy that the package has only as a symbol of its library."""

    class Native:
        def __init__(self, cache_size, hashpower):
            create = getattr(ctypes.CDLL(libcachesim_python.__file__), symbol)
            create.restype = ctypes.POINTER(ctypes.c_void_p)
            create.argtypes = [Parameters, ctypes.c_char_p]
            self.cache = create(Parameters(cache_size, 1 << 30, hashpower, False), None)
            get = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.POINTER(NativeRequest))
            # The cache begins with a pointer to its table and the functions to create, to free, and to get.
            self.function = get(self.cache[3])

        def get(self, request):
            copy = NativeRequest(request.clock_time, 0, request.obj_id, request.obj_size)
            return self.function(ctypes.cast(self.cache, ctypes.c_void_p), ctypes.byref(copy))

    return Native


POLICIES = {
    "lru": libcachesim.LRU, "fifo": libcachesim.FIFO, "clock": libcachesim.Clock, "sieve": libcachesim.Sieve,
    "lfu": libcachesim.LFU, "arc": libcachesim.ARC, "two-queue": libcachesim.TwoQ, "optimal": libcachesim.Belady,
    "slru": segmented("20:80"), "s4lru": libcachesim.SLRU, "lfuda": AgingLFU, "gdsf": libcachesim.GDSF,
    "lru-k": libcachesim.LRUK, "mq": multi_queue(10_000), "mq-300": multi_queue(300),
    "s3-fifo": native("S3FIFOv0_init"), "s4-fifo": libcachesim.S3FIFO, "clock2q-plus": libcachesim.Clock2QPlus,
}

# With fewer entries their queues have no share.
LEAST = {"two-queue": 10, "s3-fifo": 20, "s4-fifo": 20, "clock2q-plus": 20}

# The policies whose evictions also agree under weights.
WEIGHED = ["lru", "fifo", "clock", "sieve", "lfu", "gdsf", "lru-k", "mq", "mq-300", "s3-fifo", "s4-fifo"]

# Elsewhere the segments of that package together hold less than its cache.
DIVISORS = {"slru": 5, "s4lru": 4}

# In a smaller cache, the package refuses objects that are heavier than the small queue.
LEAST_WEIGHT = {"s3-fifo": 1000, "s4-fifo": 1000}

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
            if size < LEAST.get(name, 0):
                continue
            if size % DIVISORS.get(name, 1) != 0:
                continue
            print(f"{trace},{name},entries,{size},{misses(policy, size, requests, following, False)}")
    for name in WEIGHED:
        for size in WEIGHTS:
            if size < LEAST_WEIGHT.get(name, 0):
                continue
            print(f"{trace},{name},weight,{size},{misses(POLICIES[name], size, requests, following, True)}")
    for name, admission in ADMISSIONS.items():
        for size in WEIGHTS:
            count = misses(libcachesim.LRU, size, requests, following, True, admission())
            print(f"{trace},{name},weight,{size},{count}")
