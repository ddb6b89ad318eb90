package news

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/lineproto"
)

// Bounds of article numbers, which a server can invent.
const (
	maxNumbers = 4 << 20 // in a list
	maxHoles   = 1 << 18 // numbers in a row without an article
)

// fewHoles is the largest span for which requesting holes is cheaper than LISTGROUP: one pipeline.
const fewHoles = maxCommands

// numbers yields the numbers from low to high that are worth requesting: in a group with holes those of LISTGROUP, and with news.since
// those with a late enough date.
func (r *run) numbers(g group, low, high int64) (iter.Seq[int64], error) {
	span := max(0, high-low+1)
	all := func(yield func(int64) bool) {
		for n := low; n <= high && yield(n); n++ {
		}
	}
	var list []int64
	var err error
	switch {
	case span == 0:
		return all, nil
	case !r.since.IsZero():
		list, err = r.dated(low, high)
	case span > fewHoles && g.high-g.low+1 > g.count:
		list, err = r.listgroup(g, low, high)
	}
	if err != nil || list == nil {
		return all, err
	}
	return slices.Values(list), nil
}

// listgroup sends LISTGROUP. It returns nil if that is refused.
//
// QUIRK: leafnode 1.12 supports it without a range only, and answers 411.
func (r *run) listgroup(g group, low, high int64) (list []int64, err error) {
	s := withSpan(r.plan.When(ifHoles)[0], low, high)
	s.Args[0] = g.name
	r.s.enqueue(s)
	_, a, err := r.nextReply()
	if err == nil && a.code == 411 {
		r.env.Deviates("RFC 3977 section 6.1.2", "the reply to LISTGROUP with a range", "411 for the group of a 211")
	}
	if err != nil || a.code != 211 {
		return nil, err
	}
	list = []int64{}
	err = r.eachLine(limited(g.high-g.low+1, func(line string) {
		if n, ok := number(strings.TrimSpace(line)); ok {
			list = within(list, n, low, high)
		}
	}))
	if list != nil {
		r.doc.Missing += high - low + 1 - int64(len(list))
	}
	return list, err
}

// limited returns a function that calls visit for each line of a list, but for no more than span lines.
func limited(span int64, visit func(line string)) func(line string) error {
	remaining := min(span, maxNumbers)
	return func(line string) error {
		if remaining--; remaining < 0 {
			return &fetch.Error{Kind: fetch.ErrLimit, Text: "the server lists too many articles",
				Hint: "nntp://HOST/GROUP/100-200 is a range of articles"}
		}
		visit(line)
		return nil
	}
}

// within appends a number of the span to a list. It returns nil if the numbers are not in order.
func within(list []int64, n, low, high int64) []int64 {
	switch {
	case list == nil || n < low || n > high:
		return list
	case len(list) > 0 && n <= list[len(list)-1]:
		return nil
	}
	return append(list, n)
}

// dated returns the numbers of articles with a late enough or unreadable date. It returns nil if HDR is unknown.
func (r *run) dated(low, high int64) ([]int64, error) {
	list, gaps := []int64{}, high-low+1
	known, err := r.fields("Date", low, high, func(n int64, value string) {
		gaps--
		if r.wants(value) {
			list = within(list, n, low, high)
		}
	})
	if !known || list == nil {
		return nil, err
	}
	r.doc.Missing += max(0, gaps)
	return list, err
}

// wants reports whether an article with a date is late enough. An unreadable date is.
func (r *run) wants(date string) bool {
	t := mimemail.Date(date)
	return t.IsZero() || !t.Before(r.since)
}

// fields sends HDR, or XHDR, and calls visit for each article. known is false if the server supports neither. A reply without articles
// counts as known.
//
// QUIRK: leafnode 1.12 answers HDR with the code of XHDR.
func (r *run) fields(name string, low, high int64, visit func(n int64, value string)) (known bool, err error) {
	for _, verb := range []string{"HDR", "XHDR"} {
		r.s.enqueue(withSpan(r.step(verb, name), low, high))
		step, a, err := r.nextReply()
		switch {
		case err != nil:
			return false, err
		case a.code == 420 || a.code == 423 || a.code == 430:
			return true, nil
		case unknown(a.code):
			continue
		case a.class() != 2:
			return false, fail(step, a)
		}
		if verb == "HDR" && a.code != 225 {
			r.env.Deviates("RFC 3977 section 8.5", "the reply to HDR", "%d instead of 225", a.code)
		}
		return true, r.eachLine(limited(high-low+1, func(line string) {
			first, value, _ := strings.Cut(line, " ")
			if n, ok := number(first); ok {
				visit(n, strings.TrimSpace(value))
			}
		}))
	}
	return false, nil
}

// eachLine calls visit for each line of a list until it returns an error.
func (r *run) eachLine(visit func(line string) error) error {
	for e, err := range lineproto.Entries(r.text(), r.env.Limits().Line,
		func(line string) fetch.Entry { return fetch.Entry{Title: line} }) {
		if err == nil {
			err = visit(e.Title)
		}
		if err != nil {
			return r.end(err)
		}
	}
	return nil
}

// eachNumber sends step for each number in pipelines, and yields the numbers of positive replies, whose texts the caller must read then.
// It counts and skips numbers without an article (423; QUIRK: leafnode answers 430).
func (r *run) eachNumber(step fetch.Step, numbers iter.Seq[int64]) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		next, stop := iter.Pull(numbers)
		defer stop()
		holes := 0
		for more := true; ; {
			for more && len(r.s.sent)+len(r.s.queue) < maxCommands {
				var n int64
				if n, more = next(); more {
					r.s.enqueue(withNumber(step, n))
				}
			}
			if len(r.s.sent)+len(r.s.queue) == 0 {
				return
			}
			sent, a, err := r.nextReply()
			hole := a.code == 423 || a.code == 430 || a.code == 420
			if holes++; !hole {
				holes = 0
			}
			switch {
			case err == nil && holes > maxHoles:
				err = r.end(fetch.Errorf(fetch.ErrLimit, "%d numbers in a row have no article", holes))
			case err == nil && !hole && a.class() != 2:
				err = r.end(fail(sent, a))
			}
			if err != nil {
				yield(0, err)
				return
			}
			if hole {
				r.doc.Missing++
				continue
			}
			n, _ := strconv.ParseInt(sent.Args[0], 10, 64) // written by withNumber
			if !yield(n, nil) {
				return
			}
		}
	}
}
