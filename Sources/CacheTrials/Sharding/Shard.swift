package import TrialModel

/// One part of a sweep, with everything that it takes to run it on another machine but the program and the traces.
///
/// A shard is a file. It holds the text of its scenarios, and of each trace the path and the digest. Which trials it has
/// was decided when the plan was made, so that no shard needs to know of another one.
package struct Shard: Codable, Hashable, Sendable {
    /// What stands in every such file.
    package static let format = "cache-trials shard"
    /// Raised when the file changes in a way that readers must know of.
    package static let currentVersion = 1
    /// The most shards of a plan.
    package static let countMax = 10_000

    package var format = Shard.format
    package var version = Shard.currentVersion
    /// The plan's name, which follows from all that it runs.
    package var plan: String
    /// From 1.
    package var number: Int
    package var count: Int
    /// Which of several generators of the same load this is; `nil` where there is one.
    package var generator: Generator?
    /// The version of the tool that made the plan; another one may choose other operations.
    package var toolVersion: String
    package var options: Options
    package var scenarios: [PlannedScenario]
    /// In the order in which one machine would run all trials of the plan.
    package var trials: [PlannedTrial]
    /// The replays, in place of trials.
    package var replay: PlannedReplay?
    /// Of the rest of the file, so that a changed or damaged one is noticed.
    package var digest = ""

    package init(
        plan: String = "", number: Int, count: Int, generator: Generator? = nil, toolVersion: String, options: Options,
        scenarios: [PlannedScenario], trials: [PlannedTrial], replay: PlannedReplay? = nil
    ) {
        self.plan = plan
        self.number = number
        self.count = count
        self.generator = generator
        self.toolVersion = toolVersion
        self.options = options
        self.scenarios = scenarios
        self.trials = trials
        self.replay = replay
    }

    /// One of several machines that load a shared cache together.
    package struct Generator: Codable, Hashable, Sendable {
        /// From 1.
        package var number: Int
        package var count: Int

        package init(number: Int, count: Int) {
            self.number = number
            self.count = count
        }
    }

    /// The flags of `run` that shape its trials.
    package struct Options: Codable, Hashable, Sendable {
        package var smoke: Bool
        package var check: Bool
        package var seed: UInt64?
        package var repetitions: Int?
        package var search: RateSearchSettings?

        package init(
            smoke: Bool = false, check: Bool = false, seed: UInt64? = nil, repetitions: Int? = nil,
            search: RateSearchSettings? = nil
        ) {
            self.smoke = smoke
            self.check = check
            self.seed = seed
            self.repetitions = repetitions
            self.search = search
        }
    }

    /// A scenario file as it was.
    package struct PlannedScenario: Codable, Hashable, Sendable {
        /// The scenario's name.
        package var name: String
        /// Where the file was; its trace is looked for from there.
        package var path: String
        /// Of the file's bytes, in hexadecimal.
        package var sha256: String
        /// The file's content.
        package var text: String
        package var trace: PlannedTrace?

        package init(name: String, path: String, sha256: String, text: String, trace: PlannedTrace? = nil) {
            self.name = name
            self.path = path
            self.sha256 = sha256
            self.text = text
            self.trace = trace
        }
    }

    /// A trace, which is too large to be in the file.
    package struct PlannedTrace: Codable, Hashable, Sendable {
        /// Absolute.
        package var path: String
        package var sha256: String

        package init(path: String, sha256: String) {
            self.path = path
            self.sha256 = sha256
        }
    }

    /// One trial, or one search, and its place among all of the plan.
    package struct PlannedTrial: Codable, Hashable, Sendable {
        /// From 0, in the order of one run of everything.
        package var position: Int
        package var scenario: String
        package var strategy: String
        package var repetition: Int
        /// In a plan for several generators: when the trial starts, in seconds after the first one.
        package var startSeconds: Double?

        package init(
            position: Int, scenario: String, strategy: String, repetition: Int, startSeconds: Double? = nil
        ) {
            self.position = position
            self.scenario = scenario
            self.strategy = strategy
            self.repetition = repetition
            self.startSeconds = startSeconds
        }

        package var identity: TrialIdentity {
            TrialIdentity(scenario: scenario, strategy: strategy, repetition: repetition)
        }
    }

    /// Traces to replay, and how.
    package struct PlannedReplay: Codable, Hashable, Sendable {
        /// The flags of `replay` that shape its rows, as they were written.
        package var arguments: [String]
        package var jobs: [Job]

        package init(arguments: [String], jobs: [Job]) {
            self.arguments = arguments
            self.jobs = jobs
        }

        /// A trace against some policies, all sizes in one pass.
        package struct Job: Codable, Hashable, Sendable {
            /// From 0, in the order of one replay of everything.
            package var position: Int
            /// What the rows call the trace.
            package var name: String
            package var trace: PlannedTrace
            package var policies: [String]

            package init(position: Int, name: String, trace: PlannedTrace, policies: [String]) {
                self.position = position
                self.name = name
                self.trace = trace
                self.policies = policies
            }
        }
    }

    /// What names the shard in messages, such as `2 of 4`.
    package var label: String {
        "\(number) of \(count)" + (generator.map { ", generator \($0.number) of \($0.count)" } ?? "")
    }

    /// The name of its file.
    package var fileName: String {
        guard let generator else { return "shard-\(number).json" }
        return count == 1 ? "generator-\(generator.number).json" : "shard-\(number)-generator-\(generator.number).json"
    }
}
