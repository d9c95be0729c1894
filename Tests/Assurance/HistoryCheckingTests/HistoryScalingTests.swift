import CacheStrategies
import Measurement
import Platform
import Testing
import TrialModel

@testable import HistoryChecking

@Suite(.timeLimit(.minutes(2)))
struct HistoryScalingTests {
    /// A key that all clients write, read and load, with slow loads: a naive check takes quadratic time.
    private func history(rounds: Int) -> History {
        let clients = 8
        var callers: [[OperationRecord]] = Array(repeating: [], count: clients)
        var requests: [RequestRecord] = []
        var now: UInt64 = 0
        for round in 0..<rounds {
            let version = UInt64(round + 1)
            for client in 0..<clients {
                let number = UInt64(client)
                switch client {
                case 0: callers[client].append(write(version + 1 << 40, now, now + 30))
                case 1:
                    callers[client].append(load(version, .miss, now, now + 40))
                    requests.append(sent(version, now + 1, now + 39))
                case 2: callers[client].append(read(nil, now + number, now + 20))
                default: callers[client].append(read(version + 1 << 40, now + number, now + 31 + number))
                }
            }
            now += 40
        }
        return History(callers: callers, requests: requests)
    }

    @Test func `sixteen times the operations take less than sixty times the time`() {
        let check = HistoryCheck(promises: Promises(coalescesLoads: true, keepsNewerWrites: true))
        // Time of this thread alone: other load on the machine must not count.
        func nanoseconds(_ rounds: Int) -> UInt64 {
            let history = history(rounds: rounds)
            return (0..<5).map { _ in
                let start = ProcessClock.ofThread()
                #expect(check.findings(history).allSatisfy { $0.verdict != .inconsistent })
                return ProcessClock.ofThread() - start
            }.min() ?? 0
        }
        let short = nanoseconds(300)
        let long = nanoseconds(4_800)
        print("300 rounds \(short) ns, 4,800 rounds \(long) ns")
        // Quadratic time would make it 256.
        #expect(long < short * 60)
    }
}
