package request

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// WarnOfSecrets makes the command warn once if the files, which record what c does, contain a credential, because a server has repeated it in a
// document and documents are never changed. Empty names are ignored.
func WarnOfSecrets(a *app.App, c *fetch.Client, files ...string) {
	files = slices.DeleteFunc(files, func(name string) bool { return name == "" })
	if len(files) == 0 {
		return
	}
	var once sync.Once
	c.Repeated = func(u uri.URI) {
		once.Do(func() {
			verb := "contains"
			if len(files) > 1 {
				verb = "contain"
			}
			fmt.Fprintf(a.Stderr, "deref: warning: %s %s a password: the document of %s repeats it\n", strings.Join(files, " and "), verb, c.Schemes.Redact(u))
		})
	}
}
