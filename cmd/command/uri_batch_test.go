package command

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/schemes"
	cases "example.org/deref/testdata/uri"
)

// TestBatchAnswersTheCorpus runs every case of testdata/uri, and those of other libraries if URI_CORPUS names them, through `deref uri
// batch`.
func TestBatchAnswersTheCorpus(t *testing.T) {
	w := &workbench{registry: schemes.All(nil), mode: "rfc3986"}
	files := map[string]int{}
	for _, c := range cases.Own(t) {
		judge(t, w, c)
		files[c.File]++
	}
	if len(files) < 7 {
		t.Errorf("got %d files of cases, want at least 7: %v", len(files), files)
	}
	t.Run("others", func(t *testing.T) {
		others := cases.Others(t)
		if others == nil {
			t.Skip(cases.NoOthers)
		}
		for _, c := range others {
			judge(t, w, c)
		}
	})
}

// judge compares one answer with its row. Only the expected keys count; "accept" lists other correct answers.
func judge(t *testing.T, w *workbench, c cases.Case) {
	t.Helper()
	a, ok := w.answer(c.Line)
	if !ok {
		t.Fatalf("%s: got no answer, want one", c.ID)
	}
	if c.Error {
		if a.OK {
			t.Errorf("%s: %q: got no error, want one", c.ID, c.Input)
		}
		return
	}
	if !a.OK {
		t.Errorf("%s: %q: got error %s, want none", c.ID, c.Input, a.Error)
		return
	}
	got := plain(t, a)
	if ref, is := got["ref"].(string); is && resolved(t, w, c, ref) == resolved(t, w, c, c.Input) {
		return // relativize is not unique
	}
	accept, _ := c.Expect["accept"].([]any)
	for key, want := range c.Expect {
		same := func(x any) bool { return reflect.DeepEqual(got[key], x) }
		if key != "accept" && !same(want) && !slices.ContainsFunc(accept, same) {
			t.Errorf("%s: %s is %v, want %v (%s)", c.ID, key, got[key], want, a.Error)
		}
	}
}

// plain returns an answer's result as parsed from its JSON.
func plain(t *testing.T, a answer) map[string]any {
	t.Helper()
	b, err := json.Marshal(a.Result)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("got %s (%v), want a JSON object", b, err)
	}
	return out
}

func resolved(t *testing.T, w *workbench, c cases.Case, ref string) any {
	t.Helper()
	u, err := w.resolve(&row{Mode: c.Mode, Base: c.Base, Ref: ref})
	if err != nil {
		t.Errorf("%s: got %v, want no error", c.ID, err)
	}
	return u
}

// TestBatchProtocol checks that each row gives one answer, in order, also if the row is invalid.
func TestBatchProtocol(t *testing.T) {
	in := `{"id":1,"kind":"normalize","input":"HTTP://H/%7e"}
{"id":"two","kind":"nonesuch"}
nonsense
{"id":4,"kind":"parse","mode":"nonesuch","input":"x:"}

{"id":5,"kind":"escape","context":"segment","input":"a b&<"}
`
	want := `{"id":1,"ok":true,"result":{"uri":"http://h/~"}}
{"id":"two","ok":false,"error":"no kind \"nonesuch\""}
{"id":null,"ok":false,"error":"not a JSON object"}
{"id":4,"ok":false,"error":"no mode \"nonesuch\""}
{"id":5,"ok":true,"result":{"output":"a%20b&%3C"}}
`
	var out bytes.Buffer
	err := (&workbench{registry: schemes.All(nil), mode: "rfc3986"}).batch(bytes.NewReader([]byte(in)), &out)
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
	if app.ExitCode(err) != 1 {
		t.Errorf("a line that is not JSON: got exit status %d (%v), want 1", app.ExitCode(err), err)
	}
}

func BenchmarkBatch(b *testing.B) {
	var file []byte
	for _, c := range cases.Own(b) {
		if c.File == "2-resolve.jsonl" {
			file = append(append(file, c.Line...), '\n')
		}
	}
	w := &workbench{registry: schemes.All(nil), mode: "rfc3986"}
	rows := bytes.Count(file, []byte("\n"))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		w.batch(bytes.NewReader(file), &bytes.Buffer{})
		n += rows
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}
