package news

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// sequence returns the commands that retrieve the object, without those that open a session.
func (r *newsURI) sequence() []fetch.Step {
	if r.What == whatGroup {
		return []fetch.Step{r.groupStep()} // RFC 1738 section 3.6 does not specify what follows
	}
	steps, _ := r.steps(&fetch.Options{}, settings{command: "article"})
	p := fetch.Plan{Steps: steps}
	return p.When("")
}

// steps returns the commands of an operation.
func (r *newsURI) steps(o *fetch.Options, w settings) ([]fetch.Step, error) {
	switch o.Op {
	case fetch.Retrieve:
		return r.retrieveSteps(w, o.Range.From > 0), nil
	case fetch.Metadata:
		return r.metadataSteps()
	case fetch.Send:
		return r.postSteps()
	}
	return nil, fetch.NoOperation(r.Scheme, o.Op)
}

func (r *newsURI) retrieveSteps(w settings, resumed bool) []fetch.Step {
	switch {
	case w.thread:
		return r.threadSteps()
	case r.What == whatArticle:
		return []fetch.Step{r.articleStep(w.verb())}
	case r.What == whatNumber:
		return []fetch.Step{r.groupStep(), r.articleStep(w.verb())}
	case w.mbox:
		return r.mailboxSteps(w, resumed)
	case r.What == whatGroup || r.What == whatRange:
		return append([]fetch.Step{r.groupStep()}, overview(r.span(w), "")...)
	case !w.since.IsZero():
		return r.newNewsSteps(w)
	}
	return []fetch.Step{{Verb: "LIST NEWSGROUPS", Args: r.pattern()}, {Verb: "LIST COUNTS", Args: r.pattern()},
		r.listActiveStep(ifNoCounts)}
}

// listActiveStep returns LIST ACTIVE, the fallback for LIST COUNTS, which counts the articles, too (RFC 6048 section 2.2).
func (r *newsURI) listActiveStep(cond string) fetch.Step {
	return fetch.Step{Verb: "LIST ACTIVE", Args: r.pattern(), If: cond}
}

// verb returns the command for an article, or for a part of it.
func (w settings) verb() string { return strings.ToUpper(w.command) }

func (r *newsURI) articleStep(verb string) fetch.Step {
	if r.What == whatArticle {
		return fetch.Step{Verb: verb, Args: []string{"<" + string(*r.MessageID) + ">"}}
	}
	return fetch.Step{Verb: verb, Args: []string{r.span(settings{})}}
}

// mailboxSteps fetches the articles one by one. It first requests their numbers if that saves much: if the group has holes, if only those
// since a date are wanted, or if only the message-id of one of them is known.
func (r *newsURI) mailboxSteps(w settings, resumed bool) []fetch.Step {
	list := []fetch.Step{r.groupStep()}
	if resumed {
		list = append(list, hdr("Message-ID", ifUnnumbered)...)
	}
	if w.since.IsZero() {
		list = append(list, listgroup())
	} else {
		list = append(list, hdr("Date", "")...)
	}
	return append(list, fetch.Step{Verb: "ARTICLE", Args: []string{"<number>"}, Repeat: untilLast})
}

// listgroup requests the numbers of the articles (RFC 3977 section 6.1.2).
func listgroup() fetch.Step {
	return fetch.Step{Verb: "LISTGROUP", Args: []string{"<group>", "<low>-<high>"}, If: ifHoles}
}

// hdr requests one field of each article (RFC 3977 section 8.5, RFC 2980 section 2.6).
func hdr(field, cond string) []fetch.Step {
	return []fetch.Step{
		{Verb: "HDR", Args: []string{field, "<low>-<high>"}, If: cond},
		{Verb: "XHDR", Args: []string{field, "<low>-<high>"}, If: ifNoHDR},
	}
}

// overview requests a line about each article, in the ways that servers support: RFC 3977 section 8.3, RFC 2980 section 2.8, and header
// by header.
func overview(span, cond string) []fetch.Step {
	return []fetch.Step{
		{Verb: "OVER", Args: []string{span}, If: cond},
		{Verb: "XOVER", Args: []string{span}, If: ifNoOver},
		listgroup(),
		{Verb: "HEAD", Args: []string{"<number>"}, If: ifNoXover, Repeat: untilLast},
	}
}

// threadSteps requests the article's References, the articles that it answers, which may be in other groups, and the overview of each
// group.
func (r *newsURI) threadSteps() []fetch.Step {
	list := []fetch.Step{r.articleStep("HEAD")}
	if r.Group != nil {
		list = append([]fetch.Step{r.groupStep()}, list...)
	}
	list = append(list, fetch.Step{Verb: "HEAD", Args: []string{"<reference>"}, If: ifAnswers, Repeat: untilFirst})
	return append(list, overviews(ifGrouped)...)
}

// overviews requests the overviews of several groups, one after the other.
func overviews(cond string) []fetch.Step {
	return append([]fetch.Step{{Verb: "GROUP", Args: []string{"<group>"}, If: cond, Repeat: untilGroups}},
		overview("<low>-<high>", cond)...)
}

// newNewsSteps requests the articles since a date (RFC 3977 section 7.4). Many servers refuse that; the overviews of the groups contain
// the articles' own dates.
func (r *newsURI) newNewsSteps(w settings) []fetch.Step {
	pattern := "*"
	if r.Group != nil {
		pattern = string(*r.Group)
	}
	list := []fetch.Step{{Verb: "NEWNEWS", Args: []string{pattern, w.since.Format("20060102"), w.since.Format("150405"), "GMT"}},
		r.listActiveStep(ifNoNews)}
	return append(list, overviews(ifNoNews)...)
}

func (r *newsURI) metadataSteps() ([]fetch.Step, error) {
	switch {
	case r.isOne():
		return r.retrieveSteps(settings{command: "head"}, false), nil
	case r.What == whatGroup:
		return []fetch.Step{r.groupStep()}, nil
	}
	return nil, fetch.Errorf(fetch.ErrUnsupported, "a list of %s has no metadata", r.What)
}

// postSteps posts an article to a group (RFC 3977 section 6.3.1).
func (r *newsURI) postSteps() ([]fetch.Step, error) {
	if r.What != whatGroup {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "an article can only be posted to a group")
	}
	return []fetch.Step{{Verb: "POST"}, {Data: "Newsgroups: " + string(*r.Group) + "\r\n<article>", If: ifAccepted}}, nil
}

func (r *newsURI) groupStep() fetch.Step {
	return fetch.Step{Verb: "GROUP", Args: []string{string(*r.Group)}}
}

// pattern returns the wildmat of LIST, or nil for all groups.
func (r *newsURI) pattern() []string {
	if r.Group == nil {
		return nil
	}
	return []string{string(*r.Group)}
}

// span formats the numbers as in RFC 3977. Those of a whole group are in the reply to GROUP.
func (r *newsURI) span(w settings) string {
	if r.First == nil || w.last > 0 && r.Last == nil {
		return "<low>-<high>"
	}
	first := *r.First
	if w.last > 0 {
		first = max(first, *r.Last-int64(w.last)+1)
	}
	switch text := strconv.FormatInt(first, 10); {
	case r.What == whatNumber:
		return text
	case r.Last == nil:
		return text + "-"
	default:
		return text + "-" + strconv.FormatInt(*r.Last, 10)
	}
}
