package save_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/checksum"
	"example.org/deref/fetch/save"
)

const pieceSize = 64 << 10

// stated returns what a checksum file states about data, with the digests of its pieces.
func stated(data []byte, pieces bool) *checksum.File {
	sum := sha256.Sum256(data)
	f := &checksum.File{Size: int64(len(data)), Digests: []checksum.Digest{{Algorithm: checksum.SHA256, Sum: sum[:]}}}
	for at := 0; pieces && at < len(data); at += pieceSize {
		sum := sha256.Sum256(data[at:min(at+pieceSize, len(data))])
		f.Pieces.Sums = append(f.Pieces.Sums, sum[:])
	}
	f.Pieces.Algorithm, f.Pieces.Length = checksum.SHA256, pieceSize
	return f
}

// damaged returns data with other bytes at the offsets.
func damaged(data []byte, at ...int) []byte {
	data = bytes.Clone(data)
	for _, i := range at {
		data[i] ^= 1
	}
	return data
}

// A document that does not match never gets its name, whatever its size is and whatever the name refers to now.
func TestPromise2MismatchGetsNoName(t *testing.T) {
	old := []byte("old")
	for _, size := range []int{0, 5, save64k, save64k + 1, big} {
		good := octets(size, 'a')
		bad := []byte("other")
		if size > 0 {
			bad = damaged(good, size/2)
		}
		for _, replaced := range []bool{false, true} {
			f, dir := tempDir(t)
			want := map[string][]byte{}
			if replaced {
				want["x"] = old
				if err := os.WriteFile(filepath.Join(dir, "x"), old, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			o := &save.Options{Dir: f, Path: "x", Check: stated(good, false), Sum: true}
			r, err := get(t, newSite(map[string]*object{"/x": {data: bad}}), "/x", nil, o)
			if fetch.KindOf(err) != fetch.ErrChanged || r.Path != "" || r.Part != "" {
				t.Errorf("%d bytes: got %+v, %v; want ErrChanged without a file", size, r, err)
			}
			if _, ok := errors.AsType[*checksum.Mismatch](err); !ok {
				t.Errorf("%d bytes: got %v, want a *checksum.Mismatch", size, err)
			}
			holds(t, dir, want)
			if size == 0 && replaced {
				continue // an unconfirmed empty document
			}
			if r, err = get(t, newSite(map[string]*object{"/x": {data: good}}), "/x", nil, o); err != nil || r.SHA256 != sumOf(good) {
				t.Errorf("%d bytes: got %+v, %v; want the file", size, r, err)
			}
			holds(t, dir, map[string][]byte{"x": good})
		}
	}
}

const save64k = 64 << 10

// A wrong length is refused before anything is transferred.
func TestMismatchOfLength(t *testing.T) {
	f, dir := tempDir(t)
	s := newSite(map[string]*object{"/x": {data: octets(big, 'a'), breakAt: 1}})
	_, err := get(t, s, "/x", nil, &save.Options{Dir: f, Check: stated(octets(big-1, 'a'), true)})
	if want := "not the file that was stated: got 307200 bytes, but 307199 are stated"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	holds(t, dir, nil)
}

// Views show the document that is verified, also if they do not read all of it. The checksum is that of what is written.
func TestVerificationOfViewsAndStreams(t *testing.T) {
	good := octets(big, 'a')
	for _, path := range []string{"x", "-"} {
		for _, view := range []func(io.Writer, *fetch.Document) error{nil, func(w io.Writer, d *fetch.Document) error {
			_, err := io.CopyN(w, d.Body, 10)
			return err
		}} {
			for _, data := range [][]byte{good, damaged(good, big-1)} {
				f, dir := tempDir(t)
				var out bytes.Buffer
				r, err := get(t, newSite(map[string]*object{"/x": {data: data}}), "/x", nil,
					&save.Options{Dir: f, Path: path, View: view, Stdout: &out, Check: stated(good, false), Sum: true})
				if bad := !bytes.Equal(data, good); bad != (fetch.KindOf(err) == fetch.ErrChanged) || !bad && err != nil {
					t.Errorf("%s, view %t, damaged %t: got %v", path, view != nil, bad, err)
				} else if bad {
					holds(t, dir, nil)
				} else if r.SHA256 != sumOf(good[:r.Size]) {
					t.Errorf("%s, view %t: got the checksum %s of %d bytes", path, view != nil, r.SHA256, r.Size)
				}
			}
		}
	}
}

// The pieces show where a resumed file is wrong. Only they are fetched again.
func TestPromise10ResumedDamageIsRepaired(t *testing.T) {
	good := octets(big, 'a')
	for _, v := range []fetch.Validator{{Tag: "1"}, {}} {
		f, dir := tempDir(t)
		interrupted(t, f, object{data: damaged(good, 7, 70_000), valid: v})
		s := newSite(map[string]*object{"/x": {data: good, valid: v}})
		r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true, Check: stated(good, true), Sum: true})
		if err != nil || r.Resumed != half || len(r.Repaired) != 1 || r.Repaired[0] != (checksum.Range{From: 0, To: 2 * pieceSize}) || r.SHA256 != sumOf(good) {
			t.Errorf("got %+v, %v; want a repair of the first two pieces", r, err)
		}
		if last := s.asked[len(s.asked)-1]; len(s.asked) != 2 || last != (fetch.Range{From: 0, To: 2 * pieceSize}) {
			t.Errorf("got requests %v, want the rest and the pieces", s.asked)
		}
		holds(t, dir, map[string][]byte{"x": good})
	}
}

