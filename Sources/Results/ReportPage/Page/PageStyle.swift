/// The page's style sheet: light and dark, phone and desktop, screen and print.
enum PageStyle {
    static let sheet = colours + layout + tables + ChartStyle.sheet + print

    private static let colours = """
        :root{color-scheme:light dark}
        \(ChartStyle.light)
        @media (prefers-color-scheme:dark){\(ChartStyle.dark)}

        """

    private static let layout = """
        *{box-sizing:border-box}
        body{margin:0 auto;padding:1rem;max-width:78rem;background:var(--paper);color:var(--ink);
        font:16px/1.5 system-ui,"DejaVu Sans",sans-serif}
        h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0 .2rem}
        h2{font-size:1.3rem;margin:2.5rem 0 .3rem;padding-top:.8rem;border-top:1px solid var(--rule);overflow-wrap:anywhere}
        h3{font-size:1.05rem;margin:1.5rem 0 .3rem;overflow-wrap:anywhere}
        p{margin:.3rem 0}
        a{color:var(--link)}
        code{font-size:.9em}
        pre{font-size:.8rem;line-height:1.3;margin:.3rem 0}
        .caption,.note,.sub,figcaption,dt{color:var(--soft)}
        .caption,.note,.sub{font-size:.9rem;overflow-wrap:anywhere}
        ul.findings{list-style:none;margin:1rem 0;padding:0}
        ul.findings li{padding:.4rem .8rem;margin:.3rem 0;border-left:4px solid var(--rule);background:var(--box);
        font-size:.95rem;overflow-wrap:anywhere}
        ul.findings .bad{border-color:var(--bad)}
        ul.findings .warning{border-color:var(--warning)}
        nav,.legend{display:flex;flex-wrap:wrap;gap:.3rem .6rem;margin:.8rem 0;font-size:.9rem}
        .legend{position:sticky;top:0;padding:.4rem 0;background:var(--paper);z-index:1;max-height:30vh;overflow:auto}
        .legend button{font:inherit;color:inherit;background:var(--box);border:1px solid var(--rule);border-radius:1rem;
        padding:.1rem .6rem;cursor:pointer;max-width:100%;overflow-wrap:anywhere;text-align:left}
        .legend button[aria-pressed=false]{opacity:.45;text-decoration:line-through}
        @media (max-width:45rem){.legend{position:static;max-height:none}}
        summary{cursor:pointer;margin:1rem 0;font-weight:600}
        .figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr));gap:1.5rem 2rem;
        margin:1rem 0;align-items:start}
        figure{margin:0;min-width:0}
        figcaption{font-size:.85rem;margin-bottom:.4rem;overflow-wrap:anywhere}
        figcaption b{color:var(--ink);font-size:.95rem}
        dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.1rem 1rem;font-size:.9rem;margin:.3rem 0}
        dd{margin:0;overflow-wrap:anywhere}
        @media (max-width:45rem){dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}

        """

    private static let tables = """
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
        th,td{padding:.25rem .6rem;text-align:left;border-bottom:1px solid var(--rule);white-space:nowrap}
        th{vertical-align:bottom;border-bottom-color:var(--soft)}
        @media (min-width:45rem){th,td:not(.n):not(.key),.dense .key{white-space:normal}
        .dense{font-size:.8rem}.dense th,.dense td{padding:.25rem .35rem}}
        th button{font:inherit;text-align:inherit;white-space:inherit;font-weight:600;color:inherit;background:none;border:0;padding:0;cursor:pointer;
        text-decoration:underline dotted var(--soft);text-underline-offset:3px}
        th[aria-sort=ascending] button::after{content:" ↑"}
        th[aria-sort=descending] button::after{content:" ↓"}
        .n{text-align:right}
        tbody tr.on,tbody tr:hover{background:var(--box)}
        .key{position:sticky;left:0;background:var(--paper)}
        tr.marked{color:var(--soft)}
        td.bad{color:var(--bad);font-weight:600}
        td.good{color:var(--good)}
        .overview{font-size:.85rem}.overview th,.overview td{padding:.2rem .5rem;vertical-align:bottom}
        .overview th button{text-align:left}.overview small{font-weight:400}
        .overview td a{color:inherit;text-decoration:none;white-space:pre}.overview td a:hover{text-decoration:underline}
        .overview .best{background:rgba(0,144,106,.3);font-weight:600}.overview .tied{background:rgba(0,144,106,.14)}
        .sign{width:.8em;height:.8em;margin-right:.4em;vertical-align:-.05em;overflow:visible}
        .meaning{min-height:1.5em;font-size:.85rem;color:var(--soft)}

        """

