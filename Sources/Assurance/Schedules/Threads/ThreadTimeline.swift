import CThreadControl
import TrialModel

/// The names of an order's threads.
struct ThreadNames {
    /// The thread that gives tasks' jobs to its workers, and answers fetches.
    static let pool = "the pool"
    /// The callers of the script, by their numbers in the order.
    var callers: [Int: String] = [:]
    /// How many steps there were before the callers were added.
    var stepsBefore = 0
    /// How many steps there were when all callers had returned; what the harness itself calls then shows nothing.
    var stepsMax = Int.max
}

/// The steps of an order as text, with files and lines if they were recorded.
///
/// ```
/// client 1  locks lock 1            Cache.swift:31 in value(forKey:)
///           unlocks lock 1          Cache.swift:34 in value(forKey:)
/// client 2  locks lock 1            Cache.swift:40 in insert(_:forKey:cost:)
/// ```
struct ThreadTimeline {
    /// A longer timeline is cut in its middle.
    static let linesMax = 60

    private let schedule: ThreadSchedule
    private let names: ThreadNames
    private let events: [thread_event]
    private let places: CodePlaces

    init(_ schedule: ThreadSchedule, _ names: ThreadNames) {
        self.schedule = schedule
        self.names = names
        events = Array(schedule.events.prefix(names.stepsMax))
        places = CodePlaces(events.flatMap(Self.frames))
    }

    /// One line for each step but those that every order has: a thread ends, and the pool hands out a job. The thread is named
    /// where the running thread changes.
    var lines: [String] {
        var ended: Set<UInt8> = []
        var rows: [(name: String, what: String, place: String)] = []
        var last: UInt8?
        for event in events.dropFirst(names.stepsBefore) {
            if Self.operation(event) == thread_ends {
                ended.insert(event.thread)
                last = nil
                continue
            }
            let name = ended.contains(event.thread) ? "worker \(event.thread)" : name(event.thread)
            let place = places.line(Self.frames(event))
            let isOfPool = Self.operation(event) == thread_pauses && place.isEmpty && name == ThreadNames.pool
            guard !isOfPool else { continue }
            rows.append((event.thread == last ? "" : name, what(event), place))
            last = event.thread
        }
        let nameWidth = rows.map(\.name.count).max() ?? 0
        let whatWidth = rows.map(\.what.count).max() ?? 0
        let all = rows.map { row in
            let text =
                DisplayWidth.padded(row.name, to: nameWidth) + "  " + DisplayWidth.padded(row.what, to: whatWidth)
                + "  " + row.place
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
        guard all.count > Self.linesMax else { return all }
        return all.prefix(Self.linesMax / 2) + ["… \(all.count - Self.linesMax) more steps …"]
            + all.suffix(Self.linesMax / 2)
    }

    /// The name of a thread.
    func name(_ thread: UInt8) -> String { names.callers[Int(thread)] ?? "thread \(thread)" }

    /// The place of a step, for a suffix in parentheses; empty if the place was not recorded.
    func suffix(_ event: thread_event) -> String {
        let place = places.line(Self.frames(event))
        return place.isEmpty ? "" : " (\(place))"
    }

    /// The objects that a thread holds and waits for, with the places.
    func situation(_ thread: thread_status) -> String {
        var text = name(thread.thread)
        let held = held(by: thread.thread)
        if !held.isEmpty { text += " holds " + held.joined(separator: ", ") + " and" }
        if thread.object == 0 { return text + " \(Self.verb(UInt32(thread.operation)))" + suffix(step: thread.event) }
        let object = schedule.object(thread.object)
        text += " waits for " + Self.noun(object, thread.object) + suffix(step: thread.event)
        if object.owner >= 0 { text += ", which \(name(UInt8(clamping: object.owner))) holds" }
        return text
    }

    private func held(by thread: UInt8) -> [String] {
        var held: [String] = []
        var number: UInt32 = 1
        while true {
            let object = schedule.object(number)
            guard object.kind != UInt8(thread_object_none.rawValue) else { return held }
            if object.owner == Int16(thread) || object.sharers >> UInt64(thread) & 1 == 1 {
                held.append(Self.noun(object, number) + suffix(step: object.event))
            }
            number += 1
        }
    }

    private func suffix(step: Int32) -> String {
        events.indices.contains(Int(step)) ? suffix(events[Int(step)]) : ""
    }

    private func what(_ event: thread_event) -> String {
        let verb = Self.verb(UInt32(event.operation))
        if Self.operation(event) == thread_pauses {
            return places.line(Self.frames(event)).isEmpty ? "continues with its next operation" : "fetches"
        }
        guard event.object != 0 else { return Self.operation(event) == thread_times_out ? "wakes at its time" : verb }
        return "\(verb) \(Self.noun(schedule.object(event.object), event.object))"
    }

    private static func operation(_ event: thread_event) -> thread_operation {
        thread_operation(rawValue: UInt32(event.operation))
    }

    private static func verb(_ operation: UInt32) -> String {
        let verbs = [
            "starts", "ends", "locks", "tries to lock", "unlocks", "locks for reading", "locks for writing",
            "waits at", "signals", "broadcasts", "waits at", "posts", "starts a thread", "joins", "yields", "sleeps",
            "enters", "submits to", "leaves", "waits for", "changes", "initialises", "calls", "cancels",
            "waited long enough for",
            "reads", "sets", "changes", "waits at", "wakes", "waits at", "divides", "wakes without a signal at",
        ]
        let index = Int(operation)
        return verbs.indices.contains(index) ? verbs[index] : "continues"
    }

    private static func noun(_ object: thread_object_status, _ number: UInt32) -> String {
        let nouns = [
            "nothing", "lock", "read-write lock", "condition", "semaphore", "thread", "queue", "group", "initialiser",
            "work item", "atomic", "barrier",
        ]
        let kind = Int(object.kind)
        return "\(nouns.indices.contains(kind) ? nouns[kind] : "object") \(number)"
    }

    private static func frames(_ event: thread_event) -> [UInt] {
        var event = event
        return withUnsafeBytes(of: &event.frames) { bytes in
            Array(bytes.bindMemory(to: UInt.self).prefix(Int(event.frame_count)))
        }
    }
}
