/// A small program of which it is known whether it has a data race.
///
/// The detector is asked about each before it is asked about a strategy: one that misses a racy control, or accuses a
/// clean one, can't be trusted with the strategies either. One process runs one control, so that a report names its
/// control without doubt and the exit code is the control's own.
///
/// The racy ones say `x = x + 1`: of `x += 1` the sanitizer reports an access without the number of its line.
package struct RaceControl: Sendable {
    /// What the detector must say.
    package enum Kind: String, Sendable, CaseIterable {
        /// Two threads reach the same memory, one of them writes, and nothing orders them: must be flagged.
        case racy
        /// Every shared access is ordered: must not be flagged.
        case clean
    }

    /// What it is called in arguments and reports: kebab-case, and never changed.
    package let name: String
    /// What the detector must say.
    package let kind: Kind
    /// What is done wrong, or which synchronisation is right; one line.
    package let summary: String

    private let body: @Sendable () async -> Bool

    /// - Parameter body: does the work, and says whether it computed what it should.
    init(_ kind: Kind, _ name: String, summary: String, body: @escaping @Sendable () async -> Bool) {
        self.name = name
        self.kind = kind
        self.summary = summary
        self.body = body
    }

    /// Does the work, some thousands of operations by four threads or tasks; every thread has ended when it returns.
    ///
    /// It never runs on the caller's actor, so that the main thread stays free.
    ///
    /// - Returns: whether it computed what it should. A racy control may lose updates, so only the answer of a clean
    ///   one counts.
    @concurrent
    @discardableResult
    package func run() async -> Bool {
        await body()
    }
}