    private static let print = """
        @media print{:root{\(ChartStyle.lightValues)}body{max-width:none;padding:0;font-size:11px}
        .legend,nav,.meaning{display:none}.figures{grid-template-columns:1fr 1fr;gap:1rem}
        figure,tr{break-inside:avoid}h2,h3{break-after:avoid}.scroll{overflow:visible}table{font-size:8px}th,td{padding:.1rem .25rem}th{white-space:normal}
        }

        """
}

/// The colours and the style of charts, on the page and in a stand-alone picture.
enum ChartStyle {
    /// After Okabe and Ito, darkened until lines have a contrast of 3 to 1 against white.
    static let lightValues = """
        --paper:#fff;--ink:#1b1f24;--soft:#57606a;--rule:#d5dae0;--box:#f3f5f7;--band:#eef2f6;--link:#0060a0;--bad:#b3261e;\
        --warning:#b57d00;--good:#00694d;--h0:#0072b2;--h1:#d55e00;--h2:#00906a;--h3:#b8578f;--h4:#b07a00;--h5:#2f93cc;\
        --hb:#6e7781
        """

    static let light = ":root{\(lightValues)}"

    static let dark = """
        :root{--paper:#14171b;--ink:#e6e9ed;--soft:#a0a8b2;--rule:#363c44;--box:#1e2329;--band:#232a32;--link:#7fbcf0;--bad:#ff8a80;\
        --warning:#e9b64a;--good:#4fd0a4;--h0:#5b9bff;--h1:#ff8a4c;--h2:#2cc79a;--h3:#e39ac6;--h4:#e9b64a;--h5:#86cdf7;\
        --hb:#99a2ad}
        """

    static let sheet = """
        .h0{--c:var(--h0)}.h1{--c:var(--h1)}.h2{--c:var(--h2)}.h3{--c:var(--h3)}.h4{--c:var(--h4)}.h5{--c:var(--h5)}
        .hb{--c:var(--hb)}.hr{--c:var(--ink)}
        .chart{display:block;width:100%;height:auto;max-width:40rem;font:12px system-ui,"DejaVu Sans",sans-serif}
        .chart text{fill:var(--ink)}
        .chart .tick{fill:var(--soft);font-size:11px}
        .chart .title{fill:var(--soft)}
        .mid{text-anchor:middle}.end{text-anchor:end}
        .grid{stroke:var(--rule);stroke-width:.6}
        .axis{stroke:var(--soft)}
        .edge{stroke:var(--soft);stroke-dasharray:2 3}
        .reference{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:4 3}
        .line{fill:none;stroke:var(--c);stroke-width:1.9;stroke-linejoin:round}
        .band{fill:var(--band);stroke:var(--soft);stroke-width:.7;stroke-dasharray:1 3}
        .spread{fill:var(--c);opacity:.13}
        .whisker{stroke:var(--c);stroke-width:1.4;opacity:.6}
        .range{stroke:var(--c);stroke-width:3;stroke-linecap:round;opacity:.55}
        .range.open{stroke-linecap:butt;stroke-dasharray:5 4}
        .dot{fill:var(--c);stroke:var(--c);stroke-width:1.4}
        .hollow{fill:var(--paper)}
        .part{stroke:var(--paper);stroke-width:.7}
        .p0{fill:var(--h0)}.p1{fill:var(--h5)}.p2{fill:var(--rule)}.p3{fill:var(--h1)}.p4{fill:var(--h4)}.p5{fill:var(--h3)}
        .lead{fill:none;stroke:var(--c);stroke-width:.7;opacity:.6}
        .hit{fill:none;stroke:transparent;stroke-width:9;pointer-events:all}
        .hit.row{stroke-width:20}
        .s{outline:none}
        .dim .s:not(.on){opacity:.13}
        .dim .s.on .line{stroke-width:2.8}
        .s.off{display:none}
        @media (max-width:36rem){.chart{font-size:13px}.chart .tick{font-size:12px}}

        """
}
