/** The entry point `@tau/tools/todo`. */

export { type TodoOp, applyOps } from "./apply.ts";
export { changedTodo } from "./changed-todo.ts";
export { limits as todoLimits } from "./limits.ts";
export { markdownToPhases, phasesToMarkdown } from "./markdown.ts";
export { type TodoPhase, allTasks, asPhases, isClosed } from "./phases.ts";
export { TodoState, editCall, newestTodo, todoMarks, todoPhases, todoState, userTodoEdit } from "./state.ts";
export { default as todoEdited } from "./todo-edited.md" with { type: "text" };
export { todoErrorReminder, todoReminder } from "./todo-reminder.ts";
