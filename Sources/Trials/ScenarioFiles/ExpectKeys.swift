package import TrialModel

/// Makes expectations once mix and arrival are known; a `nil` argument means unknown.
typealias ExpectationsOfWorkload = (_ mix: OperationMix?, _ arrival: Arrival?, _ hasFrames: Bool) -> [Expectation]

/// The expectations of a phase or a pool.
struct ExpectKeys: ScenarioMapping {
    /// Dropped operations and frames belong to no pool.
    let isOfPool: Bool

    let hitRatio = FileKey("hit-ratio", .mapping(RatioKeys()), absent: "any", "The share of the lookups that are hits.")
    let contendedMisses = FileKey(
        "contended-misses", count { .contendedMisses(atLeast: $0) }, absent: "any",
        "At least this many misses meet another load of their key in flight.")
    let duplicateLoads = FileKey(
        "duplicate-loads", count { .duplicateLoads(atMost: $0) }, absent: "any",
        "At most this many requests reach the origin while another request for their key is in flight.")
    let droppedOperations = FileKey(
        "dropped-operations", count { .droppedOperations(atMost: $0) }, absent: "any",
        "At most this many due operations are not sent.")
    let missedFrames = FileKey(
        "missed-frames",
        TypedForm.fraction(ScenarioLimits.ratio).map { share, _ in Expectation.missedFrames(atMost: share) },
        absent: "any", "At most this share of the frames is missed, without the frames that the machine made late.")
    let latency = FileKey(
        "latency", .objectives, absent: "any",
        "A limit for a percentile, such as p99 <= 5 ms or p50 of write <= 20 us; or a list of them.")

    var rule: ScenarioForm.Rule { .notEmpty }
    var declaredKeys: [any DeclaredKey] {
        reflectedKeys.filter { !isOfPool || ![droppedOperations.name, missedFrames.name].contains($0.name) }
    }

    private static func count(_ make: @escaping (UInt64) -> Expectation) -> TypedForm<Expectation> {
        TypedForm<UInt64>.count(ScenarioLimits.expectedCount).map { count, _ in make(count) }
    }

    func value(of fields: Fields) -> ExpectationsOfWorkload? {
        fields.refuseEmpty(form)
        return { expectations(fields, mix: $0, arrival: $1, hasFrames: $2) }
    }

    private func expectations(
        _ fields: Fields, mix: OperationMix?, arrival: Arrival?, hasFrames: Bool
    ) -> [Expectation] {
        let looksUp = mix.map { mix in [.read, .load, .burst].contains { mix[$0] > 0 } } ?? true
        let loads = mix.map { $0[.load] > 0 || $0[.burst] > 0 } ?? true
        let needs = [
            (hitRatio, looksUp, "only with read, load or burst in the mix"),
            (contendedMisses, loads, "only with load or burst in the mix"),
            (duplicateLoads, loads, "only with load or burst in the mix"),
            (droppedOperations, arrival?.isOpen ?? true, "only with an open arrival"),
            (missedFrames, hasFrames, "only with frames"),
        ]
        for (key, isPossible, allowed) in needs where !isPossible {
            fields.refuse(key, found: "\(key.name) where there can be none", allowed: allowed)
        }
        return needs.compactMap { fields[$0.0] } + (fields[latency] ?? []).map(Expectation.latency)
    }
}

private struct RatioKeys: ScenarioMapping {
    let min = FileKey("min", .fraction(ScenarioLimits.ratio), default: 0, "At least this share.")
    let max = FileKey("max", .fraction(ScenarioLimits.ratio), default: 1, "At most this share.")

    var rule: ScenarioForm.Rule { .notEmpty }

    func value(of fields: Fields) -> Expectation? {
        guard let low = fields[min], let high = fields[max] else { return nil }
        guard !fields.isEmpty else {
            if !fields.hasUnknownKeys { fields.field.report(found: "no bound", allowed: "min, max or both") }
            return nil
        }
        guard low <= high else { return fields.mistake(max, found: "less than min", allowed: "at least min") }
        return .hitRatio(atLeast: low, atMost: high)
    }
}

extension TypedForm<[LatencyObjective]> {
    /// One objective, or a list of them.
    fileprivate static var objectives: Self {
        let one = TypedForm<LatencyObjective>(form: .text) { field in
            guard let text = field.text() else { return nil }
            do throws(ObjectiveError) {
                return try LatencyObjective(text: text)
            } catch {
                return field.mistake(allowed: LatencyObjective.allowedText, hint: error.problem)
            }
        }
        let several = Self.list(of: one, count: 1...20, called: "a list of objectives")
        return Self(form: .any([one.form, several.form])) { field in
            if case .sequence = field.node.content { several.read(field) } else { one.read(field).map { [$0] } }
        }
    }
}

extension Fields {
    /// Reports an empty mapping.
    func refuseEmpty(_ form: ScenarioForm) {
        if isEmpty, !hasUnknownKeys { field.report(found: "an empty mapping", allowed: form.allowed) }
    }
}

extension LatencyObjective {
    /// Parses a text such as `p99 <= 5 ms` or `p50 of write <= 20 us`.
    ///
    /// - Throws: ``ObjectiveError`` when the text is not an objective; it says what is wrong and what is allowed.
    package init(text: String) throws(ObjectiveError) {
        func error(_ part: some StringProtocol, _ what: String) -> ObjectiveError {
            ObjectiveError(problem: "'\(ScenarioMessage.quote(String(part)))' \(what)")
        }
        let sides = text.split(separator: "<=", omittingEmptySubsequences: false)
        guard sides.count == 2 else { throw error(text, "has no '<='") }
        let words = sides[0].split(whereSeparator: \.isWhitespace).map(String.init)
        guard let name = words.first, words.count == 1 || (words.count == 3 && words[1] == "of") else {
            throw error(sides[0], "is no metric")
        }
        guard let figure = Figure(rawValue: name) else { throw error(name, "is no metric") }
        let operation = words.count == 3 ? OperationKind(rawValue: words[2]) : nil
        if words.count == 3, operation == nil { throw error(words[2], "is no operation") }
        let limitText = sides[1].drop(while: \.isWhitespace)
        guard let limit = DecimalText(String(limitText))?.nanoseconds, ScenarioLimits.objective.range.contains(limit)
        else { throw error(limitText, "is not \(ScenarioLimits.objective.allowed)") }
        self.init(figure: figure, operation: operation, limit: limit)
    }

    /// The allowed form of a text, for messages.
    static var allowedText: String {
        "a limit such as p99 <= 5 ms or p50 of write <= 20 us, with one of "
            + ScenarioMessage.list(Figure.allCases.map(\.rawValue))
    }
}

/// The error of a text that is not a latency objective.
package struct ObjectiveError: Error, Hashable, Sendable, CustomStringConvertible {
    let problem: String

    package var description: String { "\(problem); write \(LatencyObjective.allowedText)" }
}
