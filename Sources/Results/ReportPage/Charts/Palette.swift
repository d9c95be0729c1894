import TrialModel

/// The style of a strategy, the same in every chart of a page.
struct SeriesStyle: Hashable, Sendable {
    /// The colour's class: `h0` to `h5`, or `hb` for those that are no candidates.
    var hue: String
    /// The dash array of SVG; empty for a solid line.
    var dash: String
    var marker: Marker
    /// Whether it is a baseline, a control or the like, not a candidate.
    var isMarked: Bool
    /// A number that identifies it in class names, because its own name may hold any character.
    var index: Int
}

/// The styles of all strategies of a page.
///
/// The colours are those of Okabe and Ito, which people with colour blindness can distinguish, made darker or lighter
/// for the page. With more strategies than colours, dashes and markers distinguish strategies of one colour. Bounds are
/// grey.
struct Palette: Sendable {
    /// The strategies in the order of the page.
    let strategies: [String]
    private let styles: [String: SeriesStyle]
    private let firstIndex: Int

    static let hueCount = 6
    /// The dash arrays, solid first.
    static let dashes = ["", "6 3", "2 3", "8 3 2 3"]

    /// - Parameters:
    ///   - names: strategies in the order in which they get the clearest styles.
    ///   - marks: the strategies that are not candidates.
    ///   - firstIndex: the number of the first strategy, above the numbers of another palette on the page.
    init(_ names: [String], marks: [String: String], firstIndex: Int = 0) {
        let all = names.distinct
        strategies = all
        self.firstIndex = firstIndex
        var styles: [String: SeriesStyle] = [:]
        var candidates = 0
        var others = 0
        for (index, name) in all.enumerated() {
            if marks[name] == nil {
                let round = candidates / Self.hueCount
                styles[name] = SeriesStyle(
                    hue: "h\(candidates % Self.hueCount)", dash: Self.dashes[round % Self.dashes.count],
                    marker: Marker.allCases[candidates % Marker.allCases.count], isMarked: false,
                    index: firstIndex + index)
                candidates += 1
            } else {
                styles[name] = SeriesStyle(
                    hue: "hb", dash: Self.dashes[1 + (others + 1) % (Self.dashes.count - 1)],
                    marker: Marker.allCases[others % Marker.allCases.count], isMarked: true,
                    index: firstIndex + index)
                others += 1
            }
        }
        self.styles = styles
    }

    /// The style of a reference line.
    var reference: SeriesStyle {
        SeriesStyle(
            hue: "hr", dash: "5 4", marker: .circle, isMarked: true, index: firstIndex + strategies.count)
    }

    /// The style of a strategy; grey for a strategy that is not in the palette.
    func style(_ name: String) -> SeriesStyle {
        styles[name]
            ?? SeriesStyle(
                hue: "hb", dash: "", marker: .circle, isMarked: true, index: firstIndex + strategies.count)
    }
}

/// A marker on a line or a row.
enum Marker: Int, CaseIterable, Sendable {
    case circle, square, triangle, diamond, wedge, cross, plus

    /// The marker at each of some positions, as one shape; empty without a position.
    ///
    /// - Parameter isHollow: true for baselines.
    func svg(_ places: [(x: Double, y: Double)], radius: Double, isHollow: Bool = false) -> String {
        guard !places.isEmpty else { return "" }
        let path = places.map { place in
            let start =
                "M\(Markup.place(place.x + outline[0].x * radius)) \(Markup.place(place.y + outline[0].y * radius))"
            if self == .circle {
                let (r, d) = (Markup.place(radius), Markup.place(2 * radius))
                return start + "a\(r) \(r) 0 1 0 \(d) 0 \(r) \(r) 0 1 0-\(d) 0z"
            }
            return pieces.map { piece in
                PathText(piece.map { (place.x + $0.x * radius, place.y + $0.y * radius) }).text
            }.joined(separator: "") + (pieces.count == 1 ? "z" : "")
        }
        return Markup.shape("path", ["class": isHollow ? "mark dot hollow" : "mark dot", "d": path.joined()])
    }

    private var outline: [(x: Double, y: Double)] { pieces[0] }

    /// The corners of its closed outline, or its two strokes, around 0 and in radii; a circle has only its left end.
    private var pieces: [[(x: Double, y: Double)]] {
        switch self {
        case .circle: [[(-1, 0)]]
        case .square: [[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]]
        case .triangle: [[(0, -1.2), (1.1, 0.8), (-1.1, 0.8)]]
        case .diamond: [[(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)]]
        case .wedge: [[(0, 1.2), (1.1, -0.8), (-1.1, -0.8)]]
        case .cross: [[(-1, -1), (1, 1)], [(-1, 1), (1, -1)]]
        case .plus: [[(-1.2, 0), (1.2, 0)], [(0, -1.2), (0, 1.2)]]
        }
    }
}

/// A path of SVG through positions: the first one, then steps in tenths of a unit. Steps have fewer digits than positions,
/// and a finer unit is invisible.
struct PathText {
    let text: String

    /// - Parameter places: at least one.
    init(_ places: [(x: Double, y: Double)]) {
        let tenths = places.map { (x: Self.tenths($0.x), y: Self.tenths($0.y)) }
        var steps = ""
        for (from, to) in zip(tenths, tenths.dropFirst()) {
            for step in [to.x - from.x, to.y - from.y] {
                // A sign separates numbers as well as a space does.
                if step >= 0, !steps.isEmpty { steps += " " }
                steps += Self.number(step)
            }
        }
        let start = tenths.first.map { "M\(Self.number($0.x)) \(Self.number($0.y))" } ?? ""
        text = steps.isEmpty ? start : start + "l" + steps
    }

    private static func tenths(_ value: Double) -> Int { Int((min(max(value, -1e6), 1e6) * 10).rounded()) }

    private static func number(_ tenths: Int) -> String {
        let (whole, rest) = (tenths.magnitude / 10, tenths.magnitude % 10)
        let digits = rest == 0 ? "\(whole)" : whole == 0 ? ".\(rest)" : "\(whole).\(rest)"
        return tenths < 0 ? "-" + digits : digits
    }

    /// The positions without those that lie within 0.3 units of a straight line between their neighbours: that difference is
    /// invisible. O(n) for lines without long straight stretches.
    static func thinned(_ places: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
        guard places.count > 2 else { return places }
        var kept = [0]
        for index in 2..<places.count {
            guard let last = kept.last else { break }
            let isStraight = (last + 1..<index).allSatisfy { between in
                distance(places[between], places[last], places[index]) <= 0.3
            }
            if !isStraight { kept.append(index - 1) }
        }
        return (kept + [places.count - 1]).map { places[$0] }
    }

    /// How far a position is from the line between two others.
    private static func distance(
        _ place: (x: Double, y: Double), _ from: (x: Double, y: Double), _ to: (x: Double, y: Double)
    ) -> Double {
        let (dx, dy) = (to.x - from.x, to.y - from.y)
        let length = (dx * dx + dy * dy).squareRoot()
        guard length > 0 else {
            return ((place.x - from.x) * (place.x - from.x) + (place.y - from.y) * (place.y - from.y)).squareRoot()
        }
        return abs(dx * (place.y - from.y) - dy * (place.x - from.x)) / length
    }
}
