import CacheStrategies
import Foundation
import Synchronization

/// The machine's clocks without the time between turns, in which no entry may expire.
///
/// A thread of the strategy's own that reads the clock just when a turn ends may see a time that is ahead by one pause.
/// No client reads it then.
final class TurnClock: Sendable {
    /// The length of all pauses, in nanoseconds.
    private let paused = Atomic<Int64>(0)
    /// When the current pause began, in nanoseconds of the machine's clock; 0 during a turn.
    private let pauseBegan = Atomic<Int64>(0)

    /// A pause begins; does nothing during a pause.
    func stop() {
        guard pauseBegan.load(ordering: .relaxed) == 0 else { return }
        pauseBegan.store(max(1, Self.now()), ordering: .releasing)
    }

    /// A turn begins; does nothing during a turn.
    func goOn() {
        let began = pauseBegan.load(ordering: .relaxed)
        guard began != 0 else { return }
        paused.add(Self.now() &- began, ordering: .releasing)
        pauseBegan.store(0, ordering: .releasing)
    }

    /// The clock for a strategy's configuration.
    var cacheClock: CacheClock {
        CacheClock(
            now: { .nanoseconds(self.time()) },
            date: { CacheClock.system.date().addingTimeInterval(Double(self.time() &- Self.now()) / 1e9) })
    }

    private func time() -> Int64 {
        let before = paused.load(ordering: .acquiring)
        let began = pauseBegan.load(ordering: .acquiring)
        return (began == 0 ? Self.now() : began) &- before
    }

    private static func now() -> Int64 {
        let (seconds, attoseconds) = CacheClock.system.now().components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }
}
