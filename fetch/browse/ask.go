package browse

import (
	"context"
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/htmltext"
)

// askAddress asks for an address. It begins with that of the page, or of the selected link.
func (b *Browser) askAddress() {
	b.ask("Address: ", "", func(text string) {
		if text = strings.TrimSpace(text); text == "" {
			return
		}
		u, err := b.config.Parse(text)
		if err != nil {
			b.fail(err)
			return
		}
		b.open(target{uri: u})
	})
}

// askSearch asks for the words of a search.
func (b *Browser) askSearch(t target, title string) {
	if title = strings.TrimSpace(title); title == "" {
		title = "Search"
	}
	b.ask(label(title), "", func(text string) {
		if t.search = strings.Fields(text); len(t.search) > 0 {
			b.open(t)
		}
	})
}

// searchPage searches the document that is shown.
func (b *Browser) searchPage() {
	v := b.visit()
	if v.page.doc == nil || v.target.own != "" {
		return
	}
	t := target{uri: v.page.doc.URI}
	for _, e := range v.page.links {
		if e.Kind == fetch.KindSearch {
			t.uri = e.URI
			break
		}
	}
	if s, _ := b.schemes.Lookup(t.uri.Scheme()); !s.Searches {
		b.say(t.uri.Scheme() + " has no search.")
		return
	}
	b.askSearch(t, "")
}

// askInput asks for the input that a server wants, which is sent as one text.
func (b *Browser) askInput(t target, question string, again func(target)) {
	b.ask(b.fitting(question, "Input"), "", func(text string) {
		t.search = []string{text}
		again(t)
	})
}

// askSecret asks for sensitive input, which the screen does not show.
func (b *Browser) askSecret(t target, question string, again func(target)) {
	b.ask(b.fitting(question, "Secret"), "", func(text string) {
		if t.secret = text; text != "" {
			again(t)
		}
	}).secret = true
}

// askCertificate asks for the file with a client certificate. It is used for the server as long as the visit lasts.
func (b *Browser) askCertificate(t target, again func(target)) {
	b.ask("File with certificate and key: ", "", func(name string) {
		if name == "" {
			return
		}
		b.certificates[b.schemes.Origin(t.uri)] = name
		again(t)
	})
}

// fitting returns a server's question if there is room for an answer after it. The page shows it, too.
func (b *Browser) fitting(question, short string) string {
	if question == "" || displaywidth.String(question) > b.width/2 {
		question = short
	}
	return label(question)
}

// label returns a question as it precedes the answer, with a colon if it has no mark of its own.
func label(question string) string {
	if question != strings.TrimRight(question, "?:!.") {
		return question + " "
	}
	return question + ": "
}

// askForm asks the questions of a Gopher+ form, which it gets from the server first.
func (b *Browser) askForm(t target) {
	if questions, ok := b.forms[b.key(t)]; ok {
		b.askQuestions(t, questions)
		return
	}
	o := b.options(t)
	o.Op = fetch.Metadata
	b.background("Getting the form", func(ctx context.Context, _ func(string)) (string, error) {
		d, err := b.config.Client.Get(ctx, t.uri, o)
		if d != nil {
			defer d.Body.Close()
		}
		if err != nil {
			return "", err
		}
		questions := d.Header.Values("Ask")
		b.postQuiet(func() {
			b.forms[b.key(t)] = questions
			b.askQuestions(t, questions)
		})
		return "", nil
	})
}

// askQuestions asks the questions of a form, one after the other.
func (b *Browser) askQuestions(t target, questions []string) {
	if len(questions) == 0 {
		b.open(t)
		return
	}
	q := render.ReadQuestion(questions[0])
	label := q.Text + " "
	switch q.Kind {
	case "Note":
		b.askQuestions(t, questions[1:])
		return
	case "Choose":
		label = q.Text + " (" + strings.Join(q.Choices, ", ") + ") "
	case "Select":
		label = q.Text + " (1 is yes, 0 is no) "
	}
	p := b.ask(label, q.Default(), func(text string) {
		t.answers = append(t.answers[:len(t.answers):len(t.answers)], q.Answer(text))
		b.askQuestions(t, questions[1:])
	})
	p.secret = q.Kind == "AskP"
}

// askFields asks for the fields of a form of HTML for which there are no pairs yet, one after the other, and opens the form.
func (b *Browser) askFields(t target, f *htmltext.Form, pairs []string) {
	n := len(pairs)
	if n == len(f.Fields) {
		u, err := f.URI(pairs)
		if t.uri = u; err != nil {
			b.fail(err)
			return
		}
		b.open(t)
		return
	}
	x := &f.Fields[n]
	next := func(answer string) { // asks for the same field after an answer that is not a choice
		if p, ok := x.Pair(answer); ok {
			pairs = append(pairs, p)
		}
		b.askFields(t, f, pairs)
	}
	if x.Kind == "hidden" {
		next(x.Value)
		return
	}
	b.ask(label(x.Label), x.Value, next).secret = x.Kind == "password"
}

// inquire asks a question from outside of the loop and waits for the answer. ok is false if the user has left the question.
func (b *Browser) inquire(ctx context.Context, label string, secret bool) (text string, ok bool) {
	type reply struct {
		text string
		ok   bool
	}
	answer := make(chan reply, 1)
	var asked *prompt
	b.postQuiet(func() {
		if ctx.Err() != nil {
			return
		}
		asked = b.ask(label, "", func(text string) { answer <- reply{text, true} })
		asked.secret, asked.left = secret, func() { answer <- reply{} }
	})
	select {
	case r := <-answer:
		return r.text, r.ok
	case <-ctx.Done():
		b.post(func() {
			if asked != nil && b.prompt == asked {
				b.prompt = nil
				b.goOn()
			}
		})
		return "", false
	}
}

// Login asks for a password. It is a fetch.Client's Logins, and may be called concurrently.
func (b *Browser) Login(ctx context.Context, r fetch.LoginRequest) (fetch.Login, error) {
	const most = 3
	if !r.Asked || r.Attempt > most || r.Scheme == "gemini" {
		return fetch.Login{}, nil
	}
	what := fmt.Sprintf("%s://%s", r.Scheme, r.Host)
	if r.Realm != "" {
		what += " (" + r.Realm + ")"
	}
	user, ok := r.User, true
	if user == "" {
		user, ok = b.inquire(ctx, "User for "+what+": ", false)
	}
	if !ok || user == "" {
		return fetch.Login{}, nil
	}
	password, ok := b.inquire(ctx, "Password of "+user+" for "+what+": ", true)
	if !ok {
		return fetch.Login{}, nil
	}
	return fetch.Login{User: user, Password: password, Set: true}, nil
}
