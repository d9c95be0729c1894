import TrialModel

/// Combinations of values in which every pair of values that can be together occurs at least once.
///
/// Each combination is the best of several greedy ones (Cohen and others, The AETG System, 1997). A greedy combination
/// begins with a pair that is still missing, and gives every factor the value that brings most missing pairs. A value
/// is chosen only while each other factor keeps a compatible value; a dead end is left by backtracking.
struct CoveringArray {
    typealias Choice = Feature.Choice

    /// Greedy combinations of which the best is taken.
    private static let attempts = 8
    /// After this many steps of a search it takes the most constrained factor first, which ends soon unless the free
    /// choices before it have led nowhere: after 300 of them, 16 combinations took 41 million steps, and 9,000 now.
    private static let freeSteps = 60

    /// The values of each factor, numbered over all factors.
    private let factors: [Range<Int>]
    private let masks: [ValueSet]
    /// For each value: the values that it goes together with, and itself.
    private var allowed: [ValueSet]
    /// For each value: those that it has not occurred with.
    private var missing: [ValueSet]
    private var queue: [(Int, Int)] = []
    private var random: RandomSource
    private var steps = 0
    /// Pairs that no exclusion names and no combination has, because each value excludes partners of the other.
    private(set) var impossible: [(Choice, Choice)] = []
    private(set) var coveredCount = 0

    init(counts: [Int], excluding excluded: some Sequence<(Choice, Choice)>, seed: UInt64) {
        let factors = counts.indices.map { factor in
            let first = counts[..<factor].reduce(0, +)
            return first..<first + counts[factor]
        }
        let all = ValueSet(0..<counts.reduce(0, +))
        let masks = factors.map(ValueSet.init)
        let others = masks.map { all.subtracting($0) }
        (self.factors, self.masks) = (factors, masks)
        random = RandomSource(seed: seed, stream: 38)
        allowed = factors.indices.flatMap { factor in
            factors[factor].map { others[factor].union(ValueSet($0..<$0 + 1)) }
        }
        missing = []
        for (one, other) in excluded { permit(false, one, other) }
        missing = factors.indices.flatMap { factor in
            factors[factor].map { allowed[$0].intersection(others[factor]) }
        }
        for value in missing.indices {
            queue += missing.indices.filter { $0 > value && missing[value].contains($0) }.map { (value, $0) }
        }
        random.shuffle(&queue)
    }

    /// The next combination, as the index of each factor's value; `nil` when all pairs have occurred.
    mutating func next() -> [Int]? {
        var best: (values: [Int], gain: Int)?
        var attempt = 0
        while attempt < Self.attempts, let pair = missingPair() {
            guard let values = completed([pair.0, pair.1], prefersDefaults: false) else {
                impossible.append((choice(pair.0), choice(pair.1)))
                cover(pair.0, pair.1)
                continue
            }
            let chosen = ValueSet(of: values)
            let gain = values.reduce(0) { $0 + missing[$1].intersection(chosen).count } / 2
            if gain > best?.gain ?? 0 { best = (values, gain) }
            attempt += 1
        }
        guard let best else { return nil }
        coveredCount += best.gain
        let chosen = ValueSet(of: best.values)
        for value in best.values { missing[value] = missing[value].subtracting(chosen) }
        return indices(of: best.values)
    }

    /// The combination that has some values, and defaults as far as these allow it; `nil` when there is none.
    ///
    /// - Parameter permitted: a pair that may occur though it is excluded.
    mutating func plainest(with choices: [Choice], permitting permitted: (Choice, Choice)? = nil) -> [Int]? {
        if let permitted { permit(true, permitted.0, permitted.1) }
        defer { if let permitted { permit(false, permitted.0, permitted.1) } }
        return completed(choices.map(value), prefersDefaults: true).map(indices)
    }

    private func value(_ choice: Choice) -> Int { factors[choice.feature].lowerBound + choice.value }

    private func indices(of values: [Int]) -> [Int] { zip(values, factors).map { $0 - $1.lowerBound } }

    private func choice(_ value: Int) -> Choice {
        let factor = factors.firstIndex { $0.contains(value) } ?? 0
        return Choice(feature: factor, value: value - factors[factor].lowerBound)
    }

