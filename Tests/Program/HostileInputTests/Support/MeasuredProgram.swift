import CacheTrials
import Foundation
import TestTiers
import Testing

/// The built `cache-trials` in a separate process, with its cost.
struct MeasuredProgram: Sendable {
    /// How a run ended.
    struct Ending: Sendable {
        /// The exit code; `nil` when a signal ended it.
        var exitCode: Int32?
        /// The signal that ended it.
        var signal: Int32?
        var output: String
        /// What it wrote to standard error, line by line.
        var errors: [String]
        /// Processor time, which a busy machine does not change much.
        var processorSeconds: Double
        var residentBytesMax: Int
    }

    /// The limits for reading a bad file: processor time, of which a debug build on a slow machine takes more than
    /// the promised second, and memory.
    static let secondsMax = 6.0
    static let residentBytesMax = 200 << 20
    /// No test here waits: a process that runs this long hangs, and is killed.
    private static let deadline = Duration.seconds(60)

    /// The path of the built program: beside the tests.
    private static let path: String = {
        let tests = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent().appendingPathComponent("cache-trials").path
    }()

    /// Runs the program to its end, with empty standard input.
    ///
    /// - Parameter folder: the working directory.
    static func run(_ arguments: [String], in folder: String) async throws -> Ending {
        let scratch = try TemporaryFolder()
        let (output, errors) = ("\(scratch.path)/output", "\(scratch.path)/errors")
        let identifier = try spawn(
            ["/bin/sh", "-c", #"cd -- "$1" && shift && exec "$@""#, "sh", folder, path] + arguments, output, errors)
        var (status, usage): (Int32, rusage) = (0, rusage())
        let start = ContinuousClock.now
        var residentBytesMax = 0
        while wait4(identifier, &status, WNOHANG, &usage) == 0 {
            // Not `ru_maxrss`: its initial value is the memory of the parent process.
            residentBytesMax = max(residentBytesMax, peak(of: identifier))
            if ContinuousClock.now - start > deadline { kill(identifier, SIGKILL) }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return Ending(
            exitCode: status & 0x7F == 0 ? status >> 8 & 0xFF : nil, signal: status & 0x7F == 0 ? nil : status & 0x7F,
            output: text(of: output), errors: text(of: errors).split(separator: "\n").map(String.init),
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            residentBytesMax: residentBytesMax)
    }

    /// Runs a command in the process of the tests, in a fraction of the time; its cost is not known.
    ///
    /// - Parameters:
    ///   - arguments: with absolute paths.
    ///   - folder: the messages name files relative to it.
    static func here(_ arguments: [String], in folder: String) async -> Ending {
        let ending = await Surroundings.run(arguments, program: path)
        let (output, errors) = (
            ending.output.replacing("\(folder)/", with: ""), ending.errors.replacing("\(folder)/", with: "")
        )
        return Ending(
            exitCode: ending.exitCode, signal: nil, output: output,
            errors: errors.split(separator: "\n").map(String.init), processorSeconds: 0, residentBytesMax: 0)
    }

    /// Runs a command with the paths of files: in the nightly tier and for some files in a process, whose cost counts; else
    /// in the process of the tests.
    ///
    /// - Parameters:
    ///   - folder: the folder of the files, and the working directory of a process.
    ///   - isProcess: whether a process is wanted in any tier.
    ///   - arguments: the words, given the place of a file of the folder.
    static func reading(
        in folder: String, isProcess: Bool = false, _ arguments: (_ place: (String) -> String) -> [String]
    ) async throws -> Ending {
        if TestTier.isNightly || isProcess { return try await run(arguments { $0 }, in: folder) }
        return await here(arguments { "\(folder)/\($0)" }, in: folder)
    }

    private static func spawn(_ words: [String], _ output: String, _ errors: String) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
        let texts = words.map { strdup($0) }
        defer { texts.forEach { free($0) } }
        // The backtracer would turn a crash into seconds.
        let variables = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .map { strdup("\($0)=\($1)") }
        defer { variables.forEach { free($0) } }
        var identifier = pid_t()
        let code = posix_spawn(&identifier, words[0], &actions, nil, texts + [nil], variables + [nil])
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        return identifier
    }

    /// The peak memory of a live process so far; 0 when that can't be read, and before the process runs the program:
    /// until then it has the memory of its parent.
    private static func peak(of identifier: pid_t) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
        let lines = status.split(separator: "\n")
        guard lines.first == "Name:\tcache-trials", let line = lines.first(where: { $0.hasPrefix("VmHWM:") }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { return 0 }
        return kibibytes << 10
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    private static func text(of path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}

extension MeasuredProgram.Ending {
    /// Checks the invariants of every bad input: no crash, no hang, little time and memory.
    ///
    /// - Parameter input: the input's name, for the message.
    func expectOrderly(_ input: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(signal == nil, "\(input): \(errors)", sourceLocation: sourceLocation)
        #expect(processorSeconds < MeasuredProgram.secondsMax, "\(input)", sourceLocation: sourceLocation)
        #expect(residentBytesMax < MeasuredProgram.residentBytesMax, "\(input)", sourceLocation: sourceLocation)
    }
}

/// A folder that is removed after the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("hostile-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// The paths of everything in the folder, relative to it.
    func contents() -> Set<String> {
        Set(FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? [])
    }
}
