package save_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/save"
)

// TestResumeOfAnotherProgram: a file that is the beginning of the document is replaced by the whole of it, whatever its size and whether the
// server has ranges, by a name from the URI as by the user's own. Any other file is replaced only if that is allowed.
func TestResumeOfAnotherProgram(t *testing.T) {
	f, dir := tempDir(t)
	for _, size := range []int{1000, 80 << 10} { // the second is longer than what is fetched again for comparison
		a, b := octets(size, 'a'), octets(size, 'b')
		zeros := append(make([]byte, 100), a[100:size-1]...) // it differs at its beginning only
		for name, c := range map[string]struct {
			has                      []byte
			begins, whole, unnoticed bool
		}{
			"whole":                       {has: a, begins: true, whole: true},
			"empty":                       {begins: true},
			"shorter":                     {has: a[:10], begins: true},
			"all but the last byte":       {has: a[:size-1], begins: true},
			"longer":                      {has: append(bytes.Clone(a), 'b')},
			"another":                     {has: b},
			"another, shorter":            {has: b[:size-1]},
			"another in its first byte":   {has: append([]byte{'x'}, a[1:10]...)},
			"another before its last end": {has: zeros, unnoticed: size > 64<<10},
		} {
			for server, now := range map[string]object{"ranges": {data: a}, "no ranges": {data: a, noRange: true}, "refuses": {data: a, refuses: true}} {
				if now.valid.Tag = "1"; len(c.has) > size { // else the server has lost some of it
					now.valid.Modified = "m"
				}
				for place, o := range map[string]save.Options{"URI": {}, "Force": {Force: true}, "Path": {Path: "x"}} {
					os.WriteFile(filepath.Join(dir, "x"), c.has, 0o666)
					s := newSite(map[string]*object{"/x": &now})
					o.Dir, o.Resume, o.Sum = f, true, true
					r, err := get(t, s, "/x", nil, &o)
					want, resumes := a, c.begins || c.unnoticed && server == "ranges"
					switch {
					case resumes && c.unnoticed:
						want = append(bytes.Clone(zeros), a[size-1])
						fallthrough
					case resumes:
						if err != nil || r.Restarted || r.Unchanged != c.whole || r.Size != int64(size) || r.SHA256 != sumOf(want) {
							t.Errorf("%s of %d, %s, %s: got %+v, %v; want the whole, Unchanged %t, not Restarted", name, size, server, place, r, err, c.whole)
						}
					case place == "URI":
						want = c.has
						e, _ := errors.AsType[*fetch.Error](err)
						if e == nil || e.Kind != fetch.ErrLocal || e.Text != filepath.Join(dir, "x")+" is not the beginning of the document" || e.Hint != hint.Force {
							t.Errorf("%s of %d, %s: got %+v, %v; want that the file is not the beginning", name, size, server, r, err)
						}
					case err != nil || !r.Restarted || r.SHA256 != sumOf(a):
						t.Errorf("%s of %d, %s, %s: got %+v, %v; want Restarted", name, size, server, place, r, err)
					}
					holds(t, dir, map[string][]byte{"x": want})
				}
			}
		}
	}
}

// TestResumeNextToAFile: a part may be continued next to a file that is the beginning of the document, too, as after a second interruption. If the
// file is another, the part stays.
func TestResumeNextToAFile(t *testing.T) {
	a := octets(big, 'a')
	for name, c := range map[string]struct {
		has []byte
		ok  bool
	}{
		"shorter than the part":  {a[:half-10], true},
		"longer than the part":   {a[:half+10], true},
		"whole":                  {a, true},
		"another":                {octets(1000, 'b'), false},
		"longer than the object": {append(bytes.Clone(a), 'b'), false},
	} {
		f, dir := tempDir(t)
		o := object{data: a, valid: fetch.Validator{Tag: "1"}}
		interrupted(t, f, o)
		os.WriteFile(filepath.Join(dir, "x"), c.has, 0o666)
		r, err := get(t, newSite(map[string]*object{"/x": &o}), "/x", nil, &save.Options{Dir: f, Resume: true})
		if c.ok != (err == nil) || c.ok && r.Resumed != half || !c.ok && !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: got %+v, %v; want success: %t", name, r, err, c.ok)
		}
		want := map[string][]byte{"x": a}
		if !c.ok {
			want["x"] = c.has
		}
		if name == "another" {
			want["x.part"], want["x.part.json"] = a[:half], nil
		}
		holds(t, dir, want)
	}
}

// The process ended between the last byte and the rename: no server has a range after the last byte.
func TestResumeOfAWholePart(t *testing.T) {
	f, dir := tempDir(t)
	o := object{data: octets(big, 'a'), valid: fetch.Validator{Tag: "1"}, breakAt: big, breakWith: fetch.Errorf(fetch.ErrTruncated, "no end")}
	s := newSite(map[string]*object{"/x": &o})
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f}); err == nil || r.Size != big {
		t.Fatalf("got %+v, %v; want an error and Size %v", r, err, big)
	}
	o.breakWith = nil
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true}); err != nil || r.Resumed != big {
		t.Errorf("got %+v, %v; want Resumed %v", r, err, big)
	}
	holds(t, dir, map[string][]byte{"x": octets(big, 'a')})
}

