/** The entry point `@tau/tools/todo`. */

export { type TodoOp, applyOps } from "./apply.ts";
export { changedTodo } from "./changed-todo.ts";
export { editTodo, todoProblem } from "./edit-todo.ts";
export { limits as todoLimits } from "./limits.ts";
export { markdownToPhases, phasesToMarkdown } from "./markdown.ts";
export { type TodoPhase, allTasks, asPhases, isClosed } from "./phases.ts";
export { TodoState, editCall, newestTodo, todoMarks, todoPhases, todoState, userTodoEdit } from "./state.ts";
export { todoErrorReminder, todoReminder } from "./todo-reminder.ts";
