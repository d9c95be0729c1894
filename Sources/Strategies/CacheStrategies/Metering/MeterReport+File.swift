public import Foundation

/// Why a file is no meter's report.
public struct MeterFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was found, and what is allowed.
    public let description: String
}

extension MeterReport {
    /// Writes the report as JSON, for `cache-trials advise`.
    ///
    /// - Throws: an error of the file system.
    public func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: file, options: .atomic)
    }

    /// Reads a report that ``write(to:)`` wrote. Every number is checked: a report from another program may hold anything.
    ///
    /// - Throws: ``MeterFileError``.
    public init(json: Data) throws(MeterFileError) {
        do {
            self = try JSONDecoder().decode(MeterReport.self, from: json)
        } catch {
            throw MeterFileError(description: "this is not the report of a CacheMeter: \(Self.reason(error))")
        }
        if let fault { throw MeterFileError(description: "this report of a CacheMeter can't be right: \(fault)") }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "it has no key \"\(key.stringValue)\""
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "the value of \"\(context.codingPath.last?.stringValue ?? "the whole")\" has another type"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "the value of \"\(context.codingPath.last?.stringValue ?? "")\" can't be read"
        default: "it is not JSON"
        }
    }

    /// The first number that is out of its range; `nil` where there is none.
    private var fault: String? {
        let pointCount = Self.policies.count * MeterState.multiples.count
        let positive = 0.0...1e18
        let ranges: [(name: String, value: Double, range: ClosedRange<Double>)] =
            [
                ("lookups", Double(lookups), positive), ("seconds", seconds, positive),
                ("keyShare", keyShare, 1e-18...1), ("seenShare", seenShare, 0...1), ("keys", keys, positive),
                ("meanCost", meanCost, positive), ("sampledEntries", sampledEntries, positive),
            ]
            + periods.flatMap { period in
                [("lookups of a period", period.lookups, positive), ("keys of a period", period.keys, positive)]
                    + period.misses.joined().map { ("misses of a period", $0, positive) }
            }
        // A value that is not a number is in no range.
        if let wrong = ranges.first(where: { !$0.range.contains($0.value) }) {
            return "\(wrong.name) is \(wrong.value), allowed are \(wrong.range.lowerBound) to \(wrong.range.upperBound)"
        }
        guard (1...1 << 62).contains(capacity.units) else { return "the capacity is \(capacity.units)" }
        guard periods.count <= MeterHistory.periodCountMax else {
            return "it has \(periods.count) periods, allowed are at most \(MeterHistory.periodCountMax)"
        }
        guard
            periods.allSatisfy({
                $0.misses.count == pointCount && $0.misses.allSatisfy { $0.count == Self.fileGroupCount }
            })
        else { return "a period has not the misses of \(pointCount) points in \(Self.fileGroupCount) groups each" }
        return [sinceStart, lastHour, lastDay].lazy.compactMap { $0?.fault(pointCount, of: capacity) }.first
    }

    /// The groups of keys in a file.
    static var fileGroupCount: Int { MeterCounts.groupCount / 2 }
}

extension MeterReport.Window {
    fileprivate func fault(_ pointCount: Int, of capacity: MeterCapacity) -> String? {
        guard points.count == pointCount else { return "a window has \(points.count) points instead of \(pointCount)" }
        guard lookups >= 0, (0...1e18).contains(seconds) else {
            return "a window has \(lookups) lookups in \(seconds) s"
        }
        // Advice takes policies and sizes by their places.
        let sizes = (0..<pointCount).map { capacity.times(MeterState.multiples[$0 % MeterState.multiples.count]) }
        guard points.map(\.capacity) == sizes else { return "its sizes are no multiples of the capacity" }
        let policies = MeterReport.policies.flatMap { Array(repeating: $0, count: MeterState.multiples.count) }
        guard points.map(\.policy) == policies else {
            return "its policies are not \(MeterReport.policies.joined(separator: ", ")), each at all sizes"
        }
        let isRight = points.allSatisfy { point in
            (0...1).contains(point.hitRatio.value) && (-10...10).contains(point.gain.value)
                && [point.hitRatio.error, point.gain.error].allSatisfy { (0...1e3).contains($0) }
        }
        return isRight ? nil : "a hit ratio is not from 0 to 1, or an error is negative"
    }
}
