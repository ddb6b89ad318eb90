package gopher

import (
	"strings"

	"example.org/deref/fetch"
)

// A view is one of the representations of an item in Gopher+: a media type, and perhaps a language ("Es_ES").
type view struct{ mediaType, language string }

// String returns the view as a request contains it.
func (v view) String() string {
	if v.language == "" {
		return v.mediaType
	}
	return v.mediaType + " " + v.language
}

// parseView parses a line of VIEWS, "text/plain Es_ES: <10k>", or a wanted view, which is the same without the size. It returns false for
// views older than media types ("Text", "PostScript"), and for those with a character that a request line cannot contain, because a view is
// sent back to the server.
func parseView(s string) (view, bool) {
	s, _, _ = strings.Cut(s, ":")
	s, _, _ = strings.Cut(s, ";") // parameters of a wanted view: ";q=0.5"
	t, lang, _ := strings.Cut(strings.TrimSpace(s), " ")
	v := view{t, strings.TrimSpace(lang)}
	return v, strings.Contains(t, "/") && isPrintable(v.mediaType) && isPrintable(v.language)
}

// isPrintable reports whether s is printable US-ASCII without spaces, as media types and languages are.
func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f })
}

// matches reports whether v matches the wanted view w: "text/html", "text/*", "*/* de".
func (v view) matches(w view) bool {
	major, _, _ := strings.Cut(v.mediaType, "/")
	if w.mediaType != "*/*" && !strings.EqualFold(w.mediaType, major+"/*") && !strings.EqualFold(w.mediaType, v.mediaType) {
		return false
	}
	lang, _, _ := strings.Cut(v.language, "_")
	return w.language == "" || strings.EqualFold(w.language, v.language) || strings.EqualFold(w.language, lang)
}

// wantsView reports whether some views are wanted more than others.
func wantsView(accept []string) bool {
	if len(accept) == 0 {
		return false
	}
	w, ok := parseView(accept[0])
	return ok && w != view{"*/*", ""}
}

// choose returns the first wanted view that the item has.
func choose(views, accept []string) (view, bool) {
	for _, a := range accept {
		w, ok := parseView(a)
		for _, l := range views {
			if v, is := parseView(l); ok && is && v.matches(w) {
				return v, true
			}
		}
	}
	return view{}, false
}

// Conditions of the steps that follow the request for the attributes.
const (
	hasView = "one of the item's views is wanted"
	noView  = "no view is wanted, or the server does not speak Gopher+"
)

// viewSteps requests the attributes, and then the view that is wanted most, or the item without a view.
func (r *request) viewSteps() []fetch.Step {
	return []fetch.Step{
		{Args: []string{r.with("!")}},
		{Args: []string{r.with("+<view>")}, If: hasView},
		{Args: []string{r.line()}, If: noView},
	}
}
