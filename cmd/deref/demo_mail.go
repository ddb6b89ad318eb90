package main

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/schemes"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/uri"
)

// A mailTry is a name that leads into the messages of the site: what it names, and within which message.
type mailTry struct {
	uri, base string
	want      func(message func(name string) string) string
	search    bool
}

func mailTries() []mailTry {
	plain := func(message func(string) string) string { return message("plain") }
	return []mailTry{
		{uri: "mid:plain.1@site.example", want: plain},
		{uri: "mid:related.1@site.example/note%2Fslash@site.example", want: note},
		{uri: "cid:note%2Fslash@site.example", base: "mid:related.1@site.example", want: note},
		{uri: "mailto:tim@site.example", search: true, want: plain},
	}
}

// note is the text of a part that is sent in quoted-printable.
func note(func(string) string) string {
	return "A note in Latin-1, sent in quoted-printable: Gen\xe8ve. Its identifier has a slash in it."
}

// mailSights are the documents of the mail sources, of which the IMAP server is the one.
func mailSights(site fs.FS) (list []sight, err error) {
	message := func(name string) string {
		b, bad := mailtest.Message(site, "mail/"+name+".eml")
		if bad != nil {
			err = bad
		}
		return string(b)
	}
	for _, t := range mailTries() {
		s := sight{uri: t.uri, want: []byte(t.want(message)), search: t.search}
		if t.base != "" {
			s.options = &fetch.Options{Base: uri.MustParse(t.base)}
		}
		list = append(list, s)
	}
	return list, err
}

// mailOf is the configuration whose one source is the IMAP server of the list.
func mailOf(list []running) *schemes.Config {
	c := &mail.Config{}
	if u := urlOf(list, "imap"); u != "" {
		c.Sources = []mail.Source{{URI: u}}
	}
	return &schemes.Config{Mail: c}
}

// mailLines are what to try of mail while the IMAP server of the list runs.
func mailLines(list []running) (lines []string) {
	source := urlOf(list, "imap")
	if source == "" {
		return nil
	}
	for _, t := range mailTries() {
		line := "deref --mail '" + source + "' "
		if t.base != "" {
			line += "--base " + t.base + " "
		}
		lines = append(lines, line+"'"+t.uri+"'")
	}
	if smtp := urlOf(list, "smtp"); smtp != "" {
		lines = append(lines, "deref send --smtp "+smtp+" --from me@site.example 'mailto:tim@site.example?subject=hello&body=text'")
	}
	return lines
}

// showSend hands a message over to a server of our own, and looks what has arrived there.
func showSend(a *app, ctx context.Context) error {
	box, err := mailtest.ListenSMTP(nil)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	defer box.Close()
	c := fetch.New(schemes.All(&schemes.Config{Mail: &mail.Config{Submission: box.URL, From: "reader@site.example"}})...)
	defer c.Close()
	u := uri.MustParse("mailto:tim@site.example?subject=a%20message&body=one%0D%0A.%0D%0A")
	r, err := c.Send(ctx, u, nil, nil)
	if err != nil {
		return err
	}
	list := box.Letters()
	if len(list) != 1 || !strings.Contains(list[0].Text, "Subject: a message\r\n") || !strings.HasSuffix(list[0].Text, "\r\n\r\none\r\n.\r\n\r\n") {
		return fetch.Errorf(fetch.ErrChanged, "what arrived is not the message that was sent")
	}
	fmt.Fprintf(a.out(), "a message: %s\n  accepted for %s, and arrived: %d bytes\n", u, render.Escape(strings.Join(r.Accepted, ", ")), len(list[0].Text))
	return nil
}
