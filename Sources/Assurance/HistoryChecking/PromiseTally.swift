package import TrialModel

/// The evidence about one promise so far.
struct PromiseTally: Sendable {
    /// Operations that could have broken it.
    var checked: UInt64 = 0
    /// Operations that would have broken it, had nothing else explained them.
    var excused: UInt64 = 0
    /// Operations that can't be judged.
    var undecided: UInt64 = 0
    private(set) var violations: UInt64 = 0
    private(set) var example: Counterexample?

    /// Records a violation. The example is built only when it is smaller than the present one.
    mutating func violate(eventCount: Int, _ makeExample: () -> Counterexample) {
        violations += 1
        if eventCount < example?.events.count ?? .max { example = makeExample() }
    }

    /// The finding.
    ///
    /// - Parameters:
    ///   - gap: what the history lacks to judge this promise; `nil` when it is complete.
    ///   - nothing: the reason to give when nothing could have broken the promise.
    func finding(of promise: Promise, gap: String?, nothing: String) -> PromiseFinding {
        var finding = judged(promise, gap: gap, nothing: nothing)
        finding.operationsExcused = excused
        return finding
    }

    private func judged(_ promise: Promise, gap: String?, nothing: String) -> PromiseFinding {
        if violations > 0 {
            return PromiseFinding(
                promise: promise, verdict: .inconsistent, operationsChecked: max(checked, violations),
                violations: violations, example: example)
        }
        let undecidedText = undecided > 0 ? "the origin of \(undecided) values was not recorded" : nil
        if let reason = gap ?? undecidedText ?? (checked == 0 ? nothing : nil) {
            return .unknown(promise, checked: checked, because: reason)
        }
        return PromiseFinding(promise: promise, verdict: .consistent, operationsChecked: checked)
    }
}

extension PromiseFinding {
    /// A promise that can't be judged; the example has the reason and no events.
    package static func unknown(_ promise: Promise, checked: UInt64 = 0, because reason: String) -> PromiseFinding {
        PromiseFinding(
            promise: promise, verdict: .unknown, operationsChecked: checked,
            example: Counterexample(summary: reason, events: []))
    }
}
