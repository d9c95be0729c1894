import Foundation
import TestTiers
import Testing

/// Runs in an environment that lacks something: they pass, or end with the documented exit code and a line that says
/// why.
@Suite(
    .timeLimit(.minutes(10)), .serialized, .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/environ")))
struct ScarceRunTests {
    /// Environments in which a run must pass nevertheless.
    static let bearable = [
        "one core": #"exec taskset -c 0 "$@""#,
        "64 descriptors": #"ulimit -n 64; exec "$@""#,
        "standard output closed": #"exec "$@" >&-"#,
        "standard error closed": #"exec "$@" 2>&-"#,
        "all three closed": #"exec "$@" <&- >&- 2>&-"#,
        "standard output has no reader": #""$@" | true; exit 0"#,
        "standard error has no reader": #"{ "$@" 2>&1 >&3 | true; } 3>&1; exit 0"#,
        "standard error full": #"exec "$@" 2>/dev/full"#,
    ]

    private static let passing =
        TestTier.isNightly
        ? bearable.keys.sorted() : ["all three closed"]

    @Test(arguments: passing) func `a run passes`(surroundings: String) async throws {
        let run = try DisturbedRun()
        let shell = try #require(Self.bearable[surroundings])
        let ending = try await run.start("--repetitions", "1", shell: shell).ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(try run.rows().count == DisturbedRun.rowCount / DisturbedRun.repetitions)
        #expect(try run.rows().allSatisfy { $0["status"] == "completed" })
        try await run.expectOrder()
    }

    /// Environments in which no run is possible, and the expected messages.
    static let unbearable = [
        "16 descriptors": (#"ulimit -n 16; exec "$@""#, "ulimit -n"),
        "no temporary folder": (#"TMPDIR=/missing exec "$@""#, "TMPDIR"),
        "an output below a file": (#"touch out; exec "$@""#, "choose another --output"),
        "standard output full": (#"exec "$@" >/dev/full"#, "standard output can't be written"),
    ]

    private static let refused =
        TestTier.isNightly ? unbearable.keys.sorted() : ["no temporary folder", "standard output full"]

    @Test(arguments: refused) func `a run is refused with the reason`(surroundings: String)
        async throws
    {
        let run = try DisturbedRun()
        let (shell, reason) = try #require(Self.unbearable[surroundings])
        let ending = try await run.start("--repetitions", "1", shell: shell).ending()
        #expect(ending.exitCode == 2, "\(ending.errors)")
        #expect(ending.errors.contains(reason), "\(ending.errors)")
        await run.expectNobodyLeft()
    }

    @Test(.nightly) func `a limit on the size of files is a full disk, and the run can be resumed`() async throws {
        let run = try DisturbedRun()
        // In blocks of 512 bytes: the headers fit, and the distributions of one or two trials.
        let ending = try await run.start(shell: #"ulimit -f 12; exec "$@""#).ending()
        #expect(ending.exitCode == 2, "\(ending.errors)")
        #expect(ending.errors.contains("no space left"), "\(ending.errors)")
        try await run.expectOrder()
        try await run.expectResumed()
    }

    /// Whether this process may mount a file system, in its own namespace.
    static let canMount: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "unshare -rm mount -t tmpfs none /mnt 2>/dev/null"]
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// A mount that only the run sees; its files are copied away before it is unmounted.
    private static func mounted(_ options: String) -> String {
        """
        exec unshare -rm sh -c 'mkdir -p small && mount -t tmpfs -o \(options) none small && "$@"; code=$?
        cp -r small/out copied; exit $code' sh "$@"
        """
    }

    @Test(.enabled(if: canMount, "needs the right to mount")) func `a full disk ends a run with the reason`()
        async throws
    {
        let run = try DisturbedRun()
        let ending = try await run.start("--output", "small/out", shell: Self.mounted("size=40k")).ending()
        #expect(ending.exitCode == 2, "\(ending.errors)")
        #expect(ending.errors.contains("no space left"), "\(ending.errors)")
        let copied = "\(run.folder.path)/copied"
        if TestTier.isNightly, FileManager.default.fileExists(atPath: copied) {
            try FileManager.default.moveItem(atPath: copied, toPath: run.output)
            try await run.expectOrder()
            try await run.expectResumed()
        }
    }

    @Test(.enabled(if: canMount, "needs the right to mount")) func `a folder without write permission is refused`()
        async throws
    {
        let run = try DisturbedRun()
        let ending = try await run.start("--output", "small/out", shell: Self.mounted("ro")).ending()
        #expect(ending.exitCode == 2, "\(ending.errors)")
        #expect(ending.errors.contains("can't be written"), "\(ending.errors)")
        await run.expectNobodyLeft()
    }
}
