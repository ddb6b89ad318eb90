package flags

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// exclusions lists flags: each before those that it excludes, then why, and in some lines a hint. A command ignores those of flags that it does not have.
const exclusions = `
links link | one lists all links, the other gets one
head format | there is no document to format | --json prints the metadata as JSON
head links fragment | the document is not requested
head continue-at | there is no document to resume
continue-at range | both select a part of the document
continue-at links format | a converted document cannot be resumed
checksum head range fail-with-body | only a whole document can be verified
no-follow max-redirs follow-to allow-x | no referral is followed
http1.0 http1.1 http2 | a request has one version
http1.1 http2 | a request has one version
skip-existing force | an existing file is kept, or replaced
insecure cacert tofu | certificates are not verified
user user-file | both give the credentials
unix-socket proxy resolve connect-to | no address is looked up for a Unix socket
replay from-warc from-mirror | both replace the network
from-warc from-mirror | both replace the network
suggest json github | both write to standard output
fix json github | both write to standard output
ipv4 ipv6 | an address belongs to one of them
json github junit | both write to standard output
`

// excluded yields the pairs of flags that exclude each other, with the rest of their line.
func excluded(yield func(pair [2]string, why string) bool) {
	for names, why := range Entries(exclusions) {
		first, others, _ := strings.Cut(names, " ")
		for other := range strings.FieldsSeq(others) {
			if !yield([2]string{first, other}, why) {
				return
			}
		}
	}
}

// needs lists flags that have no effect without one of the others, and in some lines a hint. With -o alone, remote-header-name has none either, but
// users of curl write that.
const needs = `
remote-header-name | remote-name output
retry-max-time retry-delay retry-all-errors | retry
warc-size warc-header warc-dedup cdx | warc
at | from-warc
output-dir skip-existing | remote-name output input
max-delete | delete
cache-age | cache
proxy-user proxytunnel | proxy
get | data data-urlencode
data-urlencode | get | ` + NoUploads + `
hosts schemes sitemap depth max-count ignore-robots | recursive
write | fix
`

// Contradiction returns an error if flags exclude each other, or if one has no effect without another. said are the flags on the command line;
// all includes those of the configuration file.
func Contradiction(said, all *pflag.FlagSet) error {
	on, onLine := switchedOn(all), switchedOn(said)
	for pair, why := range excluded {
		if why, hint, _ := strings.Cut(why, " | "); on[pair[0]] && on[pair[1]] {
			return &UsageError{shortest(all.Lookup(pair[0])) + " and " + shortest(all.Lookup(pair[1])) + " exclude each other: " + why, hint}
		}
	}
	for names, wanted := range Entries(needs) {
		wanted, hint, _ := strings.Cut(wanted, " | ")
		others := strings.Fields(wanted)
		exists := func(name string) bool { return all.Lookup(name) != nil } // mirror has --depth, but is always recursive
		if !slices.ContainsFunc(others, exists) || slices.ContainsFunc(others, func(name string) bool { return on[name] }) {
			continue
		}
		for name := range strings.FieldsSeq(names) {
			if f := said.Lookup(name); onLine[name] {
				return &UsageError{shortest(f) + " has no effect without " + shortest(said.Lookup(others[0])), cmp.Or(hint, equivalent(all, f.Shorthand))}
			}
		}
	}
	return sharedInput(all)
}

// sharedInput returns an error if two flags read standard input, of which the second one would find nothing.
func sharedInput(all *pflag.FlagSet) error {
	var first *pflag.Flag
	for name := range strings.FieldsSeq("body checksum cookie file from-warc header input script write-out") {
		f := all.Lookup(name)
		switch {
		case f == nil:
			continue
		case name == "header", name == "write-out":
			if f.Value.String() != "@-" {
				continue
			}
		case !slices.Contains(strings.Fields(f.Value.String()), "-"):
			continue
		}
		if first != nil {
			return Usage(shortest(first) + " and " + shortest(f) + " both read standard input, which can be read once")
		}
		first = f
	}
	return nil
}

// CheckOperation returns an error if a flag on the command line is for other operations of the command: those before the colon in its usage.
func CheckOperation(said *pflag.FlagSet, name string) (err error) {
	said.Visit(func(f *pflag.Flag) {
		if names, _, ok := strings.Cut(f.Usage, ": "); ok && !slices.Contains(strings.Split(names, ", "), name) {
			err = Usage(shortest(f) + " has no effect with " + said.Name() + " " + name)
		}
	})
	return err
}

// Excludes reports whether a flag on the command line excludes the named one.
func Excludes(said *pflag.FlagSet, name string) bool {
	on := switchedOn(said)
	for pair := range excluded {
		if pair[0] == name && on[pair[1]] || pair[1] == name && on[pair[0]] {
			return true
		}
	}
	return false
}

// shortest returns the shortest form of a flag.
func shortest(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// switchedOn returns the names of the flags that were given, and not as false or as the default format.
func switchedOn(fs *pflag.FlagSet) map[string]bool {
	on := map[string]bool{}
	fs.Visit(func(f *pflag.Flag) {
		v := f.Value.String()
		isDefault := f.Name == "format" && (v == "raw" || v == "mbox") // raw is the unchanged document, and mbox is another request
		on[f.Name] = !isDefault && (f.Value.Type() != "bool" || v != "false")
	})
	return on
}
