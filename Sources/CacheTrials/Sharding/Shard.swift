import TrialModel

/// One part of a run, with everything that it takes to run it on another machine but the program and the traces.
///
/// A shard is a file. It holds the text of its scenarios, and of each trace the path and the digest. Which trials it has
/// was decided when the plan was made, so that no shard needs to know of another one.
struct Shard: Codable, Hashable, Sendable {
    /// What stands in every such file.
    static let format = "cache-trials shard"
    /// Raised when the file changes in a way that readers must know of.
    static let currentVersion = 1
    /// The most shards of a plan.
    static let countMax = 10_000

    var format = Shard.format
    var version = Shard.currentVersion
    /// The plan's name, which follows from all that it runs.
    var plan = ""
    /// From 1.
    var number: Int
    var count: Int
    /// Which of several generators of the same load this is; `nil` where there is one.
    var generator: Generator?
    /// The version of the tool that made the plan; another one may choose other operations.
    var toolVersion: String
    var options: Options
    var scenarios: [PlannedScenario]
    /// In the order in which one machine would run all trials of the plan.
    var trials: [PlannedTrial]
    /// The replays, in place of trials.
    var replay: PlannedReplay?
    /// Of the rest of the file, so that a changed or damaged one is noticed.
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
        /// What every scenario is swept over, besides what its file says, each as `clients=1,2,4`; `nil` for nothing.
        var sweep: [String]?
    }

    /// A scenario file as it was.
    struct PlannedScenario: Codable, Hashable, Sendable {
        /// The scenario's name.
        var name: String
        /// Where the file was; its trace is looked for from there.
        var path: String
        /// Of the file's bytes, in hexadecimal.
        var sha256: String
        /// The file's content.
        var text: String
        var trace: PlannedTrace?
    }

    /// A trace, which is too large to be in the file.
    struct PlannedTrace: Codable, Hashable, Sendable {
        /// Absolute.
        var path: String
        var sha256: String
    }

    /// One trial, or one search, and its place among all of the plan.
    struct PlannedTrial: Codable, Hashable, Sendable {
        /// From 0, in the order of one run of everything.
        var position: Int
        var scenario: ScenarioPoint
        var strategy: String
        var repetition: Int
        /// In a plan for several generators: when the trial starts, in seconds after the first one.
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
            /// From 0, in the order of one replay of everything.
            var position: Int
            /// What the rows call the trace.
            var name: String
            var trace: PlannedTrace
            var policies: [String]
        }
    }

    /// What names the shard in messages, such as `2 of 4`.
    var label: String {
        "\(number) of \(count)" + (generator.map { ", generator \($0.number) of \($0.count)" } ?? "")
    }

    /// The name of its file.
    var fileName: String {
        guard let generator else { return "shard-\(number).json" }
        return count == 1 ? "generator-\(generator.number).json" : "shard-\(number)-generator-\(generator.number).json"
    }
}
