// Answers where names of a repository are defined, by TypeScript's language service, for usages.py.
// Reads lines of JSON, [path, line, column], and writes a line of [[file, line], ...] for each.
const ts = require('typescript')
const fs = require('fs')
const path = require('path')
const readline = require('readline')

const top = process.argv[2]
const skipped = new Set(['node_modules', '.git', 'dist'])

function* sources(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* sources(file)
    else if (/\.tsx?$/.test(entry.name)) yield file
  }
}

const files = [...sources(top)]
const options = {
  allowJs: false,
  baseUrl: top,
  jsx: ts.JsxEmit.Preserve,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noLib: true,
  target: ts.ScriptTarget.ESNext
}
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getCurrentDirectory: () => top,
  getDefaultLibFileName: () => 'lib.d.ts',
  getScriptFileNames: () => files,
  getScriptSnapshot: file =>
    fs.existsSync(file) ? ts.ScriptSnapshot.fromString(fs.readFileSync(file, 'utf8')) : undefined,
  getScriptVersion: () => '1',
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists
})

function lineOf(file, offset) {
  return service.getProgram().getSourceFile(file).getLineAndCharacterOfPosition(offset).line + 1
}

readline.createInterface({ input: process.stdin }).on('line', text => {
  const [name, line, column] = JSON.parse(text)
  const file = path.join(top, name)
  let found = []
  try {
    const source = service.getProgram().getSourceFile(file)
    const at = source.getPositionOfLineAndCharacter(line - 1, column)
    for (const one of service.getDefinitionAtPosition(file, at) || [])
      found.push([one.fileName, lineOf(one.fileName, one.textSpan.start)])
  } catch (error) {
    found = []
  }
  process.stdout.write(JSON.stringify(found) + '\n')
})
