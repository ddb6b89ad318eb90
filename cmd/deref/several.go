package main

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// subject names the URI in an error line where there is more than one.
func subject(us []uri.URI, u uri.URI) string {
	if len(us) < 2 {
		return ""
	}
	return fetch.Registry(schemes.All(nil)).Redact(u)
}

func firstOf(first, err error) error {
	if first != nil {
		return first
	}
	return err
}

func asPrinted(err error) error {
	if err == nil {
		return nil
	}
	return &printedError{err}
}
