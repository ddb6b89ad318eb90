package request

import (
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/flags"
)

// habits lists flags of curl that ask for what deref does anyway, each with its letter if it has one. They have no effect.
const habits = "location:L fail:f no-buffer:N tlsv1:1 tlsv1.0 tlsv1.1 tlsv1.2 ftp-pasv ftp-skip-pasv-ip ssl ftp-ssl no-sessionid tcp-nodelay " +
	"keepalive no-keepalive anyauth proxy-anyauth proxy-basic post301 post302 post303 parallel-immediate proxytunnel:p " +
	"retry-connrefused suppress-connect-headers ftp-create-dirs styled-output no-styled-output"

// addHabits adds the flags of habits, and -X.
func addHabits(fs *pflag.FlagSet) {
	for name := range strings.FieldsSeq(habits) {
		name, letter, _ := strings.Cut(name, ":")
		fs.BoolP(name, letter, false, "curl's flag for what deref does anyway")
		fs.MarkHidden(name)
	}
	fs.FuncP("request", "X", "curl's flag for the `METHOD` of a request, which is GET here", checkMethod)
	fs.MarkHidden("request")
}

// checkMethod checks the value of -X.
func checkMethod(v string) error {
	switch v {
	case "GET":
		return nil
	case "HEAD":
		return &flags.UsageError{Text: "deref chooses the method", Hint: "-I sends HEAD"}
	}
	return &flags.UsageError{Text: "deref sends GET, or HEAD with -I", Hint: flags.NoUploads}
}
