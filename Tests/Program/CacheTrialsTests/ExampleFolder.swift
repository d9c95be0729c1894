import CacheServers
import Foundation
import Testing

/// A folder with the files that the examples of the pages name, in which their commands run at a small size.
struct ExampleFolder {
    private let folder: TemporaryFolder
    /// Servers in the place of those that examples name.
    private let servers: (redis: LocalServer?, memcached: LocalServer?)

    /// - Parameter page: the page whose commands will run.
    init(for page: DocumentedPage) async throws {
        folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.path)
        func server(_ program: LocalServer.Program, _ option: String) throws -> LocalServer? {
            let isNeeded =
                page.commands.contains { $0.contains("\(option) 10.") } && LocalServer.path(of: program.name) != nil
            return isNeeded ? try LocalServer(program, in: url) : nil
        }
        servers = (
            try server(.redis, "--redis"),
            try server(.memcached(mebibytes: 64, itemByteCountMax: 1 << 20), "--memcached")
        )
        _ = try folder.writeMeter()
        let ending = try await shell("set -e\n" + Self.files)
        try #require(ending.exitCode == 0, "\(ending.errors)")
    }

    /// The files, which a reader of the pages has made before.
    private static let files = """
        cp -r \(Program.root)/Scenarios Scenarios
        echo '// swift-tools-version: 6.2' > Package.swift
        sed -i -E 's/operations: ([0-9]+)0000/operations: \\100/' Scenarios/*.yaml
        cp Scenarios/operations.yaml hits.yaml
        for copy in my-scenario lookups rates; do cp Scenarios/scan.yaml $copy.yaml; done
        sed '/^phases:/,$d' Scenarios/scan.yaml | grep -v -e decided-by -e smallest > my-script.yaml
        echo 'phases: [{ name: main, script: ["load 1, read 1", "write 1, load 1"] }]' >> my-script.yaml
        mkdir my-scenarios traces planted Results && cp my-scenario.yaml my-scenarios
        awk 'BEGIN { print "time,key,size,op"; for (i = 0; i < 5000; i++) print i ",key-" i * i % 311 ",100,read" }' > traffic.csv
        awk 'BEGIN { for (i = 0; i < 5000; i++) print i * i % 311, 1, 0, i }' > OLTP.lis.zst
        cache-trials convert Scenarios/sample.csv.zst --to csv --output - | tail -n +2 | tr , ' ' | sed 's,$, read,' > sample.txt
        (echo '# exported 2026-05' && echo 'When;What;Length;How' && tr ' ' ';' < sample.txt) > export.txt
        printf 'time,key,size,ttl\\n0,a,100,60\\n30,a,100,60\\n70,a,100,60\\n80,b,100,0\\n' > sessions.csv
        printf '1000,web,0,Read,0,16384,9\\n2000,web,0,Write,8192,8192,9\\n3000,web,0,Read,0,16384,9\\n' > disk.csv
        printf '0 1000 0 0\\n0 1000 0 1\\n' > runs.lis
        gzip --keep traffic.csv && cp traffic.csv images.csv && cp traffic.csv a.csv
        cut -d , -f 2 traffic.csv | tail -n +2 > traffic.keys && cp traffic.keys huge.keys.zst
        cache-trials convert traffic.csv --to oracleGeneral --output blocks.bin && cp blocks.bin w1.oracleGeneral.bin
        cp huge.keys.zst traces/one.zst && cp huge.keys.zst huge.zst
        cache-trials run Scenarios/scan.yaml --smoke --strategies lru,none --repetitions 3 --quiet --output Results/monday
        # Thresholds are of scenarios at their size. A busy machine leaves phases without a value.
        cache-trials run Scenarios/scan.yaml --strategies lru,none --quiet --output Results/count || test $? = 2
        for copy in tuesday before after run new again; do cp -r Results/monday Results/$copy; done
        for copy in before after old new; do cp -r Results/monday $copy; done
        for side in old new planted; do ln -s \(Program.benchmarks) $side/cache-trials; done
        cp -r \(Program.root)/Results/reference/races Results/races
        cache-trials compare Results/before Results/after --output Results/comparison
        \(everyShard)
        """

    /// Runs the command of a page as a shell does, at a size that takes seconds.
    func run(_ command: String) async throws -> Program.Ending {
        let small = small(command)
        guard command.contains(" serve ") else { return try await shell(small) }
        // It serves until Ctrl-C.
        let address = "\(folder.path)/address"
        let program = try start("exec \(small) > \(address)")
        await eventually { (try? String(contentsOfFile: address, encoding: .utf8))?.hasPrefix("http://") == true }
        program.send(signal: SIGINT)
        return await program.ending()
    }

    private func shell(_ text: String) async throws -> Program.Ending { try await start(text).ending() }

    private func start(_ text: String) throws -> RunningProgram {
        let programs = URL(fileURLWithPath: Program.path).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try Program.start(tool: "PATH=\(programs):\(path)", ["sh", "-c", text], in: folder.path)
    }

    private static let everyShard =
        "for i in 1 2; do cache-trials run Scenarios/scan.yaml --smoke --strategies lru,none --repetitions 2 --shard $i/2 "
        + "--output results/$i --quiet || exit; done"

    private static let sizes = [
        ("$(git rev-parse HEAD)", "1a2b3c4"), ("--orders 100000", "--orders 200"),
        ("--repetitions 10", "--repetitions 2"), ("--budget 10min", "--budget 1min"), ("--port 8080", "--port 0"),
        ("--dependency ../cache-trials", "--dependency '\(Program.root)'"), ("/shared/", "shared/"), ("/var/tmp/", ""),
        ("merge /results/", "merge results/"),
    ]

    private func small(_ command: String) -> String {
        var line = command.replacing(#/\s+# .*/#, with: "")
        for (large, small) in Self.sizes { line = line.replacing(large, with: small) }
        if let address = servers.redis?.address { line = line.replacing(#/--redis \S+/#, with: "--redis \(address)") }
        if let address = servers.memcached?.address {
            line = line.replacing(#/--memcached \S+/#, with: "--memcached \(address)")
        }
        if line.contains("planted-") { line = "planted/" + line }
        // All scenarios would be forty units.
        line = line.replacing(#/(trials plan .*run) Scenarios /#) { "\($0.1) Scenarios/scan.yaml --smoke " }
        // Two shards are as good as four.
        line = line.replacing(" results/3 results/4", with: "")
        if line.contains("run "), line.contains("--shard ") { return "rm -rf results; \(Self.everyShard)" }
        if line.contains("--shard ") { line = line.replacing("--output results/", with: "--output part-") }
        if !line.contains("--strategies") {
            line = line.replacing(#/trials (?:plan .*)?(?:run|check|count) |compare --live /#) {
                "\($0.output)--strategies lru,none "
            }
        }
        let hasFullSize = ["--smoke", " explore ", " count ", "--until-decided", "compare", "otava"]
        if !hasFullSize.contains(where: line.contains) {
            line = line.replacing("trials run ", with: "trials run --smoke ")
        }
        if line.contains("compare --live") || line.contains("--until-decided"), !line.contains("--budget") {
            line += " --budget 1min"
        }
        // A run needs a new folder.
        if let output = line.firstMatch(of: #/(?:run|check|explore|count|replay|merge) .*--output (\S+)/#)?.output.1,
            !line.contains("--resume")
        {
            line = "rm -rf \(output); \(line)"
            if command.contains("and the same for old") { line += " && rm -rf old && cp -r new old" }
        }
        // The examples of help are alternatives.
        if let own = line.firstMatch(of: #/trials init ([a-z-]+)/#)?.output.1 { line = "rm -rf \(own); \(line)" }
        return line
    }
}
