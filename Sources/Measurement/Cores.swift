import CCores

/// The cores that threads run on.
package enum Cores {
    /// Lets the calling thread run on one core only, on Linux.
    ///
    /// - Parameter number: of those that the thread may run on, counted round.
    package static func pinThread(to number: Int) { cores_pin_thread(UInt32(truncatingIfNeeded: number)) }
}
