// Package external runs programs as handlers: of x- schemes, which the drafts reserve for experiments, and of any other scheme that has no
// handler here. `deref x-hello://world` runs deref-scheme-x-hello if it is on PATH. The command looks for it, this package does not.
//
// A program runs without arguments and without a shell. It reads a request from standard input and writes a response to standard
// output. Lines end in LF. In the request and in the head of the response, a line is a word, a blank, and a text:
//
//	> deref 1                        the protocol's version
//	> uri x-hello://world            without fragment and password
//	> op retrieve                    or metadata
//	>                                an empty line ends the request
//	< step greet world               any number of times: -v shows it before the program does it
//	< type text/plain                optional
//	< size 6                         optional, in bytes: a document of another size is an error
//	< document                       everything from here to the end is the document
//	< hello
//
// Instead of a document, a program may send referrals in order of preference, each with an optional reason; or a listing, one entry per
// line; or an error with its class (`deref help exit-codes`):
//
//	< refer http://example.org/ moved there
//	< entry http://example.org/a Title of it
//	< done
//
//	< error notfound there is no such greeting
//
// The document is complete when standard output ends and the exit status is 0. If the program fails, the last line of its standard error
// is part of the error. The program is killed when the request ends, and when it writes nothing for longer than Timeouts.Idle.
//
//	error CLASS      that class
//	exit status      local before the document, transfer within it
//	silence          timeout
//	any other line   protocol
package external

import (
	"path/filepath"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Config names the programs. A nil *Config names none.
type Config struct {
	Programs []Program
}

// A Program is the handler of one scheme.
type Program struct {
	Scheme string
	Path   string   // absolute
	Env    []string // the program's whole environment, KEY=VALUE
}

// Schemes returns one scheme for each program.
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
		Local:      true,
		OpensLocal: true,
		MayReferTo: []string{"*"},
		Summary:    "by the program " + p.Path,
		Spec:       "of its own",
		Read:       func(u uri.URI, _ uri.Mode) (any, error) { return request{u.Scheme(), u.String()}, nil },
		Plan:       p.plan,
	}
}

// A request is the URI as the program receives it.
type request struct {
	Scheme string `json:"scheme"`
	URI    string `json:"uri"`
}

// plan returns a plan of one step, which runs the program. The program announces its own steps.
func (program Program) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for programs")
	}
	if strings.ContainsAny(u.String(), "\r\n\x00") {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "CR, LF or NUL in the URI")
	}
	step := fetch.Step{Verb: "run", Args: []string{filepath.Base(program.Path)}}
	return &fetch.Plan{Network: "exec", TLS: fetch.NoTLS, Shape: fetch.ShapeDocument, Steps: []fetch.Step{step}, Run: program.run}, nil
}
