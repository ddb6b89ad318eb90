package news

import (
	"strconv"

	"example.org/deref/fetch"
)

// sequence is the specification's bare sequence: the commands that retrieve what the URI names, without those that open a session.
func (r *parts) sequence() []fetch.Step {
	if r.What == whatGroup {
		return []fetch.Step{r.group()} // RFC 1738 section 3.6 leaves to the reader what is then done with the group
	}
	steps, _ := r.steps(fetch.Retrieve)
	p := fetch.Plan{Steps: steps}
	return p.When("")
}

// steps are the commands of one operation.
func (r *parts) steps(op fetch.Op) ([]fetch.Step, error) {
	switch op {
	case fetch.Retrieve:
		return r.retrieve(), nil
	case fetch.Metadata:
		return r.metadata()
	case fetch.Send:
		return r.post()
	}
	return nil, fetch.Errorf(fetch.ErrUnsupported, "%s has no operation %q", r.Scheme, op)
}

func (r *parts) retrieve() []fetch.Step {
	switch r.What {
	case whatArticle:
		return []fetch.Step{{Verb: "ARTICLE", Args: []string{"<" + string(*r.MessageID) + ">"}}}
	case whatNumber:
		return []fetch.Step{r.group(), {Verb: "ARTICLE", Args: []string{r.span()}}}
	case whatGroup, whatRange:
		return []fetch.Step{
			r.group(),
			{Verb: "OVER", Args: []string{r.span()}},
			{Verb: "XOVER", Args: []string{r.span()}, If: ifNoOver},
			{Verb: "HEAD", Args: []string{"<number>"}, If: ifNoXover, Repeat: untilLast},
		}
	}
	return []fetch.Step{{Verb: "LIST ACTIVE", Args: r.pattern()}, {Verb: "LIST NEWSGROUPS", Args: r.pattern()}}
}

func (r *parts) metadata() ([]fetch.Step, error) {
	switch r.What {
	case whatArticle:
		return []fetch.Step{{Verb: "HEAD", Args: []string{"<" + string(*r.MessageID) + ">"}}}, nil
	case whatNumber:
		return []fetch.Step{r.group(), {Verb: "HEAD", Args: []string{r.span()}}}, nil
	case whatGroup:
		return []fetch.Step{r.group()}, nil
	}
	return nil, fetch.Errorf(fetch.ErrUnsupported, "a list of %s has nothing but its lines", r.What)
}

// post hands an article over to a group: RFC 3977 section 6.3.1.
func (r *parts) post() ([]fetch.Step, error) {
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
func (r *parts) span() string {
	if r.First == nil {
		return "<low>-<high>"
	}
	first := strconv.FormatInt(*r.First, 10)
	switch {
	case r.What == whatNumber:
		return first
	case r.Last == nil:
		return first + "-"
	}
	return first + "-" + strconv.FormatInt(*r.Last, 10)
}
