package checksum_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/checksum"
)

const (
	abc256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of "abc" (FIPS 180-4)
	abc1   = "a9993e364706816aba3e25717850c26c9cd0d89d"
	abcMD5 = "900150983cd24fb0d6963f7d28e17f72"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"SHA256SUMS", abc256 + "  a.txt\n" + abc256 + " *b c.txt\r\n", "a.txt sha-256, b c.txt sha-256"},
		{"SHA256SUMS", abc256 + "  *a.txt\n", "*a.txt sha-256"}, // in text mode
		{"x", "\ufeff" + strings.ToUpper(abc256) + "  ./d/a.txt", "./d/a.txt sha-256"},
		{"x", `\` + abc256 + `  a\nb\\c`, "a\nb\\c sha-256"},
		{"dir/a.iso.sha256", abc256 + "\n", "a.iso sha-256"},
		{"a.iso.sha256sum", abc256 + "\n", "a.iso sha-256"},
		{"sum", abc256 + "\n", " sha-256"},
		{"a.md5", abcMD5 + " a\n", "a md5"},
		{"x", "SHA256 (a (b).txt) = " + abc256 + "\nMD5 (a) = " + abcMD5, "a (b).txt sha-256, a md5"},
		{"x", "SHA2-256(a.txt)= " + abc256, "a.txt sha-256"},
		{"x", "SHA1 (a) = qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", "a sha-1"},
		{"x", "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n# c\n" + abc1 + "  a\n-----BEGIN PGP SIGNATURE-----\niQ\n", "a sha-1"},
		{"x", "abc  a\n", "error: no checksums found"},
		{"x", "", "error: no checksums found"},
		{"x", abc256[1:] + "  a", "error: no checksums found"},
		{"x", "WHIRL (a) = " + abc256, "error: no checksums found"},
		{"x", "<html></html>", "error: not a Metalink document of version 4 (RFC 5854), whose namespace is urn:ietf:params:xml:ns:metalink"},
		{"x", metalink(`<hash type="whirlpool">00</hash>`), "error: the Metalink document has no file with a digest of a known algorithm"},
		{"x", metalink(`<hash type="sha-256">` + abc256 + `</hash><hash type="md5">` + abcMD5 + `</hash>`), "d/a sha-256 md5"},
		{"x", metalink(`<size>3</size><hash type="sha-1">` + abc1 + `</hash><url>ftp://z/</url><url priority="2">http://b/</url><url priority="1"> http://a/ </url>`),
			"d/a sha-1 size 3 from http://a/ http://b/ ftp://z/"},
		{"x", metalink(`<size>3</size><pieces length="2" type="md5"><hash>` + abcMD5 + `</hash><hash>` + abcMD5 + `</hash></pieces>`), "d/a size 3 pieces 2"},
		{"x", metalink(`<size>5</size><hash type="md5">` + abcMD5 + `</hash><pieces length="2" type="md5"><hash>` + abcMD5 + `</hash></pieces>`), "d/a md5 size 5"},
	} {
		files, err := checksum.Parse(c.name, strings.NewReader(c.text))
		if got := describe(files, err); got != c.want {
			t.Errorf("%s %.60q: got %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

// metalink returns a document with one file.
func metalink(inner string) string {
	return `<?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="d/a">` + inner + `</file></metalink>`
}

func describe(files []checksum.File, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var all []string
	for _, f := range files {
		s := f.Name
		for _, d := range f.Digests {
			s += " " + string(d.Algorithm)
		}
		if f.Size >= 0 {
			s += fmt.Sprint(" size ", f.Size)
		}
		if n := len(f.Pieces.Sums); n > 0 {
			s += fmt.Sprint(" pieces ", n)
		}
		if len(f.Sources) > 0 {
			s += " from " + strings.Join(f.Sources, " ")
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

func TestFind(t *testing.T) {
	list, err := checksum.Parse("SHA256SUMS", strings.NewReader(
		abc256+"  dists/main/a\n"+strings.Repeat("0", 64)+"  dists/other/a\n"+abc256+"  b\n"+strings.Repeat("1", 64)+"  b\n"+abc1+"  c\n"+strings.Repeat(abc256+"  c\n", 1000)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{"/debian/dists/main/a", "dists/main/a 1"},
		{"/debian/dists/other/a", "dists/other/a 1"},
		{"/a", "error: several checksums for that name"},
		{"/b", "error: several checksums for that name"},
		{"/x/c", "c 2"}, // one file by two algorithms
		{"/d", "error: no checksum for that name"},
		{"/dists/main/", "error: no checksum for that name"},
		{"", "error: no checksum for that name"},
	} {
		f, err := checksum.Find(list, c.path)
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = fmt.Sprint(f.Name, " ", len(f.Digests))
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.path, got, c.want)
		}
	}
	if f, _ := checksum.Find(list, "/x/c"); f.IsWeak() {
		t.Errorf("SHA-1 and SHA-256: got weak, want the strongest to count")
	}
}

func TestField(t *testing.T) {
	const sum = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
	for _, c := range []struct {
		name, line string
		want       []string
	}{
		{"Repr-Digest", "sha-256=:" + sum + ":", []string{"sha-256:" + abc256}},
		{"repr-digest", "unixsum=:AA==:, sha-256=:" + sum + ":;x=1", []string{"sha-256:" + abc256}},
		{"Repr-Digest", "sha-256=" + sum, nil},
		{"Repr-Digest", "sha-256=:AA==:, sha-256, =, ::, sha-256=:", nil},
		{"Digest", "SHA-256=" + sum, []string{"sha-256:" + abc256}},
		{"Digest", "SHA=qZk+NkcGgWq6PiVxeFDCbJzQ2J0=,SHA-256=" + sum, []string{"sha-1:" + abc1, "sha-256:" + abc256}},
		{"Digest", "sha-256=:" + sum + ":", nil},
	} {
		var got []string
		for _, d := range checksum.Field(c.name, []string{c.line}) {
			got = append(got, d.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %s: got %q, want %q", c.name, c.line, got, c.want)
		}
	}
}

// Whatever the sizes of the writes are, a Verifier finds the damaged pieces.
func TestVerifier(t *testing.T) {
	data := strings.Repeat("0123456789", 10)
	f := checksum.File{Size: 100, Digests: []checksum.Digest{digest(t, data)}, Pieces: checksum.Pieces{Algorithm: checksum.SHA256, Length: 32}}
	for i := 0; i < len(data); i += 32 {
		f.Pieces.Sums = append(f.Pieces.Sums, digest(t, data[i:min(i+32, 100)]).Sum)
	}
	alone := f
	alone.Digests = nil
	for _, c := range []struct{ data, want string }{
		{data, ""},
		{data[:40] + "x" + data[41:], "[{32 64}] 3"},
		{"x" + data[1:40] + "x" + data[41:99] + "x", "[{0 64} {96 100}] 1"},
		{data[:90], "[{64 100}] 2"},
		{data + "more", "[{96 100}] 3"},
		{data + strings.Repeat("more", 30), "[{96 100}] 3"},
		{"", "[{0 100}] 0"},
	} {
		for _, f := range []checksum.File{f, alone} {
			for _, step := range []int{1, 7, 32, 200} {
				if got := verify(t, &f, c.data, step); got != c.want {
					t.Errorf("%d bytes in steps of %d: got %q, want %q", len(c.data), step, got, c.want)
				}
			}
		}
	}
	alone.Size, alone.Pieces.Sums = 96, f.Pieces.Sums[:3]
	if got := verify(t, &alone, data+data, 32); got != "[] 3" {
		t.Errorf("whole pieces and more: got %q, want a mismatch without damage", got)
	}
}

func digest(t *testing.T, s string) checksum.Digest {
	t.Helper()
	h := checksum.SHA256.New()
	h.Write([]byte(s))
	return checksum.Digest{Algorithm: checksum.SHA256, Sum: h.Sum(nil)}
}

func verify(t *testing.T, f *checksum.File, data string, step int) string {
	t.Helper()
	v, err := f.Verifier()
	if err != nil {
		t.Fatal(err)
	}
	for len(data) > 0 {
		n := min(step, len(data))
		v.Write([]byte(data[:n]))
		data = data[n:]
	}
	err = v.Finish()
	if err == nil {
		return ""
	}
	m, ok := errors.AsType[*checksum.Mismatch](err)
	if !ok || m.Error() == "" {
		t.Fatalf("got %v, want a *Mismatch with a text", err)
	}
	return fmt.Sprint(m.Damaged, " ", m.Good)
}

// FuzzParse checks that foreign text neither crashes the parser nor yields an entry that cannot be verified.
func FuzzParse(f *testing.F) {
	f.Add("a.iso.sha256", abc256+"  a\n")
	f.Add("x", "SHA256 (a) = "+abc256)
	f.Add("x", metalink(`<size>3</size><pieces length="2" type="md5"><hash>`+abcMD5+`</hash><hash>`+abcMD5+`</hash></pieces><url priority="1">http://a/</url>`))
	f.Fuzz(func(t *testing.T, name, text string) {
		files, err := checksum.Parse(name, strings.NewReader(text))
		if err != nil && len(files) > 0 || err == nil && len(files) == 0 {
			t.Fatalf("got %d files and %v", len(files), err)
		}
		for i := range min(len(files), 16) { // each verifies the whole text
			v, err := files[i].Verifier()
			if err != nil {
				t.Fatalf("%+v: %v", files[i], err)
			}
			v.Write([]byte(text))
			if err := v.Finish(); err != nil && err.Error() == "" {
				t.Fatal("an error without text")
			}
			checksum.Find(files, files[i].Name)
		}
	})
}

// FuzzField checks that a digest in a field has the length of its algorithm.
func FuzzField(f *testing.F) {
	f.Add("Repr-Digest", "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:")
	f.Add("Digest", "SHA-256=ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=,md5=AA==")
	f.Fuzz(func(t *testing.T, name, line string) {
		for _, d := range checksum.Field(name, []string{line}) {
			if h := d.Algorithm.New(); h == nil || h.Size() != len(d.Sum) {
				t.Fatalf("%s: %s: got %v", name, line, d)
			}
		}
	})
}
