//go:build unix || windows

package main

// pageText is the page of a job.
const pageText = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5">
<title>{{.Job}}: {{.State}}</title>
<style>body { font: 1rem sans-serif; margin: 1rem auto; max-width: 60rem; padding: 0 1rem } table { border-collapse: collapse } td, th { padding: .1rem .8rem .1rem 0; text-align: right } :first-child { text-align: left }
:root { color-scheme: light dark }</style>
</head>
<body>
<h1>{{.Job}}: {{.State}}</h1>
<p>{{.Records}} of {{.URIs}} URIs have a result: {{.Done}} done, {{.Failed}} failed, {{.Bytes | bytes}}. {{printf "%.1f" .PerSecond}} a second. The log has {{.Stored | bytes}}.</p>
{{with .Workers}}<table>
<caption>Workers</caption>
<thead><tr><th scope="col">Worker</th><th scope="col">Partitions</th></tr></thead>
<tbody>
{{range $name, $n := .}}<tr><th scope="row">{{$name}}</th><td>{{$n}}</td></tr>
{{end}}</tbody>
</table>
{{else}}<p>No worker has a partition.</p>
{{end}}<table>
<caption>Partitions with URIs</caption>
<thead><tr><th scope="col">Partition</th><th scope="col">URIs</th><th scope="col">Done</th><th scope="col">Failed</th><th scope="col">Worker</th></tr></thead>
<tbody>
{{range $i, $p := .Partitions}}{{if .Added}}<tr><th scope="row">{{$i}}</th><td>{{.URIs}}</td><td>{{.Done}}</td><td>{{.Failed}}</td><td>{{owner .}}</td></tr>
{{end}}{{end}}</tbody>
</table>
</body>
</html>
`

// metricsText is the text format of Prometheus.
const metricsText = `{{with .Hub -}}
# HELP derefd_hub_healthy 1 if the hub can write.
# TYPE derefd_hub_healthy gauge
derefd_hub_healthy {{if .Problem}}0{{else}}1{{end}}
{{with .Free}}# HELP derefd_hub_free_bytes Bytes that the disk of the hub has left.
# TYPE derefd_hub_free_bytes gauge
derefd_hub_free_bytes {{.}}
{{end}}{{end}}{{if .Status}}{{$job := printf "job=%q" .Job -}}
# HELP derefd_uris_added_total URIs of the job, without duplicates.
# TYPE derefd_uris_added_total counter
derefd_uris_added_total{ {{- $job -}} } {{.URIs}}
# HELP derefd_uris_done_total URIs with a successful result.
# TYPE derefd_uris_done_total counter
derefd_uris_done_total{ {{- $job -}} } {{.Done}}
# HELP derefd_uris_failed_total URIs with a failure as their result.
# TYPE derefd_uris_failed_total counter
derefd_uris_failed_total{ {{- $job -}} } {{.Failed}}
# HELP derefd_uris_duplicate_total Additions of URIs that the job had.
# TYPE derefd_uris_duplicate_total counter
derefd_uris_duplicate_total{ {{- $job -}} } {{.Duplicates}}
# HELP derefd_document_bytes_total Bytes of documents.
# TYPE derefd_document_bytes_total counter
derefd_document_bytes_total{ {{- $job -}} } {{.Bytes}}
# HELP derefd_log_bytes Bytes of the job's stream on disk.
# TYPE derefd_log_bytes gauge
derefd_log_bytes{ {{- $job -}} } {{.Stored}}
# HELP derefd_partitions Partitions of the job.
# TYPE derefd_partitions gauge
derefd_partitions{ {{- $job -}} } {{len .Partitions}}
# HELP derefd_finished 1 if every URI has a result.
# TYPE derefd_finished gauge
derefd_finished{ {{- $job -}} } {{if .Finished}}1{{else}}0{{end}}
# HELP derefd_failures_total Failures by kind, also those that were done again.
# TYPE derefd_failures_total counter
{{range $kind, $n := .Kinds}}derefd_failures_total{ {{- $job}},kind={{printf "%q" $kind}}} {{$n}}
{{end -}}
# HELP derefd_worker_partitions Partitions that a worker has.
# TYPE derefd_worker_partitions gauge
{{range $name, $n := .Workers}}derefd_worker_partitions{ {{- $job}},worker={{printf "%q" $name}}} {{$n}}
{{end}}{{with .Counts -}}
# HELP derefd_late_writes_total Writes of this worker that were rejected, because another one owned the partition.
# TYPE derefd_late_writes_total counter
derefd_late_writes_total{ {{- $job -}} } {{.Late.Load}}
# HELP derefd_repeated_fetches_total URIs that this worker has fetched in vain, so that another one fetches them again.
# TYPE derefd_repeated_fetches_total counter
derefd_repeated_fetches_total{ {{- $job -}} } {{.Lost.Load}}
{{end}}{{end}}`
