package gateway_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestConversation checks that each command is in one item with its replies and their times, next to the plan.
func TestConversation(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil)
	_, body := l.ask(t, "/ftp/"+l.ftp+"/", nil)
	_, how, _ := strings.Cut(body, "How was this fetched?")
	for _, want := range []string{
		`<li>\n<div class="c"><time>[0-9.]+ ms</time> <pre>C: USER anonymous</pre></div>\n<div class="s"><time>[0-9.]+ ms</time> <pre>S: 331 [^<]*</pre></div>\n</li>\n<li>\n<div class="c"><time>[0-9.]+ ms</time> <pre>C: PASS [^\n]*</pre></div>\n<div class="s"><time>[0-9.]+ ms</time> <pre>S: 230 [^<]*</pre>`,
		`<div class="e"><time>0.0 ms</time> <pre>\*: \[connected to 127\.0\.0\.1:[0-9]+\]</pre></div>`,
		`(?s)<h2>The plan</h2>\n<pre>.*PASS.*</pre>.*<a href="/-/explain/ftp/[^"]*">Explain</a>.*<h2>The conversation</h2>`,
	} {
		if !regexp.MustCompile(want).MatchString(how) {
			t.Errorf("got\n%s\nwant a match of %s", how, want)
		}
	}
	if strings.Contains(how, "<script") {
		t.Errorf("got a script in\n%s", how)
	}
}

// TestExplain checks that the page with the plan sends nothing: the host has no server.
func TestExplain(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil)
	resp, body := l.ask(t, "/-/explain/gopher/nowhere.invalid/1/history", nil)
	if resp.StatusCode != 200 || !strings.Contains(body, "server   nowhere.invalid:70 (tcp)") || !strings.Contains(body, "  /history\n") {
		t.Errorf("got %d\n%s\nwant 200 and the plan", resp.StatusCode, body)
	}
	if resp, _ := l.ask(t, "/-/explain/file/etc/passwd", nil); resp.StatusCode != 403 {
		t.Errorf("file: got %d, want 403: schemes that are refused have no plan", resp.StatusCode)
	}
}
