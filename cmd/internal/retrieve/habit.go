package retrieve

import (
	"errors"

	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
)

// withHabitHint adds a hint to the error of an argument that is not a URI, if it is probably the value of a flag that takes none here.
func (g *getter) withHabitHint(t request.Target, err error) error {
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Kind != fetch.ErrRefusedURL || t.Err != nil || t.URI.IsAbs() {
		return err
	}
	hint := e.Hint
	switch { // wget's flags of these names take a value
	case g.flags.remoteName:
		hint = "-O takes no file name; -o FILE does"
	case g.flags.include:
		hint = "-i takes no file; --input FILE does"
	case len(g.options.Set["ftp.active"]) > 0:
		hint = "-P takes no directory; --output-dir DIR does"
	}
	return &fetch.Error{Kind: e.Kind, Text: e.Text, Hint: hint, Err: err}
}
