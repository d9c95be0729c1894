// swift-tools-version: 6.2
import PackageDescription

// Parsers of untrusted bytes under libFuzzer; `scripts/nightly fuzz` builds and runs this. It is a separate package, because
// every target must be instrumented and an executable must leave `main` to libFuzzer. `Project` is a link to the
// sources of the main package: the same files, so that their `package` declarations are visible here. No fixture
// server, and no jemalloc, which breaks sanitizers.

let package = Package(
    name: "CacheTrialsFuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
    ],
    targets: [
        .target(name: "Platform", path: "Project/System/Platform"),
        .target(name: "SharedValues", path: "Project/Strategies/SharedValues"),
        .target(name: "TrialModel", dependencies: ["Platform", "SharedValues"], path: "Project/Trials/TrialModel"),
        .target(name: "Locks", dependencies: ["Platform"], path: "Project/System/Locks"),
        .systemLibrary(name: "CZlib", path: "Project/System/Libraries/CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CZstd", path: "Project/System/Libraries/CZstd", pkgConfig: "libzstd"),
        .systemLibrary(name: "CLzma", path: "Project/System/Libraries/CLzma", pkgConfig: "liblzma"),
        .systemLibrary(name: "CCrypto", path: "Project/System/Libraries/CCrypto", pkgConfig: "libcrypto"),
        .target(name: "CReaders", path: "Project/System/CReaders"),
        .systemLibrary(name: "CCores", path: "Project/System/Libraries/CCores"),
        .target(name: "EvictionPolicies", path: "Project/Strategies/EvictionPolicies"),
        .target(
            name: "Traces",
            dependencies: [
                "Platform", "CacheStrategies", "EvictionPolicies", "TrialModel", "CZlib", "CZstd", "CLzma",
            ],
            path: "Project/Trials/Traces"),
        .target(
            name: "CacheStrategies",
            dependencies: ["Platform", "SharedValues", "CReaders", "EvictionPolicies", "Locks"],
            path: "Project/Strategies/CacheStrategies"),
        .target(
            name: "PersistentStrategies",
            dependencies: ["Platform", "CacheStrategies", "EvictionPolicies", "Locks", "CZlib", "CCrypto"],
            path: "Project/Strategies/PersistentStrategies"),
        .target(
            name: "ScenarioFiles",
            dependencies: ["Platform", "SharedValues", "TrialModel", .product(name: "Yams", package: "Yams")],
            path: "Project/Trials/ScenarioFiles"),
        .target(
            name: "Measurement",
            dependencies: [
                "Platform", "CCores", "TrialModel", "CZlib", .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            path: "Project/Trials/Measurement"),
        .target(name: "Statistics", dependencies: ["TrialModel"], path: "Project/Results/Statistics"),
        .target(
            name: "Reports", dependencies: ["Platform", "TrialModel", "CCrypto", "Locks", "Statistics"],
            path: "Project/Results/Reports"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "Platform", "CacheStrategies", "PersistentStrategies", "Measurement", "Reports", "ScenarioFiles",
                "Traces",
                "TrialModel",
            ]),
    ]
)

for target in package.targets where target.type != .system && target.name != "CReaders" {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        // Optimised, and still open to `@testable import`.
        .unsafeFlags(["-enable-testing"]),
    ]
}
