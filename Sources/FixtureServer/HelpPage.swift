/// The page that `GET /` returns.
enum HelpPage {
    static let text = """
        CacheTrials fixture server: the origin from which caches load.

        PUT    /trials/<id>                        register a trial; the body describes its values:
               {"seed": 1,
                "values": {"kind": "image", "size": {"fixed": {"_0": 65536}}},
                "origin": {"kind": "server", "delay": {"fixed": {"_0": 20000000}}}}
               kind: image, article, bytes; size in bytes once decoded; delay in nanoseconds; both may be
               {"uniform": {"min": 1, "max": 2}}, {"logNormal": {"median": 1, "p99": 2, "max": 3}} or
               {"table": {"_0": [{"amount": 1, "weight": 0.5}, {"amount": 2, "weight": 0.5}]}}
               "origin" may have "faults": [{"kind": "server-error", "probability": 0.05}], and a fault may have
               "keys": {"first": 0, "count": 100}, "attempts": {"first": 1, "count": 2, "every": 10},
               and, if it is a slow answer, "time" in nanoseconds
               "origin" may have "slots": 4: the number of requests served at once; the others wait, and those with
               the header "priority: u=4" (to u=7, RFC 9218) wait longest
               "preparedKeyCount": 100 (optional) encodes the values of the first keys before the answer
        GET    /trials/<id>/values/<key>?phase=<n> the payload of a key (a whole number), after the delay
        PUT    /trials/<id>/values/<key>/priority  gives the waiting requests for a key normal priority
        GET    /trials/<id>/log?phase=<n>          counts: requests, duplicates, inFlight, failed and more
        GET    /trials/<id>/log/entries?phase=<n>  every request as CSV, times in ns of the monotonic clock
        DELETE /trials/<id>                        free a trial

        phase may be left out: a value then counts in phase 0, and a log covers all phases.

        Try:  curl -X PUT --data @registration.json http://<host>:<port>/trials/example
              curl -o picture.png http://<host>:<port>/trials/example/values/7

        """
}