// An interrupted range from the middle is not kept: nothing could continue it.
func TestPromise10BrokenMiddleIsNotKept(t *testing.T) {
	for _, n := range []int64{1100, half} {
		f, dir := tempDir(t)
		s := newSite(map[string]*object{"/x": {data: octets(big, 'a'), valid: fetch.Validator{Tag: "1"}, breakAt: n}})
		for _, o := range []save.Options{{Dir: f}, {Dir: f, From: 1000}} {
			fo := &fetch.Options{Range: fetch.Range{From: 1000}}
			if o.From > 0 {
				fo = nil
			}
			if r, err := get(t, s, "/x", fo, &o); !errors.Is(err, fetch.ErrTruncated) || r.Part != "" {
				t.Errorf("got %+v, %v; want ErrTruncated and Part empty", r, err)
			}
			holds(t, dir, nil)
		}
	}
}

// A part without state, or of another document, is not continued.
func TestPromise10ForeignPart(t *testing.T) {
	a, b := octets(big, 'a'), octets(big, 'b')
	f, dir := tempDir(t)
	os.WriteFile(filepath.Join(dir, "x.part"), b, 0o666)
	s := newSite(map[string]*object{"/x": {data: a, valid: fetch.Validator{Tag: "1"}}})
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true}); err != nil || r.Resumed != 0 {
		t.Errorf("got %+v, %v; want Resumed 0", r, err)
	}
	holds(t, dir, map[string][]byte{"x": a, "x.part": b})

	f, dir = tempDir(t)
	os.WriteFile(filepath.Join(dir, "x.part"), b[:half], 0o666)
	os.WriteFile(filepath.Join(dir, "x.part.json"), []byte(`{"uri":"test://other/x","tag":"1"}`), 0o666)
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true}); err != nil || r.Resumed != 0 {
		t.Errorf("got %+v, %v; want Resumed 0", r, err)
	}
	holds(t, dir, map[string][]byte{"x": a})
}

// Whatever the state contains, the result is the document or an error.
func TestPromise10BadState(t *testing.T) {
	a := octets(big, 'a')
	for _, state := range []string{"", "{", "null", `{"uri":7}`, `{"uri":"test://h/x","size":-5,"tag":"1"}`, `{"uri":"test://h/x"}` +
		string(make([]byte, 1<<17)), `{"uri":"test://h/x","modified":"m","size":1}`} {
		f, dir := tempDir(t)
		os.WriteFile(filepath.Join(dir, "x.part"), octets(half, 'b'), 0o666)
		os.WriteFile(filepath.Join(dir, "x.part.json"), []byte(state), 0o666)
		s := newSite(map[string]*object{"/x": {data: a, valid: fetch.Validator{Tag: "2"}}})
		if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true}); err != nil {
			t.Errorf("%.30q: %v", state, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "x")); err != nil || string(got) != string(a) {
			t.Errorf("%.30q: got %d other bytes, %v; want %d", state, len(got), err, len(a))
		}
	}
}

// A success without Resume removes the remains of an earlier interruption.
func TestSuccessDropsThePart(t *testing.T) {
	for _, n := range []int{10, big} {
		f, dir := tempDir(t)
		interrupted(t, f, object{data: octets(big, 'a'), valid: fetch.Validator{Tag: "1"}})
		s := newSite(map[string]*object{"/x": {data: octets(n, 'b')}})
		if _, err := get(t, s, "/x", nil, &save.Options{Dir: f}); err != nil {
			t.Error(err)
		}
		holds(t, dir, map[string][]byte{"x": octets(n, 'b')})
	}
}

// Two saves at the same time: one continues the part, the other must not touch it.
func TestPromise10PartIsLocked(t *testing.T) {
	f, dir := tempDir(t)
	o := object{data: octets(big, 'a'), valid: fetch.Validator{Tag: "1"}}
	interrupted(t, f, o)
	second := newSite(map[string]*object{"/x": {data: o.data, valid: o.valid}})
	first := newSite(map[string]*object{"/x": &o})
	r, err := get(t, first, "/x", nil, &save.Options{Dir: f, Resume: true, Opened: func(*fetch.Document) error {
		r, err := get(t, second, "/x", nil, &save.Options{Dir: f, Resume: true})
		if err != nil || r.Resumed != 0 {
			t.Errorf("the second: got %+v, %v; want Resumed 0", r, err)
		}
		return nil
	}})
	if !errors.Is(err, fs.ErrExist) { // the second was faster, and nothing replaces its file
		t.Errorf("the first: got %+v, %v; want fs.ErrExist", r, err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "x")); err != nil || string(got) != string(o.data) {
		t.Errorf("got %d other bytes, %v; want %d", len(got), err, len(o.data))
	}
}

// TestEmptyPartIsRemoved: a process was killed after it had created NAME.part, when NAME was complete already.
func TestEmptyPartIsRemoved(t *testing.T) {
	f, dir := tempDir(t)
	data := octets(big, 'a')
	os.WriteFile(filepath.Join(dir, "x"), data, 0o666)
	os.WriteFile(filepath.Join(dir, "x.part"), nil, 0o666)
	s := newSite(map[string]*object{"/x": {data: data, valid: fetch.Validator{Tag: "1"}}})
	if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true}); err != nil {
		t.Error(err)
	}
	holds(t, dir, map[string][]byte{"x": data})
}
