import Testing
import TrialModel

@testable import Traces

@Suite(.timeLimit(.minutes(5))) struct NumberingTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    /// The numbers that a dictionary would assign.
    private static func expected(_ keys: [UInt64]) -> [UInt32] {
        var known: [UInt64: UInt32] = [:]
        return keys.map { key in
            if let number = known[key] { return number }
            known[key] = UInt32(known.count)
            return UInt32(known.count - 1)
        }
    }

    /// Keys of many kinds: consecutive, at the border of the array, far apart, the smallest and the largest.
    static let kinds: [@Sendable (UInt64) -> UInt64] = [
        { $0 },
        { TraceNumbering.directKeyCount - 500 + $0 },
        { $0 << 44 },
        { $0 &* 4096 + (1 << 40) },
        { $0 &* 0x9E37_79B9_7F4A_7C15 },
        { .max - $0 },
        { $0 % 3 == 0 ? $0 : ~$0 },
    ]

    @Test(arguments: 0..<kinds.count) func `keys are numbered in the order of their first request`(
        kind: Int
    ) throws {
        var random = RandomSource(seed: 7, stream: UInt64(kind))
        let keys = (0..<60_000).map { index in Self.kinds[kind](random.next(below: UInt64(index / 4 + 1))) }
        var numbering = try TraceNumbering()
        var numbers: [UInt32] = []
        var block: [UInt32] = []
        // Blocks of all lengths, including an empty one.
        var lower = 0
        while lower < keys.count {
            let upper = min(keys.count, lower + Int(random.next(below: 5000)))
            try numbering.number(Array(keys[lower..<upper]), into: &block)
            numbers += block
            lower = upper
        }
        #expect(numbers == Self.expected(keys))
        #expect(numbering.keyCount == Set(keys).count)
    }

    @Test func `texts are numbered by their bytes, not by a hash or a prefix`() throws {
        let table = try KeyTextTable()
        func number(_ bytes: [UInt8]) -> UInt32? {
            var keys: [UInt64] = []
            guard bytes.withUnsafeBytes({ table.append($0, to: &keys) }), table.settle(&keys) else { return nil }
            return keys.first.map { UInt32($0) }
        }
        #expect(number([]) == 0)
        #expect(number([0]) == 1)
        #expect(number([0, 0]) == 2)
        for length in 1...40 { #expect(number([UInt8](repeating: 7, count: length)) == UInt32(length + 2)) }
        for index in 0..<50_000 { #expect(number(Array("key \(index)".utf8)) == UInt32(index + 43)) }
        for index in 0..<50_000 { #expect(number(Array("key \(index)".utf8)) == UInt32(index + 43)) }
        #expect(number([0]) == 1)
        #expect(table.count == 50_043)
        #expect(table.withText(of: 43) { String(decoding: $0, as: UTF8.self) } == "key 0")
        #expect(table.withText(of: 2) { Array($0) } == [0, 0])
    }

    @Test func `a whole trace has every column of all blocks`() throws {
        var options = TraceReadingOptions()
        options.blockRequestCount = 2
        let text = "time,key,size,op,ttl\n1,9,5,get,\n2,8,5,get,\n3,9,5,get,\n4,9,6,set,7\n5,9,5,get,\n"
        let trace = try NumberedTrace(path: folder.write(text, to: "a.csv"), options: options)
        #expect(trace.ids == [0, 1, 0, 0, 0])
        #expect(trace.keys == [9, 8])
        #expect(trace.requests.sizes == [5, 5, 5, 6, 5])
        #expect(trace.requests.operations == [.read, .read, .read, .write, .read])
        #expect(trace.requests.lifetimesSeconds == [0, 0, 0, 7, 0])
        #expect(trace.requests.timesNanoseconds == (1...5).map { $0 * 1_000_000_000 })
    }

    @Test func `text keys keep their texts`() throws {
        let trace = try NumberedTrace(path: folder.write("b\na\nb\n", to: "a.keys"))
        #expect(trace.ids == [0, 1, 0])
        #expect(trace.keyTexts.strings == ["b", "a"])
    }

    @Test(arguments: FormatSample.all) func `reading by blocks gives the same numbers as the whole trace`(
        sample: FormatSample
    ) throws {
        var options = TraceReadingOptions()
        options.blockRequestCount = 2
        let path = try folder.write(sample.bytes, to: "sample")
        let whole = try NumberedTrace(path: path, format: sample.format)
        let numbered = try numbers(path, sample.format, options)
        #expect(numbered.ids == whole.ids)
        #expect(numbered.keyCount == whole.keys.count)
    }

    @Test func `the next request for a key is its index, or none`() {
        let never = NextRequests.never
        #expect(NextRequests([]).indices == [])
        // The first block has no operations; a removal is not a request.
        let blocks = [
            ReplayBlock(ids: [0, 1, 0]), ReplayBlock(ids: [1, 0, 2], removals: [true, false, false]),
            ReplayBlock(ids: [1]),
        ]
        #expect(NextRequests(blocks).indices == [2, never, 3, never, never, never])
    }
}

/// The numbers of a trace's keys, block by block.
func numbers(
    _ path: String, _ format: TraceFormat? = nil, _ options: TraceReadingOptions = TraceReadingOptions()
) throws -> (ids: [UInt32], keyCount: Int) {
    let reader = try TraceReader(path: path, format: format, options: options)
    var block = TraceBlock()
    var (ids, all): ([UInt32], [UInt32]) = ([], [])
    while try reader.read(into: &block, ids: &ids) { all += ids }
    return (all, reader.numberedKeyCount)
}

extension KeyTextTable? {
    /// The texts of the keys, by number.
    var strings: [String] {
        guard let self else { return [] }
        return (0..<self.count).map { self.withText(of: $0) { String(decoding: $0, as: UTF8.self) } }
    }
}
