import CacheStrategies
import CacheTestSupport
import Foundation
import Synchronization
import Testing

@testable import Schedules

/// Whether undeclared atomics of a strategy are found.
@Suite(.timeLimit(.minutes(1)))
struct StoredTypesTests {
    private class Counted<Element: Hashable>: @unchecked Sendable {
        // Unchecked, because the class has a subclass; all of it is constant or atomic.
        let label = "counted"
        let count = Atomic<Int>(0)
    }
    private final class Special: Counted<Int>, @unchecked Sendable {
        let name = "special"
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
        func names(_ type: Any.Type) -> [String] {
            StoredTypes.findings(type).filter { $0.kind == .atomic }.map(\.description)
        }
        #expect(names(Counted<String>.self) == ["Counted.count (Atomic<Int>)"])
        #expect(names(Behind.self) == ["Counted.count (Atomic<Int>)"])
        #expect(names(Special.self) == ["Counted.count (Atomic<Int>)"])
        #expect(names(Pointing.self) == ["Pointing.word (UnsafeMutablePointer<Atomic<UInt64>>)"])
        #expect(names(Lazy.self).first?.hasPrefix("Lazy.state (AtomicLazyReference<") == true)
    }

    @Test func `controlled locks and queues are not atomics`() {
        #expect(StoredTypes.findings(Plain.self) == [])
        #expect(StoredTypes.findings(Int.self) == [])
    }

    @Test func `a declared atomic is not called found`() {
        let declared = UnseenOrders(of: BarrierNSCache<Int, ScriptedValue>.self)
        #expect(declared.contains(.declaredAtomics) && !declared.contains(.foundAtomics))
        #expect(declared.names.first?.hasPrefix("its atomics: HeldTotals.count (Atomic<Int>), ") == true)
        #expect(UnseenOrders(of: ConcurrentSIEVECache<Int, ScriptedValue>.self).contains(.declaredAtomics))
        #expect(UnseenOrders(of: LRUCache<Int, ScriptedValue>.self) == [])
    }

    @Test func `atomics at which threads switched are seen, unless some code has others`() {
        let switched: UnseenOrders = [.declaredAtomics, .switchedAtomics]
        #expect(switched.isEmpty)
        #expect(switched.union(.instructions).names == ["its atomics", "atomic instructions"])
        #expect(switched.union(.lock).names.count == 1)
        #expect(UnseenOrders.foundAtomics.union(.instructions).names == ["atomics that it does not declare"])
    }

    @Test func `every bit has a name`() {
        for bit in [0, 1, 2, 3, 4, 16, 17, 18] { #expect(UnseenOrders(rawValue: 1 << UInt32(bit)).names.count == 1) }
    }
}
