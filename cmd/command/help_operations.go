package command

import (
	"fmt"
	"strings"

	"example.org/deref/cmd/internal/help"
	"example.org/deref/uri"
)

// operationsHelp tells what a command's line does not: what may stand for OP, what the lines of a script are.
func operationsHelp(command string) string {
	switch command {
	case "session":
		return help.Script
	case "uri":
		return uriHelp()
	case "warc":
		return help.WARC
	}
	return ""
}

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
	return b.String() + help.Wrap(modes, "  ", 78)
}
