package secrets

import (
	"strings"
	"testing"
)

// If the end of one secret is the beginning of another, all of the first is held back. If it were cut there, neither half would be
// recognized.
func TestPromise7SecretsThatOverlap(t *testing.T) {
	var s Set
	for _, secret := range []string{"sesameA", "AGFsaQ", "meAGx"} {
		s.Add(secret)
	}
	for text, want := range map[string]int{
		"say sesameA": 4, "say sesameA,": 12, "say sesameAG": 4, "say sesameAGF": 4, "say sesameAH": 12, "AGFsaQ": 6, "sesameAGFsa": 0, "x": 1,
		"":                0,
		"sesameA sesameA": 8,
	} {
		if n := s.Shown([]byte(text)); n != want {
			t.Errorf("%q: %d octets are shown, not %d", text, n, want)
		}
	}
}

// The text held back as a possible beginning of a secret is never longer than the secret, and no secret remains after masking.
func FuzzSecrets(f *testing.F) {
	f.Add("sesame", "open sesame", "the sesame opens; open sesame; ses")
	f.Add("aa", "a", "aaaa")
	f.Fuzz(func(t *testing.T, a, b, text string) {
		if strings.ContainsAny(a+b, "*") || strings.Contains("***", a) || strings.Contains("***", b) {
			return // the replacement for secrets is then itself a secret
		}
		var s Set
		s.Add(a)
		s.Add(b)
		got := s.MaskText(text)
		if strings.Contains(got, a) || strings.Contains(got, b) {
			t.Fatalf("%q and %q in %q", a, b, got)
		}
		if got := string(s.MaskBytes([]byte(text))); a != "" && strings.Contains(got, a) || b != "" && strings.Contains(got, b) {
			t.Fatalf("%q and %q in the octets %q", a, b, got)
		}
		if n := s.Unfinished([]byte(text)); n > 0 && n >= len(s.list[0]) {
			t.Fatalf("%d octets are held back", n)
		}
	})
}

// An excerpt never shows a part of a secret, wherever it is cut, also if the secret is quoted or has several lines.
func TestPromise7SecretsInExcerpts(t *testing.T) {
	for _, tt := range []struct{ secret, text, want string }{
		{"open sesame", "530 open sesa", "530 ***"},
		{"open sesame", `530 "open sesam" is what came`, `530 "***" is what came`},
		{"open sesame", "530 open sesa... and more", "530 ***... and more"},
		{"open sesame", "530 open sesa is none", "530 open sesa is none"}, // no end of an excerpt: other words
		{"open sesame", "530 ope", "530 ope"},
		{"aaaaaa", "aaaaaaaaaaaaaaaa", "*********"},
		{`o"p\e`, `he said "o\"p\\e"`, `he said "***"`},
		{"ouvre-toi sésame", `"ouvre-toi s\u00e9same" "ouvre-toi%20s%C3%A9same" "ouvre-toi+s%C3%A9same"`, `"***" "***" "***"`},
		{"<&>", `{"a":"\u003c\u0026\u003e"}`, `{"a":"***"}`},
		{"a\r\nb", `got "a\r\nb"`, `got "***"`},
		{".*", "a.*b", "a***b"},
		{"x", "a text of xs", "a te***t of ***s"},
	} {
		var s Set
		s.Add(tt.secret)
		if got := s.MaskText(tt.text); got != tt.want {
			t.Errorf("%q in %q: %q, want %q", tt.secret, tt.text, got, tt.want)
		}
	}
}

