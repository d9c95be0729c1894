extension Scenario {
    /// Whether it is written down where the time of a load goes. It takes four more readings of the clock, which a load must
    /// not notice: so not where the origin answers from memory at once.
    package var keepsStages: Bool {
        let loads = phases.contains { !$0.warmUp && ($0.mix[.load] > 0 || $0.mix[.burst] > 0) }
        return loads && (origin.kind == .server || origin.delay.largest > 0)
    }
}
