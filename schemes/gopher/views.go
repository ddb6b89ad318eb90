package gopher

import (
	"strings"

	"example.org/deref/fetch"
)

// A view is one of the representations that Gopher+ has of an item: a media type, and perhaps a language ("Es_ES").
type view struct{ mediaType, language string }

// String is how a request names the view.
func (v view) String() string {
	if v.language == "" {
		return v.mediaType
	}
	return v.mediaType + " " + v.language
}

// parseView reads a line of VIEWS, "text/plain Es_ES: <10k>", or a wish, which is the same without the size. Views of before the
// media types ("Text", "PostScript") are passed over, and so are those with an octet that a request line cannot hold: a view goes back to
// the server.
func parseView(s string) (view, bool) {
	s, _, _ = strings.Cut(s, ":")
	s, _, _ = strings.Cut(s, ";") // parameters of a wish: ";q=0.5"
	t, lang, _ := strings.Cut(strings.TrimSpace(s), " ")
	v := view{t, strings.TrimSpace(lang)}
	return v, strings.Contains(t, "/") && isPrintable(v.mediaType) && isPrintable(v.language)
}

// isPrintable reports whether s is printable US-ASCII without blanks, as media types and languages are.
func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f })
}

// suits reports whether v is what the wish w asks for: "text/html", "text/*", "*/* de".
func (v view) suits(w view) bool {
	major, _, _ := strings.Cut(v.mediaType, "/")
	if w.mediaType != "*/*" && !strings.EqualFold(w.mediaType, major+"/*") && !strings.EqualFold(w.mediaType, v.mediaType) {
		return false
	}
	lang, _, _ := strings.Cut(v.language, "_")
	return w.language == "" || strings.EqualFold(w.language, v.language) || strings.EqualFold(w.language, lang)
}

// wantsView reports whether there is a wish that not any view would fulfil.
func wantsView(accept []string) bool {
	if len(accept) == 0 {
		return false
	}
	w, ok := parseView(accept[0])
	return ok && w != view{"*/*", ""}
}

// choose finds the view for the first wish that can be fulfilled.
func choose(views, accept []string) (view, bool) {
	for _, a := range accept {
		w, ok := parseView(a)
		for _, l := range views {
			if v, is := parseView(l); ok && is && v.suits(w) {
				return v, true
			}
		}
	}
	return view{}, false
}

// Conditions of the steps that follow the question for the views.
const (
	hasView = "one of the item's views is wanted"
	noView  = "no view is wanted, or the server does not speak Gopher+"
)

// viewSteps ask for the attributes, and then for the view that is wanted most, or the item as it is.
func (r *gopherURI) viewSteps() []fetch.Step {
	return []fetch.Step{
		{Args: []string{r.with("!")}},
		{Args: []string{r.with("+" + viewMark)}, If: hasView},
		{Args: []string{r.line()}, If: noView},
	}
}

// viewMark stands for the view that was chosen.
const viewMark = "<view>"
