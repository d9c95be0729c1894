import Locks
public import Synchronization

// How callers begin a load, wait for it and leave it, and how it ends.

extension SharedLoads {
    /// How many loads have inserted so far. Read before a lookup, it shows whether the lookup came too early.
    @inlinable
    @inline(__always)
    package var mark: UInt64 { landings.load(ordering: .acquiring) }

    /// Joins the load of a key, or begins one. O(1).
    ///
    /// A caller with a higher priority than the load that it joins raises the priority of the load's task, so that it
    /// does not wait behind others.
    ///
    /// - Parameters:
    ///   - mark: read before the caller's lookup; `nil` if nothing can have happened since.
    ///   - isOnThread: whether the caller fetches on its own thread if it is the first.
    /// - Throws: if the caller is part of the fetch that it would join.
    @usableFromInline
    package func enter(
        _ key: Key, since mark: UInt64?, isOnThread: Bool
    ) throws(SelfLoadError) -> SharedLoadPlace<Key, Value> {
        let priority = TaskPriority.ofCaller
        var raised: Task<Void, Never>?
        // Outside the lock, because escalating the priority may call the task's handlers at once.
        defer { raised?.escalatePriority(to: priority) }
        return try table.withLock { table throws(SelfLoadError) in
            if let ticket = table.register.joinable(key) {
                if LoadLineage.holds(ticket.number, of: self) { throw SelfLoadError(key: "\(key)") }
                raised = table.flights[ticket.number]?.join(at: priority)
                let (waiter, number) = table.wait(for: ticket)
                return SharedLoadPlace(
                    ticket: ticket, waiter: waiter, number: number, isFirst: false, mustLookAgain: false)
            }
            let ticket = table.register.begin(key)
            table.flights[ticket.number] = .init(key: key, isOnThread: isOnThread, priority: priority)
            let place: (waiter: SharedLoadTable<Key, Value>.Waiter?, number: UInt64) =
                isOnThread ? (nil, 0) : table.wait(for: ticket)
            let isLate = mark.map { $0 != landings.load(ordering: .relaxed) } ?? false
            return SharedLoadPlace(
                ticket: ticket, waiter: place.waiter, number: place.number, isFirst: true, mustLookAgain: isLate)
        }
    }

    /// Starts a task that fetches, for the first caller.
    ///
    /// - Parameter end: called once the fetch has ended; it ends the load.
    @usableFromInline
    package func start(
        _ place: SharedLoadPlace<Key, Value>, _ fetch: @escaping Fetch,
        end: @escaping @Sendable (SharedLoadPlace<Key, Value>, Result<Value, any Error>) async -> Void
    ) {
        // Concurrent, because it would otherwise fetch and decode inside the caller's actor.
        let task = Task { @concurrent in
            let result: Result<Value, any Error>
            do {
                let lineage = LoadLineage(place.ticket.number, of: self)
                result = .success(try await LoadLineage.$current.withValue(lineage) { try await fetch() })
            } catch {
                result = .failure(error)
            }
            await end(place, result)
        }
        // The caller waits, so the load can't have been abandoned yet. Callers of higher priority may have joined it.
        let priority = table.withLock { table in
            table.flights[place.ticket.number]?.task = task
            return table.flights[place.ticket.number]?.priority
        }
        if let priority, TaskPriority.ofCaller < priority { task.escalatePriority(to: priority) }
    }

    /// Suspends until a load ends or this caller is cancelled.
    @usableFromInline
    package func wait(at place: SharedLoadPlace<Key, Value>) async throws -> Value {
        guard let waiter = place.waiter else { throw LoadHandedOver() }
        return try await withTaskCancellationHandler {
            try await waiter.suspendedResult().get()
        } onCancel: {
            leave(place)
        }
    }

    /// Blocks until a load ends, or until this caller's time limit is over.
    @usableFromInline
    func waitBlocking(at place: SharedLoadPlace<Key, Value>, atMost limit: Duration?) throws -> Value {
        guard let waiter = place.waiter else { throw LoadHandedOver() }
        guard let limit else { return try waiter.wait().get() }
        if let result = waiter.wait(atMost: limit) { return try result.get() }
        leave(place)
        // The load's own result, if the load has ended at the same moment.
        return try waiter.wait().get()
    }

    /// A caller no longer waits. Does nothing when the load has ended.
    private func leave(_ place: SharedLoadPlace<Key, Value>) {
        guard let (waiter, abandoned) = table.withLock({ $0.leave(place.ticket, place.number) }) else { return }
        abandoned?.cancel()
        waiter.open(with: .failure(CancellationError()))
    }

    /// A load has fetched: returns whether to insert its value. ``conclude(_:_:hasLanded:)`` follows in any case.
    @usableFromInline
    func lands(_ place: SharedLoadPlace<Key, Value>) -> Bool {
        table.withLock { $0.register.beginLanding(place.ticket) }
    }

