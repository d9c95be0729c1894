package import Foundation
package import TrialModel

/// Makes the payload of a key, as a pure function of seed, key and version.
///
/// Decoded payloads are the same on every platform; with log-normal sizes, on every platform that rounds `exp` and
/// `log` alike.
package struct PayloadFactory: Sendable {
    private let kind: ValueKind
    private let sizes: DistributionSampler
    private let table: KeyTable?
    /// The values of each key pool, in the order of their keys; empty without pools.
    private let pools: [PooledValues]
    private let sizesOfPools: [DistributionSampler]
    private let seed: UInt64
    /// Whether each version of a key's payload has its own size.
    let sizesChange: Bool
    /// The largest size that a payload can have, in bytes.
    package let largestSize: Int

    /// - Parameters:
    ///   - specification: the kind and the decoded sizes.
    ///   - seed: the scenario's seed.
    ///   - table: a size for each key, in place of the specification's, and a lifetime; missing ones are drawn.
    package init(specification: ValueSpecification, seed: UInt64, table: KeyTable? = nil) {
        kind = specification.kind
        sizes = DistributionSampler(specification.size)
        self.table = table
        pools = specification.pools ?? []
        sizesOfPools = pools.map { DistributionSampler($0.size) }
        self.seed = seed
        sizesChange = specification.changes == true
        largestSize = Self.possible(max(specification.largestSize, table?.largestSize ?? 0))
    }

    /// Makes a factory with the table of keys from the file that the specification names, if it names one.
    ///
    /// - Throws: ``KeyTableError`` when that file can't be used.
    package init(reading specification: ValueSpecification, seed: UInt64) throws(KeyTableError) {
        let table: KeyTable?
        if let traced = specification.traced { table = try KeyTable(traced) } else { table = nil }
        self.init(specification: specification, seed: seed, table: table)
    }

    /// The decoded size of a payload in bytes: exactly its cost.
    ///
    /// The size is the one listed or drawn for the key, by its pool where there are pools, and drawn for each version
    /// where sizes change. It is raised to 64 bytes or cut to 256 MiB. For an image it is cut to the nearly square
    /// picture of at most that size, which is smaller by less than one row. Costs about 30 ns.
    ///
    /// - Parameter version: by default the first one that an origin sends.
    package func size(ofKey key: UInt64, version: UInt64 = 1) -> Int {
        let drawn = drawnSize(ofKey: key, version: version)
        guard kind == .image else { return drawn }
        let (width, height) = PixelImage.dimensions(forByteCount: drawn)
        return width * height * 4
    }

    private func drawnSize(ofKey key: UInt64, version: UInt64) -> Int {
        if let known = table?.size(ofKey: key) { return Self.possible(known) }
        var random =
            sizesChange
            ? RandomSource(seed: seed, stream: PayloadStream.size, key, version)
            : RandomSource(seed: seed, stream: PayloadStream.size, key)
        if let pool = pools.index(ofKey: key) { return Self.possible(sizesOfPools[pool].next(using: &random)) }
        return Self.possible(sizes.next(using: &random))
    }

    private static func possible(_ size: UInt64) -> Int {
        max(PayloadLimits.byteCountMin, Int(min(size, UInt64(PayloadLimits.byteCountMax))))
    }

    /// A payload in its decoded form, made directly: no compression, no parsing. Takes about 3 ns a pixel or a byte.
    package func payload(key: UInt64, version: UInt64) -> Payload {
        let identity = PayloadIdentity(key: key, version: version, lifetime: lifetime(ofKey: key))
        let byteCount = drawnSize(ofKey: key, version: version)
        switch kind {
        case .image:
            let image = PixelImage(seed: seed, key: key, byteCount: byteCount)
            return Payload(identity: identity, content: .image(image))
        case .article:
            let text = ArticleText(seed: seed, key: key, byteCount: byteCount)
            return Payload(identity: identity, content: .article(text))
        case .bytes:
            let block = ByteBlock(seed: seed, identity: identity, byteCount: byteCount)
            return Payload(identity: identity, content: .bytes(block))
        }
    }

    /// The part of a key's encoded payload that all its versions of one size share: all versions, unless sizes change.
    /// Costs as much as encoding.
    ///
    /// - Parameter version: a version of that size.
    package func template(key: UInt64, version: UInt64) throws -> EncodedTemplate {
        try EncodedTemplate(
            kind: kind, key: key, seed: seed, byteCount: drawnSize(ofKey: key, version: version),
            lifetime: lifetime(ofKey: key))
    }

    /// The lifetime that a key's value states, in nanoseconds; 0 if it states none. O(log n) in the pools.
    package func lifetime(ofKey key: UInt64) -> UInt64 {
        if let listed = table?.lifetime(ofKey: key) { return listed }
        return pools.index(ofKey: key).flatMap { pools[$0].timeToLive } ?? 0
    }

    /// The encoded payload, as the origin serves it. Compresses a picture again; a caller that needs several versions
    /// should keep the ``template(key:version:)``.
    package func encoded(key: UInt64, version: UInt64) throws -> Data {
        try template(key: key, version: version).encoded(version: version)
    }
}

