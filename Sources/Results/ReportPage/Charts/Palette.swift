import TrialModel

/// The style of a strategy, the same in every chart of a page.
struct SeriesStyle: Hashable, Sendable {
    /// The colour's class: `h0` to `h5`, or `hb` for bounds.
    var hue: String
    /// The dash array of SVG; empty for a solid line.
    var dash: String
    var marker: Marker
    /// Whether it is a bound, a control or the like, not a candidate.
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
        var bounds = 0
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
                    hue: "hb", dash: Self.dashes[1 + (bounds + 1) % (Self.dashes.count - 1)],
                    marker: Marker.allCases[bounds % Marker.allCases.count], isMarked: true,
                    index: firstIndex + index)
                bounds += 1
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

    /// The marker, centred at a position.
    ///
    /// - Parameter isHollow: true for bounds.
    func svg(x: Double, y: Double, radius r: Double, isHollow: Bool = false) -> String {
        func p(_ dx: Double, _ dy: Double) -> String { "\(Markup.place(x + dx * r)) \(Markup.place(y + dy * r))" }
        let path =
            switch self {
            case .circle: "M\(p(-1, 0))A\(r) \(r) 0 1 0 \(p(1, 0))A\(r) \(r) 0 1 0 \(p(-1, 0))Z"
            case .square: "M\(p(-0.9, -0.9))L\(p(0.9, -0.9))L\(p(0.9, 0.9))L\(p(-0.9, 0.9))Z"
            case .triangle: "M\(p(0, -1.2))L\(p(1.1, 0.8))L\(p(-1.1, 0.8))Z"
            case .diamond: "M\(p(0, -1.3))L\(p(1.3, 0))L\(p(0, 1.3))L\(p(-1.3, 0))Z"
            case .wedge: "M\(p(0, 1.2))L\(p(1.1, -0.8))L\(p(-1.1, -0.8))Z"
            case .cross: "M\(p(-1, -1))L\(p(1, 1))M\(p(-1, 1))L\(p(1, -1))"
            case .plus: "M\(p(-1.2, 0))L\(p(1.2, 0))M\(p(0, -1.2))L\(p(0, 1.2))"
            }
        return Markup.shape("path", ["class": isHollow ? "mark dot hollow" : "mark dot", "d": path])
    }
}
