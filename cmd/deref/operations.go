package main

import (
	"fmt"
	"strings"

	"example.org/deref/uri"
)

// operationsHelp tells what a command's line does not: what may stand for OP, what the lines of a script are.
func operationsHelp(command string) string {
	switch command {
	case "session":
		return scriptHelp
	case "uri":
		return uriHelp()
	case "warc":
		return warcHelp
	}
	return ""
}

const warcHelp = `
  ls FILE...               a line for each record: date, type, status, size, media type, URI
  cat FILE [URI|ID...]     the documents of these URIs or records, or of all
  check FILE...            whether each is sound; exit status 8 where one is not
`

const scriptHelp = `
A script has one of these in each line, in order; lines that are void or begin with # are none:

  expect REGEX             wait until the host has said it
  send TEXT                type TEXT and Enter; "..." as in Go for blanks and controls at its ends
  type TEXT                the same without Enter
  key NAME                 enter tab backtab escape backspace home end insert delete up down left right
                           f1 to f24, ctrl-a to ctrl-z; of tn3270 pf1, pa1, clear, attn, sysreq, reset
  timeout SECONDS          how long each expect behind it waits (30)
  sleep SECONDS            wait until the host has said nothing for so long
`

// uriHelp has a line for each operation, and the specifications.
func uriHelp() string {
	var b strings.Builder
	b.WriteByte('\n')
	for _, o := range uriOps() {
		if o.name != "" {
			fmt.Fprintf(&b, "  %-24s %s\n", o.name+" "+o.args(), o.short)
		}
	}
	b.WriteString("  find [FILE]              the URIs in a text, or with --mode html in a page; without FILE in standard input\n")
	b.WriteString("  batch                    JSON Lines from standard input, {\"id\":1,\"kind\":\"parse\",\"input\":\"http://h/\"}; an answer each\n\n" +
		"equal exits with 1 where they are not one.\n\nModes:\n")
	var modes []string
	for _, m := range uri.Modes() {
		modes = append(modes, m.String())
	}
	return b.String() + wrap(modes, "  ", 78)
}
