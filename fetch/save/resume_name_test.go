package save_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// TestResumeOfAnotherProgram: a file that is the beginning of the document is replaced by the whole of it, whatever its size and whether the
// server has ranges, by a name from the URI as by the user's own. Any other file is replaced only if that is allowed.
func TestResumeOfAnotherProgram(t *testing.T) {
	for _, size := range []int{1000, big} {
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
					f, dir := tempDir(t)
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
						if e == nil || e.Kind != fetch.ErrLocal || e.Text != filepath.Join(dir, "x")+" is not the beginning of the document" || e.Hint != fetch.HintForce {
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
