#if HTTP
    import AsyncHTTPClient
    package import Foundation
    import NIOCore
    import NIOHTTP1
    package import Payloads
    import Synchronization
    package import TrialModel

    /// The fixture server as the origin of one trial, over HTTP/1.1 with connections that are kept alive.
    package final class HTTPOrigin: Origin {
        /// What a request may take beyond the scripted delay and the time for a large body.
        private static let requestSeconds: Int64 = 30
        /// Files and connections that the process needs for other things than requests.
        private static let spareDescriptorCount: UInt64 = 32
        /// Preparing the payloads of a whole scenario may take this long.
        private static let registrationSeconds: Int64 = 300
        /// A body larger than this is none of ours: the largest payload, badly compressed.
        private static let bodyByteCountMax = 2 * PayloadLimits.byteCountMax

        private let client: HTTPClient
        private let address: String
        private let trial: String
        private let loadTime: TimeAmount
        private let phase = Atomic<UInt16>(0)
        /// Fetches that ended with a value. A request takes a thousand times as long as counting it.
        private let answeredCount = Atomic<UInt64>(0)
        /// Whether the server may call an answer failed that this side took for a value.
        private let mayDamageAnswers: Bool

        /// Registers the trial at the server.
        ///
        /// - Parameters:
        ///   - address: the server, such as `http://127.0.0.1:8080`.
        ///   - trial: the id to register under: 1 to 200 letters, digits, `.`, `_` or `-`. One that is taken is replaced.
        ///   - scenarioSeed: the scenario's seed.
        ///   - values: what stands behind a key.
        ///   - origin: the delay, the faults and how long a load waits.
        ///   - concurrency: how many requests may be under way at once; more wait for a connection.
        ///   - preparedKeyCount: how many keys, from 0 on or with pools from the first of each, the server encodes before it accepts the trial, as far as it has
        ///     room; so that no load waits for a picture to be compressed, and every trial finds the same.
        /// - Throws: ``OriginError`` when the server can't be reached or refuses.
        package init(
            address: String, trial: String, scenarioSeed: UInt64, values: ValueSpecification,
            origin: OriginSpecification,
            concurrency: Int, preparedKeyCount: Int = 0
        ) async throws {
            guard OriginRoute.isTrialName(trial) else { throw OriginError.badTrialName(trial) }
            self.address = try Self.checked(address)
            self.trial = trial
            mayDamageAnswers = origin.isExpectedToFail
            let slowestSeconds = Int64(clamping: origin.slowestNanoseconds / 1_000_000_000)
            let seconds = Self.requestSeconds + slowestSeconds + Int64(clamping: values.largestSize / (10 << 20))
            loadTime = origin.timeout.map { .nanoseconds(Int64(clamping: $0)) } ?? .seconds(seconds)
            let descriptorCount = FileDescriptorLimit.raise()
            guard descriptorCount >= UInt64(max(0, concurrency)) + Self.spareDescriptorCount else {
                throw OriginError.tooFewDescriptors(limit: descriptorCount, concurrency: concurrency)
            }
            client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: Self.configuration(concurrency))
            do {
                let registration = TrialRegistration(
                    seed: scenarioSeed, values: values, origin: origin,
                    preparedKeyCount: UInt64(clamping: preparedKeyCount)
                )
                _ = try await ask(
                    .trial(trial), .PUT, body: JSONEncoder().encode(registration), expecting: .noContent,
                    what: "registering '\(trial)'", seconds: Self.registrationSeconds
                )
            } catch {
                try? await client.shutdown()
                throw error
            }
        }

        deinit {
            // One that was not shut down would trap here in a debug build; one that was answers with an error.
            client.shutdown { [client] _ in _ = client }
        }

        /// The address without a slash at its end.
        private static func checked(_ address: String) throws(OriginError) -> String {
            guard let parts = URLComponents(string: address), parts.scheme == "http", let host = parts.host,
                !host.isEmpty,
                ["", "/"].contains(parts.path), parts.query == nil
            else { throw .badAddress(address) }
            return address.hasSuffix("/") ? String(address.dropLast()) : address
        }

        private static func configuration(_ concurrency: Int) -> HTTPClient.Configuration {
            var configuration = HTTPClient.Configuration()
            configuration.httpVersion = .http1Only
            configuration.decompression = .disabled
            configuration.redirectConfiguration = .disallow
            configuration.timeout = .init(connect: .seconds(5))
            // A refused connection is an answer; tried again until a deadline, it would look like a slow origin.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, concurrency)
            return configuration
        }

        package func fetch(_ key: UInt64) async throws -> Data {
            // A request that was sent could be answered before its cancellation gets to it.
            try Task.checkCancellation()
            let task = try start(valueRoute(key), .GET, deadline: .now() + loadTime)
            return try await withTaskCancellationHandler {
                do {
                    return try payload(of: key, in: try await task.get())
                } catch {
                    try Task.checkCancellation()
                    throw explain(error, what: "key \(key)", within: loadTime)
                }
            } onCancel: {
                task.cancel()
            }
        }

        package func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
            let now = NIODeadline.now()
            let limit = now + loadTime
            let callersLimit = deadline.map { NIODeadline.uptimeNanoseconds(now.uptimeNanoseconds.advanced(by: $0)) }
            let task = try start(valueRoute(key), .GET, deadline: min(limit, callersLimit ?? limit))
            do {
                return try payload(of: key, in: try task.wait())
            } catch {
                if let callersLimit, callersLimit < limit, NIODeadline.now() >= callersLimit {
                    throw CancellationError()
                }
                throw explain(error, what: "key \(key)", within: loadTime)
            }
        }

        package func beginPhase(_ index: Int) {
            phase.store(UInt16(clamping: index), ordering: .relaxed)
        }

        package func log(phase: Int) async throws -> OriginLog {
            let what = "the log of '\(trial)'"
            let route = OriginRoute.log(trial: trial, phase: UInt16(clamping: phase))
            let body = try await ask(route, .GET, expecting: .ok, what: what)
            do {
                return try JSONDecoder().decode(OriginLog.self, from: body)
            } catch {
                throw OriginError.badBody(what: what, reason: "\(error)")
            }
        }

        package func requestList() async throws -> OriginRequestList {
            let what = "the list of requests of '\(trial)'"
            let counts = try await ask(.log(trial: trial, phase: nil), .GET, expecting: .ok, what: what)
            let list = try await ask(.entries(trial: trial, phase: nil), .GET, expecting: .ok, what: what)
            do {
                return OriginRequestList(
                    entries: try OriginRequestList.entries(inCSV: list),
                    droppedCount: try JSONDecoder().decode(OriginLog.self, from: counts).droppedEntries,
                    answeredFetchCount: mayDamageAnswers ? nil : answeredCount.load(ordering: .relaxed))
            } catch {
                throw OriginError.badBody(what: what, reason: "\(error)")
            }
        }

        /// Frees the trial at the server and closes the connections.
        package func shutdown() async throws {
            let freed: Result<Data, any Error>
            do {
                freed = .success(
                    try await ask(.trial(trial), .DELETE, expecting: .noContent, what: "freeing '\(trial)'")
                )
            } catch {
                freed = .failure(error)
            }
            try await client.shutdown()
            _ = try freed.get()
        }

        private func valueRoute(_ key: UInt64) -> OriginRoute {
            .value(trial: trial, key: key, phase: phase.load(ordering: .relaxed))
        }

        private func start(
            _ route: OriginRoute, _ method: HTTPMethod, body: Data? = nil, deadline: NIODeadline
        ) throws -> HTTPClient.Task<HTTPClient.Response> {
            let request: HTTPClient.Request
            do {
                request = try HTTPClient.Request(
                    url: address + route.path, method: method, body: body.map { .bytes($0) }
                )
            } catch {
                throw OriginError.badAddress(address)
            }
            let delegate = ResponseAccumulator(request: request, maxBodySize: Self.bodyByteCountMax)
            return client.execute(request: request, delegate: delegate, deadline: deadline)
        }

        /// Sends a request that is no load, and reads the whole answer.
        private func ask(
            _ route: OriginRoute, _ method: HTTPMethod, body: Data? = nil, expecting status: HTTPResponseStatus,
            what: String, seconds: Int64 = requestSeconds
        ) async throws -> Data {
            let task = try start(route, method, body: body, deadline: .now() + .seconds(seconds))
            do {
                return try self.body(of: try await task.get(), expecting: status, what: what)
            } catch {
                throw explain(error, what: what, within: .seconds(seconds))
            }
        }

        private func body(
            of response: HTTPClient.Response, expecting status: HTTPResponseStatus, what: String
        ) throws(OriginError) -> Data {
            let body = response.body.map { Data($0.readableBytesView) } ?? Data()
            guard response.status == status else {
                let text = String(decoding: body.prefix(500), as: UTF8.self).trimmingCharacters(
                    in: .whitespacesAndNewlines)
                throw .refused(what: what, status: Int(response.status.code), text: text)
            }
            return body
        }

        private func payload(of key: UInt64, in response: HTTPClient.Response) throws(OriginError) -> Data {
            let data = try body(of: response, expecting: .ok, what: "key \(key)")
            let identity: PayloadIdentity
            do {
                identity = try PayloadIdentity(peekingInto: data)
            } catch {
                throw .badBody(what: "key \(key)", reason: error.description)
            }
            guard identity.key == key else { throw .wrongKey(expected: key, found: identity.key) }
            answeredCount.add(1, ordering: .relaxed)
            return data
        }

        private func explain(
            _ error: any Error, what: String, within limit: TimeAmount = .seconds(requestSeconds)
        ) -> any Error {
            switch error {
            case is OriginError, is CancellationError: return error
            case let error as HTTPClientError
            where [.deadlineExceeded, .readTimeout, .getConnectionFromPoolTimeout].contains(error):
                return OriginError.timedOut(what: what, nanoseconds: UInt64(clamping: limit.nanoseconds))
            case let error as ResponseAccumulator.ResponseTooBigError:
                return OriginError.badBody(what: what, reason: "\(error)")
            case is HTTPParserError:
                return OriginError.badBody(what: what, reason: "the answer breaks off or is not HTTP (\(error))")
            default: return OriginError.unreachable(address: address, reason: "\(error)")
            }
        }
    }
#endif
