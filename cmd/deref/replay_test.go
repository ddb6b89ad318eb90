package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch/fetchtest/lab"
)

// A rerun is a request that is recorded and replayed. %s in its line stands for the server's address.
type rerun struct {
	server string // a server of package lab; "" if the row names its own
	line   string // the command line
}

// briefSilence ends the first screens of our servers early: they send a screen in one piece.
const briefSilence = " --set telnet.idle=0.1 --set rlogin.idle=0.1 --set tn3270.idle=0.1 "

// TestReplay dereferences documents with --record and again with --replay, which contacts no server. The document, its metadata, its
// entries and the exit status must be the same, for every scheme and for every real server that is installed.
func TestReplay(t *testing.T) {
	t.Parallel()
	list, sights, stop := startServers(t)
	t.Cleanup(stop)
	var rows []rerun
	for _, s := range sights {
		rows = append(rows, rerun{line: "--tofu" + briefSilence + s.URI})
	}
	for _, r := range list {
		if r.Scheme != "smtp" {
			for _, path := range r.Samples() {
				rows = append(rows, rerun{line: "--tofu" + briefSilence + r.URL + path})
			}
		}
	}
	for _, m := range testservers.MailExamples() {
		line := "--mail " + testservers.URLOf(list, "imap") + " " + m.URI
		if m.Base != "" {
			line = "--base " + m.Base + " " + line
		}
		rows = append(rows, rerun{line: line})
	}
	rows = append(rows, reruns()...)
	echo := echoServer(t)
	for _, word := range []string{"plain", "Passw0rd:peculiar", "200", "***", "a***b", "x"} {
		rows = append(rows, rerun{line: "-u ann:" + word + " " + echo + "/" + word})
	}
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.server+r.line] {
			continue
		}
		seen[r.server+r.line] = true
		t.Run(strings.ReplaceAll(r.server+" "+r.line, "/", "|"), func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(r.line)
			if r.server != "" {
				addr := lab.Server(t, r.server)
				for i := range words {
					words[i] = strings.NewReplacer("%ca", filepath.Join(lab.Dir(t), "state/content/tls/ca.pem"), "%s", addr, "%+1", nextPort(t, addr, 1),
						"%+2", nextPort(t, addr, 2)).Replace(words[i])
				}
			}
			checkReplay(t, words)
			if testing.Short() {
				return
			}
			checkReplay(t, append([]string{"--json"}, words...))
			checkReplay(t, append([]string{"--format", "json"}, words...))
			out, _, _ := invoked(t, input{}, append([]string{"--json"}, words...)...)
			views := []string(nil) // views of entries
			switch {
			case strings.Contains(out, `"type":"application/jsonl"`):
				views = []string{"text", "html", "json"}
			case strings.Contains(r.line, "dict:"), strings.Contains(r.line, "tn3270:"):
				views = []string{"text", "html"}
			}
			for _, view := range views {
				checkArchive(t, append([]string{"--format", view}, words...))
			}
		})
	}
}

