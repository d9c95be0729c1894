import CacheStrategies
import Foundation
import ReliabilityChecks
import Testing

@testable import CacheStrategiesTests
@testable import PersistentStrategies

/// What the folder holds when a flush returns, although writes are replaced before they have begun or fail.
@Suite(.timeLimit(.minutes(1)))
struct DiskFlushTests {
    private let folder: DiskTestFolder

    init() throws { folder = try DiskTestFolder() }

    private struct NotEncodable: Error {}

    /// A value whose encoding waits at a turnstile.
    private struct Slow: CacheableValue {
        let number: Int
        var turnstile: Turnstile?
        var failsToEncode = false

        init(_ number: Int, at turnstile: Turnstile? = nil, failsToEncode: Bool = false) {
            self.number = number
            self.turnstile = turnstile
            self.failsToEncode = failsToEncode
        }

        init(encoded: Data) throws { number = Int(String(decoding: encoded, as: UTF8.self)) ?? -1 }

        func encoded() throws -> Data {
            turnstile?.passBlocking()
            if failsToEncode { throw NotEncodable() }
            return Data("\(number)".utf8)
        }

        var cost: Int { 1 }
    }

    private func cache(_ layer: FaultyFileLayer) throws -> DiskCache<Int, Slow> {
        try DiskCache<Int, Slow>(configuration: folder.configuration()) { _ in layer }
    }

    /// Begins a flush. Its waiting is registered when this returns.
    private func beginFlush(_ cache: DiskCache<Int, Slow>) -> Turnstile {
        let done = Turnstile()
        if !cache.store.locked({ state, _ in state.pending.whenDone { done.open() } }) { done.open() }
        return done
    }

    /// The number that a kill would leave for key 1.
    private func numberAfterKill() async throws -> Int? {
        let copy = try folder.copied()
        defer { copy.remove() }
        let cache = try DiskCache<Int, Slow>(configuration: copy.configuration())
        let found = await cache.value(forKey: 1)?.number
        await cache.close()
        return found
    }

    @Test func `a flush leaves a value on disk that is replaced while it is encoded`() async throws {
        let cache = try cache(FaultyFileLayer(directory: folder.directory))
        let (first, second) = (Turnstile(), Turnstile())
        await cache.insert(Slow(1, at: first), forKey: 1, cost: 1)
        await first.waitForArrivals(1)
        let flush = beginFlush(cache)
        await cache.insert(Slow(2, at: second), forKey: 1, cost: 1)
        first.open()
        await flush.pass()
        #expect(try await numberAfterKill() == 1)
        #expect(await cache.value(forKey: 1)?.number == 2)
        second.open()
        await cache.close()
        #expect(try await numberAfterKill() == 2)
    }

    @Test func `a flush leaves no value that was replaced before it, whatever follows`() async throws {
        let cache = try cache(FaultyFileLayer(directory: folder.directory))
        await cache.insert(Slow(1), forKey: 1, cost: 1)
        try await cache.flush()
        let turnstile = Turnstile()
        await cache.insert(Slow(2, at: turnstile), forKey: 1, cost: 1)
        await turnstile.waitForArrivals(1)
        let flush = beginFlush(cache)
        await cache.removeValue(forKey: 1)
        turnstile.open()
        await flush.pass()
        #expect(try await numberAfterKill() == nil)
        #expect(cache.checkInvariants() == [])
        await cache.close()
    }

    @Test func `a flush leaves no older value of a key whose write fails`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try cache(layer)
        await cache.insert(Slow(1), forKey: 1, cost: 1)
        try await cache.flush()
        let (turnstile, unlink) = (Turnstile(), layer.hold("unlink"))
        await cache.insert(Slow(2, at: turnstile, failsToEncode: true), forKey: 1, cost: 1)
        await turnstile.waitForArrivals(1)
        let flush = beginFlush(cache)
        turnstile.open()
        await unlink.reached()
        #expect(flush.isOpenNow == false)
        unlink.release()
        await flush.pass()
        #expect(try await numberAfterKill() == nil)
        #expect(try folder.names().isEmpty)
        await cache.close()
    }
}
