package gateway

import (
	"crypto/hmac"
	"net/http"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// Forms of Gopher+. Their answers are lines that could be commands to a server of another protocol, so that only the user may send them: a form
// has a seal, without which no link of another document can fill it in.
const (
	askPath    = ownPath + "ask"
	answerPath = ownPath + "answer"
)

// ask serves the form of a Gopher+ item.
func (g *Gateway) ask(w http.ResponseWriter, r *http.Request, u uri.URI) {
	o := g.plainOptions(r)
	o.Op = fetch.Metadata
	d, c, ok := g.fetched(w, r, u, o)
	if !ok {
		return
	}
	d.Body.Close()
	list := d.Header.Values("Ask")
	if len(list) == 0 {
		redirectTo(w, http.StatusSeeOther, Path(u))
		return
	}
	f := frame{status: http.StatusOK, object: u}
	f.title, _ = title(d, o)
	f.below = func(p *page) { p.howFetched(g.plan(u, o), c) }
	g.framed(w, r, f, func(p *page) { p.questions(u, list) })
}

// questions writes a form.
func (p *page) questions(u uri.URI, list []string) {
	p.put("<form class=\"ask\" method=\"post\" action=\"%s\">\n<input type=\"hidden\" name=\"uri\" value=\"%s\">"+
		"<input type=\"hidden\" name=\"seal\" value=\"%s\">\n", answerPath, render.Absolute(u.WithoutPassword()), p.g.seal(answerPath, u.String()))
	for i, line := range list {
		p.question(render.ReadQuestion(line), "a"+strconv.Itoa(i))
	}
	p.put("<p><button>Send</button></p>\n</form>\n")
}

// question writes a field of a form.
func (p *page) question(q render.Question, id string) {
	if q.Kind == "Note" {
		p.put("<p>%s</p>\n", q.Text)
		return
	}
	p.put("<p><label for=\"%s\">%s</label><br>\n", id, q.Text)
	name := render.HTMLf(" id=\"%s\" name=\"answer\"", id)
	switch q.Kind {
	case "AskL":
		p.put("<textarea%s rows=\"6\" cols=\"40\">%s</textarea>", name, q.Default())
	case "Choose":
		p.put("<select%s>", name)
		for _, c := range q.Choices {
			p.put("<option>%s</option>", c)
		}
		p.put("</select>")
	case "Select":
		p.put("<select%s><option value=\"0\">No</option><option value=\"1\">Yes</option></select>", name)
	case "AskP":
		p.put("<input type=\"password\"%s>", name)
	default:
		p.put("<input%s value=\"%s\">", name, q.Default())
	}
	p.put("</p>\n<input type=\"hidden\" name=\"kind\" value=\"%s\">\n", q.Kind)
}

// maxAnswers bounds the answers of a form.
const maxAnswers = 64 << 10

// isAnswers reports whether a request has the form of answers. No other request may have a body.
func isAnswers(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Scheme == "" && r.URL.EscapedPath() == answerPath && len(r.TransferEncoding) == 0 &&
		r.ContentLength <= maxAnswers && mediatype.Essence(r.Header.Get("Content-Type")) == "application/x-www-form-urlencoded"
}

// answer sends the answers of a form and serves the document that the server returns.
func (g *Gateway) answer(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil || r.Method != http.MethodPost {
		g.fail(w, http.StatusBadRequest, "not the answers of a form")
		return
	}
	q := r.PostForm
	u, err := parse(q.Get("uri"))
	if err != nil {
		g.failure(w, r, u, err)
		return
	}
	if !hmac.Equal([]byte(q.Get("seal")), []byte(g.seal(answerPath, u.String()))) || len(q["kind"]) != len(q["answer"]) {
		redirectTo(w, http.StatusSeeOther, path(askPath, u))
		return
	}
	var answers []string
	for i, text := range q["answer"] {
		answers = append(answers, render.Question{Kind: q["kind"][i]}.Answer(text))
	}
	o := g.plainOptions(r)
	o.Put(gopherAnswers, answers...)
	g.page(w, r, wholeView(u, o))
}

// gopherAnswers is the setting that fills in a form.
const gopherAnswers = "gopher.data"

// formHref returns the path of a form, or "". An archive has no server to fill it in.
func (p *page) formHref(u uri.URI) string {
	if !strings.HasPrefix(u.Scheme(), "gopher") || p.g.cfg.Archive != nil {
		return ""
	}
	return path(askPath, u)
}
