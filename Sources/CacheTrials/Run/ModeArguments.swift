import ArgumentParser
import Locks
import TimedStrategies
import TrialModel
import TrialSessions

/// What a run does with its scenarios.
enum RunMode: String, CaseIterable, ExpressibleByArgument {
    /// Each trial from its start to its end, one after the other.
    case timed
    /// The strategies of a scenario take turns of some milliseconds.
    case interleaved
    /// Instructions are counted, in place of time.
    case counted
    /// Strategies are held to their promises.
    case checked
    /// Scripts in orders that seeds choose, in place of trials.
    case explored
    /// The highest rate that meets an objective.
    case rateSearch = "rate-search"

    /// The flag that stands for the mode.
    var shortForm: String? {
        switch self {
        case .timed, .interleaved, .counted: nil
        case .checked: "--check"
        case .explored: "--explore"
        case .rateSearch: "--find-max-rate"
        }
    }
}

/// What counts instructions.
enum CounterChoice: String, CaseIterable, ExpressibleByArgument {
    /// The hardware where the kernel gives its counter, else Callgrind.
    case auto
    case hardware
    case callgrind
}

/// The mode, and the flags that stand for one.
struct ModeArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What to do with the scenarios: \(RunMode.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "mode"))
    var mode: RunMode?

    @Option(
        help: ArgumentHelp(
            "With --mode counted, what counts: hardware, callgrind, or auto: hardware where the kernel gives it, else callgrind. (default: auto)",
            valueName: "counter"))
    var counter: CounterChoice?

    @Flag(help: "With --mode counted: simulates the processor's caches as well, and counts what misses them.")
    var cacheSim = false

    @Flag(help: "With --mode counted: keeps the functions with the most instructions of each strategy.")
    var profile = false

    @Flag(help: "The same as --mode checked: consistency.csv says which promises each strategy broke, and how.")
    var check = false

    @Flag(
        help: "The same as --mode rate-search: finds the highest rate that each strategy sustains under an objective.")
    var findMaxRate = false

    func validate() throws {
        _ = try chosen(explores: false)
    }

    /// - Parameter explores: whether `--explore` says how many schedules to explore.
    /// - Throws: `ValidationError` where two modes are asked for.
    func chosen(explores: Bool) throws -> RunMode {
        let flags: [RunMode] =
            (check ? [.checked] : []) + (explores ? [.explored] : []) + (findMaxRate ? [.rateSearch] : [])
        let modes = (mode.map { [$0] } ?? []) + flags.filter { $0 != mode }
        guard modes.count < 2 else {
            let names = modes.map { $0 == mode ? "--mode \($0.rawValue)" : $0.shortForm ?? $0.rawValue }
            throw ValidationError("'\(names[0])' and '\(names[1])' are two modes of a run: leave one of them out.")
        }
        let chosen = modes.first ?? .timed
        if chosen != .counted, let flag = counter != nil ? "--counter" : simulation {
            throw ValidationError("'\(flag)' is about counted instructions: add '--mode counted'.")
        }
        return chosen
    }

    /// The flag that needs a simulated processor.
    private var simulation: String? { cacheSim ? "--cache-sim" : profile ? "--profile" : nil }
}

extension ModeArguments {
    /// What counts instructions.
    ///
    /// - Throws: ``HarnessError`` that says what is missing, and what to do.
    func instructionCounter() throws -> InstructionCounter {
        let choice = counter ?? .auto
        guard choice != .callgrind, simulation == nil || choice == .hardware else { return .callgrind(try callgrind()) }
        if let simulation {
            throw HarnessError(
                "'\(simulation)' needs Callgrind, which simulates a processor: leave it out, or say '--counter callgrind'"
            )
        }
        do {
            try CounterEvent.instructions.check()
            return .kernel(.instructions)
        } catch  where choice == .hardware {
            throw HarnessError("\(error); '--counter callgrind' counts with Valgrind's Callgrind in its place")
        } catch {
            let reason = error
            do {
                return .callgrind(try callgrind())
            } catch {
                throw HarnessError("\(error); the hardware's counter is not there either: \(reason)")
            }
        }
    }

    private func callgrind() throws -> Callgrind {
        guard ThisProgram.hasSynchronousMain.withLock({ $0 }) else {
            throw HarnessError(
                "Callgrind needs a main that is not async; in the program's @main type, write 'static func main() {' "
                    + "and 'CacheTrialsCommand.main(adding: ...)', without async and await")
        }
        var callgrind = try Callgrind()
        callgrind.simulatesCaches = cacheSim
        callgrind.keepsProfile = profile
        return callgrind
    }
}
