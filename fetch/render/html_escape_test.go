package render

import (
	"errors"
	"testing"

	"example.org/deref/fetch"
)

// All arguments are escaped that are not HTML, whatever their type is.
func TestHTMLf(t *testing.T) {
	got := HTMLf("<a href=\"%s\">%s</a> %s %s %s %d", `"><b>`, HTMLf("<i>%s</i>", "a&b"), errors.New("<x>"), fetch.Kind("<k>"), []string{"<l>"}, 7)
	if want := Markup("<a href=\"&#34;&gt;&lt;b&gt;\"><i>a&amp;b</i></a> &lt;x&gt; &lt;k&gt; [&lt;l&gt;] 7"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
