package ansiart

// A pen has the attributes of SGR (ECMA-48 section 8.3.117) that ANSI.SYS knows.
type pen struct {
	fg, bg               uint8
	bold, blink, reverse bool
}

// style returns the colors of what is written.
func (c *canvas) style() Style {
	p := c.pen
	if p.bold && p.fg < 8 {
		p.fg += 8
	}
	if p.blink && c.ice && p.bg < 8 {
		p.bg += 8
	}
	if p.reverse {
		return Style{p.bg, p.fg}
	}
	return Style{p.fg, p.bg}
}

func (p *pen) set(n numbers) {
	if len(n) == 0 {
		n = numbers{0}
	}
	for i := 0; i < len(n); i++ {
		switch a := n[i]; {
		case a == 0:
			*p = pen{fg: 7}
		case a == 1:
			p.bold = true
		case a == 2 || a == 22:
			p.bold = false
		case a == 5 || a == 6:
			p.blink = true
		case a == 25:
			p.blink = false
		case a == 7:
			p.reverse = true
		case a == 27:
			p.reverse = false
		case a >= 30 && a <= 37:
			p.fg = uint8(a - 30)
		case a == 39:
			p.fg = 7
		case a >= 40 && a <= 47:
			p.bg = uint8(a - 40)
		case a == 49:
			p.bg = 0
		case a >= 90 && a <= 97:
			p.fg = uint8(a - 90 + 8)
		case a >= 100 && a <= 107:
			p.bg = uint8(a - 100 + 8)
		case a == 38 || a == 48:
			color, used := extended(n[i+1:])
			if i += used; used > 0 && a == 38 {
				p.fg = color
			} else if used > 0 {
				p.bg = color
			}
		}
	}
}

// extended reads a color of 256 ("5;N") or of 24 bits ("2;R;G;B") and returns the nearest of the 16. used is 0 for anything else.
func extended(n numbers) (color uint8, used int) {
	switch {
	case n.at(0) == 5 && len(n) >= 2:
		return of256(min(n[1], 255)), 2
	case n.at(0) == 2 && len(n) >= 4:
		return nearest(n[1], n[2], n[3]), 4
	}
	return 0, 0
}

func of256(n int) uint8 {
	switch {
	case n < 16:
		return uint8(n)
	case n >= 232: // greys
		v := 8 + 10*(n-232)
		return nearest(v, v, v)
	}
	level := func(n int) int {
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	n -= 16
	return nearest(level(n/36), level(n/6%6), level(n%6))
}

// Palette returns the red, green and blue of the 16 colors on the screen of a PC.
func Palette() [16][3]uint8 {
	const lo, mid, hi = 0x55, 0xaa, 0xff
	return [16][3]uint8{
		{}, {mid, 0, 0}, {0, mid, 0}, {mid, lo, 0}, {0, 0, mid}, {mid, 0, mid}, {0, mid, mid}, {mid, mid, mid},
		{lo, lo, lo}, {hi, lo, lo}, {lo, hi, lo}, {hi, hi, lo}, {lo, lo, hi}, {hi, lo, hi}, {lo, hi, hi}, {hi, hi, hi},
	}
}

func nearest(r, g, b int) (best uint8) {
	least := 1 << 30
	for i, c := range Palette() {
		dr, dg, db := r-int(c[0]), g-int(c[1]), b-int(c[2])
		if d := dr*dr + dg*dg + db*db; d < least {
			least, best = d, uint8(i)
		}
	}
	return best
}
