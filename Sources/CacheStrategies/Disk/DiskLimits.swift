/// How the configured limits apply to memory and disk together.
///
/// | limit | configured | not configured |
/// | --- | --- | --- |
/// | entries | as configured | 1,000,000 |
/// | sum of costs | as configured | none |
/// | bytes of the files | the cost limit, but at least 1 MiB | 1 GiB |
/// | entries decoded in memory | a quarter, rounded up | a quarter |
/// | their costs | a quarter, rounded up | 64 MiB |
///
/// A key counts once, wherever its value is. The files' bytes have a minimum because below it headers outweigh the
/// values. Memory is a fraction, so that the disk is really read.
struct DiskLimits: Sendable, Hashable {
    /// The most entries, in memory and on disk together.
    let entries: Int
    /// The most the entries' costs may add up to, in bytes.
    let cost: Int
    /// The most bytes of all entry files, headers and keys included.
    let fileBytes: Int
    /// The most entries held decoded in memory.
    let memoryEntries: Int
    /// The most the costs of the entries in memory may add up to, in bytes.
    let memoryCost: Int

    /// Negative limits count as 0, which allows no entry (entries) or only entries without cost (cost).
    init(entryLimit: Int?, costLimit: Int?) {
        entries = max(0, entryLimit ?? 1_000_000)
        cost = max(0, costLimit ?? Int.max)
        fileBytes = costLimit.map { max($0, 1 << 20) } ?? 1 << 30
        memoryEntries = entries / 4 + (entries % 4 == 0 ? 0 : 1)
        memoryCost = costLimit.map { max(0, $0) / 4 + (max(0, $0) % 4 == 0 ? 0 : 1) } ?? 64 << 20
    }

    /// Whether an entry is small enough to be held at all.
    ///
    /// - Parameter fileBytes: the bytes of its file, 0 while they are unknown.
    func admits(cost: Int, fileBytes: Int) -> Bool {
        entries > 0 && cost <= self.cost && fileBytes <= self.fileBytes
    }
}
