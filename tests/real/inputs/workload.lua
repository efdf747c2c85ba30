-- A deterministic load: recursion, strings, tables, closures, errors (longjmp), coroutines and garbage.
-- Usage: lua workload.lua [SIZE]
local size = tonumber(arg and arg[1]) or 20
math.randomseed(42)

local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

local function ackermann(m, n)
  if m == 0 then return n + 1 end
  if n == 0 then return ackermann(m - 1, 1) end
  return ackermann(m - 1, ackermann(m, n - 1))
end

local function words(count)
  local list = {}
  for i = 1, count do
    local word = {}
    for j = 1, math.random(2, 7) do
      word[j] = string.char(96 + math.random(1, 26))
    end
    list[i] = table.concat(word)
  end
  return list
end

local function strings(count)
  local list = words(count)
  table.sort(list)
  table.sort(list, function(a, b) return #a < #b or (#a == #b and a < b) end)
  local text = table.concat(list, " ")
  local vowels = select(2, text:gsub("[aeiou]", "*"))
  local longest = ""
  for word in text:gmatch("%a+") do
    if #word > #longest then longest = word end
  end
  local packed = string.pack("<i4z", #text, longest)
  return vowels, longest, text:upper():find("XY", 1, true), string.format("%5.2f|%-8s|%q", #text / 7, longest, "a\nb"),
    string.unpack("<i4z", packed), text:rep(2, ";"):len(), text:reverse():byte(1, 3)
end

local function failing(depth)
  if depth == 0 then error({ code = 7 }) end
  failing(depth - 1)
end

local function errors(count)
  local caught, finalised = 0, 0
  for i = 1, count do
    local ok, what = pcall(failing, i % 12)
    if not ok and what.code == 7 then caught = caught + 1 end
    ok, what = xpcall(function() return nil + i end, function(message) return (message:gsub("^.-:%d+: ", "")) end)
    if not ok then caught = caught + #what end
    ok = pcall(string.rep, "x", -1, {})
    ok, what = pcall(load, "return +")
    do
      local guard <close> = setmetatable({}, { __close = function() finalised = finalised + 1 end })
    end
  end
  return caught, finalised
end

local function coroutines(count)
  local function producer(n)
    return coroutine.wrap(function()
      for i = 1, n do coroutine.yield(i) end
      return nil
    end)
  end
  local sum = 0
  for value in producer(count) do sum = sum + value end
  local failed = coroutine.create(function() error("inside") end)
  local ok, message = coroutine.resume(failed)
  return sum, ok, message, coroutine.status(failed)
end

local function garbage(count)
  local kept = setmetatable({}, { __mode = "v" })
  local chain
  for i = 1, count do
    chain = { i, chain, tostring(i) .. "!" }
    kept[i % 50] = {}
    if i % 200 == 0 then chain = nil end
  end
  collectgarbage()
  collectgarbage("generational")
  for i = 1, count do kept[i % 50] = { tostring(i) } end
  collectgarbage("incremental")
  collectgarbage()
  return not next(kept)
end

local Account = {}
Account.__index = Account
Account.__add = function(a, b) return Account.new(a.balance + b.balance) end
function Account.new(balance) return setmetatable({ balance = balance }, Account) end
function Account:deposit(amount) self.balance = self.balance + amount end

local function objects(count)
  local total = Account.new(0)
  for i = 1, count do
    local account = Account.new(i)
    account:deposit(i / 2)
    total = total + account
  end
  return total.balance
end

local function compiled(count)
  local sum = 0
  for i = 1, count do
    sum = sum + load("local a, b = ...; if a > b then return a - b else return (a ~ b) + " .. i .. " end")(i, 10)
  end
  return sum
end

print("fib", fib(size // 2))
print("ackermann", ackermann(2, size // 4))
print("strings", strings(size * 10))
print("errors", errors(size))
print("coroutines", coroutines(size * 2))
print("garbage", garbage(size * 50))
print("objects", objects(size * 10))
print("compiled", compiled(size))
print("utf8", utf8.char(228, 8364, 128512), utf8.len("äöü"), #utf8.charpattern)
os.exit(size % 7, true)
