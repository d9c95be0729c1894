/// An eviction policy that a trace can be replayed against, by the name of its strategy.
package enum ReplayPolicy: String, Sendable, Hashable, CaseIterable {
    case lru, fifo, clock, sieve
    case s3FIFO = "s3-fifo"
    case twoQueue = "two-queue"
    case arc, lfu
    case wTinyLFU = "w-tinylfu"
    case lirs, random, none, unbounded, optimal

    /// What it does, in a line.
    package var summary: String {
        switch self {
        case .lru: "least recently used goes first"
        case .fifo: "first in, first out; a hit changes nothing"
        case .clock: "FIFO in which what was used gets a second round"
        case .sieve: "FIFO with a hand that passes over what was used, and leaves it where it is"
        case .s3FIFO: "a small queue keeps one-hit wonders out of the main one, a ghost queue lets them back in"
        case .twoQueue: "new objects wait in a FIFO; those asked for again after it go to an LRU"
        case .arc: "balances recency and frequency by what it evicted too soon"
        case .lfu: "least often used goes first, ties by recency"
        case .wTinyLFU: "a window in front of a segmented LRU that admits by counted frequency; the window adapts"
        case .lirs: "keeps what has the shortest time between two uses"
        case .random: "any object, by chance with a fixed seed"
        case .none: "bound: never caches"
        case .unbounded: "bound: never evicts"
        case .optimal: "bound: knows the future; the farthest next use goes first (Belady)"
        }
    }

    /// Whether it shows how bad or how good a cache can be at all, and is no candidate.
    package var isBound: Bool { self == .none || self == .unbounded || self == .optimal }

    /// What a replay takes when nobody names policies.
    package static let defaults: [ReplayPolicy] = [
        .lru, .fifo, .clock, .sieve, .s3FIFO, .twoQueue, .arc, .lfu, .wTinyLFU, .lirs, .optimal,
    ]
}
