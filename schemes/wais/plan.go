package wais

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/uri"
)

const (
	ifSource  = "the search answered a record of the type WSRC"
	ifNoHelp  = "the server finds a syntax error in the request for help"
	untilSaid = "until the document ends"

	// help requests the description of a database. Some servers respond to empty words with an error.
	help = "?"
	// anyWord is a search that every server understands. Its response shows whether the database exists.
	anyWord     = "help"
	defaultMost = 40
	mostMost    = 10000

	// defaultChunk is how many bytes of a document one request asks for. freeWAIS servers put at most 100000 bytes into a frame, and
	// send an empty frame where a response would be longer. They drop what arrives before their response, so each chunk takes a
	// round trip (waisserver.c: fflush(in)). smallChunk is what all old clients ask for, and what is asked for after an empty frame.
	defaultChunk = 98000
	smallChunk   = 10000
	mostChunk    = 99000
)

// plan sends one search, or the retrievals of a document's chunks.
func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := parse(u, o.Mode)
	if err != nil {
		return nil, err
	}
	if o.Op != fetch.Retrieve {
		return nil, fetch.NoOperation("wais", o.Op)
	}
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, err
	}
	if r.chunk, err = urifield.Number(o, setChunk, defaultChunk, 100, mostChunk); err != nil {
		return nil, err
	}
	p := &fetch.Plan{Network: "tcp", Addr: addr, TLS: fetch.NoTLS, Run: r.run}
	if o.Get(setInit) == "yes" {
		p.Steps = append(p.Steps, fetch.Step{Verb: "init", Args: []string{strconv.Itoa(frameSize)}})
	}
	switch {
	case r.What == whatDocument && len(o.Search) > 0:
		err = fetch.Errorf(fetch.ErrUnsupported, "a document cannot be searched, only a database")
	case r.What == whatDocument:
		err = r.retrieval(p, o)
	case !o.Range.IsZero():
		err = fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for searches")
	default:
		err = r.search(p, o)
	}
	if err != nil {
		return nil, err
	}
	return p, checkSize(p)
}

// checkSize rejects a search that is longer than a frame, because servers do not check the size of their buffer.
func checkSize(p *fetch.Plan) error {
	for _, s := range p.When("") {
		if s.Verb == verbSearch && z3950.HeaderLen+len(encode(s)) > frameSize {
			return fetch.Errorf(fetch.ErrRefusedURL, "the search is longer than the %d bytes of a frame", frameSize)
		}
	}
	return nil
}

// search requests headlines. If there are no words, it requests help, and the response contains the database's description as a source file.
func (r *request) search(p *fetch.Plan, o *fetch.Options) error {
	text, err := r.words(o)
	if err != nil {
		return err
	}
	args, err := r.searchArgs(o)
	if err != nil {
		return err
	}
	p.Shape = fetch.ShapeSearch
	if text == "" && len(o.Set[setLike]) == 0 {
		p.Shape, p.Type, text = fetch.ShapeDocument, mediaType("WSRC"), help
	}
	p.Steps = append(p.Steps, fetch.Step{Verb: verbSearch, Args: args, Data: text})
	if strings.HasPrefix(text, help) {
		p.Steps = append(p.Steps, fetch.Step{Verb: verbSearch, Args: args, Data: anyWord, If: ifNoHelp})
	}
	p.Steps = append(p.Steps, fetch.Step{
		Verb: verbRetrieve, Args: []string{string(r.Database), "WSRC", "bytes", openSpan(r.chunk)}, Data: "<DocID>", If: ifSource, Repeat: untilSaid,
	})
	return nil
}

