import Foundation
import Locks
import TrialModel

/// The checks of a contract as a JUnit file, a case each: Swift Testing's own file has one for the whole test.
///
/// The file is written anew after each check, so that it is complete up to a crash; a check that has not run is skipped.
final class ContractReport: Sendable {
    private struct State {
        var results: [String: (result: CheckResult, seconds: Double)] = [:]
        var isUnwritten = false
    }

    private let path: String
    private let cache: String
    private let names: [String]
    private let state = Locked(State())

    init(path: String, cache: String, names: [String]) {
        (self.path, self.cache, self.names) = (path, cache, names)
    }

    /// Adds a result.
    ///
    /// - Returns: why the file can't be written, once.
    func add(_ result: CheckResult, of name: String, after duration: Duration) -> String? {
        state.withLock { state in
            state.results[name] = (result, duration / .seconds(1))
            do {
                try Data(text(state).utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
                return nil
            } catch {
                defer { state.isUnwritten = true }
                return state.isUnwritten ? nil : "\(path) can't be written: \(error.localizedDescription)"
            }
        }
    }

    private func text(_ state: State) -> String {
        let cases = names.map { name in
            let known = state.results[name]
            let failures = known?.result.failures ?? []
            return JUnitXML.Case(
                group: cache, name: name, failure: failures.isEmpty ? nil : failures.joined(separator: "\n"),
                skipped: known == nil ? "it did not run" : known?.result.reason, seconds: known?.seconds)
        }
        return JUnitXML.render(suite: cache, cases)
    }
}
