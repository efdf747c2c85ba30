-- What `make demo` profiles: counts words of a made-up text, sorts them, writes and reads them back, and places
-- queens on a board with errors as exits. It uses strings, tables, closures, coroutines, pcall and the garbage collector.

local state = 12345

local function random(n)
  state = (state * 1103515245 + 12345) % 2147483648
  return state // 65536 % n + 1
end

local syllables = { "ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "xu" }

local function word()
  local parts = {}
  for i = 1, random(4) do
    parts[i] = syllables[random(#syllables)]
  end
  return table.concat(parts)
end

local function text(n)
  local words = {}
  for i = 1, n do
    words[i] = word()
  end
  return table.concat(words, " ")
end

-- How often each word occurs, and the words in the order in which they occur first. (The order of pairs() would change from
-- run to run.)
local function count(s)
  local counts, order = {}, {}
  for w in string.gmatch(s, "%a+") do
    if not counts[w] then
      order[#order + 1] = w
    end
    counts[w] = (counts[w] or 0) + 1
  end
  return counts, order
end

local function rank(counts, order)
  table.sort(order, function(a, b)
    if counts[a] ~= counts[b] then
      return counts[a] > counts[b]
    end
    return a < b
  end)
end

local function serialise(order, counts)
  local lines = {}
  for i, w in ipairs(order) do
    lines[i] = string.format("[%q]=%d", w, counts[w])
  end
  return "return {" .. table.concat(lines, ",") .. "}"
end

local function queens(n)
  local solutions, columns = 0, {}
  local function free(row, column)
    for r = 1, row - 1 do
      local c = columns[r]
      if c == column or math.abs(c - column) == row - r then
        error("taken", 0)
      end
    end
  end
  local function place(row)
    if row > n then
      coroutine.yield(row)
      return
    end
    for column = 1, n do
      if pcall(free, row, column) then
        columns[row] = column
        place(row + 1)
      end
    end
  end
  for _ in coroutine.wrap(function() place(1) end) do
    solutions = solutions + 1
  end
  return solutions
end

local counts, order = count(text(20000))
rank(counts, order)
local again = load(serialise(order, counts))()
for _, w in ipairs(order) do
  assert(again[w] == counts[w], w)
end
print(#order .. " different words, most often " .. order[1] .. " (" .. counts[order[1]] .. ")")
print(queens(7) .. " ways to place 7 queens")