// reruns returns documents of the real servers, and requests that they refuse.
func reruns() []rerun {
	return []rerun{
		{"vsftpd", "ftp://%s/pub/README.txt"}, {"vsftpd", "ftp://%s/pub/"}, {"vsftpd", "ftp://%s/pub/nonesuch"},
		{"vsftpd", "--ssl-reqd --cacert %ca ftp://%s/pub/lf.txt"},
		{"proftpd", "--ssl-reqd --cacert %ca ftp://alice:secret@%s/home.txt"}, {"proftpd", "ftp://%s/pub/"},
		{"proftpds", "--cacert %ca ftps://%s/pub/README.txt"},
		{"pureftpd", "--ssl-reqd --cacert %ca ftp://alice:secret@%s/home.txt"}, {"pureftpd", "ftp://%s/pub/deep/"},
		{"pureftpd", "ftp://%s/pub/big.txt;type=a"},
		{"nginx", "http://%s/README.txt"}, {"nginx", "http://%s/html/"}, {"nginx", "http://%s/nonesuch"}, {"nginx", "http://%s/redir/302"},
		{"nginx", "http://%s/redir/ftp"},
		{"nginx", "-u lab:secret http://%s/auth/secret.txt"}, {"nginx", "-u lab:behind http://%s/auth/secret.txt"},
		{"nginx", "--cacert %ca https://%+1/README.txt"},
		{"nginx", "--cacert %ca --http1.1 https://%+1/html/"}, {"nginx", "--http2 http://%+2/README.txt"},
		{"nginx", "--http2 http://%+2/big.txt"}, {"nginx", "--http2 --cacert %ca -u lab:secret https://%+1/auth/secret.txt"},
		{"nginx", "--compressed http://%s/html/"}, {"nginx", "-r 3-9 http://%s/README.txt"},
		{"gophernicus", "gopher://%s/0/README.txt"}, {"gophernicus", "gopher://%s/1/menu"}, {"gophernicus", "gopher://%s/1/nonesuch/"},
		{"gophernicus", "--cacert %ca gophers://%+1/0/lf.txt"},
		{"pygopherd", "gopher://%s/0/README.txt"}, {"pygopherd", "gopher://%s/1/menu"}, {"pygopherd", "gopher://%s/0/nonesuch"},
		{"inn", "news://%s/lab.one"}, {"inn", "news://%s/lab.one/1"}, {"inn", "news://%s/*"}, {"inn", "news://%s/nonesuch@lab.test"},
		{"inn", "--cacert %ca snews://%+1/lab.one/1"},
		{"inn", "--cacert %ca -u alice:secret snews://%+1/lab.private"}, {"leafnode", "news://%s/lab.one"}, {"leafnode", "news://%s/*"},
		{"dovecot", "--cacert %ca imaps://alice:secret@%+1/"}, {"dovecot", "--cacert %ca imaps://alice:secret@%+1/INBOX"},
		{"dovecot", "--cacert %ca imap://alice:secret@%s/INBOX/;UID=1"},
		{"dovecot", "--cacert %ca imaps://alice;AUTH=PLAIN:secret@%+1/INBOX/;UID=2"},
		{"dovecot", "--cacert %ca imaps://alice:secret@%+1/INBOX?SUBJECT%20alice"},
		{"dovecot", "--cacert %ca imaps://bob%20smith%40lab.test:p%40ss%3Aw%2Frd@%+1/INBOX"},
		{"dovecot", "--cacert %ca --mail imaps://alice:secret@%+1 mailto:alice@lab.test"},
		{"dovecot", "--cacert %ca --mail imaps://alice:secret@%+1 mid:twice@lab.test"},
		{"dovecot", "--cacert %ca imaps://alice:secret@%+1/Entw%C3%BCrfe"},
		{"slapd", "ldap://%s/c=CH??sub"}, {"slapd", "--cacert %ca ldaps://%+1/dc=lab,dc=test??sub"}, {"slapd", "ldap://%s/cn=none,c=CH"},
		{"slapd", "--cacert %ca ldaps://%+1/c=CH??sub??bindname=cn=none%2Cc=CH"},
		{"snmpd", "snmp://public@%s//1.3.6.1.2.1.1.*"}, {"snmpd", "snmp://%s//1.3.6.1.2.1.1.1.0"},
		{"snmpd", "snmp://secretc@%s//1.3.6.1.2.1.1.1.0"}, {"snmpd", "snmp://public@%s//1.3.6.1.2.1.99.1.0"},
		{"snmpd", "--set snmp.version=1 snmp://secretc@%s//1.3.6.1.2.1.1.*"}, {"snmpd", "--set snmp.rows=yes snmp://public@%s//ifTable.*"},
		{"snmpd", "--set snmp.version=3 --set snmp.priv-password=labprivpass snmp://labuser:labpassword@%s//1.3.6.1.2.1.1.*"},
		{"snmpd", "--set snmp.version=3 snmp://labuser@%s//1.3.6.1.2.1.1.1.0"},
		{"snmpd", "--set snmp.version=3 snmp://labuser:wrongpassword@%s//1.3.6.1.2.1.1.1.0"},
		{"whois", "whois://%s/lab.test"}, {"whois", "whois://%s/nonesuch"}, {"finger", "finger://%s/alice"}, {"finger", "finger://%s/"},
		{"dictd", "dict://%s/d:lab:laba"}, {"dictd", "dict://%s/"}, {"dictd", "dict://%s/m:la:*:prefix"},
		{"telnetd", "telnet://%s/"}, {"rlogind", "rlogin://labguest@%s/"}, {"hercules", "tn3270://%s/"},
	}
}

