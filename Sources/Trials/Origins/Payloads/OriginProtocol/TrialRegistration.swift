package import TrialModel

/// What an origin must know about a trial: the body of `PUT /trials/<id>`.
package struct TrialRegistration: Codable, Hashable, Sendable {
    /// The scenario's seed.
    package var seed: UInt64
    /// The kind and the sizes of the keys' values.
    package var values: ValueSpecification
    /// The delays and faults of the origin.
    package var origin: OriginSpecification

    /// How many keys the server encodes before it answers the registration, from key 0 on, or from the first key of
    /// each pool, as far as there is room; `nil` means none. A picture that is compressed while a load waits makes its
    /// answer late.
    package var preparedKeyCount: UInt64?

    package init(
        seed: UInt64, values: ValueSpecification, origin: OriginSpecification, preparedKeyCount: UInt64? = nil
    ) {
        self.seed = seed
        self.values = values
        self.origin = origin
        self.preparedKeyCount = preparedKeyCount
    }

    /// The longest accepted delay: ten minutes, in nanoseconds.
    package static let delayNanosecondsMax: UInt64 = 600_000_000_000

    /// The most phases of a scenario.
    private static let phaseCountMax = 100

    /// What is wrong with the registration, one line each; empty when it is valid.
    package var mistakes: [String] {
        values.size.mistakes(in: "values.size", largest: UInt64(PayloadLimits.byteCountMax), unit: "bytes")
            + origin.delay.mistakes(in: "origin.delay", largest: Self.delayNanosecondsMax, unit: "ns")
            + mistakesOfFaults + mistakesOfPools
    }

    private var mistakesOfFaults: [String] {
        let faults = origin.faults ?? []
        var mistakes: [String] = []
        let offline = origin.offlinePhases ?? []
        if offline.count > Self.phaseCountMax {
            mistakes.append("origin.offlinePhases: \(offline.count) phases; the limit is \(Self.phaseCountMax)")
        }
        if faults.count > OriginFault.countMax {
            mistakes.append("origin.faults: \(faults.count) faults; the limit is \(OriginFault.countMax)")
        }
        for (index, fault) in faults.enumerated() {
            let place = "origin.faults[\(index)]"
            if !(0...1).contains(fault.probability) {
                mistakes.append("\(place).probability: \(fault.probability) must be from 0 to 1")
            }
            if fault.extraNanoseconds > Self.delayNanosecondsMax {
                mistakes.append(
                    "\(place).time: \(fault.extraNanoseconds) ns; the limit is \(Self.delayNanosecondsMax)")
            }
            if fault.attempts?.every == 0 { mistakes.append("\(place).attempts.every: 0; it must be at least 1") }
        }
        return mistakes
    }

    private var mistakesOfPools: [String] {
        let pools = values.pools ?? []
        var mistakes: [String] = []
        if pools.count > KeyPool.countMax {
            mistakes.append("values.pools: \(pools.count) pools; the limit is \(KeyPool.countMax)")
        }
        var end: UInt64 = 0
        for (index, pool) in pools.enumerated() {
            let place = "values.pools[\(index)]"
            let (next, overflows) = pool.first.addingReportingOverflow(pool.count)
            if pool.first != end || pool.count == 0 || overflows {
                mistakes.append("\(place): its keys do not follow those of the pool before")
            }
            end = next
            mistakes += pool.size.mistakes(
                in: "\(place).size", largest: UInt64(PayloadLimits.byteCountMax), unit: "bytes")
        }
        return mistakes
    }

    /// The keys whose payloads are encoded before the registration is answered.
    package var preparedKeys: [Range<UInt64>] {
        let most = preparedKeyCount ?? 0
        guard let pools = values.pools else { return [0..<most] }
        // The sums can't overflow: registrations with mistakes are refused.
        return pools.map { $0.first..<$0.first &+ min($0.count, most) }
    }

    /// The fault that hits a request: a pure function of seed, key, attempt (which is the answer's version) and phase.
    package func fault(key: UInt64, attempt: UInt64, phase: UInt16) -> OriginFault? {
        if origin.isOffline(inPhase: phase) { return OriginSpecification.offlineFault }
        return origin.faults?.fault(seed: seed, key: key, attempt: attempt)
    }

    /// The delay of an answer: a pure function of seed, key, version and phase, in nanoseconds. A refusal has no delay.
    package func delay(key: UInt64, version: UInt64, phase: UInt16, sampler: DistributionSampler) -> UInt64 {
        if origin.isOffline(inPhase: phase) { return 0 }
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

/// The requests that the fixture server understands; the client writes them and the server reads them.
package enum OriginRoute: Hashable, Sendable {
    /// `/`: a help page.
    case help
    /// `/trials/<id>`: `PUT` registers, `DELETE` frees.
    case trial(String)
    /// `/trials/<id>/values/<key>?phase=<n>`: a payload.
    case value(trial: String, key: UInt64, phase: UInt16)
    /// `/trials/<id>/log?phase=<n>`: the counts of a phase or of all.
    case log(trial: String, phase: UInt16?)
    /// `/trials/<id>/log/entries?phase=<n>`: every request of a phase or of all.
    case entries(trial: String, phase: UInt16?)

    /// Why a path is not a route, in one line for the sender.
    package struct Mistake: Error, Hashable, Sendable {
        /// Whether the path is well-formed but unknown: 404 and not 400.
        package var isUnknown: Bool
        package var text: String
    }

    /// Reads a path and its query.
    ///
    /// It compares bytes: a fixture server reads tens of thousands of paths a second, and splitting a text by its characters
    /// took a twelfth of the time of a request.
    package init(path: Substring, query: Substring?) throws(Mistake) {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        if parts.allSatisfy(\.isEmpty) {
            self = .help
            return
        }
        guard parts.first?.elementsEqual("trials".utf8) == true, let id = parts.dropFirst().first.map(Substring.init)
        else {
            throw Mistake(isUnknown: true, text: "unknown path; GET / lists the paths")
        }
        guard Self.isTrialName(id) else {
            throw Mistake(isUnknown: false, text: "a trial's id is 1 to 200 letters, digits, '.', '_' or '-'")
        }
        let phase = try Self.phase(in: query)
        let rest = parts.dropFirst(2)
        func begins(_ word: String) -> Bool { rest.first?.elementsEqual(word.utf8) == true }
        switch rest.count {
        case 0: self = .trial(String(id))
        case 1 where begins("log"): self = .log(trial: String(id), phase: phase)
        case 2 where begins("log") && rest.last?.elementsEqual("entries".utf8) == true:
            self = .entries(trial: String(id), phase: phase)
        case 2 where begins("values"):
            self = .value(trial: String(id), key: try Self.key(rest.last), phase: phase ?? 0)
        default: throw Mistake(isUnknown: true, text: "unknown path; GET / lists the paths")
        }
    }

    /// The path with its query, as ``init(path:query:)`` reads it.
    package var path: String {
        switch self {
        case .help: "/"
        case .trial(let id): "/trials/\(id)"
        case .value(let id, let key, let phase): "/trials/\(id)/values/\(key)?phase=\(phase)"
        case .log(let id, let phase): "/trials/\(id)/log\(Self.query(phase))"
        case .entries(let id, let phase): "/trials/\(id)/log/entries\(Self.query(phase))"
        }
    }

    /// Whether a text can be a trial's id: it needs no escaping in a path.
    package static func isTrialName(_ id: some StringProtocol) -> Bool {
        (1...200).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func key(_ text: Substring.UTF8View?) throws(Mistake) -> UInt64 {
        guard let key = text.flatMap(number) else {
            throw Mistake(isUnknown: false, text: "a key is a whole number from 0 to \(UInt64.max)")
        }
        return key
    }

    private static func query(_ phase: UInt16?) -> String { phase.map { "?phase=\($0)" } ?? "" }

    private static func phase(in query: Substring?) throws(Mistake) -> UInt16? {
        guard let query, !query.isEmpty else { return nil }
        guard query.utf8.starts(with: "phase=".utf8), let number = number(query.utf8.dropFirst("phase=".utf8.count)),
            let phase = UInt16(exactly: number)
        else { throw Mistake(isUnknown: false, text: "the query is phase=<whole number from 0 to \(UInt16.max)>") }
        return phase
    }

    /// Digits only; `UInt64.init` would accept a sign as well.
    private static func number(_ text: Substring.UTF8View) -> UInt64? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return text.allSatisfy(digits.contains) ? UInt64(Substring(text)) : nil
    }
}
