/// How a process takes turns with others, so that disturbances of the machine affect all of them alike.
///
/// A turn begins with a lead-in: threads wake, and the processor's caches still hold the others' data. Operations of
/// the lead-in count as hits or misses and are not timed. The measured slice follows, and ends between operations.
package struct TurnSettings: Codable, Hashable, Sendable {
    /// The length of the lead-in, in nanoseconds.
    package var leadIn: UInt64
    /// The length of the slice, in nanoseconds.
    package var slice: UInt64
    /// The core of the first client, where clients have threads; the next clients get the cores that follow. Cores of
    /// one machine differ by what else runs on them, so all compared processes must use the same ones.
    package var core: Int

    package init(leadIn: UInt64 = 1_000_000, slice: UInt64 = 5_000_000, core: Int = 0) {
        self.leadIn = leadIn
        self.slice = slice
        self.core = core
    }

    /// The protocol version that both programs must have. It changes with the messages, and with the meaning of a
    /// slice.
    package static var version: Int { 2 }
}
