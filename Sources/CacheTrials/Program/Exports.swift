// Whoever puts a cache on trial imports `CacheTrials` alone.
@_exported public import TimedStrategies
