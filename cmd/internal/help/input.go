package help

// Input is `deref help input`.
const Input = `Lists of URIs: --input FILE, or - for standard input

One URI a line. Lines that are void or begin with # are none (text/uri-list, RFC 2483).
Partial forms are relative to --base.

  http://h/a
  http://h/b name=guide.txt range=A-B
  ftp://h/c ftp.type=a
  {"uri": "http://h/d", "name": "d.txt", "set": {"http.user-agent": "me"}}

What follows a URI is KEY=VALUE, between blanks; in a line that holds a TAB, between
TABs, so that values may hold blanks:

  name     the file that it is saved as: one plain name within --output-dir
  range    A-B, A- or -N: octets
  search   words for a searchable object
  x.y      a setting of a scheme (deref help SCHEME lists them)

A line that begins with { is a JSON object with the members uri, name, range, search
and set; others are passed over, so listings (--format json) and reports (--json) of
this program are lists too. A line that is wrong is one failure; the others go on.

Several are fetched at a time: 8, or --parallel-max N; of one host --parallel-max-host
N, with --pause S one, and S seconds between its answers and the next request. Hosts
take turns. One that says when it wants to be asked again (Retry-After) is obeyed, up to
10 minutes.

A server that refuses a request while it serves others (FTP 421 or 530 "too many users",
HTTP 429 or 503, a connection that it does not accept) gets fewer at a time, one if need
be, and later more again. What it refused is requested again, which does not count as a
retry. If it refuses everything for a minute, the rest of its documents fail.

A server that fails five times in a row gets no requests for 30 seconds, then longer: what is
wanted from it meanwhile fails at once. With --retry N it waits instead, which is no
retry either, until the server has failed for 5 minutes.

A server that cannot be reached has one line on standard error, for its first URI;
--json, --state and the summary have every one.

--state FILE notes what is done. The same command run again, after whatever ended it,
does the rest, and what failed. The list must be the same; it may have grown at its end.
With --warc, an item is done when the archive has it on the disk, and the same command
goes on with the same archive.

What goes to standard output, with --json, -w and -i too, comes in the order of the list.
Documents that wait for their turn take up to 4 MiB of memory in all, then temporary
files in TMPDIR. A document that would need more than 256 MiB there is fetched again in
its turn. Where documents go to files, reports come as each of them ends.
`
