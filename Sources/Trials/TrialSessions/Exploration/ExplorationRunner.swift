import Foundation
import Locks
import Platform
package import Schedules
package import TimedStrategies
import TrialModel

/// Explores strategies, each exploration in a process of its own, so that a crash or a hang affects only one row.
package struct ExplorationRunner: Sendable {
    private let program: ChildProgram
    private let deadline: Duration
    private let scratch: ScratchFolder

    /// - Parameters:
    ///   - program: the program to start.
    ///   - orders: how many orders an exploration tries.
    ///   - deadline: the time after which it counts as hung; `nil` for a minute, and 2 ms for each order.
    /// - Throws: ``HarnessError`` when there is no place for its files.
    package init(program: ChildProgram, orders: Int, deadline: Duration?) throws {
        self.program = program
        self.deadline = deadline ?? .seconds(60) + .milliseconds(2) * orders
        scratch = try ScratchFolder()
    }

    /// Releases what explorations share.
    func close() { scratch.remove() }

    /// How an exploration ended.
    enum Ending: Sendable {
        case finished(ExplorationReport)
        /// The process died or was killed; the seed is unknown when it ran no schedule of its plan.
        case died(seed: UInt64?, isHung: Bool, reason: String)
        /// The process died or was killed after something had taken part that is not controlled, which may be why.
        case diedBeside(reason: String)
        /// The process was stopped while it made progress; the report is of the schedules so far, `nil` if there is none
        /// yet.
        case slow(ExplorationReport?, reason: String)
        /// It hung at something that can't be ordered, after an order had broken a promise.
        case stuck(ExplorationReport, reason: String)
        /// The run was interrupted; the report is of the schedules so far, `nil` if there is none yet.
        case interrupted(ExplorationReport?)
    }

    /// Explores until the end, a crash, the deadline or an interruption.
    ///
    /// - Throws: ``HarnessError``.
    func run(_ plan: ExplorationPlan) async throws -> Ending {
        let task = ExplorationTask(plan: plan, seedFile: "\(try scratch.fresh())/seed")
        let said = Locked<ExplorationMessage?>(nil)
        let soFar = Locked<ExplorationReport?>(nil)
        // Dictionaries have the same order each time, so that a seed is the same schedule in every process.
        var settings = ChildSettings(environment: ["SWIFT_DETERMINISTIC_HASHING": "1"], deadline: deadline)
        let unseenFile = task.seedFile + ".unseen"
        settings.environment[UnseenOrders.fileVariable] = unseenFile
        var absence: HarnessError?
        do throws(HarnessError) {
            settings.environment["LD_PRELOAD"] = try ThreadLibrary.path(besides: program.path)
        } catch {
            // Tasks are still ordered, and the report says that threads are not.
            guard plan.carrier == .tasks else { throw error }
            absence = error
        }
        let ending: ChildEnding
        do {
            ending = try await program.ask(task, settings) { message in
                if case .soFar(let report) = message {
                    soFar.withLock { $0 = report }
                } else {
                    said.withLock { $0 = message }
                }
            }
        } catch  where Task.isCancelled {
            return .interrupted(soFar.withLock { $0 })
        }
        // Threads of its own that nothing orders run at any time, also after a schedule has ended.
        let hint = absence.map { "; if it has threads of its own, that is why: \($0)" } ?? ""
        switch (said.withLock { $0 }, ending.way) {
        case (.finished(let report), .exited(0)): return .finished(report)
        case (.trouble(let reason), _):
            if let report = soFar.withLock({ $0 }), report.findings.contains(where: { $0.verdict == .inconsistent }) {
                return .stuck(report, reason: "\(reason)\(hint)")
            }
            throw HarnessError("\(plan.strategy): \(reason)\(hint)")
        case (_, let way):
            // The file is there before any code of the strategy runs; without it the process could not be loaded.
            guard FileManager.default.fileExists(atPath: task.seedFile) else {
                throw HarnessError("the exploration of \(plan.strategy) could not start: \(ending.clause)")
            }
            let isHung: Bool
            switch way {
            case .deadlinePassed: isHung = true
            case .exited, .signaled: isHung = false
            case .limitReached:
                let reason = "\(ending.clause); lower --orders, or give 'explore' a longer --deadline"
                return .slow(soFar.withLock { $0 }, reason: reason)
            }
            if let doubt = UnseenOrders(ofFile: unseenFile).doubt {
                return .diedBeside(reason: "\(doubt): \(ending.clause)")
            }
            return .died(seed: SeedMark.read(task.seedFile), isHung: isHung, reason: ending.clause + hint)
        }
    }
}