    /// A load ends: it is removed from the tables, and the waiting callers get their answer.
    @usableFromInline
    func conclude(_ place: SharedLoadPlace<Key, Value>, _ result: Result<Value, any Error>, hasLanded: Bool) {
        let (waiters, held) = table.withLock { table in
            var held: [Latch<Void>] = []
            if hasLanded {
                table.register.endLanding(place.ticket)
                landings.wrappingAdd(1, ordering: .releasing)
                swap(&held, &table.held)
            }
            table.register.end(place.ticket)
            return (table.flights.removeValue(forKey: place.ticket.number)?.waiters ?? [:], held)
        }
        for latch in held { latch.open(with: ()) }
        // In the order in which the callers came, so that a schedule is the same in every process.
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.open(with: result) }
    }

    /// Ends a load in a cache that inserts in one step with this call, as inside an actor.
    package func end(
        _ place: SharedLoadPlace<Key, Value>, _ result: Result<Value, any Error>, insert: (Value) -> Void
    ) {
        guard case .success(let value) = result, lands(place) else {
            return conclude(place, result, hasLanded: false)
        }
        insert(value)
        conclude(place, result, hasLanded: true)
    }
}

extension TaskPriority {
    /// The priority of the calling task; a thread without a task counts as `medium`.
    fileprivate static var ofCaller: TaskPriority {
        // Outside tasks Swift returns 0.
        Task.currentPriority.rawValue == 0 ? .medium : Task.currentPriority
    }
}

/// Loads of callers whose lookup has missed.
extension SharedLoads {
    /// ``load(_:find:insert:fetch:)`` after the first lookup.
    @usableFromInline
    package func loadMissed(
        _ key: Key, since mark: UInt64, find: () async -> Value?,
        insert: @escaping @Sendable (Value) async -> Void, fetch: @escaping Fetch
    ) async throws -> Loaded<Value> {
        var mark = mark
        while true {
            // A caller that won't wait for the answer must not start a fetch.
            try Task.checkCancellation()
            let place = try enter(key, since: mark, isOnThread: false)
            if place.isFirst {
                if place.mustLookAgain, let value = await find() { return handOver(place, value) }
                start(place, fetch) { [self] place, result in
                    guard case .success(let value) = result, lands(place) else {
                        return conclude(place, result, hasLanded: false)
                    }
                    await insert(value)
                    conclude(place, result, hasLanded: true)
                }
            }
            do {
                return Loaded(try await wait(at: place), place.isFirst ? .loaded : .joined)
            } catch is LoadHandedOver {
                mark = self.mark
                if let value = await find() { return Loaded(value, .hit) }
            }
        }
    }

    /// ``loadBlocking(_:find:insert:fetch:)`` after the first lookup.
    ///
    /// - Parameter limit: how long the caller waits for another caller's fetch; then it throws `CancellationError`.
    @usableFromInline
    package func loadMissedBlocking(
        _ key: Key, since mark: UInt64, waitingAtMost limit: Duration? = nil, find: () -> Value?,
        insert: (Value) -> Void, fetch: () throws -> Value
    ) throws -> Loaded<Value> {
        var mark = mark
        while true {
            let place = try enter(key, since: mark, isOnThread: true)
            if place.isFirst {
                if place.mustLookAgain, let value = find() { return handOver(place, value) }
                return Loaded(try fetched(place, insert: insert, fetch: fetch), .loaded)
            }
            do {
                return Loaded(try waitBlocking(at: place, atMost: limit), .joined)
            } catch is LoadHandedOver {
                mark = self.mark
                if let value = find() { return Loaded(value, .hit) }
            }
        }
    }

    /// Fetches on this thread and ends the load.
    private func fetched(
        _ place: SharedLoadPlace<Key, Value>, insert: (Value) -> Void, fetch: () throws -> Value
    ) throws -> Value {
        let value: Value
        do {
            let lineage = LoadLineage(place.ticket.number, of: self)
            value = try LoadLineage.$current.withValue(lineage) { try fetch() }
        } catch {
            // A thread that gives up ends its fetch too, but the other callers have not given up.
            conclude(place, .failure(error is CancellationError ? LoadHandedOver() : error), hasLanded: false)
            throw error
        }
        end(place, .success(value), insert: insert)
        return value
    }

    /// Ends a load without a fetch, because its caller has found the value after all. The other callers will find it
    /// too.
    private func handOver(_ place: SharedLoadPlace<Key, Value>, _ value: Value) -> Loaded<Value> {
        conclude(place, .failure(LoadHandedOver()), hasLanded: false)
        return Loaded(value, .hit)
    }
}
