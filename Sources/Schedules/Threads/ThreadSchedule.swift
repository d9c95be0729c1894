import CThreadControl

/// Threads that run one at a time, in an order that is chosen: the library `ThreadSchedule`, where this process has
/// loaded it in front of the C library and libdispatch.
///
/// What happens between two calls of ``begin(_:expectedSteps:)`` is one order. Used by one thread.
final class ThreadSchedule {
    /// How a run of the threads came to its end.
    enum Ending {
        /// None can go on.
        case quiet
        /// There were too many steps.
        case endless
        /// A thread did what is never right.
        case misuse(thread: UInt8, String)
    }

    /// An order of more steps than this is taken for one that never ends: the largest script comes to some hundreds.
    static let stepsMax: UInt64 = 20_000

    private let library: thread_schedule

    private init(_ library: thread_schedule) {
        self.library = library
    }

    /// The library; `nil` where this process has not loaded it.
    static func loaded() -> ThreadSchedule? {
        guard let library = thread_schedule_find() else { return nil }
        return ThreadSchedule(library.pointee)
    }

    /// The library.
    ///
    /// - Throws: ``ExplorationError`` where this process has not loaded it.
    static func required() throws(ExplorationError) -> ThreadSchedule {
        guard let schedule = loaded() else {
            throw ExplorationError(
                description: "the library that orders threads is not loaded; it can't be where the program holds the C "
                    + "library itself, and is made for Linux on x86-64")
        }
        return schedule
    }

    /// Whether the calling thread is one of an order, as a function of C.
    var isControlled: @convention(c) () -> Bool { library.is_controlled }

    /// Begins an order.
    ///
    /// - Parameter expectedSteps: about how many steps there will be; says where priorities may fall.
    func begin(_ order: ScheduleOrder, expectedSteps: Int) {
        var begun = thread_order()
        begun.seed = order.seed
        begun.depth = 3
        begun.expected_steps = UInt32(clamping: expectedSteps)
        begun.steps_max = Self.stepsMax
        begun.is_traced = order.isTraced
        switch order.choice {
        case .random: begun.policy = thread_policy_random
        case .pct: begun.policy = thread_policy_priorities
        case .preemptions: begun.policy = thread_policy_choices
        // Taken by turns, so that both are among the first few orders of every script.
        case nil: begun.policy = order.seed % 2 == 0 ? thread_policy_random : thread_policy_priorities
        }
        order.choices.withUnsafeBufferPointer { choices in
            begun.choices = choices.baseAddress
            begun.choice_count = choices.count
            library.begin(&begun)
        }
    }

    /// Adds a thread.
    ///
    /// - Returns: its number in the order; -1 where there are too many.
    @discardableResult
    func add(_ body: @escaping () -> Void) -> Int {
        let context = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
        let number = library.add(
            { context in
                guard let context else { return }
                Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().carryOut()
            }, context)
        return Int(number)
    }

    /// Lets threads run until none can go on.
    func run() -> Ending {
        switch library.run() {
        case thread_ending_endless: .endless
        case thread_ending_misuse: misuse
        default: .quiet
        }
    }

    private var misuse: Ending {
        var thread: UInt8 = 0
        let what = library.misuse(&thread).map { String(cString: $0) } ?? ""
        return .misuse(thread: thread, what)
    }

    /// Ends the order; what has not ended never goes on.
    func end() { library.end() }

    /// Lets another thread go on; called by a thread of the order.
    ///
    /// - Parameter isHeld: whether all others go first.
    func pause(isHeld: Bool = false) { library.pause(isHeld) }

    /// All that threads did, as a number.
    var digest: UInt64 { library.digest() }

    /// What was noticed that can't be put in order.
    var unseen: UnseenOrders { UnseenOrders(rawValue: library.unseen()) }

    /// The points at which several threads could go on.
    var decisions: [PreemptionWalk.Decision] {
        var count = 0
        guard let first = library.decisions(&count) else { return [] }
        return UnsafeBufferPointer(start: first, count: count).map {
            PreemptionWalk.Decision(chosen: $0.chosen, count: $0.count, canContinue: $0.can_continue)
        }
    }

    /// The steps of the threads, where they were written down.
    var events: [thread_event] {
        var count = 0
        guard let first = library.events(&count) else { return [] }
        return Array(UnsafeBufferPointer(start: first, count: count))
    }

    /// How many steps were written down.
    var eventCount: Int {
        var count = 0
        _ = library.events(&count)
        return count
    }

    /// The threads that have not ended.
    var threads: [thread_status] {
        var list = [thread_status](repeating: thread_status(), count: 64)
        let count = list.withUnsafeMutableBufferPointer { library.threads($0.baseAddress, $0.count) }
        return Array(list.prefix(count))
    }

    /// What threads share, by its number.
    func object(_ number: UInt32) -> thread_object_status { library.object(number) }
}

/// What a thread does, as something that C can hold.
private final class ThreadBody {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    func carryOut() { body() }
}
