// A deterministic load: imports nothing, uses objects, inheritance, comprehensions, recursion and the standard library.
local fib(n) = if n <= 1 then 1 else fib(n - 1) + fib(n - 2);
local Base = { name: 'base', greeting:: 'hello ' + self.name, children: [], assert std.length(self.name) > 0 };
local tree(depth) = Base { name: 'node-%02d' % depth, children: if depth == 0 then [] else [tree(depth - 1), Base { name+: depth }] };
{
  fib: [fib(n) for n in std.range(0, 12)],
  tree: tree(5),
  sorted: std.sort([(7 * i) % 31 for i in std.range(1, 30)], function(x) -x),
  text: std.join(',', [std.toString(x) for x in std.set(std.split('b c a b d a', ' '))]),
  folded: std.foldl(function(total, x) total + x * x, std.range(1, 40), 0),
  merged: std.mergePatch({ a: { b: 1, c: [1, 2] } }, { a: { b: null, d: 'x' } }),
  manifest: std.manifestJsonEx({ z: [1, { y: null }], w: 1.5 }, '  '),
  encoded: std.base64('callsig') + std.md5('callsig') + std.format('%5.2f|%-6s|%x', [3.14159, 'ab', 255]),
  parsed: std.parseJson('{"k": [1, 2.5, "\\u00e4", {"deep": true}]}'),
}