/// A size and a lifetime for each key from a trace, and the file through which a run passes them to its processes.
///
/// The file begins with 8 bytes that identify its format. For each key it has 4 bytes of size in bytes and 4 of
/// lifetime in seconds, the least significant first; 0 where the trace has no value.
package struct KeyTable: Sendable {
    private static let magic = Data("keytable".utf8)
    private static let rowByteCount = 8

    /// Sizes by key number, in bytes; empty when sizes are not used.
    private let sizes: [UInt32]
    /// Lifetimes by key number, in seconds; empty when lifetimes are not used.
    private let lifetimes: [UInt32]
    private let sizeScale: Double
    private let speed: Double

    /// - Parameters:
    ///   - sizes: sizes by key number, in bytes.
    ///   - lifetimes: lifetimes by key number, in seconds; as many as there are sizes, if both are given.
    package init(sizes: [UInt32]?, lifetimes: [UInt32]?) {
        self.sizes = sizes ?? []
        self.lifetimes = lifetimes ?? []
        sizeScale = 1
        speed = 1
    }

    /// Reads the file. Takes 4 bytes of memory a key and column, 80 MB at most.
    ///
    /// - Throws: ``KeyTableError`` when the file does not exist yet, or is not a table of keys.
    package init(_ traced: TracedValues) throws(KeyTableError) {
        guard let path = traced.path else { throw KeyTableError(path: "", reason: "they were not written") }
        guard traced.sizeScale > 0, traced.sizeScale <= 1 else {
            throw KeyTableError(path: path, reason: "the scale \(traced.sizeScale) must be above 0 and at most 1")
        }
        guard traced.speed > 0, traced.speed.isFinite else {
            throw KeyTableError(path: path, reason: "the speed \(traced.speed) must be above 0")
        }
        let byteCountMax = Self.magic.count + Self.rowByteCount * KeyTrace.keyCountMax
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular,
            let byteCount = attributes[.size] as? Int, byteCount <= byteCountMax,
            let bytes = FileManager.default.contents(atPath: path), bytes.starts(with: Self.magic),
            (bytes.count - Self.magic.count) % Self.rowByteCount == 0
        else { throw KeyTableError(path: path, reason: "not a table of keys") }
        sizes = traced.sizes ? Self.column(0, of: bytes) : []
        lifetimes = traced.lifetimes ? Self.column(4, of: bytes) : []
        sizeScale = traced.sizeScale
        speed = traced.speed
    }

    private static func column(_ offset: Int, of bytes: Data) -> [UInt32] {
        bytes.withUnsafeBytes { bytes in
            stride(from: magic.count + offset, to: bytes.count, by: rowByteCount).map {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
            }
        }
    }

    /// Writes the file; it does not contain the scale and the speed.
    ///
    /// - Throws: ``KeyTableError`` when the file can't be written.
    package func write(to path: String) throws(KeyTableError) {
        var bytes = Self.magic
        let count = max(sizes.count, lifetimes.count)
        bytes.reserveCapacity(bytes.count + Self.rowByteCount * count)
        for key in 0..<count {
            for column in [sizes, lifetimes] {
                let cell = key < column.count ? column[key] : 0
                withUnsafeBytes(of: cell.littleEndian) { bytes.append(contentsOf: $0) }
            }
        }
        do {
            try bytes.write(to: URL(fileURLWithPath: path))
        } catch {
            throw KeyTableError(path: path, reason: "can't be written: \(error.localizedDescription)")
        }
    }

    /// The size of a key's value in bytes; `nil` where the table has none. O(1).
    func size(ofKey key: UInt64) -> UInt64? {
        guard key < UInt64(sizes.count), sizes[Int(key)] > 0 else { return nil }
        let size = sizes[Int(key)]
        return sizeScale == 1 ? UInt64(size) : UInt64(max(Double(size) * sizeScale, 1))
    }

    /// The largest size that it lists, in bytes; 0 for none. O(n).
    var largestSize: UInt64 { UInt64((Double(sizes.max() ?? 0) * sizeScale).rounded(.up)) }

    /// The lifetime of a key's value in nanoseconds; `nil` where the table has none. O(1).
    func lifetime(ofKey key: UInt64) -> UInt64? {
        guard key < UInt64(lifetimes.count), lifetimes[Int(key)] > 0 else { return nil }
        // 2^32 seconds are below 2^62 nanoseconds.
        return UInt64(min(max(Double(lifetimes[Int(key)]) * 1e9 / speed, 1), 4.2e18))
    }
}

/// A table of keys that can't be used.
package struct KeyTableError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    package let path: String
    /// What is wrong with it.
    package let reason: String

    package var description: String {
        "sizes and lifetimes of the keys\(path.isEmpty ? "" : " in \(path)"): \(reason)"
    }
}
