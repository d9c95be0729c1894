import Locks
import Synchronization

@testable import CacheStrategies

/// A variant of ``DirectMemory`` that overrides only a few of its operations.
protocol DerivedMemory: ReaderMemory {}

extension DerivedMemory {
    static func ownAnnouncement(_ place: Announcement) -> UInt64 { DirectMemory.ownAnnouncement(place) }
    static func announce(_ word: UInt64, _ place: Announcement) { DirectMemory.announce(word, place) }
    static func leave(_ word: UInt64, _ place: Announcement) { DirectMemory.leave(word, place) }
    static func announcement(_ place: Announcement) -> UInt64 { DirectMemory.announcement(place) }
    static func root(_ place: Root) -> UInt { DirectMemory.root(place) }
    static func setRoot(_ root: UInt, _ place: Root) { DirectMemory.setRoot(root, place) }
    static func link(_ place: Link) -> UInt32 { DirectMemory.link(place) }
    static func setLink(_ node: UInt32, _ place: Link) { DirectMemory.setLink(node, place) }
    static func word(_ place: Word) -> UInt64 { DirectMemory.word(place) }
    static func setWord(_ word: UInt64, _ place: Word) { DirectMemory.setWord(word, place) }
    static func isMarked(_ place: Mark) -> Bool { DirectMemory.isMarked(place) }
    static func setMark(_ isMarked: Bool, _ place: Mark) { DirectMemory.setMark(isMarked, place) }
    static func willRead(_ entry: UnsafeRawPointer) {}
    static func willChange(_ entry: UnsafeRawPointer) {}
    static func wait() { DirectMemory.wait() }
}

/// Counts how often a mark is written.
enum CountedMarks: DerivedMemory {
    static let count = Atomic(0)

    static func setMark(_ isMarked: Bool, _ place: Mark) {
        count.wrappingAdd(1, ordering: .relaxed)
        DirectMemory.setMark(isMarked, place)
    }
}

/// Does something in place of each wait.
enum ScriptedWaits: DerivedMemory {
    static let action = Locked<@Sendable () -> Void>({})

    static func wait() { action.withLock { $0 }() }
}

/// A key that looks up another cache when it is compared.
final class AskingKey: Hashable, Sendable {
    let other: ConcurrentSIEVECache<Int, Number>
    let answers = Locked(0)

    init(_ other: ConcurrentSIEVECache<Int, Number>) { self.other = other }

    static func == (left: AskingKey, right: AskingKey) -> Bool {
        if left.other.value(forKey: 7) == Number(7) { left.answers.withLock { $0 += 1 } }
        return true
    }

    func hash(into hasher: inout Hasher) { hasher.combine(1) }
}
