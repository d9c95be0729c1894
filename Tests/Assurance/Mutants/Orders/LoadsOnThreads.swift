import CacheStrategies
import Foundation
import Locks

extension SynchronousCacheStrategy {
    /// A load by a task that behaves as one by a thread: it runs on a thread of its own.
    func loadOnThread(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try self.loadBlocking(key) { try Self.wait(for: fetch) } })
            }
        }
    }

    private static func wait(for fetch: @escaping Fetch) throws -> Data {
        let answer = Locked<Result<Data, any Error>>(.failure(CancellationError()))
        let ended = DispatchSemaphore(value: 0)
        Task.detached {
            let result: Result<Data, any Error>
            do { result = .success(try await fetch()) } catch { result = .failure(error) }
            answer.withLock { $0 = result }
            ended.signal()
        }
        ended.wait()
        return try answer.withLock { $0 }.get()
    }
}
