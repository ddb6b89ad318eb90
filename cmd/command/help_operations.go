package command

import (
	"fmt"
	"strings"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/help"
	"example.org/deref/fetch/lint"
)

// operationsHelp returns what a command's usage line does not show: the values of OP, the lines of a script.
func operationsHelp(command string) string {
	switch command {
	case "lint":
		return help.Lint(lint.Schemes(), lint.MaxRequests)
	case "locate":
		return help.Locate
	case "session":
		return help.Script
	case "watch":
		return help.Watch
	case "uri":
		return uriHelp()
	case "warc":
		return help.WARC
	}
	return ""
}

// uriHelp returns a line for each operation, and the names of the modes.
func uriHelp() string {
	var b strings.Builder
	b.WriteByte('\n')
	for _, o := range uriOps() {
		fmt.Fprintf(&b, "  %-24s %s\n", o.name+" "+o.args, o.short)
	}
	b.WriteString("  find [FILE]              find the URIs in a text, or in a page with --mode html; default: standard input\n\n" +
		"equal exits with status 1 if the URIs differ.\n\nModes:\n")
	return b.String() + "  " + strings.Join(flags.Modes(), " ") + "\n"
}