// A complete file of the final name is repaired, too, and replaced only by the verified one.
func TestWholeFileIsRepaired(t *testing.T) {
	good := octets(big, 'a')
	f, dir := tempDir(t)
	if err := os.WriteFile(filepath.Join(dir, "x"), damaged(good, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := get(t, newSite(map[string]*object{"/x": {data: good}}), "/x", nil, &save.Options{Dir: f, Path: "x", Resume: true, Check: stated(good, true)})
	if err != nil || len(r.Repaired) != 1 {
		t.Errorf("got %+v, %v; want a repair", r, err)
	}
	holds(t, dir, map[string][]byte{"x": good})
	if r, err = get(t, newSite(map[string]*object{"/x": {data: good}}), "/x", nil, &save.Options{Dir: f, Path: "x", Resume: true, Check: stated(good, true)}); err != nil || !r.Unchanged {
		t.Errorf("again: got %+v, %v; want Unchanged", r, err)
	}
}

// If the server itself has the damaged file, its part stays for another server. Without pieces nothing says which bytes are good.
func TestPromise10AnotherSourceRepairs(t *testing.T) {
	good := octets(big, 'a')
	bad := damaged(good, 100_000)
	f, dir := tempDir(t)
	o := &save.Options{Dir: f, Check: stated(good, true)}
	r, err := get(t, newSite(map[string]*object{"/x": {data: bad}}), "/x", nil, o)
	if fetch.KindOf(err) != fetch.ErrChanged || r.Part != filepath.Join(dir, "x.part") {
		t.Fatalf("got %+v, %v; want ErrChanged and the part", r, err)
	}
	holds(t, dir, map[string][]byte{"x.part": bad, "x.part.json": nil})
	o.Resume = true
	if r, err = get(t, newSite(map[string]*object{"/x": {data: good}}), "/x", nil, o); err != nil || r.Resumed != big || len(r.Repaired) != 1 {
		t.Errorf("got %+v, %v; want a repair", r, err)
	}
	holds(t, dir, map[string][]byte{"x": good})

	f, dir = tempDir(t)
	interrupted(t, f, object{data: damaged(good, 10)})
	if r, err = get(t, newSite(map[string]*object{"/x": {data: good}}), "/x", nil, &save.Options{Dir: f, Resume: true, Check: stated(good, false)}); fetch.KindOf(err) != fetch.ErrChanged || r.Part != "" {
		t.Errorf("got %+v, %v; want ErrChanged", r, err)
	}
	holds(t, dir, nil)
}

// CheckStated compares with the server's own digest, which also covers the whole of a resumed document.
func TestCheckStated(t *testing.T) {
	good := octets(big, 'a')
	sum := sha256.Sum256(good)
	text := base64.StdEncoding.EncodeToString(sum[:])
	for _, c := range []struct {
		header textproto.MIMEHeader
		data   []byte
		want   fetch.Kind
	}{
		{textproto.MIMEHeader{"Repr-Digest": {"sha-256=:" + text + ":"}}, good, ""},
		{textproto.MIMEHeader{"Digest": {"SHA-256=" + text}}, good, ""},
		{textproto.MIMEHeader{"Digest": {"SHA-256=" + text}}, damaged(good, big-1), fetch.ErrChanged},
		{textproto.MIMEHeader{"Digest": {"MD5=kAFQmDzST7DWlj99KOF/cg=="}}, good, fetch.ErrUnsupported},
		{textproto.MIMEHeader{}, good, fetch.ErrUnsupported},
	} {
		for _, resume := range []bool{false, true} {
			f, _ := tempDir(t)
			valid := fetch.Validator{Tag: "1"}
			if resume {
				interrupted(t, f, object{data: c.data, valid: valid})
			}
			s := newSite(map[string]*object{"/x": {data: c.data, header: c.header, valid: valid}})
			if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: resume, CheckStated: true}); fetch.KindOf(err) != c.want {
				t.Errorf("%v, resumed %t: got %v, want %q", c.header, resume, err, c.want)
			}
		}
	}
	f, dir := tempDir(t)
	if err := os.WriteFile(filepath.Join(dir, "x"), good, 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSite(map[string]*object{"/x": {unmodified: true}})
	if r, err := get(t, s, "/x", nil, &save.Options{Dir: f, Force: true, CheckStated: true}); err != nil || !r.Unchanged {
		t.Errorf("an unchanged document, of which the server states nothing: got %+v, %v; want it unchanged", r, err)
	}
	holds(t, dir, map[string][]byte{"x": good})
}
