import Foundation
import Testing

@testable import Origins
@testable import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct KeyTableTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("sizes-\(UUID().uuidString)").path

    @Test func `a payload has the size that the file lists for its key`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try KeyTable(sizes: [100, 2_000, 64], lifetimes: nil).write(to: path)
        let values = ValueSpecification(
            kind: .bytes, size: .fixed(77), traced: TracedValues(path: path, sizes: true, lifetimes: false))
        let factory = try PayloadFactory(reading: values, seed: 1)
        #expect((0..<4).map { factory.size(ofKey: $0) } == [100, 2_000, 64, 77])
        #expect(factory.payload(key: 1, version: 2).cost == 2_000)
        #expect(
            try factory.encoded(key: 1, version: 2).count
                == PayloadFactory(2_000, of: .bytes).encoded(key: 1, version: 2).count)
    }

    @Test func `sizes shrink by the scale, and never below a payload's`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try KeyTable(sizes: [8_192, 100], lifetimes: nil).write(to: path)
        let values = ValueSpecification(kind: .bytes, size: .fixed(77), traced: .sizes(path, scale: 0.5))
        let factory = try PayloadFactory(reading: values, seed: 1)
        #expect((0..<2).map { factory.size(ofKey: $0) } == [4_096, 64])
    }

    @Test(arguments: ["", "keytabl", "keytable\u{1}", "something else entirely"])
    func `a file of another format is refused`(content: String) throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: KeyTableError.self) { try KeyTable(.sizes(path)) }
    }

    @Test(arguments: [0, -1, 1.5, .nan, .infinity] as [Double])
    func `a scale that does not shrink is refused`(scale: Double) throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try KeyTable(sizes: [100], lifetimes: nil).write(to: path)
        #expect(throws: KeyTableError.self) { try KeyTable(.sizes(path, scale: scale)) }
    }

    @Test(arguments: ValueKind.allCases)
    func `a payload has the lifetime that the file lists, divided by the speed`(kind: ValueKind) throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try KeyTable(sizes: nil, lifetimes: [600, 0]).write(to: path)
        let traced = TracedValues(path: path, sizes: true, lifetimes: true, speed: 100)
        let values = ValueSpecification(kind: kind, size: .fixed(500), traced: traced)
        let factory = try PayloadFactory(reading: values, seed: 1)
        #expect(factory.payload(key: 0, version: 1).lifetime == .seconds(6))
        #expect(try Payload(encoded: factory.encoded(key: 0, version: 1)).lifetime == .seconds(6))
        #expect(try PayloadIdentity(peekingInto: factory.encoded(key: 0, version: 1)).lifetime == 6_000_000_000)
        #expect(factory.payload(key: 1, version: 1).lifetime == nil)
        #expect(factory.payload(key: 2, version: 1).lifetime == nil)
    }

    @Test func `missing sizes, and a folder, are refused`() {
        #expect(throws: KeyTableError.self) { try KeyTable(.sizes(nil)) }
        #expect(throws: KeyTableError.self) { try KeyTable(.sizes("/tmp")) }
        #expect(throws: KeyTableError.self) { try KeyTable(.sizes("/dev/zero")) }
    }
}

extension TracedValues {
    fileprivate static func sizes(_ path: String?, scale: Double = 1) -> TracedValues {
        TracedValues(path: path, sizes: true, lifetimes: false, sizeScale: scale)
    }
}
