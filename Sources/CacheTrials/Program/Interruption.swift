import TrialModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How work that Ctrl-C may interrupt ended.
enum Interruption<Value: Sendable>: Sendable {
    /// By itself.
    case ended(Value)
    /// With an error.
    case failed(any Error)
    /// By SIGINT, SIGTERM or SIGHUP; the work was cancelled, has cleaned up, and returned what it had, if anything.
    case interrupted(TrialExitCode, Value?)

    /// What the work returned.
    var value: Value? {
        switch self {
        case .ended(let value): value
        case .interrupted(_, let value): value
        case .failed: nil
        }
    }
}

extension Interruption {
    /// Runs work and cancels it at SIGINT, SIGTERM or SIGHUP, then waits until it has cleaned up.
    ///
    /// A second signal ends the process at once, as people expect.
    ///
    /// - Parameter signals: trapped before there is anything to clean up.
    static func cancelling(
        _ work: @escaping @Sendable () async throws -> Value, at signals: TrappedSignals = .interruptions
    ) async -> Interruption {
        defer { signals.release() }
        let running = Task { try await work() }
        let watch = Task { [numbers = signals.numbers] () -> TrialExitCode? in
            var first: TrialExitCode?
            for await signal in numbers {
                if let first { _exit(first.rawValue) }
                first = signal == SIGINT ? .interrupted : .terminated
                running.cancel()
            }
            return first
        }
        let result = await running.result
        watch.cancel()
        if let code = await watch.value { return .interrupted(code, try? result.get()) }
        switch result {
        // Work that was cancelled otherwise is not whole either.
        case .success(let value): return running.isCancelled ? .interrupted(.interrupted, value) : .ended(value)
        case .failure(let error): return .failed(error)
        }
    }
}
