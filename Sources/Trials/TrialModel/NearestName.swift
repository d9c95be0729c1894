/// Finds the name that the user probably meant by a mistyped one.
package enum NearestName {
    /// The candidate closest to `name`, if it is close enough to be a typing error; the earlier one wins a tie.
    ///
    /// Costs O(length² × candidates); names beyond 64 characters are never compared.
    package static func of(_ name: String, in candidates: [String]) -> String? {
        guard !name.isEmpty, name.count <= 64 else { return nil }
        let lowered = Array(name.lowercased())
        var best: (name: String, distance: Int)?
        for candidate in candidates where candidate != name && candidate.count <= 64 {
            let distance = distance(lowered, Array(candidate.lowercased()))
            let allowance = max(1, min(lowered.count, candidate.count) / 3)
            if distance <= allowance, distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// The hint for an unknown name: the nearest known name, or all of them when none is near.
    package static func hint(for name: String, in known: [String]) -> String {
        of(name, in: known).map { "did you mean '\($0)'?" } ?? "there are: \(known.joined(separator: ", "))"
    }

    /// The number of letters to insert, drop, change or swap with their neighbour (Damerau 1964, restricted form).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for row in 1...left.count {
            var current = [row] + [Int](repeating: 0, count: right.count)
            for column in 1...right.count {
                let change = left[row - 1] == right[column - 1] ? 0 : 1
                current[column] = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + change)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    current[column] = min(current[column], beforeLast[column - 2] + 1)
                }
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
