import CacheStrategies
import Foundation
import Platform

/// The calls that the disk cache makes on its folder, one system call each, so that a test can make the n-th one fail.
///
/// Every name is a plain file name inside the folder, resolved against the folder's own descriptor: nothing outside is
/// reached, even when the folder is moved or a link is planted in it. No call follows a symbolic link.
package protocol FileLayer: Sendable {
    /// Calls `body` with the name of each file in the folder, without `.` and `..`, in no order. A million names are
    /// not held at once.
    func forEachName(_ body: (String) -> Void) throws(FileLayerError)

    /// Creates a file for writing; fails if the name exists.
    func create(_ name: String) throws(FileLayerError) -> FileDescriptor

    /// Opens a file for reading. Never waits, not even for the writer of a FIFO.
    func open(_ name: String) throws(FileLayerError) -> FileDescriptor

    /// Opens a file for appending. Never waits.
    func append(to name: String) throws(FileLayerError) -> FileDescriptor

    /// The kind and size of an open file.
    func information(_ file: FileDescriptor) throws(FileLayerError) -> FileInformation

    /// Reads at most `buffer.count` bytes from where the last read ended; 0 at the end of the file.
    func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(FileLayerError) -> Int

    /// Writes at most `buffer.count` bytes; returns their number.
    func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(FileLayerError) -> Int

    /// Waits until the written bytes have reached the device.
    func synchronize(_ file: FileDescriptor) throws(FileLayerError)

    /// Waits until the names of the folder's files have reached the device, as they are now.
    func synchronizeNames() throws(FileLayerError)

    /// Closes a file. The descriptor is gone even when this fails.
    func close(_ file: FileDescriptor) throws(FileLayerError)

    /// Renames a file and replaces the file with the new name, in one step.
    func rename(_ name: String, to newName: String) throws(FileLayerError)

    /// Removes a file, a link or an empty folder.
    func remove(_ name: String) throws(FileLayerError)

    /// Locks the folder for this instance, until ``unlock()`` or the end of the process.
    ///
    /// - Returns: `false` when another instance has it, in this process or in another.
    func lock(_ name: String) throws(FileLayerError) -> Bool

    /// Unlocks the folder.
    func unlock()
}

/// An open file.
package struct FileDescriptor: Sendable, Hashable {
    /// The system's number for it.
    package let number: Int32

    /// The file with the system's number.
    package init(number: Int32) { self.number = number }
}

/// What the system says about an open file.
package struct FileInformation: Sendable, Hashable {
    /// Whether it is a regular file: no folder, link, FIFO or device.
    package let isRegularFile: Bool
    /// The size in bytes.
    package let size: Int

    /// What `fstat` says.
    package init(isRegularFile: Bool, size: Int) {
        self.isRegularFile = isRegularFile
        self.size = size
    }
}

/// A system call that failed.
package struct FileLayerError: Error, Hashable, CustomStringConvertible {
    /// The system's error number.
    package let code: Int32
    /// The call, such as `write`.
    package let call: String

    /// A failure with the value of `errno`.
    package init(code: Int32, call: String) {
        self.code = code
        self.call = call
    }

    /// Such as `write: No space left on device`.
    package var description: String { "\(call): \(SystemErrors.message(code))" }
}
