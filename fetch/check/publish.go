package check

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// publish sets the base of a local document to where it will be published.
func (r *run) publish(d *fetch.Document) {
	if r.options.Base.IsZero() || d.URI.Scheme() != "file" {
		return
	}
	d.Base = r.options.Base
	if path, ok := strings.CutPrefix(d.URI.String(), r.top); ok && r.top != "" {
		if ref, err := uri.Parse("./" + path); err == nil {
			d.Base = d.Base.Resolve(ref)
		}
	}
}

// rooted returns the target of a link that begins with "/" in a local file.
func (r *run) rooted(l Link, d *fetch.Document) Link {
	root := r.options.Root
	if root.IsZero() || l.Err != nil || l.URI.Scheme() != "file" || d.URI.Scheme() != "file" || !strings.HasPrefix(l.Ref, "/") || strings.HasPrefix(l.Ref, "//") {
		return l
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(l.URI.String(), "file:"), "//")
	if u, err := uri.Parse(strings.TrimSuffix(root.String(), "/") + rest); err == nil {
		l.URI = u
	}
	return l
}