// words returns the words of the URI and then those of the options, as bytes to send. In the older modes characters are bytes of ISO Latin 1,
// as they are in WAIS. UTF-8 is converted to ISO Latin 1 if all of it can be.
//
// QUIRK: freeWAIS-sf 2.2.10 indexes bytes of ISO Latin 1 and finds no word that is sent as UTF-8 (trace search-latin1).
func (r *request) words(o *fetch.Options) (string, error) {
	var words []string
	if r.Search != nil && *r.Search != "" {
		words = append(words, string(*r.Search))
	}
	for _, w := range o.Search {
		octets, ok := o.Mode.Octets(w)
		if !ok {
			return "", fetch.Errorf(fetch.ErrRefusedURL, "the word %q has characters that are not in ISO Latin 1", w)
		}
		words = append(words, octets)
	}
	text := strings.Join(words, " ")
	if octets, ok := uri.RFC1630.Octets(text); ok && o.Mode.Unicode() {
		return octets, nil
	}
	return text, nil
}

// searchArgs returns the database and the parameters of the settings.
func (r *request) searchArgs(o *fetch.Options) ([]string, error) {
	most, err := urifield.Number(o, setMax, defaultMost, 1, mostMost)
	if err != nil {
		return nil, err
	}
	args := []string{string(r.Database)}
	for _, name := range o.Set[setAlso] {
		if err := checkDatabase(name); err != nil {
			return nil, err
		}
		args = append(args, "also", name)
	}
	args = append(args, "most", strconv.Itoa(most))
	if d := o.Get(setDate); d != "" {
		if _, _, _, ok := dates(d); !ok {
			return nil, fetch.BadSetting(setDate, "%s must be later, earlier or BEGIN-END", setDate)
		}
		args = append(args, "date", d)
	}
	for _, like := range o.Set[setLike] {
		more, err := likeArgs(like, o.Mode)
		if err != nil {
			return nil, err
		}
		args = append(args, more...)
	}
	return args, nil
}

// retrieval requests the chunks of a document, or lines of it.
func (r *request) retrieval(p *fetch.Plan, o *fetch.Options) error {
	wtype, err := r.oneType(o)
	if err != nil {
		return err
	}
	step := fetch.Step{Verb: verbRetrieve, Args: []string{string(r.Database), wtype, "bytes", ""}, Data: string(r.DocID)}
	if lines := o.Get(setLines); lines != "" {
		from, to, ok := span(lines)
		if !ok || from >= to || !o.Range.IsZero() {
			return fetch.Errorf(fetch.ErrRange, "%s must be FROM-TO, without another range", setLines)
		}
		step.Args[2], step.Args[3] = "lines", lines
	}
	if r.from, r.to, err = r.bounds(o); err != nil {
		return err
	}
	if step.Args[2] == "bytes" {
		step.Args[3], step.Repeat = r.span()
	}
	p.Shape, p.Type = fetch.ShapeDocument, mediaType(wtype)
	p.Steps = append(p.Steps, step)
	return nil
}

// oneType chooses one of several types such as "TEXT,HTML". The first is the default, and the length belongs to it.
func (r *request) oneType(o *fetch.Options) (string, error) {
	list := strings.Split(string(*r.WType), ",")
	for _, want := range o.Accept {
		for i, t := range list {
			if !strings.EqualFold(t, want) && mediaType(t) != want {
				continue
			}
			if i > 0 {
				r.Length = nil
			}
			return wireType(t)
		}
	}
	return wireType(list[0])
}

// wireType returns the type to send.
//
// QUIRK: servers cut it at the first byte that is not a capital letter, and crash if nothing is left (freeWAIS-sf 2.2.10).
func wireType(t string) (string, error) {
	if t != "" && (t[0] < 'A' || t[0] > 'Z') {
		t = strings.ToUpper(t)
	}
	if t == "" || len(t) > maxType || t[0] < 'A' || t[0] > 'Z' || strings.ContainsFunc(t, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return "", fetch.Errorf(fetch.ErrRefusedURL, "not a WAIS type: %q", t)
	}
	return t, nil
}

// maxType is the size of the servers' buffer, which they do not check.
const maxType = 20
