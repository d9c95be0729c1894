extension TraceWriter {
    /// Writes a whole trace to a new file, and computes the next requests.
    ///
    /// - Parameters:
    ///   - trace: at most 2^32 - 1 requests.
    ///   - path: the new file; it must not exist.
    ///   - format: one of ``formats``.
    ///   - compression: the compression of the file.
    /// - Throws: ``TraceError`` when the file can't be written; no file is left then.
    /// - Complexity: O(requests); 4 bytes for each request and key in addition to the trace.
    package static func write(
        _ trace: NumberedTrace, path: String, format: TraceFormat, compression: TraceCompression = .none
    ) throws(TraceError) {
        let needsNext = format == .oracleGeneral
        var columns = trace.columns
        if needsNext { columns.insert(.nextAccess) }
        let writer = try TraceWriter(
            path: path, format: format, compression: compression, columns: columns, keyTexts: trace.keyTexts)
        let next = needsNext ? NextRequests(ids: trace.ids).indices : nil
        for lower in stride(from: 0, to: trace.count, by: 16_384) {
            if Task.isCancelled {
                throw TraceError(path: path, format: format, requestCount: lower, reason: .interrupted)
            }
            let range = lower..<min(trace.count, lower + 16_384)
            let requests = range.lazy.map { index in
                var request = trace[index]
                if let next {
                    // The file numbers requests from 1.
                    request.nextAccess = next[index] == NextRequests.never ? -1 : Int64(next[index]) + 1
                }
                return request
            }
            try writer.write(TraceBlock(requests, columns: columns))
        }
        try writer.finish()
    }
}

extension NumberedTrace {
    /// The columns that the trace has and that are not the default in every request.
    package var columns: TraceColumns {
        var columns = TraceColumns()
        if timesNanoseconds != nil { columns.insert(.time) }
        if sizes != nil || uniformSize != 1 { columns.insert(.size) }
        if operations != nil { columns.insert(.operation) }
        if lifetimesSeconds != nil { columns.insert(.lifetime) }
        return columns
    }

    /// One request, for code that need not be fast; a text key is given by its number.
    package subscript(index: Int) -> TraceRequest {
        let id = Int(ids[index])
        return TraceRequest(
            key: keys?[id] ?? UInt64(id), timeNanoseconds: timesNanoseconds?[index],
            size: sizes?[index] ?? uniformSize, operation: operations?[index] ?? .read,
            lifetimeSeconds: lifetimesSeconds.flatMap { $0[index] == 0 ? nil : $0[index] })
    }
}
