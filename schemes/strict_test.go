package schemes_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/uri"
)

// TestStrict plays the dialogues of testdata/strict. Strict mode reports each deviation once, in the options' function and in the trace, and
// changes nothing else. The bubble has the effect that a dialogue that does not fit fails at once, and that a loaded machine delays nothing.
func TestStrict(t *testing.T) {
	transcripts(t, "testdata/strict/*.txt", func(t *testing.T, p transcript) {
		begin := time.Now()
		plain, _, _ := p.play(t, false)
		between := time.Now()
		got, list, noted := p.play(t, true)
		if took, want := time.Since(between), between.Sub(begin); took != want {
			t.Errorf("strict mode takes %v, want %v as without it", took, want)
		}
		if got != plain {
			t.Errorf("got %s, want the same as without strict mode: %s", got, plain)
		}
		slices.Sort(p.deviations)
		if !slices.Equal(list, p.deviations) {
			t.Errorf("got the deviations\n\t%s\nwant\n\t%s\nThe result is %s", strings.Join(list, "\n\t"), strings.Join(p.deviations, "\n\t"), got)
		}
		if !slices.Equal(noted, list) {
			t.Errorf("the trace has %q, want %q", noted, list)
		}
	})
}

// play returns the result, and the deviations that were reported to Options.Strict and to Options.Trace.
func (p transcript) play(t *testing.T, strict bool) (result string, list, noted []string) {
	t.Helper()
	player, err := dialogue.NewPlayer(p.script, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t)
	player.Attach(c)
	u, o := uri.MustParse(p.uri), p.options
	o.Trace = func(e fetch.Event) {
		if e.Deviation != nil {
			noted = append(noted, e.Deviation.String())
			if want := "deviation: " + e.Deviation.String(); e.Note != want {
				t.Errorf("got the note %q, want %q", e.Note, want)
			}
		}
	}
	if strict {
		o.Strict = func(d fetch.Deviation) {
			list = append(list, d.String())
			if want := u.WithoutPassword(); d.URI != want {
				t.Errorf("got the URI %s, want %s", d.URI, want)
			}
		}
	}
	var d *fetch.Document
	if u.Scheme() == "mailto" {
		_, err = c.Send(t.Context(), u, nil, &o)
	} else {
		d, err = c.Get(t.Context(), u, &o)
	}
	var text string
	if d != nil && err == nil {
		text, err = readStrict(d)
		d.Body.Close()
	}
	c.Close()
	player.Close()
	slices.Sort(list) // the order depends on how much is read at a time
	slices.Sort(noted)
	return fmt.Sprint(text, " ", err), list, noted
}

// readStrict reads d as a listing if it is one, and as bytes otherwise.
func readStrict(d *fetch.Document) (string, error) {
	if d.Entries == nil {
		b, err := io.ReadAll(d.Body)
		return string(b), err
	}
	var text string
	for e, err := range d.Entries {
		if err != nil {
			return text, err
		}
		text += e.Title + " " + e.URI.String() + "\n"
	}
	return text, nil
}

// A quirk is a QUIRK comment: something that the code does because of a server, a library or a system. Either a dialogue of testdata/strict shows
// that strict mode reports it, or there is a reason why it is not a deviation of the server that was accepted.
type quirk struct{ file, text, dialogue, reason string }

const (
	noFormat  = "RFC 959 section 4.1.3 leaves the format of LIST to the server"
	refused   = "the server refuses, which is the result; nothing is accepted"
	ofLibrary = "it is about the library"
	freeText  = "the text is for people: the specification has no form for it"
)

