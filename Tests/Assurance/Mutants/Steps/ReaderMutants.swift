import CacheStrategies

/// Memories with one fault each: accesses that readers and writers of ``ConcurrentShard`` must not make.
///
/// They hold state for one reader at a time by its thread, in ``Held``.
enum ReaderMutants {
    /// The accesses that an actor has delayed.
    final class Held: @unchecked Sendable {
        // Sound although unchecked: accessed by the thread that has the turn of a run, see ``StepRun``.
        @TaskLocal static var current: Held?

        var announcements: [Int: (word: UInt64, place: DirectMemory.Announcement)] = [:]
        var marks: [Int: DirectMemory.Mark] = [:]
        var hasLeft: Set<Int> = []
        var losesLink = false
    }

    static var held: Held { Held.current ?? Held() }
    static var actor: Int { StepContext.current?.actor ?? 0 }

    /// All of them, with their names.
    static let all: [Mutant] = [
        mutant("reader-without-announcement", "a reader of a shard doesn't announce that it reads", Unannounced.self),
        mutant("announcement-after-link", "a reader's announcement is stored after it has loaded a link", Late.self),
        mutant("mark-after-leaving", "a reader marks an entry after it has left", MarkAfterLeaving.self),
        mutant("retain-after-leaving", "a reader takes the value after it has left", RetainAfterLeaving.self),
        mutant("entry-reused-too-early", "a writer reuses an entry without checking for readers", Blind.self),
        mutant("key-and-value-torn", "a reader leaves between the key and the value", Torn.self),
        mutant(
            "resize-loses-insert", "an insert that makes the table grow is not linked in the larger table",
            LostInsert.self, shownBy: 4),
    ]

    /// - Parameter script: the place of the first script that can show the fault.
    private static func mutant<Memory: SteppedMemory>(
        _ name: String, _ summary: String, _ type: Memory.Type, shownBy script: Int = 0
    ) -> Mutant {
        Mutant(name, .accesses, caughtBy: .accesses, summary) { seed, selection in
            ReaderScripts<Memory>().alarms(seed: seed, first: selection.isAll ? 0 : script)
        }
    }

    enum Unannounced: SteppedMemory {
        static func announce(_ word: UInt64, _ place: Announcement) {}
        static func leave(_ word: UInt64, _ place: Announcement) {}
    }

    /// A store that seems to use a weaker memory order, and waits in the processor's store buffer.
    enum Late: SteppedMemory {
        static func announce(_ word: UInt64, _ place: Announcement) { held.announcements[actor] = (word, place) }
        static func willRead(_ entry: UnsafeRawPointer) {
            if let late = held.announcements.removeValue(forKey: actor) { steppedAnnounce(late.word, late.place) }
            steppedRead(entry)
        }
    }

    enum MarkAfterLeaving: SteppedMemory {
        static func setMark(_ isMarked: Bool, _ place: Mark) {
            if isMarked, actor != 0 { held.marks[actor] = place } else { steppedSetMark(isMarked, place) }
        }
        static func leave(_ word: UInt64, _ place: Announcement) {
            steppedLeave(word, place)
            if let mark = held.marks.removeValue(forKey: actor) { steppedSetMark(true, mark) }
        }
    }

    enum RetainAfterLeaving: SteppedMemory {
        static func announce(_ word: UInt64, _ place: Announcement) {
            held.announcements[actor] = (word, place)
            steppedAnnounce(word, place)
        }
        static func isMarked(_ place: Mark) -> Bool {
            if let announced = held.announcements.removeValue(forKey: actor) {
                steppedLeave((announced.word | 0xFF_FFFF) &+ 1, announced.place)
                held.hasLeft.insert(actor)
            }
            return SoundMemory.isMarked(place)
        }
        static func leave(_ word: UInt64, _ place: Announcement) {
            if held.hasLeft.remove(actor) == nil { steppedLeave(word, place) }
        }
    }

    enum Blind: SteppedMemory {
        static func announcement(_ place: Announcement) -> UInt64 { 0 }
    }

    enum Torn: SteppedMemory {
        static func announce(_ word: UInt64, _ place: Announcement) {
            held.announcements[actor] = (word, place)
            steppedAnnounce(word, place)
        }
        static func isMarked(_ place: Mark) -> Bool {
            if actor != 0, let announced = held.announcements[actor] {
                steppedLeave((announced.word | 0xFF_FFFF) &+ 1, announced.place)
                steppedAnnounce(announced.word, announced.place)
            }
            return SoundMemory.isMarked(place)
        }
    }

    enum LostInsert: SteppedMemory {
        static func setRoot(_ root: UInt, _ place: Root) {
            SoundMemory.setRoot(root, place)
            if StepContext.current != nil { held.losesLink = true }
        }
        static func setLink(_ node: UInt32, _ place: Link) {
            if held.losesLink { held.losesLink = false } else { SoundMemory.setLink(node, place) }
        }
    }
}
