package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/help"
	"example.org/deref/cmd/internal/retrieve"
)

// printManual prints the manual page of a command, "" for deref itself. The pages in man/ are the same.
func printManual(a *app.App, name string) error {
	c, ok := findCommand(name)
	if !ok || name != "" && c.short == "" {
		return flags.Usage(fmt.Sprintf("no manual page for %q; deref and each of its commands have one", name))
	}
	return a.Print(manPage(c))
}

// manPage returns the page of a command in the language of man(7), made of the tables of commands, flags and topics.
func manPage(c command) string {
	var b strings.Builder
	title := strings.TrimSuffix("deref-"+c.name, "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" deref\n.SH NAME\n%s \\- %s\n", strings.ToUpper(title), title, help.Roff(c.short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n[flags] %s\n", help.Roff(strings.TrimSpace("deref "+c.name)), help.Roff(c.args))
	if c.name == "" {
		b.WriteString(".SH COMMANDS\n")
		for _, other := range commands()[1:] {
			if other.short != "" {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", help.Roff("deref "+other.name+" "+other.args), help.Roff(other.short))
			}
		}
		for _, s := range new(retrieve.Flags).Sections() {
			if s.Title != "" {
				fmt.Fprintf(&b, ".SH %s\n%s", strings.ToUpper(help.Roff(s.Title)), help.ManFlags(s.Add))
			}
		}
		for _, topic := range topics() {
			if !slices.Contains([]string{"flags", "curl", "wget", "licenses"}, topic.name) {
				fmt.Fprintf(&b, ".SH %s\n.nf\n%s.fi\n", strings.ToUpper(topic.name), help.Roff(topic.text()))
			}
		}
		return b.String() + help.ManEnd("", true)
	}
	own, shared := ownFlags(c)
	if own != "" {
		fmt.Fprintf(&b, ".SH OPTIONS\n%s", help.ManFlags(func(fs *pflag.FlagSet) { addOwnFlags(fs, c) }))
	}
	b.WriteString(help.ManEnd(c.name, shared))
	b.WriteString(".SH SEE ALSO\n.BR deref (1)")
	if shared {
		b.WriteString(", whose flags of requests apply here, too")
	}
	return b.String() + "\n"
}
