import CCores

/// The cores that threads run on.
package enum Cores {
    /// Pins the calling thread to one core, on Linux.
    ///
    /// - Parameter number: the index among the cores that the thread may run on, modulo their number.
    package static func pinThread(to number: Int) { cores_pin_thread(UInt32(truncatingIfNeeded: number)) }
}
