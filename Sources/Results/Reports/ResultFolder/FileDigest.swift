import CCrypto
package import Foundation

/// A checksum that tells whether a file has changed.
package enum FileDigest {
    /// The SHA-256 (FIPS 180-4) of a file's bytes in hexadecimal. Reads the file piece by piece: a trace may be larger
    /// than memory, and truncating a file while it is mapped would crash the process. O(bytes).
    package static func sha256(ofFile path: String) throws(FileDigestError) -> String {
        let file = FileHandle(forReadingAtPath: path)
        defer { try? file?.close() }
        guard let file, let digest = try? digest({ try file.read(upToCount: 1 << 20) }) else {
            throw FileDigestError(path: path)
        }
        return hexadecimal(digest)
    }

    /// The SHA-256 of a text's UTF-8 bytes; `nil` when the library refuses, as it does when memory is short.
    package static func sha256(ofText text: String) -> String? { bytes(ofText: text).map(hexadecimal) }

    /// The SHA-256 of a text's UTF-8 bytes, as bytes.
    package static func bytes(ofText text: String) -> Data? {
        var pieces = [Data(text.utf8)]
        return digest { pieces.popLast() }
    }

    private static func digest(_ next: () throws -> Data?) rethrows -> Data? {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        guard let context, EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { return nil }
        while let piece = try next(), !piece.isEmpty {
            piece.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_DigestFinal_ex(context, &digest, &count) == 1 else { return nil }
        return Data(digest.prefix(Int(count)))
    }

    private static func hexadecimal(_ bytes: Data) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }
}

/// A file that could not be read to its end.
package struct FileDigestError: Error, CustomStringConvertible {
    package let path: String

    package var description: String { "\(path): can't be read for its checksum; check that it is there and readable" }
}
