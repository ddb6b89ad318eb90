package help

import "fmt"

// WARC is the part of `deref help warc` on its operations.
const WARC = `
  ls FILE...               print a line for each record: date, type, status, size, media type, URI
  cat FILE [URI|ID...]     print the documents of these URIs or records, or of all
  check FILE...            verify the archives; exit status 8 if one has a fault
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
