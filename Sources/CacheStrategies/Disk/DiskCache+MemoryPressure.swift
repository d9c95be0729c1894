import EvictionPolicies

extension DiskCache: RespondsToMemoryPressure {
    /// A warning releases half of the decoded values in memory, the least recently used first; background releases
    /// three quarters, critical pressure all. The entries stay in their files. Values that wait to be written stay
    /// until they are written. O(values in memory).
    public func respond(to pressure: MemoryPressure) async {
        guard let divisor = pressure.divisor else { return }
        store.giveBackMemory(keepingOneIn: divisor)
    }
}

extension DiskStore {
    /// Releases values in memory until one part in `divisor` is left; 0 for none. The entries stay.
    func giveBackMemory(keepingOneIn divisor: Int) {
        locked { state, aftermath in
            let (entries, cost) =
                divisor == 0 ? (0, 0) : (state.index.memoryCount / divisor, state.index.memoryCost / divisor)
            while state.index.memoryCount > entries || state.index.memoryCost > cost,
                let oldest = state.index.memoryOrder.oldest
            {
                if let value = state.index.dropFromMemory(slot: Int(oldest)) { aftermath.values.append(value) }
            }
        }
    }
}
