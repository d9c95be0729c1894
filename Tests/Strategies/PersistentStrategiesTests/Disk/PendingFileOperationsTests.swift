import CacheStrategies
import Testing
import TrialModel

@testable import PersistentStrategies

/// File operations that wait for the writers of `disk`.
@Suite(.timeLimit(.minutes(1)))
struct PendingFileOperationsTests {
    private static func digest(_ number: Int) -> KeyDigest {
        KeyDigest(words: SIMD4(UInt64(truncatingIfNeeded: number), 0, 0, 0))
    }

    @Test func `keys that come and go while the writers are busy leave nothing behind`() {
        var operations = PendingFileOperations()
        for number in 0..<10_000 {
            _ = operations.schedule(.write, Self.digest(number))
            // Each tenth one stays.
            if number % 10 != 0 { _ = operations.cancel(Self.digest(number)) }
        }
        #expect(operations.count == 1_000)
        #expect(operations.queuedCount <= 2 * 1_000 + PendingFileOperations.cancelledMax)
        // Those that stay begin in their order.
        for number in stride(from: 0, to: 10_000, by: 10) {
            #expect(operations.begin()?.digest == Self.digest(number))
        }
        #expect(operations.begin() == nil)
    }

    @Test func `callers that wait for an operation that was not done wait for the next one on its file`() {
        var operations = PendingFileOperations()
        var done: [Int] = []
        func note(_ calls: [@Sendable () -> Void]) { done.append(calls.count) }
        _ = operations.schedule(.write, Self.digest(1))
        _ = operations.begin()
        #expect(operations.whenDone {})
        _ = operations.schedule(.remove, Self.digest(1))
        #expect(operations.whenDone {})
        note(operations.end(Self.digest(1), isDone: false))
        #expect(operations.begin()?.kind == .remove)
        note(operations.end(Self.digest(1)))
        #expect(done == [0, 2])
        #expect(operations.count == 0)
    }

    /// With few files they are scheduled while they are in flight, and with many the queue is long.
    @Test(arguments: [1, 2, 3] as [UInt64], [6, 200] as [UInt64])
    func `each operation begins once, never beside another on its file, and the last one counts`(
        seed: UInt64, files: UInt64
    ) {
        var random = RandomSource(seed: seed)
        var operations = PendingFileOperations()
        var wanted: [Int: PendingFileOperations.Kind] = [:]
        var running: [Int: PendingFileOperations.Kind] = [:]
        func begin() -> Bool {
            guard let (digest, kind) = operations.begin() else {
                #expect(wanted.keys.allSatisfy { running[$0] != nil }, "an operation that can begin is not found")
                return false
            }
            let number = Int(digest.words[0])
            #expect(running[number] == nil, "two operations on file \(number)")
            #expect(wanted.removeValue(forKey: number) == kind, "file \(number)")
            running[number] = kind
            return true
        }
        for _ in 0..<20_000 {
            let number = Int(random.next(below: files))
            switch random.next(below: 8) {
            case 0, 1, 2:
                let kind: PendingFileOperations.Kind = random.next(below: 3) == 0 ? .remove : .write
                _ = operations.schedule(kind, Self.digest(number))
                wanted[number] = kind
            case 3, 4, 5:
                _ = operations.cancel(Self.digest(number))
                wanted[number] = nil
            case 6: if running.count < 4 { _ = begin() }
            default:
                if let number = running.keys.min() {
                    _ = operations.end(Self.digest(number))
                    running[number] = nil
                }
            }
            #expect(operations.count == wanted.count + running.count)
        }
        for number in running.keys { _ = operations.end(Self.digest(number)) }
        running = [:]
        while begin() {}
        #expect(wanted.isEmpty)
        #expect(operations.begin() == nil)
    }
}
