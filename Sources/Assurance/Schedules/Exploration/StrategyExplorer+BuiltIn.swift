import CacheStrategies

/// The explorers of this package's strategies. They are made here, so that all code that a schedule runs is specialised
/// for their types: elsewhere every call would look up the types.
extension StrategyExplorer {
    package static let actor = StrategyExplorer(ActorCache<Int, ScriptedValue>.self)
    package static let noCache = StrategyExplorer(NoCache<Int, ScriptedValue>.self)
    package static let publishedActor = StrategyExplorer(PublishedActorCache<Int, ScriptedValue>.self)
    package static let unsynchronized = StrategyExplorer(UnsynchronizedCache<Int, ScriptedValue>.self)
}
