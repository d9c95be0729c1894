// A test file imports one module: the protocol and what a cache declares, and the gate, the clock, the origin and the
// counted values of the checks.
@_exported public import CacheStrategies
@_exported public import Conformance
