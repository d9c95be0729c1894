import Foundation
import Testing

@testable import Schedules

/// The values of a schedule.
@Suite(.timeLimit(.minutes(1)))
struct ScriptedValueTests {
    @Test(arguments: [0, 1, 1 << 40, UInt64.max]) func `a value is read back from its bytes`(version: UInt64) throws {
        let value = ScriptedValue(key: 7, version: version)
        #expect(value.encoded().count == 12)
        #expect(try ScriptedValue(encoded: value.encoded()) == value)
    }

    @Test func `a slice of bytes is read from its own start`() throws {
        let value = ScriptedValue(key: 3, version: 5)
        let bytes = Data([1, 2, 3]) + value.encoded()
        #expect(try ScriptedValue(encoded: bytes.dropFirst(3)) == value)
    }

    @Test(arguments: [0, 11, 13]) func `bytes of another length are not a value`(count: Int) {
        #expect(throws: ScriptedValue.Damaged.self) { try ScriptedValue(encoded: Data(count: count)) }
    }
}
