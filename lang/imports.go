package lang

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/parallel"
	"github.com/fsmc-dev/fsmc/lang/resolve"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Importer gives the sources to which `import "path"` in the source called from leads:
// one, or those of a folder. A source that is loaded already has the name that it has
// there. The error says why there is none, as what follows the path in a sentence.
type Importer func(from, path string) ([]Source, error)

// Errors of Importers.
var (
	ErrNowhere = errors.New("leads nowhere: there is no such file or folder")
	ErrLeaves  = errors.New("leads out of the project")
)

// Nowhere is ErrNowhere of the path to, in whose folder there are files and folders with names:
// one of these may be meant.
func Nowhere(to string, names []string) error {
	dir, base := path.Split(to)
	stem, stems, full := strings.TrimSuffix(base, ".fsm"), []string{}, map[string]string{}
	for _, name := range names { // what all names end in does not make them alike
		stems = append(stems, strings.TrimSuffix(name, ".fsm"))
		full[stems[len(stems)-1]] = name
	}
	near := full[stem]
	if other, ok := diag.Nearest(stem, stems); near == "" && ok {
		near = full[other]
	}
	if near == "" {
		return ErrNowhere
	}
	return &resolve.Misspelt{Err: ErrNowhere, Nearest: dir + near}
}

// InFolder reports whether the file called name is one of those that an import of its
// folder means.
func InFolder(name string) bool {
	return IsSource(name) && !strings.HasSuffix(name, "_test.fsm")
}

// IsSource reports whether the file called name is one of those of a folder. Editors hide theirs.
func IsSource(name string) bool {
	return strings.HasSuffix(name, ".fsm") && !strings.HasPrefix(filepath.Base(name), ".")
}

// Among is the Importer that finds sources by their names, whose folders are parted by
// slashes. It is for one goroutine at a time.
func Among(sources []Source) Importer {
	var files, folders map[string][]Source
	return func(from, to string) ([]Source, error) {
		if files == nil {
			files, folders = map[string][]Source{}, map[string][]Source{}
			for _, s := range sources {
				name := path.Clean(s.Name)
				files[name] = []Source{s}
				if InFolder(name) {
					folders[path.Dir(name)] = append(folders[path.Dir(name)], s)
				}
			}
		}
		place := path.Join(path.Dir(from), to)
		switch {
		case to == "":
			return nil, ErrNowhere
		case path.IsAbs(to) || !fs.ValidPath(strings.TrimPrefix(place, "/")):
			return nil, ErrLeaves
		case files[place] != nil && path.Ext(place) == ".fsm":
			return files[place], nil
		case folders[place] != nil:
			return folders[place], nil
		}
		return nil, ErrNowhere
	}
}

// loader parses the sources of a unit and what they import, each once.
type loader struct {
	unit    *Unit
	imports Importer
	parsed  map[string]resolve.Target // by the name of the source
}

// parse parses those of sources that have not been parsed.
func (l *loader) parse(sources []Source) []resolve.Target {
	var fresh []int
	for i, s := range sources {
		if _, known := l.parsed[s.Name]; !known {
			l.parsed[s.Name] = resolve.Target{}
			fresh = append(fresh, i)
		}
	}
	targets, texts := make([]resolve.Target, len(fresh)), make([]*token.File, len(fresh))
	parallel.Do(len(fresh), func(i int) {
		s, t := sources[fresh[i]], &targets[i]
		t.File, texts[i], t.Faults = Parse(s.Name, s.Src)
	})
	for i, at := range fresh {
		l.parsed[sources[at].Name] = targets[i]
		l.unit.Sources[sources[at].Name] = texts[i]
	}
	all := make([]resolve.Target, len(sources))
	for i, s := range sources {
		all[i] = l.parsed[s.Name]
	}
	return all
}

// find is the Finder of the unit.
func (l *loader) find(from, path string) ([]resolve.Target, error) {
	sources, err := l.imports(from, path)
	if err != nil {
		return nil, err
	}
	return l.parse(sources), nil
}
