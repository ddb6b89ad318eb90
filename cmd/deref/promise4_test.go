package main

import (
	"go/ast"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// If loopback is denied, no scheme reaches its server: the guard refuses every kind of socket (promise 4).
func TestPromise4EverySchemeAsksTheGuard(t *testing.T) {
	t.Parallel()
	eachSight(t, maxSchemes, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, _ []byte) {
		if u.Scheme() == "data" || u.Scheme() == "file" {
			t.Skip("no socket")
		}
		for name, p := range map[string]fetch.Policy{
			"denied":  {Deny: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}},
			"private": {DenyPrivate: true},
		} {
			for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST.", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "2130706433",
				"0x7f000001", "0177.0.0.1", "127.1", "0x7f.1"} {
				other := uri.MustParse(strings.Replace(u.String(), "127.0.0.1", host, 1))
				c := newClient()
				c.Policy = p
				literal := host == "127.0.0.1" || strings.HasPrefix(host, "[")
				if !literal {
					c.Timeouts.Connect = 500 * time.Millisecond // unusual host names may cause a lookup
				}
				connected := false
				_, _, err := read(t.Context(), c, other, &fetch.Options{Trace: func(e fetch.Event) {
					connected = connected ||
						e.Mark == fetch.MarkOpen || e.Dir == fetch.FromClient
				}})
				c.Close()
				kind := fetch.KindOf(err)
				if literal && kind != fetch.ErrDenied && kind != fetch.ErrRefusedURL {
					t.Errorf("%s, %s: got %v, want %s or %s", name, other, err, fetch.ErrDenied, fetch.ErrRefusedURL)
				}
				if err == nil || connected {
					t.Errorf("%s, %s: got connected %v, %v; want no connection and an error", name, other, connected, err)
				}
			}
		}
	})
}

// sockets are the files that may open a socket, and why.
var sockets = [...]struct{ file, why string }{
	{"fetch/socket.go", "the dialer, with its guard"},
	{"fetch/packets.go", "datagrams, after the same check"},
	{"fetch/listener.go", "data connections from the peer alone"},
	{"fetch/proxy/dial.go", "to the proxy that the user named"},
	{"fetch/httpbridge/httpbridge.go", "into a Transport of the program's own"},
	{"cmd/command/gateway.go", "deref gateway listens"},
	{"cmd/internal/testservers/service.go", "deref serve listens"},
	{"cmd/derefd/health.go", "to the page of derefd that the user named"},
	{"cmd/derefd/page.go", "derefd --page listens"},
	{"cmd/derefd/store.go", "to the S3 service that the user named"},
	{"fetch/hub/dial.go", "to the hub that the user named"},
	{"fetch/hub/server.go", "derefd hub listens"},
}

// programs are the files that may start a program.
var programs = [...]struct{ file, why string }{
	{"schemes/external/run.go", "a scheme's program, without arguments"},
	{"cmd/command/browse_unix.go", "deref-browse, or the go command that builds it from the sources of this program, with the user's own arguments"},
	{"cmd/command/browse_other.go", "deref-browse, or the go command that builds it from the sources of this program, with the user's own arguments"},
	{"cmd/command/browse_view.go", "run-mailcap and xdg-open, with a file of ours and a media type that the system knows"},
	{"cmd/command/watch.go", "--run, the user's own words"},
	{"cmd/derefd/demo.go", "derefd demo starts workers"},
	{"cmd/internal/app/passcommand.go", "pass-command, the user's own words"},
}

// Only the files above open sockets or start programs. Tests and test servers are exempt (promise 4).
func TestPromise4OneGuardForEverySocket(t *testing.T) {
	t.Parallel()
	opening := map[string]string{
		"net":  " Dial DialTimeout DialTCP DialUDP DialIP DialUnix Dialer Listen ListenTCP ListenUDP ListenPacket ListenConfig FileConn ",
		"tls":  " Dial DialWithDialer Dialer Listen ",
		"http": " Get Post PostForm Head DefaultClient DefaultTransport Transport Client ListenAndServe ",
		"ftp":  " Connect ", "ldap": " DialURL ", "smtp": " Dial DialTLS DialStartTLS ", "imapclient": " DialTLS DialStartTLS DialInsecure ",
		"nats": " Connect ", "minio": " New ",
		"syscall": " Socket ", "unix": " Socket "}
	starting := map[string]string{"exec": " Command CommandContext ", "os": " StartProcess ", "syscall": " Exec ForkExec StartProcess "}
	found := map[string]bool{}
	files, err := goFiles(regexp.MustCompile(`test/|testdata/|/lab/|/loopback/|_test\.go$`))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		ast.Inspect(f.File, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			what := " " + sel.Sel.Name + " "
			if strings.Contains(opening[x.Name], what) {
				found[f.path] = true
				if !slices.ContainsFunc(sockets[:], func(s struct{ file, why string }) bool { return s.file == f.path }) {
					t.Errorf("%s uses %s.%s, want that only in the listed files", f.path, x.Name, sel.Sel.Name)
				}
			}
			if strings.Contains(starting[x.Name], what) {
				found[f.path] = true
				if !slices.ContainsFunc(programs[:], func(s struct{ file, why string }) bool { return s.file == f.path }) {
					t.Errorf("%s uses %s.%s, want that only in the listed files", f.path, x.Name, sel.Sel.Name)
				}
			}
			return true
		})
	}
	for _, s := range append(slices.Clone(sockets[:]), programs[:]...) {
		if !found[s.file] {
			t.Errorf("%s: got no socket and no program, want one (or remove its row)", s.file)
		}
	}
}
