import TrialModel

/// The misses of a replay as a trace: what its origin is asked for, or the next cache behind it.
///
/// It holds each counted lookup that missed, with all columns of the trace and the size that the replay used, and each
/// removal. The next cache sees as many lookups as this one had misses.
final class MissStream {
    private let path: String
    private let writer: TraceWriter
    private let columns: TraceColumns
    /// The requests and removals that were written.
    private(set) var (misses, removals) = (0, 0)

    /// Begins the file.
    ///
    /// - Parameters:
    ///   - path: a new file, compressed if its name ends with `.zst`, or ``TraceWriter/standardOutput``.
    ///   - columns: the columns of the trace.
    init(path: String, columns: TraceColumns) throws(TraceError) {
        self.path = path
        self.columns = columns
        do throws(TraceFault) { writer = try TraceWriter(path: path) } catch { throw Self.error(error, path, 0) }
        writer.appendHeader(columns)
    }

    /// Writes the misses of a block.
    ///
    /// - Parameters:
    ///   - start: the first request that is counted.
    ///   - isHit: whether each request from `start` on hit.
    ///   - texts: the texts of the keys, where they have some.
    func append(
        _ block: ReplayBlock, from start: Int, _ isHit: [Bool], texts: KeyTextTable?
    ) throws(TraceError) {
        do throws(TraceFault) {
            for index in start..<block.ids.count {
                let isRemoval = !block.removals.isEmpty && block.removals[index]
                guard isRemoval || !isHit[index - start] else { continue }
                var request = block.record.request(index, key: block.record.keys[index])
                if columns.contains(.size), !isRemoval { request.size = block.size(index) }
                writer.appendFields(request, columns, texts)
                if isRemoval { removals += 1 } else { misses += 1 }
                try writer.flushIfFull()
            }
        } catch {
            throw Self.error(error, path, misses)
        }
    }

    /// Ends the file, and gives it its name.
    func finish() throws(TraceError) {
        do throws(TraceFault) { try writer.finish() } catch { throw Self.error(error, path, misses) }
    }

    /// What was written, for people.
    var note: String {
        let others = removals > 0 ? " and \(removals) \(removals == 1 ? "removal" : "removals")" : ""
        return "misses: \(misses) requests\(others) are in \(TraceWriter.name(of: path))"
    }

    private static func error(_ fault: TraceFault, _ path: String, _ count: Int) -> TraceError {
        TraceError(path: TraceWriter.name(of: path), format: .csv, requestCount: count, reason: fault.reason)
    }
}
