import Measurement

/// What one client, or all of them, did in the measured part of a turn.
struct SliceFigures: Sendable {
    var operations: UInt64
    /// The sum of the clients' own rates: a client that had to wait for another's slow load at the end of the slice was
    /// not slow.
    var operationsPerSecond: Double
    /// The median over all clients in nanoseconds, with fractions; `nil` for a single client.
    private(set) var p50: Double?
    /// The latencies of one client.
    private let latencies: [LatencySample]

    init(operations: UInt64, nanoseconds: UInt64, latencies: [LatencySample]) {
        self.operations = operations
        operationsPerSecond = nanoseconds > 0 ? Double(operations) * 1e9 / Double(nanoseconds) : 0
        self.latencies = latencies
    }

    /// The figures of all clients together.
    init(of clients: [SliceFigures]) {
        operations = clients.reduce(0) { $0 + $1.operations }
        operationsPerSecond = clients.reduce(0) { $0 + $1.operationsPerSecond }
        p50 = LatencySample.median(of: clients.flatMap(\.latencies))
        latencies = []
    }
}
