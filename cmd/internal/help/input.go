package help

// Input is `deref help input`.
const Input = `Lists of URIs: --input FILE, or - for standard input

One URI per line. Empty lines and lines that begin with # are skipped (text/uri-list,
RFC 2483). Relative references are resolved against --base.

  http://h/a
  http://h/b name=guide.txt range=A-B
  http://h/b.iso checksum=sha256:HEX
  ftp://h/c ftp.type=a
  {"uri": "http://h/d", "name": "d.txt", "set": {"http.user-agent": "me"}}

KEY=VALUE pairs may follow a URI, separated by blanks. In a line with a TAB they are
separated by TABs, so that values may contain blanks:

  name     the name of the file in --output-dir, without a path
  checksum ALGORITHM:HEX, which the document must have (deref help checksums)
  range    a byte range: A-B, A- or -N
  search   words for a searchable object
  x.y      a setting of a scheme (deref help SCHEME lists them)

A line that begins with { is a JSON object with the members uri, name, range, search,
checksum and set. Other members are ignored, so listings (--format json) and reports (--json) of
deref are valid lists, too. An invalid line counts as one failure; the others are not affected.

deref fetches up to 8 documents at a time from one host (--parallel-max-host N), and up to
50 in total (--parallel-max N; 8 if they go to standard output, in the order of the list).
With --pause S it fetches one at a time from each host, and waits S seconds after each
response. Hosts take turns. If a server requests a delay (Retry-After), or accepts no more
requests for a time (RateLimit), deref waits up to 10 minutes.

A server that refuses a request while it serves others (FTP 421 or 530 "too many users",
HTTP 429 or 503, a refused connection) gets fewer requests at a time for a while, down to
one, then with pauses of up to 8 seconds. deref repeats the refused request, which does not
count as a retry. If the server refuses everything for a minute, the rest of its documents
fail. deref check and deref mirror do the same.

A server that fails five times in a row gets no requests for 30 seconds, then longer;
documents from it fail immediately. With --retry N they wait instead, until the server has
failed for 5 minutes; this does not count as a retry either.

For a server that cannot be reached, standard error has one line, for its first URI;
--json, --state and the summary count every URI.

--state FILE records what is done. The same command, run again after an interruption or a
failure, does only the rest. The list must be the same; lines may be added at its end.
With --warc, an item is done when it is in the archive on disk, and the same command
continues the same archive.

Standard output, also with --json, -w and -i, is in the order of the list. Documents that
wait for their turn use up to 4 MiB of memory in total, then temporary files in TMPDIR. A
document that would make these exceed 256 MiB, or for which there is no such file, is fetched
again when its turn comes. If documents are written to files, each is reported as soon as it is
finished.
`
