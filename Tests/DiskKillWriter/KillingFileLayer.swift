import CacheStrategies
import Foundation
import Synchronization

/// Counts calls, and kills the process at the one it was told.
final class CallCounter: Sendable {
    private let callsLeft = Atomic(Int.max)

    /// Kills at the call of this number, counted from now.
    func killAtCall(_ number: Int) { callsLeft.store(number, ordering: .sequentiallyConsistent) }

    func count() {
        if callsLeft.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue <= 0 { killSelf() }
    }
}

/// The real folder, whose process dies just before the call of a given number.
final class KillingFileLayer: FileLayer {
    private let layer: POSIXFileLayer
    private let counter: CallCounter

    init(_ layer: POSIXFileLayer, _ counter: CallCounter) {
        self.layer = layer
        self.counter = counter
    }

    private func count() { counter.count() }

    func names() throws(FileLayerError) -> [String] {
        count()
        return try layer.names()
    }

    func create(_ name: String) throws(FileLayerError) -> FileDescriptor {
        count()
        return try layer.create(name)
    }

    func open(_ name: String) throws(FileLayerError) -> FileDescriptor {
        count()
        return try layer.open(name)
    }

    func information(_ file: FileDescriptor) throws(FileLayerError) -> FileInformation {
        count()
        return try layer.information(file)
    }

    func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(FileLayerError) -> Int {
        count()
        return try layer.read(file, into: buffer)
    }

    func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(FileLayerError) -> Int {
        count()
        // In two halves, so that the process can die between them.
        guard buffer.count > 1 else { return try layer.write(file, buffer) }
        return try layer.write(file, UnsafeRawBufferPointer(rebasing: buffer[..<(buffer.count / 2)]))
    }

    func synchronize(_ file: FileDescriptor) throws(FileLayerError) {
        count()
        try layer.synchronize(file)
    }

    func close(_ file: FileDescriptor) throws(FileLayerError) {
        count()
        try layer.close(file)
    }

    func rename(_ name: String, to newName: String) throws(FileLayerError) {
        count()
        try layer.rename(name, to: newName)
    }

    func remove(_ name: String) throws(FileLayerError) {
        count()
        try layer.remove(name)
    }

    func lock(_ name: String) throws(FileLayerError) -> Bool {
        count()
        return try layer.lock(name)
    }

    func unlock() { layer.unlock() }
}
