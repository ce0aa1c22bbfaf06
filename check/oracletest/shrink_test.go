package oracletest

import (
	"slices"
	"strings"
)

// Shrink drops lines, blocks and parts of lines from src as long as bad says
// that what is left is still bad. Src itself must be.
func Shrink(src string, bad func(string) bool) string {
	for {
		smaller := shrinkOnce(src, bad)
		if smaller == src {
			return src
		}
		src = smaller
	}
}

func shrinkOnce(src string, bad func(string) bool) string {
	lines := strings.Split(strings.TrimSuffix(src, "\n"), "\n")
	join := func(lines []string) string { return strings.Join(lines, "\n") + "\n" }
	for i := 1; i < len(lines)-1; i++ {
		for _, shorter := range shorterFrom(lines, i) {
			if bad(join(shorter)) {
				lines = shorter
				i--
				break
			}
		}
	}
	return join(lines)
}

// shorterFrom lists ways to make lines shorter at line i: without it, or without
// the block that it opens, or without a part of it.
func shorterFrom(lines []string, i int) [][]string {
	line := lines[i]
	end := i + 1
	if strings.HasSuffix(line, "{") {
		for depth := 1; depth > 0 && end < len(lines); end++ {
			trimmed := strings.TrimSpace(lines[end])
			if strings.HasSuffix(trimmed, "{") {
				depth++
			} else if trimmed == "}" {
				depth--
			}
		}
	} else if strings.TrimSpace(line) == "}" {
		return nil
	}
	ways := [][]string{slices.Delete(slices.Clone(lines), i, end)}
	with := func(text string) {
		changed := slices.Clone(lines)
		changed[i] = text
		ways = append(ways, changed)
	}
	if end > i+1 {
		return ways
	}
	if from := strings.Index(line, " {"); from >= 0 && strings.HasSuffix(line, "}") {
		with(line[:from])
	}
	for _, from := range []string{" per ", " max ", " backoff ", " timeout ", " idle", " jitter ", " when ", " cost ", " unbounded"} {
		at := strings.Index(line, from)
		if at < 0 {
			continue
		}
		rest := line[at+1:]
		stop := len(rest)
		for _, to := range []string{" per ", " max ", " backoff ", " timeout ", " {", " ->", " retry ", " jitter "} {
			if k := strings.Index(rest, to); k >= 0 && k < stop {
				stop = k
			}
		}
		with(line[:at] + rest[stop:])
	}
	if from, to, found := strings.Cut(line, " || "); found {
		with(from + to[len(to)-len(afterCondition(to)):])
	}
	if from, to, found := strings.Cut(line, " && "); found {
		with(from + to[len(to)-len(afterCondition(to)):])
	}
	return ways
}

// afterCondition is what follows a condition on its line.
func afterCondition(text string) string {
	for _, to := range []string{" ->", " retry ", " reject", " ignore", " {", " else "} {
		if k := strings.Index(text, to); k >= 0 {
			return text[k:]
		}
	}
	return ""
}
