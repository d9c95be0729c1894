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
