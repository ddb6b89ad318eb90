package save_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

const half = big/2 + 7

// interrupted leaves half of the object as a part in dir.
func interrupted(t *testing.T, f *save.Dir, o object) {
	t.Helper()
	o.breakAt = half
	s := newSite(map[string]*object{"/x": &o})
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f}); !errors.Is(err, fetch.ErrTruncated) || r.Part == "" {
		t.Fatalf("got %+v, %v; want ErrTruncated and non-empty Part", r, err)
	}
}

func TestPromise10Resume(t *testing.T) {
	a, b := octets(big, 'a'), octets(big, 'b')
	tag1, tag2 := fetch.Validator{Tag: "1"}, fetch.Validator{Tag: "2"}
	dated, weak := fetch.Validator{Modified: "19940525120000"}, fetch.Validator{Tag: `W/"1"`}
	for _, c := range []struct {
		name    string
		first   fetch.Validator
		then    object
		want    []byte // nil: ErrChanged, and the part stays
		resumed int64
		asked   []int64 // where the requests begin
	}{
		{"same tag", tag1, object{data: a, valid: tag1}, a, half, []int64{half}},
		{"same date and size", dated, object{data: a, valid: dated}, a, half, []int64{half}},
		{"same weak tag, same content", weak, object{data: a, valid: weak}, a, half, []int64{half - 64<<10}},
		{"same weak tag, other content", weak, object{data: b, valid: weak}, b, 0, []int64{half - 64<<10, 0}},
		{"no validator, same content", fetch.Validator{}, object{data: a}, a, half, []int64{half - 64<<10}},
		{"no validator, other content", fetch.Validator{}, object{data: b}, b, 0, []int64{half - 64<<10, 0}},
		{"no validator, shorter now", fetch.Validator{}, object{data: a[:half-10]}, nil, 0, []int64{half - 64<<10, 0}},
		{"no validator, small now", fetch.Validator{}, object{data: a[:10]}, nil, 0, []int64{half - 64<<10, 0}},
		{"no validator, small and of unknown size", fetch.Validator{}, object{data: a[:10], noRange: true, unknown: true}, nil, 0,
			[]int64{half - 64<<10, 0}},
		{"same tag, shorter now", tag1, object{data: a[:half-10], valid: tag1}, nil, 0, []int64{half, 0}},
		{"empty now", tag1, object{noRange: true}, nil, 0, []int64{half, 0}},
		{"another type, whole given", tag1, object{data: b, valid: tag2, mediaType: "text/html"}, nil, 0, []int64{half}},
		{"another type, no part", tag1, object{data: b, valid: tag1, mediaType: "text/plain", declared: true, noRange: true}, nil, 0,
			[]int64{half}},
		{"another type, the part", fetch.Validator{}, object{data: a, mediaType: "text/plain", declared: true}, nil, 0, []int64{half - 64<<10}},
		{"another type, the part of the same state", tag1, object{data: a, valid: tag1, mediaType: "text/plain", declared: true}, a, half,
			[]int64{half}},
		{"no validator, whole given", fetch.Validator{}, object{data: b, noRange: true}, b, 0, []int64{half - 64<<10}},
		{"size unknown", fetch.Validator{}, object{data: a, unknown: true}, a, half, []int64{half - 64<<10}},
		{"changed, whole given", tag1, object{data: b, valid: tag2}, b, 0, []int64{half}},
		{"changed to a small one", tag1, object{data: b[:10], valid: tag2}, b[:10], 0, []int64{half, 0}},
		{"another date, given as if it were the same", dated, object{data: b, valid: fetch.Validator{Modified: "n"}}, b, 0, []int64{half, 0}},
		{"changed, given as if it were not", tag1, object{data: b, valid: dated}, b, 0, []int64{half}},
		{"range ignored", tag1, object{data: a, valid: tag1, noRange: true}, a, 0, []int64{half}},
		{"range refused", tag1, object{data: a, valid: tag1, refuses: true}, a, 0, []int64{half, 0}},
		{"another part", tag1, object{data: a, valid: tag1, offByOne: true}, a, 0, []int64{half, 0}},
	} {
		f, dir := tempDir(t)
		interrupted(t, f, object{data: a, valid: c.first, mediaType: "application/x-a", declared: true})
		if c.then.mediaType == "" {
			c.then.mediaType = "application/x-a"
		}
		s := newSite(map[string]*object{"/x": &c.then})
		r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true, Sum: true})
		if c.want == nil {
			if fetch.KindOf(err) != fetch.ErrChanged || r.Part != filepath.Join(dir, "x.part") || r.Size != half {
				t.Errorf("%s: got %+v, %v; want the part and ErrChanged", c.name, r, err)
			}
		} else if err != nil || r.Resumed != c.resumed || r.Size != int64(len(c.want)) || r.SHA256 != sumOf(c.want) {
			t.Errorf("%s: got %+v, %v; want Resumed %v, Size %v and SHA256 %v",
				c.name, r, err, c.resumed, int64(len(c.want)), sumOf(c.want))
		}
		if len(s.asked) != len(c.asked) {
			t.Errorf("%s: asked for %v", c.name, s.asked)
		} else {
			for i, from := range c.asked {
				if s.asked[i].From != from {
					t.Errorf("%s: asked for %v", c.name, s.asked)
				}
			}
		}
		if c.want == nil {
			holds(t, dir, map[string][]byte{"x.part": a[:half], "x.part.json": nil})
			continue
		}
		holds(t, dir, map[string][]byte{"x": c.want})
	}
}

