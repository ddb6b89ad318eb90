package browse

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/tofu"
)

// An untrusted error is about a key that the user has not decided about.
type untrusted struct{ key tofu.Key }

func (u *untrusted) Error() string {
	return u.key.Addr + " shows a certificate that no authority has signed"
}

// decisions are the user's answers about keys in this visit.
type decisions struct {
	mu     sync.Mutex
	always map[tofu.Key]bool // false for a key that is trusted in this visit only
}

// Confirm asks the user about the keys of servers that sign their own certificates. It is a tofu.Store's Confirm, and may be called
// concurrently.
//
// It does not keep the server waiting: it refuses an unknown key at once, and the Browser opens the page again after the user has agreed.
func (b *Browser) Confirm(k tofu.Key) (remember bool, err error) {
	b.decided.mu.Lock()
	defer b.decided.mu.Unlock()
	remember, ok := b.decided.always[k]
	if !ok {
		return false, &fetch.Error{Kind: fetch.ErrTLS, Text: (&untrusted{k}).Error(), Err: &untrusted{k}}
	}
	return remember, nil
}

// askTrust asks whether to trust a key.
func (b *Browser) askTrust(t target, k tofu.Key) {
	hash := k.Hash
	if len(hash) > 23 {
		hash = hash[:23] + "…"
	}
	question := fmt.Sprintf("New key of %s (%s). Trust it: always, once, no? ", k.Addr, hash)
	if k.Old != "" {
		question = fmt.Sprintf("THE KEY OF %s HAS CHANGED before %s (%s). Trust it: always, once, no? ", k.Addr, k.OldUntil.Format(time.DateOnly), hash)
	}
	b.ask(question, "", func(answer string) {
		switch a := strings.ToLower(strings.TrimSpace(answer)); {
		case strings.HasPrefix(a, "a"), strings.HasPrefix(a, "o"):
			b.decided.mu.Lock()
			if b.decided.always == nil {
				b.decided.always = map[tofu.Key]bool{}
			}
			b.decided.always[k] = a[0] == 'a'
			b.decided.mu.Unlock()
			b.open(t)
		default:
			b.say("Not trusted.")
		}
	})
}
