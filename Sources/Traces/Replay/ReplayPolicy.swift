/// An eviction policy that a trace can be replayed against, by the name of its strategy.
package enum ReplayPolicy: String, Sendable, Hashable, CaseIterable {
    case lru, fifo, clock, sieve
    case s3FIFO = "s3-fifo"
    case twoQueue = "two-queue"
    case arc, lfu
    case wTinyLFU = "w-tinylfu"
    case lirs, random, none, unbounded, optimal

    /// A one-line description of the policy.
    package var summary: String {
        switch self {
        case .lru: "evicts the least recently used object"
        case .fifo: "first in, first out; a hit changes nothing"
        case .clock: "FIFO that gives used objects a second round"
        case .sieve: "FIFO with a hand that skips used objects and leaves them in place"
        case .s3FIFO: "a small queue keeps one-hit wonders out of the main queue; a ghost queue readmits objects"
        case .twoQueue: "new objects wait in a FIFO; those requested again after it go to an LRU"
        case .arc: "balances recency and frequency by hits on recently evicted objects"
        case .lfu: "evicts the least often used object, ties by recency"
        case .wTinyLFU: "a window in front of a segmented LRU that admits by counted frequency; the window adapts"
        case .lirs: "keeps the objects with the shortest time between two uses"
        case .random: "evicts a random object, with a fixed seed"
        case .none: "bound: never caches"
        case .unbounded: "bound: never evicts"
        case .optimal: "bound: knows the future; evicts the object with the farthest next use (Belady)"
        }
    }

    /// The policies of a replay when none are named.
    package static let defaults: [ReplayPolicy] = [
        .lru, .fifo, .clock, .sieve, .s3FIFO, .twoQueue, .arc, .lfu, .wTinyLFU, .lirs, .optimal,
    ]
}
