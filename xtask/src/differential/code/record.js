// Runs a program and records what it starts and what it does with files: programs are not started, files are touched below the current
// directory alone. Called with the program's path and that of the record.
'use strict';
const fs = require('fs');
const path = require('path');
const Module = require('module');
const { EventEmitter } = require('events');
const { Readable, Writable } = require('stream');
const { pathToFileURL, fileURLToPath } = require('url');
const { promisify } = require('util');
const childProcess = require('child_process');

const [program, log] = process.argv.slice(2);
const root = process.cwd();
const record = fs.openSync(log, 'a');
const write = fs.writeSync.bind(fs);
const source = fs.readFileSync(program, 'utf8');
let inside = 0;
const say = (fields) => { write(record, JSON.stringify(fields) + '\n'); };

const full = (given) => {
  const text = given instanceof URL ? fileURLToPath(given) : String(given);
  const whole = path.resolve(root, text);
  return whole.startsWith(root + '/') ? whole : null;
};
const touched = (kind, given) => {
  if (inside > 0 || typeof given === 'number' || (given && typeof given === 'object' && 'fd' in given)) return;
  const whole = full(given);
  if (whole === program) return;
  if (whole === null) {
    if (kind === 'read') return;
    throw new Error('outside of the scratch directory: ' + given);
  }
  say({ kind, path: whole });
};
const opened = (given, flags) => touched(/[wa+]/.test(String(flags ?? 'r')) ? 'write' : 'read', given);

// What each function does with its first two arguments.
const table = {
  readFile: ['read'], writeFile: ['write'], appendFile: ['write'], unlink: ['delete'], rm: ['delete'], rmdir: ['delete'],
  mkdir: ['make'], truncate: ['write'], rename: ['take', 'write'], copyFile: ['read', 'write'], symlink: [null, 'write'],
  cp: ['read', 'write'], createReadStream: ['read'], createWriteStream: ['write'],
};
const watched = (name, does, original) => function (...given) {
  does.forEach((kind, at) => { if (kind) touched(kind, given[at]); });
  // What a function of the library calls in turn is no act of its own.
  inside += 1;
  try { return original.apply(this, given); } finally { inside -= 1; }
};
const streams = new Set(['createReadStream', 'createWriteStream']);
const originals = { open: fs.open, openSync: fs.openSync };
for (const [name, does] of Object.entries(table)) {
  fs[name] = watched(name, does, fs[name]);
  if (!streams.has(name)) {
    fs[name + 'Sync'] = watched(name, does, fs[name + 'Sync']);
    fs.promises[name] = watched(name, does, fs.promises[name]);
  }
}
fs.openSync = function (given, flags, ...rest) { opened(given, flags); return originals.openSync.call(fs, given, flags, ...rest); };
const open = fs.promises.open;
fs.promises.open = function (given, flags, ...rest) { opened(given, flags); return open.call(fs.promises, given, flags, ...rest); };

const ended = (callback) => {
  const child = new EventEmitter();
  child.pid = 1;
  child.stdin = new Writable({ write(_, __, done) { done(); } });
  child.stdout = Readable.from([]);
  child.stderr = Readable.from([]);
  child.kill = () => true;
  child.unref = child.ref = () => child;
  child.on('error', () => {});
  setImmediate(() => { child.emit('exit', 0, null); child.emit('close', 0, null); if (callback) callback(null, '', ''); });
  return child;
};
const last = (given) => given.find((value) => typeof value === 'function');
const options = (given) => given.find((value) => value && typeof value === 'object' && !Array.isArray(value)) ?? {};
const words = (given) => [String(given[0]), ...(Array.isArray(given[1]) ? given[1].map(String) : [])];
const starts = (given) => {
  if (options(given).shell) say({ kind: 'shell', text: words(given).join(' ') });
  else say({ kind: 'run', words: words(given) });
};
const answer = (given) => options(given).encoding && options(given).encoding !== 'buffer' ? '' : Buffer.alloc(0);
childProcess.exec = (...given) => { say({ kind: 'shell', text: String(given[0]) }); return ended(last(given)); };
childProcess.execSync = (...given) => { say({ kind: 'shell', text: String(given[0]) }); return answer(given); };
childProcess.execFile = (...given) => { starts(given); return ended(last(given)); };
childProcess.execFileSync = (...given) => { starts(given); return answer(given); };
childProcess.spawn = (...given) => { starts(given); return ended(); };
childProcess.spawnSync = (...given) => { starts(given); return { status: 0, stdout: answer(given), stderr: answer(given), pid: 1 }; };
childProcess.fork = (...given) => { say({ kind: 'run', words: ['node', ...words(given)] }); return ended(); };
for (const name of ['exec', 'execFile']) {
  const original = childProcess[name];
  childProcess[name][promisify.custom] = (...given) => { original(...given); return Promise.resolve({ stdout: '', stderr: '' }); };
}
Module.syncBuiltinESMExports();

let error = null;
const failed = (thrown) => { error ??= String(thrown && thrown.stack ? thrown.message : thrown); };
process.on('uncaughtException', failed);
process.on('unhandledRejection', failed);
process.on('exit', () => say({ kind: 'end', error }));
if (program.endsWith('.mjs')) {
  import(pathToFileURL(program)).catch(failed);
} else {
  const main = new Module('.', null);
  main.filename = program;
  main.paths = [];
  try { main._compile(source, program); } catch (thrown) { failed(thrown); }
}