// If a new version breaks off, the part of the old one stays.
func TestPromise10NewVersionBreaks(t *testing.T) {
	a, b := octets(big, 'a'), octets(big, 'b')
	f, dir := tempDir(t)
	interrupted(t, f, object{data: a, valid: fetch.Validator{Tag: "1"}})
	then := object{data: b, valid: fetch.Validator{Tag: "2"}, breakAt: half + 1000}
	s := newSite(map[string]*object{"/x": &then})
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true}); !errors.Is(err, fetch.ErrTruncated) ||
		r.Part != filepath.Join(dir, "x.part") || r.Size != half {
		t.Errorf("got %+v, %v; want ErrTruncated, Part %v and Size %v", r, err, filepath.Join(dir, "x.part"), half)
	}
	holds(t, dir, map[string][]byte{"x.part": a[:half], "x.part.json": nil})
	then.breakAt = 0
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true}); err != nil || r.Size != big {
		t.Errorf("got %+v, %v; want Size %v", r, err, big)
	}
	holds(t, dir, map[string][]byte{"x": b})
}

// A URI that contains the length of its document (wais) is not a reason to fail if the file has that length already: its last bytes are
// compared, and nothing else is fetched.
func TestLengthInTheURI(t *testing.T) {
	for _, size := range []int{1, 1000, 80 << 10} {
		a, b := octets(size, 'a'), octets(size, 'b')
		for name, c := range map[string]struct {
			has, want []byte // want is nil: an error, and the file stays
			from      int64  // where the last request begins
		}{
			"whole":   {a, a, max(0, int64(size)-64<<10)},
			"another": {b, a, 0},
			"shorter": {a[:size-1], a, max(0, int64(size)-1-64<<10)},
			"longer":  {append(bytes.Clone(a), 'b'), nil, 0},
		} {
			f, dir := tempDir(t)
			os.WriteFile(filepath.Join(dir, "x"), c.has, 0o666)
			s := newSite(map[string]*object{"/x": {data: a}})
			s.length = int64(size)
			r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true, Force: true, Sum: true})
			if n := len(s.asked); n == 0 || s.asked[n-1].From != c.from {
				t.Errorf("%s of %d: got the requests %v, want the last from %d", name, size, s.asked, c.from)
			}
			if c.want == nil {
				if err == nil {
					t.Errorf("%s of %d: got %+v, want an error", name, size, r)
				}
				holds(t, dir, map[string][]byte{"x": c.has})
				continue
			}
			if err != nil || r.Size != int64(size) || r.SHA256 != sumOf(a) {
				t.Errorf("%s of %d: got %+v, %v; want Size %v and SHA256 %v", name, size, r, err, int64(size), sumOf(a))
			}
			holds(t, dir, map[string][]byte{"x": c.want})
		}
	}
}

