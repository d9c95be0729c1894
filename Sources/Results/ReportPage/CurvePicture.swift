import TrialModel

/// A stand-alone picture of shares over a share, light and dark.
package enum CurvePicture {
    /// An SVG of curves, each with its name at its end.
    ///
    /// - Parameters:
    ///   - x: the title of the horizontal axis.
    ///   - curves: points as shares from 0 to 1; those that are not finite are left out.
    package static func svg(
        title: String, x: String, curves: [(name: String, points: [(x: Double, y: Double)])]
    ) -> String {
        let palette = Palette(curves.map(\.name), marks: [:])
        let values = curves.flatMap { $0.points.map(\.x) }
        var chart = LineChart(
            title: title, x: .linear(x, values) { Quantity.percent($0) }, y: .share("share"),
            series: curves.map { curve in
                let points = curve.points.filter { $0.x.isFinite && $0.y.isFinite }
                return LineChart.Series(strategy: curve.name, pieces: [points.map { .init(x: $0.x, y: $0.y) }])
            })
        chart.hasAllSigns = true
        return ReportPage.svg("", [chart], palette)
    }
}
