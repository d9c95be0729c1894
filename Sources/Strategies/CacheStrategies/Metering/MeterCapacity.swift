/// The capacity of a metered cache.
public enum MeterCapacity: Sendable, Hashable, Codable {
    /// A number of entries.
    case entries(Int)
    /// A sum of costs, in bytes.
    case bytes(Int)

    /// Entries or bytes; at least 1.
    public var units: Int {
        switch self {
        case .entries(let count), .bytes(let count): max(1, count)
        }
    }

    /// The capacity times a factor.
    func times(_ factor: Double) -> MeterCapacity {
        let units = Int(min(max(1, (Double(units) * factor).rounded()), 0x1p62))
        if case .bytes = self { return .bytes(units) }
        return .entries(units)
    }

    /// The limits of a miniature.
    func limits(multiple: Double, share: Double) -> (entries: Int?, cost: Int?) {
        let scaled = times(multiple * share).units
        if case .bytes = self { return (nil, scaled) }
        return (scaled, nil)
    }
}

extension MeterCapacity {
    private enum CodingKeys: String, CodingKey {
        case entries, bytes
    }

    /// Reads `{"entries": 1000}` or `{"bytes": 67108864}`.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        if let bytes = try values.decodeIfPresent(Int.self, forKey: .bytes) {
            self = .bytes(bytes)
        } else {
            self = .entries(try values.decode(Int.self, forKey: .entries))
        }
    }

    /// Writes `{"entries": 1000}` or `{"bytes": 67108864}`.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .entries(let count): try values.encode(count, forKey: .entries)
        case .bytes(let bytes): try values.encode(bytes, forKey: .bytes)
        }
    }
}
