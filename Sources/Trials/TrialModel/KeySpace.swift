/// The keys of a scenario, numbered from 0 to `count - 1` and given to the strategy as the type that `kind` names.
package struct KeySpace: HasDefaults, Codable, Hashable, Sendable {
    /// The key type that a strategy sees.
    package var kind = KeyKind.integer
    /// How many keys there are.
    package var count = 1
    /// How often each key is requested, unless a phase sets its own popularity.
    package var popularity = Popularity.uniform
    /// How the popular keys change while a phase runs; `nil` means never.
    package var shift: PopularityShift?
    /// The trace that decides which keys are requested, in place of popularity and shift; `nil` means none.
    package var trace: KeyTrace?

    package static var defaults: Self { Self() }
}

extension KeySpace {
    package init(kind: KeyKind, count: Int, popularity: Popularity) {
        self = .defaults
        (self.kind, self.count, self.popularity) = (kind, count, popularity)
    }
}

/// The type of a key. Hashing differs: about 10 ns for an integer, 100 ns for a short string, 170 ns for a URL.
package enum KeyKind: String, Codable, Hashable, Sendable, CaseIterable {
    case url, string, integer
}

/// How often each key is requested.
package enum Popularity: Codable, Hashable, Sendable {
    /// Every key is equally likely.
    case uniform
    /// Zipf's law: rank *r* has a weight of 1 / *r* to the power of `exponent`.
    case zipf(exponent: Double)
    /// A share of the keys gets a share of the operations; both from 0 to 1.
    case hotspot(keys: Double, operations: Double)
    /// Zipf over age: the newest key is the most popular, and each `write` makes a new key the newest.
    case latest(exponent: Double)
    /// Keys in ascending order; the clients of a phase share one walk.
    case sequential
}

/// A moving popular set: after every `every` operations of a phase, the ranks shift by `by` keys.
package struct PopularityShift: HasDefaults, Codable, Hashable, Sendable {
    /// The number of operations, of all clients of the phase, between two shifts.
    package var every = 1
    /// By how many keys the ranks shift.
    package var by = 1

    package static var defaults: Self { Self() }
}

/// A phase's own choice of keys; absent values come from the scenario.
package struct KeySelection: HasDefaults, Codable, Hashable, Sendable {
    /// The first key of the range that the phase uses.
    package var first = 0
    /// How many keys the range has; `nil` means up to the last key.
    package var count: Int?
    /// The popularity within the range.
    package var popularity: Popularity?
    /// The shift within the range.
    package var shift: PopularityShift?

    package static var defaults: Self { Self() }
}

/// A group of keys, such as those of one tenant, with its own popularity, values and result rows.
///
/// The pools of a scenario are consecutive key ranges and do not overlap.
package struct KeyPool: HasDefaults, Codable, Hashable, Sendable {
    /// The pool's name, unique in its scenario and not `all`; result rows show it.
    package var name = ""
    /// The number of its first key.
    package var first = 0
    /// How many keys the pool has.
    package var count = 1
    /// How often each key of the pool is requested.
    package var popularity = Popularity.uniform
    /// How the popular keys change while a phase runs, counted in operations on the pool; `nil` means never.
    package var shift: PopularityShift?
    /// How many operations the pool gets, relative to the other pools, unless a phase sets another weight.
    package var weight = 1.0

    package static var defaults: Self { Self() }

    /// The maximum number of pools of a scenario; a pool's index is stored in one byte.
    package static let countMax = 16
}

/// How a phase uses a pool.
package struct PoolUse: HasDefaults, Codable, Hashable, Sendable {
    /// The index of the pool in the scenario.
    package var pool = 0
    /// How many operations the pool gets, relative to the phase's other pools; above zero.
    package var weight = 1.0
    /// How often each operation is sent to the pool, relative to the others.
    package var mix = OperationMix([:])

    package static var defaults: Self { Self() }
}

extension OperationMix {
    /// Combines the mixes of a phase's pools into the share of each kind among all operations.
    package init(of pools: [PoolUse]) {
        self.init([:])
        let weightOfPools = pools.reduce(0) { $0 + $1.weight }
        for use in pools {
            let total = use.mix.weights.values.reduce(0, +)
            for (kind, weight) in use.mix.weights {
                weights[kind, default: 0] += use.weight / weightOfPools * weight / total
            }
        }
    }
}

