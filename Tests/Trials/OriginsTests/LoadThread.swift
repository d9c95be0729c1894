import Dispatch
import Locks
import Platform

/// A thread that runs its jobs one after the other, until it is joined.
final class LoadThread: Sendable {
    private typealias Job = @Sendable () -> Void

    /// The state that the thread shares with its clients; it holds nothing else, so that it can outlive a
    /// `LoadThread`.
    private final class Queue: Sendable {
        let jobs = Locked<[Job?]>([])
        let arrived = DispatchSemaphore(value: 0)

        func add(_ job: Job?) {
            jobs.withLock { $0.append(job) }
            arrived.signal()
        }

        func serve() {
            while true {
                arrived.wait()
                guard let job = jobs.withLock({ $0.removeFirst() }) else { return }
                job()
            }
        }
    }

    #if canImport(Darwin)
        private typealias Handle = pthread_t?
    #else
        private typealias Handle = pthread_t
    #endif

    private let queue = Queue()
    private let handle: Locked<Handle>

    init() {
        #if canImport(Darwin)
            var handle: Handle = nil
        #else
            var handle = Handle()
        #endif
        let argument = Unmanaged.passRetained(queue).toOpaque()
        let status = pthread_create(&handle, nil, { LoadThread.serve($0) }, argument)
        precondition(status == 0, "pthread_create failed with error \(status)")
        self.handle = Locked(handle)
    }

    private static func serve(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let argument { Unmanaged<Queue>.fromOpaque(argument).takeRetainedValue().serve() }
        return nil
    }

    /// Runs a body on the thread.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.add { continuation.resume(returning: body()) }
        }
    }

    /// Ends the thread, and with it its thread-local state.
    func join() {
        queue.add(nil)
        #if canImport(Darwin)
            if let handle = handle.withLock({ $0 }) { pthread_join(handle, nil) }
        #else
            pthread_join(handle.withLock { $0 }, nil)
        #endif
    }

    /// Runs a body on a separate thread, which has ended when this returns.
    static func once<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        let thread = LoadThread()
        let result = await thread.run(body)
        thread.join()
        return result
    }
}

/// Runs a blocking body on a thread of its own.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await LoadThread.once { Swift.Result { try body() } }.get()
}
