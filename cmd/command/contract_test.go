package command

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/flags"
	"github.com/spf13/pflag"
)

// TestFlagsAreThoseOfTheContract checks that cmd/cli.md, the page on which scripts and users rely, names exactly the flags and
// commands that exist.
func TestFlagsAreThoseOfTheContract(t *testing.T) {
	text, err := os.ReadFile("../cli.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	long, short := map[string]bool{"help": true}, map[string]bool{"h": true}
	for _, c := range commands() {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		c.flags(fs)
		fs.VisitAll(func(f *pflag.Flag) {
			long[f.Name], short[f.Shorthand] = true, true
			if !f.Hidden && !strings.Contains(page, "--"+f.Name) && (f.Shorthand == "" || !mentions(page, "-"+f.Shorthand)) {
				t.Errorf("cli.md: got no --%s (deref %s), want it documented", f.Name, c.name)
			}
		})
		if c.short != "" && !strings.Contains(page, strings.TrimSpace("deref "+c.name)) {
			t.Errorf("cli.md: got no command %s, want it documented", c.name)
		}
	}
	for _, name := range regexp.MustCompile(`--[a-z][a-z0-9.-]*[a-z0-9]`).FindAllString(page, -1) {
		if !long[name[2:]] && name != "--proto" {
			t.Errorf("cli.md: got %s, want a flag of a command", name)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)(?:^|[ |/(`+"`"+`])-([A-Za-z])\b`).FindAllStringSubmatch(page, -1) {
		if !short[m[1]] {
			t.Errorf("cli.md: got -%s, want a flag of a command", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^    deref ([a-z]+)`).FindAllStringSubmatch(page, -1) {
		if !slices.ContainsFunc(commands(), func(c command) bool { return c.name == m[1] }) {
			t.Errorf("cli.md: got command %s, want one that exists", m[1])
		}
	}
}

// mentions reports whether the page contains the flag as a word.
func mentions(page, flag string) bool {
	return regexp.MustCompile(`(^|[ |/(` + "`" + `])` + flag + `\b`).MatchString(page)
}

// TestFlagsOfFiles checks that a file can set every flag except those that locate the file, and those that name the file of a single
// document.
func TestFlagsOfFiles(t *testing.T) {
	names := configurable()
	for name, want := range map[string]bool{"config": false, "disable": false, "output": false, "location": false, "retry": true, "set": true,
		"follow-to": true} {
		if got := slices.Contains(names, name); got != want {
			t.Errorf("a file can set %s: %v, want %v", name, got, want)
		}
	}
}

// TestCommandLineOfEveryFlag gives each flag of the commands that write archives a value, and compares which of them are hidden. A new flag with
// a text is hidden until it is known not to be a secret.
func TestCommandLineOfEveryFlag(t *testing.T) {
	const secret = "S3cr3t-Pa55"
	var hidden []string
	for _, c := range commands() {
		fs, _ := c.flagSet()
		if fs.Lookup("warc") == nil {
			continue
		}
		fs.VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal != "" {
				return
			}
			forms := [][]string{{"--" + f.Name, secret}, {"--" + f.Name + "=" + secret}}
			if f.Shorthand != "" {
				forms = append(forms, []string{"-" + f.Shorthand, secret}, []string{"-" + f.Shorthand + secret}, []string{"-k" + f.Shorthand + secret})
			}
			if got := flags.CommandLine(fs, forms[0]); got == "--"+f.Name+"=***" {
				hidden = append(hidden, f.Name)
				for _, args := range forms {
					if got := flags.CommandLine(fs, append(args, "u")); strings.Contains(got, secret) || !strings.HasSuffix(got, " u") {
						t.Errorf("%s %q: got %q, want *** and u", c.name, args, got)
					}
				}
				return
			}
			for _, in := range []string{"http://anne:" + secret + "@h/x", "KEY=imap://anne:" + secret + "@h"} {
				if got := flags.CommandLine(fs, []string{"--" + f.Name, in}); strings.Contains(got, secret) {
					t.Errorf("%s --%s: got %q, want no password", c.name, f.Name, got)
				}
			}
		})
	}
	slices.Sort(hidden)
	want := []string{"cookie", "data", "from", "header", "oauth2-bearer", "proxy-user", "set", "user"}
	if got := slices.Compact(hidden); !slices.Equal(got, want) {
		t.Errorf("got the hidden flags %q, want %q", got, want)
	}
}

// Logins are hidden wherever URIs can be, also in patterns and invalid URIs; everything else stays readable.
func TestCommandLine(t *testing.T) {
	fs, _ := commands()[0].flagSet()
	for _, c := range []struct{ args, want string }{
		{"-sO ftp://h/a", "--silent --remote-name ftp://h/a"},
		{"ftp://anne:pw@h/a@b", "ftp://***@h/a@b"},
		{"ftp://anne@h/a", "ftp://***@h/a"},
		{"http://{a:1,b:2}@h/ http://h/[1-3]", "http://***@h/ 'http://h/[1-3]'"},
		{"ftp://anne:p/w@h/a", "ftp://***@h/a"},
		{"ftp://anne:p@w@h/a", "ftp://***@h/a"},
		{"http://h:8080/@anne", "http://h:8080/@anne"},
		{"http://[::1]:80/@anne", "'http://[::1]:80/@anne'"},
		{"snmp://public@h/1.3", "snmp://***@h/1.3"},
		{"SNMP://public@h/1.3", "SNMP://***@h/1.3"},
		{"URL:snmp://public@h/1.3 <url:ftp://anne:pw@h/>", "URL:snmp://***@h/1.3 '<url:ftp://***@h/>'"},
		{"mailto:anne@example.org news:1@h", "mailto:anne@example.org news:1@h"},
		{"anne:pw@h/a", "***@h/a"},
		{"-x news:pw@h:80 u", "--proxy=***@h:80 u"},
		{"--proxy socks5://a:pw@h u", "--proxy=socks5://***@h u"},
		{"--socks5 a:pw@h u", "--socks5=***@h u"},
		{"--mail imap://a:pw@h u", "--mail=imap://***@h u"},
		{"-- -u anne:pw@h", "-- -u ***@h"},
		{"-u anne:pw --user=anne:pw -uanne:pw", "--user=*** --user=*** --user=***"},
		{"-ku x", "--insecure --user=***"},
		{"-k=false it's", `--insecure=false 'it'\''s'`},
	} {
		if got := flags.CommandLine(fs, strings.Fields(c.args)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.args, got, c.want)
		}
	}
}
