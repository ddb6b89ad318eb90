package ftptest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func when(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

// few returns a directory that is small enough for golden listings.
func few() fstest.MapFS {
	return fstest.MapFS{
		"a dir/x":            {ModTime: when("1994-12-20T12:00:00Z")},
		"README":             {Data: []byte("0123456789"), Mode: 0o644, ModTime: when("2024-02-29T23:59:58Z")},
		"new and quite long": {Data: make([]byte, 1000), Mode: 0o600, ModTime: when("2024-03-01T08:05:00Z")},
	}
}

func TestDialects(t *testing.T) {
	tests := []struct {
		name    string
		dialect Dialect
		want    string
	}{
		{"unix", nil, "" +
			"-rw-r--r--   1 ftp      ftp            10 Feb 29 23:59 README\r\n" +
			"dr-xr-xr-x   1 ftp      ftp             0 Dec 20  1994 a dir\r\n" +
			"-rw-------   1 ftp      ftp          1000 Mar  1 08:05 new and quite long\r\n"},
		{"dos", DOS, "" +
			"02-29-24  11:59PM                   10 README\r\n" +
			"12-20-94  12:00PM       <DIR>          a dir\r\n" +
			"03-01-24  08:05AM                 1000 new and quite long\r\n"},
	}
	fsys := few()
	fsys["a dir"] = &fstest.MapFile{Mode: os.ModeDir | 0o555, ModTime: when("1994-12-20T12:00:00Z")}
	for _, tt := range tests {
		s := NewServer(fsys, &Options{List: tt.dialect, Now: when("2024-03-02T00:00:00Z")})
		if got := login(t, s).whole("LIST"); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		s.Close()
	}
}

func TestNamesAlone(t *testing.T) {
	s := NewServer(few(), nil)
	defer s.Close()
	x := login(t, s)
	tests := []struct{ line, want string }{
		{"NLST", "README\r\na dir\r\nnew and quite long\r\n"},
		{"NLST a dir", "a dir/x\r\n"}, // as vsftpd, proftpd and pure-ftpd answer
		{"NLST -a README", "README\r\n"},
	}
	for _, tt := range tests {
		if got := x.whole(tt.line); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestListOneFile(t *testing.T) {
	x := login(t, start(t, nil))
	if got := x.whole("LIST -la motd"); !strings.HasSuffix(got, " motd\r\n") || strings.Count(got, "\n") != 1 {
		t.Errorf("got %q, want one line for motd", got)
	}
	if got := x.whole("LIST empty"); got != "" {
		t.Errorf("an empty directory: got %q, want none", got)
	}
	if got := login(t, start(t, &Options{EmptyMissing: true})).whole("LIST nothing"); got != "" {
		t.Errorf("a missing file with EmptyMissing: got %q, want none", got)
	}
}

func TestFacts(t *testing.T) {
	x := login(t, start(t, nil))
	got := x.whole("MLSD home")
	want := regexp.MustCompile(`^modify=\d{14};perm=el;type=cdir;UNIX.mode=0555; \.\r\n` +
		`modify=\d{14};perm=el;type=dir;UNIX.mode=0555; alice\r\n$`)
	if !want.MatchString(got) {
		t.Errorf("MLSD: got %q, want %s", got, want)
	}
	if got, want := x.cmd(250, "MLST motd"), "size=6;type=file;"; !strings.Contains(got, want) {
		t.Errorf("MLST: got %q, want %q in it", got, want)
	}
	x.cmd(550, "MLST nothing")
	play(t, login(t, start(t, Vsftpd())), "MLSD 500; MLST 500; EPSV 550")
}

func TestSizesAndTimes(t *testing.T) {
	x := login(t, start(t, nil))
	x.cmd(550, "SIZE motd") // TYPE A, as with proftpd
	x.cmd(200, "TYPE I")
	tests := []struct {
		line string
		code int
		want string
	}{
		{"SIZE motd", 213, "6"},
		{"SIZE crlf.txt", 213, "10"},
		{"MDTM motd", 213, "20240229235958"},
		{"MDTM undated.txt", 213, "19941220120000"},
		{"SIZE a", 550, "a: Not a plain file"},
		{"SIZE nothing", 550, "nothing: No such file"},
		{"MDTM", 501, "A name is needed"},
	}
	for _, tt := range tests {
		if got := x.cmd(tt.code, tt.line); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.line, got, tt.want)
		}
	}
	play(t, login(t, start(t, &Options{NoSIZE: true, NoMDTM: true, NoREST: true})),
		"TYPE I 200; SIZE motd 500; MDTM motd 500; REST 1 500")
}

// TestLinksAreShownAsLinks needs a file system with symbolic links.
func TestLinksAreShownAsLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("f"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link": "file", "dangling": "nowhere", "out": "/etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	s := NewServer(root.FS(), nil)
	defer s.Close()
	x := login(t, s)
	for _, want := range []string{"link -> file\r\n", "dangling -> nowhere\r\n"} {
		if got := x.whole("LIST"); !strings.Contains(got, want) || !strings.Contains(got, "lrwxrwxrwx") {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	if got := x.whole("MLSD"); !strings.Contains(got, "type=OS.unix=slink:file;") {
		t.Errorf("got %q, want a link to file in it", got)
	}
	if got := x.whole("RETR link"); got != "f" {
		t.Errorf("got %q, want %q", got, "f")
	}
	play(t, x, "EPSV 229; RETR out 550; RETR dangling 550") // os.Root follows no link to the outside
}

// TestNamesWithLineEnds checks that such names, which would add lines to a listing, are omitted.
func TestNamesWithLineEnds(t *testing.T) {
	fsys := few()
	fsys["odd/a\r\nb"], fsys["odd/c"] = fsys["README"], fsys["README"]
	s := NewServer(fsys, nil)
	defer s.Close()
	if got := login(t, s).whole("NLST odd"); got != "odd/c\r\n" {
		t.Errorf("got %q, want %q", got, "odd/c\r\n")
	}
}
