import TrialModel
import UnixSignals

/// How work that Ctrl-C may interrupt came to its end.
enum Interruption<Value: Sendable>: Sendable {
    /// By itself.
    case ended(Value)
    /// With an error.
    case failed(any Error)
    /// By SIGINT or SIGTERM; the work was cancelled and has cleaned up.
    case interrupted(TrialExitCode)
}

extension Interruption {
    /// Runs work and cancels it at SIGINT or SIGTERM, then waits until it has cleaned up.
    ///
    /// A second signal is not waited for: it ends the process at once, as people expect.
    static func cancelling(_ work: @escaping @Sendable () async throws -> Value) async -> Interruption {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let running = Task { try await work() }
        let watch = Task { () -> TrialExitCode? in
            for await signal in signals {
                running.cancel()
                return signal == .sigint ? .interrupted : .terminated
            }
            return nil
        }
        let result = await running.result
        if running.isCancelled, let code = await watch.value { return .interrupted(code) }
        watch.cancel()
        switch result {
        case .success(let value): return .ended(value)
        case .failure(let error): return .failed(error)
        }
    }
}
