extension Scenario {
    /// Whether the stages of a load are timed. That takes four more clock readings, which must be negligible in a load;
    /// therefore not when the origin answers from memory without delay.
    package var keepsStages: Bool {
        let loads = phases.contains { !$0.warmUp && ($0.mix[.load] > 0 || $0.mix[.burst] > 0) }
        return loads && (origin.kind == .server || origin.delay.largest > 0)
    }
}
