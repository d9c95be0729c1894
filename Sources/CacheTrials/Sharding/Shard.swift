import TrialModel

/// One part of a run, with everything that another machine needs to run it except the program and the traces.
///
/// A shard is a file. It holds the text of its scenarios, and the path and digest of each trace. Its trials were
/// decided when the plan was made, so that shards need not know of each other.
struct Shard: Codable, Hashable, Sendable {
    /// The name of the format in every such file.
    static let format = "cache-trials shard"
    /// Raised when the file changes in a way that readers must know.
    static let currentVersion = 1
    /// The most shards of a plan.
    static let countMax = 10_000

    var format = Shard.format
    var version = Shard.currentVersion
    /// The plan's name, which is derived from its content.
    var plan = ""
    /// From 1.
    var number: Int
    var count: Int
    /// Which of several generators of one load this is; `nil` for a single one.
    var generator: Generator?
    /// The version of the tool that made the plan; a different version may choose different operations.
    var toolVersion: String
    var options: Options
    var scenarios: [PlannedScenario]
    /// In the order in which one machine would run all trials of the plan.
    var trials: [PlannedTrial]
    /// The replays, instead of trials.
    var replay: PlannedReplay?
    /// The digest of the rest of the file, which reveals changes and damage.
    var digest = ""

    /// One of several machines that load a shared cache together.
    struct Generator: Codable, Hashable, Sendable {
        /// From 1.
        var number: Int
        var count: Int
    }

    /// The flags of `run` that shape its trials.
    struct Options: Codable, Hashable, Sendable {
        var smoke = false
        var check = false
        var seed: UInt64?
        var repetitions: Int?
        var search: RateSearchSettings?
        /// Sweeps of every scenario besides those of its file, each as `clients=1,2,4`; `nil` for none.
        var sweep: [String]?
    }

    /// A scenario file as it was.
    struct PlannedScenario: Codable, Hashable, Sendable {
        /// The scenario's name.
        var name: String
        /// The path of the file; the path of its trace is relative to it.
        var path: String
        /// The digest of the file's bytes, in hexadecimal.
        var sha256: String
        /// The file's content.
        var text: String
        var trace: PlannedTrace?
    }

    /// A trace, which is too large to be in the file.
    struct PlannedTrace: Codable, Hashable, Sendable {
        /// The absolute path.
        var path: String
        var sha256: String
    }

    /// One trial, or one search, and its place among all of the plan.
    struct PlannedTrial: Codable, Hashable, Sendable {
        /// From 0, in the order of a single run.
        var position: Int
        var scenario: ScenarioPoint
        var strategy: String
        var repetition: Int
        /// In a plan for several generators: when the trial starts, in seconds after the first trial.
        var startSeconds: Double?

        var identity: TrialIdentity {
            TrialIdentity(scenario: scenario, strategy: strategy, repetition: repetition)
        }
    }

    /// Traces to replay, and how.
    struct PlannedReplay: Codable, Hashable, Sendable {
        /// The flags of `replay` that shape its rows, as they were written.
        var arguments: [String]
        var jobs: [Job]

        /// A trace against some policies, all sizes in one pass.
        struct Job: Codable, Hashable, Sendable {
            /// From 0, in the order of a single replay.
            var position: Int
            /// The name of the trace in the rows.
            var name: String
            var trace: PlannedTrace
            var policies: [String]
        }
    }

    /// The name of the shard in messages, such as `2 of 4`.
    var label: String {
        "\(number) of \(count)" + (generator.map { ", generator \($0.number) of \($0.count)" } ?? "")
    }

    /// The name of its file.
    var fileName: String {
        guard let generator else { return "shard-\(number).json" }
        return count == 1 ? "generator-\(generator.number).json" : "shard-\(number)-generator-\(generator.number).json"
    }
}
