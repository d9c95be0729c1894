import ArgumentParser
import BuiltInStrategies
import Foundation
import Races
import TimedStrategies
import TrialLoop
import TrialModel
import TrialSessions

/// `trial`: runs one trial in this process. The runner starts it; it is not meant to be started by hand.
/// ``ChildRole`` describes how the two communicate.
struct TrialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trial", abstract: "Runs one trial; used by 'run'.", shouldDisplay: false)

    func run() async throws {
        let channel = ChildRole.channel(of: TrialMessage.self)
        let specification = try ChildRole.request(TrialSpecification.self, verb: "trial", starter: "run")
        let turns = specification.turns.map { TurnGate($0, channel: channel) }
        ChildRole.exitWhenInputCloses { turns?.go() }
        if specification.purpose == .races { SanitizerRuntime.holdUpCrashes() }
        guard let registration = StrategyRegistry.current[specification.identity.strategy] else {
            channel.send(.trouble("there is no strategy called '\(specification.identity.strategy)'"))
            return
        }
        do {
            try await registration.runTrial(specification, channel: channel, turns: turns)
        } catch let error as StrategyOpenError {
            channel.send(.strategyFailed("the strategy did not open: \(error.reason)"))
        } catch {
            channel.send(.trouble("\(error)"))
        }
        if specification.purpose == .races { SanitizerRuntime.dieOfHeldUpCrash() }
    }
}
