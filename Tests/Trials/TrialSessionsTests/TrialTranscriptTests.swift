import HistoryChecking
import Testing
import TrialLoop
import TrialModel

@testable import TrialSessions

/// The rows of an interrupted trial.
@Suite(.timeLimit(.minutes(1)))
struct TrialTranscriptTests {
    static let identity = TrialIdentity(scenario: "s", strategy: "lru", repetition: 1)
    static let phases = ["a", "b", "c"].map {
        Phase(name: $0, length: .operations(1), clients: 1, mix: OperationMix([.read: 1]))
    }

    static func finished(_ name: String) -> TrialMessage {
        .phaseFinished(
            PhaseResult(
                trial: TrialRow(
                    key: RowKey(trial: identity, phase: name), driver: .threads, status: .completed, operations: 1)))
    }

    static func transcript(_ messages: TrialMessage...) -> TrialTranscript {
        var transcript = TrialTranscript(identity: identity, phases: phases)
        for message in messages { transcript.note(message) }
        return transcript
    }

    static func ending(_ way: ChildEnding.Way, saying line: String) -> ChildEnding {
        var ending = ChildEnding(way)
        ending.tail.append(line)
        return ending
    }

    @Test func `a trial that ended keeps its rows`() {
        let all = Self.transcript(Self.finished("a"), Self.finished("b"), Self.finished("c"), .finished)
        #expect(
            all.results(Self.ending(.exited(0), saying: "noise")).map(\.trial.status) == [
                .completed, .completed, .completed,
            ])
    }

    @Test func `a crash is a row for the current phase and for those never reached`() {
        let broken = Self.transcript(
            .phaseStarted(name: "a", driver: .threads), Self.finished("a"), .phaseStarted(name: "b", driver: .threads))
        let rows = broken.results(Self.ending(.signaled(4), saying: "Fatal error: index")).map(\.trial)
        #expect(rows.map(\.key.phase) == ["a", "b", "c"])
        #expect(rows.map(\.status) == [.completed, .crashed, .crashed])
        #expect(rows[1].driver == .threads)
        #expect(rows[1].reason == "the process died of SIGILL (a Swift trap): Fatal error: index")
        #expect(rows[2].reason == "not reached: the trial ended in an earlier phase")
    }

    @Test func `a missed deadline is hung`() {
        let rows = Self.transcript(.phaseStarted(name: "a", driver: .tasks))
            .results(ChildEnding(.deadlinePassed(.seconds(3)))).map(\.trial)
        #expect(rows.map(\.status) == [.hung, .hung, .hung])
        #expect(rows[0].reason == "no progress in 3 s; the process was killed")
    }

    @Test func `a missed deadline is slow where instructions are counted, because no progress is reported then`() {
        var transcript = TrialTranscript(identity: Self.identity, phases: Self.phases, isCounted: true)
        for message in [Self.finished("a"), .phaseStarted(name: "b", driver: .threads)] { transcript.note(message) }
        let rows = transcript.results(ChildEnding(.deadlinePassed(.seconds(600)))).map(\.trial)
        #expect(rows.map(\.status) == [.completed, .slow, .slow])
        #expect(rows[1].reason == "no phase ended in 600 s under Valgrind; raise --deadline")
    }

    @Test func `a trial that says that no operation ends is hung`() {
        let rows = Self.transcript(
            .phaseStarted(name: "a", driver: .tasks), .strategyHung("no operation ended in 10 s")
        )
        .results(ChildEnding(.exited(0))).map(\.trial)
        #expect(rows.map(\.status) == [.hung, .hung, .hung])
        #expect(rows[0].reason == "no operation ended in 10 s")
    }

    @Test func `a trial that is stopped at work is slow, and says how far it came`() {
        func rows(_ messages: TrialMessage...) -> [TrialRow] {
            var transcript = TrialTranscript(
                identity: Self.identity, phases: Self.phases.map { $0.with { $0.length = .operations(90) } })
            for message in messages { transcript.note(message) }
            return transcript.results(ChildEnding(.limitReached(.seconds(9)))).map(\.trial)
        }
        let end = "the trial was stopped after 9 s while still at work; raise --deadline"
        let known = rows(
            Self.finished("a"), .phaseStarted(name: "b", driver: .tasks), .progressed(operations: 7),
            .progressed(operations: 30))
        #expect(known.map(\.status) == [.completed, .slow, .slow])
        #expect(known[1].reason == "it did 30 of 90 operations of the phase; \(end)")
        #expect(rows(.phaseStarted(name: "a", driver: .tasks))[0].reason == end)
    }

    @Test func `a process that exits early without a message has crashed`() {
        let rows = Self.transcript(Self.finished("a")).results(ChildEnding(.exited(0))).map(\.trial)
        #expect(rows.map(\.status) == [.completed, .crashed, .crashed])
    }

    @Test func `harness trouble is not the strategy's fault`() {
        let rows = Self.transcript(.trouble("no server")).results(ChildEnding(.exited(0))).map(\.trial)
        #expect(rows.allSatisfy { $0.status == .invalid })
        #expect(rows[0].reason == "no server")
    }

    @Test func `a crash after the last phase is reported with that phase`() {
        let rows = Self.transcript(Self.finished("a"), Self.finished("b"), Self.finished("c"))
            .results(ChildEnding(.signaled(11))).map(\.trial)
        #expect(rows.map(\.status) == [.completed, .completed, .crashed])
        #expect(rows[2].reason == "after the last phase: the process died of SIGSEGV")
    }

    // All rows were completed, and a check of nothing passed.
    @Test func `a process that dies while its history is judged has one row that says so, and accuses nothing`() {
        let judging = Self.transcript(Self.finished("a"), Self.finished("b"), Self.finished("c"), .judging)
        let rows = judging.results(ChildEnding(.signaled(9))).map(\.trial)
        #expect(rows.map(\.status) == [.completed, .completed, .invalid])
        #expect(rows[2].reason.hasPrefix("its history was not judged: the process died of SIGKILL"))
        #expect(judging.findings == nil)
    }

    @Test func `finished judgements are kept`() {
        let finding = PromiseFinding(promise: .freshness, verdict: .consistent, operationsChecked: 3)
        let judged = Self.transcript(
            Self.finished("a"), Self.finished("b"), Self.finished("c"), .judging, .judged([finding]), .finished)
        #expect(judged.findings == [finding])
        #expect(judged.results(ChildEnding(.exited(0))).count == 3)
    }
}
