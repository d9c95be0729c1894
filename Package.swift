// swift-tools-version: 6.2
import PackageDescription

// A target may use targets of lower levels only; `scripts/test` builds with
// `--explicit-target-dependency-import-check error`, so an import that is not declared here fails.

let package = Package(
    name: "CacheTrials",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "cache-trials", targets: ["cache-trials"]),
        .library(name: "CacheTrials", targets: ["CacheTrials"]),
        .library(name: "CacheStrategies", targets: ["CacheStrategies"]),
    ],
    traits: [
        .trait(
            name: "Jemalloc",
            description: "Link jemalloc and read memory from it. Turn it off for sanitizer builds, which it breaks."
        ),
        .trait(
            name: "HTTP",
            description: "Build the fixture server and the client that asks it. Without it the origin is in memory."
        ),
        .trait(
            name: "SQLite",
            description: "Build the strategy sqlite, which needs libsqlite3; scripts/build turns it on where that is."
        ),
        .default(enabledTraits: ["Jemalloc", "HTTP"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.2"),
    ],
    targets: [
        // Level 0: plain values, system libraries.
        .target(name: "TrialModel"),
        .target(name: "Locks"),
        .target(name: "CTaskHooks"),
        .systemLibrary(name: "CCores"),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // SHA-256 from the system's OpenSSL: swift-crypto would compile a second BoringSSL, 76 s in every build.
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .systemLibrary(
            name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"]), .brew(["jemalloc"])]
        ),

        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(name: "CLzma", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"]), .brew(["xz"])]),
        .target(name: "EvictionPolicies"),
        .target(name: "TraceFiles", dependencies: ["CZlib", "CZstd", "CLzma"]),

        // Level 1: one concern each; none of them knows another, except that origins carry payloads.
        .target(name: "Payloads", dependencies: ["TrialModel", "Locks", "CPNG", "CZlib"]),
        .target(name: "CacheStrategies", dependencies: ["EvictionPolicies", "Locks", "CZlib", "CCrypto"]),
        .target(name: "WorkloadGeneration", dependencies: ["TraceFiles", "TrialModel"]),
        .target(name: "ScenarioFiles", dependencies: ["TrialModel", .product(name: "Yams", package: "Yams")]),
        .target(
            name: "Measurement",
            dependencies: [
                "TrialModel", "CCores", "CZlib",
                .target(name: "CJemalloc", condition: .when(platforms: [.linux, .macOS], traits: ["Jemalloc"])),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ]
        ),
        .target(
            name: "FixtureServer",
            dependencies: [
                "TrialModel", "Locks", "Payloads",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .target(
            name: "Origins",
            dependencies: [
                "TrialModel", "Locks", "Payloads",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["HTTP"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["HTTP"])),
            ]
        ),
        // Protocols and clients of cache servers; a library can take its place.
        .target(
            name: "CacheServerClients",
            dependencies: [
                "Locks", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .target(name: "Reports", dependencies: ["TrialModel", "CCrypto", "Locks"]),
        .target(name: "HistoryChecking", dependencies: ["TrialModel"]),
        .target(name: "ScheduledExecutors", dependencies: ["CTaskHooks"]),
        .target(
            name: "ScheduleExploration",
            dependencies: ["CacheStrategies", "HistoryChecking", "ScheduledExecutors", "TrialModel"]),
        .target(name: "SanitizerReports", dependencies: ["TrialModel"]),
        .target(name: "RaceControls", dependencies: ["Locks"]),

        // Level 2: strategies over servers and engines, apart from the product, which needs no library for them.
        .target(
            name: "ServerStrategies",
            dependencies: [
                "CacheServerClients", "CacheStrategies", "Locks", .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .target(
            name: "EngineStrategies",
            dependencies: [
                "CacheStrategies", "CZlib", "Locks",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
            ]
        ),

        // Level 2: the contract of a strategy, as checks that tests and the program share.
        .target(name: "Conformance", dependencies: ["CacheStrategies", "Locks", "TrialModel"]),

        // Level 2: results as a page with charts, and as a summary.
        .target(
            name: "ReportPage", dependencies: ["TrialModel", "Reports", "Measurement", "HistoryChecking", "CCrypto"]),

        // Level 2: a sweep cut into parts that run anywhere, and their results added up again.
        .target(name: "Sharding", dependencies: ["TrialModel", "Reports", "Measurement"]),

        // Level 2: a trace against eviction policies.
        .target(name: "TraceReplay", dependencies: ["EvictionPolicies", "TraceFiles", "TrialModel"]),

        // Level 2: results against results; it reads files and knows nothing of how they came about.
        .target(name: "Comparison", dependencies: ["TrialModel", "Reports"]),

        // Level 3: strategies as trials see them. Generic code is here alone, and inlinable: it is compiled where a strategy
        // is named, with the clock reads around each call.
        .target(
            name: "TimedStrategies",
            dependencies: [
                "TrialModel", "CacheStrategies", "Measurement", "Origins", "Payloads", "ScheduleExploration",
            ]
        ),

        // Level 4: the strategies of this package, compiled for every kind of key.
        .target(
            name: "BuiltInStrategies",
            dependencies: [
                "TimedStrategies", "CacheStrategies", "EngineStrategies", "EvictionPolicies", "Locks", "Measurement",
                "Origins", "Payloads", "ScheduleExploration", "TrialModel",
                .target(name: "ServerStrategies", condition: .when(traits: ["HTTP"])),
            ]
        ),

        // Level 4: a scenario against a strategy, in one process; compiled once for all strategies.
        .target(
            name: "TrialLoop",
            dependencies: [
                "TimedStrategies", "TrialModel", "Locks", "Payloads", "CacheStrategies", "WorkloadGeneration",
                "HistoryChecking", "Measurement", "Origins", "ScheduleExploration",
            ]
        ),

        // Level 5: what starts trials, watches their processes and keeps what they say.
        .target(
            name: "TrialSessions",
            dependencies: [
                "TrialLoop", "TimedStrategies", "TrialModel", "Locks", "Payloads", "CacheStrategies",
                "EvictionPolicies", "WorkloadGeneration", "HistoryChecking", "Measurement", "ScheduleExploration",
                "ScheduledExecutors", "Conformance", "Origins", "Reports", "SanitizerReports", "RaceControls",
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]
        ),

        // Level 6 and 7: the verbs, and `@main`.
        .target(
            name: "CacheTrials",
            dependencies: [
                "TrialModel", "Payloads", "CacheStrategies", "WorkloadGeneration", "ScenarioFiles", "Measurement",
                .target(name: "FixtureServer", condition: .when(traits: ["HTTP"])),
                .target(name: "CacheServerClients", condition: .when(traits: ["HTTP"])),
                "Origins", "Reports", "SanitizerReports", "RaceControls", "TimedStrategies", "BuiltInStrategies",
                "TrialLoop",
                "TrialSessions", "TraceFiles", "TraceReplay",
                "EvictionPolicies", "Sharding", "Comparison", "ReportPage", "HistoryChecking", "ScheduleExploration",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]
        ),
        // What strategies do when their disk or their origin fails; the program goes on for as long as it is told.
        .target(
            name: "ReliabilityChecks",
            dependencies: [
                "TrialModel", "Locks", "CacheStrategies", "EngineStrategies", "Payloads",
                .target(name: "FixtureServer", condition: .when(traits: ["HTTP"])),
                "Origins", "TimedStrategies", "BuiltInStrategies", "TrialSessions",
            ]
        ),
        .executableTarget(
            name: "reliability-checks",
            dependencies: [
                "ReliabilityChecks", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "cache-trials",
            dependencies: ["CacheTrials", .product(name: "ArgumentParser", package: "swift-argument-parser")]
        ),

        // Ratios of our own strategies to a plain dictionary; `scripts/benchmark-strategies` runs it.
        .executableTarget(
            name: "benchmark-strategies", dependencies: ["CacheStrategies", "EvictionPolicies", "TrialModel"]),

        // What the harness costs and whether it measures right; `scripts/benchmark-harness` runs it.
        .executableTarget(
            name: "benchmark-harness",
            dependencies: [
                "BuiltInStrategies", "TimedStrategies", "TrialLoop", "TrialSessions", "TrialModel", "CacheStrategies",
                "Locks", "Measurement", "Payloads", "Reports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // Whether `compare --live` sees what is there and nothing else; `scripts/compare-with-itself` runs it.
        .executableTarget(
            name: "benchmark-gate",
            dependencies: [
                "CacheTrials", "TimedStrategies", "TrialModel", "CacheStrategies", "Payloads", "Reports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // What recording and judging histories costs.
        .executableTarget(name: "benchmark-histories", dependencies: ["HistoryChecking", "TrialModel"]),

        // Tests: one file per source file; the support target holds what several of them need.
        .target(
            name: "CacheTestSupport",
            dependencies: [
                "BuiltInStrategies", "CacheStrategies", "Conformance", "HistoryChecking", "Locks", "RaceControls",
                "ReliabilityChecks", "ScheduleExploration", "TimedStrategies", "TrialLoop", "TrialModel",
            ],
            path: "Tests/CacheTestSupport"
        ),
        // Strategies with one planted bug each: whether the checks that judge strategies can fail.
        .testTarget(
            name: "MutantZooTests",
            dependencies: [
                "BuiltInStrategies", "CacheTestSupport", "CacheStrategies", "Conformance", "Payloads", "RaceControls",
                "TimedStrategies", "TrialModel", "TrialSessions",
            ]
        ),
        .testTarget(name: "LocksTests", dependencies: ["Locks", "Conformance"]),
        .testTarget(name: "TrialModelTests", dependencies: ["TrialModel"]),
        .testTarget(name: "PayloadsTests", dependencies: ["Payloads", "TrialModel"]),
        .testTarget(
            name: "CacheStrategiesTests",
            dependencies: [
                "CacheStrategies", "CacheTestSupport", "Conformance", "EvictionPolicies", "Locks", "ReliabilityChecks",
                "TraceFiles", "TrialModel",
            ]
        ),
        .testTarget(
            name: "ReliabilityChecksTests",
            dependencies: [
                "ReliabilityChecks", "reliability-checks", "CacheStrategies", "CacheTestSupport", "Locks", "Payloads",
            ]
        ),
        .testTarget(name: "WorkloadGenerationTests", dependencies: ["WorkloadGeneration", "TraceFiles", "TrialModel"]),
        .testTarget(name: "ScenarioFilesTests", dependencies: ["ScenarioFiles", "TrialModel"]),
        .testTarget(
            name: "MeasurementTests", dependencies: ["Measurement", "TrialModel"], resources: [.copy("Fixtures")]),
        .testTarget(
            name: "FixtureServerTests",
            dependencies: [
                "FixtureServer", "Locks", "Measurement", "Origins", "Payloads", "TrialModel",
            ]
        ),
        .testTarget(
            name: "TimedStrategiesTests",
            dependencies: [
                "BuiltInStrategies", "CacheStrategies", "CacheTestSupport", "Conformance", "Measurement", "Origins",
                "Payloads", "TimedStrategies", "TrialModel", "TrialSessions",
            ]
        ),
        .testTarget(
            name: "TrialLoopTests",
            dependencies: [
                "BuiltInStrategies", "CacheStrategies", "CacheTestSupport", "HistoryChecking", "Locks", "Measurement",
                "Origins", "Payloads", "ScheduleExploration", "TimedStrategies", "TrialLoop", "TrialModel",
                "WorkloadGeneration",
            ]
        ),
        .testTarget(
            name: "TrialSessionsTests",
            dependencies: [
                "BuiltInStrategies", "CacheStrategies", "CacheTestSupport", "EvictionPolicies", "HistoryChecking",
                "Locks",
                "Measurement", "Payloads", "Reports", "SanitizerReports", "ScheduleExploration", "TimedStrategies",
                "TraceFiles", "TraceReplay", "TrialLoop", "TrialModel", "TrialSessions", "WorkloadGeneration",
            ]
        ),
        // The verbs are tested from outside, as a user runs them: through the program's own file.
        .testTarget(
            name: "CacheTrialsTests",
            dependencies: [
                "cache-trials", "CacheServerClients", "CacheStrategies", "CacheTrials", "HistoryChecking", "Reports",
                "Sharding", "StressSupport", "TrialModel", "TrialSessions",
            ]),
        // How long randomised tests go on; `scripts/stress` says so.
        .target(name: "StressSupport", path: "Tests/StressSupport"),
        // Bad input of every kind, given to the program and, where a fuzzer found it, to the reader itself.
        .testTarget(
            name: "HostileInputTests",
            dependencies: [
                "cache-trials", "CacheStrategies", "Measurement", "Reports", "ScenarioFiles", "StressSupport",
                "TraceFiles", "TrialModel",
            ],
            exclude: ["Scenarios", "Traces", "Results"]),
        .testTarget(
            name: "EvictionPoliciesTests", dependencies: ["EvictionPolicies", "TrialModel"],
            resources: [.copy("Fixtures")]),
        .testTarget(name: "TraceFilesTests", dependencies: ["TraceFiles", "TrialModel"]),
        .testTarget(
            name: "TraceReplayTests", dependencies: ["TraceReplay", "TraceFiles", "EvictionPolicies", "TrialModel"]),
        .testTarget(name: "StyleTests"),
        .testTarget(name: "SanitizerReportsTests", dependencies: ["SanitizerReports", "TrialModel"]),
        .testTarget(name: "RaceControlsTests", dependencies: ["RaceControls"]),
        .testTarget(name: "HistoryCheckingTests", dependencies: ["HistoryChecking", "Measurement", "TrialModel"]),
        .testTarget(
            name: "ScheduleExplorationTests",
            dependencies: [
                "CacheStrategies", "CacheTestSupport", "HistoryChecking", "Locks", "ScheduleExploration",
                "ScheduledExecutors", "TrialModel",
            ]
        ),
        .testTarget(
            name: "CacheServerClientsTests",
            dependencies: [
                "CacheServerClients", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "ServerStrategiesTests",
            dependencies: [
                "CacheServerClients", "CacheStrategies", "Conformance", "EngineStrategies", "Locks",
                "ServerStrategies", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(name: "ReportsTests", dependencies: ["Reports", "TrialModel"]),
        .testTarget(name: "ShardingTests", dependencies: ["Sharding", "Measurement", "Reports", "TrialModel"]),
        .testTarget(
            name: "ComparisonTests", dependencies: ["Comparison", "Reports", "TrialModel"], exclude: ["golden.py"]),
        .testTarget(name: "ReportPageTests", dependencies: ["ReportPage", "Reports", "Measurement", "TrialModel"]),
    ]
)

// One set of rules for every Swift target. Warnings are errors, so that none is ever left standing.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
