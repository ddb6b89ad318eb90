package retrieve

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
	"example.org/deref/fetch/checksum"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// byServer is the value of --checksum for the digest that the server states.
const byServer = "server"

// A verification is what the documents of one command line must match.
type verification struct {
	name   string // of the checksum file, for messages
	list   []checksum.File
	stated bool // by the server
}

// elsewhere stands for the place of a Metalink document. Somebody else wrote it, wherever it is stored, so its sources are like the links of a page.
const elsewhere = "https://metalink.invalid/"

// verification reads the checksums. It returns nil if none are wanted.
func (f *Flags) verification(ctx context.Context, a *app.App, c fetch.Getter) (*verification, error) {
	v := &verification{name: f.checksum}
	switch {
	case f.checksum == "":
		return nil, nil
	case f.checksum == byServer:
		v.stated = true
		return v, nil
	}
	stated, err := checksum.Stated(f.checksum)
	switch {
	case err != nil:
		return nil, flags.Usage("--checksum " + err.Error())
	case stated != nil:
		v.list = []checksum.File{*stated}
		return v, nil
	}
	return v, v.read(ctx, a, c, f.checksum)
}

// read reads a checksum file: a local one, standard input, or the document of a URI.
func (v *verification) read(ctx context.Context, a *app.App, c fetch.Getter, name string) error {
	in, err := flags.Open(name, a.Stdin)
	if u, perr := uri.Parse(name); err != nil && perr == nil && u.IsAbs() && strings.Contains(name, "://") {
		return v.fetch(ctx, c, u)
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "--checksum: %w", err)
	}
	defer in.Close()
	if v.list, err = checksum.Parse(name, in); err != nil {
		return fetch.Errorf(fetch.ErrLocal, "--checksum %s: %w", name, err)
	}
	return nil
}

func (v *verification) fetch(ctx context.Context, c fetch.Getter, u uri.URI) error {
	v.name = u.Redacted(nil)
	d, err := c.Get(ctx, u, nil)
	if d != nil {
		defer d.Body.Close()
	}
	if err == nil {
		v.list, err = checksum.Parse(string(u.Path()), d.Body)
	}
	if err != nil {
		return fetch.Errorf(cmp.Or(fetch.KindOf(err), fetch.ErrProtocol), "--checksum %s: %w", v.name, err)
	}
	return nil
}

// metalinkTargets returns the files of a Metalink document, for a command line without URIs. Each begins with its first source.
func (c *command) metalinkTargets() (ts []request.Target, err error) {
	if v := c.verification; v != nil {
		for i := range v.list {
			if sources := c.sources(&v.list[i]); len(sources) > 0 {
				ts = append(ts, request.Target{Arg: sources[0].String(), URI: sources[0], Group: len(ts)})
			}
		}
	}
	if len(ts) == 0 {
		return nil, flags.Usage("no URI given; only a Metalink document for --checksum has URIs of its own")
	}
	return ts, nil
}

// sources returns the sources of a file that may be requested.
func (c *command) sources(f *checksum.File) (list []uri.URI) {
	for _, text := range f.Sources {
		if u, err := uri.Parse(text); err == nil && u.IsAbs() && c.chosen(uri.MustParse(elsewhere), u) == nil {
			list = append(list, u.ASCII())
		}
	}
	return list
}

// sourceOf returns the file of which u is a source.
func (v *verification) sourceOf(u uri.URI) *checksum.File {
	for i := range v.list {
		for _, s := range v.list[i].Sources {
			if p, err := uri.Parse(s); err == nil && p.ASCII().String() == u.String() {
				return &v.list[i]
			}
		}
	}
	return nil
}

// verify sets what the document must match. A list states it for single items.
func (r *retrieval) verify(o *save.Options) error {
	v := r.verification
	switch {
	case r.check != nil && r.flags.byteRange != "":
		return flags.Usage("-r: only a whole document can be verified, as the list requires")
	case r.check != nil && !r.flags.head:
		o.Check = r.check
		return nil
	case v == nil:
		return nil
	}
	if o.CheckStated = v.stated; v.stated {
		return nil
	}
	path := r.uri.Path().Decode()
	if o.Check = v.sourceOf(r.uri); o.Check != nil {
		if o.Path == "" {
			o.Name = o.Check.Name[strings.LastIndexByte(o.Check.Name, '/')+1:]
		}
	} else {
		var err error
		if o.Check, err = checksum.Find(v.list, path); err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%s: %w: %q", v.name, err, path[strings.LastIndexByte(path, '/')+1:])
		}
	}
	if o.Check.IsWeak() {
		r.weakOnce.Do(func() { r.command.note(v.name + ": MD5 and SHA-1 detect accidents, but not a forged file") })
	}
	return nil
}

// trySources goes on with the other sources of a Metalink's file after its document has failed with err. What has arrived is continued or repaired by
// the next source. What was printed cannot be taken back, and ends the search.
func (r *retrieval) trySources(o *save.Options, policy retry.Policy, err error) error {
	if err == nil || o.Check == nil {
		return err
	}
	u, next := r.uri, *o
	if next.Path == "" && next.Name == "" {
		next.Name = save.NameIn(u, o.Charset)
	}
	tried := map[string]bool{u.String(): true}
	for _, source := range r.sources(o.Check) {
		if tried[source.String()] {
			continue
		}
		if r.printed || !worthAnother(err) {
			break
		}
		tried[source.String()] = true
		r.command.note(r.schemes.Redact(u) + ": " + app.Class(err) + ": " + err.Error() + "; next source: " + r.schemes.Redact(source))
		next.URI, next.Resume = source, next.Resume || r.result.Part != ""
		r.result, err = r.transfer(source, r.schemes.ReferralOptions(r.request, u, source), &next, policy)
		if u = source; err == nil {
			break
		}
	}
	return err
}

// worthAnother reports whether another source may succeed after err.
func worthAnother(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	switch fetch.KindOf(err) {
	case fetch.ErrLocal, fetch.ErrDisk, fetch.ErrCanceled, "":
		return false
	}
	return true
}
