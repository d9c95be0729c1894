import TrialModel

/// What has been found out about one promise so far.
struct PromiseTally: Sendable {
    /// Operations that could have broken it.
    var checked: UInt64 = 0
    /// Operations of which it can't be told whether they broke it.
    var undecided: UInt64 = 0
    private(set) var violations: UInt64 = 0
    private(set) var example: Counterexample?

    /// Notes a violation. The example is made only when it is smaller than the one there is.
    mutating func violate(eventCount: Int, _ makeExample: () -> Counterexample) {
        violations += 1
        if eventCount < example?.events.count ?? .max { example = makeExample() }
    }

    /// Adds what was found in other keys.
    mutating func add(_ other: PromiseTally) {
        checked += other.checked
        undecided += other.undecided
        violations += other.violations
        if let found = other.example, found.events.count < example?.events.count ?? .max { example = found }
    }

    /// The finding.
    ///
    /// - Parameters:
    ///   - gap: what is missing in the history for this promise; `nil` when nothing is.
    ///   - nothing: what to say when nothing could have broken the promise.
    func finding(of promise: Promise, gap: String?, nothing: String) -> PromiseFinding {
        if violations > 0 {
            return PromiseFinding(
                promise: promise, verdict: .inconsistent, operationsChecked: max(checked, violations),
                violations: violations, example: example)
        }
        let undecidedText = undecided > 0 ? "of \(undecided) values it is not recorded where they came from" : nil
        if let reason = gap ?? undecidedText ?? (checked == 0 ? nothing : nil) {
            return .unknown(promise, checked: checked, because: reason)
        }
        return PromiseFinding(promise: promise, verdict: .consistent, operationsChecked: checked)
    }
}

extension PromiseFinding {
    /// It can't be told whether a promise was kept; the example has the reason and no events.
    static func unknown(_ promise: Promise, checked: UInt64 = 0, because reason: String) -> PromiseFinding {
        PromiseFinding(
            promise: promise, verdict: .unknown, operationsChecked: checked,
            example: Counterexample(summary: reason, events: []))
    }
}
