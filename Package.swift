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
        .library(name: "CacheStrategies", targets: ["CacheStrategies", "PersistentStrategies"]),
        // For the tests of a cache's own package: the contract as test cases. It builds no other package.
        .library(name: "CacheTrialsTesting", targets: ["CacheTrialsTesting"]),
        // Loaded in front of the C library and libdispatch by a process that explores orders of threads, and by no other.
        .library(name: "ThreadSchedule", type: .dynamic, targets: ["CThreadSchedule"]),
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
            description:
                "Build the strategy sqlite, which needs libsqlite3 and GRDB; scripts/build --sqlite turns it on."
        ),
        .trait(
            name: "URLCache",
            description: "Build the strategy urlcache, whose networking library needs libcurl and some thirty others."
        ),
        .trait(
            name: "Program",
            description:
                "Build the program, which uses other packages. Without it the libraries for apps and for tests resolve none."
        ),
        .trait(
            name: "Metrics",
            description: "Build gauges of swift-metrics for a CacheMeter: an app that exports metrics turns it on."
        ),
        .default(enabledTraits: ["Program", "Jemalloc", "HTTP", "URLCache"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    ],
    targets: [
        // MARK: System: what lies below everything, and all that is C.
        // The system below: the only target that asks which one it is.
        .target(name: "Platform", path: "Sources/System/Platform"),
        // Strategies: what is on trial. They know nothing of YAML, HTTP or trials.
        .target(name: "Locks", dependencies: ["Platform"], path: "Sources/System/Locks"),
        // System libraries: a module map and a shim header each.
        .target(name: "CTaskHooks", path: "Sources/System/CTaskHooks"),
        .target(name: "CThreadControl", path: "Sources/System/CThreadControl"),
        .target(name: "CThreadSchedule", dependencies: ["CThreadControl"], path: "Sources/System/CThreadSchedule"),
        .target(name: "CSpans", path: "Sources/System/CSpans"),
        .target(name: "CReaders", path: "Sources/System/CReaders"),
        .target(name: "CHeap", path: "Sources/System/CHeap"),
        .systemLibrary(name: "CCores", path: "Sources/System/Libraries/CCores"),
        .systemLibrary(
            name: "CPNG", path: "Sources/System/Libraries/CPNG", pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/System/Libraries/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CZstd", path: "Sources/System/Libraries/CZstd", pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(
            name: "CLzma", path: "Sources/System/Libraries/CLzma", pkgConfig: "liblzma",
            providers: [.apt(["liblzma-dev"]), .brew(["xz"])]),
        // SHA-256 from the system's OpenSSL: swift-crypto would compile a second BoringSSL, 76 s in every build.
        .systemLibrary(
            name: "CCrypto", path: "Sources/System/Libraries/CCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .systemLibrary(
            name: "CJemalloc", path: "Sources/System/Libraries/CJemalloc", pkgConfig: "jemalloc",
            providers: [.apt(["libjemalloc-dev"]), .brew(["jemalloc"])]
        ),

        // MARK: Strategies: what is on trial. They know nothing of YAML, HTTP or trials.
        // What strategies and trials both speak of: a few values, and nothing below them.
        .target(name: "SharedValues", path: "Sources/Strategies/SharedValues"),
        .target(name: "EvictionPolicies", path: "Sources/Strategies/EvictionPolicies", exclude: ["README.md"]),
        .target(
            name: "CacheStrategies",
            dependencies: [
                "Platform", "SharedValues", "EvictionPolicies", "Locks", "CReaders",
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
            ],
            path: "Sources/Strategies/CacheStrategies", exclude: ["README.md"]),
        // Caches that find their entries again. Apart, because only they need system libraries.
        .target(
            name: "PersistentStrategies",
            dependencies: ["Platform", "CacheStrategies", "EvictionPolicies", "Locks", "CZlib", "CCrypto"],
            path: "Sources/Strategies/PersistentStrategies"),
        // Protocols and clients of cache servers, and a cache over either.
        .target(
            name: "CacheServers",
            dependencies: [
                "Platform", "CacheStrategies", "PersistentStrategies", "Locks",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["HTTP"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["HTTP"])),
            ], path: "Sources/Strategies/CacheServers"
        ),

        // MARK: Trials: a scenario becomes operations, and operations become rows.
        // Trials: a scenario becomes operations, and operations become rows.
        .target(name: "TrialModel", dependencies: ["Platform", "SharedValues"], path: "Sources/Trials/TrialModel"),
        .target(
            name: "ScenarioFiles",
            dependencies: [
                "Platform", "TrialModel",
                .product(name: "Yams", package: "Yams", condition: .when(traits: ["Program"])),
            ],
            path: "Sources/Trials/ScenarioFiles"),
        // Public trace formats, and a trace against eviction policies.
        .target(
            name: "Traces",
            dependencies: [
                "CacheStrategies", "CLzma", "CZlib", "CZstd", "EvictionPolicies", "Platform", "TrialModel",
            ],
            path: "Sources/Trials/Traces",
            exclude: ["Files/README.md", "Replay/README.md"]),
        .target(
            name: "WorkloadGeneration", dependencies: ["Traces", "TrialModel"],
            path: "Sources/Trials/WorkloadGeneration"),
        .target(
            name: "Measurement",
            dependencies: [
                "Platform", "TrialModel", "CCores", "CZlib",
                .target(name: "CJemalloc", condition: .when(platforms: [.linux, .macOS], traits: ["Jemalloc"])),
                .product(name: "Histogram", package: "hdrhistogram-swift", condition: .when(traits: ["Program"])),
            ], path: "Sources/Trials/Measurement"
        ),
        // What stands behind a key, and where a load fetches it.
        .target(
            name: "Origins",
            dependencies: [
                "Platform", "TrialModel", "Locks", "CPNG", "CZlib",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["HTTP"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["HTTP"])),
            ], path: "Sources/Trials/Origins"
        ),
        .target(
            name: "FixtureServer",
            dependencies: [
                "Platform", "TrialModel", "Locks", "Origins",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["HTTP"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["HTTP"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["HTTP"])),
            ], path: "Sources/Trials/FixtureServer"
        ),
        // Strategies as trials see them. Generic code is here alone, and inlinable: it is compiled where a strategy is
        // named, with the clock reads around each call.
        .target(
            name: "TimedStrategies",
            dependencies: ["Platform", "CSpans", "TrialModel", "Locks", "CacheStrategies", "Origins", "Schedules"],
            path: "Sources/Trials/TimedStrategies"
        ),
        // The strategies of this package, compiled for every kind of key; SQLite and URLCache as well.
        .target(
            name: "BuiltInStrategies",
            dependencies: [
                "TimedStrategies", "CacheStrategies", "PersistentStrategies", "EvictionPolicies", "CZlib", "Locks",
                "Measurement", "Origins", "Schedules", "TrialModel",
                .target(name: "CacheServers", condition: .when(traits: ["HTTP"])),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
            ], path: "Sources/Trials/BuiltInStrategies"
        ),
        // A scenario against a strategy, in one process; compiled once for all strategies.
        .target(
            name: "TrialLoop",
            dependencies: [
                "Platform", "TimedStrategies", "TrialModel", "Locks", "CacheStrategies", "WorkloadGeneration",
                "HistoryChecking",
                "Measurement", "Origins", "Schedules",
            ], path: "Sources/Trials/TrialLoop"
        ),
        // What starts trials, watches their processes and keeps what they say.
        .target(
            name: "TrialSessions",
            dependencies: [
                "Platform", "TrialLoop", "TimedStrategies", "TrialModel", "Locks", "CacheStrategies",
                "EvictionPolicies",
                "WorkloadGeneration", "HistoryChecking", "Measurement", "Schedules", "Conformance", "Origins",
                "Reports", "Races",
                .product(name: "Subprocess", package: "swift-subprocess", condition: .when(traits: ["Program"])),
            ], path: "Sources/Trials/TrialSessions"
        ),

        // MARK: Assurance: whether answers were right.
        // Assurance: whether answers were right.
        .target(
            name: "HistoryChecking", dependencies: ["CacheStrategies", "Locks", "TrialModel"],
            path: "Sources/Assurance/HistoryChecking"),
        // The contract of a strategy, as checks that tests and the program share.
        .target(
            name: "Conformance",
            dependencies: [
                "Platform", "CacheStrategies", "EvictionPolicies", "HistoryChecking", "Locks", "TrialModel",
            ], path: "Sources/Assurance/Conformance"),
        // The same for the tests of other packages; it alone knows a test library.
        .target(
            name: "CacheTrialsTesting",
            dependencies: [
                "CHeap", "Platform", "CacheStrategies", "Conformance", "HistoryChecking", "Locks", "Schedules",
                "TrialModel",
            ], path: "Sources/Assurance/CacheTrialsTesting"),
        .target(
            name: "Schedules",
            dependencies: [
                "CTaskHooks", "CThreadControl", "CacheStrategies", "HistoryChecking", "Races", "TrialModel",
            ], path: "Sources/Assurance/Schedules"
        ),
        // What Thread Sanitizer writes, and programs of which it is known whether they have a data race.
        .target(name: "Races", dependencies: ["Platform", "Locks", "TrialModel"], path: "Sources/Assurance/Races"),
        // What strategies do when their disk or their origin fails; the program goes on for as long as it is told.
        .target(
            name: "ReliabilityChecks",
            dependencies: [
                "Platform", "TrialModel", "Locks", "CacheStrategies", "PersistentStrategies", "Origins",
                "TimedStrategies",
                "BuiltInStrategies", "TrialSessions",
                .target(name: "FixtureServer", condition: .when(traits: ["HTTP"])),
            ], path: "Sources/Assurance/ReliabilityChecks"
        ),

        // MARK: Results: they read files and know nothing of how these came about.
        // Results: they read files and know nothing of how these came about.
        .target(name: "Statistics", dependencies: ["TrialModel"], path: "Sources/Results/Statistics"),
        .target(
            name: "Reports", dependencies: ["Platform", "TrialModel", "CCrypto", "Locks", "Statistics"],
            path: "Sources/Results/Reports"),
        .target(
            name: "Comparison", dependencies: ["TrialModel", "Reports", "Statistics"],
            path: "Sources/Results/Comparison"),
        .target(
            name: "ReportPage",
            dependencies: ["TrialModel", "Reports", "Comparison", "Measurement", "HistoryChecking"],
            path: "Sources/Results/ReportPage"
        ),

        // MARK: Program: the verbs, and `@main`.
        // The verbs, and `@main`.
        .target(
            name: "CacheTrials",
            dependencies: [
                "Platform", "TrialModel", "CacheStrategies", "WorkloadGeneration", "ScenarioFiles", "Measurement",
                "Origins",
                "Reports", "Races", "TimedStrategies", "BuiltInStrategies", "TrialLoop", "TrialSessions", "Traces",
                "EvictionPolicies", "Comparison", "Locks", "ReportPage", "HistoryChecking", "Schedules", "Statistics",
                .target(name: "FixtureServer", condition: .when(traits: ["HTTP"])),
                .target(name: "CacheServers", condition: .when(traits: ["HTTP"])),
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Program"])),
                .product(name: "Subprocess", package: "swift-subprocess", condition: .when(traits: ["Program"])),
            ], path: "Sources/Program/CacheTrials",
            exclude: ["Sharding/README.md"],
            resources: [.embedInCode("Demo/demo.yaml")]
                + [
                    "AdaptedMain", "AdaptedTests", "ConformingCache", "ConformingMain",
                    "ConformingTests", "OwnCache", "Scenario", "Workflow",
                ]
                .map { .embedInCode("Init/Templates/\($0).txt") }
        ),
        .executableTarget(
            name: "cache-trials",
            dependencies: [
                "CacheTrials",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Program"])),
            ],
            path: "Sources/Program/cache-trials"
        ),
        .executableTarget(
            name: "reliability-checks",
            dependencies: [
                "ReliabilityChecks",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Program"])),
            ], path: "Sources/Program/reliability-checks"
        ),

        // MARK: Tests of System
        // What `scripts/test` runs, what only `scripts/nightly` does, and how long randomised tests go on there.
        .target(name: "TestTiers", path: "Tests/System/TestTiers"),
        .testTarget(name: "PlatformTests", dependencies: ["Platform"], path: "Tests/System/PlatformTests"),
        .testTarget(name: "LocksTests", dependencies: ["Conformance", "Locks"], path: "Tests/System/LocksTests"),

        // MARK: Tests of Strategies
        // What tests of several targets need.
        .target(
            name: "StrategyTestSupport", dependencies: ["CacheStrategies"], path: "Tests/Strategies/StrategyTestSupport"
        ),
        .testTarget(
            name: "EvictionPoliciesTests", dependencies: ["EvictionPolicies", "TrialModel"],
            path: "Tests/Strategies/EvictionPoliciesTests", resources: [.copy("Fixtures")]),
        .testTarget(
            name: "CacheStrategiesTests",
            dependencies: [
                "CacheStrategies", "Conformance", "EvictionPolicies", "EvictionPoliciesTests", "Locks",
                "PersistentStrategies", "StrategyTestSupport", "Traces", "TrialModel",
            ], path: "Tests/Strategies/CacheStrategiesTests"),
        .testTarget(
            name: "PersistentStrategiesTests",
            dependencies: [
                "CacheStrategies", "CacheStrategiesTests", "Conformance", "Locks", "PersistentStrategies", "Platform",
                "ReliabilityChecks", "TrialModel",
            ], path: "Tests/Strategies/PersistentStrategiesTests"),

        // MARK: Tests of Trials
        // A trial in the process of the tests, and children that a test answers for.
        .target(
            name: "TrialTestSupport",
            dependencies: [
                "BuiltInStrategies", "CacheStrategies", "TimedStrategies", "TrialLoop", "TrialModel", "TrialSessions",
            ], path: "Tests/Trials/TrialTestSupport"),
        .testTarget(name: "TrialModelTests", dependencies: ["TrialModel"], path: "Tests/Trials/TrialModelTests"),
        .testTarget(
            name: "ScenarioFilesTests", dependencies: ["Platform", "ScenarioFiles", "TrialModel"],
            path: "Tests/Trials/ScenarioFilesTests"),
        .testTarget(
            name: "TracesTests",
            dependencies: [
                "CacheStrategies", "CLzma", "CZlib", "CZstd", "EvictionPolicies", "Traces", "TrialModel",
            ],
            path: "Tests/Trials/TracesTests"),
        .testTarget(
            name: "WorkloadGenerationTests", dependencies: ["Traces", "TrialModel", "WorkloadGeneration"],
            path: "Tests/Trials/WorkloadGenerationTests"),
        .testTarget(
            name: "MeasurementTests", dependencies: ["Measurement", "TrialModel"],
            path: "Tests/Trials/MeasurementTests", resources: [.copy("Fixtures")]),
        .testTarget(
            name: "OriginsTests", dependencies: ["Locks", "Origins", "Platform", "TrialModel"],
            path: "Tests/Trials/OriginsTests"),
        .testTarget(
            name: "FixtureServerTests",
            dependencies: ["FixtureServer", "Origins", "OriginsTests", "Platform", "TrialModel"],
            path: "Tests/Trials/FixtureServerTests"),
        .testTarget(
            name: "TimedStrategiesTests",
            dependencies: [
                "BuiltInStrategies", "CacheStrategies", "Locks", "Origins", "Platform", "StrategyTestSupport",
                "TimedStrategies", "TrialModel",
            ], path: "Tests/Trials/TimedStrategiesTests"),
        .testTarget(
            name: "BuiltInStrategiesTests",
            dependencies: [
                "BuiltInStrategies", "CacheStrategies", "CacheTrialsTesting", "Conformance", "Measurement", "Origins",
                "PersistentStrategies", "TimedStrategies", "TrialModel", "TrialSessions",
            ], path: "Tests/Trials/BuiltInStrategiesTests"),
        .testTarget(
            name: "TrialLoopTests",
            dependencies: [
                "BuiltInStrategies", "CacheStrategies", "HistoryChecking", "Locks", "Measurement", "Origins",
                "Platform", "ScenarioFiles", "Schedules", "StrategyTestSupport", "TimedStrategies", "TrialLoop",
                "TrialModel", "TrialTestSupport", "WorkloadGeneration",
            ], path: "Tests/Trials/TrialLoopTests"),
        .testTarget(
            name: "TrialSessionsTests",
            dependencies: [
                "BuiltInStrategies", "CacheStrategies", "Conformance", "HistoryChecking", "Locks", "Origins",
                "Platform", "Races", "Reports", "Schedules", "StrategyTestSupport", "TimedStrategies", "Traces",
                "TrialLoop", "TrialModel", "TrialSessions", "TrialTestSupport", "WorkloadGeneration",
            ], path: "Tests/Trials/TrialSessionsTests"),

        // MARK: Tests of Assurance
        .testTarget(
            name: "HistoryCheckingTests",
            dependencies: ["CacheStrategies", "HistoryChecking", "Measurement", "Platform", "TrialModel"],
            path: "Tests/Assurance/HistoryCheckingTests"),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "CacheStrategies", "CacheTrialsTesting", "Conformance", "EvictionPolicies", "PersistentStrategies",
            ], path: "Tests/Assurance/ConformanceTests"),
        // The library for tests of other packages, as they see it.
        .testTarget(
            name: "CacheTrialsTestingTests", dependencies: ["CacheTrialsTesting", "PersistentStrategies"],
            path: "Tests/Assurance/CacheTrialsTestingTests", packageAccess: false),
        .testTarget(
            name: "SchedulesTests",
            dependencies: ["CacheStrategies", "HistoryChecking", "Locks", "Schedules", "TrialModel"],
            path: "Tests/Assurance/SchedulesTests"),
        .testTarget(name: "RacesTests", dependencies: ["Races", "TrialModel"], path: "Tests/Assurance/RacesTests"),
        .testTarget(
            name: "ReliabilityChecksTests", dependencies: ["reliability-checks", "ReliabilityChecks"],
            path: "Tests/Assurance/ReliabilityChecksTests"),

        // MARK: Tests of Results
        .testTarget(
            name: "StatisticsTests", dependencies: ["Statistics"], path: "Tests/Results/StatisticsTests"),
        .testTarget(
            name: "ReportsTests", dependencies: ["Reports", "Statistics", "TrialModel"],
            path: "Tests/Results/ReportsTests"),
        .testTarget(
            name: "ComparisonTests", dependencies: ["Comparison", "Reports", "Statistics", "TrialModel"],
            path: "Tests/Results/ComparisonTests", exclude: ["golden.py"]),
        .testTarget(
            name: "ReportPageTests", dependencies: ["Measurement", "ReportPage", "Reports", "TrialModel"],
            path: "Tests/Results/ReportPageTests"),

        // MARK: Tests of Program
        // The built `cache-trials` as tests start it.
        .target(name: "BuiltProgram", path: "Tests/Program/BuiltProgram"),
        // The verbs are tested from outside, as a user runs them.
        .testTarget(
            name: "CacheTrialsTests",
            dependencies: [
                "cache-trials",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Program"])),
                "BuiltInStrategies",
                "BuiltProgram", "CacheServers", "CacheStrategies", "CacheTrials", "HistoryChecking", "Locks",
                "Measurement", "Races", "Reports", "Schedules", "TimedStrategies", "TrialLoop", "TrialModel",
                "TrialSessions", "TrialTestSupport",
            ], path: "Tests/Program/CacheTrialsTests"),
        .testTarget(name: "StyleTests", path: "Tests/Program/StyleTests"),
    ]
)

