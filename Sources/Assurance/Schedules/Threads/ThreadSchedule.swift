import CThreadControl

/// Threads that run one at a time in a chosen order. They need the library `ThreadSchedule`, which this process must
/// have loaded in front of the C library and libdispatch.
///
/// The time between two calls of ``begin(_:expectedSteps:)`` is one order. A single thread may use it.
final class ThreadSchedule {
    /// How a run of the threads ended.
    enum Ending: Hashable {
        /// No thread can continue.
        case quiet
        /// The run exceeded a limit, in words.
        case endless(String)
        /// A thread made a programming error.
        case misuse(thread: UInt8, String)
        /// Something that is not controlled would have run beside the order, on a queue that it uses.
        case outside
    }

    /// An order with more steps than this without progress counts as endless: the largest script takes some hundreds.
    private static let stepsMax: UInt64 = 20_000

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
    /// - Throws: ``ExplorationError`` if this process has not loaded it.
    static func required() throws(ExplorationError) -> ThreadSchedule {
        guard let schedule = loaded() else {
            throw ExplorationError(
                description: "the library that controls threads is not loaded; it needs Linux on x86-64, and a program "
                    + "that does not link the C library statically")
        }
        return schedule
    }

    /// A C function that says whether the calling thread is controlled.
    var isControlled: @convention(c) () -> Bool { library.is_controlled }

    /// Begins an order.
    ///
    /// - Parameter expectedSteps: about how many steps there will be; used to place the drops of priorities.
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
        case .pos: begun.policy = thread_policy_partial_orders
        case .preemptions: begun.policy = thread_policy_choices
        // The first two find most in the scripts that are made, and the third in long ones.
        case nil where order.seed % 8 == 0: begun.policy = thread_policy_priorities
        case nil: begun.policy = order.seed % 2 == 0 ? thread_policy_partial_orders : thread_policy_random
        }
        order.choices.withUnsafeBufferPointer { choices in
            begun.choices = choices.baseAddress
            begun.choice_count = choices.count
            library.begin(&begun)
        }
    }

    /// Adds a thread.
    ///
    /// - Returns: its number in the order; -1 if there are too many threads.
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

    /// Runs the threads until none can continue. Time passes as the order chooses, up to three times although a thread
    /// could run, until all added threads have ended, and then a few times more.
    ///
    /// - Parameter isOpening: whether time passes only while an added thread waits for it.
    func run(isOpening: Bool = false) -> Ending {
        switch library.run(!isOpening) {
        case thread_ending_endless: .endless("no end after \(Self.stepsMax) steps without progress")
        case thread_ending_waits: .endless("no end although time passed again and again")
        case thread_ending_misuse: misuse
        case thread_ending_outside: .outside
        default: .quiet
        }
    }

    private var misuse: Ending {
        var thread: UInt8 = 0
        let what = library.misuse(&thread).map { String(cString: $0) } ?? ""
        return .misuse(thread: thread, what)
    }

    /// Ends the order; threads that have not ended never continue.
    func end() { library.end() }

    /// Lets another thread continue; called by a thread of the order.
    ///
    /// - Parameter isHeld: whether all other threads run first.
    func pause(isHeld: Bool = false) { library.pause(isHeld) }

    /// A digest of all that the threads did.
    var digest: UInt64 { library.digest() }

    /// The operations seen so far whose order can't be controlled.
    var unseen: UnseenOrders { UnseenOrders(rawValue: library.unseen()) }

    /// The kinds of steps that threads made in the order so far.
    var switchPoints: SwitchPoints { SwitchPoints(rawValue: library.operations()) }

    /// The points at which several threads could continue.
    var decisions: [PreemptionWalk.Decision] {
        var count = 0
        guard let first = library.decisions(&count) else { return [] }
        return UnsafeBufferPointer(start: first, count: count).map {
            PreemptionWalk.Decision(chosen: $0.chosen, count: $0.count, canContinue: $0.can_continue)
        }
    }

    /// The steps of the threads, if they were recorded.
    var events: [thread_event] {
        var count = 0
        guard let first = library.events(&count) else { return [] }
        return Array(UnsafeBufferPointer(start: first, count: count))
    }

    /// How many steps were recorded.
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

    /// A shared object, by its number.
    func object(_ number: UInt32) -> thread_object_status { library.object(number) }
}

/// The body of a thread, as an object that C can hold.
private final class ThreadBody {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    func carryOut() { body() }
}
