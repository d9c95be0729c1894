/// The sizes of a trace's objects, as its requests tell them.
///
/// A write replaces the size of its object. A read without a size has the last known one; where none is known, the object has
/// the first size that comes. A resident object keeps its size until then: a read that finds it replaces nothing.
///
/// Memory: 9 bytes for each key, and none as long as all requests have one size.
struct SizeHistory {
    /// The size of all requests so far, while they have one; `nil` before the first.
    private var uniform: UInt64?
    private var isUniform = true
    /// The last known size of each key; 0 where it is not known, ``never`` before the first request.
    private var sizes: [UInt64] = []
    /// Whether reads told different sizes of a key, so that a cache may hold another one than the last.
    private var isMixed: [Bool] = []
    private var keyCount = 0
    /// The sum of the last known sizes of all keys.
    private(set) var uniqueBytes: UInt64 = 0

    private static let never = UInt64.max

    /// Gives each request of a block its size, and marks those that replace the size of their object.
    ///
    /// - Parameters:
    ///   - operations: the operation of each request; empty when all are reads.
    ///   - keys: the number of different keys at the end of the block.
    mutating func resolve(_ block: inout ReplayBlock, operations: [TraceOperation], keys: Int) {
        defer { keyCount = keys }
        if isUniform, block.sizes.isEmpty, block.uniformSize > 0, uniform ?? block.uniformSize == block.uniformSize {
            uniform = block.uniformSize
            uniqueBytes &+= block.uniformSize &* UInt64(keys - keyCount)
            return
        }
        if isUniform {
            isUniform = false
            sizes = Array(repeating: uniform ?? 0, count: keyCount)
            isMixed = Array(repeating: false, count: keyCount)
        }
        sizes.append(contentsOf: repeatElement(Self.never, count: keys - sizes.count))
        isMixed.append(contentsOf: repeatElement(false, count: keys - isMixed.count))
        if block.sizes.isEmpty { block.sizes = Array(repeating: block.uniformSize, count: block.ids.count) }
        var replacements: [Bool] = []
        for index in block.ids.indices {
            let operation = operations.isEmpty ? .read : operations[index]
            if operation == .remove { continue }
            if note(operation, Int(block.ids[index]), &block.sizes[index]) {
                if replacements.isEmpty { replacements = Array(repeating: false, count: block.ids.count) }
                replacements[index] = true
            }
        }
        block.replacements = replacements
    }

    /// Notes a lookup, and gives it a size where it has none.
    ///
    /// - Returns: whether it replaces the size of its object, where that is resident.
    @inline(__always)
    private mutating func note(_ operation: TraceOperation, _ id: Int, _ size: inout UInt64) -> Bool {
        let known = sizes[id]
        if operation == .read, size == 0, known != Self.never { size = known }
        guard size != known || isMixed[id] else { return false }
        if operation == .read, known != 0, known != Self.never { isMixed[id] = true }
        sizes[id] = size
        uniqueBytes = uniqueBytes &- (known == Self.never ? 0 : known) &+ size
        if operation == .write {
            isMixed[id] = false
            return known != Self.never
        }
        return known == 0
    }
}
