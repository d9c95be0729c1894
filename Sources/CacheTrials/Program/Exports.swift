// A package that tests a cache imports `CacheTrials` alone.
@_exported public import TimedStrategies
