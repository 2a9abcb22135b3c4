-- A queue of tasks.
local M = {}

local LIMIT = 10

--- Pushes a task.
-- @param task what to do
function M.push(task)
  if #M.tasks >= LIMIT then
    error("full")
  end
  table.insert(M.tasks, task)
end

function M:pop()
  return table.remove(self.tasks, 1)
end

local function helper(a, b)
  return a + b
end

M.each = function(f)
  for _, task in ipairs(M.tasks) do
    f(task)
  end
end

local walk = function(node) return node.next end

M.tasks = {}

return M
