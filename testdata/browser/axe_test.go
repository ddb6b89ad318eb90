package browser_test

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"example.org/deref/testdata/pages"
)

// No page violates a rule of axe, or is wider than its window, in light and dark mode on a desk and a phone. DEREF_AXE names axe.min.js
// of the npm package axe-core.
func TestAccessibility(t *testing.T) {
	if os.Getenv("DEREF_AXE") == "" {
		t.Skip("DEREF_AXE does not name axe.min.js")
	}
	axe, err := os.ReadFile(os.Getenv("DEREF_AXE"))
	if err != nil {
		t.Fatal(err)
	}
	l, list := pages.All(t)
	for _, mode := range [...]string{"light", "dark"} {
		b := newBrowser(t)
		if mode == "dark" {
			b.run(dark)
		}
		for _, width := range [...]int64{1280, 375} {
			b.run(chromedp.EmulateViewport(width, 800))
			for _, k := range list {
				b.run(chromedp.Navigate(l.URL + k.Path))
				chromedp.Run(b, chromedp.Evaluate[string]("document.querySelectorAll('details').forEach(d => d.open = true);"+string(axe)+"\n;''"))
				found := ask(b, chromedp.Evaluate[[]string]("axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes[0].html))", chromedp.EvalAwaitPromise))
				if len(found) > 0 {
					t.Errorf("%s, %s, %d: %q", k.Name, mode, width, found)
				}
				if ask(b, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth")) {
					t.Errorf("%s, %s: wider than %d", k.Name, mode, width)
				}
			}
		}
		b.mu.Lock()
		b.trouble = nil // the error page has the status 404
		b.mu.Unlock()
	}
}
