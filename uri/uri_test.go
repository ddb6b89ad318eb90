package uri

import "testing"

func TestAccessors(t *testing.T) {
	u := MustParse("HTTP://us%40er:p%3Aw@[fe80::1%25eth0]:8080/a/b%2Fc?q=1#frag")
	user, pass, has := u.User()
	for _, c := range []struct{ got, want string }{
		{u.Scheme(), "http"},
		{user, "us@er"}, {pass, "p:w"},
		{string(u.Host()), "[fe80::1%25eth0]"}, {u.Hostname(), "fe80::1%eth0"}, {u.Port(), "8080"},
		{string(u.Path()), "/a/b%2Fc"},
		{u.WithoutFragment().String(), "HTTP://us%40er:p%3Aw@[fe80::1%25eth0]:8080/a/b%2Fc?q=1"},
		{u.WithFragment("x#y").String(), "HTTP://us%40er:p%3Aw@[fe80::1%25eth0]:8080/a/b%2Fc?q=1#x%23y"},
		{u.WithoutUserinfo().String(), "HTTP://[fe80::1%25eth0]:8080/a/b%2Fc?q=1#frag"},
		{u.WithoutPassword().String(), "HTTP://us%40er@[fe80::1%25eth0]:8080/a/b%2Fc?q=1#frag"},
		{u.Redacted(nil), "HTTP://us%40er:***@[fe80::1%25eth0]:8080/a/b%2Fc?q=1#frag"},
		{u.Redacted(&Rules{SecretUser: true}), "HTTP://***@[fe80::1%25eth0]:8080/a/b%2Fc?q=1#frag"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if !has {
		t.Error("the password is not seen")
	}
}
