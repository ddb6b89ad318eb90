package command

import (
	"context"
	"errors"
	"mime"
	"os"
	"os/exec"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
)

// A viewer has other programs show documents. Its files exist until it is closed, because some programs return while they show one.
type viewer struct {
	*app.App
	dir string
}

func (v *viewer) close() {
	if v.dir != "" {
		os.RemoveAll(v.dir)
	}
}

// view shows a document by the user's mailcap (RFC 1524), which run-mailcap reads, or by xdg-open. Nothing from a server is part of the command: the
// name of the file is ours, and the type is one that this system knows.
func (v *viewer) view(ctx context.Context, mediaType string, document []byte) error {
	names, _ := mime.ExtensionsByType(mediaType)
	if len(names) == 0 {
		return fetch.Errorf(fetch.ErrUnsupported, "this system knows no files of the type %q", mediaType)
	}
	if v.dir == "" {
		dir, err := os.MkdirTemp("", "deref-view-")
		if v.dir = dir; err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
	}
	f, err := os.CreateTemp(v.dir, "*"+names[0])
	if err == nil {
		_, err = f.Write(document)
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		err = v.Screen.Outside(func() error { return v.run(ctx, mediaType, f.Name()) })
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return nil
}

// run waits for the program. What a program of the mailcap returns is of no interest, but whether there is one.
func (v *viewer) run(ctx context.Context, mediaType, file string) error {
	const noRule = 3 // of run-mailcap
	for _, words := range [][2]string{{"run-mailcap", mediaType + ":" + file}, {"xdg-open", file}} {
		cmd := exec.CommandContext(ctx, words[0], words[1])
		cmd.Stdin, cmd.Stdout = v.Stdin, v.Stdout
		err := cmd.Run()
		if exit, ok := errors.AsType[*exec.ExitError](err); err == nil || ok && words[1] != file && exit.ExitCode() != noRule {
			return nil
		}
	}
	return errors.New("neither run-mailcap nor xdg-open has a program for " + mediaType)
}
