package ftptest

import (
	"cmp"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net/textproto"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jlaffaye/ftp"

	"example.org/deref/testdata"
)

// peer logs in with github.com/jlaffaye/ftp, a client that shares no code with the server.
func peer(t *testing.T, s *Server, user, password string) *ftp.ServerConn {
	t.Helper()
	options := []ftp.DialOption{ftp.DialWithTimeout(patience), ftp.DialWithDisabledUTF8(s.o.Names != nil)}
	if s.o.TLS != nil {
		cfg := &tls.Config{RootCAs: s.Roots(), ServerName: "127.0.0.1", ClientSessionCache: tls.NewLRUClientSessionCache(1)}
		if s.o.Implicit {
			options = append(options, ftp.DialWithTLS(cfg))
		} else {
			options = append(options, ftp.DialWithExplicitTLS(cfg))
		}
	}
	c, err := ftp.Dial(s.Addr, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Quit() })
	if err := c.Login(user, password); err != nil {
		t.Fatal(err)
	}
	return c
}

// code returns the code of a negative reply.
func code(err error) int {
	if e, ok := errors.AsType[*textproto.Error](err); ok {
		return e.Code
	}
	return 0
}

func retrieve(c *ftp.ServerConn, name string, offset uint64) (string, error) {
	r, err := c.RetrFrom(name, offset)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(r)
	return string(b), cmp.Or(err, r.Close())
}

// TestLibrary lists and retrieves the whole site with an independent client.
func TestLibrary(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		o    *Options
	}{
		{"MLSD", nil},
		{"UNIX", &Options{NoMLSD: true}},
		{"DOS", &Options{NoMLSD: true, List: DOS}},
		{"PASV", &Options{NoEPSV: true}},
		{"explicit TLS", &Options{SelfSigned: true, RequireTLS: true, RequireReuse: true}},
		{"implicit TLS", &Options{SelfSigned: true, Implicit: true, RequireReuse: true}},
		{"vsftpd", Vsftpd()},
		{"proftpd", Proftpd()},
		{"pure-ftpd", Pureftpd()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := NewServer(testdata.Site(), tt.o)
			t.Cleanup(s.Close)
			c := peer(t, s, "anonymous", "test@")
			files := 0
			err := fs.WalkDir(testdata.Site(), ".", func(name string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				if d.IsDir() {
					compareList(t, c, name)
					return nil
				}
				files++
				want := read(t, name)
				if got, err := retrieve(c, "/"+name, 0); got != want || err != nil {
					t.Errorf("RETR %s: got %d bytes, %v, want %d", name, len(got), err, len(want))
				}
				return nil
			})
			if err != nil || files < 50 {
				t.Errorf("got %d files, %v, want at least 50", files, err)
			}
		})
	}
}

// compareList compares the library's entries of a directory with the site.
func compareList(t *testing.T, c *ftp.ServerConn, dir string) {
	t.Helper()
	list, err := c.List("/" + strings.TrimPrefix(dir, "."))
	if err != nil {
		t.Errorf("list of %s: got %v, want none", dir, err)
		return
	}
	members, err := fs.ReadDir(testdata.Site(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []ftp.Entry
	for _, e := range list {
		if e.Name == "." {
			continue
		}
		e.Time = e.Time.Truncate(24 * time.Hour) // all that LIST has of old files
		if e.Type == ftp.EntryTypeFolder {
			e.Size = 0
		}
		got = append(got, *e)
	}
	for _, m := range members {
		fi, err := m.Info()
		if err != nil {
			t.Fatal(err)
		}
		e := ftp.Entry{Name: m.Name(), Type: ftp.EntryTypeFolder, Time: modTime(fi).Truncate(24 * time.Hour)}
		if !m.IsDir() {
			e.Type, e.Size = ftp.EntryTypeFile, uint64(fi.Size())
		}
		want = append(want, e)
	}
	byName := func(a, b ftp.Entry) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(got, byName)
	slices.SortFunc(want, byName)
	if !slices.Equal(got, want) {
		t.Errorf("list of %s:\n got %v\nwant %v", dir, got, want)
	}
}

// TestLibraryCommands uses the library's other commands.
func TestLibraryCommands(t *testing.T) {
	s := start(t, &Options{Users: map[string]User{"alice": {Password: "x", Home: "/home/alice"}}})
	c := peer(t, s, "alice", "x")
	if got, err := c.CurrentDir(); got != "/home/alice" || err != nil {
		t.Errorf("CurrentDir: got %q, %v, want %q", got, err, "/home/alice")
	}
	if err := errors.Join(c.ChangeDirToParent(), c.ChangeDir("../a dir"), c.NoOp()); err != nil {
		t.Errorf("CDUP, CWD, NOOP: got %v, want none", err)
	}
	if got, err := c.NameList(""); !slices.Equal(got, []string{"b c.txt"}) || err != nil {
		t.Errorf("NameList: got %q, %v, want %q", got, err, "b c.txt")
	}
	if got, err := retrieve(c, "b c.txt", 2); got != "ank\n" || err != nil {
		t.Errorf("RetrFrom 2: got %q, %v, want %q", got, err, "ank\n")
	}
	if got, err := c.FileSize("/motd"); got != 6 || err != nil {
		t.Errorf("FileSize: got %d, %v, want 6", got, err)
	}
	at := time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)
	if got, err := c.GetTime("/motd"); !got.Equal(at) || err != nil {
		t.Errorf("GetTime: got %v, %v, want %v", got, err, at)
	}
	want := ftp.Entry{Name: "motd", Type: ftp.EntryTypeFile, Size: 6, Time: at}
	if got, err := c.GetEntry("/motd"); err != nil || path.Base(got.Name) != want.Name || got.Type != want.Type || got.Size != want.Size ||
		!got.Time.Equal(want.Time) {
		t.Errorf("GetEntry: got %+v, %v, want %+v", got, err, want)
	}
	if got := code(c.Stor("new", strings.NewReader("x"))); got != ftp.StatusFileUnavailable {
		t.Errorf("Stor: got %d, want %d", got, ftp.StatusFileUnavailable)
	}
	if _, err := retrieve(c, "/nothing", 0); code(err) != ftp.StatusFileUnavailable {
		t.Errorf("Retr of a missing file: got %v, want %d", err, ftp.StatusFileUnavailable)
	}
	if err := c.Logout(); err != nil {
		t.Errorf("Logout: got %v, want none", err)
	}
	if got := code(c.Login("alice", "wrong")); got != ftp.StatusNotLoggedIn {
		t.Errorf("Login with a wrong password: got %d, want %d", got, ftp.StatusNotLoggedIn)
	}
}