/// The properties of a pool's values.
package struct PooledValues: HasDefaults, Codable, Hashable, Sendable {
    /// The number of the pool's first key; the pool ends where the next one begins.
    package var first: UInt64 = 0
    /// How many keys the pool has.
    package var count: UInt64 = 1
    /// The size of a value in bytes, once decoded.
    package var size = Distribution.fixed(1)
    /// The lifetime of the pool's entries, in nanoseconds; `nil` means the scenario's common lifetime.
    package var timeToLive: UInt64?

    package static var defaults: Self { Self() }
}

extension [PooledValues] {
    /// The index of the pool that a key belongs to: the last pool whose first key is not above it. O(pools).
    package func index(ofKey key: UInt64) -> Int? {
        lastIndex { $0.first <= key }
    }
}

/// A recorded trace that decides which keys are requested, and in which order.
///
/// Its keys are numbered from 0 in the order of their first request. The clients of a phase share one walk: client *i*
/// of *n* takes every *n*-th request, so a single client replays the trace in its original order. A phase continues the
/// trace after the operations of the phases before it, and the trace restarts from the beginning when it ends. A phase
/// that ends by the clock does not advance this position, because its operation count depends on the strategy.
package struct KeyTrace: HasDefaults, Codable, Hashable, Sendable {
    /// The absolute path of the file, so that every process finds it.
    package var path = ""
    /// The file format; `nil` detects it by name and content.
    package var format: TraceFormat?
    /// How many requests are used, counted from the first; `nil` for all.
    package var requestLimit: Int?
    /// How many requests there are to replay; known once the trace has been read.
    package var requestCount = 0
    /// The time from the first of them to the last one; 0 where the trace has no times. Known once the trace has been read.
    package var nanoseconds: UInt64 = 0
    /// How many times faster than recorded the trace is replayed: all times of the trace are divided by it.
    package var speed = 1.0

    package static var defaults: Self { Self() }

    /// The maximum number of requests that a scenario may use of a trace; each takes 4 to 13 bytes of memory.
    package static let requestCountMax = 100_000_000
    /// The maximum number of distinct keys among them.
    package static let keyCountMax = 10_000_000
    /// The sizes that a payload may have; sizes of a trace are clamped to this range.
    package static let sizeRange: ClosedRange<UInt32> = 64...256 << 20
}

/// The format of a trace. The raw value is the name in commands and files.
package enum TraceFormat: String, Codable, Hashable, Sendable, CaseIterable {
    /// Lines of `start count x x`: `count` requests for the keys from `start` on (Megiddo and Modha, FAST 2003).
    case arc
    /// One number a line; a line with `*` is a marker and not a request (Jiang and Zhang, SIGMETRICS 2002).
    case lirs
    /// libCacheSim's records of 24 bytes: time, key, size, next access.
    case oracleGeneral
    /// Numbers of four bytes, most significant byte first.
    case cache2k
    /// Fields separated by commas under a header, quoted as in RFC 4180.
    case csv
    /// Fields separated by tabs under a header, never quoted.
    case tsv
    /// One text key a line.
    case keys
    /// Twitter's cache clusters (Yang, Yue and Rashmi, OSDI 2020): timestamp, key, key size, value size, client,
    /// operation, lifetime.
    case twitter
    /// Microsoft Research Cambridge (Narayanan et al., FAST 2008): Windows time, host, disk, type, offset, size,
    /// response time. The offset is the key; see `MSRDecoder`.
    case msr
    /// What `redis-cli MONITOR` prints; see `RedisDecoder`.
    case redis
}

/// Facts about a trace after it was read.
package struct KeyTraceFacts: HasDefaults, Hashable, Sendable {
    /// The smallest, the largest and the sum of the keys' sizes, in bytes.
    package struct Sizes: Hashable, Sendable {
        package var smallest: UInt64
        package var largest: UInt64
        package var total: UInt64

        package init(smallest: UInt64, largest: UInt64, total: UInt64) {
            (self.smallest, self.largest, self.total) = (smallest, largest, total)
        }
    }

    /// The requests that are used.
    package var requestCount = 0
    /// The number of distinct keys among them.
    package var keyCount = 0
    /// `nil` when the trace has no sizes.
    package var sizes: Sizes?
    /// Whether the trace has lifetimes of values.
    package var hasLifetimes = false
    /// Whether the trace has arrival times of requests.
    package var hasTimes = false
    /// The time from the first request to the last one; 0 without times.
    package var nanoseconds: UInt64 = 0

    package static var defaults: Self { Self() }
}
