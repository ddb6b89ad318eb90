package fetchtest

import (
	"bytes"
	"errors"
	"fmt"

	"example.org/deref/fetch"
)

// checkRange: a byte range, and a request for metadata only, is served or refused. If the plan is the same with and without it, the server does
// not know of it, so the handler has to apply it itself.
func checkRange(x *subject) error {
	if x.Live || !x.Options.Range.IsZero() || x.Options.Op != fetch.Retrieve || len(x.base.body) < 2 || len(x.base.doc.Via) > 0 {
		return nil
	}
	ranged, bare := *x, *x
	ranged.Options.Range = fetch.Range{From: 1}
	bare.Options.Op = fetch.Metadata
	err := ranged.applied(x, fetch.ErrRange, "Options.Range", func(r *result) bool {
		return r.doc.Offset == 1 && bytes.Equal(r.body, x.base.body[1:])
	})
	if x.scheme.Rules.DefaultPort == 0 { // without a server, metadata may come with the document
		return err
	}
	return errors.Join(err, bare.applied(x, fetch.ErrUnsupported, "Options.Op", func(r *result) bool { return len(r.body) == 0 }))
}

// applied returns an error if v, which differs from x by an option, is served as x is.
func (v *subject) applied(x *subject, kind fetch.Kind, option string, fits func(*result) bool) error {
	p, err := v.planned()
	switch k := fetch.KindOf(err); {
	case k == kind || k == fetch.ErrUnsupported:
		return nil
	case err != nil:
		return fmt.Errorf("with %s: planning returns an error of kind %q, want %s: %w", option, k, kind, err)
	}
	if q, err := x.planned(); err != nil || Describe(p) != Describe(q) {
		return nil // the server knows of it; the dialogue is another one
	}
	a := v.attempt()
	a.faults.Strict = false
	r, err := a.run()
	switch {
	case err != nil:
		return fmt.Errorf("with %s: %w", option, err)
	case r.err != nil || fits(r):
		return nil
	}
	return fmt.Errorf("%s is ignored: the plan and the document are the same with it; call fetch.CheckWhole in Plan, which returns %s, or apply it", option, kind)
}

// planned plans the subject with a Client of its own.
func (x *subject) planned() (*fetch.Plan, error) {
	a := x.attempt()
	if err := a.open(); err != nil {
		return nil, err
	}
	defer a.player.Close()
	return x.plan(a)
}
