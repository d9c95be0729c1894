public import CacheStrategies
public import Payloads
import ScheduleExploration
import TrialModel

/// The strategies that can be put on trial. This is the only list of them.
package struct StrategyRegistry: Sendable {
    /// In the order in which `list strategies` prints them.
    package let registrations: [StrategyRegistration]

    package init(_ registrations: [StrategyRegistration]) {
        self.registrations = registrations
    }

    /// All names, in order.
    package var names: [String] { registrations.map(\.declaration.name) }

    /// The strategy with a name.
    package subscript(name: String) -> StrategyRegistration? {
        registrations.first { $0.declaration.name == name }
    }

    /// What a run takes when nothing is named: all that are sound, and the bounds, but for servers and engines.
    package var defaults: [StrategyRegistration] { registrations(of: .sound, .bound) }

    /// The strategies of some roles, in order, but for those that are run only where they are named.
    package func registrations(of roles: StrategyRole...) -> [StrategyRegistration] {
        registrations.filter { !$0.isNamedOnly && roles.contains($0.declaration.role) }
    }

    /// The strategies that are run only where they are named: servers and engines.
    package var namedOnly: [StrategyRegistration] { registrations.filter(\.isNamedOnly) }

    /// The strategies whose findings are expected and fail nothing: published ones and controls.
    package var unjudged: Set<String> {
        Set(registrations.map(\.declaration).filter { $0.role == .published || $0.role == .control }.map(\.name))
    }

    /// The strategies without any lock, which a race detector must flag: one on threads, one that suspends.
    package var unsynchronized: [StrategyRegistration] {
        ["unsynchronized", "unsynchronized-tasks"].compactMap { self[$0] }
    }

    /// The strategies of this package.
    package static let builtIn = StrategyRegistry(
        [
            StrategyRegistration(
                synchronous: BarrierNSCache<Int, Payload>.self, BarrierNSCache<String, Payload>.self,
                BarrierNSCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: DualCache<Int, Payload>.self, DualCache<String, Payload>.self,
                DualCache<TrialURL, Payload>.self),
            StrategyRegistration(
                ActorCache<Int, Payload>.self, ActorCache<String, Payload>.self, ActorCache<TrialURL, Payload>.self,
                explorer: .actor),
            StrategyRegistration(
                synchronous: LRUCache<Int, Payload>.self, LRUCache<String, Payload>.self,
                LRUCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: FIFOCache<Int, Payload>.self, FIFOCache<String, Payload>.self,
                FIFOCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: CLOCKCache<Int, Payload>.self, CLOCKCache<String, Payload>.self,
                CLOCKCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: SIEVECache<Int, Payload>.self, SIEVECache<String, Payload>.self,
                SIEVECache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: S3FIFOCache<Int, Payload>.self, S3FIFOCache<String, Payload>.self,
                S3FIFOCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: TwoQueueCache<Int, Payload>.self, TwoQueueCache<String, Payload>.self,
                TwoQueueCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: ARCCache<Int, Payload>.self, ARCCache<String, Payload>.self,
                ARCCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: LFUCache<Int, Payload>.self, LFUCache<String, Payload>.self,
                LFUCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: WTinyLFUCache<Int, Payload>.self, WTinyLFUCache<String, Payload>.self,
                WTinyLFUCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: LIRSCache<Int, Payload>.self, LIRSCache<String, Payload>.self,
                LIRSCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: RWLockLRUCache<Int, Payload>.self, RWLockLRUCache<String, Payload>.self,
                RWLockLRUCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: ShardedLRUCache<Int, Payload>.self, ShardedLRUCache<String, Payload>.self,
                ShardedLRUCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: ShardedS3FIFOCache<Int, Payload>.self, ShardedS3FIFOCache<String, Payload>.self,
                ShardedS3FIFOCache<TrialURL, Payload>.self),
            StrategyRegistration(
                DiskCache<Int, Payload>.self, DiskCache<String, Payload>.self, DiskCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: ExpiringCache<Int, Payload>.self, ExpiringCache<String, Payload>.self,
                ExpiringCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: NoCache<Int, Payload>.self, NoCache<String, Payload>.self, NoCache<TrialURL, Payload>.self),
            // The same bound as tasks, so that no asynchronous strategy is compared with a bound on threads.
            StrategyRegistration(
                synchronous: NoCache<Int, Payload>.self, NoCache<String, Payload>.self, NoCache<TrialURL, Payload>.self,
                name: "none-tasks", driver: .tasks, explorer: .noCache),
            StrategyRegistration(
                synchronous: UnboundedCache<Int, Payload>.self, UnboundedCache<String, Payload>.self,
                UnboundedCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: UnsynchronizedCache<Int, Payload>.self, UnsynchronizedCache<String, Payload>.self,
                UnsynchronizedCache<TrialURL, Payload>.self),
            StrategyRegistration(
                UnsynchronizedCache<Int, Payload>.self, UnsynchronizedCache<String, Payload>.self,
                UnsynchronizedCache<TrialURL, Payload>.self, name: "unsynchronized-tasks",
                explorer: .unsynchronized),
            StrategyRegistration(
                synchronous: StaleCache<Int, Payload>.self, StaleCache<String, Payload>.self,
                StaleCache<TrialURL, Payload>.self),
            StrategyRegistration(
                LeakyLoadsCache<Int, Payload>.self, LeakyLoadsCache<String, Payload>.self,
                LeakyLoadsCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: PublishedBarrierNSCache<Int, Payload>.self, PublishedBarrierNSCache<String, Payload>.self,
                PublishedBarrierNSCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: PublishedDualCache<Int, Payload>.self, PublishedDualCache<String, Payload>.self,
                PublishedDualCache<TrialURL, Payload>.self),
            StrategyRegistration(
                PublishedActorCache<Int, Payload>.self, PublishedActorCache<String, Payload>.self,
                PublishedActorCache<TrialURL, Payload>.self,
                explorer: .publishedActor),
            StrategyRegistration(
                PublishedDiskCache<Int, Payload>.self, PublishedDiskCache<String, Payload>.self,
                PublishedDiskCache<TrialURL, Payload>.self),
            StrategyRegistration(
                synchronous: PublishedExpiringCache<Int, Payload>.self, PublishedExpiringCache<String, Payload>.self,
                PublishedExpiringCache<TrialURL, Payload>.self),
        ] + engines)
}

// The values on trial are what a strategy may keep encoded; `Payload` has the members already.
extension Payload: CacheableValue {}
