import CCrypto
package import Foundation
import Locks
import Platform

/// A checksum that tells whether a file has changed.
package enum FileDigest {
    /// A file's content, as far as its metadata tell.
    private struct Version: Hashable {
        var device, inode, size, seconds, nanoseconds: Int
    }

    /// The checksums of files so far: a trace of gigabytes is hashed once.
    private static let known = Locked<[Version: String]>([:])

    /// The SHA-256 (FIPS 180-4) of a file's bytes in hexadecimal. Reads the file piece by piece: a trace may be larger
    /// than memory, and truncating a file while it is mapped would crash the process. O(bytes) for a file that has changed
    /// since its last checksum.
    package static func sha256(ofFile path: String) throws(FileDigestError) -> String {
        guard let descriptor = try? RegularFile.opened(path).descriptor else { throw FileDigestError(path: path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let version = version(of: file)
        if let version, let known = known.withLock({ $0[version] }) { return known }
        guard let digest = try? digest({ try file.read(upToCount: 1 << 20) }) else { throw FileDigestError(path: path) }
        let text = hexadecimal(digest)
        // A file that grew meanwhile has another version.
        if let version, version == self.version(of: file) { known.withLock { $0[version] = text } }
        return text
    }

    private static func version(of file: FileHandle) -> Version? {
        var status = stat()
        guard fstat(file.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let changed = status.modification
        return Version(
            device: Int(truncatingIfNeeded: status.st_dev), inode: Int(truncatingIfNeeded: status.st_ino),
            size: Int(truncatingIfNeeded: status.st_size), seconds: changed.tv_sec, nanoseconds: changed.tv_nsec)
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

    package var description: String {
        "\(path): can't be read for its checksum; check that it is a regular file and readable"
    }
}
