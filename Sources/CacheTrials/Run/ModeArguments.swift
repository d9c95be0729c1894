import ArgumentParser
import Locks
import TimedStrategies
import TrialModel
import TrialSessions

/// What a run does with its scenarios.
enum RunMode: String, CaseIterable, ExpressibleByArgument {
    /// Each trial runs from start to end, one after the other.
    case timed
    /// The strategies of a scenario take turns of some milliseconds.
    case interleaved
    /// Instructions are counted instead of time.
    case counted
    /// Strategies are checked against their promises.
    case checked
    /// Scripts run in orders that seeds choose, instead of trials.
    case explored
    /// The highest rate that meets an objective.
    case rateSearch = "rate-search"

    /// The flag that is short for the mode.
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
    /// The hardware when the kernel offers its counter, else Callgrind.
    case auto
    case hardware
    case callgrind
}

/// The mode, and the flags that are short for one.
struct ModeArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What to do with the scenarios: \(RunMode.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "mode"))
    var mode: RunMode?

    @Option(
        help: ArgumentHelp(
            "With --mode counted, what counts: hardware, callgrind, or auto: hardware when the kernel offers it, else callgrind. (default: auto)",
            valueName: "counter"))
    var counter: CounterChoice?

    @Flag(help: "With --mode counted: also simulates the processor's caches, and counts their misses.")
    var cacheSim = false

    @Flag(help: "With --mode counted: keeps each strategy's functions with the most instructions.")
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
    /// - Throws: `ValidationError` when two modes are given.
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
            throw ValidationError("'\(flag)' needs counted instructions: add '--mode counted'.")
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
            throw HarnessError("\(error); '--counter callgrind' counts with Valgrind's Callgrind instead")
        } catch {
            let reason = error
            do {
                return .callgrind(try callgrind())
            } catch {
                throw HarnessError("\(error); the hardware's counter is not available either: \(reason)")
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
