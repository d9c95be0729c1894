import Foundation
import Measurement
import Races
import TrialModel
import TrialSessions

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether this build can detect data races, and how the program restarts itself to do so.
enum SanitizedBuild {
    /// The variable that keeps the user's sanitizer options across the restart.
    private static let optionsName = "CACHE_TRIALS_SANITIZER_OPTIONS"

    /// The options of the process that only starts others; no user has a reason to set just these.
    private static let quietOptions = "report_bugs=0:exitcode=0"

    /// What the user set in `TSAN_OPTIONS`; known after ``restartQuietly()``.
    static var userOptions: String { ProcessInfo.processInfo.environment[optionsName] ?? "" }

    /// Starts the program again with the sanitizer's reports turned off, once, in the same process.
    ///
    /// Only the processes under test report races; this one starts them. It uses libraries with locks that the
    /// sanitizer doesn't understand, so reports about it are of no interest.
    ///
    /// - Throws: ``HarnessError`` when the build can't judge races, with the command for one that can.
    static func restartQuietly() throws {
        try check()
        let options = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] ?? ""
        guard options != quietOptions || getenv(optionsName) == nil else { return }
        setenv(optionsName, options, 1)
        setenv("TSAN_OPTIONS", quietOptions, 1)
        execv(try ThisProgram.path(), CommandLine.unsafeArgv)
        throw HarnessError("the program could not start itself again: error \(errno)")
    }

    private static func check() throws {
        let advice =
            "In the CacheTrials package, run scripts/races, which builds it. In a package of your own, which depends on "
            + "CacheTrials with 'traits: []', run 'swift build --sanitize=thread --scratch-path .build/races'."
        guard SanitizerRuntime.isPresent else {
            throw HarnessError("this build has no Thread Sanitizer, so it can't see data races. \(advice)")
        }
        guard !Machine.current().optimized else {
            throw HarnessError(
                "this build is optimised, and Thread Sanitizer then reports races in correct code that copies on "
                    + "write. \(advice)")
        }
        #if Jemalloc
            throw HarnessError("this build has jemalloc, which a sanitizer can't work with. \(advice)")
        #endif
    }
}
