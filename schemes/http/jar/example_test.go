package jar_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"example.org/deref/schemes/http/jar"
)

// A cookie with Path is sent for that path only. Save and Load usually store a jar in a file.
func ExampleJar() {
	shop := &url.URL{Scheme: "https", Host: "shop.example", Path: "/cart/view"}
	j := jar.New()
	j.SetCookies(shop, []*http.Cookie{
		{Name: "basket", Value: "3", Path: "/cart", MaxAge: 60},
		{Name: "lang", Value: "en", Path: "/", MaxAge: 60},
	})

	var stored strings.Builder
	if err := j.Save(&stored); err != nil {
		fmt.Println(err)
		return
	}
	again := jar.New()
	if err := again.Load(strings.NewReader(stored.String())); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Cookies(shop))
	fmt.Println(again.Cookies(shop.JoinPath("../../help")))
	// Output:
	// [basket=3 lang=en]
	// [lang=en]
}
