import CacheStrategies
import EvictionPolicies
import Foundation
import Locks
import Origins
import PersistentStrategies
import Schedules
package import TimedStrategies

extension StrategyRegistry {
    /// The strategies that this program can test: the built-in ones, and those that the program added.
    ///
    /// It is global to the process and not passed as a value, because the command line's help and completions are
    /// static.
    package static var current: StrategyRegistry { registered.withLock { $0 } }

    private static let registered = Locked(StrategyRegistry.builtIn)

    /// Adds strategies to ``current``; called once, before the command line is read.
    ///
    /// - Throws: ``StrategyNameError``; nothing is added then.
    package static func add(_ own: [Strategy], reserved: Set<String>) throws(StrategyNameError) {
        let extended = try current.adding(own, reserved: reserved)
        registered.withLock { $0 = extended }
    }

    /// The store of `lru`, or of `fifo`, behind each other way of callers to wait for each other.
    private static var synchronized: [Strategy] {
        [
            Strategy(
                LRUBehind<FoundationLock, Int, Payload>.self, LRUBehind<FoundationLock, String, Payload>.self,
                LRUBehind<FoundationLock, URL, Payload>.self
            ).exploring(LRUBehind<FoundationLock, Int, ScheduleValue>.self),
            Strategy(
                LRUBehind<SwiftMutex, Int, Payload>.self, LRUBehind<SwiftMutex, String, Payload>.self,
                LRUBehind<SwiftMutex, URL, Payload>.self
            ).exploring(LRUBehind<SwiftMutex, Int, ScheduleValue>.self).withoutVerdictOnRaces(
                "Thread Sanitizer does not model how threads wait for a Mutex, and reports races in correct code"),
            Strategy(
                LRUBehind<SemaphoreLock, Int, Payload>.self, LRUBehind<SemaphoreLock, String, Payload>.self,
                LRUBehind<SemaphoreLock, URL, Payload>.self
            ).exploring(LRUBehind<SemaphoreLock, Int, ScheduleValue>.self),
            Strategy(
                LRUBehind<SerialQueue, Int, Payload>.self, LRUBehind<SerialQueue, String, Payload>.self,
                LRUBehind<SerialQueue, URL, Payload>.self
            ).exploring(LRUBehind<SerialQueue, Int, ScheduleValue>.self),
            Strategy(
                BarrierLRUCache<Int, Payload>.self, BarrierLRUCache<String, Payload>.self,
                BarrierLRUCache<URL, Payload>.self
            ).exploring(BarrierLRUCache<Int, ScheduleValue>.self),
            Strategy(
                BarrierFIFOCache<Int, Payload>.self, BarrierFIFOCache<String, Payload>.self,
                BarrierFIFOCache<URL, Payload>.self
            ).exploring(BarrierFIFOCache<Int, ScheduleValue>.self),
            Strategy(
                ActorLRUCache<Int, Payload>.self, ActorLRUCache<String, Payload>.self,
                ActorLRUCache<URL, Payload>.self
            ).exploring(ActorLRUCache<Int, ScheduleValue>.self),
        ].map { $0.namedOnly(in: "synchronized") }
    }

    /// `lru` and a meter that is told of its requests.
    private static var metered: Strategy {
        Strategy(
            Metered<LRUCache<Int, Payload>>.self, Metered<LRUCache<String, Payload>>.self,
            Metered<LRUCache<URL, Payload>>.self
        ).exploring(Metered<LRUCache<Int, ScheduleValue>>.self).namedOnly(in: "meters")
    }

    /// A policy behind one lock, compiled for its type.
    @inline(__always)
    private static func policy<Policy: LivePolicy & ~Copyable>(_ type: Policy.Type) -> Strategy {
        Strategy(
            PolicyCache<Int, Payload, Policy>.self, PolicyCache<String, Payload, Policy>.self,
            PolicyCache<URL, Payload, Policy>.self
        ).exploring(PolicyCache<Int, ScheduleValue, Policy>.self)
    }

