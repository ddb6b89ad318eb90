package mail_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/mail/mailtest"
)

// messages returns the messages of INBOX as a client stores them: with LF.
func messages(t *testing.T) (list []string) {
	t.Helper()
	for _, name := range []string{"forwarded", "plain", "related"} {
		list = append(list, strings.ReplaceAll(siteMessage(t, name), "\r\n", "\n"))
	}
	return list
}

func inbox(t *testing.T) (s *loopback.Server, host, port string) {
	t.Helper()
	s = serve(t, nil)
	host, port, _ = net.SplitHostPort(s.Addr)
	return s, host, port
}

// config writes the configuration of a client, and returns its name.
func config(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(lab.TempDir(t), "rc")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// stored looks for the bodies of messages in the files of a directory. Their headers are not compared: clients add fields.
func stored(t *testing.T, dir string, messages ...string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != len(messages) {
		t.Fatalf("%d files, want %d; %v", len(files), len(messages), err)
	}
	var got []string
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n\n")
		got = append(got, body)
	}
	for _, m := range messages {
		if _, want, _ := strings.Cut(m, "\n\n"); !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, want) }) {
			t.Errorf("no body %q in %q", want, got)
		}
	}
}

func TestCurlIMAP(t *testing.T) {
	s, _, _ := inbox(t)
	for _, x := range []struct{ path, request, want string }{
		{"/INBOX;UID=2", "", messages(t)[1]},
		{"/INBOX;MAILINDEX=3", "", messages(t)[2]},
		{"/INBOX;UID=2;SECTION=HEADER.FIELDS%20(SUBJECT)", "", "Subject: A message by its identifier\n\n"},
		{"/INBOX?SUBJECT%20identifier", "", "* SEARCH 1 2\n"},
		{"/", "", "* LIST () \"/\" INBOX\n"},
		{"/INBOX", "STATUS INBOX (MESSAGES)", "* STATUS INBOX (MESSAGES 3)\n"},
	} {
		args := []string{"-sS", "-u", mailtest.User + ":" + mailtest.Password, s.URL + x.path}
		if x.request != "" {
			args = append(args, "-X", x.request)
		}
		out, err := lab.Run(t, "curl", args...)
		if got := strings.ReplaceAll(out, "\r\n", "\n"); got != x.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", x.path, got, err, x.want)
		}
	}
}

func TestFetchmail(t *testing.T) {
	_, host, port := inbox(t)
	dir := t.TempDir()
	rc := config(t, "set no bouncemail", "poll "+host+" protocol IMAP port "+port+" user "+mailtest.Plain+" password "+mailtest.PlainPassword+
		" keep fetchall sslproto '' mda 'cat > "+dir+"/$$'")
	if _, err := lab.Run(t, "fetchmail", "-f", rc, "-i", filepath.Join(filepath.Dir(rc), "ids"), "--pidfile",
		filepath.Join(filepath.Dir(rc), "pid")); err != nil {
		t.Error(err)
	}
	stored(t, dir, messages(t)...)
}

func TestMbsync(t *testing.T) {
	_, host, port := inbox(t)
	dir := lab.TempDir(t)
	rc := config(t, "IMAPAccount a", "Host "+host, "Port "+port, "User "+mailtest.Plain, "Pass "+mailtest.PlainPassword, "SSLType None", "AuthMechs LOGIN",
		"",
		"IMAPStore far", "Account a", "", "MaildirStore near", "Path "+dir+"/", "Inbox "+dir+"/INBOX", "",
		"Channel c", "Far :far:", "Near :near:", "Patterns *", "Sync Pull", "Create Near", "SyncState *")
	if _, err := lab.Run(t, "mbsync", "-c", rc, "c"); err != nil {
		t.Fatal(err)
	}
	stored(t, filepath.Join(dir, "INBOX/new"), messages(t)...)
}

func TestMutt(t *testing.T) {
	s, _, _ := inbox(t)
	dir := t.TempDir()
	box := "imap://" + mailtest.Plain + ":" + mailtest.PlainPassword + "@" + s.Addr + "/"
	rc := config(t, "set folder="+box, "set spoolfile="+box+"INBOX", "set ssl_starttls=no", "set ssl_force_tls=no", "set wait_key=no",
		"set mail_check=3600")
	lab.Talk(t, lab.Terminal(t, "mutt", "-n", "-F", rc), "A message by its identifier", "1\r\r", "You found this by mid:",
		"|cat > "+dir+"/1\rqq")
	stored(t, dir, messages(t)[1])
}

// TestSMTPClients sends a message with a line that is a dot, and one to a recipient that is refused.
func TestSMTPClients(t *testing.T) {
	const text = "Subject: hello\n\nA line.\n.\n..two\nThe end.\n"
	for _, x := range []struct {
		name  string
		send  func(t *testing.T, b *mailtest.Outbox, to string) error
		start bool // TLS
	}{
		{"curl", func(t *testing.T, b *mailtest.Outbox, to string) error {
			file := config(t, strings.TrimSuffix(strings.ReplaceAll(text, "\n", "\r\n"), "\n"))
			_, err := lab.Run(t, "curl", "-sS", b.URL, "--mail-from", "ann@site.example", "--mail-rcpt", to, "-T", file)
			return err
		}, false},
		{"swaks", func(t *testing.T, b *mailtest.Outbox, to string) error {
			_, err := lab.Run(t, "swaks", "--server", b.Addr, "--from", "ann@site.example", "--to", to, "--data",
				strings.ReplaceAll(text, "\n", "\\n"))
			return err
		}, false},
		{"swaks with TLS", func(t *testing.T, b *mailtest.Outbox, to string) error {
			_, err := lab.Run(t, "swaks", "--server", b.Addr, "-tls", "--auth", "PLAIN", "--auth-user", mailtest.User, "--auth-password", mailtest.Password,
				"--from", "ann@site.example", "--to", to, "--data", strings.ReplaceAll(text, "\n", "\\n"))
			return err
		}, true},
		{"msmtp", func(t *testing.T, b *mailtest.Outbox, to string) error {
			host, port, _ := net.SplitHostPort(b.Addr)
			cmd := lab.Client(t, "msmtp", "--host="+host, "--port="+port, "--from=ann@site.example", to)
			cmd.Stdin = strings.NewReader(text)
			return cmd.Run()
		}, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			b := outbox(t, &mailtest.Options{StartTLS: x.start, PasswordsTLS: x.start})
			if err := x.send(t, b, "tim@site.example"); err != nil {
				t.Errorf("got %v, want the message accepted\n%s", err, b.Transcript())
			}
			if err := x.send(t, b, "nobody@site.example"); err == nil {
				t.Errorf("the client reports success, want the refusal of the recipient")
			}
			got := b.Messages()
			if len(got) != 1 || got[0].From != "ann@site.example" || !slices.Equal(got[0].To, []string{"tim@site.example"}) ||
				!strings.Contains(got[0].Text, "Subject: hello\r\n") ||
				!strings.Contains(got[0].Text, "\r\n\r\nA line.\r\n.\r\n..two\r\nThe end.\r\n") {
				t.Errorf("got %q, want one message from ann to tim", got)
			}
		})
	}
}
