import Atomics
import CAtomicOrders
import Synchronization

/// A number that threads share without a lock.
package protocol AtomicWord: AnyObject, Sendable {
    /// The name of the cache without a fault that uses it.
    static var name: String { get }
    init()
    func load() -> Int
    func store(_ value: Int)
    /// Adds and returns nothing: no caller needs the sum.
    func add(_ number: Int)
    /// Sets one in place of zero; false if it was not zero.
    func claim() -> Bool
}

/// An atomic of the standard library.
package final class SwiftWord: AtomicWord {
    package static let name = "sound-atomics"
    private let word = Atomic<Int>(0)

    package init() {}

    package func load() -> Int { word.load(ordering: .acquiring) }
    package func store(_ value: Int) { word.store(value, ordering: .releasing) }
    package func add(_ number: Int) { word.wrappingAdd(number, ordering: .relaxed) }
    package func claim() -> Bool {
        word.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged
    }
}

/// An atomic of the package swift-atomics.
package final class PackageWord: AtomicWord {
    package static let name = "sound-package-atomics"
    private let word = ManagedAtomic<Int>(0)

    package init() {}

    package func load() -> Int { word.load(ordering: .acquiring) }
    package func store(_ value: Int) { word.store(value, ordering: .releasing) }
    package func add(_ number: Int) { word.wrappingIncrement(by: number, ordering: .relaxed) }
    package func claim() -> Bool {
        word.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged
    }
}

/// An atomic of C11.
package final class WordOfC: AtomicWord, @unchecked Sendable {
    package static let name = "sound-atomics-of-c"
    // Sound although unchecked: the pointer never changes, and all access to the word is atomic.
    private let word: OpaquePointer

    package init() { word = atomic_word_make() }

    deinit { atomic_word_free(word) }

    package func load() -> Int { atomic_word_load(word) }
    package func store(_ value: Int) { atomic_word_store(word, value) }
    package func add(_ number: Int) { atomic_word_add(word, number) }
    package func claim() -> Bool { atomic_word_claim(word) }
}
