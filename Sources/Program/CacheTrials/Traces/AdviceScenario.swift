import EvictionPolicies
import Foundation
import ScenarioFiles
import Traces
import TrialModel

/// The scenario that tests an advice with clocks, callers and an origin.
struct AdviceScenario {
    let advice: TraceAdvice
    let trace: String
    let format: TraceFormat?
    let missCost: MissCost?
    let file: String

    /// The most requests of a trial, so that it takes seconds.
    private static let requestsMax = 200_000

    /// - Throws: ``Refusal`` when the scenario could not be run, as with a capacity that no scenario may have; and the error
    ///   of a file that can't be written.
    func write() throws {
        let yaml = yaml
        do throws(ScenarioFileError) {
            _ = try ScenarioArguments.reader(strategies: nil).points(text: yaml, file: file)
        } catch {
            throw Refusal("the advice makes no scenario that can be run: \(error)")
        }
        try Data(yaml.utf8).write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
    }

    private var yaml: String {
        let requests = min(max(1, advice.character.requests), Self.requestsMax)
        let warm = min(requests / 2, Int((advice.exercise.warmUp * Double(requests)).rounded()))
        let delay = max(0, min((missCost?.nanosecondsPerMiss ?? 1e6) / 1e6, 10_000))
        let strategies = [advice.policy.declaration.name, "lru", "none"].distinct.joined(separator: ", ")
        var lines = [
            "title: \(quoted("The advice for \(name): \(advice.policy.name)"))",
            "question: Does the advised policy spare the origin more requests than LRU?", "", "keys:", "  kind: string",
            "  trace: \(quoted(relativePath))", "  requests: \(requests)",
        ]
        if let format { lines.append("  format: \(format.rawValue)") }
        lines += ["", "values:", "  kind: bytes"]
        if !advice.hasSizes { lines.append("  size: 1 KiB") }
        lines += [
            "", "capacity:", "  \(capacity)", "", "origin:", "  kind: memory",
            "  delay: \(delay.formatted(.number.locale(Locale(identifier: "en_US_POSIX")).grouping(.never))) ms", "",
            "strategies: [\(strategies)]", "", "phases:",
        ]
        if warm > 0 { lines.append("  - { name: warm-up, warm-up: true, operations: \(warm), mix: { load: 1 } }") }
        lines.append("  - { name: replay, operations: \(requests - warm), clients: 4, mix: { load: 1 } }")
        return lines.joined(separator: "\n") + "\n"
    }

    private var capacity: String {
        if let bytes = advice.size.capacity.weightBytes { return "bytes: \(bytes) B" }
        return "entries: \(advice.size.capacity.entries ?? 1)"
    }

    private var name: String { URL(fileURLWithPath: trace).lastPathComponent }

    /// The trace's path as seen from the scenario's folder.
    private var relativePath: String {
        let own = URL(fileURLWithPath: trace).standardizedFileURL.pathComponents
        let folder = URL(fileURLWithPath: file).standardizedFileURL.deletingLastPathComponent().pathComponents
        let shared = zip(own, folder).prefix { $0 == $1 }.count
        return (Array(repeating: "..", count: folder.count - shared) + own.dropFirst(shared)).joined(separator: "/")
    }

    /// A YAML text in double quotes.
    private func quoted(_ text: String) -> String {
        "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}