// A field whose value is always a credential is masked even if the value is unknown.
func TestPromise7SecretFields(t *testing.T) {
	var s Set
	s.HideField("Set-Cookie")
	for line, want := range map[string]string{
		"Set-Cookie: sid=abc; Path=/; HttpOnly\r\n": "Set-Cookie: sid=***; Path=/; HttpOnly\r\n",
		"set-cookie:sid=abc\n":                      "set-cookie:sid=***\n",
		"SET-COOKIE: sid=\"a=b\"":                   "SET-COOKIE: sid=***",
		"Set-Cookie: abc; Path=/x=y\r\n":            "Set-Cookie:***; Path=/x=y\r\n",
		"Set-Cookie: \r\n":                          "Set-Cookie:***\r\n",
		"Cookie-Set: sid=abc\r\n":                   "Cookie-Set: sid=abc\r\n",
		"a line with sid=abc; b":                    "a line with sid=abc; b",
	} {
		if got := string(s.MaskLine([]byte(line))); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// A secret that a server repeats in its replies and headers is masked. A secret that may be an ordinary word is not masked in text that
// controls the conversation.
func TestPromise7SecretsInReplies(t *testing.T) {
	for _, tt := range []struct{ secret, line, want string }{
		{"html", "Content-Type: text/html; charset=utf-8\r\n", "Content-Type: text/html; charset=utf-8\r\n"},
		{"text", "content-type: text/plain\r\n", "content-type: text/plain\r\n"},
		{"y", "Content-Type: y/y\r\n", "Content-Type: y/y\r\n"},
		{"application", "Content-Type: application/json\r\n", "Content-Type: application/json\r\n"},
		{"gzip", "Content-Encoding: gzip\r\n", "Content-Encoding: gzip\r\n"},
		{"12", "Content-Length: 12\r\n", "Content-Length: 12\r\n"},
		{"chunked", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\n"},
		{"lab", "Location: http://lab.example/lab\r\n", "Location: http://lab.example/lab\r\n"},
		{"lab", "Content-Disposition: attachment; filename=lab.pdf\r\n", "Content-Disposition: attachment; filename=lab.pdf\r\n"},
		{"Basic", "WWW-Authenticate: Basic realm=\"Basic\"\r\n", "WWW-Authenticate: Basic realm=\"***\"\r\n"},
		{"e", "X-Yellow: lemon, e, tree\r\n", "X-Yellow: lemon, ***, tree\r\n"},
		{"OK", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n"},
		{"403", "HTTP/1.1 403 no 403 here\r\n", "HTTP/1.1 403 no *** here\r\n"},
		{"lab", "HTTP/1.1 403 not with lab\r\n", "HTTP/1.1 403 not with ***\r\n"},
		{"Passive", "227 Entering Passive Mode (127,0,0,1,4,1)\r\n", "227 Entering Passive Mode (127,0,0,1,4,1)\r\n"},
		{"127", "227 Entering Passive Mode (127,0,0,1,4,1)\r\n", "227 Entering Passive Mode (127,0,0,1,4,1)\r\n"},
		{"530", "530 Login incorrect: 530\r\n", "530 Login incorrect: ***\r\n"},
		{"lab", "530 lab, labs and collab\r\n", "530 ***, labs and collab\r\n"},
		{"PLAIN", "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n", "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n"},
		{"lab", "* NO lab is wrong\r\n", "* NO *** is wrong\r\n"},
		{"~", "X-Told: ann:~\r\n", "X-Told: ann:***\r\n"},
		// A secret that is not an ordinary word is masked at every position.
		{"T0ken-Abc", "Content-Type: xT0ken-Abcx\r\n", "Content-Type: x***x\r\n"},
		{"T0ken-Abc", "X-T0ken-Abc: 1\r\n", "X-***: 1\r\n"},
		{"T0ken-Abc", "Location: http://h/?T0ken-Abc\r\n", "Location: http://h/?***\r\n"},
		{"T0ken-Abc", "HTTP/1.1 200 T0ken-Abc\r\n", "HTTP/1.1 200 ***\r\n"},
		{"T0ken-Abc", "230 hello T0ken-Abc\r\n", "230 hello ***\r\n"},
		{"open sesame", "331 User open sesame\r\n", "331 User ***\r\n"},
		{"OpenSesame", "200 OpenSesame\r\n", "200 ***\r\n"},
		{"correcthorsebattery", "200 correcthorsebattery\r\n", "200 ***\r\n"},
	} {
		var s Set
		s.Add(tt.secret)
		if got := string(s.MaskReply([]byte(tt.line))); got != tt.want {
			t.Errorf("%q in %q: %q, want %q", tt.secret, tt.line, got, tt.want)
		}
	}
}
