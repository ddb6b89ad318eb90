package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// passwords must not appear in any text. One consists of letters; the other is changed by encodings.
var passwords = [...]string{"Tr0ub4dorAndThree", `oPen "SeS\ämE/@%+`}

// guises returns the forms in which a password of user ann could appear.
func guises(password string) []string {
	quoted := strconv.Quote(password)
	inJSON, _ := json.Marshal(password)
	list := []string{password, quoted[1 : len(quoted)-1], string(inJSON[1 : len(inJSON)-1]), url.QueryEscape(password),
		url.PathEscape(password), hex.EncodeToString([]byte(password)),
		strings.ToUpper(hex.EncodeToString([]byte(password)))}
	for _, plain := range []string{password, "ann:" + password, "\x00ann\x00" + password, "ann\x00ann\x00" + password} {
		list = append(list, base64.StdEncoding.EncodeToString([]byte(plain)), base64.URLEncoding.EncodeToString([]byte(plain)))
	}
	return list
}

// telling returns the ways in which a request can get a secret.
func telling(s fetch.Scheme, c *fetch.Client, u uri.URI, password string) map[string]func() (uri.URI, *fetch.Options) {
	login := fetch.Login{User: "ann", Password: password, Set: true}
	bare := u.WithoutUserinfo().String()
	with := func(info string) uri.URI { return uri.MustParse(strings.Replace(bare, "://", "://"+info+"@", 1)) }
	ways := map[string]func() (uri.URI, *fetch.Options){
		"the URI":     func() (uri.URI, *fetch.Options) { return with("ann:" + url.PathEscape(password)), nil },
		"the options": func() (uri.URI, *fetch.Options) { return uri.MustParse(bare), &fetch.Options{Login: login} },
		"netrc": func() (uri.URI, *fetch.Options) {
			c.Logins = func(context.Context, fetch.LoginRequest) (fetch.Login, error) { return login, nil }
			return with("ann"), nil
		},
	}
	for _, set := range s.Settings {
		if set.Secret && set.Values == "" {
			value := password
			if strings.HasSuffix(set.Key, ".header") || strings.HasSuffix(set.Key, ".credential") {
				value = "Authorization: " + password
			}
			ways[set.Key] = func() (uri.URI, *fetch.Options) {
				return u, &fetch.Options{Login: login, Set: map[string][]string{set.Key: {value}}}
			}
		}
	}
	return ways
}

// No secret appears in an error or its causes, a trace, a recording, a Plan or an archive, whatever its source, even if the server echoes
// it at any point of the conversation (promise 7). Documents are never changed: traces and archives contain a document that repeats a
// secret verbatim, in events that are marked as document, and the Client reports it through Repeated.
func TestPromise7EverySchemeKeepsSecrets(t *testing.T) {
	long(t, "many commands or processes")
	everySchemeAtOnce(t, maxAttempts, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, _ []byte, try func(func())) {
		if u.Scheme() == "data" || u.Scheme() == "file" {
			t.Skip("no server is contacted")
		}
		total, dir, n := wholeOf(t, newClient, u), t.TempDir(), 0
		for _, password := range passwords {
			c := newClient()
			s, _ := c.Schemes.Lookup(u.Scheme())
			for way := range telling(s, c, u, password) {
				for _, at := range append(points(total, 12), 1<<62) {
					n++
					archive := filepath.Join(dir, strconv.Itoa(n)+".warc")
					try(func() {
						c := newClient()
						defer c.Close()
						told, o := telling(s, c, u, password)[way]()
						if text := conversation(t, c, told, o, at, password, archive); text != "" {
							checkGuises(t, fmt.Sprintf("%s, %s, %d bytes", u.Scheme(), way, at), text, password)
						}
					})
				}
			}
		}
	})
}

// checkGuises reports an error if text contains a form of the password.
func checkGuises(t *testing.T, where, text, password string) {
	t.Helper()
	for _, g := range guises(password) {
		if i := strings.Index(text, g); i >= 0 {
			t.Errorf("%s: got %q, want it without %q", where, text[max(0, i-100):min(len(text), i+len(g)+60)], g)
			return
		}
	}
}

