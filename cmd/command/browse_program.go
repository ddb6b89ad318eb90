package command

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
)

// browseElsewhere executes deref-browse with the arguments of this command.
func browseElsewhere(ctx context.Context, a *app.App) error {
	if len(a.More) > 0 {
		return fetch.Errorf(fetch.ErrUnsupported, "deref-browse does not have the schemes of this program; it needs a Screen of its own")
	}
	name, err := sibling("deref-browse")
	if err != nil {
		return err
	}
	return execute(ctx, a, name, a.Args)
}

// sibling returns the path of another command of this project: the one next to this program, or else in PATH.
func sibling(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			near := filepath.Join(filepath.Dir(self), name+filepath.Ext(self))
			if info, err := os.Stat(near); err == nil && info.Mode().IsRegular() {
				return near, nil
			}
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", &fetch.Error{Kind: fetch.ErrLocal, Text: name + " is neither next to this program nor in PATH",
			Hint: "in a clone of the project, go install ./cmd/... installs both"}
	}
	return path, nil
}