// A copy of unknown origin is not replaced by another page, or by a shorter document.
func TestPromise10CopyIsNotReplaced(t *testing.T) {
	a := octets(big, 'a')
	page := append([]byte("<html>"), octets(big, 'h')...)
	for name, now := range map[string]object{
		"page":    {data: page, mediaType: "text/html", noRange: true},
		"shorter": {data: a[:10], noRange: true},
		"empty":   {},
	} {
		f, dir := tempDir(t)
		os.WriteFile(filepath.Join(dir, "x"), a[:half], 0o666)
		s := newSite(map[string]*object{"/x": &now})
		if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true, Force: true}); !errors.Is(err, fetch.ErrChanged) {
			t.Errorf("%s: got %+v, %v; want ErrChanged", name, r, err)
		}
		holds(t, dir, map[string][]byte{"x": a[:half]})
	}
}

// An empty document replaces nothing, unless the server declares it empty.
func TestPromise10EmptyDocument(t *testing.T) {
	for _, c := range []struct {
		name     string
		now      object
		replaces bool
	}{
		{"size unknown", object{unknown: true}, false},
		{"HTTP, no validator", object{status: 200}, false},
		{"HTTP, a tag", object{status: 200, valid: fetch.Validator{Tag: "1"}}, true},
		{"size 0", object{}, true},
	} {
		f, dir := tempDir(t)
		os.WriteFile(filepath.Join(dir, "x"), []byte("old"), 0o666)
		s := newSite(map[string]*object{"/x": &c.now})
		_, err := get(t, s, "/x", nil, &save.Options{Dir: f, Path: "x"})
		want := []byte("old")
		if c.replaces {
			want = []byte{}
		}
		if c.replaces != (err == nil) || err != nil && !errors.Is(err, fetch.ErrTransfer) {
			t.Errorf("%s: got %v, want replaced: %t", c.name, err, c.replaces)
		}
		holds(t, dir, map[string][]byte{"x": want})
		os.Remove(filepath.Join(dir, "x")) // without an old file, an empty document is accepted
		if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, Path: "x"}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A protocol without ranges is reported, and the old file stays. It does not matter where nothing is there.
func TestPromise10WhereTheProtocolCannot(t *testing.T) {
	f, dir := tempDir(t)
	os.WriteFile(filepath.Join(dir, "x"), []byte("begin"), 0o666)
	s := newSite(map[string]*object{"/x": {data: []byte("beginning")}})
	s.noRanges = true
	if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, Force: true, Resume: true}); !errors.Is(err, fetch.ErrRange) || len(s.asked) > 0 {
		t.Errorf("got %v, want ErrRange and len(asked) 0", err)
	}
	holds(t, dir, map[string][]byte{"x": []byte("begin")})
	os.Remove(filepath.Join(dir, "x"))
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true}); err != nil || r.Resumed != 0 {
		t.Errorf("without a file: got %+v, %v; want Resumed 0", r, err)
	}
	holds(t, dir, map[string][]byte{"x": []byte("beginning")})
}

func TestResumeOfTheFileItself(t *testing.T) {
	a, b := octets(big, 'a'), octets(big, 'b')
	for _, c := range []struct {
		name    string
		there   []byte
		now     object
		force   bool
		resumed int64
		want    []byte // nil: an error, and the old file stays
	}{
		{"longer now", a[:half], object{data: a}, false, half, a},
		{"whole already", a, object{data: a}, false, big, a},
		{"small and whole already", a[:10], object{data: a[:10]}, true, 0, a[:10]},
		{"different", b[:half], object{data: a}, true, 0, a},
		{"different, not to be replaced", b[:half], object{data: a}, false, 0, nil},
		{"small", a[:10], object{data: a}, false, 0, a},
		{"whole given", a[:half], object{data: a, noRange: true}, false, 0, a},
		{"whole given, different, not to be replaced", b[:half], object{data: a, noRange: true, breakAt: 70_000}, false, 0, nil},
		{"breaks again", a[:half], object{data: a, breakAt: big - 5}, false, half, nil},
		{"breaks in the comparison", a[:half], object{data: a, breakAt: half - 5}, false, 0, nil},
	} {
		f, dir := tempDir(t)
		os.WriteFile(filepath.Join(dir, "x"), c.there, 0o666)
		s := newSite(map[string]*object{"/x": &c.now})
		r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true, Force: c.force, Sum: true})
		want := map[string][]byte{"x": c.want}
		if c.want == nil {
			want["x"] = c.there
			if r.Part != "" {
				want["x.part"], want["x.part.json"] = a[:r.Size], nil
			}
			if err == nil {
				t.Errorf("%s: got %+v, want an error", c.name, r)
			}
		} else if err != nil || r.SHA256 != sumOf(c.want) || r.Resumed != c.resumed && !r.Unchanged {
			t.Errorf("%s: got %+v, %v; want Resumed %d, %d bytes", c.name, r, err, c.resumed, len(c.want))
		}
		if strings.HasSuffix(c.name, "different, not to be replaced") && (len(s.asked) != 1 || r.Part != "") {
			t.Errorf("got the requests %v and the part %q, want one and none", s.asked, r.Part)
		}
		holds(t, dir, want)
	}
}

