import Foundation

/// The JSON that github-action-benchmark reads with its tools `customSmallerIsBetter` and `customBiggerIsBetter`: a
/// list of figures. Each of the two tools needs a file of its own.
package enum BenchmarkJSON {
    /// One figure.
    package struct Entry: Codable, Hashable, Sendable {
        package var name: String
        package var unit: String
        package var value: Double
        /// The spread of the figure, as text for people.
        package var range: String?
        /// Further facts, as text for people.
        package var extra: String?

        package init(name: String, unit: String, value: Double, range: String? = nil, extra: String? = nil) {
            self.name = name
            self.unit = unit
            self.value = value
            self.range = range
            self.extra = extra
        }
    }

    /// The file's text. NaN and infinity are left out, because JSON can't represent them.
    package static func render(_ entries: [Entry]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(entries.filter(\.value.isFinite))
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
