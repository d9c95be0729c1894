import CacheStrategies
import Foundation
import PersistentStrategies

/// The real folder without waiting for the device: a million files are prepared in a minute instead of hours.
struct UnsynchronizedFileLayer: FileLayer {
    private let layer: POSIXFileLayer

    init(directory: URL) throws(FileLayerError) { layer = try POSIXFileLayer(directory: directory) }

    func forEachName(_ body: (String) -> Void) throws(FileLayerError) { try layer.forEachName(body) }
    func create(_ name: String) throws(FileLayerError) -> FileDescriptor { try layer.create(name) }
    func open(_ name: String) throws(FileLayerError) -> FileDescriptor { try layer.open(name) }
    func append(to name: String) throws(FileLayerError) -> FileDescriptor { try layer.append(to: name) }
    func information(_ file: FileDescriptor) throws(FileLayerError) -> FileInformation {
        try layer.information(file)
    }
    func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(FileLayerError) -> Int {
        try layer.read(file, into: buffer)
    }
    func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(FileLayerError) -> Int {
        try layer.write(file, buffer)
    }
    func synchronize(_ file: FileDescriptor) throws(FileLayerError) {}
    func synchronizeNames() throws(FileLayerError) {}
    func close(_ file: FileDescriptor) throws(FileLayerError) { try layer.close(file) }
    func rename(_ name: String, to newName: String) throws(FileLayerError) { try layer.rename(name, to: newName) }
    func remove(_ name: String) throws(FileLayerError) { try layer.remove(name) }
    func lock(_ name: String) throws(FileLayerError) -> Bool { try layer.lock(name) }
    func unlock() { layer.unlock() }
}
