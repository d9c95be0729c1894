// swift-tools-version: 6.2
import PackageDescription

// An independent package, as a third party would write it. Elsewhere the first dependency is `.package(url:
// "https://…/cache-trials.git", from: "0.1.0")`.
let package = Package(
    name: "fast-cache",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The trait `Program` alone leaves the server out, and a build takes much less time. The origin is in memory, and Thread
        // Sanitizer works. For scenarios with `origin: { kind: server }` leave `traits` out.
        .package(name: "CacheTrials", path: "../../..", traits: ["Program"])
    ],
    targets: [
        .executableTarget(
            name: "fast-cache-trials",
            dependencies: [
                .product(name: "CacheTrials", package: "CacheTrials"),
                .product(name: "CacheStrategies", package: "CacheTrials"),
            ]),
        .testTarget(
            name: "FastCacheTests",
            dependencies: ["fast-cache-trials", .product(name: "CacheTrialsTesting", package: "CacheTrials")]),
    ]
)
