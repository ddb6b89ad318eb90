//go:build !linux

package save

func (f *Folder) renameNew(old, name string) error { return f.linkNew(old, name) }
