/// Short pauses of seeded lengths, so that threads do not run in lockstep.
///
/// It spins and doesn't sleep: a sleeping thread gives up its core and no longer overlaps with the others. It uses
/// nothing shared, because an atomic or a lock between two operations would order the threads and hide the race.
struct Jitter: Equatable {
    private var state: UInt64

    /// - Parameter client: the number of the thread or task; each has its own sequence of pauses, the same in every
    ///   run.
    init(client: Int) {
        state = 0x9E37_79B9_7F4A_7C15 &* UInt64(truncatingIfNeeded: client &+ 1)
    }

    /// Spins for fewer than `rounds` steps of a generator; `rounds` is a power of two.
    mutating func pause(rounds: UInt64) {
        // It runs on a local variable and without calls: the sanitizer records every call and memory access in a short
        // history of the thread, and can't report a race whose first access is no longer in it.
        var local = state
        // The state determines the number of steps, and the steps change the state, so no optimiser can remove them.
        var remaining = (local & (rounds &- 1)) &+ 1
        while remaining > 0 {
            // Marsaglia's xorshift.
            local = local ^ (local &<< 13)
            local = local ^ (local &>> 7)
            local = local ^ (local &<< 17)
            remaining = remaining &- 1
        }
        state = local
    }
}
