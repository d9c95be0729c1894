import TrialModel

/// Combinations of values in which every pair of values that can be together occurs at least once.
///
/// Each combination is the best of several greedy ones (Cohen and others, The AETG System, 1997). A greedy combination
/// begins with a pair that is still missing, and gives every factor the value that brings most missing pairs. A value
/// is chosen only while each other factor keeps a value that is compatible with it; a dead end is left by backtracking.
struct CoveringArray {
    typealias Choice = Feature.Choice

    private static let attempts = 6
    /// The number of values of each factor.
    private let counts: [Int]
    /// Values are numbered over all factors.
    private let first: [Int]
    private let size: Int
    private var isAllowed: [Bool]
    private var isMissing: [Bool]
    private var random: RandomSource
    /// The missing pairs, in a random order.
    private var queue: [(Int, Int)] = []
    /// Pairs that no combination has, though no exclusion names them: each excludes the other's partners.
    private(set) var impossible: [(Choice, Choice)] = []
    private(set) var coveredCount = 0

    init(counts: [Int], excluding excluded: some Sequence<(Choice, Choice)>, seed: UInt64) {
        self.counts = counts
        first = counts.indices.map { counts[..<$0].reduce(0, +) }
        size = counts.reduce(0, +)
        random = RandomSource(seed: seed, stream: 38)
        isAllowed = Array(repeating: true, count: size * size)
        isMissing = Array(repeating: false, count: size * size)
        for (one, other) in excluded { permit(false, one, other) }
        for one in counts.indices {
            for other in counts.indices where one < other {
                for left in first[one]..<first[one] + counts[one] {
                    for right in first[other]..<first[other] + counts[other] where isAllowed[left * size + right] {
                        isMissing[left * size + right] = true
                        isMissing[right * size + left] = true
                        queue.append((left, right))
                    }
                }
            }
        }
        random.shuffle(&queue)
    }

    /// The next combination, as the index of each factor's value; `nil` when all pairs have occurred.
    mutating func next() -> [Int]? {
        var best: (values: [Int], gain: Int)?
        var attempt = 0
        while attempt < Self.attempts, let pair = missingPair(after: attempt) {
            guard let values = completed([pair.0, pair.1], prefersDefaults: false) else {
                impossible.append((choice(pair.0), choice(pair.1)))
                cover(pair.0, pair.1)
                continue
            }
            let gain = gain(of: values)
            if gain > best?.gain ?? -1 { best = (values, gain) }
            attempt += 1
        }
        guard let best else { return nil }
        coveredCount += best.gain
        for (index, value) in best.values.enumerated() {
            for other in best.values[..<index] { cover(value, other) }
        }
        return best.values.enumerated().map { $1 - first[$0] }
    }

    /// The combination that has some values, and defaults as far as these allow it; `nil` when there is none.
    ///
    /// - Parameter permitted: pairs that may occur though they are excluded.
    mutating func plainest(with choices: [Choice], permitting permitted: [(Choice, Choice)] = []) -> [Int]? {
        for (one, other) in permitted { permit(true, one, other) }
        defer { for (one, other) in permitted { permit(false, one, other) } }
        let values = completed(choices.map { first[$0.feature] + $0.value }, prefersDefaults: true)
        return values?.enumerated().map { $1 - first[$0] }
    }

    private func choice(_ value: Int) -> Choice {
        let factor = counts.indices.last { first[$0] <= value } ?? 0
        return Choice(feature: factor, value: value - first[factor])
    }

    private mutating func permit(_ isPermitted: Bool, _ one: Choice, _ other: Choice) {
        let (left, right) = (first[one.feature] + one.value, first[other.feature] + other.value)
        isAllowed[left * size + right] = isPermitted
        isAllowed[right * size + left] = isPermitted
    }

    private mutating func cover(_ left: Int, _ right: Int) {
        isMissing[left * size + right] = false
        isMissing[right * size + left] = false
    }

    /// A pair that is still missing; pairs at the end of the queue that are covered are dropped.
    private mutating func missingPair(after attempt: Int) -> (Int, Int)? {
        while let last = queue.last, !isMissing[last.0 * size + last.1] { queue.removeLast() }
        guard !queue.isEmpty else { return nil }
        if attempt > 0 {
            for _ in 0..<20 {
                let pair = queue[Int(random.next(below: UInt64(queue.count)))]
                if isMissing[pair.0 * size + pair.1] { return pair }
            }
        }
        return queue.last
    }

    private func gain(of values: [Int]) -> Int {
        values.indices.reduce(0) { sum, index in
            sum + values[..<index].count { isMissing[values[index] * size + $0] }
        }
    }

    /// All factors' values, beginning with some.
    private mutating func completed(_ values: [Int], prefersDefaults: Bool) -> [Int]? {
        var domains = counts.indices.map { Array(first[$0]..<first[$0] + counts[$0]) }
        for value in values {
            guard let narrowed = narrowed(domains, by: value) else { return nil }
            domains = narrowed
        }
        var order = Array(counts.indices)
        if !prefersDefaults { random.shuffle(&order) }
        return search(domains, order[...], chosen: values, prefersDefaults: prefersDefaults)
    }

    /// The values that are left to each factor once one is chosen; `nil` when a factor has none.
    private func narrowed(_ domains: [[Int]], by value: Int) -> [[Int]]? {
        let factor = choice(value).feature
        guard domains[factor].contains(value) else { return nil }
        var narrowed = domains
        for other in domains.indices where other != factor {
            narrowed[other].removeAll { !isAllowed[value * size + $0] }
            if narrowed[other].isEmpty { return nil }
        }
        narrowed[factor] = [value]
        return narrowed
    }

    private mutating func search(
        _ domains: [[Int]], _ order: ArraySlice<Int>, chosen: [Int], prefersDefaults: Bool
    ) -> [Int]? {
        guard let factor = order.first else { return domains.compactMap(\.first) }
        var values = domains[factor]
        if !prefersDefaults {
            random.shuffle(&values)
            let gains = Dictionary(
                uniqueKeysWithValues: values.map { value in
                    (value, chosen.count { isMissing[value * size + $0] })
                })
            values.sort { gains[$0, default: 0] > gains[$1, default: 0] }
        }
        for value in values {
            guard let narrowed = narrowed(domains, by: value),
                let found = search(
                    narrowed, order.dropFirst(), chosen: chosen + [value], prefersDefaults: prefersDefaults)
            else { continue }
            return found
        }
        return nil
    }
}
