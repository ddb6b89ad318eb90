package main

import (
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"
)

// A password that is a common word changes no document: neither its type and links, nor its bytes in an archive or a recording. One
// warning reports the files that contain it (promise 7).
func TestPromise7CommonWordsChangeNothing(t *testing.T) {
	long(t, "many commands or processes")
	home, url := t.TempDir(), echoServer(t)
	run := func(args ...string) (out, errs string) {
		t.Helper()
		out, errs, code := invoked(t, input{home: home}, args...)
		if code != 0 {
			t.Errorf("%q: got exit code %d, want 0: %s", args, code, errs)
		}
		return out, errs
	}
	for _, word := range []string{"html", "text", "y", "T", "lab", "This", "127", "GET", "HTTP", "charset"} {
		out, _ := run("-u", "x:"+word, "--links", url+"/page.html")
		if want := url + "/lab\tThis is the lab."; !strings.Contains(out, want) {
			t.Errorf("%s: --links printed %q, want it to contain %q", word, out, want)
		}
		out, _ = run("-u", "x:"+word, "--json", url+"/lab")
		if !strings.Contains(out, `"type":"text/plain"`) || !strings.Contains(out, `"Content-Type":["text/plain"]`) {
			t.Errorf("%s: --json printed %s, want type and Content-Type text/plain", word, out)
		}
		dir := t.TempDir()
		archive, record := filepath.Join(dir, "a.warc"), filepath.Join(dir, "a.txt")
		_, errs := run("--warc", archive, "--record", record, "-u", "x:"+word, url+"/lab")
		repeats := strings.Contains("This is the lab.\n", word)
		if n := strings.Count(errs, "warning: "); n != map[bool]int{true: 1}[repeats] ||
			repeats && !strings.Contains(errs, archive+" and "+record) {
			t.Errorf("%s: got %q, want a warning: %v", word, errs, repeats)
		}
		const want = "This is the lab.\ntext/plain"
		for _, args := range [][]string{{"--from-warc", archive}, {"--replay", record, "-u", "x:" + word}} {
			if out, _ := run(append(args, "-w", "%{type}", url+"/lab")...); out != want {
				t.Errorf("%s: %q printed %q, want %q", word, args, out, want)
			}
		}
		for _, name := range []string{archive, record} {
			text := contents(t, name)
			basic := base64.StdEncoding.EncodeToString([]byte("x:" + word))
			masked := strings.Contains(text, "X-Said: x:***") || strings.Contains(text, "X-Said: ***")
			if strings.Contains(text, basic) || !masked {
				t.Errorf("%s: %s contains\n%s\nwant no credentials in the fields", word, name, text)
			}
		}
	}
}