// A third try continues from what the second has added.
func TestResumeTwice(t *testing.T) {
	f, dir := tempDir(t)
	o := object{data: octets(big, 'a'), valid: fetch.Validator{Tag: "1"}}
	interrupted(t, f, o)
	o.breakAt = big - 1
	s := newSite(map[string]*object{"/x": &o})
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true}); err == nil || r.Size != big-1 || r.Resumed != half {
		t.Errorf("got %+v, %v; want an error, Size %v and Resumed %v", r, err, big-1, half)
	}
	holds(t, dir, map[string][]byte{"x.part": octets(big, 'a')[:big-1], "x.part.json": nil})
	o.breakAt = 0
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true}); err != nil || r.Resumed != big-1 {
		t.Errorf("got %+v, %v; want Resumed %v", r, err, big-1)
	}
	holds(t, dir, map[string][]byte{"x": octets(big, 'a')})
}

func TestResumeFrom(t *testing.T) {
	a := octets(big, 'a')
	f, dir := tempDir(t)
	os.WriteFile(filepath.Join(dir, "x"), a[:half], 0o666)
	s := newSite(map[string]*object{"/x": {data: a}, "/y": {data: a}})
	if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, From: big}); !errors.Is(err, fetch.ErrRange) {
		t.Errorf("got %v, want ErrRange", err)
	}
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, From: half - 1000}); err != nil || r.Resumed != half-1000 {
		t.Errorf("got %+v, %v; want Resumed %v", r, err, half-1000)
	}
	if r, err := get(t, s, "/y", nil, &save.Options{Dir: f, From: 1000}); err != nil || r.Resumed != 0 {
		t.Errorf("got %+v, %v; want Resumed 0", r, err)
	}
	holds(t, dir, map[string][]byte{"x": a, "y": a[1000:]})

	// The part's bytes beyond N are dropped, even if the object ends before them.
	f, dir = tempDir(t)
	interrupted(t, f, object{data: a})
	s = newSite(map[string]*object{"/x": {data: a[:half-100]}})
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, From: half - 1000}); err != nil || r.Resumed != half-1000 || r.Size != half-100 {
		t.Errorf("got %+v, %v; want Resumed %v and Size %v", r, err, half-1000, half-100)
	}
	holds(t, dir, map[string][]byte{"x": a[:half-100]})
}

func TestServerNameResumes(t *testing.T) {
	f, dir := tempDir(t)
	o := object{data: octets(big, 'a'), valid: fetch.Validator{Tag: "1"}, breakAt: half,
		header: map[string][]string{"Content-Disposition": {"attachment; filename=n"}}}
	s := newSite(map[string]*object{"/x": &o})
	if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, ServerName: true}); err == nil {
		t.Fatal("no break")
	}
	o.breakAt = 0
	r, err := get(t, s, "/x", nil, &save.Options{Dir: f, ServerName: true, Resume: true})
	if err != nil || r.Resumed != half {
		t.Errorf("got %+v, %v; want Resumed %v", r, err, half)
	}
	holds(t, dir, map[string][]byte{"n": o.data})
}
