package htmltext

import (
	"cmp"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Form is a FORM that is sent by GET, and is not a search: it has several controls, or one that is not for words.
type Form struct {
	action uri.URI
	Fields []Field
}

// A Field is a control of a Form, or a group of radio buttons. Its texts are from the page.
type Field struct {
	Label   string // with the choices in parentheses, if there are any
	Kind    string // the type of an INPUT, or another element; "hidden" is not for the user
	Value   string // the answer of the page
	name    string
	choices []choice
}

// A choice is an OPTION, a radio button, or a state of a checkbox.
type choice struct {
	label, value             string
	hasValue, isOn, isUnsent bool // without a value, the label is sent; isOn is the state of the page
}

// Pair returns the part of a query for an answer, "" for none. ok is false if the answer is neither one of the choices nor how one begins.
func (x *Field) Pair(answer string) (p string, ok bool) {
	if x.choices == nil {
		return pair(x.name, answer), true
	}
	for _, is := range []func(s, prefix string) bool{strings.EqualFold, strings.HasPrefix} {
		for _, c := range x.choices {
			if !is(strings.ToLower(c.label), strings.ToLower(answer)) || answer == "" && c.label != "" {
				continue
			}
			if c.isUnsent {
				return "", true
			}
			return pair(x.name, c.value), true
		}
	}
	return "", answer == ""
}

// URI returns what is opened for the pairs of all fields (HTML Standard section 4.10.21.4).
func (f *Form) URI(pairs []string) (uri.URI, error) {
	pairs = slices.DeleteFunc(pairs, func(p string) bool { return p == "" })
	return withQuery(f.action, "?"+strings.Join(pairs, "&"))
}

func pair(name, value string) string {
	return string(uri.SearchWords.Escape(uri.RFC3986, name)) + "=" + string(uri.SearchWords.Escape(uri.RFC3986, value))
}

func withQuery(u uri.URI, query string) (uri.URI, error) {
	bare, _, _ := strings.Cut(u.WithoutFragment().String(), "?")
	return uri.Parse(bare + query)
}

// A form is the open FORM.
type form struct {
	Form
	title  string
	words  string // the name of the last field for words
	asked  int    // fields that are not hidden
	size   int
	isPost bool
	isOdd  bool    // it cannot be sent
	before string  // text before the next control: its label
	into   *string // what text belongs to: before, or a string of the last control
}

const (
	formMax   = 64 << 10 // bytes of a form; no server accepts longer URIs
	textMax   = 4 << 10  // of a text in it
	fieldSize = 16       // of a field or choice besides its text
	labelMax  = 100      // a longer text is not a label
)

// openForm begins a form. A form within another is ignored (HTML Standard section 13.2.6.4.7).
func (l *linker) openForm(t tag) {
	if l.form != nil {
		return
	}
	f := &form{isPost: strings.EqualFold(t.method, "post"), isOdd: t.method != "" && !strings.EqualFold(t.method, "get")}
	f.label()
	if f.action = l.base.Base; t.hasAction {
		u, err := l.base.Resolve(t.action)
		f.action, f.isOdd = u, f.isOdd || err != nil
	}
	l.form = f
}

// label begins the text before a control.
func (f *form) label() {
	if f != nil {
		f.size -= len(f.before)
		f.before, f.into = "", &f.before
	}
}

// text adds text to what it belongs to.
func (f *form) text(s []byte) {
	if f != nil && len(*f.into) < textMax {
		f.size += len(s)
		*f.into += string(s)
	}
}

// control handles a control of the open form.
func (f *form) control(t tag) {
	if f == nil || t.isDisabled || f.size > formMax {
		return
	}
	x := Field{name: t.field, Kind: t.kind, Value: t.value, Label: f.before}
	if t.name != "input" {
		x.Kind = t.name
	}
	f.label()
	f.size += len(t.field) + len(t.value) + len(x.Label) + fieldSize
	switch x.Kind {
	case "submit", "button", "reset", "image":
		f.title = cmp.Or(f.title, t.value)
		return
	case "hidden", "password", "checkbox", "radio", "select", "textarea":
	case "file":
		f.isOdd = true
	default:
		f.words = t.field
	}
	if x.Kind != "hidden" {
		f.asked++
		f.isOdd = f.isOdd || t.field == "" // without a name nothing is sent
	} else if t.field == "" {
		return
	}
	n := slices.IndexFunc(f.Fields, func(y Field) bool { return x.Kind == "radio" && y.Kind == x.Kind && y.name == x.name })
	if n < 0 {
		n = len(f.Fields)
		f.Fields = append(f.Fields, x)
	}
	y := &f.Fields[n]
	switch x.Kind {
	case "checkbox":
		y.Label, f.into = "", &y.Label
		y.choices = []choice{{"yes", cmp.Or(t.value, "on"), true, t.isOn, false}, {"no", "", true, !t.isOn, true}}
	case "radio":
		f.choose(y, t)
	case "textarea":
		f.into = &y.Value
	}
}

// option adds a choice to the open SELECT.
func (f *form) option(t tag) {
	if f != nil && len(f.Fields) > 0 && f.size <= formMax && f.Fields[len(f.Fields)-1].Kind == "select" {
		f.choose(&f.Fields[len(f.Fields)-1], t)
	}
}

// choose adds a choice, whose label is the text after it.
func (f *form) choose(x *Field, t tag) {
	f.size += len(t.value) + fieldSize
	x.choices = append(x.choices, choice{value: t.value, hasValue: t.hasValue, isOn: t.isOn})
	f.into = &x.choices[len(x.choices)-1].label
}

// complete gives the field its label and answer, when all text was read.
func (x *Field) complete() {
	if x.Label = words(x.Label); x.Label == "" || len(x.Label) > labelMax {
		x.Label = x.name
	}
	if x.choices == nil {
		return
	}
	x.Value = ""
	var labels []string
	for i := range x.choices {
		c := &x.choices[i]
		c.label = cmp.Or(words(c.label), c.value)
		if !c.hasValue {
			c.value = c.label
		}
		if c.isOn || x.Kind == "select" && i == 0 {
			x.Value = c.label
		}
		labels = append(labels, c.label)
	}
	x.Label += " (" + strings.Join(labels, ", ") + ")"
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// closeForm ends the form. If it is a search, it links to a URI with one empty field, for the words. A field named "isindex" is sent without its
// name (HTML Standard section 4.10.21.4). Another form links to what it opens without a change.
func (l *linker) closeForm() (link, bool) {
	f := l.form
	f.label()
	l.form = nil
	if f == nil || f.isOdd || f.size > formMax || f.asked == 0 {
		return link{}, false
	}
	f.Fields = slices.DeleteFunc(f.Fields, func(x Field) bool { return x.Kind == "select" && x.choices == nil })
	isSearch := f.asked == 1 && f.words != ""
	var pairs []string
	for i := range f.Fields {
		x := &f.Fields[i]
		if x.complete(); x.Kind == "hidden" || !isSearch {
			p, _ := x.Pair(x.Value)
			pairs = append(pairs, p)
		}
	}
	if !isSearch {
		u, err := f.URI(pairs)
		return l.asks(link{u, fetch.KindLink, cmp.Or(words(f.title), "Form"), &f.Form}, err)
	}
	if f.words != "isindex" || pairs != nil {
		pairs = append(pairs, pair(f.words, ""))
	}
	u, err := f.URI(pairs)
	return l.asks(link{u, fetch.KindSearch, f.title, nil}, err)
}

// isindex links to the search of the page: its URI with words (RFC 1866 section 5.2.3), or the URI of ACTION or HREF (Netscape 2, HTML 3.0).
func (l *linker) isindex(t tag) (link, bool) {
	u := l.base.Base
	for _, ref := range []string{t.href, t.action} {
		if v, err := l.base.Resolve(ref); err == nil && ref != "" {
			u = v
		}
	}
	u, err := withQuery(u, "")
	return l.asks(link{u, fetch.KindSearch, t.prompt, nil}, err)
}

// asks returns a link that asks the user.
func (l *linker) asks(to link, err error) (link, bool) {
	if err != nil {
		return link{}, false
	}
	l.n++
	to.title = cmp.Or(strings.TrimSpace(to.title), "Search")
	return to, true
}
