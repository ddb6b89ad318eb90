package flags

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// An exclusion is a flag, and those that a command line cannot mean beside it.
type exclusion struct {
	flag   string
	others string // with blanks between
	why    string
	hint   string
}

// exclusions are those of all commands. What one has not, it does not exclude.
func exclusions() []exclusion {
	return []exclusion{
		{"links", "link", "all links, or one", ""},
		{"head", "format", "there is no document to view", "--json tells in JSON what is known"},
		{"head", "links fragment", "the document is not asked for", ""},
		{"head", "continue-at", "without the document there is nothing to resume", ""},
		{"continue-at", "range", "two ranges of one document", ""},
		{"continue-at", "links format", "a view is made anew each time", ""},
		{"no-follow", "max-redirs follow-to allow-x", "nothing is followed", ""},
		{"http0.9", "http1.0 http1.1 http2", "a request is of one version", ""},
		{"http1.0", "http1.1 http2", "a request is of one version", ""},
		{"http1.1", "http2", "a request is of one version", ""},
		{"insecure", "cacert tofu", "no certificate is looked at", ""},
		{"user", "user-file", "credentials come from one of them", ""},
		{"replay", "from-warc", "each stands in for the network", ""},
		{"json", "junit", "there is one standard output", ""},
	}
}

// A need is a flag that means nothing without another.
type need struct{ flag, other string }

func needs() []need {
	return []need{
		{"remote-header-name", "remote-name"},
		{"trace-format", "trace"},
		{"retry-max-time", "retry"},
		{"warc-size", "warc"},
		{"cdx", "warc"},
		{"cache-age", "cache"},
	}
}

// Contradiction is what is wrong with a command line whose flags contradict or miss each other. said are the flags that stand on it, all
// also those of the configuration file.
func Contradiction(said, all *pflag.FlagSet) error {
	for _, x := range exclusions() {
		for other := range strings.FieldsSeq(x.others) {
			if isOn(all, x.flag) && isOn(all, other) {
				return &UsageError{shortest(all.Lookup(x.flag)) + " and " + shortest(all.Lookup(other)) + " exclude each other: " + x.why, x.hint}
			}
		}
	}
	for _, n := range needs() {
		if isOn(said, n.flag) && !isOn(all, n.other) {
			return Usage(shortest(said.Lookup(n.flag)) + " means nothing without " + shortest(said.Lookup(n.other)))
		}
	}
	return nil
}

// Excludes reports whether a flag that stands on the command line excludes the named one.
func Excludes(said *pflag.FlagSet, name string) bool {
	return slices.ContainsFunc(exclusions(), func(x exclusion) bool {
		others := strings.Fields(x.others)
		return x.flag == name && slices.ContainsFunc(others, func(o string) bool { return isOn(said, o) }) ||
			slices.Contains(others, name) && isOn(said, x.flag)
	})
}

// shortest is the least that one types for a flag.
func shortest(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// isOn reports whether a flag was given and asks for something.
func isOn(fs *pflag.FlagSet, name string) bool {
	f := fs.Lookup(name)
	if f == nil || !f.Changed {
		return false
	}
	switch v := f.Value.String(); name {
	case "format":
		return v != "raw" && v != "mbox" // which are the octets, and another request: no views
	default:
		return f.Value.Type() != "bool" || v != "false"
	}
}
