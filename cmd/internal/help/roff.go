package help

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// ManFlags returns the description of the flags that add adds, in the language of man(7).
func ManFlags(add func(*pflag.FlagSet)) string {
	var b strings.Builder
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	add(fs)
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", Roff(strings.TrimSpace(name+" "+value)), Roff(usage))
	})
	return b.String()
}

// Roff escapes what troff would interpret: backslashes, hyphens, and lines that begin like requests.
func Roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