    private mutating func permit(_ isPermitted: Bool, _ one: Choice, _ other: Choice) {
        for (left, right) in [(value(one), value(other)), (value(other), value(one))] {
            let set = ValueSet(right..<right + 1)
            allowed[left] = isPermitted ? allowed[left].union(set) : allowed[left].subtracting(set)
        }
    }

    private mutating func cover(_ left: Int, _ right: Int) {
        missing[left] = missing[left].subtracting(ValueSet(right..<right + 1))
        missing[right] = missing[right].subtracting(ValueSet(left..<left + 1))
    }

    /// A pair that is still missing, chosen at random.
    private mutating func missingPair() -> (Int, Int)? {
        while !queue.isEmpty {
            let index = Int(random.next(below: UInt64(queue.count)))
            let pair = queue[index]
            if missing[pair.0].contains(pair.1) { return pair }
            queue.swapAt(index, queue.count - 1)
            queue.removeLast()
        }
        return nil
    }

    // MARK: Search

    /// All factors' values, beginning with some.
    private mutating func completed(_ values: [Int], prefersDefaults: Bool) -> [Int]? {
        var domain = ValueSet(0..<allowed.count)
        for value in values {
            guard domain.contains(value), let narrowed = narrowed(domain, by: value) else { return nil }
            domain = narrowed
        }
        var order = Array(factors.indices)
        if !prefersDefaults { random.shuffle(&order) }
        steps = 0
        return search(domain, order, chosen: ValueSet(of: values), prefersDefaults: prefersDefaults)
    }

    /// The values that are left once one is chosen; `nil` when a factor has none.
    private func narrowed(_ domain: ValueSet, by value: Int) -> ValueSet? {
        let narrowed = domain.intersection(allowed[value])
        return masks.contains { narrowed.intersection($0).isEmpty } ? nil : narrowed
    }

    private mutating func search(
        _ domain: ValueSet, _ order: [Int], chosen: ValueSet, prefersDefaults: Bool
    ) -> [Int]? {
        var order = order
        if steps > Self.freeSteps {
            order.sort { domain.intersection(masks[$0]).count > domain.intersection(masks[$1]).count }
        }
        guard let factor = order.popLast() else {
            return factors.compactMap { $0.first(where: domain.contains) }
        }
        var values = factors[factor].filter(domain.contains)
        if !prefersDefaults {
            random.shuffle(&values)
            let gains = values.map { missing[$0].intersection(chosen).count }
            // Where nothing is left to gain, the default: each other value makes a case longer, as a sweep does.
            let first = factors[factor].lowerBound
            values = zip(values, gains).sorted { ($0.1, $0.0 == first ? 1 : 0) > ($1.1, $1.0 == first ? 1 : 0) }.map(
                \.0)
        }
        for value in values {
            steps += 1
            guard let narrowed = narrowed(domain, by: value) else { continue }
            let chosen = chosen.union(ValueSet(value..<value + 1))
            if let found = search(narrowed, order, chosen: chosen, prefersDefaults: prefersDefaults) { return found }
        }
        return nil
    }
}

/// A set of up to 256 small numbers.
struct ValueSet: Sendable {
    private var low: UInt128
    private var high: UInt128

    private init(low: UInt128, high: UInt128) { (self.low, self.high) = (low, high) }

    init(_ range: Range<Int>) { self.init(of: Array(range)) }

    init(of values: [Int]) {
        (low, high) = (0, 0)
        for value in values { if value < 128 { low |= 1 << value } else { high |= 1 << (value - 128) } }
    }

    var isEmpty: Bool { low == 0 && high == 0 }
    var count: Int { low.nonzeroBitCount + high.nonzeroBitCount }

    func contains(_ value: Int) -> Bool { (value < 128 ? low >> value : high >> (value - 128)) & 1 == 1 }
    func intersection(_ other: Self) -> Self { Self(low: low & other.low, high: high & other.high) }
    func union(_ other: Self) -> Self { Self(low: low | other.low, high: high | other.high) }
    func subtracting(_ other: Self) -> Self { Self(low: low & ~other.low, high: high & ~other.high) }
}
