extension Sequence where Element: Hashable {
    /// Each element once, in the order of their first appearance. O(n).
    package var distinct: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

extension Sequence {
    /// The elements by a key, in the order in which the keys first appear. O(n).
    package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
        var places: [Key: Int] = [:]
        var groups: [(key: Key, elements: [Element])] = []
        for element in self {
            let own = key(element)
            let place = places[own, default: groups.count]
            if place == groups.count {
                places[own] = place
                groups.append((own, []))
            }
            groups[place].elements.append(element)
        }
        return groups
    }
}
