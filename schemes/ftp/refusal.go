package ftp

import (
	"errors"
	"strings"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/replies"
)

// A refusal is a negative reply.
type refusal struct {
	step  fetch.Step
	reply reply
}

func (r *refusal) Error() string { return r.reply.first() }

// refused returns the refusal in err's chain. It returns nil if there is none.
func refused(err error) *refusal {
	r, _ := errors.AsType[*refusal](err)
	return r
}

// fail returns the error for a refusal. The package comment has the table of kinds.
func fail(r *refusal) error {
	verb := r.step.Verb
	command := verb
	if !r.step.Secret && len(r.step.Args) > 0 {
		command = clip(r.step.Line())
	}
	if verb == "CWD" && r.step.Args[0] == "" && r.reply.class() == 5 {
		verb = emptyCWD
	}
	e := fetch.Errorf(kindOf(verb, r.reply), "%s: %d %s", command, r.reply.code, r.reply.first())
	e.Hint = hintOf(r)
	e.Gone = e.Kind == fetch.ErrNotFound && verb != emptyCWD && missing(r.reply.text)
	e.Busy = e.Kind == fetch.ErrUnavailable && (r.reply.code == ftp.StatusNotAvailable || r.reply.code/10 == 53)
	e.Err = r
	e.Asks = e.Kind == fetch.ErrAuth && (r.step.Verb == "USER" || r.step.Verb == "PASS" || r.reply.code == 530)
	return e
}

// emptyCWD stands for a CWD with an empty name: there is no such directory, whatever the code.
const emptyCWD = "CWD "

func kindOf(verb string, r reply) fetch.Kind {
	switch {
	case verb == atEnd:
		return fetch.ErrTransfer
	case verb == emptyCWD:
		return fetch.ErrNotFound
	case r.code == ftp.StatusNotAvailable:
		return fetch.ErrUnavailable
	case verb == "AUTH" || verb == "PBSZ" || verb == "PROT":
		return fetch.ErrTLS
	case r.code == 522 && transfers(verb): // QUIRK: vsftpd sends 522 if the data connection does not resume the TLS session
		return fetch.ErrTLS
	case r.code/10 == 53 && crowded(r.text):
		return fetch.ErrUnavailable
	case r.code/10 == 53: // 530 not logged in, 532 needs an account, 533 and 534 policy
		return fetch.ErrAuth
	case r.class() == 4 && verb != "USER" && missing(r.text): // QUIRK: proftpd answers LIST of a missing file with 450
		return fetch.ErrNotFound
	case r.class() == 4:
		return fetch.ErrUnavailable
	case verb == "USER" || verb == "PASS" || verb == "ACCT":
		return fetch.ErrAuth
	case verb == "REST":
		return fetch.ErrRange
	case arranges(verb):
		return fetch.ErrConnect
	case notImplemented(r.code) || forbidden(r.text):
		return fetch.ErrRefused
	}
	return fetch.ErrNotFound
}

// notImplemented reports whether the server does not know the command or its argument.
func notImplemented(code int) bool {
	return code == ftp.StatusBadCommand || code == ftp.StatusNotImplemented || code == ftp.StatusNotImplementedParameter
}

// crowded reports whether a login was refused because of the number of users, and not because of this one.
//
// QUIRK: proftpd 1.3 sends "530 Sorry, the maximum number of clients (2) from your host are already connected." where RFC 959 §5.4 has
// 421 (mod_core: MaxClientsPerHost); wu-ftpd sends "530 User anonymous access denied, too many users".
func crowded(text string) bool {
	return has(text, "too many connections", "too many users", "too many clients", "maximum number", "maximum clients",
		"already connected", "already logged in", "connection limit", "user limit") && !has(text, "attempt", "fail")
}

// missing and forbidden look at the text: 550 means both "no such file" and "no permission" (RFC 959 §4.2.2).
func missing(text string) bool { return replies.SaysNotFound(text) }

// incomplete reports whether a positive reply at the end of a listing contains a remark that the listing is incomplete.
//
// QUIRK: vsftpd sends "226 Transfer done (but failed to open directory).", which is an empty listing; pure-ftpd sends "226-Output truncated
// to 10000 matches".
func incomplete(text string) bool {
	return has(text, "failed to open", "failed to read", "can't open", "cannot open", "could not open",
		"output truncated", "listing truncated", "aborted", "permission denied")
}

func forbidden(text string) bool {
	return has(text, "permission", "denied", "not allowed", "forbidden", "prohibited", "not authorized", "insufficient privilege") &&
		!missing(text)
}

func has(text string, words ...string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

func hintOf(r *refusal) string {
	switch {
	case r.step.Verb == "CWD" && len(r.step.Args) == 1 && r.step.Args[0] == "":
		return "an empty segment is sent as CWD without a name (RFC 1738); /%2Fpath begins at the server's root"
	case (r.step.Verb == "USER" || r.step.Verb == "PASS") && has(r.reply.text, "tls", "ssl", "secure"):
		return hint.Set + " ftp.ssl=require"
	case r.step.Verb == "EPSV" || r.step.Verb == "PASV":
		return hint.Set + " ftp.active=yes"
	}
	return ""
}
