package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp"
	"github.com/fsmc-dev/fsmc/lang"
)

// Imports of files
//
// A path is that of a file or a folder, as seen from the folder in which the importing
// file stands. It stays below the root of the project: the nearest folder with go.mod or
// .git, from the folder that is named on the command line upwards, or else that folder.
// A text may come from somebody else, and what it imports is shown in findings: so the
// path is first judged as it is written, before anything is looked at, and then the file
// without links; and it is read through the root (os.Root), for the case that a link
// changes in between.

const (
	maxImports  = 10_000    // files that those of one command line may import
	maxImported = 128 << 20 // bytes of these
)

var projectMarks = []string{"go.mod", ".git"}

// find is the importer of the sources.
func (r *reader) find(from, path string) ([]lang.Source, error) {
	at := r.from[from]
	target, err := below(at.root, filepath.Dir(at.file), path)
	switch {
	case errors.Is(err, lang.ErrLeaves):
		return nil, fmt.Errorf("%w, whose root is %q", err, shown(at.root))
	case err != nil:
		return nil, err
	}
	known := at.root + "\x00" + target
	if found := r.folders[known]; found != nil {
		return found, nil
	}
	name := filepath.Join(filepath.Dir(from), filepath.FromSlash(path))
	handle, err := os.OpenRoot(at.root)
	if err != nil {
		return nil, importError(err)
	}
	defer handle.Close()
	file, rel, err := follow(at.root, target)
	if errors.Is(err, lang.ErrNowhere) {
		return nil, lang.Nowhere(path, beside(handle, target))
	}
	if err != nil {
		return nil, err
	}
	info, err := handle.Stat(rel)
	if err != nil {
		return nil, importError(err)
	}
	if !info.IsDir() {
		src, err := r.importFile(handle, file, rel, name)
		return []lang.Source{src}, err
	}
	entries, err := fs.ReadDir(handle.FS(), filepath.ToSlash(rel))
	if err != nil {
		return nil, importError(err)
	}
	var found []lang.Source
	for _, e := range entries {
		if e.IsDir() || !lang.InFolder(e.Name()) {
			continue
		}
		file, rel, err := follow(at.root, filepath.Join(file, e.Name()))
		var src lang.Source
		if err == nil {
			src, err = r.importFile(handle, file, rel, filepath.Join(name, e.Name()))
		}
		if err != nil {
			return nil, fmt.Errorf("has %q, which %w", e.Name(), err)
		}
		found = append(found, src)
	}
	if len(found) == 0 {
		return nil, errors.New("is a folder without .fsm files")
	}
	r.folders[known] = found
	return found, nil
}

// beside are the names of what an import can mean in the folder of target, which lies below root.
func beside(root *os.Root, target string) (names []string) {
	rel, err := filepath.Rel(root.Name(), filepath.Dir(target))
	if err != nil {
		return nil
	}
	entries, _ := fs.ReadDir(root.FS(), filepath.ToSlash(rel))
	for _, e := range entries {
		if lang.IsSource(e.Name()) || e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// importFile reads the file at a place, which is rel below the root, unless it has been
// read. name is how messages call it.
func (r *reader) importFile(root *os.Root, file, rel, name string) (lang.Source, error) {
	if src, known := r.read[file]; known {
		return src, nil
	}
	info, err := root.Stat(rel)
	switch {
	case err != nil:
		return lang.Source{}, importError(err)
	case !info.Mode().IsRegular() || filepath.Ext(file) != ".fsm":
		return lang.Source{}, errors.New("is not a .fsm file")
	case r.imported == maxImports:
		return lang.Source{}, fmt.Errorf("is one of more than %d imported files", maxImports)
	case int64(r.size)+info.Size() > maxImported:
		return lang.Source{}, fmt.Errorf("brings what is imported to more than %d MiB", maxImported>>20)
	}
	f, err := root.Open(rel)
	if err != nil {
		return lang.Source{}, importError(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return lang.Source{}, importError(err)
	}
	if placeOf(name) != file {
		name = file
	}
	if open := r.open[name]; open != nil {
		text = open
	} else if r.open != nil {
		text = lsp.AsOpened(text)
	}
	src := lang.Source{Name: name, Src: text}
	r.read[file], r.from[name] = src, origin{file, root.Name()}
	r.imported++
	r.size += len(text)
	return src, nil
}

// below is the place that path leads to from dir, which lies in root, if no step of it
// leaves that.
func below(root, dir, path string) (string, error) {
	switch {
	case path == "" || strings.ContainsRune(path, 0):
		return "", lang.ErrNowhere
	case strings.HasPrefix(path, "/") || filepath.IsAbs(path) || filepath.VolumeName(path) != "":
		return "", errors.New("is an absolute path")
	case strings.Contains(path, `\`):
		return "", errors.New(`has a "\" in it; folders are parted by "/"`)
	}
	within, err := filepath.Rel(root, dir)
	if err != nil || !filepath.IsLocal(within) {
		return "", lang.ErrLeaves
	}
	if steps := slashpath.Clean(filepath.ToSlash(within) + "/" + path); steps == ".." || strings.HasPrefix(steps, "../") {
		return "", lang.ErrLeaves
	}
	return filepath.Join(dir, filepath.FromSlash(path)), nil
}

// shown is how messages call a folder: as seen from the working directory, if it is
// below that.
func shown(folder string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(placeOf(dir), folder); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return folder
}

// follow is target without links, and where that lies below root.
func follow(root, target string) (file, rel string, err error) {
	if file, err = filepath.EvalSymlinks(target); err != nil {
		return "", "", importError(err)
	}
	if rel, err = filepath.Rel(root, file); err != nil || !filepath.IsLocal(rel) {
		return "", "", fmt.Errorf("%w, by a symbolic link", lang.ErrLeaves)
	}
	return file, rel, nil
}

// importError says of what cannot be read why, as what follows its path in a sentence.
func importError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return lang.ErrNowhere
	case errors.Is(err, fs.ErrPermission):
		return errors.New("may not be read by this user")
	}
	if strings.HasSuffix(err.Error(), "too many links") { // of filepath.EvalSymlinks
		return errors.New("is a symbolic link that leads to itself")
	}
	return fmt.Errorf("cannot be read: %w", reason(err))
}

// projectOf is the root of the project to which a folder belongs.
func projectOf(folder string) string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		if slices.ContainsFunc(projectMarks, func(mark string) bool {
			_, err := os.Lstat(filepath.Join(dir, mark))
			return err == nil
		}) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return folder
		}
	}
}