func quirks() []quirk {
	return []quirk{
		{"dict/document.go", "dictd 1.13.0 doubles the dot", "dict", ""},
		{"file/run.go", "files of /proc", "", "there is no server"},
		{"finger/finger.go", "finger 0.17", "", freeText},
		{"ftp/body.go", "proftpd sends 226 only after", "", "RFC 959 section 5.2 has 226 after the close of the data connection"},
		{"ftp/control.go", "pure-ftpd takes 3 to 11 s", "", "there is no rule about the time"},
		{"ftp/control.go", "proftpd 1.3.8 answers a RETR", "", "there is no rule about the time"},
		{"ftp/document.go", "vsftpd sends an empty file", "ftp-after-the-end", ""},
		{"ftp/document.go", "some servers refuse to list", "ftp-empty-directory", ""},
		{"ftp/document.go", "pure-ftpd's \"Can't check", "", freeText},
		{"ftp/listing/dates.go", "some servers write", "", noFormat},
		{"ftp/listing/dates.go", "with full stops", "", noFormat},
		{"ftp/listing/dos.go", "DD-MM-YY", "", noFormat},
		{"ftp/listing/listing.go", "a server that converts twice", "ftp-lines-of-mlsd", ""},
		{"ftp/listing/mlsx.go", "a tab in place", "ftp-lines-of-mlsd", ""},
		{"ftp/hash.go", "proftpd 1.3.8 with mod_digest", "", "no specification has XSHA256"},
		{"ftp/listing/rare.go", "the same without a heading", "", noFormat},
		{"ftp/listing/unix.go", "some NetWare servers", "", noFormat},
		{"ftp/listing/unix.go", "HylaFAX omits", "", noFormat},
		{"ftp/listing/vms.go", "without a version", "", noFormat},
		{"ftp/plan.go", "proftpd 1.3.8 with", "", "the server has announced UTF8 in FEAT, and OPTS UTF8 is of a draft"},
		{"ftp/refusal.go", "vsftpd sends 522", "", refused},
		{"ftp/refusal.go", "proftpd answers LIST", "", "RFC 959 section 5.4 has 450 for LIST"},
		{"ftp/refusal.go", "proftpd 1.3 sends", "ftp-too-many-users", ""},
		{"ftp/refusal.go", "vsftpd sends \"226", "ftp-lines-of-list", ""},
		{"ftp/session.go", "pure-ftpd lets anonymous", "", "RFC 959 section 5.4 has 230 for USER and for PASS"},
		{"gopher/failure.go", "gophernicus 3.1.1 has items", "gopher-error", ""},
		{"http/coding.go", "some servers send", "http-the-coding-none", ""},
		{"http/coding.go", "servers send an empty body", "http-empty-body-with-a-coding", ""},
		{"http/coding.go", "deflate means", "http-raw-deflate", ""},
		{"http/document.go", "RFC 9110 section 13.1.3 lets", "", "RFC 9110 section 13.1.3 allows it"},
		{"http/h2order.go", "net/http keeps fields", "", ofLibrary},
		{"http/quota.go", "GitHub and others", "", "no specification has X-RateLimit-Reset"},
		{"internal/nvt/stream.go", "RFC 855 allows only", "telnet", ""},
		{"mail/address.go", "it accepts names with", "", "the address is the user's"},
		{"mail/imap_fetch.go", "the library's literal", "", ofLibrary},
		{"mail/imap_guard.go", "the library ends", "", ofLibrary},
		{"mail/imap_guard.go", "the library rejects keywords", "imap-keyword", ""},
		{"mail/imap_guard.go", "go-imap would otherwise", "", ofLibrary},
		{"mail/imap_guard.go", "the library keeps the numbers", "", ofLibrary},
		{"mail/imap_guard.go", "the library writes", "", ofLibrary},
		{"mail/imap_plan.go", "not ENVELOPE", "", "what servers write wrongly is not requested"},
		{"mail/imap_session.go", "after an error", "", ofLibrary},
		{"news/groups.go", "leafnode sends", "", freeText},
		{"news/numbers.go", "leafnode 1.12 supports", "news-range-of-listgroup", ""},
		{"news/numbers.go", "leafnode 1.12 answers HDR", "news-hdr", ""},
		{"news/numbers.go", "leafnode answers 430", "news-range-of-listgroup", ""},
		{"news/opening.go", "some servers require", "news-login-first", ""},
		{"news/overview.go", "leafnode shows", "", "a server may have articles of its own"},
		{"news/reply.go", "providers limit", "", refused},
		{"news/session.go", "INN's innd", "", "RFC 3977 section 5.3 lets a server change its mode, and forbids pipelining MODE READER"},
		{"news/since.go", "INN 2.7.1", "", refused},
		{"prospero/exchange.go", "packets that dirsrv", "prospero", ""},
		{"prospero/method.go", "dirsrv calls", "", "the name is right on the server's machine"},
		{"prospero/plan.go", "dirsrv PreAlpha.5.3", "", "the request avoids it"},
		{"rlogin/rlogin.go", "in RFC 1282", "", "it is about what the client sends"},
		{"rlogin/run.go", "rsh-redone", "", refused},
		{"snmp/agent.go", "accept a version 1", "snmp-version-1", ""},
		{"snmp/snmp.go", "if the path", "", "it is about the URI"},
		{"wais/internal/z3950/response.go", "Status is 1", "", "the field is not used"},
		{"wais/plan.go", "freeWAIS-sf 2.2.10 indexes", "", "Z39.50-1988 has no character set"},
		{"wais/plan.go", "servers cut", "", "the request avoids it"},
		{"wais/run.go", "freeWAIS-sf 2.2.10 responds", "", "help is not part of Z39.50-1988"},
		{"whois/entries.go", "ROADS' wppd", "", "RFC 1835 section 2.4.3.5 has both spellings"},
		{"whois/entries.go", "the servers at KTH", "whoispp-next-servers", ""},
		{"whois/run.go", "% and #", "", "RFC 3912 has no format"},
	}
}

// TestEveryQuirk: each QUIRK comment is in the table above, and each entry of the table is about a comment. Test servers imitate the quirks of
// others; tests show them.
func TestEveryQuirk(t *testing.T) {
	found := comments(t)
	for _, q := range quirks() {
		i := slices.IndexFunc(found, func(c quirk) bool { return c.file == q.file && strings.HasPrefix(c.text, q.text) })
		switch {
		case i < 0:
			t.Errorf("%s: no comment QUIRK: %s", q.file, q.text)
		case (q.dialogue == "") == (q.reason == ""):
			t.Errorf("%s: QUIRK: %s: got the dialogue %q and the reason %q, want one of them", q.file, q.text, q.dialogue, q.reason)
		case q.dialogue != "":
			if _, err := os.Stat("testdata/strict/" + q.dialogue + ".txt"); err != nil {
				t.Errorf("%s: QUIRK: %s: %v", q.file, q.text, err)
			}
		}
		if i >= 0 {
			found = slices.Delete(found, i, i+1)
		}
	}
	for _, c := range found {
		t.Errorf("%s: QUIRK: %s: not in the table: does strict mode report it?", c.file, c.text)
	}
}

// comments returns the QUIRK comments of the handlers.
func comments(t *testing.T) (list []quirk) {
	t.Helper()
	mark := regexp.MustCompile(`(?m)//.*?QUIRK: (.*)$`)
	all := os.DirFS(".")
	err := fs.WalkDir(all, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasSuffix(path, "test"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(all, path)
		for _, m := range mark.FindAllStringSubmatch(string(text), -1) {
			list = append(list, quirk{file: path, text: m[1]})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
