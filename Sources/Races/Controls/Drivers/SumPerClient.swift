/// A sum for each thread or task; only that thread or task uses it.
final class SumPerClient: @unchecked Sendable {
    // Client `n` accesses only element `n`; `total` is read when the clients have ended.
    private let sums: UnsafeMutablePointer<Int>
    private let count: Int

    /// Zero for each of `count` clients.
    init(count: Int) {
        self.count = count
        sums = .allocate(capacity: count)
        sums.initialize(repeating: 0, count: count)
    }

    deinit {
        sums.deallocate()
    }

    /// Adds to the sum of the calling client.
    func add(_ value: Int, client: Int) {
        sums[client] += value
    }

    /// The sum of all, after they have ended; O(n) in the number of clients.
    var total: Int {
        (0..<count).reduce(0) { $0 + sums[$1] }
    }
}
