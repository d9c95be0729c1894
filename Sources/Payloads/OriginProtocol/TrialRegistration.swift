package import TrialModel

/// What an origin has to know of a trial: the body of `PUT /trials/<id>`.
package struct TrialRegistration: Codable, Hashable, Sendable {
    /// The scenario's seed.
    package var seed: UInt64
    /// What stands behind a key.
    package var values: ValueSpecification
    /// How long an answer takes.
    package var origin: OriginSpecification

    /// How many keys, from 0 on, are to be encoded before the registration is answered, as far as there is room for
    /// them; `nil` means none. A picture that is compressed while a load waits makes its answer late.
    package var preparedKeyCount: UInt64?

    package init(
        seed: UInt64, values: ValueSpecification, origin: OriginSpecification, preparedKeyCount: UInt64? = nil
    ) {
        self.seed = seed
        self.values = values
        self.origin = origin
        self.preparedKeyCount = preparedKeyCount
    }

    /// The longest delay that is accepted: ten minutes, in nanoseconds.
    package static let delayNanosecondsMax: UInt64 = 600_000_000_000

    /// What is wrong with the registration, a line each; empty when nothing is.
    package var mistakes: [String] {
        values.size.mistakes(in: "values.size", largest: UInt64(PayloadLimits.byteCountMax), unit: "bytes")
            + origin.delay.mistakes(in: "origin.delay", largest: Self.delayNanosecondsMax, unit: "ns")
    }

    /// The delay of an answer: a pure function of seed, key and version, in nanoseconds.
    package func delay(key: UInt64, version: UInt64, sampler: DistributionSampler) -> UInt64 {
        if case .fixed(let delay) = origin.delay { return delay }
        var random = RandomSource(seed: seed, stream: PayloadStream.delay, key, version)
        return sampler.next(using: &random)
    }
}

extension Distribution {
    fileprivate func mistakes(in place: String, largest limit: UInt64, unit: String) -> [String] {
        var mistakes: [String] = []
        if largest > limit { mistakes.append("\(place): up to \(largest) \(unit); the limit is \(limit)") }
        switch self {
        case .fixed, .logNormal: break
        case .uniform(let low, let high):
            if low > high { mistakes.append("\(place): min \(low) is above max \(high)") }
        case .table(let rows):
            let total = rows.reduce(0) { $0 + $1.weight }
            if !rows.allSatisfy({ $0.weight >= 0 && $0.weight.isFinite }) || !(total > 0 && total.isFinite) {
                mistakes.append("\(place): weights must be finite, none negative, and one of them above zero")
            }
        }
        return mistakes
    }
}
