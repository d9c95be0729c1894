import Foundation
import NIOCore
import NIOHTTP1
import Origins
import TrialModel

/// Decides how a request is answered. The routing is hand-written: there are six routes, and values are requested tens
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
            let priority = LoadPriority(header: request.head.headers.first(name: "priority"))
            return .load(Load(key: key, phase: phase, priority: priority, of: trial))
        case (.priority(let id, let key), .PUT):
            guard let trial = registry.trial(id) else { return .answer(.unknownTrial(id)) }
            trial.slots?.raise(key)
            return .answer(Answer(status: .noContent))
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
            try await registry.register(registration, as: id).prepare()
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
        if case .tooManyTrials = self { true } else { false }
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
