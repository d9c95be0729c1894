import Foundation
import Testing
import TrialModel

@testable import Payloads

@Suite(.timeLimit(.minutes(1)))
struct KeySizeTableTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("sizes-\(UUID().uuidString)").path

    @Test func `a payload has the size that the file lists for its key`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try KeySizeTable(sizes: [100, 2_000, 64]).write(to: path)
        let values = ValueSpecification(kind: .bytes, size: .fixed(77), keySizes: KeySizes(path: path))
        let factory = try PayloadFactory(reading: values, seed: 1)
        #expect((0..<4).map { factory.size(ofKey: $0) } == [100, 2_000, 64, 77])
        #expect(factory.payload(key: 1, version: 2).cost == 2_000)
        #expect(
            try factory.encoded(key: 1, version: 2).count
                == PayloadFactory(2_000, of: .bytes).encoded(key: 1, version: 2).count)
    }

    @Test func `sizes shrink by the scale, and never below a payload's`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try KeySizeTable(sizes: [8_192, 100]).write(to: path)
        let values = ValueSpecification(kind: .bytes, size: .fixed(77), keySizes: KeySizes(path: path, scale: 0.5))
        let factory = try PayloadFactory(reading: values, seed: 1)
        #expect((0..<2).map { factory.size(ofKey: $0) } == [4_096, 64])
    }

    @Test(arguments: ["", "keysize", "keysizes\u{1}", "something else entirely"])
    func `a file of something else is refused`(content: String) throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: KeySizeError.self) { try KeySizeTable(KeySizes(path: path)) }
    }

    @Test(arguments: [0, -1, 1.5, .nan, .infinity] as [Double])
    func `a scale that does not shrink is refused`(scale: Double) throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try KeySizeTable(sizes: [100]).write(to: path)
        #expect(throws: KeySizeError.self) { try KeySizeTable(KeySizes(path: path, scale: scale)) }
    }

    @Test func `sizes that were not written yet, and a folder, are refused`() {
        #expect(throws: KeySizeError.self) { try KeySizeTable(KeySizes()) }
        #expect(throws: KeySizeError.self) { try KeySizeTable(KeySizes(path: "/tmp")) }
        #expect(throws: KeySizeError.self) { try KeySizeTable(KeySizes(path: "/dev/zero")) }
    }
}
