package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"
)

// rules are the checks of each file. A rule returns the violations in the file. Most rules skip tests.
var rules = map[string]func(*file) []string{
	"own imports":      ownImports,
	"other modules":    otherModules,
	"no dot imports":   dotImports,
	"purity":           purity,
	"whole numbers":    integers,
	"printing":         printing,
	"designs use env":  designs,
	"variables":        variableRule,
	"house rules":      houseRules,
	"no init function": noInit,
	"outside input":    outside,
	"library flags":    libraryFlags,
	"width":            widths,
	"exits":            exits,
}

// within reports whether a path is in the list or below one of its paths.
func within(imp string, list []string) bool {
	return slices.ContainsFunc(list, func(l string) bool { return imp == l || strings.HasPrefix(imp, l+"/") })
}

// own returns the folder of an import of this module. ok is false for other imports.
func own(imp string) (folder string, ok bool) {
	folder, ok = strings.CutPrefix(imp+"/", module+"/")
	return strings.TrimSuffix(folder, "/"), ok
}

// standard reports whether an import is of the standard library. Other paths begin with a domain.
func standard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".") && imp != "C"
}

// ownImports finds imports of this module that mayImport does not permit.
func ownImports(f *file) (wrong []string) {
	allowed, known := mayImport[f.pkg]
	if !known {
		return []string{fmt.Sprintf("%s: the package %q is not in the policy: add it to mayImport with "+
			"what it may import", f.path, f.pkg)}
	}
	for _, imp := range f.imports() {
		folder, ok := own(imp)
		switch {
		case !ok:
		case strings.HasPrefix(folder, "proof/") && !strings.HasPrefix(f.pkg, "proof/"):
			wrong = append(wrong, fmt.Sprintf("%s imports %s; the product and its tests do without the "+
				"campaigns that prove it", f.path, imp))
		case !f.test && !slices.Contains(allowed, folder):
			wrong = append(wrong, fmt.Sprintf("%s imports %s; %q may import only %q of this module", f.path, imp, f.pkg,
				allowed))
		}
	}
	return wrong
}

func otherModules(f *file) (wrong []string) {
	allowed := mayUse[f.pkg]
	if f.test {
		allowed = slices.Concat(allowed, testsMayUse)
	}
	for _, imp := range f.imports() {
		if _, ok := own(imp); !ok && !standard(imp) && !within(imp, allowed) {
			wrong = append(wrong, fmt.Sprintf("%s imports %s; of other modules it may use only %q: a dependency is "+
				"a decision, add it to mayUse", f.path, imp, allowed))
		}
	}
	return wrong
}

// dotImports finds dot imports, which would hide calls from the other rules.
func dotImports(f *file) []string {
	if imp, ok := f.names["."]; ok {
		return []string{fmt.Sprintf("%s imports %s with a dot; name the package where it is used", f.path, imp)}
	}
	return nil
}

// uses visits every use of an identifier of an imported package. A use is the import path, a dot and the identifier,
// whatever name the file gives the package.
func uses(f *file, visit func(use string, n ast.Node)) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && f.names[x.Name] != "" {
				visit(f.names[x.Name]+"."+s.Sel.Name, n)
			}
		}
		return true
	})
}

// purity finds impure imports and calls in pure packages.
func purity(f *file) (wrong []string) {
	if f.test || !pure[f.pkg] {
		return nil
	}
	for _, imp := range f.imports() {
		if within(imp, impureImports) {
			wrong = append(wrong, fmt.Sprintf("%s imports %s, but %q is pure", f.path, imp, f.pkg))
		}
		if folder, ok := own(imp); ok && !pure[folder] && folder != "env" {
			wrong = append(wrong, fmt.Sprintf("%s imports %s, which is not pure, but %q is", f.path, imp, f.pkg))
		}
	}
	uses(f, func(use string, n ast.Node) {
		if slices.Contains(clockCalls, use) {
			wrong = append(wrong, fmt.Sprintf("%s: %s in %q, which is pure", f.at(n), use, f.pkg))
		}
	})
	return wrong
}

// integers finds floating-point numbers in the packages of wholeNumbers.
func integers(f *file) (wrong []string) {
	if f.test || !wholeNumbers[f.pkg] {
		return nil
	}
	limits := []string{"math.MaxInt", "math.MaxUint", "math.MinInt"}
	uses(f, func(use string, n ast.Node) {
		limit := slices.ContainsFunc(limits, func(l string) bool { return strings.HasPrefix(use, l) })
		if strings.HasPrefix(use, "math.") && !limit {
			wrong = append(wrong, fmt.Sprintf("%s: %s in %q, which computes in integers", f.at(n), use, f.pkg))
		}
	})
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (id.Name == "float64" || id.Name == "float32") {
			wrong = append(wrong, fmt.Sprintf("%s: %s in %q, which computes in integers", f.at(n), id.Name, f.pkg))
		}
		return true
	})
	return wrong
}

