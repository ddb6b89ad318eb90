// Package schemes is the list of the schemes that deref knows.
//
//	c := fetch.New(schemes.All(nil)...)
//
// A program that needs a few of them names those packages instead, and links nothing else.
package schemes

import "example.org/deref/fetch"

// Config holds the settings of the schemes that have any; nil, and each zero field, means the default.
type Config struct{}

// All returns every scheme, in the order in which `deref schemes` shows them.
func All(c *Config) []fetch.Scheme {
	return nil
}
