package save

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestPromise9Clean(t *testing.T) {
	long := strings.Repeat("x", 300)
	for in, want := range map[string]string{
		"guide.txt":                 "guide.txt",
		"a folder.txt":              "a folder.txt",
		"":                          "unnamed",
		".":                         "_",
		"..":                        "_",
		"...":                       "_",
		"/":                         "unnamed",
		"/etc/passwd":               "passwd",
		"../../evil.txt":            "evil.txt",
		`..\..\evil.txt`:            "evil.txt",
		`C:\AUTOEXEC.BAT`:           "AUTOEXEC.BAT",
		"C:evil":                    "C_evil",
		"a/..":                      "_",
		".bashrc":                   "_bashrc",
		"-rf":                       "_rf",
		"NUL":                       "_NUL",
		"nul.txt":                   "_nul.txt",
		"NUL .txt":                  "_NUL .txt",
		"Com1.tar.gz":               "_Com1.tar.gz",
		"LPT¹":                      "_LPT¹",
		"COM":                       "COM",
		"COM10":                     "COM10",
		"CONSOLE":                   "CONSOLE",
		"file.":                     "file",
		"file. . ":                  "file",
		"  file  ":                  "file",
		"x:stream":                  "x_stream",
		`a<b>c"d|e?f*g`:             "a_b_c_d_e_f_g",
		"a\x1b]0;pwned\ab.txt":      "a_]0;pwned_b.txt",
		"a\nb":                      "a_b",
		"a\x00b":                    "a_b",
		"caf\xe9.txt":               "caf%E9.txt", // of an unknown encoding
		"café.txt":                  "café.txt",
		"a\x9bb":                    "a%9Bb",
		"\x8f\x90\x88.TXT":          "%8F%90%88.TXT",    // CP866
		"dir/\x95\x5c.txt":          "%95%5C.txt",       // Shift_JIS, whose second byte is not a separator
		`C:\dir\` + "\x83\x7c":      "%83%7C",           // nor is that of this one a pipe
		"\xa5\x5c\xa5\x5c":          "%A5%5C%A5%5C",     // Big5
		"\xe9\\..\\..\\x":           "x",                // a backslash after a dot is a separator
		"\xe9%E9 \n<é":              "%E9%25E9 %0A%3Cé", // what is replaced elsewhere stays different
		"\xe9/../CON":               "_CON",
		".\xe9":                     "_%E9",
		"photo\u202egpj.exe":        "photo_gpj.exe",
		"a\u200bb\ufeffc\u2028d":    "a_b_c_d",
		"می\u200cخواهم":             "می\u200cخواهم", // a joiner that is spelling
		"a\u00a0b\u3000c":           "a b c",
		"x.part":                    "x.part_", // ours: it could be planted to be continued
		"x.PART.JSON":               "x.PART.JSON_",
		long + ".tar":               strings.Repeat("x", 234) + ".tar",
		strings.Repeat("é", 200):    strings.Repeat("é", 119),
		"." + long:                  "_" + long[:237],
		strings.Repeat(".", 300):    "_",
		strings.Repeat("a/", 10000): "unnamed",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%.60q) = %q, want %q", in, got, want)
		}
	}
}

// A name in a known charset is decoded, and then cleaned as any other.
func TestNameIn(t *testing.T) {
	for _, c := range []struct{ in, label, want string }{
		{"gopher://h/0/%8F%90%88.TXT", "cp866", "ПРИ.TXT"},
		{"http://h/%95%5C.txt", "shift_jis", "表.txt"},
		{"http://h/%95%5C.txt", "", "%95%5C.txt"},
		{"ftp://h/M%81ller;type=i", "cp437", "Müller"},
		{"http://h/%C3%A9", "cp437", "é"},               // UTF-8
		{"http://h/%81%5C..%5C%FF", "cp437", "unnamed"}, // a backslash is a separator where it is a character of its own
		{"http://h/a%C0%AE%0A", "koi8-r", "aю╝_"},
		{"http://h/%1B$B", "iso-2022-jp", "_$B"},
	} {
		if got := NameIn(uri.MustParse(c.in), c.label); got != c.want {
			t.Errorf("%s in %q: got %q, want %q", c.in, c.label, got, c.want)
		}
	}
}

// Names of an unknown encoding stay different, however they are cleaned.
func TestOldNamesStayDifferent(t *testing.T) {
	long := strings.Repeat("\x80", 300)
	for how, clean := range map[string]func(string) string{"portable": Clean, "exact": CleanExact} {
		names := map[string]string{}
		for _, in := range []string{"\x8f\x90\x88.TXT", "\x8f\x90\x89.TXT", "M\x81ller", "M\x84ller", "\x95\x5c.txt", "\x94\x5c.txt", "\x83\x7c", "\x83_",
			"\x83%7C", "caf\xe9", "caf\xea", "a\xff:", "a\xff?", "1" + long, "2" + long, "3" + long + ".txt"} {
			got := clean(in)
			if other, ok := names[got]; ok || got == "" || len(got) > 240 {
				t.Errorf("%s: got %q for %q and %q, want two short names", how, got, in, other)
			}
			names[got] = in
			if again := clean(got); again != got {
				t.Errorf("%s: got %q, then %q, want the same", how, got, again)
			}
		}
	}
}

func TestNameOf(t *testing.T) {
	for in, want := range map[string]string{
		"http://h/a/guide.txt":              "guide.txt",
		"http://h/a/guide.txt?x=/../y#z":    "guide.txt",
		"http://h/a/dir/":                   "dir",
		"http://h":                          "",
		"http://h/":                         "",
		"http://h/a/..%2f..%2fevil.txt":     "evil.txt",
		"http://h/%2e%2e":                   "_",
		"http://h/a%00b%0d%0ac":             "a_b__c",
		"http://h/%2Ebashrc":                "_bashrc",
		"gopher://h/0/..%2f..%2fevil.txt":   "evil.txt",
		"gopher://h/0/about.txt":            "about.txt",
		"ftp://h/pub/a%20b.txt;type=a":      "a b.txt",
		"ftp://h/pub/a;b;TYPE=I":            "a;b",
		"http://h/a;type=a":                 "a;type=a",
		"ftp://h/caf%e9":                    "caf%E9",
		"news:9405251200.AA01@info.cern.ch": "9405251200.AA01@info.cern.ch",
		"data:text/plain,/etc/passwd":       "",
		"wais://h/db/GIF/331/1=h;2=db;3=0%20331%20docs/plasma.gif;7=%00;": "plasma.gif",
		"wais://h/db/GIF/331/3=0%20331%20docs/plasma.gif;6=0%200%20x;":    "plasma.gif",
		"wais://h/db/GIF/3=plasma.gif;":                                   "plasma.gif",
		"wais://h/db/GIF/%02%02db%03%120%20331%20a%2Fplasma.gif%07%01%00": "plasma.gif",
		"wais://h/db/TEXT/0%20148%20docs/tides.txt":                       "tides.txt",
		"wais://h/db/TEXT/3=..%2F..%2F.ssh;":                              "_ssh",
		"wais://h/db/TEXT/3=1994%20report.txt;":                           "report.txt",
		"wais://h/db":                                                     "db",
		"urn:isbn:0451450523":                                             "isbn_0451450523",
	} {
		if got := NameOf(uri.MustParse(in)); got != want {
			t.Errorf("NameOf(%s) = %q, want %q", in, got, want)
		}
	}
}

// The rows are those of RFC 6266 section 5, RFC 8187 section 3.2.2, and of greenbytes.de/tech/tc2231 where browsers agree.
func TestServerName(t *testing.T) {
	for in, want := range map[string]string{
		``:                                       "",
		`inline`:                                 "",
		`attachment; filename=example.html`:      "example.html",
		`Attachment; FileName="an example.html"`: "an example.html",
		`INLINE; FILENAME= "an example.html"`:    "an example.html",
		`attachment; filename*= UTF-8''%e2%82%ac%20rates`:                       "€ rates",
		`attachment; filename="EURO rates"; filename*=utf-8''%e2%82%ac%20rates`: "€ rates",
		`attachment; filename*=utf-8'en'%e2%82%ac; filename=x`:                  "€",
		`attachment; filename*=iso-8859-1'en'%A3%20rates`:                       "£ rates",
		`attachment; filename*=koi8-r''%F0%D2%C9%D7%C5%D4.txt; filename=plain`:  "Привет.txt", // beyond the charsets of RFC 8187
		`attachment; filename*=x-none''%e2; filename=plain`:                     "plain",
		`attachment; filename*=broken; filename=plain`:                          "plain",
		`attachment; filename="foo-ä.html"`:                                     "foo-ä.html", // raw UTF-8
		"attachment; filename=\"foo-\xe4.html\"":                                "foo-ä.html", // raw Latin-1
		`attachment; filename="f\"oo.html"`:                                     "f_oo.html",
		`attachment; filename="a;b=c.html"; x=y`:                                "a;b=c.html",
		`attachment; filename=foo bar.html`:                                     "foo bar.html",
		`attachment; filename="unclosed`:                                        "unclosed",
		`attachment; filename=a; filename=b`:                                    "a",
		`attachment; filename="foo%41.html"`:                                    "foo%41.html", // RFC 6266 appendix D: not decoded
		`filename=no-type.txt`:                                                  "no-type.txt",
		`attachment;;; filename=x;`:                                             "x",
		`attachment; name="y"`:                                                  "",
		`attachment; filename="/etc/passwd"`:                                    "passwd",
		`attachment; filename="..\..\evil.txt"`:                                 "evil.txt",
		`attachment; filename="\\server\share\evil.txt"`:                        "evil.txt",
		`attachment; filename*=UTF-8''..%2f..%2fevil.txt`:                       "evil.txt",
		`attachment; filename*=UTF-8''%2e%2e`:                                   "_",
		`attachment; filename="NUL.txt"`:                                        "_NUL.txt",
		`attachment; filename=".ssh"`:                                           "_ssh",
		`attachment; filename=""`:                                               "",
		`attachment; filename="` + strings.Repeat(`\`, 10000):                   "unnamed",
		`attachment; filename*=UTF-8''%00%0a%1b[2J`:                             "___[2J",
	} {
		d := fetch.NewDocument(nil)
		d.Header.Set("Content-Disposition", in)
		if got := ServerName(d); got != want {
			t.Errorf("%.80s: %q, want %q", in, got, want)
		}
	}
}

// plain describes why a name is harmful on some system. It returns "" if it is not.
func plain(name string) string {
	switch {
	case name == "", name == ".", name == "..", name != filepath.Base(name), !filepath.IsLocal(name):
		return "is not a name in the directory"
	case !utf8.ValidString(name), len(name) > nameMax:
		return "is not UTF-8, or too long"
	case strings.ContainsAny(name, `/\<>:"|?*`), strings.ContainsFunc(name, unicode.IsControl):
		return "has a character that is none of a name"
	case strings.HasPrefix(name, "."), strings.HasPrefix(name, "-"), strings.HasPrefix(name, tempPrefix):
		return "is hidden, an option, or ours"
	case strings.HasSuffix(name, "."), strings.HasSuffix(name, " "), isDevice(name):
		return "is another one to Windows"
	case hasSuffixFold(name, partSuffix), hasSuffixFold(name, stateSuffix):
		return "is that of a part"
	}
	return ""
}

func checkName(t *testing.T, in, name string) {
	t.Helper()
	if why := plain(name); why != "" {
		t.Fatalf("%q, from %q, %s", name, in, why)
	}
	if again := Clean(name); again != name {
		t.Fatalf("%q is cleaned to %q", name, again)
	}
}

// The seeds of the fuzz targets.
func cleanSeeds() []string {
	return []string{"a.txt", "../x", `..\x`, "NUL", ".x", "-x", "x.part", "\xff\x00", "a\u202eb", strings.Repeat("é.", 200), " . ", "x.part.",
		"con .", "con.part", strings.Repeat("x", 234) + ".part", "con." + strings.Repeat("x", 300)}
}

func dispositionSeeds() []string {
	return []string{`attachment; filename="a\"b"`, `x; filename*=UTF-8''%2e%2e%2f`, `filename=a b;`, `;=;`, `a; filename="..\..\x"`}
}

func uriSeeds() []string {
	return []string{"http://h/a/%2e%2e", "ftp://h/a;type=a", "gopher://h/0/..%2fx", "data:,x", "x:/\\..\\y"}
}

func serverName(disposition string) string {
	d := fetch.NewDocument(nil)
	d.Header["Content-Disposition"] = []string{disposition}
	return ServerName(d)
}

// TestNamesOnDisk gives a file each name, which the fuzz targets do not do: the file system accepts the name, within the directory.
func TestNamesOnDisk(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	has := "first"
	if err := root.WriteFile(has, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	rename := func(in, name string) {
		t.Helper()
		if name == "" {
			return
		}
		name += stateSuffix
		if err := root.Rename(has, name); err != nil {
			t.Errorf("%q, from %q: %v", name, in, err)
			return
		}
		has = name
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%q, from %q, is not in the directory: %v", name, in, err)
		}
	}
	for _, s := range cleanSeeds() {
		rename(s, Clean(s))
		rename(s, Mark(Clean(s), "-17"))
	}
	for b := range 256 { // each byte alone, and in a name
		for _, s := range []string{string([]byte{byte(b)}), "a" + string([]byte{byte(b)}) + "b"} {
			rename(s, Clean(s))
		}
	}
	for _, s := range dispositionSeeds() {
		rename(s, serverName(s))
	}
	for _, s := range uriSeeds() {
		rename(s, NameOf(uri.MustParse(s)))
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range cleanSeeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkName(t, s, Clean(s))
		if n := Mark(Clean(s), "-17"); plain(n) != "" {
			t.Fatalf("numbered: got %q %s, want plain(n) empty", n, plain(n))
		}
	})
}

func FuzzDisposition(f *testing.F) {
	for _, s := range dispositionSeeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if name := serverName(s); name != "" {
			checkName(t, s, name)
		}
	})
}

func FuzzNameOf(f *testing.F) {
	for _, s := range uriSeeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := uri.Parse(s)
		if err != nil {
			return
		}
		if name := NameOf(u); name != "" {
			checkName(t, s, name)
		}
	})
}
