package schemes_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

// An entry states the unit to which its time is known, and whether its zone is, also in JSON and after it.
func TestEntriesStateTheirPrecision(t *testing.T) {
	old, recent := time.Date(1994, 12, 20, 10, 11, 12, 0, time.UTC), time.Now().Add(-30*24*time.Hour).UTC()
	site := fstest.MapFS{"old.txt": {Data: []byte("wide"), ModTime: old}, "new.txt": {Data: []byte("wide"), ModTime: recent}}
	mlsd, list := ftptest.NewServer(site, nil), ftptest.NewServer(site, &ftptest.Options{NoMLSD: true})
	gopher := gophertest.NewServer(site, &gophertest.Options{Plus: true})
	defer mlsd.Close()
	defer list.Close()
	defer gopher.Close()
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	for _, tt := range []struct{ uri, title, want string }{
		{mlsd.URL + "/", "old.txt", `"precision":"second"`},
		{list.URL + "/", "old.txt", `"precision":"day","zone":"unknown"`},
		{list.URL + "/", "new.txt", `"precision":"minute","zone":"unknown"`},
		{gopher.URL + "/1%09%09$", "old.txt", `"precision":"second","zone":"unknown"`},
	} {
		found := false
		for e, err := range c.Entries(t.Context(), uri.MustParse(tt.uri), nil) {
			if err != nil {
				t.Fatalf("%s: %v", tt.uri, err)
			}
			if !strings.HasPrefix(e.Title, strings.TrimSuffix(tt.title, ".txt")) {
				continue
			}
			found = true
			b, err := json.Marshal(e)
			if err != nil || !strings.Contains(string(b), tt.want) || strings.Contains(string(b), `"zone"`) != strings.Contains(tt.want, `"zone"`) {
				t.Errorf("%s: got %s, %v, want %s", tt.uri, b, err, tt.want)
			}
			var again fetch.Entry
			if err := json.Unmarshal(b, &again); err != nil || again.Precision != e.Precision || again.ZoneUnknown != e.ZoneUnknown {
				t.Errorf("%s: got %s %t, %v, want %s %t", tt.uri, again.Precision, again.ZoneUnknown, err, e.Precision, e.ZoneUnknown)
			}
		}
		if !found {
			t.Errorf("%s: got no entry %s, want one", tt.uri, tt.title)
		}
	}
}
