import Platform

#if HTTP
    package import Foundation
    import Synchronization
    package import TrialModel

    /// The fixture server as the origin of one trial, over HTTP/1.1 with keep-alive connections.
    ///
    /// A caller that is a thread has its own socket and waits on it; a caller that is a task takes a connection from a
    /// pool, and suspends. See ``ThreadConnections`` and ``TaskConnections``.
    package final class HTTPOrigin: Origin {
        /// The time that a request may take beyond the scripted delay and the time for a large body.
        private static let requestSeconds: UInt64 = 30
        /// Descriptors that the process needs for other purposes than requests.
        private static let spareDescriptorCount: UInt64 = 32
        /// The time that the server may take to prepare the payloads of a whole scenario.
        private static let registrationSeconds: UInt64 = 300
        /// The most bytes of a body: the largest payload, badly compressed.
        private static let bodyByteCountMax = 2 * PayloadLimits.byteCountMax

        private let tasks: TaskConnections
        private let threads: ThreadConnections
        private let address: String
        /// The server's name and port, as requests write them.
        private let authority: String
        private let trial: String
        private let loadNanosecondsMax: UInt64
        private let phase = Atomic<UInt16>(0)
        /// Fetches that ended with a value. Counting takes a thousandth of the time of a request.
        private let answeredCount = Atomic<UInt64>(0)
        /// Whether the server may count an answer as failed that the client accepted as a value.
        private let mayDamageAnswers: Bool

        /// Registers the trial with the server.
        ///
        /// - Parameters:
        ///   - address: the server, such as `http://127.0.0.1:8080`.
        ///   - trial: the id to register under: 1 to 200 letters, digits, `.`, `_` or `-`. An existing trial of that id
        ///     is replaced.
        ///   - scenarioSeed: the scenario's seed.
        ///   - values: the kind and the sizes of the keys' values.
        ///   - origin: the delay, the faults and how long a load waits.
        ///   - concurrency: how many loads may be in flight at once; the process must have descriptors for them. More
        ///     loads are not held back.
        ///   - preparedKeyCount: how many keys the server encodes before it accepts the trial, from key 0 on, or from
        ///     the first key of each pool, as far as it has room. So no load waits for a picture to be compressed, and
        ///     every trial starts from the same state.
        /// - Throws: ``OriginError`` when the server can't be reached or refuses the trial.
        package init(
            address: String, trial: String, scenarioSeed: UInt64, values: ValueSpecification,
            origin: OriginSpecification,
            concurrency: Int, preparedKeyCount: Int = 0
        ) async throws {
            guard OriginRoute.isTrialName(trial) else { throw OriginError.badTrialName(trial) }
            guard let endpoint = ServerEndpoint(address) else { throw OriginError.badAddress(address) }
            self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
            authority = endpoint.authority
            self.trial = trial
            mayDamageAnswers = origin.isExpectedToFail
            let seconds =
                Self.requestSeconds + origin.slowestNanoseconds / 1_000_000_000 + values.largestSize / (10 << 20)
            loadNanosecondsMax = origin.timeout ?? Self.nanoseconds(seconds)
            let descriptorCount = FileDescriptorLimit.raise()
            // The connection of a task uses two descriptors.
            guard descriptorCount >= 2 * UInt64(max(0, concurrency)) + Self.spareDescriptorCount else {
                throw OriginError.tooFewDescriptors(limit: descriptorCount, concurrency: concurrency)
            }
            let addresses: [ResolvedAddress]
            do {
                addresses = try await TaskConnections.resolve(endpoint)
            } catch {
                throw Self.explain(error, what: "", address: address, nanoseconds: 0)
            }
            tasks = TaskConnections(to: addresses, bodyByteCountMax: Self.bodyByteCountMax)
            threads = ThreadConnections(to: addresses, bodyByteCountMax: Self.bodyByteCountMax)
            let registration = TrialRegistration(
                seed: scenarioSeed, values: values, origin: origin, preparedKeyCount: UInt64(clamping: preparedKeyCount)
            )
            _ = try await ask(
                .trial(trial), .put, body: JSONEncoder().encode(registration), expecting: 204,
                what: "registering '\(trial)'", seconds: Self.registrationSeconds
            )
        }

        // The connections of tasks end with the pool; those of threads are also held by their threads.
        deinit { threads.close() }

        package func fetch(_ key: UInt64) async throws -> Data {
            // A request could be answered before its cancellation reaches it, so cancellation is checked before
            // sending.
            try Task.checkCancellation()
            let deadline = Self.deadline(loadNanosecondsMax)
            let response: HTTPResponse
            do {
                response = try await tasks.exchange(valueRequest(key), until: deadline)
            } catch {
                try Task.checkCancellation()
                throw Self.explain(error, what: "key \(key)", address: address, nanoseconds: loadNanosecondsMax)
            }
            return try payload(of: key, in: response)
        }

        package func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
            let now = Nanoclock.now()
            let limit = Self.deadline(loadNanosecondsMax, from: now)
            let callersLimit = deadline.map { now.advanced(by: $0) } ?? .max
            let response: HTTPResponse
            do {
                response = try threads.exchange(valueRequest(key), until: min(limit, callersLimit))
            } catch {
                if callersLimit < limit, Nanoclock.now() >= callersLimit { throw CancellationError() }
                throw Self.explain(error, what: "key \(key)", address: address, nanoseconds: loadNanosecondsMax)
            }
            return try payload(of: key, in: response)
        }

        package func beginPhase(_ index: Int) {
            phase.store(UInt16(clamping: index), ordering: .relaxed)
        }

        package func log(phase: Int) async throws -> OriginLog {
            let what = "the log of '\(trial)'"
            let route = OriginRoute.log(trial: trial, phase: UInt16(clamping: phase))
            return try decodedLog(await ask(route, .get, expecting: 200, what: what), what: what)
        }

        package func requestList() async throws -> OriginRequestList {
            let what = "the list of requests of '\(trial)'"
            let counts = try await ask(.log(trial: trial, phase: nil), .get, expecting: 200, what: what)
            let list = try await ask(.entries(trial: trial, phase: nil), .get, expecting: 200, what: what)
            do {
                return OriginRequestList(
                    entries: try OriginRequestList.entries(inCSV: list),
                    droppedCount: try decodedLog(counts, what: what).droppedEntries,
                    answeredFetchCount: mayDamageAnswers ? nil : answeredCount.load(ordering: .relaxed))
            } catch let error as OriginRequestList.Malformed {
                throw OriginError.badBody(what: what, reason: "\(error)")
            }
        }

        /// Frees the trial at the server and closes the connections.
        package func shutdown() async throws {
            let freed: Result<Data, any Error>
            do {
                freed = .success(try await ask(.trial(trial), .delete, expecting: 204, what: "freeing '\(trial)'"))
            } catch {
                freed = .failure(error)
            }
            threads.close()
            await tasks.close()
            _ = try freed.get()
        }

        private func valueRequest(_ key: UInt64) -> HTTPRequest {
            let route = OriginRoute.value(trial: trial, key: key, phase: phase.load(ordering: .relaxed))
            return HTTPRequest(.get, route.path, at: authority)
        }

        /// Sends a request other than a load, and reads the whole answer; a cancelled trial is still freed.
        private func ask(
            _ route: OriginRoute, _ method: HTTPRequest.Method, body: Data? = nil, expecting status: Int,
            what: String, seconds: UInt64 = requestSeconds
        ) async throws -> Data {
            let request = HTTPRequest(method, route.path, at: authority, body: body)
            let nanoseconds = Self.nanoseconds(seconds)
            let response: HTTPResponse
            do {
                response = try await tasks.uncancelledExchange(request, until: Self.deadline(nanoseconds))
            } catch {
                throw Self.explain(error, what: what, address: address, nanoseconds: nanoseconds)
            }
            return try self.body(of: response, expecting: status, what: what)
        }

        private func body(
            of response: HTTPResponse, expecting status: Int, what: String
        ) throws(OriginError) -> Data {
            guard response.status == status else {
                let text = String(decoding: response.body.prefix(500), as: UTF8.self).trimmingCharacters(
                    in: .whitespacesAndNewlines)
                throw .refused(what: what, status: response.status, text: text)
            }
            return response.body
        }

        private func payload(of key: UInt64, in response: HTTPResponse) throws(OriginError) -> Data {
            let data = try body(of: response, expecting: 200, what: "key \(key)")
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

        private func decodedLog(_ body: Data, what: String) throws(OriginError) -> OriginLog {
            let log: OriginLog
            do {
                log = try JSONDecoder().decode(OriginLog.self, from: body)
            } catch {
                throw .badBody(what: what, reason: "\(error)")
            }
            guard log.isPlausible else { throw .badBody(what: what, reason: "a count is out of range") }
            return log
        }

        private static func explain(
            _ failure: ExchangeFailure, what: String, address: String, nanoseconds: UInt64
        ) -> any Error {
            switch failure {
            case .cancelled: CancellationError()
            case .timedOut: OriginError.timedOut(what: what, nanoseconds: nanoseconds)
            case .unreachable(let reason): OriginError.unreachable(address: address, reason: reason)
            case .unusable(let reason): OriginError.badBody(what: what, reason: reason)
            }
        }

        private static func nanoseconds(_ seconds: UInt64) -> UInt64 {
            let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
            return overflows ? .max : product
        }

        /// The point in time after this many nanoseconds, clamped to the range of the type.
        private static func deadline(_ nanoseconds: UInt64, from now: UInt64 = Nanoclock.now()) -> UInt64 {
            let (sum, overflows) = now.addingReportingOverflow(nanoseconds)
            return overflows ? .max : sum
        }
    }

    extension OriginLog {
        /// Whether the counts are plausible for a trial, so that their sums can't overflow.
        fileprivate var isPlausible: Bool {
            let countMax: UInt64 = 1 << 48
            let pools = (pools ?? []).flatMap { [$0.requests, $0.duplicates] }
            let counts = [
                requests, duplicates, inFlight, failed, abandoned, faults, late, maxConcurrent, maxConcurrentPerKey,
                droppedEntries,
            ]
            return (counts + pools).allSatisfy { $0 <= countMax }
        }
    }
#endif
