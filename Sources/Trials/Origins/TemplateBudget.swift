import Locks
import Synchronization

/// The most bytes of templates that several stores keep together. When they keep more, the stores that were used for a
/// new trial the longest time ago are emptied.
package final class TemplateBudget: Sendable {
    /// The budget of a fixture server, in bytes.
    package static let byteCountMaxOfServer = 256 << 20

    /// The most bytes.
    package let byteCountMax: Int
    private let keptByteCount = Atomic<Int>(0)
    /// The stores, the one used last at the end.
    private let stores = Locked<[Member]>([])

    private struct Member: Sendable {
        weak let store: TemplateStore?
    }

    package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// A store is used for a new trial.
    package func use(_ store: TemplateStore) {
        stores.withLock { stores in
            stores.removeAll { $0.store == nil || $0.store === store }
            stores.append(Member(store: store))
        }
    }

    /// A store keeps more bytes than before, or fewer.
    func add(_ growth: Int) {
        guard keptByteCount.wrappingAdd(growth, ordering: .relaxed).newValue > byteCountMax, growth > 0 else { return }
        for store in stores.withLock({ $0.compactMap(\.store) }).dropLast() {
            store.removeAll()
            guard keptByteCount.load(ordering: .relaxed) > byteCountMax else { return }
        }
    }
}
