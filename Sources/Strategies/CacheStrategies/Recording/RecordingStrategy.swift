public import Foundation

/// A strategy in a real app that records its callers' requests as a trace; see ``TraceRecorder`` for the content.
///
/// It answers as the wrapped strategy does, and is synchronous if that strategy is. A load is one read, with the size
/// of its value; a load that failed has the size 0.
public final class RecordingStrategy<Wrapped: CacheStrategy>: CacheStrategy {
    /// The wrapped strategy, which answers.
    public let wrapped: Wrapped
    /// The recorder of the requests.
    public let recorder: TraceRecorder<Key>

    /// The keys of the wrapped strategy.
    public typealias Key = Wrapped.Key
    /// The values of the wrapped strategy.
    public typealias Value = Wrapped.Value

    /// The declaration of the wrapped strategy, with `recording-` before its name.
    public static var declaration: StrategyDeclaration {
        var declaration = Wrapped.declaration
        declaration.name = "recording-\(declaration.name)"
        declaration.summary = "\(declaration.summary); records its requests"
        return declaration
    }

    /// Records the requests to a strategy from now on. Requests directly to the wrapped strategy are not recorded.
    public init(wrapping wrapped: Wrapped, recorder: TraceRecorder<Key>) {
        self.wrapped = wrapped
        self.recorder = recorder
    }

    /// Opens the strategy in the folder `cache` of the configuration's directory, and records into a new file
    /// `recording-1.csv`, or the next number that is free, beside it.
    ///
    /// - Throws: ``RecordingError``, or the error of opening the wrapped strategy.
    public convenience init(configuration: StrategyConfiguration) throws {
        guard let directory = configuration.directory else { throw RecordingError.noDirectory }
        var inner = configuration
        let folder = directory.appendingPathComponent("cache", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        inner.directory = folder
        let wrapped = try Wrapped(configuration: inner)
        self.init(wrapping: wrapped, recorder: try Self.makeRecorder(in: directory))
    }

    private static func makeRecorder(in directory: URL) throws(RecordingError) -> TraceRecorder<Key> {
        var number = 1
        while true {
            let path = directory.appendingPathComponent("recording-\(number).csv").path
            do throws(RecordingError) {
                return try TraceRecorder(path: path)
            } catch {
                guard error == .cannotCreate(path: path, errorNumber: EEXIST), number < 10_000 else { throw error }
                number += 1
            }
        }
    }

    /// Looks up in the wrapped strategy, and records a read or a miss.
    @inlinable
    public func value(forKey key: Key) async -> Value? {
        let value = await wrapped.value(forKey: key)
        recordLookup(of: key, value)
        return value
    }

    /// Inserts into the wrapped strategy, and records a write.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) async {
        await wrapped.insert(value, forKey: key, cost: cost)
        recorder.recordWrite(key, size: cost)
    }

    /// Removes a key's entry from the wrapped strategy, and records it.
    @inlinable
    public func removeValue(forKey key: Key) async {
        await wrapped.removeValue(forKey: key)
        recorder.recordRemoval(key)
    }

    /// Removes all entries of the wrapped strategy; records nothing.
    public func removeAll() async { await wrapped.removeAll() }

    /// Loads through the wrapped strategy, and records a read.
    ///
    /// - Throws: the error of the wrapped strategy.
    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        var size = 0
        defer { recorder.recordRead(key, size: size) }
        let loaded = try await wrapped.load(key, fetch: fetch)
        size = loaded.value.cost
        return loaded
    }

    /// The statistics of the wrapped strategy.
    public func statistics() async -> CacheStatistics { await wrapped.statistics() }

    /// Closes the strategy, then the recording: everything is in the file when this returns.
    public func close() async {
        await wrapped.close()
        recorder.close()
    }

    @inlinable
    @inline(__always)
    func recordLookup(of key: Key, _ value: Value?) {
        if let value { recorder.recordRead(key, size: value.cost) } else { recorder.recordMiss(key) }
    }
}

extension RecordingStrategy: SynchronousCacheStrategy where Wrapped: SynchronousCacheStrategy {
    /// Looks up in the wrapped strategy, and records a read or a miss.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        let value = wrapped.value(forKey: key)
        recordLookup(of: key, value)
        return value
    }

    /// Inserts into the wrapped strategy, and records a write.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        wrapped.insert(value, forKey: key, cost: cost)
        recorder.recordWrite(key, size: cost)
    }

    /// Removes a key's entry from the wrapped strategy, and records it.
    @inlinable
    public func removeValue(forKey key: Key) {
        wrapped.removeValue(forKey: key)
        recorder.recordRemoval(key)
    }

    /// Removes all entries of the wrapped strategy; records nothing.
    public func removeAll() { wrapped.removeAll() }

    /// Loads through the wrapped strategy, and records a read.
    ///
    /// - Throws: the error of the wrapped strategy.
    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        var size = 0
        defer { recorder.recordRead(key, size: size) }
        let loaded = try wrapped.loadBlocking(key, fetch: fetch)
        size = loaded.value.cost
        return loaded
    }

    /// The statistics of the wrapped strategy.
    public func statistics() -> CacheStatistics { wrapped.statistics() }

    /// Closes the wrapped strategy, then the recording: everything is in the file when this returns.
    public func close() {
        wrapped.close()
        recorder.close()
    }
}
