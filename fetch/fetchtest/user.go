package fetchtest

import (
	"bytes"
	"fmt"
	"strings"
)

const userName = "fetchtest-user"

// checkUser: the user name of a URI is sent as a login of the protocol, or not at all. Within a URI, where some protocols send one, it would
// reach a server that has not requested it.
func checkUser(x *subject) error {
	text, named := strings.CutPrefix(x.URI, x.uri.Scheme()+"://")
	if _, has := x.uri.Userinfo(); has || !named || x.Live || x.Options.Login.Set {
		return nil
	}
	with := x.uri.Scheme() + "://" + userName + "@" + text
	parsed, err := x.Options.Mode.Parse(with)
	if err != nil {
		return nil // refused by the grammar
	}
	v := *x
	v.URI, v.uri = with, parsed
	a := v.briefly()
	if _, err := a.run(); err != nil {
		return err
	}
	for n := range len(a.player.Dialled()) + 1 {
		if sent, _ := a.player.Wire(n); bytes.Contains(sent, []byte(userName+"@")) {
			return fmt.Errorf("for the URI %s the client sends %q: use URI.WithoutUserinfo for what is sent", with, sent)
		}
	}
	return nil
}
