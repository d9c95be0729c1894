import Foundation
import Reports
import TrialModel

/// A system that runs the shards of a plan on several machines.
enum Engine: String, CaseIterable, Sendable {
    /// The jobs of a GitHub Actions workflow.
    case githubMatrix = "github-matrix"
    /// A job array.
    case slurm
    /// GNU parallel, over SSH or on one machine.
    case parallel
}

/// The files that an engine needs in addition to the shards.
struct EngineFiles: Sendable {
    /// A file of the plan's folder.
    struct File: Hashable, Sendable {
        var name: String
        var text: String
        var isProgram = false
    }

    /// - Parameters:
    ///   - shards: the shards of the plan.
    ///   - folder: where they are, as an absolute path.
    static func files(for engine: Engine, shards: [Shard], folder: String) throws -> [File] {
        switch engine {
        case .githubMatrix: [File(name: "matrix.json", text: try matrix(shards))]
        case .slurm: [runner, File(name: "sbatch.sh", text: slurm(shards.count, folder), isProgram: true)]
        case .parallel: [runner, File(name: "parallel.sh", text: parallel(shards), isProgram: true)]
        }
    }

    private struct Matrix: Encodable {
        struct Job: Encodable {
            var name: String
            var file: String
            var number: Int
        }

        var include: [Job]
    }

    /// The jobs in one line, as a job's output has to be.
    private static func matrix(_ shards: [Shard]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let jobs = shards.enumerated().map { index, shard in
            Matrix.Job(name: "shard \(shard.label)", file: shard.fileName, number: index + 1)
        }
        return String(decoding: try encoder.encode(Matrix(include: jobs)), as: UTF8.self) + "\n"
    }

    /// Runs one shard, or continues it. Findings about caches do not fail the shard.
    private static let runner = File(
        name: "run-shard.sh",
        text: """
            #!/usr/bin/env bash
            # Runs one shard, or continues it: run-shard.sh SHARD.json RESULT
            # CACHE_TRIALS names the program when it is not on PATH.
            set -u
            program=${CACHE_TRIALS:-\(ProgramName.current)}
            resume=()
            if [ -e "$2/trials.csv" ] || [ -e "$2/replay.csv" ]; then resume=(--resume); else rm -f "$2"/*.csv; fi
            "$program" run --shard "$1" --output "$2" --quiet ${resume[@]+"${resume[@]}"} >/dev/null
            status=$?
            # 1, 3 and 4 are findings about caches; 'merge' reports them again, for all shards together.
            case $status in 0 | 1 | 3 | 4) exit 0 ;; *) exit "$status" ;; esac

            """, isProgram: true)

    private static func slurm(_ count: Int, _ folder: String) -> String {
        """
        #!/usr/bin/env bash
        #SBATCH --job-name=cache-trials
        #SBATCH --array=1-\(count)
        #SBATCH --ntasks=1
        # No other job on the machine: it would distort the times.
        #SBATCH --exclusive
        #SBATCH --requeue
        #SBATCH --output=shard-%a.log
        # Every node must see the folder of the plan. CACHE_TRIALS names the program when it is not on PATH. A task
        # that died is submitted again with: sbatch --array=3 sbatch.sh
        plan=${CACHE_TRIALS_PLAN:-\(quoted(folder))}
        results=${CACHE_TRIALS_RESULTS:-$plan/results}
        mkdir -p "$results"
        shard=$(ls "$plan" | grep -E '^(shard|generator)-[0-9]+(-generator-[0-9]+)?\\.json$' | sort -V | sed -n "${SLURM_ARRAY_TASK_ID}p")
        exec bash "$plan/run-shard.sh" "$plan/$shard" "$results/${shard%.json}"

        """
    }

    private static func parallel(_ shards: [Shard]) -> String {
        let names = shards.map { String($0.fileName.dropLast(".json".count)) }.joined(separator: " ")
        return """
            #!/usr/bin/env bash
            # Runs the shards with GNU parallel, one at a time on each host: HOSTS=first,second parallel.sh
            # Without HOSTS they run here. Hosts get the shard and return its folder (ssh and rsync); cache-trials must
            # be on their PATH, or at the path in CACHE_TRIALS. A second start runs what is missing or failed.
            set -euo pipefail
            # Makes a relative path absolute, as the jobs run elsewhere.
            case ${CACHE_TRIALS:-} in /*) ;; */*) CACHE_TRIALS=$PWD/$CACHE_TRIALS ;; esac
            cd "$(dirname "$0")"
            hosts=${HOSTS:-:}
            options=(--jobs 1 --sshlogin "$hosts" --joblog joblog --resume-failed)
            if [ "$hosts" != : ]; then
              options+=(--env CACHE_TRIALS --workdir ... --transferfile run-shard.sh --transferfile '{}.json'
                --return 'results/{}' --cleanup)
            fi
            mkdir -p results
            export CACHE_TRIALS=${CACHE_TRIALS:-\(ProgramName.current)}
            exec parallel "${options[@]}" bash run-shard.sh '{}.json' 'results/{}' ::: \(names)

            """
    }

    /// Quotes a text as one word of a shell.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
