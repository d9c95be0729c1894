import NIOCore

/// How the fixture server is set up.
package struct FixtureServerConfiguration: Codable, Hashable, Sendable {
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 for any free port.
    package var port = 0
    /// How many trials may be registered at once.
    package var trialCountMax = 1_000
    /// How many requests of a trial are listed; the counts stay exact beyond it.
    package var entryCountMax = 1_000_000
    /// The most bytes of encoded payloads that are kept for trials with the same values and seed, so that a picture
    /// is compressed once for all strategies and repetitions.
    package var templateByteCountMax = 256 << 20
    /// The largest body of a request, in bytes.
    package var bodyByteCountMax = 64 << 10
    /// How long a request may take from its first byte to its last, in milliseconds.
    package var requestMillisecondsMax: Int64 = 10_000
    /// The most connections at once; fewer where the process may open fewer files. One more connection closes those
    /// that have been idle for longest.
    package var connectionCountMax = 60_000
    /// The number of threads that answer. It is half of the cores, because the trial that waits for the answers needs
    /// the others. On two cores, the single thread serves 64 clients in batches, and shares the log with no other
    /// thread.
    package var eventLoopCount = max(1, min(4, System.coreCount / 2))

    package init() {}
}
