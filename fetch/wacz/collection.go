package wacz

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// A collection is a list of packages, which readers load from where it says: a file of JSON, or a ZIP file that may also contain them.
type collection struct {
	Profile   string `json:"profile"`
	Resources []struct {
		Name string `json:"name"`
		Path string `json:"path"`
	} `json:"resources"`
}

// A CollectionError reports that a file is a list of packages and contains no archive itself.
type CollectionError struct {
	Packages []string // their URLs, or their names in a ZIP file
	Within   bool     // they are in the file
}

// maxNamed bounds the packages that the text of a CollectionError names.
const maxNamed = 3

func (e *CollectionError) Error() string {
	what := "fetch them and name them"
	if e.Within {
		what = "unpack it (unzip) and name them"
	}
	names := strings.Join(e.Packages[:min(maxNamed, len(e.Packages))], ", ")
	if more := len(e.Packages) - maxNamed; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	if names != "" {
		names = ": " + names
	}
	return fmt.Sprintf("a collection of WACZ packages (multi-wacz-package), which contains no archive itself; %s%.500s", what, names)
}

// CheckCollection returns a *CollectionError if the JSON text in r describes a collection, and otherwise nil.
func CheckCollection(r io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(r, maxMetadata))
	if err == nil {
		err = collectionIn(text)
	}
	if e, ok := errors.AsType[*CollectionError](err); ok {
		return e
	}
	return nil
}

// collectionIn returns a *CollectionError if text describes a collection. The profile is multi-wacz-package, and multi-wacz in drafts; without one
// the resources are WACZ files.
func collectionIn(text []byte) error {
	var c collection
	if err := json.Unmarshal(text, &c); err != nil || len(c.Resources) > maxEntries {
		return nil
	}
	e := &CollectionError{}
	for _, r := range c.Resources {
		if isPackageName(r.Path) {
			e.Packages = append(e.Packages, r.Path)
		}
	}
	if !strings.HasPrefix(c.Profile, "multi-wacz") && len(e.Packages) == 0 {
		return nil
	}
	return e
}

func isPackageName(s string) bool {
	s, _, _ = strings.Cut(s, "?")
	return strings.EqualFold(path.Ext(s), ".wacz")
}

// whyEmpty returns the error about a ZIP file without archives.
func (p *Package) whyEmpty() error {
	e := &CollectionError{Within: true}
	for name := range p.files {
		if isPackageName(name) {
			e.Packages = append(e.Packages, name)
		}
	}
	if len(e.Packages) > 0 {
		slices.Sort(e.Packages)
		return e
	}
	if text, err := p.read(packageName); err == nil {
		if err := collectionIn(text); err != nil {
			return err
		}
	}
	return errors.New("the package contains no archive")
}
