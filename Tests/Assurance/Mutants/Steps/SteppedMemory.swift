package import CacheStrategies
import Foundation

/// Memory that stops at every access of a thread in a ``StepRun``, and observes what readers and writers do to
/// entries.
///
/// A derived memory has a fault: it omits an access or makes it at another time. The accesses themselves are those of
/// ``DirectMemory``.
package protocol SteppedMemory: ReaderMemory {}

/// The memory without a fault.
package enum SoundMemory: SteppedMemory {}

extension SteppedMemory {
    static func step(_ name: String, _ place: UInt, isWrite: Bool = false, isLeaving: Bool = false) {
        guard let context = StepContext.current else { return }
        context.run.take(
            Step(place: place, isWrite: isWrite, name: name, isLeaving: isLeaving), by: context.actor)
    }

    package static func ownAnnouncement(_ place: Announcement) -> UInt64 { DirectMemory.ownAnnouncement(place) }
    package static func announce(_ word: UInt64, _ place: Announcement) { steppedAnnounce(word, place) }
    package static func leave(_ word: UInt64, _ place: Announcement) { steppedLeave(word, place) }
    package static func announcement(_ place: Announcement) -> UInt64 {
        step("looks at an announcement", UInt(bitPattern: place))
        return DirectMemory.announcement(place)
    }
    package static func root(_ place: Root) -> UInt {
        step("loads the root", UInt(bitPattern: place))
        return DirectMemory.root(place)
    }
    package static func setRoot(_ root: UInt, _ place: Root) {
        step("stores the root", UInt(bitPattern: place), isWrite: true)
        DirectMemory.setRoot(root, place)
    }
    package static func link(_ place: Link) -> UInt32 {
        step("loads a link", UInt(bitPattern: place))
        return DirectMemory.link(place)
    }
    package static func setLink(_ node: UInt32, _ place: Link) {
        step("stores a link to \(node)", UInt(bitPattern: place), isWrite: true)
        DirectMemory.setLink(node, place)
    }
    package static func word(_ place: Word) -> UInt64 {
        step("loads a value", UInt(bitPattern: place))
        return DirectMemory.word(place)
    }
    package static func setWord(_ word: UInt64, _ place: Word) {
        step("stores a value", UInt(bitPattern: place), isWrite: true)
        DirectMemory.setWord(word, place)
    }
    package static func isMarked(_ place: Mark) -> Bool {
        step("loads a mark", markPlace(place))
        return DirectMemory.isMarked(place)
    }
    package static func setMark(_ isMarked: Bool, _ place: Mark) { steppedSetMark(isMarked, place) }
    package static func willRead(_ entry: UnsafeRawPointer) { steppedRead(entry) }
    package static func willChange(_ entry: UnsafeRawPointer) {
        step("fills or empties \(entry)", UInt(bitPattern: entry), isWrite: true)
        EntryWatch.current?.change(entry)
    }
    package static func wait() {
        guard let context = StepContext.current else { return DirectMemory.wait() }
        context.run.take(
            Step(place: .max / 2, isWrite: false, name: "waits", awaitsLeaving: true), by: context.actor)
    }

    /// The place of a mark. It contains the address of its entry; the entry's key and value are a separate place.
    private static func markPlace(_ place: Mark) -> UInt { UInt(bitPattern: place) | 1 }

    static func steppedAnnounce(_ word: UInt64, _ place: Announcement) {
        step("announces itself", UInt(bitPattern: place), isWrite: true)
        DirectMemory.announce(word, place)
    }

    static func steppedLeave(_ word: UInt64, _ place: Announcement) {
        step("leaves", UInt(bitPattern: place), isWrite: true, isLeaving: true)
        DirectMemory.leave(word, place)
        EntryWatch.current?.leave()
    }

    static func steppedSetMark(_ isMarked: Bool, _ place: Mark) {
        step(isMarked ? "marks" : "clears a mark", markPlace(place), isWrite: true)
        if isMarked { EntryWatch.current?.mark() }
        DirectMemory.setMark(isMarked, place)
    }

    static func steppedRead(_ entry: UnsafeRawPointer) {
        step("reads \(entry)", UInt(bitPattern: entry))
        EntryWatch.current?.read(entry)
    }
}

/// Detects when a writer, actor 0, changes an entry that a reader is using.
final class EntryWatch: @unchecked Sendable {
    // Sound although unchecked: accessed by the thread that has the turn of a run, see ``StepRun``.
    @TaskLocal static var current: EntryWatch?

    /// How often each entry was filled or emptied.
    private var changes: [UnsafeRawPointer: Int] = [:]
    /// The change counts that each reader saw of the entries in use.
    private var seen: [Int: [UnsafeRawPointer: Int]] = [:]
    private var last: [Int: UnsafeRawPointer] = [:]
    private(set) var faults: [String] = []

    private var actor: Int { StepContext.current?.actor ?? 0 }

    func change(_ entry: UnsafeRawPointer) { changes[entry, default: 0] += 1 }

    func read(_ entry: UnsafeRawPointer) {
        guard actor != 0 else { return }
        let count = changes[entry, default: 0]
        // Filled once, emptied twice, and so on.
        if count.isMultiple(of: 2) || seen[actor]?[entry].map({ $0 != count }) == true {
            faults.append("reader \(actor) reads \(entry), which the writer freed during the read")
        }
        seen[actor, default: [:]][entry] = count
        last[actor] = entry
    }

    func mark() {
        guard actor != 0, let entry = last[actor], let count = seenLast(entry) else { return }
        if count != changes[entry, default: 0] {
            faults.append("reader \(actor) marks \(entry), which was given to another key")
        }
    }

    func leave() {
        guard actor != 0 else { return }
        for (entry, count) in seen[actor, default: [:]] where count != changes[entry, default: 0] {
            faults.append("\(entry) was emptied before reader \(actor) left")
        }
        left[actor] = seen[actor]
        seen[actor] = nil
    }

    private var left: [Int: [UnsafeRawPointer: Int]] = [:]

    private func seenLast(_ entry: UnsafeRawPointer) -> Int? { seen[actor]?[entry] ?? left[actor]?[entry] }
}
