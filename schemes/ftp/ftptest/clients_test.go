package ftptest

import (
	"encoding/pem"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/testdata"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(testdata.Site(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func caFile(t *testing.T, s *Server) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ca.pem")
	b := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.o.TLS.Certificates[0].Certificate[0]})
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCurl(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts curl many times")
	}
	t.Parallel()
	tests := []struct {
		name string
		o    *Options
		args string // URL is replaced
		file string
	}{
		{"deep", nil, "URL/a/b/c/d/deep.txt", "a/b/c/d/deep.txt"},
		{"binary", nil, "URL/images/bytes.bin", "images/bytes.bin"},
		{"blank", nil, "URL/names/a%20folder/b%20folder/c%20d.txt", "names/a folder/b folder/c d.txt"},
		{"from the root", nil, "URL/%2Fnames/no%20suffix", "names/no suffix"},
		{"per cent", nil, "URL/names/pct%2541.txt", "names/pct%41.txt"},
		{"empty", nil, "URL/texts/empty.txt", "texts/empty.txt"},
		{"PASV", nil, "--disable-epsv URL/README.txt", "README.txt"},
		{"EPRT", nil, "-P - URL/README.txt", "README.txt"},
		{"PORT", nil, "-P - --disable-eprt URL/README.txt", "README.txt"},
		{"vsftpd", Vsftpd(), "URL/README.txt", "README.txt"},
		{"pure-ftpd", Pureftpd(), "URL/README.txt", "README.txt"},
		{"proftpd", Proftpd(), "URL/README.txt", "README.txt"},
		{"user", &Options{Users: map[string]User{"alice": {Password: "x", Home: "/a/b"}}}, "-u alice:x URL/c/here.txt", "a/b/c/here.txt"},
		{"account", &Options{Users: map[string]User{"bob": {Password: "x", Account: "lab"}}},
			"-u bob:x --ftp-account lab URL/README.txt", "README.txt"},
		{"explicit TLS", &Options{SelfSigned: true, RequireTLS: true}, "--ssl-reqd --cacert CA URL/README.txt", "README.txt"},
		{"session reuse", &Options{SelfSigned: true, RequireReuse: true}, "--ssl-reqd --cacert CA URL/README.txt", "README.txt"},
		{"implicit TLS", &Options{SelfSigned: true, Implicit: true}, "--cacert CA URL/README.txt", "README.txt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewServer(testdata.Site(), tt.o)
			defer s.Close()
			args := strings.ReplaceAll(tt.args, "URL", s.URL)
			if s.o.TLS != nil {
				args = strings.ReplaceAll(args, "CA", caFile(t, s))
			}
			out, err := lab.Run(t, "curl", append([]string{"-sS"}, strings.Fields(args)...)...)
			if want := read(t, tt.file); out != want || err != nil {
				t.Errorf("got %d bytes, %v, want %d; the server received %q", len(out), err, len(want), s.Transcript())
			}
		})
	}
}

func TestCurlResumesAndFails(t *testing.T) {
	t.Parallel()
	s := NewServer(testdata.Site(), nil)
	defer s.Close()
	out, err := lab.Run(t, "curl", "-sS", "-C", "100", s.URL+"/images/bytes.bin")
	if want := read(t, "images/bytes.bin")[100:]; out != want || err != nil {
		t.Errorf("resumed: got %d bytes, %v, want %d", len(out), err, len(want))
	}
	for path, code := range map[string]int{"/nothing": 78, "/no/folder": 9} {
		_, err := lab.Run(t, "curl", "-sS", s.URL+path)
		if e, ok := err.(*exec.ExitError); !ok || e.ExitCode() != code {
			t.Errorf("%s: got %v, want exit code %d", path, err, code)
		}
	}
	out, err = lab.Run(t, "curl", "-sS", "-l", s.URL+"/a/b/c/d/")
	if want := "deep.txt\ne\nhere.txt\n"; out != want || err != nil {
		t.Errorf("NLST: got %q, %v, want %q", out, err, want)
	}
	cut := NewServer(testdata.Site(), &Options{Faults: &Faults{CutDataAfter: 100}})
	defer cut.Close()
	out, err = lab.Run(t, "curl", "-sS", cut.URL+"/README.txt")
	if e, ok := err.(*exec.ExitError); !ok || e.ExitCode() != 18 || len(out) != 100 {
		t.Errorf("cut: got %d bytes, %v, want 100 and exit code 18", len(out), err)
	}
}

