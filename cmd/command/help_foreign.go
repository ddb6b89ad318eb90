package command

import (
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/help"
)

// curlHelp is `deref help curl`.
func curlHelp() string {
	var accepted []string
	fs, _ := commands()[0].flagSet()
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			accepted = append(accepted, "--"+f.Name)
		}
	})
	return "Flags of curl that deref help flags lists mean the same. These are accepted, too; most ask for\nwhat deref does anyway:\n\n" +
		help.Wrap(accepted, "  ", tableWidth) + "\nOthers, and what deref has in their place:\n\n" + foreignTable(flags.CurlFlags)
}

// wgetHelp is `deref help wget`.
func wgetHelp() string {
	return "--header, --user-agent, --referer, --limit-rate, --connect-timeout, -4 and -6 mean the same. The document\n" +
		"goes to standard output; -O names a file by the URI. Others, and what deref has in their place:\n\n" + foreignTable(flags.WgetFlags) +
		"\nFor whole trees there is deref mirror URI DIR (deref help mirrors):\n\n" + foreignTable(flags.TreeFlags)
}

const tableWidth = 100

// foreignTable returns a table with the names in one column and the hints in the other. More names than fit have lines of their own.
func foreignTable(table string) string {
	var b strings.Builder
	margin := strings.Repeat(" ", 32)
	for names, hint := range flags.Entries(table) {
		left, right := help.Wrap(strings.Fields(names), "  ", tableWidth), help.Wrap(strings.Fields(hint), margin, tableWidth)
		if width := len(left) - len("\n"); width < len(margin) {
			left, right = left[:width], right[width:]
		}
		b.WriteString(left + right)
	}
	return b.String()
}