// What judges the judges, built for continuous integration and at night: `scripts/test --all` and `scripts/nightly` set
// the variable. A package that depends on this one never builds it.
if Context.environment["CACHE_TRIALS_NIGHTLY"] != nil {
    package.dependencies.append(.package(url: "https://github.com/apple/swift-atomics.git", from: "1.3.0"))
    package.targets += [
        // What strategies and the harness cost, and whether verdicts see known faults; `scripts/benchmark` runs it.
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "Platform", "CacheTrials", "BuiltInStrategies", "TimedStrategies", "TrialLoop", "TrialSessions",
                "TrialModel",
                "CacheStrategies", "PersistentStrategies", "Locks", "Measurement",
                "Origins", "Reports", "ReportPage", "Comparison", "Statistics",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Program"])),
            ], path: "Sources/Program/benchmarks"
        ),
        .testTarget(
            name: "BenchmarksTests",
            dependencies: ["BuiltProgram", "Comparison", "Reports", "TrialModel", "benchmarks"],
            path: "Tests/Program/BenchmarksTests"),
        // Strategies with one planted bug each: whether the checks that judge strategies can fail.
        .target(
            name: "Mutants",
            dependencies: [
                "CacheStrategies", "Conformance", "HistoryChecking", "Locks", "Measurement", "PersistentStrategies",
                "Platform", "Races", "ReliabilityChecks", "Schedules", "StrategyTestSupport", "TimedStrategies",
                "TrialModel",
            ], path: "Tests/Assurance/Mutants"),
        .testTarget(
            name: "MutantZooTests",
            dependencies: [
                "BuiltInStrategies", "CacheStrategies", "CacheTrialsTesting", "Conformance", "HistoryChecking", "Locks",
                "Measurement", "Mutants", "Origins", "ReliabilityChecks", "Schedules", "SchedulesTests",
                "TimedStrategies", "TrialModel", "TrialSessions",
            ], path: "Tests/Assurance/MutantZooTests"),
        // Caches with atomics at which explored threads switch, because they are compiled for it.
        .target(
            name: "AtomicOrders",
            dependencies: [
                .product(name: "Atomics", package: "swift-atomics"), "CAtomicOrders", "CacheStrategies", "Schedules",
                "TimedStrategies", "TrialModel",
            ], path: "Tests/Assurance/AtomicOrders"),
        .target(
            name: "CAtomicOrders", path: "Tests/Assurance/CAtomicOrders",
            cSettings: [.unsafeFlags(["-fsanitize=thread"])]),
        // Caches behind every primitive that an exploration controls, and behind those in which it would hang.
        .target(
            name: "OrderPrimitives", dependencies: ["CPrimitives", "CacheStrategies", "Schedules", "TimedStrategies"],
            path: "Tests/Assurance/OrderPrimitives"),
        .target(name: "CPrimitives", path: "Tests/Assurance/CPrimitives"),
        // The program with caches whose orders of threads have planted faults.
        .executableTarget(
            name: "order-mutants",
            dependencies: ["AtomicOrders", "CacheTrials", "Mutants", "OrderPrimitives", "TimedStrategies"],
            path: "Tests/Assurance/OrderMutants"),
        .testTarget(
            name: "OrderMutantsTests",
            dependencies: [
                "order-mutants", "AtomicOrders", "BuiltProgram", "CacheStrategies", "Mutants", "OrderPrimitives",
                "Reports", "TimedStrategies", "TrialModel",
            ], path: "Tests/Assurance/OrderMutantsTests"),
        .testTarget(
            name: "CacheServersTests",
            dependencies: [
                "BuiltInStrategies", "CacheServers", "CacheStrategies", "Conformance", "Locks",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["HTTP"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["HTTP"])),
                "Platform",
            ], path: "Tests/Strategies/CacheServersTests"),
        // Every feature of scenarios and commands with every other.
        .testTarget(
            name: "FeaturePairsTests",
            dependencies: ["cache-trials", "BuiltProgram", "CacheTrials", "Reports", "ScenarioFiles", "TrialModel"],
            path: "Tests/Program/FeaturePairsTests"),
        // Bad input of every kind, given to the program and, where a fuzzer found it, to the reader itself.
        .testTarget(
            name: "HostileInputTests",
            dependencies: [
                "cache-trials", "BuiltInStrategies", "CacheStrategies", "CacheTrials", "Measurement",
                "PersistentStrategies", "Reports", "ScenarioFiles", "TimedStrategies", "Traces", "TrialModel",
            ], path: "Tests/Program/HostileInputTests", exclude: ["Scenarios", "Traces", "Results"]),
        // The program and the tests of Tests/Program/ExamplePackage: as targets here they share the build of the tests,
        // and see no more than that package does.
        .executableTarget(
            name: "fast-cache-trials", dependencies: ["CacheTrials", "CacheStrategies"],
            path: "Tests/Program/ExamplePackage/Sources/fast-cache-trials", packageAccess: false),
        .testTarget(
            name: "FastCacheTests", dependencies: ["CacheTrialsTesting", "fast-cache-trials"],
            path: "Tests/Program/ExamplePackage/Tests/FastCacheTests", packageAccess: false),
        .testTarget(
            name: "ExampleProgramTests",
            dependencies: ["fast-cache-trials", "BuiltProgram", "HistoryChecking", "Reports", "TrialModel"],
            path: "Tests/Program/ExampleProgramTests"),
    ]
}

