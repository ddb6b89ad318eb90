package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"example.org/deref/schemes"
)

// TestBatchAnswersTheCorpus: every row of the URI corpus, as `deref uri batch` answers it. spec/ is copied into testdata; peers/,
// which may not be, is read where the shared folder is.
func TestBatchAnswersTheCorpus(t *testing.T) {
	own, _ := filepath.Glob("../../testdata/uri/*.jsonl")
	if len(own) < 7 {
		t.Fatalf("only %d files of cases", len(own))
	}
	peers, _ := filepath.Glob("../../../shared/corpus/uri/peers/*.jsonl")
	if len(peers) == 0 {
		t.Log("no ../shared here: the cases of other libraries are skipped")
	}
	w := &workbench{registry: schemes.All(nil), mode: "rfc3986"}
	for _, file := range append(own, peers...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			in, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			rows := 0
			for lines := bufio.NewScanner(in); lines.Scan(); rows++ {
				judge(t, w, lines.Bytes())
			}
			if rows < 5 {
				t.Errorf("%d rows", rows)
			}
		})
	}
}

// judge compares one answer with what its row expects: only the expected keys count, and "accept" lists further right answers.
func judge(t *testing.T, w *workbench, line []byte) {
	t.Helper()
	var c struct {
		row
		Expect map[string]any `json:"expect"`
		Error  bool           `json:"error"`
	}
	if err := json.Unmarshal(line, &c); err != nil {
		t.Fatal(err)
	}
	a, ok := w.answer(line)
	if !ok {
		t.Fatalf("%s: no row", c.ID)
	}
	if c.Error {
		if a.OK {
			t.Errorf("%s: %q is accepted", c.ID, c.Input)
		}
		return
	}
	got := plain(t, a)
	if ref, is := got["ref"].(string); is && resolved(t, w, c.row, ref) == resolved(t, w, c.row, c.Input) {
		return // relativize is not unique
	}
	accept, _ := c.Expect["accept"].([]any)
	for key, want := range c.Expect {
		if key != "accept" && !reflect.DeepEqual(got[key], want) && !slices.ContainsFunc(accept, func(x any) bool { return reflect.DeepEqual(got[key], x) }) {
			t.Errorf("%s: %s is %v, want %v (%s)", c.ID, key, got[key], want, a.Error)
		}
	}
}

// plain is an answer's result as a reader of the JSON sees it.
func plain(t *testing.T, a answer) map[string]any {
	t.Helper()
	b, err := json.Marshal(a.Result)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return out
}

func resolved(t *testing.T, w *workbench, r row, ref string) any {
	t.Helper()
	r.Ref = ref
	u, err := w.resolve(&r)
	if err != nil {
		t.Errorf("%s: %v", r.ID, err)
	}
	return u
}

// TestBatchProtocol: one row in, one row out, in order, whatever the row is.
func TestBatchProtocol(t *testing.T) {
	in := `{"id":1,"kind":"normalize","input":"HTTP://H/%7e"}
{"id":"two","kind":"nonesuch"}
nonsense
{"id":4,"kind":"parse","mode":"nonesuch","input":"x:"}

{"id":5,"kind":"escape","context":"segment","input":"a b&<"}
`
	want := `{"id":1,"ok":true,"result":{"uri":"http://h/~"}}
{"id":"two","ok":false,"error":"no kind \"nonesuch\""}
{"id":null,"ok":false,"error":"no JSON object"}
{"id":4,"ok":false,"error":"no mode \"nonesuch\""}
{"id":5,"ok":true,"result":{"output":"a%20b&%3C"}}
`
	var out bytes.Buffer
	err := (&workbench{registry: schemes.All(nil), mode: "rfc3986"}).batch(bytes.NewReader([]byte(in)), &out)
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
	if exitCode(err) != 1 {
		t.Errorf("a line that is no JSON: exit %d, %v", exitCode(err), err)
	}
}

func BenchmarkBatch(b *testing.B) {
	file, err := os.ReadFile("../../testdata/uri/2-resolve.jsonl")
	if err != nil {
		b.Fatal(err)
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
