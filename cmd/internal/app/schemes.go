package app

import (
	"slices"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
)

// Schemes returns the schemes of the program: those of package schemes with this configuration, and those that the program adds.
func (a *App) Schemes(c *schemes.Config) []fetch.Scheme { return Replace(schemes.All(c), a.More) }

// Replace adds schemes to a list. They replace the handlers of their names.
func Replace(list, more []fetch.Scheme) []fetch.Scheme {
	for _, s := range more {
		for i := range list {
			list[i].Names = slices.DeleteFunc(slices.Clone(list[i].Names), func(n string) bool { return slices.Contains(s.Names, n) })
		}
	}
	list = slices.DeleteFunc(list, func(s fetch.Scheme) bool { return len(s.Names) == 0 })
	return append(list, more...)
}
