package import CacheStrategies
package import Foundation
package import HistoryChecking
import Origins
package import TrialModel

/// Everything that the process of a trial needs; one line of JSON on its standard input.
package struct TrialSpecification: Codable, Sendable {
    package var identity: TrialIdentity
    package var scenario: Scenario
    /// What the trial is for.
    package var purpose: TrialPurpose
    /// The fixture server's address; `nil` when the origin is in memory.
    package var originAddress: String?
    /// A folder for strategies that keep files; empty when the trial starts.
    package var directory: String
    /// Servers that are already running, for strategies that would otherwise start their own.
    package var servers: CacheServers?
    /// How it takes turns with other processes; `nil` where it runs without turns.
    package var turns: TurnSettings?

    package init(
        identity: TrialIdentity, scenario: Scenario, purpose: TrialPurpose = .times, originAddress: String?,
        directory: String, servers: CacheServers? = nil, turns: TurnSettings? = nil
    ) {
        self.identity = identity
        self.scenario = scenario
        self.purpose = purpose
        self.originAddress = originAddress
        self.directory = directory
        self.servers = servers
        self.turns = turns
    }

    /// Unique in the run; the fixture server keeps its log under this name. Characters that the server does not take,
    /// such as the blank before a swept value, become underscores, which no name of a scenario or strategy has.
    var trialName: String {
        let name = "\(identity.scenario).\(identity.strategy).\(identity.repetition)"
        return String(name.map { OriginRoute.isTrialName(String($0)) ? $0 : "_" })
    }
}

/// What a trial is for.
package enum TrialPurpose: String, Codable, Sendable {
    /// To measure times and ratios.
    case times
    /// To show data races to a sanitizer: only the strategy may create happens-before edges between its callers. The
    /// origin keeps no log, and every client has a thread, even where the strategy suspends.
    case races
    /// To count its instructions, see ``OpenStrategy/counted(beside:)``.
    case counts
}

/// What the process of a trial reports while it runs; each message is a line of JSON.
package enum TrialMessage: Codable, Sendable {
    /// It waits for its turn, before or within a phase. The first message of a trial that takes turns; the version is
    /// ``TurnSettings/version``.
    case waiting(version: Int, phase: Int)
    /// A phase begins.
    case phaseStarted(name: String, driver: Driver)
    /// The clients of the phase have sent so many operations; a burst counts its callers.
    case progressed(operations: UInt64)
    /// A phase has ended.
    case phaseFinished(PhaseResult)
    /// All phases have ended, and the clients' records are being judged.
    case judging
    /// The findings about the strategy's promises.
    case judged([PromiseFinding])
    /// The strategy could not continue.
    case strategyFailed(String)
    /// A call of the strategy never returns. The last message.
    case strategyHung(String)
    /// The trial could not continue, for a reason that is not the strategy's.
    case trouble(String)
    /// All phases have ended.
    case finished
}

/// The channel on which a child process sends its messages, each a line of JSON.
package struct MessageChannel<Message: Encodable & Sendable>: Sendable {
    private let send: @Sendable (Data) -> Void

    /// - Parameter send: takes one line, including its line break.
    package init(send: @escaping @Sendable (Data) -> Void) {
        self.send = send
    }

    /// Sends a message at once, so that a crash right after it loses nothing.
    package func send(_ message: Message) {
        // A message holds only strings and finite numbers, so encoding can't fail.
        guard var line = try? JSONEncoder().encode(message) else { return }
        line.append(UInt8(ascii: "\n"))
        send(line)
    }
}

/// The channel of a trial's messages.
package typealias TrialChannel = MessageChannel<TrialMessage>
