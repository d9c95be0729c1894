import Testing
import TrialModel

@testable import HistoryChecking

@Suite(.timeLimit(.minutes(1)))
struct HistoryTests {
    @Test func `a history counts the operations of all callers`() {
        let read = OperationRecord(.read, key: 1, outcome: .miss, call: 1, answer: 2)
        #expect(History(callers: [[read, read], [], [read]]).count == 3)
    }

    @Test func `a record takes 40 bytes`() {
        #expect(MemoryLayout<OperationRecord>.stride == 40)
    }
}
