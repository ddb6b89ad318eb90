package mail

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	wire "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"example.org/deref/fetch"
)

// A listed mailbox is one LIST response.
type listed struct {
	name  string
	attrs []string
}

// has reports whether the mailbox has an attribute.
func (m listed) has(attr string) bool {
	return slices.ContainsFunc(m.attrs, func(a string) bool { return strings.EqualFold(a, attr) })
}

// mailboxes lists all mailboxes.
func (s *session) mailboxes() iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		var cmd *imapclient.ListCommand
		err := s.take(func() error {
			s.guard.plan("LIST")
			cmd = s.client.List("", "*", nil)
			s.drain = cmd.Close
			return nil
		})
		each(s, err, "LIST", yield, func() (m listed, more bool, err error) {
			s.guard.renew()
			d := cmd.Next()
			if d == nil {
				return m, false, nil
			}
			m.name = d.Mailbox
			for _, a := range d.Attrs {
				m.attrs = append(m.attrs, string(a))
			}
			return m, true, nil
		})
	}
}

// selected opens a mailbox for reading only, and returns what the server reports about it.
func (s *session) selected(name string) (d *wire.SelectData, err error) {
	err = s.wait("EXAMINE", "EXAMINE", func() (err error) {
		d, err = s.client.Select(name, &wire.SelectOptions{ReadOnly: true}).Wait()
		return err
	})
	return d, err
}

// mailboxState returns the validator of a mailbox. It changes with every message that arrives or is removed, and, if the server has CONDSTORE (RFC
// 7162), with every flag. It is weak, because ranges of listings do not depend on it.
func mailboxState(d *wire.SelectData) fetch.Validator {
	return fetch.Validator{Tag: fmt.Sprintf("W/%d.%d.%d.%d", d.UIDValidity, d.UIDNext, d.NumMessages, d.HighestModSeq)}
}

// placeholder is what the library sends until the guard replaces it by a search program, which the library cannot send verbatim.
const placeholder = "deref: the search program"

// search sends a search program verbatim.
func (s *session) search(program string) ([]uint32, error) {
	s.guard.replace(`TEXT "`+placeholder+`"`, program)
	defer s.guard.replace("", "")
	return s.searchText([]string{placeholder})
}

// searchText finds messages that contain all the words in their header or body.
func (s *session) searchText(words []string) ([]uint32, error) {
	return s.uids(&wire.SearchCriteria{Text: words})
}

// searchHeader finds messages with a text in a header field.
func (s *session) searchHeader(name, value string) ([]uint32, error) {
	return s.uids(withField(name, value))
}

func withField(name, value string) *wire.SearchCriteria {
	return &wire.SearchCriteria{Header: []wire.SearchCriteriaHeaderField{{Key: name, Value: value}}}
}

// searchAddress finds messages to or from an address, of a date or later unless since is zero.
func (s *session) searchAddress(addr string, since time.Time) ([]uint32, error) {
	to := wire.SearchCriteria{Or: [][2]wire.SearchCriteria{{*withField("To", addr), *withField("Cc", addr)}}}
	c := &wire.SearchCriteria{Or: [][2]wire.SearchCriteria{{*withField("From", addr), to}}}
	if !since.IsZero() {
		c.SentSince = since.AddDate(0, 0, -1) // the server compares dates and ignores their zones
	}
	return s.uids(c)
}

// maxUIDs bounds the response to a search.
const maxUIDs = 1 << 20

func (s *session) uids(c *wire.SearchCriteria) ([]uint32, error) {
	var d *wire.SearchData
	err := s.wait("UID SEARCH", "SEARCH", func() (err error) {
		d, err = s.client.UIDSearch(c, nil).Wait()
		return err
	})
	if err != nil {
		return nil, err
	}
	set, ok := d.All.(wire.UIDSet)
	if d.All != nil && (!ok || set.Dynamic()) {
		return nil, fetch.Errorf(fetch.ErrProtocol, "the hits of the server are not UIDs")
	}
	list := []uint32{}
	for _, r := range set { // a hostile server sends "1:4294967295"
		for n := uint64(r.Start); n <= uint64(r.Stop); n++ {
			if len(list) == maxUIDs {
				return nil, fetch.Errorf(fetch.ErrLimit, "more than %d hits", maxUIDs)
			}
			list = append(list, uint32(n))
		}
	}
	return list, nil
}
