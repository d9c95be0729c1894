import CacheStrategies
import Foundation
import PersistentStrategies
import TrialModel

/// The changes that a strategy made to its folder, in order: computes what the folder may hold after a kill, or after a
/// loss of power.
///
/// The model keeps less than any file system does; it is what POSIX allows:
///
/// - A file keeps the bytes that were written before it was last synchronised. Each later block of it may be there, or
///   be zero or noise instead, whatever happened to earlier blocks; and the file may end before them.
/// - A name leads to any of the files that it led to since the names were last synchronised, whatever happened to other
///   names. So a renamed file may have its old name, its new one, both or neither, and a later change may be kept
///   without an earlier one.
struct FolderJournal: Sendable {
    /// What a loss leaves of the changes that were not synchronised.
    struct Loss: Sendable, Hashable {
        enum Bytes: CaseIterable { case none, zeros, firstBlock, lastBlock, all, some }
        enum Names: CaseIterable { case none, first, last, all, some }

        let bytes: Bytes
        let names: Names

        /// Whether everything is left, as after a kill of the process; it may come in the middle of a write.
        var isKill: Bool { self == Self.kill }

        static let kill = Loss(bytes: .all, names: .all)
        /// Every combination of the extremes and of random choices, and some kills more: only after them nothing that
        /// was flushed may be missing.
        static let all =
            Bytes.allCases.flatMap { bytes in Names.allCases.map { Loss(bytes: bytes, names: $0) } }
            + Array(repeating: kill, count: 5)
    }

    private enum Change {
        /// Names lead to other files, or to none.
        case names([String: Int?])
        case write(file: Int, Data)
        case synchronizeBytes(file: Int)
        case synchronizeNames
    }

    private struct File {
        var bytes = Data()
        var synchronizedCount = 0

        /// What a loss leaves.
        func kept(_ loss: Loss.Bytes, _ random: inout RandomSource) -> Data {
            let blockSize = random.next(below: 2) == 0 ? 512 : 4_096
            guard synchronizedCount < bytes.count, loss != .all else { return bytes }
            if loss == .none { return bytes.prefix(synchronizedCount) }
            let (first, last) = (synchronizedCount / blockSize, (bytes.count - 1) / blockSize)
            if loss == .firstBlock { return bytes.prefix((first + 1) * blockSize) }
            var kept = bytes
            for block in first...last {
                if loss == .lastBlock && block == last || loss == .some && random.next(below: 2) == 0 { continue }
                let isNoise = loss == .some && random.next(below: 4) == 0
                for place in max(synchronizedCount, block * blockSize)..<min(bytes.count, (block + 1) * blockSize) {
                    kept[place] = isNoise ? UInt8(truncatingIfNeeded: random.next()) : 0
                }
            }
            guard loss == .some, random.next(below: 2) == 0 else { return kept }
            return kept.prefix(synchronizedCount + Int(random.next(below: UInt64(bytes.count - synchronizedCount))))
        }
    }

    private var changes: [Change] = []
    /// The files at the start, all synchronised.
    private var files: [File] = []
    private var names: [String: Int] = [:]
    private let namesAtStart: [String: Int]
    private var fileCount: Int
    private var open: [FileDescriptor: Int] = [:]
    private let lie: PowerLossCheck.Lie?

    /// - Parameters:
    ///   - start: the folder's files at the start.
    ///   - lie: a synchronisation that has no effect; `nil` for none.
    init(start: [String: Data] = [:], lie: PowerLossCheck.Lie? = nil) {
        for (name, bytes) in start.sorted(by: { $0.key < $1.key }) {
            names[name] = files.count
            files.append(File(bytes: bytes, synchronizedCount: bytes.count))
        }
        namesAtStart = names
        fileCount = files.count
        self.lie = lie
    }

    /// The number of changes.
    var count: Int { changes.count }

    /// The folder's files after the first `count` changes and a loss.
    func files(after count: Int, _ loss: Loss, _ random: inout RandomSource) -> [String: Data] {
        var files = files + Array(repeating: File(), count: fileCount - files.count)
        // The files of each name since the names were synchronised, and the names that changed first and last.
        var past = namesAtStart.mapValues { [Int?.some($0)] }
        var (first, last): (Set<String>, Set<String>) = ([], [])
        for change in changes.prefix(count) {
            switch change {
            case .names(let new):
                for (name, file) in new { past[name, default: [nil]].append(file) }
                last = Set(new.keys)
                if first.isEmpty { first = last }
            case .write(let file, let bytes): files[file].bytes += bytes
            case .synchronizeBytes(let file): files[file].synchronizedCount = files[file].bytes.count
            case .synchronizeNames:
                past = past.mapValues { Array($0.suffix(1)) }
                (first, last) = ([], [])
            }
        }
        if loss.isKill, count < changes.count, case .write(let file, let bytes) = changes[count] {
            files[file].bytes += bytes.prefix((bytes.count + 1) / 2)
        }
        let contents = files.map { $0.kept(loss.bytes, &random) }
        var left: [String: Data] = [:]
        for (name, past) in past.sorted(by: { $0.key < $1.key }) {
            let place =
                switch loss.names {
                case .none: 0
                case .first: first.contains(name) ? 1 : 0
                case .last: last.contains(name) ? past.count - 1 : 0
                case .all: past.count - 1
                case .some: Int(random.next(below: UInt64(past.count)))
                }
            if let file = past[place] { left[name] = contents[file] }
        }
        return left
    }
}

/// What a ``FaultyFileLayer`` records.
extension FolderJournal {
    mutating func create(_ name: String, as descriptor: FileDescriptor) {
        names[name] = fileCount
        open[descriptor] = fileCount
        changes.append(.names([name: fileCount]))
        fileCount += 1
    }

    mutating func append(to name: String, as descriptor: FileDescriptor) { open[descriptor] = names[name] }

    mutating func write(_ descriptor: FileDescriptor, _ bytes: UnsafeRawBufferPointer) {
        if let file = open[descriptor] { changes.append(.write(file: file, Data(bytes))) }
    }

    mutating func synchronize(_ descriptor: FileDescriptor) {
        if lie != .bytes, let file = open[descriptor] { changes.append(.synchronizeBytes(file: file)) }
    }

    mutating func synchronizeNames() {
        if lie != .names { changes.append(.synchronizeNames) }
    }

    mutating func close(_ descriptor: FileDescriptor) { open[descriptor] = nil }

    mutating func rename(_ name: String, to newName: String) {
        guard let file = names.removeValue(forKey: name) else { return }
        names[newName] = file
        changes.append(.names([name: nil, newName: file]))
    }

    mutating func remove(_ name: String) {
        if names.removeValue(forKey: name) != nil { changes.append(.names([name: nil])) }
    }
}