// nextPort is addr with a port n higher.
func nextPort(t *testing.T, addr string, n int) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	p := 0
	fmt.Sscan(port, &p)
	return net.JoinHostPort(host, fmt.Sprint(p+n))
}

// echoServer starts a server that accepts any password and echoes it in a header field, and in documents except those about the lab.
func echoServer(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, ok := r.BasicAuth()
		if !ok || password == "refused" {
			w.Header().Set("WWW-Authenticate", `Basic realm="lab"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("X-Said", user+":"+password)
		switch r.URL.Path {
		case "/page.html":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<html><a href="/lab">This is the lab.</a></html>`)
		case "/lab":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintln(w, "This is the lab.")
		default:
			fmt.Fprintf(w, "The password is %s, %s, and %s again.\n", password, strings.Repeat(password, 3), strings.ToUpper(password))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A login that the server refused is also refused when the request is answered from the archive.
func TestArchiveOfARefusedLogin(t *testing.T) {
	echo := echoServer(t)
	checkArchive(t, []string{"-u", "ann:refused", echo + "/"})
	checkArchive(t, []string{echo + "/"})
}

// checkReplay compares a command line run with --record and with --replay.
func checkReplay(t *testing.T, words []string) {
	t.Helper()
	dir := t.TempDir()
	record := filepath.Join(dir, "talk")
	out, errs, code := invoked(t, input{home: dir}, append([]string{"--record", record}, words...)...)
	again, errsAgain, codeAgain := invoked(t, input{home: dir}, append([]string{"--replay", record}, words...)...)
	if code != codeAgain {
		t.Errorf("%q: got exit status %d with --replay, want %d\n%s\n%s", words, codeAgain, code, errs, errsAgain)
	}
	same := out == again
	if words[0] == "--json" {
		same = reflect.DeepEqual(known(t, out), known(t, again))
	}
	if !same {
		t.Errorf("%q: with --replay got\n%s\nwant\n%s\n%s", words, firstBytes(again), firstBytes(out), errsAgain)
	}
}

// checkArchive writes a document to an archive while printing a view of it, and prints the same view from the archive.
func checkArchive(t *testing.T, words []string) {
	t.Helper()
	dir := t.TempDir()
	archive := filepath.Join(dir, "a.warc")
	out, errs, code := invoked(t, input{home: dir}, append([]string{"--warc", archive}, words...)...)
	again, errsAgain, codeAgain := invoked(t, input{home: dir}, append([]string{"--from-warc", archive}, withoutNetwork(words)...)...)
	if code != codeAgain || out != again {
		t.Errorf("%q: with --from-warc got exit status %d and\n%s\n%s\nwant %d and\n%s\n%s",
			words, codeAgain, firstBytes(again), errsAgain, code, firstBytes(out), errs)
	}
}

// withoutNetwork returns a command line without the flags that concern connections.
func withoutNetwork(words []string) (list []string) {
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "--cacert":
			i++
		case "--tofu", "--ssl-reqd":
		default:
			list = append(list, words[i])
		}
	}
	return list
}

// known parses an object of --json, and removes what differs between runs, or is not known without a network.
func known(t *testing.T, object string) map[string]any {
	t.Helper()
	m := map[string]any{}
	if err := json.Unmarshal([]byte(object), &m); err != nil {
		t.Errorf("got %s (%v), want a JSON object", object, err)
	}
	for _, name := range []string{"time", "times", "remote", "local"} {
		delete(m, name)
	}
	return m
}

func firstBytes(s string) string { return s[:min(len(s), 400)] }
