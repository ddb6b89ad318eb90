package browse

// push adds a page to the history after the one that is shown, and drops those after it.
func (b *Browser) push(t target, p *page) {
	v := &visit{target: t, page: p}
	b.visits = append(b.visits[:b.at+1], v)
	b.at++
	b.enter(v)
	b.jump(v)
	b.forget()
}

// enter shows a visit.
func (b *Browser) enter(v *visit) {
	b.shift = 0
	b.relayout(v)
	b.clamp(v)
	if v.link == 0 {
		b.selectVisible(v)
	}
}

// move goes back or forward in the history. A page that is no longer in memory is fetched again.
func (b *Browser) move(by int) {
	if b.stop() {
		b.say("Stopped.")
		return
	}
	to := b.at + by
	switch {
	case to < 0:
		b.say("This is the first page.")
		return
	case to >= len(b.visits):
		b.say("This is the last page.")
		return
	}
	v := b.visits[to]
	if v.page == nil {
		b.fetch(v.target, func(p *page) {
			v.page, b.at = p, to
			b.enter(v)
		})
		return
	}
	b.at = to
	b.enter(v)
}

// reload fetches the page again.
func (b *Browser) reload() {
	v := b.visit()
	if v.target.own != "" {
		return
	}
	clear(b.forms)
	b.fetch(v.target, func(p *page) {
		v.page = p
		b.enter(v)
	})
}

// forget drops the pages of the history that are neither shown nor in the cache, so that memory stays bounded.
func (b *Browser) forget() {
	for i, v := range b.visits {
		if i != b.at && v.page != nil && v.page.err == nil && v.target.own == "" && b.cache.pages[b.key(v.target)] != v.page {
			v.page = nil
		}
	}
	if len(b.visits) > maxVisits {
		drop := len(b.visits) - maxVisits
		b.visits, b.at = b.visits[drop:], max(b.at-drop, 0)
	}
}

// maxVisits bounds the history.
const maxVisits = 1000
