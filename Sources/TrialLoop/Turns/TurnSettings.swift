/// How a process takes turns with others, so that whatever the machine does, it does to all of them.
///
/// A turn begins with a lead-in: threads wake, and the processor's caches still hold what the others used. Its operations
/// count for hits and are not timed. The slice that is measured follows, and ends between operations.
package struct TurnSettings: Codable, Hashable, Sendable {
    /// How long the part of a turn is that is not timed, in nanoseconds.
    package var leadIn: UInt64
    /// How long the part is that is, in nanoseconds.
    package var slice: UInt64
    /// The core of the first client, where clients have threads; the next ones have those that follow. Cores of one machine
    /// differ, by what else runs on them, so that all that are compared have to be on the same.
    package var core: Int

    package init(leadIn: UInt64 = 1_000_000, slice: UInt64 = 5_000_000, core: Int = 0) {
        self.leadIn = leadIn
        self.slice = slice
        self.core = core
    }

    /// What both programs have to speak. It changes with the messages, and with what a slice is.
    package static var version: Int { 1 }
}
