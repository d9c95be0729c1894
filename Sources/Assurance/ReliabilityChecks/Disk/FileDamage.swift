import Foundation
import TrialModel

/// A kind of damage to a stored file.
enum FileDamage: Sendable, Hashable, CustomStringConvertible {
    case flippedBit(Int)
    case cut(to: Int)
    case zeroedBlock(Int)
    case appended(Int)
    case emptied
    case noise
    /// The file exchanges its content with another file.
    case swapped
    case folder
    case fullFolder
    case fifo
    case linkOutside
    case linkToWholeEntry
    case danglingLink
    case linkToZeros

    private static let blockByteCount = 512

    /// Kinds of damage that leave nothing of the original file.
    static let whole: [FileDamage] = [
        .emptied, .noise, .swapped, .folder, .fullFolder, .fifo, .linkOutside, .linkToWholeEntry, .danglingLink,
        .linkToZeros,
    ]

    /// All kinds of damage to a part of a file: each bit, each shorter length, each block, and some longer lengths. In
    /// random order, except that the first ones are one of each kind.
    static func shuffled(byteCount: Int, _ random: inout RandomSource) -> [FileDamage] {
        let blockCount = (byteCount + blockByteCount - 1) / blockByteCount
        var kinds: [[FileDamage]] = [
            (0..<byteCount * 8).map { .flippedBit($0) }, (1..<max(byteCount, 1)).map { .cut(to: $0) },
            (0..<blockCount).map { .zeroedBlock($0) }, [1, 7, 512, 4_096, 1 << 20].map { .appended($0) },
        ]
        for kind in kinds.indices { random.shuffle(&kinds[kind]) }
        var others = kinds.flatMap { $0.dropFirst() }
        random.shuffle(&others)
        return kinds.compactMap(\.first) + others
    }

    var description: String {
        switch self {
        case .flippedBit(let bit): "bit \(bit) flipped"
        case .cut(let length): "cut to \(length) bytes"
        case .zeroedBlock(let block): "block \(block) zeroed"
        case .appended(let count): "\(count) bytes appended"
        case .emptied: "emptied"
        case .noise: "noise in its place"
        case .swapped: "swapped with another"
        case .folder: "a folder in its place"
        case .fullFolder: "a folder with a file in its place"
        case .fifo: "a FIFO in its place"
        case .linkOutside: "a link to a file outside in its place"
        case .linkToWholeEntry: "a link to the entry, moved outside, in its place"
        case .danglingLink: "a link to nothing in its place"
        case .linkToZeros: "a link to /dev/zero in its place"
        }
    }

    /// Applies the damage.
    ///
    /// - Parameters:
    ///   - file: the file to damage.
    ///   - other: another file, for a swap.
    ///   - outside: a folder beside the cache's, which holds ``precious``.
    /// - Returns: whether the file's bytes have changed.
    func apply(to file: URL, other: URL?, outside: URL) throws -> Bool {
        let content = try Data(contentsOf: file)
        switch self {
        case .swapped:
            guard let other, other != file else { return false }
            let otherContent = try Data(contentsOf: other)
            try otherContent.write(to: file)
            try content.write(to: other)
            return true
        case .folder, .fullFolder, .fifo, .linkOutside, .linkToWholeEntry, .danglingLink, .linkToZeros:
            try replace(file, outside: outside)
            return true
        default:
            let damaged = damaged(content)
            try damaged.write(to: file)
            return damaged != content
        }
    }

    private func damaged(_ content: Data) -> Data {
        var content = content
        switch self {
        case .flippedBit(let bit):
            guard bit / 8 < content.count else { return content }
            content[content.startIndex + bit / 8] ^= 1 << UInt8(bit % 8)
        case .cut(let length): content = content.prefix(length)
        case .zeroedBlock(let block):
            for place in content.indices.dropFirst(block * Self.blockByteCount).prefix(Self.blockByteCount) {
                content[place] = 0
            }
        case .appended(let count): content.append(Data(repeating: 0x5A, count: count))
        case .emptied: content = Data()
        case .noise: content = CheckedBytes.value("noise", count: content.count)
        default: break
        }
        return content
    }

    /// The name of the file outside the cache's folder that must not change.
    static let preciousName = "precious"
    static let precious = Data("precious".utf8)

    private func replace(_ file: URL, outside: URL) throws {
        let manager = FileManager.default
        let moved = outside.appendingPathComponent("moved-\(file.lastPathComponent)")
        try? manager.removeItem(at: moved)
        try manager.moveItem(at: file, to: moved)
        switch self {
        case .folder: try manager.createDirectory(at: file, withIntermediateDirectories: false)
        case .fullFolder:
            try manager.createDirectory(at: file, withIntermediateDirectories: false)
            try Self.precious.write(to: file.appendingPathComponent("inner"))
        case .fifo:
            guard mkfifo(file.path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        case .linkOutside:
            let target = outside.appendingPathComponent(Self.preciousName)
            try manager.createSymbolicLink(at: file, withDestinationURL: target)
        case .linkToWholeEntry: try manager.createSymbolicLink(at: file, withDestinationURL: moved)
        case .danglingLink: try manager.createSymbolicLink(atPath: file.path, withDestinationPath: "nowhere")
        case .linkToZeros: try manager.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/zero")
        default: break
        }
    }

    /// Whether the damage may stay, because the cache can't be expected to remove it: a folder with content is none
    /// of its files. Neither is an empty folder if the file's name was chosen by the app.
    func maySurvive(_ storage: FileKeeper.Storage) -> Bool {
        if case .oneFile = storage { self == .fullFolder || self == .folder } else { self == .fullFolder }
    }
}
