package retrieve

import (
	"errors"

	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
)

// habitual is the error of a word that is no URI, with a hint at the habit that made it one.
func (g *getter) habitual(t request.Target, err error) error {
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Kind != fetch.ErrRefusedURL || t.Err != nil || t.URI.IsAbs() {
		return err
	}
	hint := e.Hint
	switch { // wget's flags of these names take a value
	case g.flags.remoteName:
		hint = "-O takes no name; -o FILE does"
	case g.flags.include:
		hint = "-i takes no file; --input FILE does"
	case len(g.options.Set["ftp.active"]) > 0:
		hint = "-P takes no folder; --output-dir DIR does"
	}
	return &fetch.Error{Kind: e.Kind, Text: e.Text, Hint: hint, Err: err}
}
