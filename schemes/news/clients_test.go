package news_test

import (
	"bytes"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/testdata"
)

// nntplibScript uses all commands of nntplib. Its arguments are host and port.
const nntplibScript = `
import sys
try:
    import nntplib
except ImportError:
    print("no nntplib"); sys.exit()
import datetime, io
s = nntplib.NNTP(sys.argv[1], int(sys.argv[2]), user="ann", password="pw", readermode=True)
print(s.nntp_version, s.nntp_implementation, sorted(s.getcapabilities()))
r, now = s.date()
print(abs(now - datetime.datetime.utcnow()) < datetime.timedelta(minutes=5))
print("NEXT" in s.help()[1])
r, count, first, last, name = s.group("comp.infosystems.www")
print(count, first, last)
print(s.next()[1:], s.next()[1:], s.last()[1:], s.stat()[1:])
r, over = s.over((first, last))
print([(n, o["subject"], o[":lines"]) for n, o in over])
print(s.over("<dots.1@site.example>")[1][0][0])
print(s.xhdr("subject", "1-2")[1])
r, info = s.article("<dots.1@site.example>")
print(info.lines[-3:])
print(s.head(1)[1].number, s.body(1)[1].lines[0])
print(s.post(io.BytesIO(b"From: a@b\r\nNewsgroups: lab.empty\r\nSubject: x\r\n\r\n.dot\r\n")))
print(s.group("lab.empty")[1:])
print(s.descriptions("lab.d*")[1])
since = datetime.datetime(1994, 12, 21)
print(s.newnews("comp.*", since)[1])
print([g.group for g in s.newgroups(datetime.datetime(1990, 1, 1))[1]], s.newgroups(since)[1])
print([(g.group, g.first, g.last, g.flag) for g in s.list("lab.*")[1]])
print(s.quit())
`

const nntplibOutput = `2 newstest ['HDR', 'IMPLEMENTATION', 'LIST', 'NEWNEWS', 'OVER', 'POST', 'READER', 'VERSION']
True
True
3 1 4
(2, '<second.2@site.example>') (4, '<fourth.4@site.example>') (2, '<second.2@site.example>') (2, '<second.2@site.example>')
[(1, 'Names for everything', '2'), (2, 'Re: Names for everything', '4'), (4, 'Numbers have holes', '1')]
0
[('1', 'Names for everything'), ('2', 'Re: Names for everything')]
[b'.', b'One lone dot stands above, two stand below.', b'..']
1 b'How should a page name an article of this group? Its number here is of no'
240 Article received
(1, 1, 1, 'lab.empty')
{'lab.dots': 'Lines that begin with a dot'}
['<fourth.4@site.example>']
['comp.infosystems.www', 'lab.dots'] []
[('lab.dots', '0000000001', '0000000002', 'y'), ('lab.empty', '0000000001', '0000000001', 'y')]
205 Goodbye
`

// TestNntplib runs the news client of Python before 3.13.
func TestNntplib(t *testing.T) {
	s := server(t, &newstest.Options{Posting: true, Users: map[string]string{"ann": "pw"}, Private: "lab.dots"})
	host, port, _ := net.SplitHostPort(s.Addr)
	cmd := lab.Client(t, "python3", "-I", "-W", "ignore", "-c", nntplibScript, host, port)
	out, err := cmd.CombinedOutput()
	if strings.HasPrefix(string(out), "no nntplib") {
		t.Skip("this python has no nntplib")
	}
	if err != nil || string(out) != nntplibOutput {
		t.Errorf("%v\n%s\nwant\n%s", err, out, nntplibOutput)
	}
}

// TestSlrnpull fetches a group into a spool.
func TestSlrnpull(t *testing.T) {
	s := server(t, nil)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "slrnpull.conf"), []byte("default 0 0\ncomp.infosystems.www\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := lab.Run(t, "slrnpull", "-h", s.Addr, "-d", dir); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"1", "2", "4"} {
		got, err := os.ReadFile(filepath.Join(dir, "news/comp/infosystems/www", n))
		want, _ := fs.ReadFile(testdata.Site(), "news/comp.infosystems.www/"+n)
		if !bytes.Equal(got, bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) || err != nil {
			t.Errorf("article %s: %q, %v; want %q", n, got, err, want)
		}
	}
}

// TestSlrn reads a group in a terminal: the list of its articles, and the first of them.
func TestSlrn(t *testing.T) {
	s := server(t, nil)
	dir := t.TempDir()
	rc := filepath.Join(dir, "rc")
	if err := os.WriteFile(rc, []byte("set hostname \"site.example\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(s.Addr)
	cmd := lab.Terminal(t, "slrn", "--create", "-n", "-i", rc, "-f", filepath.Join(dir, "newsrc"), "-h", host, "-p", port)
	out := lab.Talk(t, cmd, "comp.infosystems.www", " ", "Names for everything", " ", "server counts from somewhere else.", "qq",
		"really want to quit?", "y")
	if strings.Contains(out, "support disabled") {
		t.Errorf("got\n%s\nwant a display without \"support disabled\"", out)
	}
	if got := s.Transcript(); !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, "XOVER") }) {
		t.Errorf("got %q, want XOVER in it", got)
	}
}

// TestTin reads a group in a terminal.
func TestTin(t *testing.T) {
	s := server(t, nil)
	host, port, _ := net.SplitHostPort(s.Addr)
	lab.Talk(t, lab.Terminal(t, "rtin", "-g", host, "-p", port, "lab.dots"), "<RETURN>", "\r", "lab.dots", "\r", "Dots", "\r",
		"One lone dot stands above", "Qy")
}

// TestLynx reads a group, an article and the list of groups.
func TestLynx(t *testing.T) {
	s := server(t, nil)
	for _, x := range []struct {
		path  string
		wants []string
	}{
		{"/lab.dots", []string{`"Dots"`, "An identifier with a per cent sign"}},
		{"/dots.1@site.example", []string{"One lone dot stands above, two stand below.", "reader@site.example"}},
		{"/*", []string{"comp.infosystems.www", "The Web, as it was discussed there", "lab.empty"}},
	} {
		out, err := lab.Run(t, "lynx", "-dump", "news://"+s.Addr+x.path)
		for _, want := range x.wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q: %v\n%s", x.path, want, err, out)
			}
		}
	}
}

// TestW3m reads a group and an article.
func TestW3m(t *testing.T) {
	s := server(t, nil)
	for path, want := range map[string]string{"/lab.dots": "1 (12/20) Reader  Dots",
		"/lab.dots/1": "One lone dot stands above, two stand below.\n..\n"} {
		out, err := lab.Run(t, "w3m", "-dump", "nntp://"+s.Addr+path)
		if !strings.Contains(out, want) {
			t.Errorf("%s: no %q: %v\n%s", path, want, err, out)
		}
	}
}
