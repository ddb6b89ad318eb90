package htmltext

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Form is a FORM that is sent by GET, and is not a search: it has several controls, or one that is not for words.
type Form struct {
	Action uri.URI
	Fields []Field
}

// A Field is a control of a Form, or a group of radio buttons. Its texts are from the page.
type Field struct {
	Label   string
	Kind    string   // the type of an INPUT, "select" or "textarea"; "hidden" is not for the user
	Value   string   // the answer, at first that of the page; if there are Choices, the Label of one, or "" for none
	Choices []Choice // of a select, radio buttons, or a checkbox
	name    string
}

// A Choice is an OPTION, a radio button, or a state of a checkbox.
type Choice struct {
	Label    string
	value    string
	hasValue bool // otherwise the label is sent
	isOn     bool // at first
	isUnsent bool
}

// Choose sets Value to the label that an answer is, or begins. It reports whether there is one.
func (x *Field) Choose(answer string) bool {
	for _, is := range []func(s, prefix string) bool{strings.EqualFold, strings.HasPrefix} {
		for _, c := range x.Choices {
			if is(strings.ToLower(c.Label), strings.ToLower(answer)) {
				x.Value = c.Label
				return true
			}
		}
	}
	return false
}

// URI returns what is opened for the Values of the fields (HTML Standard section 4.10.21.4).
func (f *Form) URI() (uri.URI, error) {
	var pairs []string
	for _, x := range f.Fields {
		if i := slices.IndexFunc(x.Choices, func(c Choice) bool { return c.Label == x.Value }); i >= 0 && !x.Choices[i].isUnsent {
			pairs = append(pairs, pair(x.name, x.Choices[i].value))
		} else if x.Choices == nil {
			pairs = append(pairs, pair(x.name, x.Value))
		}
	}
	return withQuery(f.Action, "?"+strings.Join(pairs, "&"))
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
	formMax  = 64 << 10 // bytes of a form; no server accepts longer URIs
	textMax  = 4 << 10  // of a text in it
	labelMax = 100      // a longer text is not a label
)

// openForm begins a form. A form within another is ignored (HTML Standard section 13.2.6.4.7).
func (l *linker) openForm(t tag) {
	if l.form != nil {
		return
	}
	l.form = &form{isPost: strings.EqualFold(t.method, "post")}
	l.form.isOdd = t.method != "" && !strings.EqualFold(t.method, "get")
	l.form.Action = l.base.Base
	l.form.label()
	if t.hasAction {
		u, err := l.base.Resolve(t.action)
		l.form.Action, l.form.isOdd = u, l.form.isOdd || err != nil
	}
}

// label begins the text before a control.
func (f *form) label() {
	if f != nil {
		f.before, f.into = "", &f.before
	}
}

// text adds text to what it belongs to.
func (f *form) text(s []byte) {
	if f == nil {
		return
	}
	s = s[:min(len(s), textMax-min(len(*f.into), textMax))]
	if f.into != &f.before {
		f.size += len(s)
	}
	*f.into += string(s)
}

// control handles a control of the open form.
func (f *form) control(t tag) {
	if f == nil || t.isDisabled {
		return
	}
	if (t.kind == "checkbox" || t.kind == "radio") && !t.hasValue {
		t.value, t.hasValue = "on", true
	}
	x := Field{name: t.field, Kind: t.kind, Value: t.value, Label: f.before}
	f.size += len(t.field) + len(t.value)
	f.label()
	switch {
	case t.name == atom.Select, t.name == atom.Textarea:
		x.Kind = t.name.String()
	case x.Kind == "submit", x.Kind == "button", x.Kind == "reset", x.Kind == "image", t.name == atom.Button:
		if f.title == "" {
			f.title = t.value
		}
		return
	case x.Kind == "hidden" && t.field == "":
		return
	case x.Kind == "hidden", x.Kind == "password", x.Kind == "checkbox", x.Kind == "radio":
	case x.Kind == "file":
		f.isOdd = true
	default:
		f.words = t.field
	}
	if x.Kind != "hidden" {
		f.isOdd = f.isOdd || t.field == "" // without a name nothing is sent
		f.asked++
	}
	last := slices.IndexFunc(f.Fields, func(y Field) bool { return x.Kind == "radio" && y.Kind == x.Kind && y.name == x.name })
	if last < 0 {
		last = len(f.Fields)
		f.Fields = append(f.Fields, x)
	}
	switch y := &f.Fields[last]; x.Kind {
	case "checkbox":
		y.Label, f.into = "", &y.Label
		y.Choices = []Choice{{"yes", t.value, true, t.isOn, false}, {"no", "", true, !t.isOn, true}}
	case "radio":
		f.choice(y, t)
	case "textarea":
		f.into = &y.Value
	}
}

