import Foundation
import Origins
import Testing
import TrialModel

/// The request log as a server sends it.
@Suite(.timeLimit(.minutes(1)))
struct OriginRequestListTests {
    static let header = "phase,key,version,start_ns,end_ns,status,fault\r\n"

    static func entries(_ text: String) throws -> [OriginLogEntry] {
        try OriginRequestList.entries(inCSV: Data(text.utf8))
    }

    @Test func `each line is a request`() throws {
        let entries = try Self.entries(
            Self.header + "0,7,1,100,200,200,\r\n3,18446744073709551615,2,5,6,499,server-error\r\n")
        #expect(entries.map(\.key) == [7, .max])
        #expect(entries.map(\.phase) == [0, 3])
        #expect(entries.map(\.version) == [1, 2])
        #expect(entries.map(\.startNanoseconds) == [100, 5])
        #expect(entries.map(\.endNanoseconds) == [200, 6])
        #expect(entries.map(\.ending) == [.answered, .abandoned])
        #expect(entries.map(\.fault) == [nil, .serverError])
    }

    @Test func `a log without requests is an empty list`() throws {
        #expect(try Self.entries(Self.header).isEmpty)
    }

    @Test(
        arguments: [
            "0,7,1,100,200", "0,7,1,100,200,200", "0,7,1,100,200,200,1", "0,7,1,100,200,200,no-such-fault",
            "0,,1,100,200,200,", "0,7,1,100,200,404,", "a,7,1,100,200,200,", "0,-7,1,100,200,200,",
            "65536,7,1,100,200,200,", "0,18446744073709551616,1,100,200,200,", "",
        ])
    func `an invalid line is named`(line: String) {
        #expect(throws: OriginRequestList.Malformed.self) {
            try Self.entries(Self.header + line + "\r\n")
        }
    }

    @Test func `a truncated answer is detected`() {
        #expect(throws: OriginRequestList.Malformed.self) { try Self.entries(Self.header + "0,7,1,100,200,200,") }
        #expect(throws: OriginRequestList.Malformed.self) { try Self.entries("") }
    }
}
