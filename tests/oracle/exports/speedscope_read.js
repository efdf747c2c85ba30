// Reads profiles with speedscope's own importers: node speedscope_read.js RELEASE_FOLDER FILE...
//
// The package holds one script, made for a browser. Its importers need no browser: the name of the module that holds them
// is found in the script, and the script is run with nothing to draw on.
"use strict";
const fs = require("fs"), path = require("path"), vm = require("vm");

function loadImporters(folder) {
  const name = fs.readdirSync(folder).find((file) => /^speedscope.*\.js$/.test(file));
  const source = fs.readFileSync(path.join(folder, name), "utf8");
  const module = source.match(/var ([\w$]+)=\{\};[\w$]+\(\1,\{importFromFileSystemDirectoryEntry:/);
  const begin = module && source.match(new RegExp(`\\(([\\w$]+)\\(\\),${module[1].replace(/\$/g, "\\$")}\\)`));
  const start = source.indexOf("(()=>{");
  if (!begin || start < 0) throw new Error(`${name}: its importers are not where they were; pin the version that was tested`);
  const at = start + "(()=>{".length;
  const patched = source.slice(0, at) + `globalThis.importers=()=>(${begin[1]}(),${module[1]});` + source.slice(at);
  const nothing = new Proxy(function () {}, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => "" : nothing),
    apply: () => nothing,
    construct: () => nothing,
    set: () => true,
  });
  const scope = { window: nothing, document: nothing, navigator: { userAgent: "" }, location: { protocol: "file:", hash: "" },
                  console: { log() {}, error() {}, warn() {} }, setTimeout() {}, requestAnimationFrame() {}, TextDecoder, TextEncoder, Uint8Array, ArrayBuffer, URL };
  scope.globalThis = scope;
  vm.createContext(scope);
  try {
    vm.runInContext(patched, scope);
  } catch (error) {
    if (!scope.importers) throw error; // it ends where it begins to draw
  }
  return scope.importers();
}

async function main() {
  const importers = loadImporters(process.argv[2]);
  const read = [];
  for (const file of process.argv.slice(3)) {
    const bytes = fs.readFileSync(file);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const group = await importers.importProfilesFromArrayBuffer(path.basename(file), buffer);
    read.push(group && {
      name: group.name,
      profiles: group.profiles.map((profile) => {
        const frames = [];
        profile.forEachFrame((frame) => frames.push({ name: frame.name, file: frame.file, line: frame.line,
                                                      self: frame.getSelfWeight(), total: frame.getTotalWeight() }));
        return { name: profile.getName(), unit: profile.getWeightUnit(), total: profile.getTotalWeight(),
                 weights: profile.getTotalNonIdleWeight(), frames };
      }),
    });
  }
  process.stdout.write(JSON.stringify(read));
}

main().catch((error) => { console.error(error); process.exit(1); });
