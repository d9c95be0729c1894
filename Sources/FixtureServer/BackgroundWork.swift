import Dispatch

/// Work that takes too long for an event loop, such as compressing a picture. The server waits for these tasks when it
/// stops.
struct BackgroundWork: Sendable {
    private let inFlight = DispatchGroup()

    /// Starts a task.
    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        inFlight.enter()
        return Task {
            await work()
            inFlight.leave()
        }
    }

    /// Returns when all started tasks have ended.
    func wait() async {
        await withCheckedContinuation { continuation in
            inFlight.notify(queue: .global()) { continuation.resume() }
        }
    }
}
