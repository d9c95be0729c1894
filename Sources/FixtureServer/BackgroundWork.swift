import Dispatch

/// What takes too long for an event loop, such as compressing a picture: tasks that the server waits for when it stops.
struct BackgroundWork: Sendable {
    private let underWay = DispatchGroup()

    /// Starts a task.
    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        underWay.enter()
        return Task {
            await work()
            underWay.leave()
        }
    }

    /// Returns when all that was started has ended.
    func wait() async {
        await withCheckedContinuation { continuation in
            underWay.notify(queue: .global()) { continuation.resume() }
        }
    }
}
