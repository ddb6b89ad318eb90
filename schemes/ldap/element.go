package ldap

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
)

// The tags of messages: RFC 4511 sections 4.2 to 4.12, the first byte of protocolOp.
const (
	opBind       = 0x60
	opUnbind     = 0x42
	opSearch     = 0x63
	opAbandon    = 0x50
	opRequest    = 0x77 // extended
	opBindDone   = 0x61
	opEntry      = 0x64
	opSearchDone = 0x65
	opReference  = 0x73
	opExtended   = 0x78
)

// An envelope is the beginning of an LDAPMessage.
type envelope struct {
	id int64
	op byte
}

// parseMessage parses exactly one message.
func parseMessage(b []byte) (envelope, error) {
	outer := frames.Reader{Rest: b}
	in := frames.Reader{Rest: outer.Take(frames.Sequence)}
	id := in.Next()
	if outer.Bad || len(outer.Rest) > 0 || in.Bad || id.Tag != frames.Integer || len(id.Contents) == 0 || len(id.Contents) > 4 || len(in.Rest) == 0 {
		return envelope{}, fetch.Errorf(fetch.ErrProtocol, "not one message with an identifier and an operation")
	}
	return envelope{id: id.Int(), op: in.Rest[0]}, nil
}

// A budget limits the memory that the library uses for one message: about 1100 bytes for each element, and a copy of the contents at each
// level.
type budget struct {
	elements int
	copies   int64 // bytes within elements, once for each level; negative for no limit
}

const (
	maxElements = 1 << 15
	maxCopies   = 7 // of the longest message: a value is six levels deep (RFC 4511 section 4.5.2)
)

func newBudget(most int) budget {
	b := budget{elements: maxElements, copies: -1}
	if most >= 0 {
		b.copies = int64(most) * maxCopies
	}
	return b
}

// spend returns an error if the depth, number or size of the elements exceeds the budget.
func (left *budget) spend(b []byte, deep int) error {
	if deep == 0 {
		return fetch.Errorf(fetch.ErrProtocol, "a message is nested too deeply")
	}
	for r := (frames.Reader{Rest: b}); len(r.Rest) > 0; {
		e := r.Next()
		if r.Bad {
			return fetch.Errorf(fetch.ErrProtocol, "an element without a definite length, or longer than its container")
		}
		if left.elements--; left.elements < 0 {
			return fetch.Errorf(fetch.ErrLimit, "a message has more than %d elements", maxElements)
		}
		if left.copies >= 0 {
			if left.copies -= int64(len(e.Contents)); left.copies < 0 {
				return fetch.Errorf(fetch.ErrLimit, "large elements of a message are nested")
			}
		}
		if e.Tag&0x20 != 0 {
			if err := left.spend(e.Contents, deep-1); err != nil {
				return err
			}
		}
	}
	return nil
}
