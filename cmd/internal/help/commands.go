package help

import "fmt"

// WARC is the part of `deref help warc` on its operations.
const WARC = `
  ls FILE...               print a line for each record: date, type, status, size, media type, URI
  cat FILE [URI|ID...]     print the blocks of the records of these URIs or IDs, or of all
  check FILE...            verify the archives; exit status 8 if one has a fault
  extract FILE... WHAT     write the document of one record; WHAT is a URI, or a line of an index (CDXJ or CDX)
  index FILE...            write the sorted CDXJ index of all archives, as pywb does
  filter FILE...           copy the captures that the flags select, by all of them
  merge FILE...            copy all records into one archive, or with --size into several
  mend FILE                report what is damaged or cut; with -o copy the complete records
  from-mirror DIR          write the documents of a mirror (deref help mirrors)
  pack FILE...             write a WACZ package (-o NAME.wacz) with index, pages and hashes

FILE is an archive, a WACZ package, a directory, a pattern, or - for standard input. check also
verifies the hashes of a package. Packages are not signed; their archives are stored, so that
readers can request parts of them.

extract, index, filter and merge write to -o FILE or standard output. extract follows redirects
within the archives from a URI, and exits as the retrieval would; of an index line it writes
that record. With --raw it writes what the record contains, whatever its status, without the
header and transfer coding of HTTP but with its content coding. filter copies whole captures: the
request, response and conversation, and what a revisit refers to, which is reported if
no FILE has it. merge leaves out records whose ID an earlier one has, and keeps the
warcinfo record of each FILE; so does filter. Records are copied byte by byte if -o has the same
suffix as FILE, and otherwise compressed again. All read any length of archive in constant memory;
index sorts 512 KiB of lines at a time. Damaged parts are reported and skipped, and the exit
status is 8. mend can replace FILE itself (-o FILE), at once and only when the copy is complete;
with -o - it writes to standard output, and reports on standard error. Standard input and pipes are
copied to a temporary file first, since archives are read more than once.

`

// Locate is the part of `deref help locate` on what is sent.
const Locate = `
A name that contains or looks up what it refers to (urn, afs, x-) is followed without a
request for a document. Directories (prospero, whois, ldap) are queried. From a server
that may redirect, the metadata are requested, as by -I: HEAD by http.
`

// Watch is the part of `deref help watch` on tests, state and exit codes.
const Watch = `
Each check is the cheapest that the protocol has: a conditional request (http), MDTM and
SIZE (ftp), the article numbers of a newsgroup, UIDVALIDITY, UIDNEXT and MODSEQ of a
mailbox; otherwise the document is retrieved. It has changed if its text view has, or if
it has none, its bytes. "changed URI" is printed, with --diff also the differences.

Without --every, deref watch checks once, for cron; --state FILE keeps what it has found.
Only one process at a time can use FILE, which contains the texts. Exit status 0: no
change, or the first check; 1: a change; any other: the first failure (deref help
exit-codes). With --every it checks until it is interrupted, and then exits with 0.

--run COMMAND is words with blanks between them, run without a shell, after a change and
when a URI begins to fail. DEREF_URI is the URI without password, DEREF_STATUS is
"changed" or "failed", and DEREF_ERROR is the kind of the failure.
`

// Lint is the part of `deref help lint` on what is sent and reported. schemes are those with checks.
func Lint(schemes []string, most int) string {
	return fmt.Sprintf(`
deref lint sends a fixed set of at most %d requests, one at a time, to the server of URI, and
reports what its specification forbids, with the section. URI is a document or a listing with
documents. Nothing is changed on the server. A server on another machine needs --yes.

Exit status 0: no finding; 1: findings; any other: the server could not be tested
(deref help exit-codes). --json and --junit are for programs.

Schemes:
`, most) + Wrap(schemes, "  ", 78)
}

// Script is the part of `deref help session` on scripts.
const Script = `
Each line of a script is one of these. Empty lines and lines that begin with # are skipped.

  expect REGEX             wait until the host has sent a match
  send TEXT                type TEXT and Enter; quote it as in Go ("...") for blanks at its ends and control characters
  type TEXT                type TEXT without Enter
  key NAME                 enter tab backtab escape backspace home end insert delete up down left right
                           f1 to f24, ctrl-a to ctrl-z; for tn3270 also pf1, pa1, clear, attn, sysreq, reset
  timeout SECONDS          the time that later expect lines wait (30)
  sleep SECONDS            wait until the host has been silent for so long
`
