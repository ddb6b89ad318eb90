package command

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch/warc"
)

// captures are the flags that select captures of an archive.
type captures struct {
	schemes, hosts, types, statuses, media flags.Words
	uris                                   flags.List
	since, until                           request.CaptureTime
}

func (f *captures) add(fs *pflag.FlagSet) {
	fs.Var(&f.schemes, "scheme", "filter: captures of URIs with a scheme in `LIST`: gopher,ftp")
	fs.Var(&f.hosts, "host", "filter: of a host in `LIST`, with any port unless one is given: h.example,*.example,h.example:7070")
	fs.Var(&f.uris, "uri", "filter: of URIs that match `PATTERN`, in which * stands for any characters")
	fs.Var(&f.since, "since", "filter: from `DATE` on")
	fs.Var(&f.until, "until", "filter: before `DATE`")
	fs.Var(&f.types, "type", "filter: with a record of a type in `LIST`: response, resource, revisit, request, metadata, conversion")
	fs.Var(&f.statuses, "status", "filter: with an HTTP status in `LIST`: 200,404, or 4xx for all that begin with 4")
	fs.Var(&f.media, "media", "filter: with a media type in `LIST`: text/html,image/*")
}

// want returns a function that reports whether a record is selected: by all flags, and by any of the words of each.
func (f *captures) want() (func(*warc.Fact) bool, error) {
	uris, schemes, hosts, media := anyOf(f.uris), anyOf(f.schemes), anyOf(f.hosts), anyOf(f.media)
	for _, s := range f.statuses {
		if n, err := strconv.Atoi(strings.ReplaceAll(s, "x", "0")); err != nil || len(s) != 3 || n < 100 {
			return nil, flags.Usage(fmt.Sprintf("--status %s: must be a status such as 404, or 4xx", s))
		}
	}
	kinds := []string{warc.Response, warc.Resource, warc.Revisit, warc.Request, warc.Metadata, warc.Conversion}
	for _, kind := range f.types {
		if !slices.Contains(kinds, kind) {
			return nil, flags.Usage(fmt.Sprintf("--type %s: must be %s", kind, joinOr(kinds)))
		}
	}
	return func(r *warc.Fact) bool {
		scheme, host := warc.Origin(r.URI)
		bare := host
		if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
			bare = host[:i]
		}
		return (schemes == nil || schemes.MatchString(scheme)) &&
			(hosts == nil || hosts.MatchString(host) || hosts.MatchString(bare)) &&
			(uris == nil || uris.MatchString(r.URI)) &&
			(f.since.IsZero() || !r.Date.Before(f.since.Time)) &&
			(f.until.IsZero() || r.Date.Before(f.until.Time)) &&
			(len(f.types) == 0 || slices.Contains(f.types, r.Type)) &&
			(len(f.statuses) == 0 || slices.ContainsFunc(f.statuses, func(s string) bool { return isStatus(r.Status, s) })) &&
			(media == nil || media.MatchString(cmp.Or(r.Media, "-")))
	}, nil
}

// isStatus reports whether a status is the one of three digits, of which the last may be x.
func isStatus(status int, s string) bool {
	digits := strconv.Itoa(status)
	for i := range digits {
		if i >= len(s) || s[i] != 'x' && s[i] != digits[i] {
			return false
		}
	}
	return len(digits) == len(s)
}

// anyOf returns an expression that matches any of the patterns as a whole. It returns nil if there is none.
func anyOf(list []string) *regexp.Regexp {
	if len(list) == 0 {
		return nil
	}
	var all []string
	for _, p := range list {
		all = append(all, strings.ReplaceAll(regexp.QuoteMeta(strings.ToLower(p)), `\*`, ".*"))
	}
	return regexp.MustCompile(`(?is)\A(?:` + strings.Join(all, "|") + `)\z`)
}
