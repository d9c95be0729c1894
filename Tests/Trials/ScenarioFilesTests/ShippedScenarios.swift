import Foundation
import ScenarioFiles
import TrialModel

/// The scenario files of this repository, and the reader that the tests use.
enum ShippedScenarios {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Scenarios")

    /// The strategies that scenarios of these tests may name.
    static let strategies = [
        "barrier-nscache", "lock-dual", "actor", "lru", "disk", "expiring", "none", "none-tasks", "unbounded",
    ]

    static let reader = ScenarioReader(knownStrategies: strategies)

    /// A reader that also knows the strategies of sweeps.
    static let widerReader = ScenarioReader(
        knownStrategies: strategies + [
            "nslock-lru", "mutex-lru", "semaphore-lru", "queue-lru", "barrier-lru", "barrier-fifo", "actor-lru",
            "metered+lru",
            "rwlock-lru", "sharded-lru", "concurrent-sieve", "sieve", "fifo", "s3-fifo", "w-tinylfu", "arc",
            "two-queue",
        ])

    static func paths() throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yaml" }.map { $0.path(percentEncoded: false) }.sorted()
    }
}