    /// The strategies of this package. This is the only list of them.
    package static let builtIn = StrategyRegistry(
        [
            Strategy(
                BarrierNSCache<Int, Payload>.self, BarrierNSCache<String, Payload>.self,
                BarrierNSCache<URL, Payload>.self
            ).exploring(BarrierNSCache<Int, ScheduleValue>.self),
            Strategy(
                DualCache<Int, Payload>.self, DualCache<String, Payload>.self,
                DualCache<URL, Payload>.self
            ).exploring(DualCache<Int, ScheduleValue>.self),
            Strategy(
                ActorCache<Int, Payload>.self, ActorCache<String, Payload>.self, ActorCache<URL, Payload>.self
            ).exploring(by: .actor),
            Strategy(
                LRUCache<Int, Payload>.self, LRUCache<String, Payload>.self,
                LRUCache<URL, Payload>.self
            ).exploring(LRUCache<Int, ScheduleValue>.self),
            policy(LiveFIFO.self),
            policy(LiveCLOCK.self),
            policy(LiveSIEVE.self),
            policy(LiveS3FIFO.self),
            policy(LiveTwoQueue.self),
            policy(LiveARC.self),
            policy(LFUPolicy.self),
            policy(LiveWTinyLFU.self),
            policy(LiveLIRS.self),
            policy(LiveSLRU.self),
            policy(LiveCAR.self),
            policy(LiveS4FIFO.self),
            policy(LiveClock2QPlus.self),
            policy(LiveGDSF.self),
            Strategy(
                LRUBehind<ReadWriteLock, Int, Payload>.self, LRUBehind<ReadWriteLock, String, Payload>.self,
                LRUBehind<ReadWriteLock, URL, Payload>.self
            ).exploring(LRUBehind<ReadWriteLock, Int, ScheduleValue>.self),
            Strategy(
                ShardedLRUCache<Int, Payload>.self, ShardedLRUCache<String, Payload>.self,
                ShardedLRUCache<URL, Payload>.self
            ).exploring(ShardedLRUCache<Int, ScheduleValue>.self),
            Strategy(
                ShardedS3FIFOCache<Int, Payload>.self, ShardedS3FIFOCache<String, Payload>.self,
                ShardedS3FIFOCache<URL, Payload>.self
            ).exploring(ShardedS3FIFOCache<Int, ScheduleValue>.self),
            Strategy(
                ConcurrentSIEVECache<Int, Payload>.self, ConcurrentSIEVECache<String, Payload>.self,
                ConcurrentSIEVECache<URL, Payload>.self
            ).exploring(ConcurrentSIEVECache<Int, ScheduleValue>.self),
            Strategy(
                DiskCache<Int, Payload>.self, DiskCache<String, Payload>.self, DiskCache<URL, Payload>.self
            ).exploring(DiskCache<Int, ScheduleValue>.self),
            Strategy(
                ExpiringCache<Int, Payload>.self, ExpiringCache<String, Payload>.self,
                ExpiringCache<URL, Payload>.self
            ).exploring(ExpiringCache<Int, ScheduleValue>.self),
            Strategy(
                NoCache<Int, Payload>.self, NoCache<String, Payload>.self, NoCache<URL, Payload>.self
            ).exploring(NoCache<Int, ScheduleValue>.self),
            // The same bound, driven by tasks, so that no asynchronous strategy is compared with a bound on threads.
            Strategy(
                NoCache<Int, Payload>.self, NoCache<String, Payload>.self, NoCache<URL, Payload>.self
            ).named("none-tasks").drivenByTasks().exploring(by: .noCache).exploringShared(
                NoCache<Int, ScheduleValue>.self),
            Strategy(
                UnboundedCache<Int, Payload>.self, UnboundedCache<String, Payload>.self,
                UnboundedCache<URL, Payload>.self
            ).exploring(UnboundedCache<Int, ScheduleValue>.self),
            .ceiling,
            Strategy(
                UnsynchronizedCache<Int, Payload>.self, UnsynchronizedCache<String, Payload>.self,
                UnsynchronizedCache<URL, Payload>.self),
            Strategy(
                suspending: UnsynchronizedCache<Int, Payload>.self, UnsynchronizedCache<String, Payload>.self,
                UnsynchronizedCache<URL, Payload>.self
            ).named("unsynchronized-tasks").exploring(by: .unsynchronized)
                .exploringShared(UnsynchronizedCache<Int, ScheduleValue>.self),
            Strategy(
                StaleCache<Int, Payload>.self, StaleCache<String, Payload>.self,
                StaleCache<URL, Payload>.self
            ).exploring(StaleCache<Int, ScheduleValue>.self),
            Strategy(
                LeakyLoadsCache<Int, Payload>.self, LeakyLoadsCache<String, Payload>.self,
                LeakyLoadsCache<URL, Payload>.self),
            Strategy(
                PublishedBarrierNSCache<Int, Payload>.self, PublishedBarrierNSCache<String, Payload>.self,
                PublishedBarrierNSCache<URL, Payload>.self
            ).exploring(PublishedBarrierNSCache<Int, ScheduleValue>.self),
            Strategy(
                PublishedDualCache<Int, Payload>.self, PublishedDualCache<String, Payload>.self,
                PublishedDualCache<URL, Payload>.self
            ).exploring(PublishedDualCache<Int, ScheduleValue>.self),
            Strategy(
                PublishedActorCache<Int, Payload>.self, PublishedActorCache<String, Payload>.self,
                PublishedActorCache<URL, Payload>.self
            ).exploring(by: .publishedActor),
            Strategy(
                PublishedDiskCache<Int, Payload>.self, PublishedDiskCache<String, Payload>.self,
                PublishedDiskCache<URL, Payload>.self
            ).exploring(PublishedDiskCache<Int, ScheduleValue>.self),
            Strategy(
                PublishedExpiringCache<Int, Payload>.self, PublishedExpiringCache<String, Payload>.self,
                PublishedExpiringCache<URL, Payload>.self
            ).exploring(PublishedExpiringCache<Int, ScheduleValue>.self),
        ] + engines + synchronized + [metered])
}
