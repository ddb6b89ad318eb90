package news

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// sequence is the specification's bare sequence: the commands that retrieve what the URI names, without those that open a session.
func (r *parts) sequence() []fetch.Step {
	if r.What == whatGroup {
		return []fetch.Step{r.group()} // RFC 1738 section 3.6 leaves to the reader what is then done with the group
	}
	steps, _ := r.steps(fetch.Retrieve, wish{command: "article"})
	p := fetch.Plan{Steps: steps}
	return p.When("")
}

// steps are the commands of one operation.
func (r *parts) steps(op fetch.Op, w wish) ([]fetch.Step, error) {
	switch op {
	case fetch.Retrieve:
		return r.retrieve(w), nil
	case fetch.Metadata:
		return r.metadata()
	case fetch.Send:
		return r.posting()
	}
	return nil, fetch.Errorf(fetch.ErrUnsupported, "%s has no operation %q", r.Scheme, op)
}

func (r *parts) retrieve(w wish) []fetch.Step {
	switch {
	case w.thread:
		return r.thread()
	case r.What == whatArticle:
		return []fetch.Step{r.article(w.verb())}
	case r.What == whatNumber:
		return []fetch.Step{r.group(), r.article(w.verb())}
	case w.mbox:
		return []fetch.Step{r.group(), {Verb: "ARTICLE", Args: []string{"<number>"}, Repeat: untilLast}}
	case r.What == whatGroup || r.What == whatRange:
		return append([]fetch.Step{r.group()}, overview(r.span(w), "")...)
	case !w.since.IsZero():
		return []fetch.Step{r.news(w)}
	}
	return []fetch.Step{{Verb: "LIST NEWSGROUPS", Args: r.pattern()}, {Verb: "LIST ACTIVE", Args: r.pattern()}}
}

// verb is the command for an article, or for what is wanted of it.
func (w wish) verb() string { return strings.ToUpper(w.command) }

func (r *parts) article(verb string) fetch.Step {
	if r.What == whatArticle {
		return fetch.Step{Verb: verb, Args: []string{"<" + string(*r.MessageID) + ">"}}
	}
	return fetch.Step{Verb: verb, Args: []string{r.span(wish{})}}
}

// overview asks for a line about each article, in the ways that servers know: RFC 3977 section 8.3, RFC 2980 section 2.8, and one
// header after the other.
func overview(span, cond string) []fetch.Step {
	return []fetch.Step{
		{Verb: "OVER", Args: []string{span}, If: cond},
		{Verb: "XOVER", Args: []string{span}, If: ifNoOver},
		{Verb: "HEAD", Args: []string{"<number>"}, If: ifNoXover, Repeat: untilLast},
	}
}

// thread asks for the article's own References, then for the overview of its group.
func (r *parts) thread() []fetch.Step {
	steps := []fetch.Step{r.article("HEAD")}
	if r.Group != nil {
		return append([]fetch.Step{r.group(), steps[0]}, overview("<low>-<high>", "")...)
	}
	steps = append(steps, fetch.Step{Verb: "GROUP", Args: []string{"<group>"}, If: ifReferences})
	return append(steps, overview("<low>-<high>", ifReferences)...)
}

// news asks for what has arrived since a date: RFC 3977 section 7.4.
func (r *parts) news(w wish) fetch.Step {
	pattern := "*"
	if r.Group != nil {
		pattern = string(*r.Group)
	}
	return fetch.Step{Verb: "NEWNEWS", Args: []string{pattern, w.since.Format("20060102"), w.since.Format("150405"), "GMT"}}
}

func (r *parts) metadata() ([]fetch.Step, error) {
	switch r.What {
	case whatArticle:
		return []fetch.Step{r.article("HEAD")}, nil
	case whatNumber:
		return []fetch.Step{r.group(), r.article("HEAD")}, nil
	case whatGroup:
		return []fetch.Step{r.group()}, nil
	}
	return nil, fetch.Errorf(fetch.ErrUnsupported, "a list of %s has nothing but its lines", r.What)
}

// posting hands an article over to a group: RFC 3977 section 6.3.1.
func (r *parts) posting() ([]fetch.Step, error) {
	if r.What != whatGroup {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "an article is posted to a group")
	}
	return []fetch.Step{{Verb: "POST"}, {Data: "Newsgroups: " + string(*r.Group) + "\r\n<article>", If: ifAccepted}}, nil
}

func (r *parts) group() fetch.Step {
	return fetch.Step{Verb: "GROUP", Args: []string{string(*r.Group)}}
}

// pattern is the wildmat of LIST, none for all groups.
func (r *parts) pattern() []string {
	if r.Group == nil {
		return nil
	}
	return []string{string(*r.Group)}
}

// span writes the numbers as RFC 3977 does; those of a whole group are in the reply to GROUP.
func (r *parts) span(w wish) string {
	if r.First == nil || w.last > 0 && r.Last == nil {
		return "<low>-<high>"
	}
	first := *r.First
	if w.last > 0 {
		first = max(first, *r.Last-w.last+1)
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
