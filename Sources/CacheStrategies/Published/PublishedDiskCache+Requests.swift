public import Dispatch
public import Foundation

extension PublishedDiskCache {
    /// Requests a value. Returns at once with a request that can be cancelled, and calls back on the main queue.
    ///
    /// - Parameters:
    ///   - whenCancelled: part of the adapter: called instead of `completion` when the network request was cancelled,
    ///     where the design never calls back.
    ///   - completion: called with the value, or with nothing.
    @inlinable
    func request(
        _ key: Key, fetch: @escaping @Sendable () async throws -> Data, whenCancelled: @escaping @Sendable () -> Void,
        completion: @escaping @Sendable (Loaded<Value>?) -> Void
    ) -> PublishedNetworkTask {
        let task = PublishedNetworkTask(fetch: fetch) { [self] end in
            network.async { [self] in
                switch end {
                case .success(let bytes): received(bytes, forKey: key, completion)
                case .failure: DispatchQueue.main.async { completion(nil) }
                case .cancelled: whenCancelled()
                }
            }
        }
        find(key) { finding in
            switch finding {
            case .value(let value): completion(Loaded(value, .hit))
            case .undecodable: completion(nil)
            case .absent: task.start()
            }
        }
        return task
    }

    /// Looks up in memory, and then in the background reads the file.
    ///
    /// - Parameter answer: called on the main queue when bytes were found, else in the background.
    @inlinable
    func find(_ key: Key, _ answer: @escaping @Sendable (PublishedFinding<Value>) -> Void) {
        if let bytes = memory.bytes(forKey: key) {
            let finding = PublishedFinding<Value>(bytes)
            DispatchQueue.main.async { answer(finding) }
            return
        }
        background.async { [self] in
            guard let bytes = folder.bytes(forKey: key) else { return answer(.absent) }
            memory.append(bytes, forKey: key)
            let finding = PublishedFinding<Value>(bytes)
            DispatchQueue.main.async { answer(finding) }
        }
    }

    /// The network request returned bytes. Bytes that don't decode are a failure.
    @inlinable
    func received(_ bytes: Data, forKey key: Key, _ completion: @escaping @Sendable (Loaded<Value>?) -> Void) {
        guard let value = try? Value(encoded: bytes) else {
            DispatchQueue.main.async { completion(nil) }
            return
        }
        memory.append(bytes, forKey: key)
        background.async { [folder] in folder.write(bytes, forKey: key) }
        DispatchQueue.main.async { completion(Loaded(value, .loaded)) }
    }
}

/// The result of a lookup in a ``PublishedDiskCache``, in memory or on disk.
@usableFromInline
enum PublishedFinding<Value: CacheableValue>: Sendable {
    case value(Value)
    /// Bytes that are no encoded value, such as half a file.
    case undecodable
    case absent

    /// Decodes the bytes that were found.
    @inlinable
    init(_ bytes: Data) {
        do {
            self = .value(try Value(encoded: bytes))
        } catch {
            self = .undecodable
        }
    }
}
