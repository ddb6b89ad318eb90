package ftptest

import (
	"cmp"
	"crypto/tls"
	"io"
	"io/fs"
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
