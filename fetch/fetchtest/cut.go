package fetchtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"example.org/deref/fetch"
)

// Bounds of how many places a dialogue is cut at: each octet of a short one, a choice of a long one's.
const (
	maxCuts    = 3000
	maxTLSCuts = 150
)

// checkCut: the server ends at every octet of its side. What comes is an error of the right kind, never a short document that looks whole;
// only where the protocol has nothing but the close to mark the end (fetch.EndClosed, not over TLS) may it be a beginning. A document of
// declared length may be whole before the server's last byte.
func checkCut(x *subject) error {
	var errs []error
	for _, n := range x.places() {
		errs = append(errs, x.cutAt(n, false))
		if n%7 == 0 {
			errs = append(errs, x.cutAt(n, true))
		}
		if len(slices.DeleteFunc(slices.Clone(errs), func(e error) bool { return e == nil })) > 3 {
			break // more would say the same
		}
	}
	return errors.Join(errs...)
}

// places are the numbers of octets after which to cut.
func (x *subject) places() []int {
	n, most := x.script.Octets(), maxCuts
	if x.script.Secure() {
		most = maxTLSCuts
	}
	var list []int
	for i := 0; i < n; i += max(1, n/most) {
		list = append(list, i)
	}
	if n > most {
		for _, b := range x.script.Bounds() {
			list = append(list, max(0, b-1), min(b, n-1), min(b+1, n-1))
		}
		slices.Sort(list)
		list = slices.Compact(list)
	}
	return list
}

func (x *subject) cutAt(n int, reset bool) error {
	a := x.attempt()
	a.faults.CutAfter, a.faults.Reset = n, reset
	r, err := a.run()
	if err == nil {
		err = x.cutResult(r, n, reset)
	}
	if err != nil {
		how := "ends"
		if reset {
			how = "breaks"
		}
		return fmt.Errorf("the server %s after %d of %d octets: %w", how, n, x.script.Octets(), err)
	}
	return nil
}

func (x *subject) cutResult(r *result, n int, reset bool) error {
	switch {
	case r.play != nil:
		return fmt.Errorf("the client says something else: %w", r.play)
	case r.err != nil && n >= x.script.Needed() && !reset && x.Err == "":
		return fmt.Errorf("the document was whole, and there is an error: %w", r.err)
	case r.err != nil:
		return x.cutError(r.err)
	case x.mayBeShort(r, reset):
		return nil
	case x.Err != "":
		return fmt.Errorf("a document comes instead of %s: %q", x.Err, r.body)
	case n >= x.script.Needed():
		return sameBody(x.base.body, r.body)
	case x.isDeclared(r):
		return nil
	}
	return fmt.Errorf("%d of the document's %d octets come without an error", len(r.body), len(x.base.body))
}

// mayBeShort: a document that says of itself that only the close has ended it may be the beginning of one. (Where the whole one would have
// said more, for instance its terminator, it may also have been read in another way.)
func (x *subject) mayBeShort(r *result, reset bool) bool {
	if r.doc == nil || r.doc.End != fetch.EndClosed || reset || x.script.Secure() {
		return false
	}
	return x.base.doc == nil || x.base.doc.End != fetch.EndClosed || bytes.HasPrefix(x.base.body, r.body)
}

// isDeclared reports whether r is the whole document although the server's last bytes are missing: its length was declared beforehand, and so
// many bytes came. FTP has a reply after the document, which is lost with the control connection of a long transfer. The handler must say so in
// the trace: one that just does not read so far is not meant.
func (x *subject) isDeclared(r *result) bool {
	return r.noted.Load() && r.err == nil && r.doc != nil && r.doc.End == fetch.EndDeclared && r.doc.Size-r.doc.Offset == int64(len(r.body)) &&
		x.base.err == nil && bytes.Equal(x.base.body, r.body)
}

func sameBody(want, got []byte) error {
	if !bytes.Equal(want, got) {
		return fmt.Errorf("the document was whole, and %q comes instead of %q", got, want)
	}
	return nil
}

// cutError says whether err is of a kind that a broken connection may be.
func (x *subject) cutError(err error) error {
	k := fetch.KindOf(err)
	switch {
	case x.Err != "" && errors.Is(err, x.Err):
		return nil
	case k == fetch.ErrConnection, k == fetch.ErrTruncated, k == fetch.ErrTransfer, k == fetch.ErrConnect, k == fetch.ErrTLS && x.script.Secure():
		return nil
	case errors.Is(err, io.EOF):
		return fmt.Errorf("the end of the connection comes through as %w", err)
	}
	return fmt.Errorf("the error has the kind %q: %w", k, err)
}