// conversation returns every text about a request that a user can see, if the server echoes from a point on. It makes the archive.
func conversation(t *testing.T, c *fetch.Client, u uri.URI, o *fetch.Options, at int64, password, archive string) string {
	var text bytes.Buffer
	var mu sync.Mutex
	if o == nil {
		o = &fetch.Options{}
	}
	c.Timeouts = brief()
	p, err := c.Plan(u, o)
	fmt.Fprintln(&text, c.Schemes.Redact(u), err)
	if err == nil {
		b, _ := p.MarshalJSON()
		text.Write(b)
	}
	var recorded bytes.Buffer
	rec := dialogue.NewRecorder(&recorded)
	var documents bytes.Buffer // the data of all document events
	repeated := 0
	c.Repeated = func(uri.URI) { mu.Lock(); repeated++; mu.Unlock() }
	streams := map[string]*bytes.Buffer{}
	o.Trace = func(e fetch.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Body {
			documents.Write(e.Data)
			return
		}
		rec.Trace(e)
		fmt.Fprintln(&text, e.Note)
		if e.Step != nil {
			fmt.Fprintf(&text, "%+v\n", *e.Step)
		}
		key := fmt.Sprint(e.Conn, e.Dir)
		if streams[key] == nil {
			streams[key] = new(bytes.Buffer)
		}
		streams[key].Write(e.Data)
	}
	w, err := warc.Create(archive, nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	c.Recorder = warc.NewRecorder(w)
	meddle(c, at, echoes)
	d, err := c.Get(t.Context(), u, o)
	if d != nil {
		_, rerr := io.Copy(io.Discard, d.Body)
		d.Body.Close()
		err = errors.Join(err, rerr)
		fmt.Fprintf(&text, "%s %s %v %+v\n", d.URI.String(), d.Base.String(), d.Referrals, d.Header)
	}
	causes(&text, err)
	w.Close()
	rec.Flush()
	mu.Lock()
	defer mu.Unlock()
	text.Write(recorded.Bytes())
	for _, s := range streams {
		text.Write(s.Bytes())
		text.WriteByte('\n')
	}
	repeats := slices.ContainsFunc(guises(password), func(g string) bool { return strings.Contains(documents.String(), g) })
	if repeats && repeated != 1 {
		t.Errorf("%s: a document repeats a password, and the Client is told %d times, want 1", u, repeated)
	}
	if b, err := os.ReadFile(archive); err == nil && repeated == 0 {
		text.WriteString("archive: ")
		text.Write(b)
	}
	return text.String()
}

// causes writes err, its hint and every error that it wraps.
func causes(w io.Writer, err error) {
	if err == nil {
		return
	}
	fmt.Fprintf(w, "%v %+v\n", err, err)
	if fe, ok := err.(*fetch.Error); ok {
		fmt.Fprintln(w, fe.Hint)
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		causes(w, x.Unwrap())
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			causes(w, e)
		}
	}
}

// The command does not reveal the password either, on standard output or error or in the files that it writes, whichever flag or file the
// password came from (promise 7).
func TestPromise7CommandKeepsSecrets(t *testing.T) {
	long(t, "many commands or processes")
	const password = "Tr0ub4dorAndThree"
	outputs := [][]string{{"-v", "--json", "-O"}, {"-v", "-i"}}
	everySchemeAtOnce(t, 9, func(t *testing.T, _ func() *fetch.Client, u uri.URI, _ []byte, try func(func())) {
		if u.Scheme() == "data" || u.Scheme() == "file" {
			t.Skip("no server is contacted")
		}
		_, rest, _ := strings.Cut(u.WithoutUserinfo().String(), "://")
		netrc := filepath.Join(t.TempDir(), "netrc")
		os.WriteFile(netrc, []byte("machine 127.0.0.1 login ann password "+password+"\n"), 0o600)
		for way, args := range map[string][]string{
			"URI":   {u.Scheme() + "://ann:" + password + "@" + rest},
			"-u":    {"-u", "ann:" + password, u.Scheme() + "://" + rest},
			"netrc": {"-n", "--netrc-file", netrc, u.Scheme() + "://" + rest},
		} {
			for _, more := range outputs {
				try(func() {
					dir := t.TempDir()
					trace, record, archive := filepath.Join(dir, "trace"), filepath.Join(dir, "record"), filepath.Join(dir, "a.warc")
					flags := append(strings.Fields(briefSilence), "--tofu", "-m", "3", "--trace", trace, "--record", record, "--warc", archive)
					if slices.Contains(more, "-O") {
						flags = append(flags, "--output-dir", dir)
					}
					out, errs, _ := invoked(t, input{home: dir}, slices.Concat(flags, more, args)...)
					checkGuises(t, fmt.Sprint(u, " ", way, more), out+errs, password)
					for _, name := range []string{trace, record, archive} {
						b, err := os.ReadFile(name)
						nothing := name == archive && strings.Contains(errs, "deref: refused-url") // was recorded, so there is no archive
						if (err != nil) != nothing {
							t.Errorf("%s %s %v: got %v, want a file %s\n%s", u, way, more, err, name, errs)
						}
						checkGuises(t, fmt.Sprint(u, " ", way, more, " ", name), string(b), password)
					}
				})
			}
			try(func() {
				out, errs, _ := invoked(t, input{}, append([]string{"explain", "--json"}, args...)...)
				checkGuises(t, "explain "+way, out+errs, password)
			})
		}
	})
}
