-- Some four tenths of a second of Lua: calls, tables, strings, sorting, closures and errors.
local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

local seed = 1
local function random(limit)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % limit
end

local function sieve(limit)
  local composite, count = {}, 0
  for i = 2, limit do
    if not composite[i] then
      count = count + 1
      for k = i * i, limit, i do composite[k] = true end
    end
  end
  return count
end

local function text(count)
  local words = {}
  for i = 1, count do
    words[i] = string.format("%x-%d", random(32768), i)
  end
  table.sort(words)
  local joined = table.concat(words, " ")
  return #joined:gsub("%d+", function(digits) return "<" .. digits .. ">" end)
end

local function caught(count)
  local errors = 0
  for i = 1, count do
    if not pcall(error, { i }) then errors = errors + 1 end
  end
  return errors
end

local function closures(count)
  local sum = 0
  for i = 1, count do
    local add = function(x) return x + i end
    sum = sum + add(1)
  end
  return sum
end

print(fib(30), sieve(1500000), text(90000), caught(120000), closures(1200000))
