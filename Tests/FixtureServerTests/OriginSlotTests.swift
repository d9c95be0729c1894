import Foundation
import Origins
import Testing

@testable import TrialModel

/// Slots and priorities of both origins: the one in memory, and the fixture server over HTTP.
@Suite(.timeLimit(.minutes(1)))
struct OriginSlotTests {
    /// One slot, which key 0 keeps for a minute; all other requests are answered at once.
    private static let specification = OriginSpecification(
        kind: .server, delay: .fixed(0),
        faults: [
            OriginFault(kind: .slowAnswer, keys: 0..<1, time: 60_000_000_000)
        ], slots: 1)
    private func withOrigin(
        _ place: OriginPlace, _ body: @Sendable (any Origin) async throws -> Void
    ) async throws {
        let values = ValueSpecification(kind: .bytes, size: .fixed(64))
        try await useOrigin(at: place, values: values, Self.specification, body)
    }

    /// Waits until one request has the slot and this many wait for it, so that the next one comes after them.
    private func settled(_ count: Int, at origin: any Origin) async throws {
        while true {
            let log = try await origin.log(phase: 0)
            if log.served == 1, log.waiting == UInt64(count) { return }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func answered(_ count: Int, at origin: any Origin) async throws {
        while try await order(at: origin).count < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func order(at origin: any Origin) async throws -> [UInt64] {
        try await origin.requestList().entries.filter { $0.ending == .answered }.sorted {
            $0.endNanoseconds < $1.endNanoseconds
        }.map(\.key)
    }

    @Test(arguments: OriginPlace.allCases)
    func `among waiting requests, a user's load is served before prefetches`(place: OriginPlace) async throws {
        try await withOrigin(place) { origin in
            let holder = Task { try await origin.fetch(0) }
            try await settled(0, at: origin)
            var loads: [Task<Data, any Error>] = []
            for (key, priority) in [(1, TaskPriority.utility), (2, .utility), (3, .medium)] {
                loads.append(Task(priority: priority) { @concurrent in try await origin.fetch(UInt64(key)) })
                try await settled(loads.count, at: origin)
            }
            let thread = Task { try await onThread { try origin.fetchBlocking(4, deadline: nil) } }
            try await settled(4, at: origin)
            holder.cancel()
            // A caller that is more urgent than the load it waits for would raise its priority.
            try await answered(4, at: origin)
            #expect(try await order(at: origin) == [3, 4, 1, 2])
            for load in loads { _ = try await load.value }
            _ = try await thread.value
            #expect(try await origin.log(phase: 0).inFlight == 0)
        }
    }

    @Test(arguments: OriginPlace.allCases)
    func `a prefetch in flight is raised when a user begins to wait for it`(place: OriginPlace) async throws {
        try await withOrigin(place) { origin in
            let holder = Task { try await origin.fetch(0) }
            try await settled(0, at: origin)
            var prefetches: [Task<Data, any Error>] = []
            for key in 1...3 as ClosedRange<UInt64> {
                prefetches.append(Task(priority: .utility) { @concurrent in try await origin.fetch(key) })
                try await settled(Int(key), at: origin)
            }
            prefetches[2].escalatePriority(to: .high)
            // The server is told on another connection.
            while try await origin.log(phase: 0).raised != 1 {
                try Task.checkCancellation()
                await Task.yield()
            }
            holder.cancel()
            try await answered(3, at: origin)
            #expect(try await order(at: origin) == [3, 1, 2])
            for prefetch in prefetches { _ = try await prefetch.value }
        }
    }

    @Test(arguments: OriginPlace.allCases)
    func `a caller that gives up while it waits takes no slot`(place: OriginPlace) async throws {
        try await withOrigin(place) { origin in
            let holder = Task { try await origin.fetch(0) }
            try await settled(0, at: origin)
            let waiting = Task { try await origin.fetch(1) }
            try await settled(1, at: origin)
            let last = Task { try await origin.fetch(2) }
            try await settled(2, at: origin)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            await #expect(throws: CancellationError.self) {
                try await onThread { try origin.fetchBlocking(3, deadline: .milliseconds(50)) }
            }
            holder.cancel()
            _ = try await last.value
            _ = try? await holder.value
            while try await origin.log(phase: 0).inFlight > 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
            let log = try await origin.log(phase: 0)
            #expect(log.abandoned == 3 && log.requests == 4, "\(log)")
        }
    }
}
