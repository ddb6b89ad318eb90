package request

import (
	"cmp"
	"fmt"
	"strings"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch/warc"
)

// parseInfo parses the KEY=VALUE of --warc-header. wget's users write "KEY: VALUE".
func parseInfo(s string) (warc.Field, error) {
	i := strings.IndexAny(s, "=:")
	if i < 0 {
		return warc.Field{}, fmt.Errorf("%q is not KEY=VALUE", s)
	}
	f := warc.Field{Name: strings.TrimSpace(s[:i]), Value: strings.TrimSpace(s[i+1:])}
	switch strings.ToLower(f.Name) {
	case "robots", commandField:
		return f, fmt.Errorf("%s is set by deref", f.Name)
	}
	return f, warc.CheckInfo(f)
}

// commandField is the name of the warcinfo field with the command line. wget's is wget-arguments.
const commandField = "deref-arguments"

// maxCommand bounds the command line in the archive: one by xargs may have two million bytes.
const maxCommand = 8 << 10

// described returns the fields of the warcinfo record: what the user says, the robots policy, and the command line without its secrets.
func (f *ArchiveFlags) described(a *app.App) []warc.Field {
	line := flags.CommandLine(f.flags, a.Args)
	if name := strings.TrimPrefix(f.flags.Name(), "deref "); name != "" {
		line = name + " " + line
	}
	if len(line) > maxCommand {
		line = line[:maxCommand] + " ..."
	}
	return append(f.info, warc.Field{Name: "robots", Value: cmp.Or(f.Robots, "ignore")},
		warc.Field{Name: commandField, Value: strings.ToValidUTF8(line, "\uFFFD")})
}
