package wacz_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch/wacz"
)

// packed returns a package with these archives.
func packed(t testing.TB, index string, archives ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := wacz.NewWriter(&b, time.Date(2026, 11, 23, 6, 44, 52, 0, time.UTC))
	for _, text := range archives {
		if _, err := w.AddArchive("data.warc", strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.AddIndex(strings.NewReader(index), ""); err != nil {
		t.Fatal(err)
	}
	if err := w.AddPages(strings.NewReader("{}\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(wacz.Info{Title: "A title"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(b []byte) (*wacz.Package, error) { return wacz.Read(bytes.NewReader(b), int64(len(b))) }

// faults returns all faults of a package.
func faults(p *wacz.Package) []string {
	all := slices.Clone(p.Faults)
	p.Verify(func(f string) { all = append(all, f) })
	return all
}

func TestPackageIsReadBack(t *testing.T) {
	b := packed(t, "an index\n", "first", "second one")
	p, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range p.Archives {
		got += e.Name + "=" + string(b[e.Offset:e.Offset+e.Size]) + " "
	}
	const want = "archive/data.warc=first archive/data-2.warc=second one "
	if got != want || len(faults(p)) > 0 {
		t.Errorf("got %q, %q; want %q", got, faults(p), want)
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if f.Method != zip.Store || f.Flags&8 != 0 || f.Modified.Year() != 2026 {
			t.Errorf("%s: got method %d, flags %d, %s; want it stored, with its size before it", f.Name, f.Method, f.Flags, f.Modified)
		}
	}
	if text := string(b); !strings.Contains(text, `{"format":"json-pages-1.0","hasText":false,"id":"pages","title":"All Pages"}`+"\n{}\n") ||
		strings.Count(text, `"title": "A title"`) != 2 || !strings.Contains(text, `"wacz_version": "1.1.1"`) {
		t.Errorf("got %s", text)
	}
}

// A long index is compressed in blocks, which its own index locates.
func TestLongIndexHasBlocks(t *testing.T) {
	var lines strings.Builder
	for i := range 15_000 {
		fmt.Fprintf(&lines, "h)/%06d 20261123064452 {\"url\":\"gopher://h/%06d\",\"filename\":\"data.warc\",\"offset\":\"%d\"}\n", i, i, i)
	}
	b := packed(t, lines.String(), "x")
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	content := func(name string) []byte {
		f, err := z.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	data, got := content("indexes/index.cdx.gz"), ""
	in := bufio.NewScanner(bytes.NewReader(content("indexes/index.idx")))
	in.Scan()
	if want := `!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}`; in.Text() != want {
		t.Errorf("got %s, want %s", in.Text(), want)
	}
	for in.Scan() {
		words := strings.SplitN(in.Text(), " ", 3)
		var place struct{ Offset, Length int }
		if err := json.Unmarshal([]byte(words[2]), &place); err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(bytes.NewReader(data[place.Offset : place.Offset+place.Length]))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || !strings.HasPrefix(string(text), words[0]+" "+words[1]+" ") {
			t.Fatalf("got %.100q, %v; want %s", text, err, words[0])
		}
		got += string(text)
	}
	if got != lines.String() {
		t.Errorf("got %d bytes of lines, want %d", len(got), lines.Len())
	}
	p, err := open(b)
	if err != nil || len(faults(p)) > 0 || len(p.Indexes) != 1 || len(p.Indexes[0].Blocks) != 50 {
		t.Fatalf("got %v, %d indexes; want no fault", err, len(p.Indexes))
	}
	x := &p.Indexes[0]
	index := io.NewSectionReader(bytes.NewReader(b), x.Offset, x.Size)
	for _, n := range []int{0, 1, 299, 300, 301, 14_999} {
		key, found := fmt.Sprintf("h)/%06d ", n), ""
		if err := x.From(index, key, func(line string) bool { found = line; return false }); err != nil || !strings.HasPrefix(found, key) {
			t.Errorf("%s: got %s, %v", key, found, err)
		}
	}
	if err := x.From(index, "z", func(line string) bool { t.Error(line); return false }); err != nil {
		t.Error(err)
	}
}

// A file is one of a ZIP file.
type file struct{ name, text string }

func zipped(t testing.TB, deflate string, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name}
		if f.name == deflate {
			h.Method = zip.Deflate
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, f.text)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBadPackages(t *testing.T) {
	data, description := file{"archive/a.warc", "text"}, file{"datapackage.json", `{"resources":[]}`}
	for _, tt := range []struct {
		name, want string
		b          []byte
	}{
		{"no ZIP file", "not a WACZ package", []byte("PK\x03\x04 and nothing else")},
		{"a ZIP file", "contains no archive", zipped(t, "", file{"a.txt", "text"})},
		{"without description", "datapackage.json is missing", zipped(t, "", data)},
		{"a bad description", "datapackage.json: ", zipped(t, "", data, file{"datapackage.json", "[]"})},
		{"a path", "contains the name", zipped(t, "", data, description, file{"archive/../../b.warc", "text"})},
		{"an absolute path", "contains the name", zipped(t, "", data, description, file{"/etc/b.warc", "text"})},
		{"a path of Windows", "contains the name", zipped(t, "", data, description, file{`archive\b.warc`, "text"})},
		{"two of a name", "contains two files", zipped(t, "", data, data, description)},
		{"a compressed archive", "compressed within the package, which must store it", zipped(t, data.name, data, description)},
		{"a long description", "longer than", zipped(t, "datapackage.json", data, file{"datapackage.json", strings.Repeat(" ", 17<<20)})},
		{"many files", "more than 100000 files", directory(100_001, "x")},
		{"a long directory", "the directory is longer than", directory(300, strings.Repeat("n", 60_000))},
	} {
		if _, err := open(tt.b); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

// An archive gets a name that Read accepts.
func TestNamesOfArchives(t *testing.T) {
	for given, want := range map[string]string{"a\xff.warc": "a_.warc", `a\b.warc`: "a_b.warc", "é.warc": "é.warc"} {
		var b bytes.Buffer
		w := wacz.NewWriter(&b, time.Now())
		got, err := w.AddArchive(given, strings.NewReader("text"))
		if err == nil {
			err = w.Close(wacz.Info{})
		}
		if err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", given, got, err, want)
		}
		if p, err := open(b.Bytes()); err != nil || len(faults(p)) > 0 {
			t.Errorf("%q: got %v, want no fault", given, err)
		}
	}
}

// A small package that contains any amount of data is refused, or read only in part.
func TestBombs(t *testing.T) {
	t.Parallel()
	whole := zipped(t, "", file{"archive/a.warc", strings.Repeat("text", 1000)}, file{"archive/b.warc", "text"}, file{"datapackage.json", `{"resources":[]}`})
	z, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	at, err := z.File[0].DataOffset()
	if err != nil {
		t.Fatal(err)
	}
	entry := bytes.LastIndex(whole, []byte("archive/b.warc")) - 46 // in the directory
	binary.LittleEndian.PutUint32(whole[entry+42:], uint32(at)-44) // where the header of the first begins
	binary.LittleEndian.PutUint32(whole[entry+20:], 4000)
	binary.LittleEndian.PutUint32(whole[entry+24:], 4000)
	if _, err := open(whole); err == nil || !strings.Contains(err.Error(), "share bytes") {
		t.Errorf("two files in one place: got %v, want an error", err)
	}

	twice := file{"indexes/index.idx", "a {\"offset\":0,\"length\":4}\nb {\"offset\":0,\"length\":4}\n"}
	p, err := open(zipped(t, "", file{"archive/a.warc", "text"}, file{"indexes/index.cdx.gz", "text"}, twice, file{"datapackage.json", "{}"}))
	if err != nil || len(p.Indexes) > 0 {
		t.Errorf("two blocks in one place: got %v, want no index", err)
	}
	long := file{"pages/pages.jsonl", "text"}
	description := file{"datapackage.json", `{"resources":[{"path":"pages/pages.jsonl","hash":"md5:"}]}`}
	bomb := zipped(t, long.name, file{"archive/a.warc", "text"}, long, description)
	entry = bytes.LastIndex(bomb, []byte(long.name)) - 46
	binary.LittleEndian.PutUint32(bomb[entry+24:], 0xfffffffe) // the size that it claims
	p, err = open(bomb)
	if err == nil {
		p.Verify(func(f string) { t.Log(f) })
	}
	if got := faults(p); len(got) == 0 || !strings.Contains(got[len(got)-1], "pages/pages.jsonl") {
		t.Errorf("got %v, %q; want a fault", err, got)
	}
}

// directory returns a ZIP file with only a directory, of n entries of that name (APPNOTE.TXT sections 4.3.12 and 4.3.16).
func directory(n int, name string) []byte {
	entry := append([]byte("PK\x01\x02"), make([]byte, 42)...)
	binary.LittleEndian.PutUint16(entry[28:], uint16(len(name)))
	b := bytes.Repeat(append(entry, name...), n)
	end := append([]byte("PK\x05\x06"), make([]byte, 18)...)
	binary.LittleEndian.PutUint16(end[10:], uint16(n))
	binary.LittleEndian.PutUint32(end[12:], uint32(len(b)))
	return append(b, end...)
}

// Every changed byte of the files is found.
func TestChangesAreReported(t *testing.T) {
	whole := packed(t, "an index\n", "first archive")
	for what, want := range map[string]string{
		"first archive": "the hash of archive/data.warc does not match datapackage.json",
		"json-pages":    "the hash of pages/pages.jsonl does not match datapackage.json",
	} {
		b := bytes.Clone(whole)
		b[bytes.Index(b, []byte(what))] ^= 1
		p, err := open(b)
		if err != nil {
			t.Fatal(err)
		}
		if got := faults(p); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: got %q, want %q", what, got, want)
		}
	}
	archive := file{"archive/a.warc", "text"}
	hash := "sha256:" + strings.Repeat("0", 64)
	description := file{"datapackage.json", `{"resources":[{"path":"archive/a.warc","bytes":4,"hash":"` + hash + `"},{"path":"gone","bytes":1,"hash":"x"},
		{"path":"archive/b.warc","bytes":5,"hash":"` + hash + `"}]}`}
	p, err := open(zipped(t, "", archive, file{"archive/b.warc", "text"}, file{"archive/c.warc", "text"}, description,
		file{"datapackage-digest.json", `{"path":"datapackage.json","hash":"` + hash + `"}`}))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`"gone" is missing`, "archive/b.warc has 4 bytes, but datapackage.json states 5", "datapackage.json does not list archive/c.warc",
		"the hash of datapackage.json does not match that in datapackage-digest.json", "the hash of archive/a.warc does not match datapackage.json"}
	if got := faults(p); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzRead: any input is an error, or a package whose entries are within it.
func FuzzRead(f *testing.F) {
	f.Add(packed(f, "index\n", "text"))
	f.Add(zipped(f, "datapackage.json", file{"archive/a.warc", "text"}, file{"datapackage.json", `{"resources":[{"path":"archive/a.warc","bytes":4,"hash":"md5:"}]}`}))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := open(b)
		if err != nil {
			return
		}
		entries := slices.Clone(p.Archives)
		for _, x := range p.Indexes {
			entries = append(entries, x.Entry)
			x.From(io.NewSectionReader(bytes.NewReader(b), x.Offset, x.Size), "h", func(string) bool { return true })
		}
		for _, e := range entries {
			if e.Offset < 0 || e.Size < 0 || e.Offset+e.Size > int64(len(b)) || strings.Contains(e.Name, "..") && strings.Contains(e.Name, "../") {
				t.Errorf("got %+v in %d bytes", e, len(b))
			}
		}
		p.Verify(func(string) {})
	})
}
