package promises_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Handlers write to connections with Conn.Send and its variants, which check and trace the lines. These places do not write lines.
var writesItself = map[string]string{
	"ldap/guard.go":        "messages of the library, each looked at",
	"ldap/tls.go":          "one message of ours, through the guard",
	"mail/imap_guard.go":   "commands of the library, each looked at",
	"mail/smtp_session.go": "the message of DATA",
	"rlogin/attach.go":     "what is typed, and sizes in binary",
	"telnet/attach.go":     "what is typed",
	"http/h2collect.go":    "the frames of h2guard.go, several in one piece",
	"http/h2guard.go":      "frames of net/http, which checks every field",
	"tn3270/host.go":       "3270 records",
	"internal/nvt/host.go": "telnet's answers",
	"urn/resolver.go":      "a DNS message",
}

// No handler writes to a connection without Conn.Send, SendAs or SendBody, except for the places above.
func TestPromise3NobodyWritesPastTheCheck(t *testing.T) {
	t.Parallel()
	direct := regexp.MustCompile(`(?i)\b(\w+\.)*(c|conn|g|guard|s\.guard|sock|out)\.(Write|WriteString)\(|Fprintf?(ln)?\((\w+\.)*(c|conn)\b|io\.WriteString\((\w+\.)*(c|conn)\b|\.Unchecked\(\)|io\.Copy(N|Buffer)?\((\w+\.)*(c|conn),`)
	found := map[string]bool{}
	all := os.DirFS("..")
	err := fs.WalkDir(all, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			strings.HasSuffix(path.Dir(name), "test") {
			return err
		}
		b, err := fs.ReadFile(all, name)
		if err != nil || !strings.Contains(string(b), "deref/fetch") {
			return err
		}
		for n, line := range strings.Split(string(b), "\n") {
			code, _, _ := strings.Cut(line, "// ")
			if !direct.MatchString(code) || strings.Contains(code, "t.Out") || toBuffer.MatchString(code) {
				continue
			}
			if found[name] = true; writesItself[name] == "" {
				t.Errorf("%s:%d writes to a connection past Conn.Send: %s", name, n+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range writesItself {
		if !found[name] {
			t.Errorf("%s is listed, and does not write to a connection any more", name)
		}
	}
}

// toBuffer lists writes into memory that look like writes to a connection.
var toBuffer = regexp.MustCompile(`s\.out\.Write(String)?\(`)
