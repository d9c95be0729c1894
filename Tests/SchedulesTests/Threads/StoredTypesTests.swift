import CacheStrategies
import CacheTestSupport
import Foundation
import Synchronization
import Testing

@testable import Schedules

/// Whether undeclared atomics of a strategy are found.
@Suite(.timeLimit(.minutes(1)))
struct StoredTypesTests {
    private final class Counted<Element: Hashable>: Sendable {
        let label = "counted"
        let count = Atomic<Int>(0)
    }
    private struct Behind {
        let counted: Counted<Int>?
    }
    private struct Pointing {
        let word: UnsafeMutablePointer<Atomic<UInt64>>
    }
    private final class Lazy: Sendable {
        let state = AtomicLazyReference<Counted<Int>>()
    }
    private final class Plain: @unchecked Sendable {
        let lock = NSLock()
        let queue = DispatchQueue(label: "plain")
        var entries: [String: [Int]] = [:]
    }

    @Test func `atomics are found among properties`() {
        let types: [Any.Type] = [Counted<String>.self, Behind.self, Pointing.self, Lazy.self]
        for type in types { #expect(StoredTypes.holdAtomics(type), "\(type)") }
    }

    @Test func `controlled locks and queues are not atomics`() {
        #expect(!StoredTypes.holdAtomics(Plain.self))
        #expect(!StoredTypes.holdAtomics(Int.self))
    }

    @Test func `a declared atomic is not called found`() {
        #expect(UnseenOrders(of: BarrierNSCache<Int, ScriptedValue>.self) == .declaredAtomics)
        #expect(UnseenOrders(of: ConcurrentSIEVECache<Int, ScriptedValue>.self) == .declaredAtomics)
        #expect(UnseenOrders(of: LRUCache<Int, ScriptedValue>.self) == [])
    }

    @Test func `every bit has a name`() {
        let all = UnseenOrders(rawValue: 0x3F).union([.declaredAtomics, .foundAtomics])
        #expect(all.names.count == 8)
    }
}
