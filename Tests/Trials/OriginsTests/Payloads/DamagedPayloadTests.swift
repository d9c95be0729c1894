import Foundation
import Testing
import TrialModel

@testable import Origins

@Suite(.timeLimit(.minutes(1)))
struct DamagedPayloadTests {
    @Test(arguments: ValueKind.allCases)
    func `every damage of one byte is an error`(kind: ValueKind) throws {
        let encoded = try PayloadFactory(150, of: kind).encoded(key: 10, version: 100)
        for index in encoded.indices {
            let original = encoded[index]
            // Every flip of one bit, and bytes with a meaning in a number or in JSON.
            let values =
                (0..<8).map { original ^ (1 << $0) } + Array("0189 ,:.-eE\"\\{}[]\n\0".utf8) + [255, ~original]
            for value in Set(values) where value != original {
                var damaged = encoded
                damaged[index] = value
                let isUnnoticed = (try? Payload(encoded: damaged)) != nil
                if isUnnoticed { Issue.record("byte \(index) changed from \(original) to \(value)") }
            }
        }
    }

    @Test(arguments: ValueKind.allCases)
    func `every truncation is an error`(kind: ValueKind) throws {
        let encoded = try PayloadFactory(300, of: kind).encoded(key: 10, version: 100)
        for count in 0..<encoded.count {
            #expect(throws: PayloadError.self, "\(count) bytes") { try Payload(encoded: encoded.prefix(count)) }
            #expect(throws: PayloadError.self, "without \(count + 1)") {
                try Payload(encoded: encoded.dropFirst(count + 1))
            }
        }
    }

    @Test(arguments: [ValueKind.image, .bytes])
    func `an extra byte is an error`(kind: ValueKind) throws {
        let encoded = try PayloadFactory(300, of: kind).encoded(key: 10, version: 100)
        #expect(throws: PayloadError.self) { try Payload(encoded: encoded + [0]) }
    }

    @Test func `a picture under another key's identity is an error`() throws {
        let factory = PayloadFactory(300, of: .image)
        let picture = try factory.encoded(key: 1, version: 1)
        let mixed = picture.dropLast(48) + Data(PNGCodec.trailer(identity: PayloadIdentity(key: 2, version: 1)))
        #expect(throws: PayloadError.mixedUp(identity: 2, content: 1)) { try Payload(encoded: Data(mixed)) }
    }

    @Test func `a picture that claims to be huge is refused before memory is allocated`() throws {
        var encoded = try PayloadFactory(300, of: .image).encoded(key: 1, version: 1)
        encoded.replaceSubrange(16..<24, with: [UInt8](repeating: 0xFF, count: 8))
        #expect(throws: PayloadError.tooLarge(kind: "PNG", claimed: .max)) { try Payload(encoded: encoded) }
        encoded.replaceSubrange(16..<24, with: [0, 0, 0x40, 0, 0, 0, 0x10, 1])
        #expect(throws: PayloadError.tooLarge(kind: "PNG", claimed: 0x4000 * 0x1001 * 4)) {
            try Payload(encoded: encoded)
        }
    }

    @Test func `a picture without an identity is an error that says so`() throws {
        let picture = try PayloadFactory(300, of: .image).encoded(key: 1, version: 1)
        let foreign = Data(picture.dropLast(48) + Data(PNGCodec.endChunk))
        let error = #expect(throws: PayloadError.self) { try Payload(encoded: foreign) }
        #expect(
            error?.description
                == "PNG damaged: it does not end with an intact identity: truncated, or from another encoder")
    }

    @Test(
        arguments: ["", "{", "{}", "null", "<html>", #"{"about":{}}"#, String(repeating: #"{"a":"#, count: 10_000)]
    )
    func `bytes of another format are an error`(text: String) {
        #expect(throws: PayloadError.self) { try Payload(encoded: Data(text.utf8)) }
    }

    @Test func `random bytes after each kind's first bytes are an error`() {
        var random = RandomSource(seed: 31)
        for start in [PNGCodec.signature, ByteBlock.magic, Array("{".utf8)] {
            for count in [0, 1, 7, 40, 73, 200] {
                let bytes = start + (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                #expect(throws: PayloadError.self) { try Payload(encoded: Data(bytes)) }
                #expect(throws: PayloadError.self) { try PayloadIdentity(peekingInto: Data(bytes)) }
            }
        }
    }

    @Test func `errors say what was found`() {
        #expect(
            PayloadError.truncated(kind: "PNG", expected: 73, found: 8).description
                == "PNG cut short: expected at least 73 bytes, found 8"
        )
        #expect(
            PayloadError.tooLarge(kind: "PNG", claimed: 1 << 40).description
                == "PNG claims 1099511627776 bytes; the limit is 268435456"
        )
        #expect(
            PayloadError.unknownKind(byteCount: 3).description
                == "3 bytes that are neither a PNG, nor a JSON article, nor a block of bytes: "
                + "not a payload, or damaged at its start"
        )
    }
}
