import Foundation
package import TrialModel

/// What a history shows about one promise.
package struct PromiseFinding: Codable, Hashable, Sendable {
    package var promise: Promise
    package var verdict: ConsistencyVerdict
    /// Operations that could have broken the promise.
    package var operationsChecked: UInt64
    package var violations: UInt64
    /// Operations that look like a violation, such as an entry that is not found, and that something else may explain.
    package var operationsExcused: UInt64 = 0
    /// The smallest set of operations that breaks it; `nil` when nothing does.
    package var example: Counterexample?
    /// What makes the log invalid, so that no promise can be judged: a fault of the recorder, not of the cache.
    package var flaw: String?

    package init(
        promise: Promise, verdict: ConsistencyVerdict, operationsChecked: UInt64, violations: UInt64 = 0,
        example: Counterexample? = nil
    ) {
        self.promise = promise
        self.verdict = verdict
        self.operationsChecked = operationsChecked
        self.violations = violations
        self.example = example
    }
}

/// A few operations that no sequential cache explains, in the order of their calls.
package struct Counterexample: Codable, Hashable, Sendable {
    /// One operation or request, and its caller.
    package struct Event: Codable, Hashable, Sendable {
        /// The caller, such as `client 3` or `origin`.
        package var caller: String
        /// The operation and its outcome, such as `read 17 → version 5` or `write 17 version 6`.
        package var what: String
        /// The start, in nanoseconds from the first event's call.
        package var call: UInt64
        package var answer: UInt64

        package init(caller: String, what: String, call: UInt64, answer: UInt64) {
            self.caller = caller
            self.what = what
            self.call = call
            self.answer = answer
        }
    }

    /// The violation, in one sentence.
    package var summary: String
    package var events: [Event]
    /// Further evidence, a line each: further checks that failed, or the backtrace of a crash.
    package var details: [String]

    package init(summary: String, events: [Event] = [], details: [String] = []) {
        self.summary = summary
        self.events = events
        self.details = details
    }

    /// As a file of JSON.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        // An example holds only strings and whole numbers, so encoding can't fail.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }

    /// Also decodes examples without details, such as those of older results.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        summary = try fields.decode(String.self, forKey: .summary)
        events = try fields.decode([Event].self, forKey: .events)
        details = try fields.decodeIfPresent([String].self, forKey: .details) ?? []
    }
}