// option adds a choice to the open SELECT.
func (f *form) option(t tag) {
	if f != nil && len(f.Fields) > 0 && f.Fields[len(f.Fields)-1].Kind == "select" {
		f.choice(&f.Fields[len(f.Fields)-1], t)
	}
}

// choice adds a choice, whose label is the text after it.
func (f *form) choice(x *Field, t tag) {
	f.size += len(t.value) + 16
	x.Choices = append(x.Choices, Choice{value: t.value, hasValue: t.hasValue, isOn: t.isOn})
	f.into = &x.Choices[len(x.Choices)-1].Label
}

// complete gives the fields their labels and first answers, when all text was read.
func (f *form) complete() {
	f.Fields = slices.DeleteFunc(f.Fields, func(x Field) bool { return x.Kind == "select" && x.Choices == nil })
	for i := range f.Fields {
		x := &f.Fields[i]
		if x.Label = words(x.Label); x.Label == "" || len(x.Label) > labelMax {
			x.Label = x.name
		}
		if x.Choices != nil {
			x.Value = ""
		}
		for j := range x.Choices {
			c := &x.Choices[j]
			if c.Label = words(c.Label); c.Label == "" {
				c.Label = c.value
			}
			if !c.hasValue {
				c.value = c.Label
			}
			if c.isOn || x.Kind == "select" && j == 0 {
				x.Value = c.Label
			}
		}
	}
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// closeForm ends the form. If it is a search, it links to a URI with one empty field, for the words. A field named "isindex" is sent without its
// name (HTML Standard section 4.10.21.4). Another form links to what it opens without a change.
func (l *linker) closeForm() (link, bool) {
	f := l.form
	l.form = nil
	if f == nil || f.isOdd || f.size > formMax || f.asked == 0 {
		return link{}, false
	}
	f.complete()
	if f.asked != 1 || f.words == "" {
		u, err := f.URI()
		if f.title = words(f.title); f.title == "" {
			f.title = "Form"
		}
		l.n++
		return link{u, fetch.KindLink, f.title, &f.Form}, err == nil
	}
	query := ""
	for _, x := range f.Fields {
		if x.Kind == "hidden" {
			query += pair(x.name, x.Value) + "&"
		}
	}
	if query += pair(f.words, ""); query == "isindex=" {
		query = ""
	}
	return l.searchable(f.Action, "?"+query, f.title)
}

// isindex links to the search of the page: its URI with words (RFC 1866 section 5.2.3), or the URI of ACTION or HREF (Netscape 2, HTML 3.0).
func (l *linker) isindex(t tag) (link, bool) {
	u := l.base.Base
	for _, ref := range []string{t.href, t.action} {
		if v, err := l.base.Resolve(ref); err == nil && ref != "" {
			u = v
		}
	}
	return l.searchable(u, "", t.prompt)
}

func (l *linker) searchable(u uri.URI, query, title string) (link, bool) {
	u, err := withQuery(u, query)
	if err != nil {
		return link{}, false
	}
	if title = strings.TrimSpace(title); title == "" {
		title = "Search"
	}
	l.n++
	return link{u, fetch.KindSearch, title, nil}, true
}
