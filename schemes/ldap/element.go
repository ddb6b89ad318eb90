package ldap

import "example.org/deref/fetch"

// The tags of messages: RFC 4511 sections 4.2 to 4.12, the first byte of protocolOp.
const (
	tagSequence  = 0x30
	tagInteger   = 0x02
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
	id uint64
	op byte
}

func parseMessage(b []byte) (m envelope, err error) {
	tag, inner, _, err := element(b)
	if err != nil || tag != tagSequence {
		return m, fetch.Errorf(fetch.ErrProtocol, "a message is not a sequence")
	}
	tag, id, rest, err := element(inner)
	if err != nil || tag != tagInteger || len(id) == 0 || len(id) > 4 || len(rest) == 0 {
		return m, fetch.Errorf(fetch.ErrProtocol, "a message without identifier and operation")
	}
	for _, c := range id {
		m.id = m.id<<8 | uint64(c)
	}
	m.op = rest[0]
	return m, nil
}

// element splits off the first element of b: its tag, its contents, and the bytes after it. As RFC 4511 section 5.1 requires, it accepts only
// definite lengths and tags of one byte.
func element(b []byte) (tag byte, contents, rest []byte, err error) {
	if len(b) < 2 || b[0]&0x1f == 0x1f {
		return 0, nil, nil, fetch.Errorf(fetch.ErrProtocol, "an element without tag or length")
	}
	tag, n, at := b[0], int(b[1]), 2
	if n > 0x80 && n <= 0x84 && len(b) >= 2+n&0x7f {
		at += n & 0x7f
		n = 0
		for _, c := range b[2:at] {
			n = n<<8 | int(c)
		}
	} else if n >= 0x80 {
		return 0, nil, nil, fetch.Errorf(fetch.ErrProtocol, "an element has no definite length")
	}
	if n < 0 || n > len(b)-at {
		return 0, nil, nil, fetch.Errorf(fetch.ErrProtocol, "an element is longer than its container")
	}
	return tag, b[at : at+n], b[at+n:], nil
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
	for len(b) > 0 {
		tag, contents, rest, err := element(b)
		if err != nil {
			return err
		}
		if left.elements--; left.elements < 0 {
			return fetch.Errorf(fetch.ErrLimit, "a message has more than %d elements", maxElements)
		}
		if left.copies >= 0 {
			if left.copies -= int64(len(contents)); left.copies < 0 {
				return fetch.Errorf(fetch.ErrLimit, "large elements of a message are nested")
			}
		}
		if tag&0x20 != 0 {
			if err := left.spend(contents, deep-1); err != nil {
				return err
			}
		}
		b = rest
	}
	return nil
}
