import Foundation

/// The JSON that github-action-benchmark reads: a list of figures, with its tools `customSmallerIsBetter` and
/// `customBiggerIsBetter`. Either tool wants a file of its own.
package enum BenchmarkJSON {
    /// One figure.
    package struct Entry: Codable, Hashable, Sendable {
        package var name: String
        package var unit: String
        package var value: Double
        /// How far it spreads, for people.
        package var range: String?
        /// What else is to be known, for people.
        package var extra: String?

        package init(name: String, unit: String, value: Double, range: String? = nil, extra: String? = nil) {
            self.name = name
            self.unit = unit
            self.value = value
            self.range = range
            self.extra = extra
        }
    }

    /// The file's text. A figure that is no number is left out: JSON has no word for it.
    package static func render(_ entries: [Entry]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(entries.filter(\.value.isFinite))
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
