import TrialModel

/// The beginning of a trace, whose requests fill the caches and are not counted.
package enum WarmUp: Sendable, Hashable {
    /// A share of the requests, above 0 and below 1.
    case share(Double)
    case requests(Int)
    /// Nanoseconds from the first request on.
    case nanoseconds(UInt64)

    /// Parses `20%`, `1h` or `100000`.
    ///
    /// - Returns: `nil` for anything but a share below 100 %, a time, and a number of requests from 1 on.
    package init?(_ text: String) {
        guard let decimal = DecimalText(text) else { return nil }
        switch decimal.rest {
        case "":
            guard decimal.fraction.isEmpty, let count = decimal.amount(times: 1), count > 0 else { return nil }
            self = .requests(Int(clamping: count))
        case "%":
            guard let share = decimal.share, share > 0, share < 1 else { return nil }
            self = .share(share)
        default:
            guard let unit = Self.units[decimal.rest], let nanoseconds = decimal.amount(times: unit), nanoseconds > 0
            else { return nil }
            self = .nanoseconds(nanoseconds)
        }
    }

    private static let units: [Substring: UInt64] = [
        "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000, "h": 3_600_000_000_000, "d": 86_400_000_000_000,
    ]

    /// Whether the trace must be read before its end is known.
    package var needsWholeTrace: Bool { if case .share = self { true } else { false } }
    var needsTimes: Bool { if case .nanoseconds = self { true } else { false } }
}

/// Finds the end of the warm-up while a trace is replayed.
struct WarmUpEnd {
    private let warmUp: WarmUp?
    private let requestCount: Int
    private var firstTime: UInt64?
    /// The lookups before the end, so far.
    private(set) var lookups = 0
    private(set) var isOver: Bool

    /// - Parameter requestCount: of the whole trace, for a share of them.
    init(_ warmUp: WarmUp?, requestCount: Int) {
        self.warmUp = warmUp
        self.requestCount = requestCount
        isOver = warmUp == nil
    }

    /// Splits a block where the warm-up ends; the second part is `nil` when it doesn't end within the block.
    mutating func split(_ block: ReplayBlock) -> (ReplayBlock, counted: ReplayBlock?) {
        guard !isOver, let warmUp else { return (block, nil) }
        var place = 0
        while place < block.ids.count {
            let isLookup = block.removals.isEmpty || !block.removals[place]
            let isPast =
                switch warmUp {
                case .share(let share): lookups >= Int((Double(requestCount) * share).rounded())
                case .requests(let count): lookups >= count
                case .nanoseconds(let duration): isLater(block.times[place], by: duration)
                }
            if isPast {
                isOver = true
                return (block.part(0..<place), block.part(place..<block.ids.count))
            }
            if isLookup { lookups += 1 }
            place += 1
        }
        return (block, nil)
    }

    private mutating func isLater(_ time: UInt64, by duration: UInt64) -> Bool {
        let first = firstTime ?? time
        firstTime = first
        return time >= first && time - first >= duration
    }
}

extension ReplayBlock {
    /// Some requests of the block. The new keys of the whole block belong to the first part that has requests.
    func part(_ range: Range<Int>) -> ReplayBlock {
        func cut<Element>(_ column: [Element]) -> [Element] { column.isEmpty ? [] : Array(column[range]) }
        var part = ReplayBlock(ids: cut(ids), sizes: cut(sizes), uniformSize: uniformSize)
        (part.removals, part.replacements, part.costs, part.times) = (
            cut(removals), cut(replacements), cut(costs), cut(times)
        )
        (part.deadlines, part.writes) = (cut(deadlines), cut(writes))
        part.newKeys = range.lowerBound == 0 && !range.isEmpty ? newKeys : []
        return part
    }
}

extension ReplayCounts {
    /// What was counted since.
    func since(_ earlier: ReplayCounts) -> ReplayCounts {
        var counts = self
        counts.requests -= earlier.requests
        counts.hits -= earlier.hits
        counts.expirations = expirations.map { $0 - (earlier.expirations ?? 0) }
        counts.bytesRequested &-= earlier.bytesRequested
        counts.bytesHit &-= earlier.bytesHit
        counts.costRequested &-= earlier.costRequested
        counts.costHit &-= earlier.costHit
        return counts
    }
}
