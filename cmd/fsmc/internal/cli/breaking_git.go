package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang"
)

// Machines as they stand in git are read from its object store, by git itself: nothing is
// checked out, and no file is touched.

type gitTree struct {
	top  string // the folder of the repository
	ref  string // as given
	tree string // its name
}

// fromGit loads what paths name as it was at ref, REF or REF:PATH.
func fromGit(ref string, paths []string) (*lang.Unit, error) {
	ref, other, named := strings.Cut(ref, ":")
	t, err := openGit(ref, paths[0])
	if err != nil {
		return nil, err
	}
	wanted := []string{path.Clean(filepath.ToSlash(other))}
	if !named {
		if wanted, err = t.relative(paths); err != nil {
			return nil, err
		}
	}
	all, err := t.read()
	if err != nil {
		return nil, err
	}
	var sources []lang.Source
	seen := map[string]bool{}
	for _, place := range wanted {
		found := t.below(all, place)
		if len(found) == 0 {
			return nil, fmt.Errorf("there is no .fsm file at or below %q in %q", place, t.ref)
		}
		for _, s := range found {
			if !seen[s.Name] { // else it is named twice
				seen[s.Name] = true
				sources = append(sources, s)
			}
		}
	}
	return loadLean(sources, lang.Among(all)), nil
}

// openGit finds the repository of a file or folder, and the tree that ref means there.
func openGit(ref, of string) (*gitTree, error) {
	if ref == "" {
		return nil, errors.New("--against git: has no REF, such as git:main")
	}
	if of == "-" {
		return nil, errors.New("standard input is in no repository: name a file, or give git:REF:PATH a file")
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("git is not installed, or not in PATH: --against git:REF reads the older machines with it")
	}
	dir := placeOf(of)
	if files, err := expand(of, lang.InFolder); err != nil {
		return nil, err
	} else if files[0] == of {
		dir = filepath.Dir(dir)
	}
	top, err := git(dir, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%q is in no git repository: %w", of, err)
	}
	t := &gitTree{top: filepath.FromSlash(strings.TrimSuffix(string(top), "\n")), ref: ref}
	tree, err := git(t.top, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{tree}")
	if err != nil {
		return nil, fmt.Errorf("git knows no %q here: give a branch, a tag or a commit; a shallow clone has few of them", ref)
	}
	t.tree = strings.TrimSpace(string(tree))
	return t, nil
}

// git runs git in a folder. The error is what it says itself.
func git(dir string, in []byte, args ...string) ([]byte, error) {
	c := exec.Command("git", append([]string{"-C", dir}, args...)...)
	var out, said bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(in), &out, &said
	if err := c.Run(); err != nil {
		if text := strings.TrimSpace(said.String()); text != "" {
			return nil, errors.New(text)
		}
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}

// relative are the places of paths in the repository.
func (t *gitTree) relative(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		rel, err := filepath.Rel(placeOf(t.top), placeOf(p))
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) || p == "-" {
			return nil, fmt.Errorf("%q is not in the repository %q", p, t.top)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}

// read gives all .fsm files of the tree, in the order of their names: any of them may be
// imported.
func (t *gitTree) read() ([]lang.Source, error) {
	list, err := git(t.top, nil, "ls-tree", "-r", "-z", "--full-tree", t.tree)
	if err != nil {
		return nil, err
	}
	var names []string
	var objects bytes.Buffer
	for entry := range strings.SplitSeq(string(list), "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(about) // mode, kind, name of the object
		if len(fields) == 3 && fields[1] == "blob" && fields[0] != "120000" && path.Ext(name) == ".fsm" {
			names = append(names, name)
			fmt.Fprintln(&objects, fields[2])
		}
	}
	texts, err := git(t.top, objects.Bytes(), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	var out []lang.Source
	for _, name := range names {
		head, rest, _ := bytes.Cut(texts, []byte("\n"))
		fields := bytes.Fields(head) // name of the object, kind, size
		if len(fields) != 3 {
			return nil, fmt.Errorf("git does not have the text of %q at %q", name, t.ref)
		}
		size, err := strconv.Atoi(string(fields[2]))
		if err != nil || size+1 > len(rest) {
			return nil, fmt.Errorf("git gives %q at %q in part", name, t.ref)
		}
		out = append(out, lang.Source{Name: t.named(name), Src: rest[:size]})
		texts = rest[size+1:]
	}
	return out, nil
}

// named is how findings call a file of the tree.
func (t *gitTree) named(name string) string { return gitPrefix + t.ref + "/" + name }

// below are those of all that are the file at place, or lie in the folder there.
func (t *gitTree) below(all []lang.Source, place string) []lang.Source {
	var out []lang.Source
	at := t.named(place)
	for _, s := range all {
		if place == "." || s.Name == at || strings.HasPrefix(s.Name, at+"/") {
			out = append(out, s)
		}
	}
	return out
}
