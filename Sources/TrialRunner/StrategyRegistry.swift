public import CacheStrategies
public import Payloads
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

    /// What a run takes when nothing is named: all that are sound, and the bounds.
    package var defaults: [StrategyRegistration] {
        registrations.filter { $0.declaration.role == .sound || $0.declaration.role == .bound }
    }

    /// The strategies of this package.
    package static let builtIn = StrategyRegistry([
        StrategyRegistration(
            synchronous: BarrierNSCache<Int, Payload>.self, BarrierNSCache<String, Payload>.self,
            BarrierNSCache<TrialURL, Payload>.self),
        StrategyRegistration(
            synchronous: DualCache<Int, Payload>.self, DualCache<String, Payload>.self,
            DualCache<TrialURL, Payload>.self),
        StrategyRegistration(
            ActorCache<Int, Payload>.self, ActorCache<String, Payload>.self, ActorCache<TrialURL, Payload>.self),
        StrategyRegistration(
            synchronous: LRUCache<Int, Payload>.self, LRUCache<String, Payload>.self,
            LRUCache<TrialURL, Payload>.self),
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
            name: "none-tasks", driver: .tasks),
        StrategyRegistration(
            synchronous: UnboundedCache<Int, Payload>.self, UnboundedCache<String, Payload>.self,
            UnboundedCache<TrialURL, Payload>.self),
    ])
}

// The values on trial are what a strategy may keep encoded; `Payload` has the members already.
extension Payload: CacheableValue {}
