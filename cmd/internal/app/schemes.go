package app

import (
	"slices"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
)

// Schemes returns the schemes of the program: those of package schemes with this configuration, and those that the program adds. One that it
// adds replaces the handler of its names.
func (a *App) Schemes(c *schemes.Config) []fetch.Scheme {
	list := schemes.All(c)
	if len(a.More) == 0 {
		return list
	}
	for _, more := range a.More {
		for i := range list {
			list[i].Names = slices.DeleteFunc(slices.Clone(list[i].Names), func(n string) bool { return slices.Contains(more.Names, n) })
		}
	}
	list = slices.DeleteFunc(list, func(s fetch.Scheme) bool { return len(s.Names) == 0 })
	return append(list, a.More...)
}