// `scripts/test NAME…` builds the named test targets alone, with those that they use.
if let names = Context.environment["CACHE_TRIALS_TESTS"] {
    var chosen = Set(names.split(separator: " ").map(String.init))
    var left = package.targets.filter { $0.type == .test }
    while let next = left.firstIndex(where: { chosen.contains($0.name) }) {
        for case .byNameItem(let name, _) in left.remove(at: next).dependencies { chosen.insert(name) }
    }
    package.targets.removeAll { $0.type == .test && !chosen.contains($0.name) }
}

// Every test can belong to the nightly tier.
for target in package.targets where target.type == .test { target.dependencies.append("TestTiers") }

// One set of rules for every Swift target of ours. Warnings are errors, so that none is ever left standing.
for target in package.targets where target.type != .system && target.packageAccess {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
    // Instrumented as for Thread Sanitizer, whose library is not linked: threads switch at every atomic.
    if target.name == "AtomicOrders" {
        target.swiftSettings?.append(.unsafeFlags(["-Xfrontend", "-sanitize=thread", "-Xcc", "-fsanitize=thread"]))
    }
}

// Modules that no timed operation, simulation or long history runs in. The optimiser takes most of their build and gains
// nothing, so `scripts/build` turns it off. A package that depends on this one never sees the flag.
let cold = ["CacheTrials", "Conformance", "Races", "ReportPage", "Reports", "ScenarioFiles", "TrialSessions"]
if Context.environment["CACHE_TRIALS_QUICK_BUILD"] != nil {
    for target in package.targets where cold.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
    }
}