/// The request to the process of an exploration.
package struct ExplorationTask: ChildRequest {
    package typealias Message = ExplorationMessage

    package static var verb: String { "schedules" }
    package static var starter: String { "explore" }

    package var plan: ExplorationPlan
    /// The file in which the process leaves the seed of the schedule that it runs.
    package var seedFile: String
}

/// The answer of the process of an exploration.
package enum ExplorationMessage: Codable, Sendable {
    case finished(ExplorationReport)
    /// What an exploration has found until now, once a second.
    case soFar(ExplorationReport)
    /// The exploration could not be done.
    case trouble(String)
}

extension ExplorationTask {
    /// Explores a strategy on this thread, in this process, whose yields and sleeps are controlled.
    ///
    /// - Parameters:
    ///   - registration: the strategy of the plan.
    ///   - report: receives what was found so far, and the answer of an exploration that hangs.
    package func carryOut(
        _ registration: Strategy?, report: @escaping @Sendable (ExplorationMessage) -> Void
    ) -> ExplorationMessage {
        guard let explorer = registration?.explorer else {
            return .trouble("the interleavings of '\(plan.strategy)' can't be explored")
        }
        let latest = Locked<ExplorationReport?>(nil)
        HangWatch.begin { what in
            // A thread that an earlier order left in a deadlock may be why a later one hangs.
            if let found = latest.withLock({ $0 }) { report(.soFar(found)) }
            report(.trouble(what))
            _exit(0)
        }
        ScheduledRunLoop.takeOverProcess()
        do {
            let mark = try SeedMark(creating: seedFile)
            var (last, count) = (Nanoclock.now(), 0)
            return .finished(
                try explorer.explore(plan) {
                    mark.set($0)
                } onProgress: { found in
                    count += 1
                    latest.withLock { $0 = found() }
                    guard count.isMultiple(of: 64), Nanoclock.now() &- last > 1_000_000_000 else { return }
                    last = Nanoclock.now()
                    report(.soFar(found()))
                })
        } catch {
            return .trouble("\(error)")
        }
    }
}

/// The seed of the schedule that a process runs, in a file that outlives the process, so that the seed of a crash is
/// known. It takes half a microsecond for each schedule.
final class SeedMark {
    private let descriptor: Int32

    /// - Throws: ``HarnessError`` when the file can't be made.
    init(creating path: String) throws(HarnessError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw HarnessError("can't write \(path); free some space there, or set TMPDIR to another folder")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Writes a seed; `nil` when no schedule of the plan runs any more.
    func set(_ seed: UInt64?) {
        guard let seed else {
            ftruncate(descriptor, 0)
            return
        }
        withUnsafeBytes(of: seed.littleEndian) { bytes in
            // A mark that can't be written is missed only when the process dies; its seed is then reported as unknown.
            _ = pwrite(descriptor, bytes.baseAddress, bytes.count, 0)
        }
    }

    /// The seed that a process left; `nil` when it ran no schedule of the plan.
    static func read(_ path: String) -> UInt64? {
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count == 8 else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The library that controls the order of threads. Only a process that explores threads loads it.
enum ThreadLibrary {
    private static let name = "libThreadSchedule.so"
    /// How a build beside this program is asked for.
    private static let configuration: String = {
        #if DEBUG
            ""
        #else
            " -c release"
        #endif
    }()

    /// The value of `LD_PRELOAD`: the library, and the libraries already there.
    ///
    /// - Parameter executable: the program, beside which the library was built.
    /// - Throws: ``HarnessError`` when it is missing.
    static func path(
        besides executable: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(HarnessError) -> String {
        let folder = URL(fileURLWithPath: executable).resolvingSymlinksInPath().deletingLastPathComponent()
        let path = folder.appendingPathComponent(name).path
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw HarnessError(
                "interleavings of threads need \(path), which is missing; "
                    + "'swift build\(Self.configuration) --product ThreadSchedule' makes it in the program's folder")
        }
        guard !path.contains(where: { $0 == " " || $0 == ":" }) else {
            throw HarnessError(
                "interleavings of threads need a path without spaces and colons, and \(path) has some; move it")
        }
        let others = environment["LD_PRELOAD"].map { $0.isEmpty ? [] : [$0] } ?? []
        return ([path] + others).joined(separator: ":")
    }
}
