package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/schemes/mail"
	"example.org/deref/uri"
)

// letterFlags are the flags of a message that is made of a text and files.
type letterFlags struct {
	body        string
	attachments flags.NonEmptyList
	bcc         flags.NonEmptyList
}

func (f *letterFlags) add(fs *pflag.FlagSet) {
	flags.TextVar(fs, &f.body, "body", "", "mailto: read the text of the message, without a header, from `FILE` (- is standard input)")
	fs.Var(&f.attachments, "attach", "mailto: attach `FILE`; the text is --body, that of the URI, or standard input (repeatable)")
	fs.Var(&f.bcc, "bcc", "mailto: send it to `ADDRESS`, too, which the message does not name (repeatable)")
}

func (f *letterFlags) used() bool { return f.body != "" || len(f.attachments) > 0 }

// check reports flags that contradict the others.
func (f *letterFlags) check(all *sendFlags, u uri.URI) error {
	switch {
	case (f.used() || len(f.bcc) > 0) && u.Scheme() != "mailto":
		return flags.Usage("--body, --attach and --bcc are for mailto URIs")
	case f.used() && all.file != "":
		return flags.Usage("--file is a whole message with its header; it excludes --body and --attach")
	case f.body != "" && all.empty:
		return flags.Usage("--empty and --body exclude each other")
	}
	return nil
}

// open returns the message. It opens all files now, so that one that is missing is known before the server is contacted.
func (f *letterFlags) open(a *app.App, u uri.URI, o *fetch.Options, empty bool) (_ io.ReadCloser, err error) {
	m := &letterFile{}
	defer func() {
		if err != nil {
			m.Close()
		}
	}()
	l := &mail.Letter{}
	if !empty && (f.body != "" || fieldsOf(u)["body"] == nil) {
		text, err := openMessage(a, f.body)
		if err != nil {
			return nil, err
		}
		l.Text, m.files = text, append(m.files, text)
		if fieldsOf(u)["body"] != nil {
			a.Warn(errors.New("the text was given separately, so the URI's body is not sent"))
		}
	}
	for _, name := range f.attachments {
		in, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		m.files = append(m.files, in)
		if info, err := in.Stat(); err == nil && info.IsDir() {
			return nil, fetch.Errorf(fetch.ErrLocal, "%s is a directory; only files can be attached", name)
		}
		l.Attachments = append(l.Attachments, mail.Attachment{Name: filepath.Base(name), Data: in})
	}
	m.Reader, err = l.Message(u, o.Mode)
	return m, err
}

// A letterFile is the message of a mail.Letter, with the files that it reads.
type letterFile struct {
	io.Reader
	files []io.Closer
}

func (m *letterFile) Close() (err error) {
	for _, c := range m.files {
		err = errors.Join(err, c.Close())
	}
	return err
}