// printing finds uses of the standard streams outside the packages of prints.
func printing(f *file) (wrong []string) {
	if f.test || prints[f.pkg] {
		return nil
	}
	uses(f, func(use string, n ast.Node) {
		if slices.Contains([]string{"fmt.Print", "fmt.Println", "fmt.Printf", "os.Stdout", "os.Stderr"}, use) ||
			strings.HasPrefix(use, "log.") || strings.HasPrefix(use, "log/") {
			wrong = append(wrong, fmt.Sprintf("%s: %s; only the command prints", f.at(n), use))
		}
	})
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if fn, ok := call.Fun.(*ast.Ident); ok && (fn.Name == "print" || fn.Name == "println") {
				wrong = append(wrong, fmt.Sprintf("%s: %s; only the command prints", f.at(n), fn.Name))
			}
		}
		return true
	})
	return wrong
}

// exits finds calls that end the process outside main packages and mayExit. The caller of a library decides that.
func exits(f *file) (wrong []string) {
	if f.test || f.ast.Name.Name == "main" {
		return nil
	}
	ends(f, func(name, use string, n ast.Node) {
		if mayExit[name] == "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s; only main packages end the process", f.at(n), use))
		}
	})
	return wrong
}

// ends visits every use of a function that ends the process, with the file and the function that use it.
func ends(f *file, visit func(name, use string, n ast.Node)) {
	function := func(n ast.Node) string {
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Pos() <= n.Pos() && n.Pos() < fn.End() {
				return fn.Name.Name
			}
		}
		return ""
	}
	uses(f, func(use string, n ast.Node) {
		if use == "os.Exit" || use == "syscall.Exit" {
			visit(f.path+" "+function(n), use, n)
		}
	})
}

// designs finds what would prevent the designs of the catalog from running in both worlds.
func designs(f *file) (wrong []string) {
	if f.test || !strings.HasPrefix(f.path, "catalog/") {
		return nil
	}
	allowed := designImports
	if f.path == catalogueFile {
		allowed = slices.Concat(allowed, catalogueImports)
	}
	if liveFiles[f.path] != "" {
		allowed = slices.Concat(allowed, liveImports)
	}
	if syncFiles[f.path] != "" {
		allowed = slices.Concat(allowed, []string{"sync"})
	}
	for _, imp := range f.imports() {
		if standard(imp) && !slices.Contains(allowed, imp) {
			wrong = append(wrong, fmt.Sprintf("%s imports %s; a design may import only %q, and gets the rest from env",
				f.path, imp, allowed))
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		what := ""
		switch n := n.(type) {
		case *ast.GoStmt:
			what = "go statement"
		case *ast.ChanType:
			what = "channel"
		case *ast.SelectStmt:
			what = "select"
		case *ast.SendStmt:
			what = "send"
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				what = "receive"
			}
		}
		if what != "" {
			wrong = append(wrong, fmt.Sprintf("%s: a native %s; a design gets its concurrency from env", f.at(n), what))
		}
		return true
	})
	uses(f, func(use string, n ast.Node) {
		if slices.Contains(clockCalls, use) {
			wrong = append(wrong, fmt.Sprintf("%s: %s; a design gets its time from env", f.at(n), use))
		}
	})
	return wrong
}

// noInit finds init functions.
func noInit(f *file) (wrong []string) {
	for _, decl := range f.ast.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == "init" && fn.Recv == nil {
			wrong = append(wrong, fmt.Sprintf("%s: an init function; say plainly what happens when", f.at(fn)))
		}
	}
	return wrong
}

// houseRules finds files and functions that are too long.
func houseRules(f *file) (wrong []string) {
	if f.test {
		return nil
	}
	if f.lines > maxFileLines {
		wrong = append(wrong, fmt.Sprintf("%s has %d lines, more than %d: split it by purpose", f.path, f.lines,
			maxFileLines))
	}
	for _, decl := range f.ast.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if lines := f.set.Position(fn.End()).Line - f.set.Position(fn.Pos()).Line + 1; lines > maxFunctionLines {
			wrong = append(wrong, fmt.Sprintf("%s: %s has %d lines, more than %d", f.at(fn), fn.Name.Name, lines,
				maxFunctionLines))
		}
	}
	return wrong
}

// maxColumns is the largest width of a line. A tab counts as tabColumns.
const maxColumns, tabColumns = 120, 4

// widths finds lines that are too wide. It permits URLs, single words and raw strings.
func widths(f *file) (wrong []string) {
	raw := map[int]bool{}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(lit.Value, "`") {
			for line := f.set.Position(lit.Pos()).Line; line <= f.set.Position(lit.End()).Line; line++ {
				raw[line] = true
			}
		}
		return true
	})
	for i, line := range strings.Split(string(f.text), "\n") {
		columns := utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
		one := len(strings.Fields(line)) == 1
		if columns > maxColumns && !raw[i+1] && !one && !strings.Contains(line, "://") {
			wrong = append(wrong, fmt.Sprintf("%s:%d has %d columns, more than %d", f.path, i+1, columns, maxColumns))
		}
	}
	return wrong
}

// outside finds calls that open files outside internal/input. Only internal/input may read files that the user names,
// because it enforces limits and handles interrupts.
func outside(f *file) (wrong []string) {
	if f.test || f.pkg == inputPackage || strings.HasPrefix(f.path, "examples/") || openers[f.path] != "" {
		return nil
	}
	uses(f, func(use string, n ast.Node) {
		if slices.Contains(opens, use) {
			wrong = append(wrong, fmt.Sprintf("%s: %s; read it with package %s, or add the file to "+
				"openers with the reason", f.at(n), use, inputPackage))
		}
	})
	return wrong
}