// TestLftpMirrors mirrors the whole site, which takes MLSD or LIST of every directory.
func TestLftpMirrors(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("lftp waits between its steps")
	}
	tests := []struct {
		name, folder string
		o            *Options
	}{
		{"MLSD", ".", nil},
		{"LIST", ".", &Options{NoMLSD: true}},
		{"dos", ".", &Options{NoMLSD: true, List: DOS}},
		{"explicit TLS", "texts", &Options{SelfSigned: true, RequireTLS: true, RequireReuse: true}}, // a handshake for each file
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewServer(testdata.Site(), tt.o)
			defer s.Close()
			setup := "set net:timeout 10; set net:max-retries 1; set ssl:verify-certificate no; " +
				"set ftp:ssl-allow-anonymous yes; set ftp:ssl-protect-data yes; "
			dir := lab.TempDir(t) // --no-perms: a user cannot remove files from directories with the mode 0555 of the listing
			if _, err := lab.Run(t, "lftp", "-c", setup+"open "+s.URL+"; mirror --no-perms "+tt.folder+" "+dir); err != nil {
				t.Fatal(err, s.Transcript())
			}
			compare(t, tt.folder, dir)
		})
	}
}

// compare compares a directory of the site with its copy in dir.
func compare(t *testing.T, folder, dir string) {
	t.Helper()
	err := fs.WalkDir(testdata.Site(), folder, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, p)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(dir, rel))
		if err != nil || string(got) != read(t, p) {
			t.Errorf("%s: got %d bytes, %v, want %d", p, len(got), err, len(read(t, p)))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWget(t *testing.T) {
	s := NewServer(testdata.Site(), nil)
	defer s.Close()
	out, err := lab.Run(t, "wget", "-q", "-O", "-", s.URL+"/names/with%20blank.txt")
	if want := read(t, "names/with blank.txt"); out != want || err != nil {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

// TestTnftp retrieves by a URI and in a session.
func TestTnftp(t *testing.T) {
	s := NewServer(testdata.Site(), nil)
	defer s.Close()
	out, err := lab.Run(t, "tnftp", "-o", "-", s.URL+"/names/with%20blank.txt")
	if want := read(t, "names/with blank.txt"); out != want || err != nil {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
	host, port, _ := strings.Cut(s.Addr, ":")
	dir := t.TempDir()
	cmd := lab.Client(t, "tnftp", "-n", "-v", host, port)
	cmd.Stdin = strings.NewReader("user anonymous ann@site.example\nbinary\ncd images\nlcd " + dir +
		"\nget bytes.bin\nls\nsize bytes.bin\nmlst bytes.bin\nepsv4\nget stripes.png\nquit\n")
	b, err := cmd.CombinedOutput()
	for _, name := range []string{"bytes.bin", "stripes.png"} {
		got, _ := os.ReadFile(filepath.Join(dir, name))
		if want := read(t, "images/"+name); string(got) != want || err != nil {
			t.Errorf("%s: got %d bytes, %v, want %d\n%s", name, len(got), err, len(want), b)
		}
	}
}

// TestLinks lists a directory and shows a file. Lynx 2.9.0 is not tested: it hangs if the 226 arrives with the 150 (observed).
func TestLinks(t *testing.T) {
	s := NewServer(testdata.Site(), nil)
	defer s.Close()
	for path, want := range map[string]string{"/names/": "with blank.txt", "/names/with%20blank.txt": `I am the file "with blank.txt".`} {
		if out, err := lab.Run(t, "links", "-dump", s.URL+path); !strings.Contains(out, want) || err != nil {
			t.Errorf("%s: got %q, %v, want %q", path, out, err, want)
		}
	}
}
