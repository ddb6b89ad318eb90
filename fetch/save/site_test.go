package save_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// An object is a document that the test scheme serves.
type object struct {
	data       []byte
	valid      fetch.Validator // Size is filled in
	header     textproto.MIMEHeader
	mediaType  string
	declared   bool // the server declares the size
	status     int
	modified   time.Time
	breakAt    int64 // the connection breaks after this many bytes of the object; 0 is never
	breakWith  error // instead of ErrTruncated
	noRange    bool  // the server ignores ranges
	refuses    bool  // the server answers ErrRange to any part
	offByOne   bool  // the server returns another part than requested
	unknown    bool  // the size is not announced
	unmodified bool
	started    chan struct{} // closed when the body is read first, if set
	hold       chan struct{} // read before every byte except the first ones, if set
}

// A site is a scheme "test" that serves objects. It stands in for any server.
type site struct {
	mu       sync.Mutex
	objects  map[string]*object
	asked    []fetch.Range
	noRanges bool  // the protocol has none
	length   int64 // that the URI itself contains, as in wais
}

func (s *site) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if s.noRanges && !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "the protocol has no parts")
	}
	if s.length > 0 && o.Range.From >= s.length {
		return nil, fetch.Errorf(fetch.ErrRange, "the document ends at byte %d", s.length)
	}
	return &fetch.Plan{Steps: []fetch.Step{{Verb: "GET"}}, Run: s.Run}, nil
}

func (s *site) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := env.Announce(p.Steps[0]); err != nil {
		return nil, err
	}
	r := p.Options.Range
	s.asked = append(s.asked, r)
	o := s.objects[string(p.URI.Path())]
	if o == nil {
		return nil, fetch.Errorf(fetch.ErrNotFound, "no such object")
	}
	return o.document(ctx, r, p.Options.IfSame)
}

func (o *object) document(ctx context.Context, r fetch.Range, same fetch.Validator) (*fetch.Document, error) {
	size := int64(len(o.data))
	v := o.valid
	v.Size = size
	from, to := r.From, size
	if from < 0 {
		from = max(0, size+from)
	}
	if r.To > 0 {
		to = min(to, r.To)
	}
	switch {
	case o.refuses && from > 0, from > size || from == size && size > 0 && o.valid.Tag != "":
		return nil, fetch.Errorf(fetch.ErrRange, "416")
	case o.noRange, same.Tag != "" && !same.Same(v):
		from, to = 0, size
	case o.offByOne && from > 0:
		from++
	}
	d := fetch.NewDocument(&content{ctx: ctx, o: o, at: from, to: to})
	d.Offset, d.Size, d.Validator, d.Type, d.Modified = from, size, v, o.mediaType, o.modified
	if d.Status = o.status; o.declared {
		d.TypeReason = "Content-Type"
	}
	if o.unknown {
		d.Size, d.Validator.Size = -1, 0
	}
	if o.header != nil {
		d.Header = o.header
	}
	d.NotModified = o.unmodified
	return d, nil
}

// content is a body that ends as its object demands.
type content struct {
	ctx    context.Context
	o      *object
	at, to int64
	began  bool
}

func (c *content) Read(p []byte) (int, error) {
	if c.o.started != nil && !c.began {
		close(c.o.started)
	}
	if c.began && c.o.hold != nil {
		select {
		case <-c.o.hold:
		case <-c.ctx.Done():
			return 0, c.ctx.Err()
		}
	}
	c.began = true
	end := c.to
	if c.o.breakAt > 0 {
		end = min(end, c.o.breakAt)
	}
	if c.at >= end {
		switch {
		case end == c.to && c.o.breakWith == nil:
			return 0, io.EOF
		case c.o.breakWith != nil:
			return 0, c.o.breakWith
		}
		return 0, fetch.Errorf(fetch.ErrTruncated, "the connection broke")
	}
	n := copy(p, c.o.data[c.at:end])
	c.at += int64(n)
	return n, nil
}

func (c *content) Close() error { return nil }

func newSite(objects map[string]*object) *site { return &site{objects: objects} }

func (s *site) client(t testing.TB) *fetch.Client {
	c := fetch.New(fetch.Scheme{Names: []string{"test"}, Rules: uri.Rules{Hierarchical: true}, Does: fetch.Does{Retrieves: true},
		Plan: s.Plan})
	t.Cleanup(func() { c.Close() })
	return c
}

// octets returns n bytes that depend on position and seed.
func octets(n int, seed byte) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte(seed)
	}
	return b.Bytes()[:n]
}

func sumOf(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// TestEqualFileIsNoFailure: Options.Equal accepts a taken name if the contents are the same, and only then; nothing else is left in the
// directory, not even the part of an earlier run.
func TestEqualFileIsNoFailure(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcdef"), 10_000)
	for _, test := range []struct {
		name        string
		there, data []byte
		same        bool
	}{
		{"the same", []byte("hello"), []byte("hello"), true},
		{"empty", nil, nil, true},
		{"long", long, long, true},
		{"differs", []byte("hullo"), []byte("hello"), false},
		{"shorter", []byte("hell"), []byte("hello"), false},
		{"longer", []byte("hello!"), []byte("hello"), false},
		{"long, differs at the end", append(bytes.Clone(long[1:]), '!'), long, false},
		{"long, cut at a buffer", long[:128<<10], long, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, dir := tempDir(t)
			path := filepath.Join(dir, "guide.txt")
			if err := os.WriteFile(path, test.there, 0o600); err != nil {
				t.Fatal(err)
			}
			if test.same { // a run that was killed after the rename has left its part
				os.WriteFile(path+".part", test.data[:len(test.data)/2], 0o600)
				os.WriteFile(path+".part.json", []byte(`{"uri":"test://h/other.txt"}`), 0o600)
			}
			s := newSite(map[string]*object{"/other.txt": {data: test.data}})
			r, err := get(t, s, "/other.txt", nil, &save.Options{Dir: f, Name: "x/guide.txt", Equal: true})
			switch {
			case test.same && (err != nil || !r.Unchanged || r.Path != path || r.Size != int64(len(test.data))):
				t.Errorf("got %+v, %v; want Unchanged", r, err)
			case !test.same && !errors.Is(err, fs.ErrExist):
				t.Errorf("%+v, %v; want fs.ErrExist", r, err)
			}
			holds(t, dir, map[string][]byte{"guide.txt": append([]byte{}, test.there...)})
		})
	}
}
