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

// explain returns the text of the page above the question.
func (u *untrusted) explain() string {
	k := u.key
	text := k.Addr + " shows a certificate that it has signed itself, as most servers of this kind do. Nobody confirms whose it is.\n\n"
	text += fmt.Sprintf("key    %s\nuntil  %s\n", k.Hash, k.Until.Format(time.DateOnly))
	if k.Old == "" {
		return text + "\nThis is the first visit. If you trust the key always, another key will be refused until then.\n"
	}
	return text + fmt.Sprintf("\nTHE KEY HAS CHANGED. It was %s, and should have stayed until %s. Either the server has a new one, or somebody is between you and it.\n",
		k.Old, k.OldUntil.Format(time.DateOnly))
}

// askTrust asks whether to trust a key.
func (b *Browser) askTrust(t target, k tofu.Key, again func(target)) {
	b.ask("Trust this key (always, once, no)? ", "", func(answer string) {
		switch a := strings.ToLower(strings.TrimSpace(answer)); {
		case strings.HasPrefix(a, "a"), strings.HasPrefix(a, "o"):
			b.decided.mu.Lock()
			b.decided.always[k] = a[0] == 'a'
			b.decided.mu.Unlock()
			again(t)
		default:
			b.say("Not trusted.")
		}
	})
}
