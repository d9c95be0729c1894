public import CacheStrategies
import Foundation
import Locks
public import Origins

extension Strategy {
    /// A cache behind its calls, which does not conform to `CacheStrategy`. Its keys are texts, also where a scenario has
    /// other ones.
    ///
    /// Its calls go through closures, which are timed with it. To compare times with other strategies, let it conform.
    ///
    /// - Parameters:
    ///   - declaration: its name, its limits and its promises.
    ///   - open: makes a cache with the limits of a configuration, and the calls that checks and trials make of it. What
    ///     needs a missing call is left out. Each process also calls it once to see which calls there are.
    public init(adapting declaration: StrategyDeclaration, open: @escaping Open) {
        let known = Locked<CacheCalls?>(nil)
        let calls: @Sendable () -> CacheCalls = {
            known.withLock { known in
                let calls = known ?? AdaptedCache<String, TrialValue>.calls(opening: open)
                known = calls
                return calls
            }
        }
        self.init(adapting: declaration, available: calls, open)
    }

    /// A cache that only loads, such as a memoizer.
    ///
    /// - Parameters:
    ///   - name: the cache's name.
    ///   - promises: by default, callers that miss a key together share one fetch, which may wait for itself where it loads its
    ///     own key, a failure is forgotten, and a cancelled caller harms no other.
    ///   - open: makes a cache, and returns its load.
    public init(
        memoizing name: String,
        promises: Promises = Promises(coalescesLoads: true, limit: .none, mayWaitForItself: true),
        open: @escaping OpenMemoizer
    ) {
        let declaration = StrategyDeclaration(name: name, summary: "a cache that only loads", promises: promises)
        self.init(adapting: declaration, available: { .nothingBeside }, { CacheOperations(memoizing: try open($0)) })
    }

    /// Makes a cache with the limits of a configuration, and the calls of it.
    public typealias Open = @Sendable (StrategyConfiguration) throws -> CacheOperations<String, TrialValue>
    /// Makes a cache that only loads, and returns its load: the value of a key, with a fetch of encoded bytes where it has
    /// none.
    public typealias OpenMemoizer = @Sendable (StrategyConfiguration) throws -> CacheOperations<String, TrialValue>.Load

    private init(
        adapting declaration: StrategyDeclaration, available: @escaping @Sendable () -> CacheCalls,
        _ open: @escaping Open
    ) {
        let sharesLoads = declaration.promises.coalescesLoads
        self.init(
            declaration, integer: KeyedStrategy(adapting: open, sharesLoads) { String(trialKeyNumber: $0) },
            string: KeyedStrategy(adapting: open, sharesLoads) { $0 },
            url: KeyedStrategy(adapting: open, sharesLoads) { $0.absoluteString })
        (self.available, isAdapted) = (available, true)
    }
}

extension KeyedStrategy {
    /// A cache behind its calls, with texts for its keys.
    fileprivate init(
        adapting open: @escaping Strategy.Open, _ sharesLoads: Bool, text: @escaping @Sendable (Key) -> String
    ) {
        typealias Cache = AdaptedCache<Key, Payload>
        let prepare: @Sendable (StrategyConfiguration) -> StrategyConfiguration = {
            Cache.configuration($0, opening: { try open($0).keyed(by: text) }, sharesLoads: sharesLoads)
        }
        self.init(
            type: Cache.self, suspends: true,
            open: { OpenStrategy(suspending: try Cache(configuration: prepare($0)), $1) }, prepare: prepare)
    }
}
