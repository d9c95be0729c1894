import Reports

/// The steps of any session.
enum Steps {
    /// Takes the steps, and shows the progress. When the task is cancelled, finished steps are kept.
    ///
    /// - Parameters:
    ///   - progress: the display of progress.
    ///   - close: releases what the steps share, after any ending.
    /// - Throws: what a step throws, unless the task was cancelled.
    static func take(
        _ progress: RunProgress? = nil, _ steps: () async throws -> Void, close: () async -> Void
    ) async throws {
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
            return
        }
        await close()
    }
}
