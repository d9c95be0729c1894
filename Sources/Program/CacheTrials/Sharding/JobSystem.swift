import ArgumentParser

/// A system that starts one job many times, and numbers the copies in variables.
struct JobSystem: Sendable {
    let name: String
    /// The variable with the number of this copy.
    let number: String
    /// The variable with the number of copies.
    let count: String
    /// The number of the first copy.
    var first = 0
    /// Variables with the first and the last number, where a user chooses them.
    var bounds: [String] = []
    /// What to do when the number of copies is not set.
    var advice = ""

    static let all = [
        JobSystem(
            name: "Slurm", number: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT",
            bounds: ["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"]),
        JobSystem(
            name: "Kubernetes", number: "JOB_COMPLETION_INDEX", count: "JOB_COMPLETIONS",
            advice: "; Kubernetes sets the index alone: repeat 'completions' of the job as JOB_COMPLETIONS in 'env'"),
        JobSystem(
            name: "GitLab", number: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: 1,
            advice: "; GitLab sets both in a job with 'parallel'"),
        JobSystem(name: "Buildkite", number: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT"),
    ]

    private var variables: [String] { [number, count] + bounds }

    /// The part of this copy; `nil` when no variable of the system is set.
    ///
    /// - Throws: `ValidationError` that names the variables, what was found and what is allowed.
    func shard(in environment: [String: String]) throws -> Shard? {
        guard variables.contains(where: { environment[$0] != nil }) else { return nil }
        for variable in variables where environment[variable] == nil {
            let others = variables.compactMap { other in environment[other].map { "\(other) (\(Self.shown($0)))" } }
            throw ValidationError(
                "\(variable) of \(name) is not set, and these are: \(others.joined(separator: ", "))\(advice). \(Self.wayOut)"
            )
        }
        let total = try value(of: count, in: environment, 1...Shard.countMax)
        let start = try bounds.first.map { try value(of: $0, in: environment, 0...1) } ?? first
        let last = start + total - 1
        if let end = bounds.last {
            _ = try value(
                of: end, in: environment, last...last, because: "\(bounds[0]) is \(start) and \(count) is \(total)")
        }
        let own = try value(of: number, in: environment, start...last, because: "\(count) is \(total)")
        return Shard(number: own - start + 1, count: total)
    }

    /// The value of a variable that is set.
    private func value(
        of variable: String, in environment: [String: String], _ allowed: ClosedRange<Int>, because reason: String = ""
    ) throws -> Int {
        let text = environment[variable] ?? ""
        let isNumber = (1...9).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isNumber, let value = Int(text), allowed.contains(value) { return value }
        let range =
            allowed.count == 1
            ? "\(allowed.lowerBound)" : "a whole number from \(allowed.lowerBound) to \(allowed.upperBound)"
        throw ValidationError(
            "\(variable) of \(name) is \(Self.shown(text)): \(range) is allowed"
                + (reason.isEmpty ? "" : ", because \(reason)") + ". " + Self.wayOut)
    }

    /// A value in a message. It may hold anything, and goes to a terminal.
    private static func shown(_ text: String) -> String { String(reflecting: String(text.prefix(40))) }

    private static let wayOut = "Or write the part, such as '--shard 2/4'."

    /// The part that the system of this job gives to it.
    ///
    /// - Throws: `ValidationError` when no system does, when one says it only half, and when two contradict each other.
    static func shard(in environment: [String: String]) throws -> Shard {
        let found = try all.compactMap { system in
            try system.shard(in: environment).map { (system: system, shard: $0) }
        }
        guard let first = found.first else {
            let names = all.map { "\($0.number) and \($0.count) (\($0.name))" }.joined(separator: ", ")
            throw ValidationError("no system has numbered this job. None of these is set: \(names). \(wayOut)")
        }
        if let other = found.first(where: { $0.shard != first.shard }) {
            let texts = [first, other].map {
                "\($0.shard.number)/\($0.shard.count) by \($0.system.number) and \($0.system.count) of \($0.system.name)"
            }
            throw ValidationError(
                "two systems have numbered this job: \(texts.joined(separator: ", ")). Unset the variables of one. "
                    + wayOut)
        }
        return first.shard
    }
}
