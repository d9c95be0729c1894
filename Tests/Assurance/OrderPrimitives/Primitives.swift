#if os(Linux)
    import CPrimitives
    package import CacheStrategies
    import Foundation
    import Schedules
    package import TimedStrategies

    /// A way for threads to exclude each other, or to wait for each other.
    package protocol Primitive: Sendable {
        /// The name of the cache that uses it.
        static var name: String { get }
        /// The function in which an exploration hangs; empty for a loop, `nil` if the exploration controls the primitive.
        static var hangsIn: String? { get }
        init()
        func exclusively(_ body: () -> Void)
    }

    extension Primitive {
        package static var hangsIn: String? { nil }
    }

    /// A cache behind one primitive.
    package final class PrimitiveCache<Value: CacheableValue, Guard: Primitive>:
        SynchronousCacheStrategy, @unchecked Sendable
    {
        // Unchecked, because `entries` is mutable: the primitive guards it.
        private let primitive = Guard()
        private let lock = NSLock()
        private var entries: [Int: Value] = [:]

        package static var declaration: StrategyDeclaration {
            StrategyDeclaration(
                name: Guard.name, summary: "a primitive of the exploration", role: .control,
                promises: Promises(limit: .none))
        }

        package init(configuration: StrategyConfiguration) {}

        package func value(forKey key: Int) -> Value? {
            var found: Value?
            change { found = $0[key] }
            return found
        }

        package func insert(_ value: Value, forKey key: Int, cost: Int) { change { $0[key] = value } }

        package func removeValue(forKey key: Int) { change { $0[key] = nil } }

        package func removeAll() { change { $0.removeAll() } }

        package func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<Value> {
            try await loadUnshared(key, fetch: fetch)
        }

        /// Those that hang do so before they could exclude.
        private func change(_ body: (inout [Int: Value]) -> Void) {
            primitive.exclusively {
                if Guard.hangsIn == nil { body(&entries) } else { lock.withLock { body(&entries) } }
            }
        }
    }

    extension Primitives {
        /// Those that an exploration controls.
        package static let controlled: [Strategy] = [
            strategy(SpinLock.self), strategy(TimedMutex.self), strategy(TimedReadWriteLock.self),
            strategy(TimedSemaphore.self), strategy(Applied.self), strategy(Clock.self),
        ]

        /// Those in which it would hang, with the name of the call.
        package static let hanging: [(strategy: Strategy, call: String)] = [
            hanging(ReadingPipe.self), hanging(PollingPipe.self), hanging(SelectingPipe.self),
            hanging(ReceivingSocket.self), hanging(FileLock.self), hanging(KernelWait.self), hanging(MemoryLoop.self),
        ]

        private static func strategy<Guard: Primitive>(_: Guard.Type) -> Strategy {
            Strategy(PrimitiveCache<TrialValue, Guard>.self).exploring(PrimitiveCache<ScheduleValue, Guard>.self)
        }

        private static func hanging<Guard: Primitive>(_ type: Guard.Type) -> (Strategy, String) {
            (strategy(type), Guard.hangsIn ?? "")
        }
    }

    // Primitives that are controlled

    /// Memory that does not move.
    private final class Place<Content>: @unchecked Sendable {
        // Sound although unchecked: the pointer never changes, and its user guards the memory.
        let pointer = UnsafeMutablePointer<Content>.allocate(capacity: 1)

        deinit { pointer.deallocate() }

        /// Takes memory for so many values, and gives it back.
        @inline(never) static func allocate(_ count: Int) {
            UnsafeMutablePointer<Content>.allocate(capacity: count).deallocate()
        }
    }

    private struct SpinLock: Primitive {
        static let name = "sound-spin-lock"
        private let place = Place<pthread_spinlock_t>()

        init() { pthread_spin_init(place.pointer, 0) }

        func exclusively(_ body: () -> Void) {
            pthread_spin_lock(place.pointer)
            body()
            pthread_spin_unlock(place.pointer)
        }
    }

    private struct TimedMutex: Primitive {
        static let name = "sound-mutex-until"
        private let place = Place<pthread_mutex_t>()

        init() { pthread_mutex_init(place.pointer, nil) }

        func exclusively(_ body: () -> Void) {
            primitive_lock(place.pointer)
            body()
            pthread_mutex_unlock(place.pointer)
        }
    }

    private struct TimedReadWriteLock: Primitive {
        static let name = "sound-rwlock-until"
        private let place = Place<pthread_rwlock_t>()

        init() { pthread_rwlock_init(place.pointer, nil) }

        func exclusively(_ body: () -> Void) {
            primitive_lock_for_reading(place.pointer)
            pthread_rwlock_unlock(place.pointer)
            primitive_lock_for_writing(place.pointer)
            body()
            pthread_rwlock_unlock(place.pointer)
        }
    }

    private struct TimedSemaphore: Primitive {
        static let name = "sound-semaphore-until"
        private let place = Place<sem_t>()

        init() { sem_init(place.pointer, 0, 1) }

        func exclusively(_ body: () -> Void) {
            primitive_take(place.pointer)
            body()
            sem_post(place.pointer)
        }
    }

    private struct Applied: Primitive {
        static let name = "sound-apply"
        private let lock = NSLock()

        func exclusively(_ body: () -> Void) {
            withoutActuallyEscaping(body) { body in
                // One of the iterations works; each is sent to a thread, where it is called before this returns.
                nonisolated(unsafe) let work = body
                DispatchQueue.concurrentPerform(iterations: 3) { index in
                    lock.withLock { if index == 1 { work() } }
                }
            }
        }
    }

    /// Nothing but a look at the clock takes time: memory is allocated at no time of the order, although an allocator looks at
    /// the clock now and then. Otherwise changes would be lost.
    private struct Clock: Primitive {
        static let name = "sound-clock-beside-allocations"
        private let lock = NSLock()

        func exclusively(_ body: () -> Void) {
            lock.withLock {
                let start = ContinuousClock.now
                for size in 1...4_000 { Place<UInt64>.allocate(size) }
                let looks = (ContinuousClock.now - start) / .nanoseconds(100)
                if looks < 1.5 { body() }
            }
        }
    }

    // Primitives that hang: another thread would end the wait, but can't continue meanwhile

    private protocol Pipelike: Primitive {
        /// Waits until the first descriptor can be read.
        func wait(_ reader: Int32)
    }

    extension Pipelike {
        func exclusively(_ body: () -> Void) {
            var ends: [Int32] = [0, 0]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return }
            let writer = ends[1]
            DispatchQueue.global().async {
                _ = write(writer, "x", 1)
                close(writer)
            }
            wait(ends[0])
            close(ends[0])
            body()
        }
    }

    private struct ReadingPipe: Pipelike {
        static let name = "hangs-in-read"
        static let hangsIn: String? = "read"
        func wait(_ reader: Int32) {
            var byte: UInt8 = 0
            _ = read(reader, &byte, 1)
        }
    }

    private struct PollingPipe: Pipelike {
        static let name = "hangs-in-poll"
        static let hangsIn: String? = "poll"
        func wait(_ reader: Int32) {
            var watched = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            _ = poll(&watched, 1, -1)
        }
    }

    private struct SelectingPipe: Pipelike {
        static let name = "hangs-in-select"
        static let hangsIn: String? = "select"
        func wait(_ reader: Int32) {
            var readable = fd_set()
            withUnsafeMutableBytes(of: &readable) { bytes in bytes[Int(reader) / 8] |= 1 << UInt8(reader % 8) }
            _ = select(reader + 1, &readable, nil, nil, nil)
        }
    }

    private struct ReceivingSocket: Pipelike {
        static let name = "hangs-in-recv"
        static let hangsIn: String? = "recv"
        func wait(_ reader: Int32) {
            var byte: UInt8 = 0
            _ = recv(reader, &byte, 1, 0)
        }
    }

    private struct FileLock: Primitive {
        static let name = "hangs-in-flock"
        static let hangsIn: String? = "flock"

        func exclusively(_ body: () -> Void) {
            let (first, second) = (open("/proc/self/exe", O_RDONLY), open("/proc/self/exe", O_RDONLY))
            flock(first, LOCK_EX)
            DispatchQueue.global().async {
                sched_yield()
                flock(first, LOCK_UN)
                close(first)
            }
            flock(second, LOCK_EX)
            close(second)
            body()
        }
    }

    private struct KernelWait: Primitive {
        static let name = "hangs-in-kernel"
        static let hangsIn: String? = "a system call of its own"
        private let word = Place<UInt32>()

        func exclusively(_ body: () -> Void) {
            word.pointer.pointee = 0
            DispatchQueue.global().async { [word] in word.pointer.pointee = 1 }
            primitive_wait(word.pointer, 0)
            body()
        }
    }

    private struct MemoryLoop: Primitive {
        static let name = "hangs-in-loop"
        static let hangsIn: String? = "a loop"
        private let word = Place<UInt32>()

        func exclusively(_ body: () -> Void) {
            word.pointer.pointee = 0
            DispatchQueue.global().async { [word] in word.pointer.pointee = 1 }
            primitive_spin(word.pointer, 0)
            body()
        }
    }
#endif
