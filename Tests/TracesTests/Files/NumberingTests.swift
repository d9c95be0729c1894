import Testing
import TrialModel

@testable import Traces

@Suite(.timeLimit(.minutes(1))) struct NumberingTests {
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
        // Blocks of all lengths, including an empty one.
        var lower = 0
        while lower < keys.count {
            let upper = min(keys.count, lower + Int(random.next(below: 5000)))
            try numbering.number(Array(keys[lower..<upper]), into: &numbers)
            lower = upper
        }
        let expected = Self.expected(keys)
        #expect(numbers == expected)
        #expect(numbering.keyCount == Set(keys).count)
        let keysByNumber = numbering.keys()
        #expect(zip(keys, expected).allSatisfy { keysByNumber[Int($1)] == $0 })
    }

    @Test func `texts are numbered by their bytes, not by a hash or a prefix`() throws {
        let table = KeyTextTable()
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
        #expect(Array(table.texts()[2]) == [0, 0])
    }

    @Test func `a trace of equal sizes and reads holds no columns for them`() throws {
        let trace = try NumberedTrace(path: folder.write("key,size,op\n9,5,get\n8,5,get\n9,5,get\n", to: "a.csv"))
        #expect(trace.ids == [0, 1, 0])
        #expect(trace.keyCount == 2)
        #expect(trace.keys == [9, 8])
        #expect(trace.sizes == nil && trace.uniformSize == 5)
        #expect(trace.operations == nil && trace.timesNanoseconds == nil && trace.lifetimesSeconds == nil)
    }

    @Test func `a column begins with the first value that differs, and is complete`() throws {
        var options = TraceReadingOptions()
        options.blockRequestCount = 2
        let text = "time,key,size,op,ttl\n1,9,5,get,\n2,8,5,get,\n3,9,5,get,\n4,9,6,set,7\n5,9,5,get,\n"
        let trace = try NumberedTrace(path: folder.write(text, to: "a.csv"), options: options)
        #expect(trace.sizes == [5, 5, 5, 6, 5])
        #expect(trace.operations == [.read, .read, .read, .write, .read])
        #expect(trace.lifetimesSeconds == [0, 0, 0, 7, 0])
        #expect(trace.timesNanoseconds == (1...5).map { $0 * 1_000_000_000 })
    }

    @Test func `text keys keep their texts`() throws {
        let trace = try NumberedTrace(path: folder.write("b\na\nb\n", to: "a.keys"))
        #expect(trace.ids == [0, 1, 0])
        #expect(trace.keyCount == 2)
        #expect(trace.keys == nil)
        #expect(trace.keyTexts.map { [Array($0[0]), Array($0[1])] } == [Array("b".utf8), Array("a".utf8)])
    }

    @Test func `hashed text keys are numbered by their hashes`() throws {
        var options = TraceReadingOptions()
        options.textKeys = .hashed
        let trace = try NumberedTrace(path: folder.write("b\na\nb\n", to: "a.keys"), options: options)
        #expect(trace.ids == [0, 1, 0])
        #expect(trace.keyTexts == nil && trace.keys?.count == 2)
    }

    @Test(arguments: FormatSample.all) func `reading by blocks gives the same numbers as the whole trace`(
        sample: FormatSample
    ) throws {
        var options = TraceReadingOptions()
        options.blockRequestCount = 2
        let path = try folder.write(sample.bytes, to: "sample")
        let whole = try NumberedTrace(path: path, format: sample.format)
        var ids: [UInt32] = []
        let keyCount = try TraceReader(path: path, format: sample.format, options: options)
            .forEachNumberedBlock { block, numbers in
                #expect(block.count == numbers.count)
                ids += numbers
            }
        #expect(ids == whole.ids)
        #expect(keyCount == whole.keyCount)
    }

    @Test func `the next request for a key is its index, or none`() {
        let next = NextRequests(ids: [0, 1, 0, 0, 2])
        #expect(next.indices == [2, NextRequests.never, 3, NextRequests.never, NextRequests.never])
        #expect(NextRequests(ids: []).indices == [])
    }
}
