package retrieve

import (
	"errors"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// A partial document can be resumed, except from an archive, which never has more of it.
func TestHintAtResuming(t *testing.T) {
	for _, from := range []string{"", "a.warc"} {
		f := &Flags{}
		if from != "" {
			f.FromWarc = []string{from}
		}
		e, ok := errors.AsType[*fetch.Error](f.outcome(fetch.Errorf(fetch.ErrTruncated, "cut"), save.Result{Part: "a.part"}))
		if !ok || !strings.Contains(e.Hint, "a.part") || strings.Contains(e.Hint, "-C -") != (from == "") {
			t.Errorf("%q: got %+v, want a hint with a.part; with -C -: %v", from, e, from == "")
		}
	}
}
