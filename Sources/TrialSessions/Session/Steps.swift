import Reports

/// The steps of a session, whatever they are.
enum Steps {
    /// Takes the steps, and shows meanwhile how far they are. Where the task is cancelled, what is finished is kept.
    ///
    /// - Parameters:
    ///   - progress: who is told how the time passes.
    ///   - close: ends what the steps have shared, however they ended.
    /// - Returns: whether the task was cancelled before the last one.
    /// - Throws: what a step throws.
    static func areCutShort(
        _ progress: RunProgress? = nil, _ steps: () async throws -> Void, close: () async -> Void
    ) async throws -> Bool {
        let ticking = Task { await progress?.keepTicking() }
        defer {
            ticking.cancel()
            progress?.finish()
        }
        do {
            try await steps()
        } catch {
            await close()
            guard Task.isCancelled else { throw error }
            return true
        }
        await close()
        return false
    }
}
