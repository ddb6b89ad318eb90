// Package external lets programs be handlers: of x- schemes, which the drafts set aside for experiments, and of any other that has no
// handler here. `deref x-hello://world` runs deref-scheme-x-hello, if that is on PATH; the command looks for it, this package does not.
//
// A program is run without arguments and without a shell. It reads a request from its standard input and answers on its standard
// output; lines end in LF. In the request, as in the head of the answer, a line is a word, a blank, and a text:
//
//	> deref 1                        the protocol's version
//	> uri x-hello://world            without fragment and password
//	> op retrieve                    or metadata
//	>                                an empty line: that is all
//	< step greet world               any number of times: shown by -v before the program does it
//	< type text/plain                what is known of the document
//	< size 6                         its octets: more or fewer are an error
//	< document                       everything from here to the end is the document
//	< hello
//
// Instead of a document there may be URIs that lead on, in order of preference, each with a reason behind it if it likes; or an entry of
// a listing for each line; or a refusal with its class (`deref help exit-codes`):
//
//	< refer http://example.org/ moved there
//	< entry http://example.org/a Title of it
//	< done
//
//	< error notfound there is no such greeting
//
// The document is whole when standard output ends and the program's exit status is 0. What it writes to standard error is shown, the
// last line of it, when it fails. It is killed when the request ends, and when it is silent for longer than Timeouts.Idle.
//
//	error CLASS      that class
//	exit status      local before the document, transfer within it
//	silence          timeout
//	another line     protocol
package external

import (
	"path/filepath"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Config names the programs; nil has none.
type Config struct {
	Programs []Program
}

// A Program is the handler of one scheme.
type Program struct {
	Scheme string
	Path   string   // absolute
	Env    []string // of the program, KEY=VALUE; nothing else is in its environment
}

// Schemes returns the programs' schemes.
func Schemes(cfg *Config) (list []fetch.Scheme) {
	if cfg == nil {
		return nil
	}
	for _, p := range cfg.Programs {
		p.Env = slices.Clone(p.Env)
		list = append(list, scheme(p))
	}
	return list
}

func scheme(p Program) fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{p.Scheme},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Local:      true, // it answers from this machine: no server's referral leads here by itself
		OpensLocal: true,
		MayReferTo: []string{"*"},
		Summary:    "by the program " + p.Path,
		Spec:       "of its own",
		Read:       func(u uri.URI, _ uri.Mode) (any, error) { return reading{u.Scheme(), u.String()}, nil },
		Handler:    handler{p},
	}
}

type reading struct {
	Scheme string `json:"scheme"`
	URI    string `json:"uri"`
}

type handler struct{ program Program }

// Plan is one step: what the program does is its own affair.
func (h handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	switch {
	case o.Op != fetch.Retrieve && o.Op != fetch.Metadata:
		return nil, fetch.NoOperation("a program", o.Op)
	case !o.Range.IsZero():
		return nil, fetch.Errorf(fetch.ErrRange, "a program gives whole documents only")
	}
	if strings.ContainsAny(u.String(), "\r\n\x00") {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "CR, LF or NUL in the URI")
	}
	run := fetch.Step{Verb: "run", Args: []string{filepath.Base(h.program.Path)}}
	return &fetch.Plan{Network: "exec", TLS: fetch.NoTLS, Shape: fetch.ShapeDocument, Steps: []fetch.Step{run}}, nil
}
