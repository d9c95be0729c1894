import Foundation
import NIOCore
import NIOHTTP1
import Origins
import TrialModel

/// Decides how a request is answered. The routing is hand-written: there are five routes, and values are requested tens
/// of thousands of times a second.
struct FixtureResponder: Sendable {
    /// What is done with a request.
    enum Decision {
        case answer(Answer)
        /// A value to load; its arrival is already logged.
        case load(Load)
        /// A trial to be registered by ``register(_:_:)``, which takes too long for an event loop.
        case registration(trial: String)
    }

    let registry: TrialRegistry
    let bodyByteCountMax: Int

    func decide(_ request: IncomingRequest) -> Decision {
        let route: OriginRoute
        do {
            route = try request.route()
        } catch {
            return .answer(.text(error.isUnknown ? .notFound : .badRequest, error.text))
        }
        switch (route, request.head.method) {
        case (.value(let id, let key, let phase), .GET):
            guard let trial = registry.trial(id) else { return .answer(.unknownTrial(id)) }
            return .load(Load(key: key, phase: phase, of: trial))
        case (.trial(let id), .PUT): return .registration(trial: id)
        case (.trial(let id), .DELETE):
            return .answer(registry.remove(id) ? Answer(status: .noContent) : .unknownTrial(id))
        case (.log(let id, let phase), .GET):
            guard let trial = registry.trial(id) else { return .answer(.unknownTrial(id)) }
            return .answer(.json(trial.log(phase: phase)))
        case (.entries(let id, let phase), .GET):
            guard let trial = registry.trial(id) else { return .answer(.unknownTrial(id)) }
            return .answer(.csv(OriginLogTable(entries: trial.entries, phase: phase)))
        case (.help, .GET): return .answer(.text(.ok, HelpPage.text))
        case (_, let method):
            return .answer(.text(.methodNotAllowed, "\(method.rawValue) is not allowed here; GET / lists the methods"))
        }
    }

    /// Registers a trial and encodes the values that it wants prepared.
    func register(_ id: String, _ request: IncomingRequest) async -> Answer {
        guard !request.isTooLong else {
            return .text(.payloadTooLarge, "the body has more than \(bodyByteCountMax) bytes")
        }
        do {
            let body = Data(request.body.readableBytesView)
            let registration = try JSONDecoder().decode(TrialRegistration.self, from: body)
            let trial = try registry.register(registration, as: id)
            try await trial.templates.prepare(trial.registration.preparedKeys)
            return Answer(status: .noContent)
        } catch let error as DecodingError {
            return .text(.badRequest, "the body is not a registration: \(error.reason)")
        } catch let error as FixtureServerError {
            return .text(error.isConflict ? .conflict : .badRequest, error.description)
        } catch is CancellationError {
            return .text(.serviceUnavailable, "the server is stopping")
        } catch {
            return .text(.badRequest, "the registration failed: \(error)")
        }
    }
}

extension FixtureServerError {
    fileprivate var isConflict: Bool {
        switch self {
        case .tooManyTrials, .valuesTooLarge: true
        case .badTrialName, .badRegistration: false
        }
    }
}

extension DecodingError {
    /// What is wrong and where, in one line.
    fileprivate var reason: String {
        switch self {
        case .keyNotFound(let key, let context):
            "'\((context.codingPath + [key]).dotted)' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? context.debugDescription : "'\(context.codingPath.dotted)': \(context.debugDescription)"
        @unknown default: "\(self)"
        }
    }
}

extension [any CodingKey] {
    fileprivate var dotted: String { map(\.stringValue).joined(separator: ".") }
}

/// A request as it was received.
struct IncomingRequest: Sendable {
    let head: HTTPRequestHead
    private(set) var body = ByteBuffer()
    /// Whether the body exceeded the limit of what is kept.
    private(set) var isTooLong = false

    /// Appends a part of the body, up to the limit.
    mutating func append(_ part: ByteBuffer, byteCountMax: Int) {
        guard !isTooLong else { return }
        if body.readableBytes + part.readableBytes <= byteCountMax {
            body.writeImmutableBuffer(part)
        } else {
            isTooLong = true
            body = ByteBuffer()
        }
    }

    /// Whether another request may follow. After a request to switch protocols, NIO's decoder reads no more.
    var keepsAlive: Bool {
        head.isKeepAlive && head.version == .http1_1 && head.method != .CONNECT
            && !head.headers.contains(name: "upgrade")
    }

    /// The requested route.
    func route() throws(OriginRoute.Mistake) -> OriginRoute {
        var path = head.uri[...]
        // A request to a proxy has the whole address, and every server must accept that form.
        if path.utf8.starts(with: "http://".utf8) {
            let address = path.utf8.dropFirst("http://".utf8.count)
            path = path[(address.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex)...]
        }
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return try OriginRoute(path: path, query: nil)
        }
        return try OriginRoute(path: path[..<mark], query: path[path.utf8.index(after: mark)...])
    }
}

/// The page that `GET /` returns.
enum HelpPage {
    static let text = """
        CacheTrials fixture server: the origin from which caches load.

        PUT    /trials/<id>                        register a trial; the body describes its values:
               {"seed": 1,
                "values": {"kind": "image", "size": {"fixed": {"_0": 65536}}},
                "origin": {"kind": "server", "delay": {"fixed": {"_0": 20000000}}}}
               kind: image, article, bytes; size in bytes once decoded; delay in nanoseconds; both may be
               {"uniform": {"min": 1, "max": 2}}, {"logNormal": {"median": 1, "p99": 2, "max": 3}} or
               {"table": {"_0": [{"amount": 1, "weight": 0.5}, {"amount": 2, "weight": 0.5}]}}
               "origin" may have "faults": [{"kind": "server-error", "probability": 0.05}], and a fault may have
               "keys": [0, 100], "attempts": {"first": 1, "count": 2, "every": 10},
               and, if it is a "slow-answer", "time" in nanoseconds; keys [0, 100] are those from 0 to 99
               "preparedKeyCount": 100 (optional) encodes the values of the first keys before the answer
        GET    /trials/<id>/values/<key>?phase=<n> the payload of a key (a whole number), after the delay
        GET    /trials/<id>/log?phase=<n>          counts: requests, duplicates, inFlight, failed and more
        GET    /trials/<id>/log/entries?phase=<n>  every request as CSV, times in ns of the monotonic clock
        DELETE /trials/<id>                        free a trial

        phase may be left out: a value then counts in phase 0, and a log covers all phases.

        Try:  curl -X PUT --data @registration.json http://<host>:<port>/trials/example
              curl -o picture.png http://<host>:<port>/trials/example/values/7

        """
}
